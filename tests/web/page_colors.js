// The colors of a page's matrix against those of the SVG of the same pair: page_colors.js PAGE SVG
// ... Each must be equal within the thousandths that a page holds; cells moved by one must not be.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const { Browser } = require("../support/browser.js");

// The filled cells of a picture as [red, green, blue], without paper and scale.
function cellsOf(svg, count) {
  const fills = [...svg.matchAll(/<rect [^>]*fill="#([0-9a-f]{6})"/g)].map(([, hex]) =>
    [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)),
  );
  return fills.slice(1, 1 + count); // the first is the paper
}

// The cells of a page, whose ink is laid on white.
const shown = (page) =>
  page.run(`[...document.querySelectorAll("#panels .cell")].map((cell) => {
    const ink = getComputedStyle(cell).fill.match(/\\d+/g).map(Number);
    return ink.map((part) => 255 + (part - 255) * Number(cell.getAttribute("fill-opacity")));
  })`);

const farthest = (one, other) =>
  Math.max(...one.flatMap((color, i) => color.map((part, k) => Math.abs(part - other[i][k]))));

(async () => {
  const browser = new Browser();
  try {
    for (let i = 2; i < process.argv.length; i += 2) {
      const page = await browser.open(process.argv[i]);
      const drawn = await shown(page);
      const cells = cellsOf(fs.readFileSync(process.argv[i + 1], "utf8"), drawn.length);
      assert.ok(drawn.length > 20 && cells.length === drawn.length, `${drawn.length} cells`);
      assert.ok(
        farthest(drawn, cells) <= 2,
        `${process.argv[i]}: colors are ${farthest(drawn, cells)} apart`,
      );
      assert.ok(farthest([...drawn.slice(1), drawn[0]], cells) > 50, "all cells are alike");
    }
  } finally {
    await browser.close();
  }
})();
