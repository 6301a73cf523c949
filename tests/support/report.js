// What the HTML report does in a real browser, in the folder of its data. Lines of standard input,
// CHECK TAB FILE ..., are answered by "right" or "failed".
"use strict";
const readline = require("node:readline");
const { Browser } = require("./browser.js");
const figures = require("./report_figures.js");
const pages = require("./report_pages.js");
const viewer = require("./report_viewer.js");

const { whole, scatter } = figures;
const { safe, lens, lesson, place, history, opens, regression } = pages;
const { attributions, detail, labels, leftward } = viewer;
const checks = {
  whole,
  scatter,
  safe,
  lens,
  lesson,
  place,
  history,
  opens,
  regression,
  attributions,
  detail,
  labels,
  leftward,
};

// Each check has cookies and storage of its own, as if the browser had just been installed.
(async () => {
  const browser = new Browser();
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [check, ...words] = line.split("\t");
    const late = setTimeout(() => {
      console.error("the browser does not answer");
      browser.child.kill("SIGKILL");
      process.exit(1);
    }, 120000);
    browser.context = (await browser.send("Target.createBrowserContext")).browserContextId;
    const wrong = await checks[check](browser, ...words).catch((error) => error);
    if (wrong) {
      const complaints = [...browser.pages.values()].flatMap((page) => page.complaints);
      console.error([wrong.message, ...complaints.map((text) => `the page: ${text}`)].join("\n"));
    }
    await browser.send("Target.disposeBrowserContext", { browserContextId: browser.context });
    browser.pages.clear();
    clearTimeout(late);
    console.log(wrong ? "failed" : "right");
  }
  await browser.close();
})();
