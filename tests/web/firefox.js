// The playground in Firefox: it opens from the disk and learns after one click, in silence. firefox.js PAGE
"use strict";
const assert = require("node:assert");
const { Firefox } = require("../support/firefox.js");

async function main(file, picture) {
  const page = new Firefox();
  try {
    await page.open("firefox-esr", file);
    await page.until(`!document.getElementById("start").disabled`);
    await page.click("#start");
    const figure = (row) => `parseFloat(document.querySelectorAll("#figures td")[${row}]?.textContent)`;
    const order = await page.until(`${figure(8)} > 50`, 60000), right = order + await page.until(`${figure(6)} >= 95`, 120000);
    console.log(`Firefox: word order after ${(order / 1000).toFixed(1)} s, 95 % exact after ${(right / 1000).toFixed(1)} s`);
    await page.click("#start");
    await page.click("#panels .catch:nth-last-child(2)");
    await page.until(`/alpha/.test(document.getElementById("equation").textContent)`);
    if (picture) await page.picture(picture);
    assert.deepStrictEqual(await page.complaints(), [], "the page complains");
    assert.deepStrictEqual(await page.run(`performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => !name.startsWith("blob:"))`), [], "the page asks for something");
  } finally {
    await page.close();
  }
}

main(...process.argv.slice(2)).catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
