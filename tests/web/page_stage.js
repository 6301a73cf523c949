// The stage of the playground.
"use strict";
const assert = require("node:assert");
const { choose, text } = require("./page_tools.js");

// The training in slow motion, back and forth.
async function playing(page) {
  await page.run(`location.hash = "stop=4"`);
  await page.until(`state.models[1]?.attention === "dot" && !byId("start").disabled`);
  assert.strictEqual(
    await page.run("location.hash"),
    "#stop=4",
    "a stop's link stands for its settings",
  );
  await page.run("document.activeElement.blur()");
  await page.key("p");
  await page.until("isOnStage()");
  await choose(page, "#seconds", "5");
  await page.run(`state.pause = 100; byId("play").focus()`);
  await page.key(" ");
  await page.until("player.timer && past.at > 2"); // learned unseen, then slowly
  await page.key(" ");
  const at = await page.run("past.at");
  await page.key("ArrowRight");
  assert.strictEqual(await page.run("past.at"), at + 1);
  await page.key("Home");
  const grays = `Math.max(...[...document.querySelectorAll("#stage .cell")].map((cell) => Number(cell.getAttribute("fill-opacity"))))`;
  await page.key("v");
  assert.ok((await page.run(grays)) < 0.9, "the beginning is black");
  await page.key("End");
  await page.until(`past.at < 0 && ${grays} > 0.9`);
}

