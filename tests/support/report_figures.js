// The figures of the report: films, bars, curves, tables, downloads, colors.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const {
  chooseMean,
  count,
  download,
  drawn,
  fits,
  heatmap,
  near,
  quiet,
  readCsv,
  text,
} = require("./report_tools.js");
const { difference, looking, parts, sentences } = require("./report_viewer.js");

async function films(page, folder, model) {
  const frames = fs.readdirSync(`${folder}/${model.replaceAll(":", "-")}-s1/film/0001`).sort();
  const frame = (i) =>
    heatmap(`${folder}/${model.replaceAll(":", "-")}-s1/film/0001/${frames.at(i)}`);
  assert.strictEqual(
    await page.run(`Number(document.querySelector("#frame").max)`),
    frames.length - 1,
  );
  near(await drawn(page, "scenes", model), frame(-1), "the last frame");
  await page.run(`document.querySelector("#frame").focus()`);
  await page.key("Home");
  near(await drawn(page, "scenes", model), frame(0), "the first frame");
  assert.strictEqual(await text(page, "#caption"), "before the first update");
  await page.key("ArrowRight");
  near(await drawn(page, "scenes", model), frame(1), "the next frame");
  assert.strictEqual(
    await text(page, "#caption"),
    `update ${Number(frames[1].replace(".csv", ""))}`,
  );
  await page.run(`byId("seconds").value = 5`);
  await page.click("#play");
  await page.run(
    `new Promise((done) => { const wait = setInterval(() => { if (document.querySelector("#frame").value > 2) { clearInterval(wait); done(); } }, 20); })`,
  );
  await page.click("#play");
  const paused = await page.run(`document.querySelector("#frame").value`);
  await page.run("new Promise((done) => setTimeout(done, 600))");
  assert.strictEqual(
    await page.run(`document.querySelector("#frame").value`),
    paused,
    "a paused film goes on",
  );
}

async function filmedHeads(page, folder, model) {
  const of = (part) =>
    heatmap(`${folder}/${model.replaceAll(":", "-")}-s1/film/0001/${part}00000001.csv`);
  await page.run(`document.querySelector("#frame").focus()`);
  await page.key("Home");
  await page.key("ArrowRight");
  await page.run(`document.querySelector("#film-head").focus()`);
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  near(await drawn(page, "scenes", model), of("head-2/"), "head 2 of a frame");
  await page.key("Home");
  near(await drawn(page, "scenes", model), of(""), "the mean of a frame");
}

// Bars are as long as the figures of the chosen column.
async function bars(page, models, header, rows) {
  const scored = rows.some((row) => Number(row[header.indexOf("bleu")]) > 0);
  const first = await page.run(`document.querySelector("#column").value`);
  assert.strictEqual(first, scored ? "bleu" : "exact", "the first bars");
  await page.run(`setControl("column", "loss")`);
  const loss = (model) =>
    Number(rows.find((row) => row[0] === model && row[1] === "median")[header.indexOf("loss")]);
  const drawn = await page.run(
    `[...document.querySelectorAll("#bar-rows > div")].map((row) => [row.querySelector(".label").textContent, row.querySelector("i").getBoundingClientRect().width / row.querySelector(".track").getBoundingClientRect().width])`,
  );
  const most = Math.max(...models.map(loss));
  assert.strictEqual(drawn.length, models.length, "bars");
  for (const [model, share] of drawn)
    assert.ok(Math.abs(share - loss(model) / most) < 0.01, `the bar of ${model} is ${share}`);
}

