// Texts that look like markup or code, and files that are too large or damaged.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { count, last, ready, said, text } = require("./page_tools.js");

// Texts that look like markup or code: as a sentence, as pairs, in a link.
async function texts(page, folder) {
  const evil = `<img src=x onerror="window.pwned=1">`;
  await page.type("#source", evil);
  await page.key("Enter");
  await page.until(`byId("translations").textContent.includes("<img")`);
  await page.type("#source", "the zebu finds a qat.");
  await page.key("Enter");
  await page.until(
    `byId("translations").textContent.includes("the zebu finds a qat. (unknown: zebu, qat)")`,
  );
  const pairs = fs.readFileSync(path.join(folder, "bad.tsv"), "utf8");
  await page.type("#own", pairs);
  await page.click("#use");
  await page.until(`byId("task").value === "" && !byId("start").disabled`);
  await page.click("#single");
  await page.until(`${last("step")} === 1`);
  await page.choose("#pairs-file", path.join(folder, "bad.tsv"));
  await page.until(`past.moments.length === 0 && !byId("start").disabled`);
  await page.run(
    `location.hash = ${JSON.stringify(`own=${encodeURIComponent(`${evil}\t${evil}\n`.repeat(30))}&source=${encodeURIComponent(evil)}&a=attention=${encodeURIComponent(evil)}&stop=9&task=${encodeURIComponent(evil)}`)}`,
  );
  await page.until(`state.source !== null && !byId("start").disabled`);
  assert.strictEqual(await page.run("typeof window.pwned"), "undefined");
  assert.strictEqual(await count(page, "img"), 0);
}

// What is too large or damaged: one sentence, and the page lives on.
async function refusals(page, folder) {
  for (const [name, sentence] of [
    ["novel.txt", /^No line has a tab/],
    ["endless.txt", /^Line 1 has 1000000 characters/],
    ["million.tsv", /^That is 1000000 pairs/],
    ["broken.tsv", /^That file is no UTF-8 text/],
    ["few.tsv", /^2 pairs are too few/],
  ]) {
    await page.choose("#pairs-file", path.join(folder, name));
    await said(page, sentence, name);
  }
  await page.choose("#model-file", path.join(folder, "damaged.safetensors"));
  await said(page, /\w/, "damaged.safetensors");
  assert.doesNotMatch(await text(page, "#message"), /stopped/);
  await ready(page);
  await page.run(`say("")`);
  // Far outside of the module's memory: a trap.
  await page.run(`call("about", 0x7ffffff0).catch(() => {})`);
  await said(page, /^The module stopped/, "a trap");
  await ready(page);
}

module.exports = { refusals, texts };