// Words that the last row reads.
async function legible(page) {
  for (const [width, height] of [
    [1024, 768],
    [1920, 1080],
  ]) {
    await page.resize(width, height);
    for (const kind of ["matrix", "bands"]) {
      await page.run(
        `state.stage = "${kind}"; drawPanels(view.frames); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
      );
      const small =
        await page.run(`[...document.querySelectorAll("#stage svg > text, #stage .word, #stage p, #stage output, #stage figcaption")].filter((node) => node.textContent.trim())
        .map((node) => [node, parseFloat(getComputedStyle(node).fontSize) * (node.ownerSVGElement ? Math.hypot(node.getScreenCTM().a, node.getScreenCTM().b) : 1)])
        .filter(([node, size]) => !(size >= innerHeight / (node.matches(".small, .axis") ? 40 : 28) - 0.1)).map(([node, size]) => node.textContent + " " + size)`);
      assert.deepStrictEqual(small, [], `${kind} at ${width} x ${height}`);
      assert.ok(
        await page.run(
          `byId("stage").scrollHeight <= innerHeight && byId("stage").scrollWidth <= innerWidth`,
        ),
        `${kind} at ${width} x ${height} is cut`,
      );
    }
  }
}

// All heads in place of the picture, with words at the edges; a click opens one.
async function allHeads(page) {
  const kind = () => page.run("state.stage");
  while ((await kind()) !== "heads") await page.key("v");
  const words = (side) =>
    page.run(
      `[...document.querySelectorAll("#stage #thumbs button:first-child .${side} bdi")].map((node) => node.textContent)`,
    );
  assert.deepStrictEqual(
    [await words("above"), await words("beside")],
    await page.run(
      `[view.frames[0].columns, view.frames[0].rows].map((list) => list.map((text) => text.length > 9 ? text.slice(0, 8) + "…" : text))`,
    ),
  );
  assert.ok(
    await page.run(
      `getComputedStyle(byId("stage-pictures")).display === "none" && [...document.querySelectorAll("#thumbs canvas")].every((one) => Math.abs(one.clientWidth / one.width - one.clientHeight / one.height) < 0.01)`,
    ),
    "cells are not square",
  );
  const tops = await page.run(
    `[...document.querySelectorAll("#thumbs canvas")].map((one) => one.getBoundingClientRect().top)`,
  );
  assert.ok(Math.max(...tops) - Math.min(...tops) < 1, `matrices begin at ${tops}`);
  await page.click('#thumbs [data-part="4"]');
  assert.deepStrictEqual([await kind(), await page.run("view.head")], ["matrix", 4]);
}

// Two matrices side by side have a scale and a key of links, bands a key with a name. Where they
// have no room for a scale, a text says what they show.
async function keyed(page) {
  const kind = await page.run("state.stage");
  const size = await page.run("[innerWidth, innerHeight]");
  for (const [width, height] of [
    [1920, 1080],
    [1280, 800],
  ]) {
    await page.resize(width, height);
    for (const [name, selector] of [
      ["matrix", ".shade, .matrix .outline, .matrix .scale"],
      ["bands", ".bands .sample, .bands .axis:nth-of-type(3)"],
    ]) {
      while ((await page.run("state.stage")) !== name) await page.key("v");
      await page.until(`document.querySelectorAll("#stage-pictures .${name}").length === 2`);
      const missing = await page.run(
        `${JSON.stringify(selector)}.split(", ").filter((mark) => !document.querySelector("#stage-pictures " + mark))`,
      );
      assert.deepStrictEqual(missing, [], `no key of ${name} at ${width} x ${height}`);
    }
  }
  for (const [width, height] of [
    [1024, 768],
    [390, 844],
  ]) {
    await page.resize(width, height);
    while ((await page.run("state.stage")) !== "matrix") await page.key("v");
    await page.until(
      `document.querySelector("#stage-pictures :is(.matrix .scale, .bands .sample)") || /black: 1 · orange frame: gold/.test(byId("stage-key").textContent)`,
    );
  }
  await page.resize(...size);
  while ((await page.run("state.stage")) !== kind) await page.key("v");
}

// The answer, the next stop and heads by keys.
async function keys(page) {
  const question = await text(page, "#stage-question");
  await page.key("a");
  assert.match(await text(page, "#stage-question"), /^4\. B's: its entropy/);
  await page.key("a");
  assert.strictEqual(await text(page, "#stage-question"), question);
  await keyed(page);
  await page.key("?");
  assert.match(
    await text(page, "#stage-keys:not([hidden])"),
    /V bands, matrix or all heads.*Esc closes/,
  );
  await page.click("#stage-help");
  assert.ok(await page.run(`byId("stage-keys").hidden`));
  await page.key("PageDown");
  await page.until(
    `state.stop === 5 && !byId("start").disabled && document.querySelectorAll("#stage #thumbs button").length === 5`,
  );
  await page.key("2");
  assert.strictEqual(await page.run(`view.head`), 2);
  await allHeads(page);
  await page.key("Escape");
  // The page moves until the stage has returned what it borrowed.
  await page.until("!isOnStage() && state.stage === null && !document.fullscreenElement");
  await page.click('#thumbs [data-part="3"]'); // on the page as on the stage
  assert.deepStrictEqual(
    await page.run(
      `[view.head, document.querySelector('#thumbs [aria-pressed="true"]').dataset.part]`,
    ),
    [3, "3"],
  );
}

// Pictures of one model, at all sizes, and an evil sentence.
async function pictures(page) {
  await page.run(`location.hash = "stop=2&stage=bands"`); // one of its models has no attention
  await page.until(
    `isOnStage() && state.stop === 2 && !byId("start").disabled && document.querySelectorAll("#stage-pictures svg").length === 1`,
  );
  for (const [width, height] of [
    [1024, 768],
    [390, 844],
  ]) {
    await page.resize(width, height);
    await page.run(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    assert.deepStrictEqual(
      await page.run(`[...document.querySelectorAll("#stage-pictures > *, #stage-pictures svg")].map((node) => [node, node.getBoundingClientRect()])
      .filter(([node, at]) => at.width && (at.left < 0 || at.right > innerWidth || at.top < byId("stage-question").getBoundingClientRect().bottom))
      .map(([node]) => node.textContent)`),
      [],
      `pictures at ${width} x ${height}`,
    );
  }
  await page.run(
    `location.hash = ${JSON.stringify(`source=${encodeURIComponent('<img src=x onerror="window.pwned=1">')}&stage=matrix`)}`,
  );
  await page.until(
    `isOnStage() && !byId("start").disabled && document.querySelector("#stage svg")`,
  );
  assert.ok(await page.run(`byId("stage").textContent.includes("<img") && !window.pwned`));
  await page.key("p");
  await page.until("!isOnStage() && !location.hash.includes('stage')");
  await page.run(`location.hash = ""`);
  await page.until(`state.source === null && !byId("start").disabled`);
  await page.resize(1280, 900);
}

// The stage by keys: words that the last row reads, the training in slow motion, back and forth,
// the answer, the next stop.
async function lectures(page) {
  await page.hover("h1"); // no word is pointed at
  await playing(page);
  await legible(page);
  await keys(page);
  await pictures(page);
}

module.exports = { lectures };
