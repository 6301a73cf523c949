// What axe-core finds on pages, light and dark, wide and narrow: page_axe.js AXE FILE... On the
// playground also on its stage, on a report also on its slides and in an enlarged row.
"use strict";
const fs = require("node:fs");
const { Browser } = require("../support/browser.js");

const [axe, ...files] = process.argv.slice(2);
const source = fs.readFileSync(axe, "utf8");
const isPlayground = (file) => file.endsWith("playground.html");
const isPaper = (file) => /(papers?|equations)(-\d+)?\.html$/.test(file);

// What opens the scenes of a page, the first being the page itself.
function scenesOf(file) {
  if (isPaper(file)) return { page: "0" };
  if (isPlayground(file)) return { page: "0", stage: `byId("present").click()` };
  const slides = `document.getElementById("project")?.click()`;
  const large = `document.querySelector("#eras button")?.click()`;
  return { page: "0", large, slides };
}

// The contrast of thousands of words of code would take a minute; so a paper's is measured at the
// first text of each color, size and weight on each background.
const SAMPLE = `(() => {
  const seen = new Set();
  return [...document.body.querySelectorAll("*")].filter((node) => {
    if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) return false;
    const { color, fill, fontSize, fontWeight } = getComputedStyle(node);
    const key = [color, fill, fontSize, fontWeight];
    for (let at = node; at; at = at.parentElement) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(at);
      key.push(backgroundColor, backgroundImage, opacity);
    }
    return !seen.has(key.join()) && seen.add(key.join());
  });
})()`;

const ALL = `axe.run(document, { resultTypes: ["violations"] })`;
const ALL_BUT_CONTRAST = `axe.run(document, { resultTypes: ["violations"],
  rules: { "color-contrast": { enabled: false } } })`;
const CONTRAST = `axe.run({ include: ${SAMPLE} }, { resultTypes: ["violations"],
  runOnly: ["color-contrast"] })`;

async function violations(page, run) {
  const found = await page.run(run);
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}

// Trains a little, so that all of the page is there.
async function train(page) {
  await page.until(`!byId("start").disabled`);
  await page.click("#start");
  await page.until("past.moments.length > 2");
  await page.click("#start");
  await page.until("!training.on");
}

async function check(browser, file) {
  const said = [];
  const page = await browser.open(file, { width: 1280, height: 800 });
  await page.run(`{ ${source}\n }`);
  if (isPlayground(file)) await train(page);
  for (const [scene, open] of Object.entries(scenesOf(file))) {
    await page.run(open);
    for (const width of scene === "page" ? [390, 1280] : [1280]) {
      await page.resize(width, 800);
      for (const theme of ["light", "dark"]) {
        await page.run(
          `document.documentElement.dataset.theme = "${theme}"; new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
        );
        const runs = !isPaper(file) ? [ALL] : theme === "light" ? [ALL_BUT_CONTRAST] : [];
        if (isPaper(file) && width > 390) runs.push(CONTRAST);
        for (const run of runs)
          for (const what of await violations(page, run))
            said.push(`${file}, ${scene}, ${width}, ${theme}: ${what}`);
      }
    }
  }
  return said;
}

(async () => {
  const browser = new Browser();
  const said = [];
  for (const file of files) said.push(...(await check(browser, file)));
  await browser.close();
  console.log(said.join("\n"));
  process.exitCode = said.length ? 1 : 0;
})();