// The table: BLEU of the file, the best of each column, sorted by a click.
async function results(page, header, rows) {
  const bleu = (model) =>
    Number(
      rows.find((row) => row[0] === model && row[1] === "median")[header.indexOf("bleu")],
    ).toFixed(2);
  const shown = () =>
    page.run(
      `[...document.querySelectorAll("#results tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent))`,
    );
  const titles = await page.run(
    `[...document.querySelectorAll("#results th")].map((cell) => cell.textContent)`,
  );
  const untold = await page.run(
    `[...document.querySelectorAll("#results thead th")].map((cell) => cell.textContent)
      .filter((title) => ![...document.querySelectorAll("#results-note dt")].some((term) => term.textContent === title))`,
  );
  assert.deepStrictEqual(untold, ["model", "updates"], "columns that nothing explains");
  const at = titles.indexOf("BLEU");
  for (const row of await shown()) assert.strictEqual(row[at], bleu(row[0]), "BLEU in the table");
  for (const [title, best] of [
    ["loss", Math.min],
    ["BLEU", Math.max],
  ]) {
    const place = titles.indexOf(title);
    const marked = await page.run(
      `[...document.querySelectorAll("#results td.best:nth-child(${place + 1})")].map((cell) => Number(cell.textContent))`,
    );
    assert.deepStrictEqual(
      [...new Set(marked)],
      [best(...(await shown()).map((row) => Number(row[place])))],
      `the best ${title}`,
    );
  }
  await page.click(`#results th:nth-child(${at + 1}) button`);
  const sorted = (await shown()).map((row) => Number(row[at]));
  assert.deepStrictEqual(
    sorted,
    [...sorted].sort((a, b) => b - a),
    "sorted by BLEU",
  );
}

// Curves under the cursor, and BLEU by length with its bands.
async function curvesAndLengths(page, folder, models) {
  assert.strictEqual(await count(page, "#curves path.curve"), models.length);
  await page.run(`document.querySelector("#curves svg").focus()`);
  await page.key("Home");
  const curves = readCsv(`${folder}/curves.csv`);
  const first = curves.find((row) => row[0] === models[0]);
  assert.match(await text(page, "#curves .tip"), new RegExp(`^${first[2]} updates`));
  assert.deepStrictEqual(
    await page.run(
      `[...document.querySelectorAll("#curves svg > .axis")].map((name) => name.textContent)`,
    ),
    ["updates", "validation loss, nats per word"],
  );
  assert.ok(
    (await text(page, "#curves .tip")).includes(`${Number(first[5]).toFixed(4)}  ${models[0]}`),
    "the curve under the cursor",
  );
  const spans = readCsv(`${folder}/bylength.csv`).slice(1);
  assert.strictEqual(await count(page, "#lengths .point"), spans.length);
  assert.strictEqual(await count(page, "#lengths path.spread"), models.length);
  for (const [, , , , middle, low, high] of spans)
    assert.ok(
      Number(low) <= Number(middle) && Number(middle) <= Number(high),
      "BLEU outside its band",
    );
}

async function figures(page, folder, models) {
  const [header, ...rows] = readCsv(`${folder}/table.csv`);
  await results(page, header, rows);
  await curvesAndLengths(page, folder, models);
  await bars(page, models, header, rows);
  await page.click("#models button");
  assert.strictEqual(await count(page, "#results tbody tr"), models.length - 1);
  assert.strictEqual(await count(page, "#curves path.curve"), models.length - 1);
  await page.click("#models button");
}

// The distance of two colors in CIELAB, as people see them whose red, green or blue cones are
// missing (Machado et al. 2009) or not.
const visions = [
  [1, 0, 0, 0, 1, 0, 0, 0, 1],
  [0.152, 1.053, -0.205, 0.115, 0.786, 0.099, -0.004, -0.048, 1.052],
  [0.367, 0.861, -0.228, 0.28, 0.673, 0.047, -0.012, 0.043, 0.969],
  [1.256, -0.077, -0.179, -0.078, 0.931, 0.148, 0.005, 0.691, 0.304],
];

function lab(color, vision) {
  const rgb = color
    .match(/[\d.]+/g)
    .slice(0, 3)
    .map((part) => part / 255)
    .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  const times = (m, v) =>
    [0, 1, 2].map((i) => m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2]);
  const xyz = times(
    [0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505],
    times(vision, rgb),
  );
  const [x, y, z] = [xyz[0] / 0.9505, xyz[1], xyz[2] / 1.0888].map((t) =>
    t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116,
  );
  return [116 * y, 500 * (x - y), 200 * (y - z)];
}

async function colors(page) {
  const shown = await page.run(
    `[...document.querySelectorAll("#models line")].map((line) => getComputedStyle(line).stroke)`,
  );
  assert.ok(shown.length === 8, `${shown.length} models`);
  for (const vision of visions)
    shown.forEach((one, i) =>
      shown.slice(0, i).forEach((other) => {
        const [a, b] = [lab(one, vision), lab(other, vision)];
        const distance = Math.hypot(...a.map((x, k) => x - b[k]));
        assert.ok(distance > 12, `${one} and ${other} look alike (${distance.toFixed(1)})`);
      }),
    );
}

