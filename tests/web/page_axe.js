// What axe-core finds on pages, light and dark, wide and narrow: page_axe.js AXE FILE... On the
// playground also on its stage, on a report also on its slides and in an enlarged row.
"use strict";
const fs = require("node:fs");
const { Browser } = require("../support/browser.js");

const [axe, ...files] = process.argv.slice(2);
const source = fs.readFileSync(axe, "utf8");
const isPlayground = (file) => file.endsWith("playground.html");
const isPaper = (file) => /papers?(-\d+)?\.html$/.test(file);

// What opens the scenes of a page, the first being the page itself.
function scenesOf(file) {
  if (isPaper(file)) return { page: "0" };
  if (isPlayground(file)) return { page: "0", stage: `byId("present").click()` };
  const slides = `document.getElementById("project")?.click()`;
  const large = `document.querySelector("#eras button")?.click()`;
  return { page: "0", large, slides };
}

async function violations(page) {
  const found = await page.run(`axe.run(document, { resultTypes: ["violations"] })`);
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}

// Trains a little, so that all of the page is there.
async function train(page) {
  await page.until(`!byId("start").disabled`);
  await page.click("#start");
  await page.until("past.moments.length > 2", 60000);
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
        const found = await violations(page);
        said.push(...found.map((what) => `${file}, ${scene}, ${width}, ${theme}: ${what}`));
      }
    }
  }
  return said;
}

(async () => {
  const browser = new Browser(process.env.CHROMIUM || "chromium");
  const said = [];
  for (const file of files) said.push(...(await check(browser, file)));
  await browser.close();
  console.log(said.join("\n"));
  process.exitCode = said.length ? 1 : 0;
})();
