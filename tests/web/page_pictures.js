// Whether figures keep the rules of picture_rules.js:
//   page_pictures.js CHARTS FILM REGRESSION POINTS SIGNED FIGURE...
// Each is FIGURE.html and FIGURE/0001.svg, SIGNED of both signs, the next with gold links; CHARTS
// is a page of the history, FILM one of a training, REGRESSION one of a kernel, POINTS one of
// annotations. And whether the rules find what breaks them.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { Browser } = require("../support/browser.js");

const rules = fs.readFileSync(require.resolve("./picture_rules.js"), "utf8");
const WINDOW = { width: 1920, height: 1080 };

// Violations that are planted in the page and in the SVG of a figure with gold links: what does it,
// and what is said then.
const PAGE = [
  [`one(".matrix .word").setAttribute("font-size", 8)`, /^size: matrix 1: '.*' has \d+\.\d pixels/],
  [`one(".bands .word").setAttribute("font-size", 8)`, /^size: bands 1/],
  [`one(".matrix .word").setAttribute("y", -90)`, /^overlap: matrix 1: '.*' leaves the picture/],
  [
    `put(every(".matrix .row .word")[1], one(".matrix .row .word"))`,
    /^overlap: matrix 1: '.*' and '/,
  ],
  [`one(".matrix .axis").setAttribute("y", 250)`, /^overlap: matrix 1: 'source' is on a cell/],
  [`every(".matrix .shade").forEach((node) => node.remove())`, /^explained: matrix 1: no scale/],
  [
    `every(".matrix .scale").forEach((node) => node.remove())`,
    /^explained: .* scale has 0 numbers/,
  ],
  [`one(".matrix .scale + .small:not(.scale)").remove()`, /^explained: .* has no name/],
  [
    `every(".matrix .small:not(.scale)").filter((node) => !isNaN(node.textContent)).forEach((node) => node.remove())`,
    /^explained: matrix 1, entropy: bars have 0 numbers/,
  ],
  [
    `every(".matrix .small").find((node) => node.textContent === "coverage: sum of weights").remove()`,
    /^explained: matrix 1, coverage: bars have no name/,
  ],
  [`one(".matrix .cell").style.fill = "red"`, /^explained: matrix 1: the scale has no color 255/],
  [`every(".matrix .outline.possible").forEach((node) => node.remove())`, /^explained: .* dashed$/],
  [`every(".bands .sample").forEach((node) => node.remove())`, /^explained: bands 1: no key/],
  [
    `every(".bands .axis").find((node) => /width/.test(node.textContent)).remove()`,
    /^explained: bands 1: sides and widths have 2 names/,
  ],
  [`every(".bands .band")[0].style.strokeWidth = 60`, /^scale: bands 1: a band is wider/],
  [
    `every(".matrix .cell").forEach((node) => node.setAttribute("fill-opacity", 1))`,
    /^scale: .* last color/,
  ],
  [`document.body.style.width = "2500px"`, /^overlap: the page is wider/],
];
const SIGNED = [
  [`one(".matrix .scale").textContent = "0"`, /^scale: matrix 1: from 0 to /],
  [`every(".matrix .less.shade").forEach((node) => node.remove())`, /^explained: .* has no color/],
];
const FILE = [
  [`every("text")[3].setAttribute("font-size", 13)`, /^size: file/],
  [`put(every("text")[1], every("text")[0])`, /^overlap: file/],
  [
    `every("rect").filter((node) => node.getAttribute("width") === "12").forEach((node) => node.remove())`,
    /^explained: file: no scale/,
  ],
  [
    `every("rect").filter((node) => node.getAttribute("width") === "10")[1].remove()`,
    /^explained: file: no key of the outline .* dashed/,
  ],
  [
    `every("rect").filter((node) => node.getAttribute("width") === "40").forEach((node) => node.setAttribute("fill", "#000000"))`,
    /^scale: file/,
  ],
];
const CHARTS = [
  [`one(".chart .axis").remove()`, /^explained: chart 1: an axis has no name/],
  [
    `every(".chart text").filter((node) => node.getAttribute("text-anchor") === "end").forEach((node) => node.remove())`,
    /^explained: chart 1: an axis has no numbers/,
  ],
  [`one(".chart text").style.fontSize = "8px"`, /^size: chart 1/],
  [`put(every(".chart text")[1], one(".chart text"))`, /^overlap: chart 1/],
  [`one(".chart .curve").style.stroke = "#010203"`, /^explained: chart 1: no key of the line/],
  [`one("#lengths .note").remove()`, /^explained: chart 1: .* what is shaded/],
  [`one(".chart .curve").setAttribute("transform", "translate(0 300)")`, /^scale: .* leaves/],
  [
    `every(".chart :is(.curve, .spread)").forEach((node) => node.setAttribute("transform", "translate(0 250) scale(1 0.1)"))`,
    /^scale: chart 1: its lines are low/,
  ],
  [`one("#bar-rows p").remove()`, /^explained: bars 1: .* full width/],
  [`every("#bar-rows i").at(-1).style.width = "3%"`, /^scale: bars 1: a bar is not as long/],
  [`one("#bars-key").remove()`, /^explained: bars 1: no key of the ticks/],
  [`every("#bar-rows .label")[0].style.fontSize = "9px"`, /^size: bars 1/],
  [
    `one("#eras .above").remove(); every("#eras .above").forEach((node) => node.remove())`,
    /^explained: cards/,
  ],
  [`one("#eras canvas").style.height = "20px"`, /^scale: cards: cells are not square/],
  [`one("#history .key").remove()`, /^explained: cards: nothing says what is black/],
];
const FILM = [[`one(".chart .now text").remove()`, /^explained: chart \d: the line of the moment/]];
const REGRESSION = [
  [`one(".chart text").textContent = "5e-10"`, /^scale: chart 1: numbers with exponents/],
  [
    `every(".strip .more").forEach((node) => node.classList.remove("more"))`,
    /^explained: strip: one color for both signs/,
  ],
  [
    `one(".strip").parentElement.querySelector(".note").remove()`,
    /^explained: strip: nothing says what colors mean/,
  ],
  [`every(".chart .axis").slice(1).forEach((node) => node.remove())`, /^explained: .* has no name/],
  [
    `every(".chart text").filter((node) => node.getAttribute("text-anchor") === "middle").forEach((node) => node.remove())`,
    /^explained: chart 1: an axis has no numbers/,
  ],
];
const POINTS = [
  [`one("#scatter .axis").remove()`, /^explained: points 1: a direction has no name/],
  [`put(every("#scatter text")[3], every("#scatter text")[2])`, /^overlap: points 1/],
  [
    `one("#scatter .axis").setAttribute("x", one("#scatter .point").cx.baseVal.value + 9); one("#scatter .axis").setAttribute("y", one("#scatter .point").cy.baseVal.value + 4)`,
    /^overlap: points 1: '.*' is on a point/,
  ],
];
const TOOLS = `const every = (selector) => [...document.querySelectorAll(selector)], one = (selector) => every(selector)[0],
  put = (node, at) => ["x", "y", "transform"].forEach((name) =>
    at.hasAttribute(name) ? node.setAttribute(name, at.getAttribute(name)) : node.removeAttribute(name));`;

