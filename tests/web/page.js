// What the playground does in a real browser, by mouse and keyboard: page.js PAGE FOLDER [BROWSER];
// the folder holds the files of web_page.sh.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const { Browser } = require("../support/browser.js");
const { Firefox } = require("../support/firefox.js");
const { copies, files } = require("./page_files.js");
const { grammars } = require("./page_grammar.js");
const { drawn, fits, seen, underlined } = require("./page_looks.js");
const { lectures } = require("./page_stage.js");
const { refusals, texts } = require("./page_texts.js");
const { ready } = require("./page_tools.js");
const { settings, tour } = require("./page_tour.js");
const { cells, gradients, inside, insight, time, unusual } = require("./page_training.js");

// All of it in Chromium; in Firefox what needs neither downloads nor the clipboard.
const PARTS = [
  [insight, time, inside, cells, unusual, gradients],
  [files, copies, texts, refusals, settings],
  [grammars, tour, lectures],
  [drawn, underlined, fits, seen],
];

async function main(file, folder, command = "") {
  const isFirefox = command.startsWith("firefox");
  const browser = isFirefox ? new Firefox() : new Browser();
  try {
    const size = fs.statSync(file).size;
    assert.ok(size <= 1.2e6, `${size} bytes`);
    if (isFirefox) await browser.start(command);
    const page = await browser.open(file, { width: 1280, height: 900 });
    await ready(page);
    const [first, ofFiles, then, last] = PARTS;
    const parts = isFirefox ? [first, then] : [first, ofFiles, then, last];
    for (const part of parts.flat()) {
      const begin = performance.now();
      await part(page, folder, browser);
      console.log(`${part.name}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    }
    assert.deepStrictEqual(
      isFirefox ? await page.heard() : page.complaints,
      [],
      "the page complains",
    );
    const requests = isFirefox
      ? await page.run(`performance.getEntriesByType("resource").map(({ name }) => name)`)
      : page.requests.slice(1);
    assert.deepStrictEqual(
      requests.filter((url) => !url.startsWith("blob:")),
      [],
      "the page asks for something",
    );
  } finally {
    await browser.close();
  }
}

main(...process.argv.slice(2)).catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
