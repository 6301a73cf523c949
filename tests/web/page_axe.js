// What axe-core finds on pages, light and dark: page_axe.js AXE FILE... Of the playground also on its
// stage, of a report also on its slides and in an enlarged row.
"use strict";
const fs = require("node:fs");
const { Browser } = require("../support/browser.js");

const [axe, ...files] = process.argv.slice(2);

async function found(page) {
  const { violations } = await page.run("axe.run(document, { resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}

// Scenes of a page: a name, and what opens it.
function scenesOf(file) {
  if (/playground\.html$/.test(file))
    return {
      page: `byId("start").click()`,
      stage: `(async () => { await goTo(Infinity); byId("present").click(); })()`,
    };
  return /history/.test(file)
    ? { page: "0", slides: `byId("project").click()`, large: `document.querySelector("#eras button").click()` }
    : { page: "0", slides: `byId("project")?.click()` };
}

(async () => {
  const browser = new Browser(process.env.CHROMIUM || "chromium");
  const source = fs.readFileSync(axe, "utf8");
  let wrong = 0;
  for (const file of files) {
    const page = await browser.open(file, { width: 1280, height: 800 });
    await page.run(`(0, eval)(${JSON.stringify("0")})`).catch(() => {});
    await page.run(`{ ${source}\n }`);
    if (/playground\.html$/.test(file)) await page.until(`!byId("start").disabled`);
    for (const [scene, open] of Object.entries(/\.html$/.test(file) ? scenesOf(file) : {})) {
      await page.run(`typeof softalign === "undefined" ? 0 : ${open}`);
      if (scene === "page" && /playground\.html$/.test(file)) {
        await page.until("past.moments.length > 2");
        await page.run(`byId("start").click()`);
      }
      for (const theme of ["light", "dark"]) {
        await page.run(`document.documentElement.dataset.theme = "${theme}"; new Promise((done) => setTimeout(done, 300))`);
        for (const what of await found(page)) {
          console.log(`${file}, ${scene}, ${theme}: ${what}`);
          wrong++;
        }
      }
    }
    if (file !== files.at(-1)) await page.send("Page.close").catch(() => {});
  }
  await browser.close();
  process.exit(wrong ? 1 : 0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