// Shows a file in the one page of this test.
async function show(page, file) {
  const loaded = page.once("Page.loadEventFired");
  await page.send("Page.navigate", { url: `file://${path.resolve(file)}` });
  await loaded;
  await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

// Plants each violation alone. Returns those that are not found.
async function missed(page, file, plants) {
  const out = [];
  for (const [plant, found] of plants) {
    await show(page, file);
    await page.run(`{ ${TOOLS} ${plant}; }`);
    const said = await page.run(rules);
    if (!said.some((what) => found.test(what)))
      out.push(`${file}: '${plant}' is not found: ${said.join("; ")}`);
  }
  return out;
}

(async () => {
  const [charts, film, regression, points, signed, ...figures] = process.argv.slice(2);
  const browser = new Browser();
  try {
    const page = await browser.open(`${figures[0]}.html`, WINDOW);
    const said = [];
    const both = [signed, ...figures].flatMap((figure) => [`${figure}.html`, `${figure}/0001.svg`]);
    const others = [charts, film, regression, points].map((name) => `${name}.html`);
    for (const file of [...others, ...both]) {
      await show(page, file);
      said.push(...(await page.run(rules)).map((what) => `${file}: ${what}`));
    }
    said.push(
      ...(await missed(page, `${charts}.html`, CHARTS)),
      ...(await missed(page, `${film}.html`, FILM)),
      ...(await missed(page, `${regression}.html`, REGRESSION)),
      ...(await missed(page, `${points}.html`, POINTS)),
      ...(await missed(page, `${figures[0]}.html`, PAGE)),
      ...(await missed(page, `${signed}.html`, SIGNED)),
      ...(await missed(page, `${figures[0]}/0001.svg`, FILE)),
    );
    console.log(said.join("\n"));
    process.exitCode = said.length ? 1 : 0;
  } finally {
    await browser.close();
  }
})();
