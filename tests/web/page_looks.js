// Whether the playground fits windows, and is seen.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");

const rules = fs.readFileSync(require.resolve("./picture_rules.js"), "utf8");

// The matrix, the bands, heads and curves of a training keep the rules of pictures, and the rules
// find curves without a key.
async function drawn(page) {
  await page.run(`location.hash = "stop=5"`);
  await page.until(`state.stop === 5 && !byId("start").disabled`);
  await page.run("state.pause = 50");
  await page.click("#start");
  await page.until(`!training.on && past.moments.at(-1)?.frames[0]?.held`);
  await page.resize(1920, 1080);
  const settled =
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))";
  for (const isBands of [false, true]) {
    await page.run(`view.isBands = ${isBands}; drawPanels(view.frames); ${settled}`);
    assert.deepStrictEqual(await page.run(rules), []);
  }
  await page.run(
    `document.querySelectorAll("#loss-chart :is(.legend, .name)").forEach((node) => node.remove())`,
  );
  assert.match((await page.run(rules)).join(), /^explained: chart 1: no key of the line/);
  await page.run(`view.isBands = false; drawPanels(view.frames)`);
  // Curves that are nothing but 0 have a scale, too.
  await page.run(
    `for (const key of ["bleu", "exact", "gold"]) past.curves[0][key] = past.curves[0][key].map(([x]) => [x, 0])`,
  );
  await page.resize(1900, 1080);
  await page.run(settled);
  assert.match(await page.run(`byId("bleu-chart").textContent`), /0\.5/);
}

// What differs from the reference is underlined, and a line says so.
async function underlined(page) {
  for (const [said, meant, wrong] of [
    ["la chèvre noire .", "la chèvre blanche .", ["noire"]],
    ["le chat .", "le chat noir .", ["∅"]],
    ["c a b", "a b c", ["c", "∅"]],
    ["a b b c", "a b c", ["b"]],
    ["x y", "a b c", ["x y"]],
    ["1997-03-05", "1997-03-04", ["5"]],
    ["a b", "a b", []],
  ]) {
    const run = `differences(${JSON.stringify(said)}, ${JSON.stringify(meant)})`;
    const found = await page.run(`${run}.filter((one) => one.isWrong).map(({ text }) => text)`);
    assert.deepStrictEqual(found, wrong, `${said} for ${meant}`);
  }
  const shown = (translation) =>
    page.run(`drawMoment([{ ...view.frames[0], translation: ${translation} }, null]);
      [[...document.querySelectorAll("#translations u")].map((node) => node.textContent).join(),
       byId("translations").querySelector(".key").checkVisibility({ visibilityProperty: true })]`);
  const reference = `document.querySelector("#translations .line:nth-child(2) bdi").textContent`;
  assert.deepStrictEqual(await shown(`${reference} + " xyz"`), ["xyz", true]);
  assert.deepStrictEqual(await shown(reference), ["", false]);
}

async function fits(page) {
  for (const width of [390, 1024, 1920]) {
    await page.resize(width, 800);
    await page.run(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    assert.ok(
      await page.run("document.documentElement.scrollWidth <= innerWidth"),
      `wider than a window of ${width}`,
    );
  }
  assert.deepStrictEqual(
    await page.run(`[...document.querySelectorAll("button, input, select, textarea")].filter((node) => !node.closest("[hidden]")
    && !(node.labels?.length || node.getAttribute("aria-label") || node.textContent.trim())).map((node) => node.outerHTML)`),
    [],
    "controls without a name",
  );
}

// Text stands out from what is behind it, and what has the focus from all else, in light and dark.
async function seen(page) {
  await page.run(`document.querySelectorAll("details").forEach((node) => { node.open = true; })`);
  await page.key("Tab"); // from now on the focus is shown
  for (const scheme of ["light", "dark"]) {
    await page.look(scheme);
    assert.deepStrictEqual(
      await page.run(`(() => {
      const parts = (color) => color.match(/[\\d.]+/g).map(Number);
      const light = (color) => parts(color).slice(0, 3).map((part) => { const c = part / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; })
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = (node) => { const color = getComputedStyle(node).backgroundColor; return parts(color)[3] === 0 && node.parentElement ? behind(node.parentElement) : color; };
      const ratio = (one, other) => { const [low, high] = [light(one), light(other)].sort((a, b) => a - b); return (high + 0.05) / (low + 0.05); };
      return [...document.querySelectorAll("body *:not(script, option, .value, title)")]
        .filter((node) => !node.disabled && node.checkVisibility({ visibilityProperty: true }) && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
        .map((node) => ({ node, ratio: ratio(node instanceof SVGElement ? getComputedStyle(node).fill : getComputedStyle(node).color, behind(node)) }))
        .filter((one) => !(one.ratio >= 4.5)).map((one) => one.node.outerHTML.slice(0, 120) + " " + one.ratio.toFixed(2));
    })()`),
      [],
      `too little contrast: ${scheme}`,
    );
  }
  await page.look("light");
  assert.deepStrictEqual(
    await page.run(`[...document.querySelectorAll("button, input, select, textarea, summary, [tabindex]")].filter((node) => !node.disabled && node.checkVisibility({ visibilityProperty: true }))
    .filter((node) => { node.focus(); return document.activeElement !== node || parseFloat(getComputedStyle(node).outlineWidth) < 2 || getComputedStyle(node).outlineStyle === "none"; })
    .map((node) => node.outerHTML.slice(0, 120))`),
    [],
    "a focus that is not seen",
  );
}

module.exports = { drawn, fits, seen, underlined };
