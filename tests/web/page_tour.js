// The settings, the tour and the languages of the playground.
"use strict";
const assert = require("node:assert");
const { fits } = require("./page_looks.js");
const { choose, count, last, text } = require("./page_tools.js");
const { learned, settingsOf } = require("./page_training.js");

async function settings(page) {
  await page.run(`location.hash = ""`);
  await page.until(`state.own === null && !byId("start").disabled`);
  await page.run(`byId("second").focus()`);
  await page.key(" ");
  await page.until(
    `document.querySelectorAll("#forms fieldset").length === 2 && !byId("start").disabled`,
  );
  await choose(page, `#forms fieldset:nth-child(2) [name="attention"]`, "dot");
  await page.until(`state.models[1].attention === "dot" && !byId("start").disabled`);
  await choose(page, `#forms fieldset:nth-child(1) [name="model"]`, "transformer");
  await page.until(`state.models[0].model === "transformer" && !byId("start").disabled`);
  await page.click("#start");
  await page.until("past.moments.length > 3");
  await page.click("#start");
  assert.strictEqual(await count(page, "#panels .matrix"), 2);
  const steps = await page.run("past.moments.at(-1).frames.map((frame) => frame.step)");
  assert.strictEqual(steps[0], steps[1], "equal updates");
  assert.match(await page.run("location.hash"), /b=attention/);
  assert.match(await text(page, "#command"), /--attention dot/);
  // Whose numbers are those of model B.
  await page.hover("#panels figure:nth-child(2) .catch:nth-last-child(2)");
  await page.until(`byId("readout").textContent.startsWith("B: ")`);
  await page.click("#panels figure:nth-child(2) .catch:nth-last-child(2)");
  await page.until(`byId("cell").textContent`);
  // A Transformer's: its cross-attention, and how its context comes about.
  await page.click("#panels figure:nth-child(1) .catch:nth-last-child(2)");
  await page.until(
    `/the model looks at/.test(byId("equation-title").textContent) && /Cross-attention/.test(byId("equation").textContent)`,
  );
  await page.until(
    `[...byId("strip").querySelectorAll("figcaption")].some(({ textContent }) => /alpha_ij/.test(textContent))`,
  );
  await fits(page);
}

// What the matrices and the table call the models.
const titles = (page) =>
  page.run(`[[...document.querySelectorAll("#panels figcaption, #panels b")].map((node) => node.firstChild.textContent.replace(/^model /, "")),
  [...document.querySelectorAll("#figures thead th")].slice(1).map((node) => node.textContent)]`);

// The answer of the third stop names what the table has shown of a training with its settings.
async function answers(page) {
  await page.click("#stops button:nth-of-type(3)");
  await page.until(`byId("stop-title").textContent.startsWith("3.") && !byId("start").disabled`);
  assert.strictEqual(await settingsOf(page), learned.settings, "other settings");
  for (const name of ["en", "de", "fr"]) {
    await choose(page, "#language", name);
    const answer = (await text(page, "#stop-answer p")).replaceAll(",", ".");
    for (const figure of learned.shares)
      assert.ok(answer.includes(figure), `${name}: ${figure} is not in the answer`);
  }
  await choose(page, "#language", "en");
}

// Where no word moves there is no weight of words that change places.
async function unmoved(page) {
  await page.run(`location.hash = "task=mono"`);
  await page.until(`state.task === "mono" && !byId("start").disabled`);
  await page.click("#single");
  await page.until(`${last("step")} === 1`);
  assert.deepStrictEqual(
    await page.run(
      `[past.moments[0].frames[0].held.moved, [...document.querySelectorAll("#figures tr")].find((row) => row.textContent.includes("change places")).querySelector("td").textContent]`,
    ),
    [null, "–"],
  );
}

