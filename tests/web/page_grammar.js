// The user's own grammar: what is wrong beside its line, and a training whose link holds it.
"use strict";
const assert = require("node:assert");
const { choose, last, ready, text } = require("./page_tools.js");

const placeOf = (page, selector) =>
  page.run(`document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top`);

async function mistakes(page) {
  for (const [line, why, grammar] of [
    [
      2,
      /^Line 2: link 0-9 is out of range/,
      "[S] ||| a [N,1] ||| [N,1]\n[N] ||| b ||| c ||| 0-9\n",
    ],
    [3, /^Line 3: '%genus' is not %feature/, "[S] ||| a ||| b\n\n%genus m f\n"],
  ]) {
    await choose(page, "#grammar", grammar);
    await page.until(`${why}.test(byId("grammar-message").textContent)`);
    assert.ok(await page.run(`byId("use-grammar").disabled`));
    const below = (await placeOf(page, "#grammar-message")) - (await placeOf(page, "#grammar"));
    const height = await page.run(`parseFloat(getComputedStyle(byId("grammar")).lineHeight)`);
    assert.ok(Math.abs(below - (line - 1) * height) < height / 2, `line ${line}: ${below} px`);
  }
}

async function grammars(page) {
  const before = await page.run("location.hash");
  await mistakes(page);
  await choose(page, "#starter", "हिन्दी");
  await page.until(`!byId("use-grammar").disabled`);
  assert.strictEqual(await text(page, "#grammar-message"), "");
  assert.match(await text(page, "#grammar-check"), /^rules: 23,/);
  await page.click("#use-grammar");
  await page.until(`state.grammar !== null && byId("task").value === ""`);
  await ready(page);
  assert.match(await text(page, "#sentence"), /[\u0900-\u097f]|the (big|small) /);
  assert.match(await text(page, "#pairs-note"), /has only \d+ sentences/);
  assert.match(
    await text(page, "#command"),
    /^softalign corpus --grammar own.scfg --max-words 8 /m,
  );
  await page.click("#single");
  await page.until(`${last("step")} === 1`);

  const link = await page.run("location.hash");
  await choose(page, "#task", "reorder");
  await page.until(`state.grammar === null && !byId("start").disabled`);
  await choose(page, "#grammar", "");
  await page.run(`location.hash = ${JSON.stringify(link)}`);
  await page.until(`state.grammar !== null && byId("grammar").value === state.grammar`);
  await page.until(`!byId("use-grammar").disabled && !byId("start").disabled`);
  assert.match(await page.run("state.grammar"), /लड़की/);
  await page.run(`location.hash = ${JSON.stringify(before)}`);
  await page.until(`state.grammar === null && !byId("start").disabled`);
}

module.exports = { grammars };