async function looks(page) {
  const paper = () => page.run("getComputedStyle(document.documentElement).backgroundColor");
  await page.look("light");
  const light = await paper();
  await colors(page);
  await page.look("dark");
  const dark = await paper();
  await colors(page);
  assert.notStrictEqual(light, dark);
  await page.click("#theme");
  assert.strictEqual(await paper(), light, "the switch of the page");
  await page.look("print");
  assert.strictEqual(
    (await count(page, "#viewer .controls")) &&
      (await page.run(`getComputedStyle(document.querySelector("#viewer .controls")).display`)),
    "none",
    "controls on paper",
  );
  assert.strictEqual(
    await page.run("getComputedStyle(document.documentElement).colorScheme"),
    "light",
    "paper is light",
  );
  await page.look("light");
  await fits(page);
}

// whole PAGE FOLDER PAIRS LAYERED MANY-HEADS MODEL ...: everything that a page of compare does
async function whole(browser, file, folder, pairs, layered, manyHeads, ...models) {
  const page = await browser.open(file);
  const size = fs.statSync(file).size;
  assert.ok(size < 5e6, `${size} bytes`);
  console.error(`${(size / 1e6).toFixed(2)} MB, open after ${page.milliseconds.toFixed(0)} ms`);
  const lines = fs.readFileSync(pairs, "utf8").trimEnd().split("\n");
  await chooseMean(page);
  await looking(page, folder, models);
  await sentences(page, folder, models, lines);
  await parts(page, folder, manyHeads, layered);
  await difference(page, folder, models);
  await films(page, folder, models[0]);
  await filmedHeads(page, folder, manyHeads);
  await figures(page, folder, models);
  for (const name of ["table.csv", "curves.csv", "bylength.csv"])
    assert.strictEqual(
      await download(browser, page, folder, name),
      fs.readFileSync(`${folder}/${name}`, "utf8"),
      name,
    );
  assert.match(
    await download(browser, page, folder, "attention.csv"),
    /^model,sentence,t,target,s,source,weight\n/,
  );
  assert.ok(await page.run(`byId("budgets").hidden`), "equal updates are noted");
  await page.run(
    `{ page.files["table.csv"] = page.files["table.csv"].replace(/^(${models[0]},median,\\d+,[^,]*,)(\\d+)/m, (_, before, count) => before + 2 * count); addBudgets(); }`,
  );
  assert.match(
    await text(page, "#budgets"),
    new RegExp(`^Updates differ: ${models[0]} 100, ${models[1]} 50,`),
  );
  await looks(page);
  quiet(page);
}

// scatter PAGE JSONL: the vectors of three words lie in a plane, so points are as far apart as
// they
async function scatter(browser, file, jsonl) {
  const page = await browser.open(file);
  const rows = fs.readFileSync(jsonl, "utf8").trim().split("\n").map(JSON.parse);
  const layers = [...new Set(rows.map(({ layer }) => layer))];
  const far = (a, b) => Math.hypot(...a.map((x, d) => x - b[d]));
  const shown =
    await page.run(`[...document.querySelectorAll("#scatter figure")].map((figure) => [figure.querySelector("figcaption").textContent,
    [...figure.querySelectorAll("circle")].map((point) => [Number(point.getAttribute("cx")), Number(point.getAttribute("cy"))]), [...figure.querySelectorAll("text:not(.axis)")].map((text) => text.textContent)])`);
  assert.strictEqual(shown.length, layers.length);
  for (const [i, [caption, points, names]] of shown.entries()) {
    const own = rows.filter(({ layer }) => layer === layers[i]);
    const scale = far(points[0], points[1]) / far(own[0].vector, own[1].vector);
    assert.strictEqual(
      caption,
      `${i ? `after layer ${i}` : "before the first layer"} 100 % of the variance`,
    );
    assert.deepStrictEqual(
      names,
      own.map(({ sentence, position }) => `${sentence}:${position}`),
    );
    for (const [a, b] of [
      [0, 2],
      [1, 2],
    ])
      assert.ok(
        Math.abs(far(points[a], points[b]) / scale / far(own[a].vector, own[b].vector) - 1) < 0.01,
        `layer ${i}: ${a} and ${b}`,
      );
  }
}

module.exports = { scatter, whole };
