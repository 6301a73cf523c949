// What the annotated papers do in a real browser: papers.js FOLDER.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { Browser } = require("../support/browser.js");
const { fits, seen } = require("./page_looks.js");

const bars = `[...document.querySelectorAll("#lens rect")].map((rect) => Number(rect.getAttribute("height")))`;

async function names(page) {
  await page.run(`document.querySelector("#attend_forward button.n-alpha").focus()`);
  const lit = await page.run(`[...document.querySelectorAll(".lit")].map((each) =>
    each.closest("math") ? "text" : each.closest("pre") ? "code" : "button")`);
  for (const place of ["text", "code", "button"])
    assert.ok(lit.includes(place), `not lit: ${place}`);
  assert.ok(
    await page.run(`document.querySelectorAll(".lit.grad").length > 0`),
    "no gradient is lit",
  );
  assert.match(await page.run(`document.getElementById("lens").textContent`), /sums? to 1/);
}

// Untrained, all words weigh the same; trained, they do not. Each step has weights of its own.
async function numbers(page, vectors) {
  await page.until(`document.getElementById("checkpoint").max === "15"`);
  const set = (checkpoint) =>
    page.run(`(() => { const slider = document.getElementById("checkpoint"); slider.value = ${checkpoint};
      slider.dispatchEvent(new Event("input")); })()`);
  await set(0);
  if (vectors) {
    const untrained = await page.run(bars);
    assert.ok(Math.max(...untrained) - Math.min(...untrained) < 1e-6, "not uniform at first");
  }
  await set(15);
  const first = await page.run(`document.getElementById("lens").innerHTML`);
  if (vectors) {
    const trained = await page.run(bars);
    assert.ok(Math.max(...trained) > 3 * Math.min(...trained), "still uniform");
  }
  await page.click("#step");
  assert.notStrictEqual(await page.run(`document.getElementById("lens").innerHTML`), first);
  assert.strictEqual(
    await page.run(`document.querySelector("#target [aria-pressed=true]").textContent`),
    "chat",
  );
}

async function joins(page) {
  await page.run(`document.getElementById("attend_forward").scrollIntoView()`);
  await page.hover("#attend_forward .joined");
  assert.strictEqual(await page.run(`document.querySelectorAll("#joins path").length`), 1);
  assert.ok((await page.run(`document.querySelectorAll(".together").length`)) >= 2);
}

// The contents lead to the numbered equations; no code is wider than its column.
async function read(page, equations) {
  assert.deepStrictEqual(
    await page.run(`[...document.querySelectorAll('header a[href^="#equation-"]')].map((link) =>
      document.querySelector(link.hash).querySelector(".number").textContent)`),
    equations,
  );
  for (const width of [390, 1024, 1280, 1920]) {
    await page.resize(width, 900);
    assert.deepStrictEqual(
      await page.run(`[...document.querySelectorAll("main pre")]
        .filter((code) => code.scrollWidth > code.clientWidth).map((code) => code.ariaLabel)`),
      [],
      `code is wider than its column in a window of ${width}`,
    );
  }
}

// The panel is folded by its button and by a key, and stays as it was left.
async function fold(page) {
  const isFolded = () => page.run(`document.getElementById("figures").checkVisibility() === false`);
  const height = () => page.run(`document.getElementById("panel").offsetHeight`);
  const open = await height();
  await page.click("#fold");
  assert.ok((await isFolded()) && (await height()) < 60, "the button folds no panel");
  const loaded = page.once("Page.loadEventFired");
  await page.run("location.reload()");
  await loaded;
  assert.ok(await isFolded(), "a reload forgets that the panel is folded");
  await page.key("n");
  assert.ok(!(await isFolded()) && (await height()) === open, "the key unfolds no panel");
  await page.until(`document.querySelector("#lens svg")`);
}

// A page for students has the equations of forward functions and their numbers, but no code.
async function equations(browser, folder, year) {
  const file = path.join(folder, `equations-${year}.html`);
  const page = await browser.open(file, { width: 1280, height: 900 });
  await page.until(`document.querySelector("#lens svg")`);
  assert.ok(await page.run(`document.querySelectorAll("main math").length > 30`));
  assert.strictEqual(await page.run(`document.querySelectorAll("main pre, .grad").length`), 0);
  assert.doesNotMatch(fs.readFileSync(file, "utf8"), /∂|_backward/);
  await page.run(`document.querySelector("#attend_forward button.n-alpha").focus()`);
  assert.ok(await page.run(`document.querySelectorAll("main math .lit").length > 0`));
  await fits(page);
  assert.deepStrictEqual(page.complaints, []);
}

async function main(folder) {
  const browser = new Browser();
  try {
    for (const year of [2015, 2017]) {
      const page = await browser.open(path.join(folder, `paper-${year}.html`), {
        width: 1280,
        height: 900,
      });
      await page.until(`document.querySelector("#lens svg")`);
      await fold(page);
      await read(page, year === 2015 ? ["(6)", "(5)", "(7)", "(4)"] : ["(1)", "(2)", "(3)"]);
      await names(page);
      await numbers(page, year === 2015);
      await joins(page);
      await fits(page);
      await seen(page);
      assert.deepStrictEqual(page.complaints, []);
    }
    for (const year of [2015, 2017]) await equations(browser, folder, year);
    const page = await browser.open(path.join(folder, "papers.html"), { width: 1280, height: 900 });
    assert.ok(await page.run(`document.querySelectorAll(".own").length > 300`));
    await read(page, []);
    await fits(page);
    await seen(page);
    assert.deepStrictEqual(page.complaints, []);
  } finally {
    await browser.close();
  }
}

main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