// Question, model, answer and next stop share a screen.
async function oneScreen(page, stop) {
  for (const [width, height] of [
    [1024, 768],
    [390, 844],
  ])
    for (const open of [true, false]) {
      await page.resize(width, height);
      await page.run(
        `scrollTo(0, 0); byId("stop-about").open = ${!open && width > 1000}; byId("stop-answer").open = ${open}; new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
      );
      const below = await page.run(
        `["#stop-question", "#stop-next", "#stop-answer", "#thumbs", "#panels .row:nth-last-of-type(2)"].flatMap((selector) => [...document.querySelectorAll(selector)].map((node) => Math.round(node.getBoundingClientRect().bottom)))`,
      );
      assert.ok(
        Math.max(...below) <= height,
        `stop ${stop} at ${width} x ${height}${open ? ", answered" : ""}: ${below}`,
      );
    }
}

// Cells of at least 6 pixels in a low window.
async function headsAreSeen(page) {
  await page.resize(1280, 800);
  await page.run(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))",
  );
  const cells = `[...document.querySelectorAll("#thumbs canvas")].map((one) => one.clientWidth / one.width)`;
  assert.ok(await page.run(`Math.min(...${cells}) >= 6`), "cells of heads are small");
}

// All stops open, each on one screen; the sixth breaks a gradient, and none bends.
async function everyStop(page) {
  const named = {
    2: ["A: decoder fixed", "B: decoder bahdanau"],
    4: ["A: attention additive", "B: attention dot"],
  };
  const spoken = { 1: "goat", 7: "Numuno" }; // words of the sentence that the text speaks of
  await page.click("#bend");
  for (let number = 1; number <= 8; number++) {
    await page.click(`#stops button:nth-of-type(${number})`);
    await page.until(
      `byId("stop-title").textContent.startsWith("${number}.") && !byId("start").disabled`,
    );
    assert.strictEqual(await text(page, "#message"), "", `stop ${number}`);
    assert.ok(
      await page.run(`!byId("bend").checked && !document.body.classList.contains("bending")`),
      `stop ${number} bends`,
    );
    assert.strictEqual(await page.run(`byId("broken").hidden`), number !== 6, `stop ${number}`);
    assert.strictEqual(
      await page.run("engine.info.terms.some(({ name }) => name === training.broken)"),
      number === 6,
      `stop ${number}`,
    );
    if (named[number])
      assert.deepStrictEqual(await titles(page), [named[number], named[number]], `stop ${number}`);
    if (number === 4)
      for (const caption of ["first", "last"])
        assert.match(
          await text(page, `#panels figure:${caption}-of-type figcaption`),
          /entropy \d\.\d\d$/,
        );
    for (const part of spoken[number] ? ["#translations", "#stop"] : [])
      assert.ok((await text(page, part)).includes(spoken[number]), `stop ${number}: ${part}`);
    await oneScreen(page, number);
    if (number === 8) await headsAreSeen(page);
    await page.resize(1280, 900);
  }
}

// A stop is tried and closed; a training pauses where its link says.
async function tryAndClose(page) {
  await page.resize(390, 844);
  await page.run(`scrollTo(0, 0); byId("stop-try").click()`);
  await page.until("past.moments.length > 2");
  await page.run("run(false)");
  assert.strictEqual(await page.run("scrollY"), 0, "“Try it” scrolls the question away");
  await page.resize(1280, 900);
  assert.deepStrictEqual(
    await page.run("stops.map(({ link }) => readLink(link).pause)"),
    [300, 500, 300, 300, 500, 300, 300, 500],
  );
  await page.click("#stop-close"); // mends it
  await page.until(`byId("broken").hidden && !training.broken && byId("stop").hidden`);
  await page.run(`location.hash = "pause=40"`);
  await page.until(`state.pause === 40 && !byId("start").disabled`);
  await page.click("#start");
  await page.until(`!training.on && ${last("step")} === 40 && ${last("held.step")} === 40`);
  await page.run(`location.hash = ""`);
  await page.until(`state.pause === 0 && !byId("start").disabled`);
  await page.click("#single");
  await page.until(`${last("step")} === 1`);
}

// Words and numbers of the other languages.
async function translated(page) {
  for (const name of ["de", "fr"]) {
    await choose(page, "#language", name);
    assert.strictEqual(await page.run("document.documentElement.lang"), name);
    assert.doesNotMatch(await text(page, "#intro"), /trained/);
    assert.match(
      await text(page, "#caption"),
      name === "de" ? /^Update 1 .+ exakt$/ : /^pas 1 .+ exactes$/,
    );
    assert.ok(
      (
        await page.run(
          `[...document.querySelectorAll("#panels .axis")].map((node) => node.textContent)`,
        )
      ).includes(name === "de" ? "Ziel" : "cible"),
    );
    const figures = await page.run(
      `[...document.querySelectorAll("#figures td, #panels .scale, #charts text")].map((node) => node.textContent).join(" ")`,
    );
    assert.ok(/\d,\d/.test(figures) && !/\d\.\d/.test(figures), `${name}: ${figures}`);
  }
  await choose(page, "#language", "en");
}

async function tour(page) {
  await unmoved(page);
  await answers(page);
  await everyStop(page);
  await tryAndClose(page);
  await translated(page);
}

module.exports = { settings, tour };
