// What the tests of the report read from files and from the page.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");

// RFC 4180: a cell in quotes may hold anything.
function parseCsv(text) {
  const cell = /("(?:[^"]|"")*"|[^,\n]*)(,|\n|$)/y;
  const rows = [[]];
  while (cell.lastIndex < text.length) {
    const [, found, end] = cell.exec(text);
    rows.at(-1).push(found.replace(/^"|"$/g, "").replaceAll('""', '"'));
    if (end === "\n" && cell.lastIndex < text.length) rows.push([]);
  }
  return rows;
}

const readCsv = (file) => parseCsv(fs.readFileSync(file, "utf8"));

const heatmap = (file) =>
  readCsv(file)
    .slice(1)
    .flatMap((row) => row.slice(1).map(Number));

// NumPy's .npy of float64: { shape, numbers }.
function readNpy(file) {
  const bytes = fs.readFileSync(file);
  const end = 10 + bytes.readUInt16LE(8);
  const shape = bytes
    .toString("latin1", 10, end)
    .match(/'shape': \(([^)]*)\)/)[1]
    .split(",")
    .filter((part) => part.trim())
    .map(Number);
  return {
    shape,
    numbers: Array.from({ length: (bytes.length - end) / 8 }, (_, i) =>
      bytes.readDoubleLE(end + 8 * i),
    ),
  };
}

const quiet = (page) => {
  assert.deepStrictEqual(page.complaints, [], "the page complains");
  assert.strictEqual(
    page.requests.filter((url) => !url.startsWith("blob:")).length,
    1,
    `requests: ${page.requests}`,
  );
};

// The weights that a panel draws, with the sign of differences.
const drawn = (page, panels, name) =>
  page.run(`(() => {
  const figure = [...document.querySelectorAll("#${panels} figure")].find((one) => one.querySelector("figcaption").textContent.startsWith(${JSON.stringify(name)}));
  return figure && [...figure.querySelectorAll(".cell")].map((cell) => cell.getAttribute("fill-opacity") * (cell.classList.contains("less") ? -1 : 1));
})()`);

const text = (page, selector) =>
  page.run(`document.querySelector(${JSON.stringify(selector)}).textContent`);

const count = (page, selector) =>
  page.run(`document.querySelectorAll(${JSON.stringify(selector)}).length`);

const away = (page) => page.hover("#title");

// The page has thousandths; `roundings` tells how often what is shown was rounded to them.
function near(got, expected, what, roundings = 1) {
  assert.strictEqual(got?.length, expected.length, what);
  expected.forEach((weight, i) =>
    assert.ok(
      Math.abs(got[i] - weight) <= 0.00051 * roundings,
      `${what}: weight ${i} is ${got[i]}, not ${weight}`,
    ),
  );
}

// The weights of the row that a panel highlights, as they stand in its cells; none: no row is.
const lit = (page, number) =>
  page.run(
    `[...document.querySelectorAll("#panels figure")[${number}].querySelectorAll(".value")].map((value) => Number(value.textContent))`,
  );

// The sliders begin at the sharpest layer and head; the tables of compare hold the mean.
const chooseMean = (page) =>
  page.run(
    `for (const id of ["layer", "head"]) { byId(id).value = 0; byId(id).dispatchEvent(new Event("input")); }`,
  );

// No word of a picture is cut at its edge.
const cutWords = (page, selector) =>
  page.run(`[...document.querySelectorAll(${JSON.stringify(selector)})].flatMap((picture) => {
  const edge = picture.getBoundingClientRect();
  return [...picture.querySelectorAll("text")].filter((text) => { const box = text.getBoundingClientRect();
    return box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > edge.bottom + 1; }).map((text) => text.textContent);
})`);

// The figures before the sentences of the list, and the sentences.
const listed = (page) =>
  page.run(
    `[...byId("sentence").options].map((option) => option.textContent.match(/^(\\d+)  (?:\\(([\\d.]+)\\)  )?(.*)$/).slice(1))`,
  );

async function download(browser, page, folder, name) {
  const to = path.resolve("got");
  fs.mkdirSync(to, { recursive: true });
  await browser.send("Browser.setDownloadBehavior", {
    behavior: "allow",
    downloadPath: to,
    browserContextId: browser.context,
  });
  await page.run(
    `[...document.querySelectorAll("#downloads button")].find((button) => button.textContent.endsWith(${JSON.stringify(name)})).click()`,
  );
  for (let tries = 0; tries < 100 && !fs.existsSync(`${to}/${name}`); tries++)
    await new Promise((done) => setTimeout(done, 50));
  return fs.readFileSync(`${to}/${name}`, "utf8");
}

// On a telephone and on a wall nothing stands beside the window.
async function fits(page) {
  for (const width of [390, 1024, 1400, 1920]) {
    await page.resize(width, 800);
    await page.run(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    assert.ok(
      await page.run("document.documentElement.scrollWidth <= innerWidth"),
      `wider than a window of ${width}`,
    );
    if (width >= 1024)
      assert.ok(
        await page.run(
          `document.querySelector("#results .wide").scrollWidth <= document.querySelector("#results .wide").clientWidth`,
        ),
        `the table loses columns at ${width}`,
      );
  }
}

module.exports = {
  away,
  chooseMean,
  count,
  cutWords,
  download,
  drawn,
  fits,
  heatmap,
  listed,
  lit,
  near,
  parseCsv,
  quiet,
  readCsv,
  readNpy,
  text,
};
