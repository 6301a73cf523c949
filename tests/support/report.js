// What the HTML report does in a real browser, in the folder of its data. Lines of standard input,
// CHECK TAB FILE ..., are answered by "right" or "failed".
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const { Browser } = require("./browser.js");

// ---- The files beside the page

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

// ---- The page

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

// ---- Checks

// The sliders begin at the decisive layer and head; the tables of compare hold the mean.
const chooseMean = (page) =>
  page.run(
    `for (const id of ["layer", "head"]) { byId(id).value = 0; byId(id).dispatchEvent(new Event("input")); }`,
  );

async function looking(page, folder, models) {
  const first = models[0].replaceAll(":", "-");
  const weights = heatmap(`${folder}/matrices/${first}/0001.csv`);
  const columns = readCsv(`${folder}/matrices/${first}/0001.csv`)[0].length - 1;
  for (const model of models)
    near(
      await drawn(page, "panels", model),
      heatmap(`${folder}/matrices/${model.replaceAll(":", "-")}/0001.csv`),
      model,
    );
  const row = (t) => weights.slice(t * columns, (t + 1) * columns);

  // A cell's number has two decimals, of thousandths.
  const shows = async (t, what) => near(await lit(page, 0), t === null ? [] : row(t), what, 12);
  const rowOf = (t) => `#panels .catch:nth-last-child(${weights.length / columns - t})`;
  await page.hover(rowOf(1));
  await shows(1, "the row under the mouse");
  assert.ok(
    (await text(page, "#equation")).startsWith(`${models[0]}: α2,`),
    await text(page, "#equation"),
  );
  assert.strictEqual(await count(page, "#panels .matrix.looking"), models.length);
  assert.deepStrictEqual(
    await page.run(
      `[...document.querySelector("#panels .matrix").querySelectorAll(":scope > .word")].map((word) => word.classList.contains("seen"))`,
    ),
    row(1).map((weight) => weight >= 0.2),
    "the words it looks at",
  );
  await away(page);
  await shows(null, "after the mouse");

  await page.click(rowOf(2));
  await page.run("document.activeElement.blur()");
  await away(page);
  await shows(2, "a pinned row");
  assert.strictEqual(await page.run("view.pinned"), 2);
  await page.click(rowOf(2));
  await page.run("document.activeElement.blur()");
  await away(page);
  await shows(null, "a row let go");

  await page.run(`document.querySelector("#panels .matrix").focus()`);
  await shows(0, "the matrix with the focus");
  await page.key("ArrowDown");
  await shows(1, "the arrow key");
  await page.key("Enter");
  await page.key("End");
  await shows(weights.length / columns - 1, "the End key");
  await page.run("document.activeElement.blur()");
  await shows(1, "a row pinned by Enter");
  await page.run(`document.querySelector("#panels .matrix").focus()`);
  await page.key("Escape");
  await page.run("document.activeElement.blur()");
  await shows(null, "Escape");
}

async function sentences(page, folder, models, pairs) {
  const gold = pairs[0].split("\t")[2].split(" ").length;
  assert.strictEqual(
    await page.run(`document.querySelector("#panels figure").querySelectorAll(".gold").length`),
    gold,
    "gold outlines",
  );
  await page.click("#gold");
  assert.strictEqual(await count(page, '.gold:not([visibility="hidden"])'), 0);
  await page.click("#gold");
  await page.click("#after");
  near(
    await drawn(page, "panels", models[0]),
    heatmap(`${folder}/matrices/${models[0].replaceAll(":", "-")}/0002.csv`),
    "the next sentence",
  );
  await page.run(`document.querySelector("#sentence").focus()`);
  await page.key("ArrowDown");
  near(
    await drawn(page, "panels", models[0]),
    heatmap(`${folder}/matrices/${models[0].replaceAll(":", "-")}/0003.csv`),
    "the sentence of the list",
  );
  await page.click("#before");
  await page.click("#before");
  assert.strictEqual(await page.run(`document.querySelector("#before").disabled`), true);
  assert.strictEqual(await count(page, "#sentence option"), pairs.length);
}

async function parts(page, folder, manyHeads, layered) {
  await page.run(`document.querySelector("#head").focus()`);
  await page.key("Home");
  assert.strictEqual(await text(page, "#heads output"), "decisive");
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  assert.strictEqual(await text(page, "#heads output"), "2");
  near(await drawn(page, "panels", manyHeads), heatmap("head2/0001.csv"), "head 2");
  await chooseMean(page);
  await page.run(`document.querySelector("#layer").focus()`);
  await page.key("ArrowRight");
  near(await drawn(page, "panels", layered), heatmap("layer1/0001.csv"), "layer 1", 2);
  await page.key("ArrowLeft");
  near(
    await drawn(page, "panels", layered),
    heatmap(`${folder}/matrices/${layered}/0001.csv`),
    "the mean of all layers",
  );
}

async function difference(page, folder, models) {
  const choose = (id, name) =>
    page.run(`(() => { const list = document.querySelector("#${id}");
    list.value = [...list.options].find((option) => option.textContent === ${JSON.stringify(name)}).value; list.dispatchEvent(new Event("change")); })()`);
  await choose("minuend", models[0]);
  await choose("subtrahend", models[1]);
  const of = (model) => heatmap(`${folder}/matrices/${model.replaceAll(":", "-")}/0001.csv`);
  const other = of(models[1]);
  const got = await drawn(page, "panels", `${models[0]} − ${models[1]}`);
  of(models[0]).forEach((weight, i) =>
    assert.ok(Math.abs(got[i] - (weight - other[i])) <= 0.0016, "difference"),
  );
  await choose("subtrahend", "none");
  assert.strictEqual(await drawn(page, "panels", `${models[0]} − ${models[1]}`), undefined);
}

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

// The layer and head with the least AER over all pairs, counted from 1, and its matrices.
function leastError(arrays, pairs) {
  const [layers, heads] = arrays[0].shape;
  let best = { aer: Infinity };
  for (let part = 0; part < layers * heads; part++) {
    let found = 0;
    let all = 0;
    const matrices = arrays.map(({ shape: [, , T, S], numbers }) => ({
      T,
      S,
      weights: numbers.slice(part * T * S, (part + 1) * T * S),
    }));
    matrices.forEach(({ T, S, weights }, i) => {
      const gold = new Set(pairs[i].split("\t")[2].split(" "));
      all += T - 1 + [...gold].filter((link) => link.includes("-")).length;
      for (let t = 0; t < T - 1; t++) {
        const row = weights.slice(t * S, t * S + S - 1);
        const s = row.indexOf(Math.max(...row));
        found += gold.has(`${s}-${t}`) ? 2 : gold.has(`${s}p${t}`) ? 1 : 0;
      }
    });
    if (1 - found / all < best.aer)
      best = {
        aer: 1 - found / all,
        layer: 1 + Math.floor(part / heads),
        head: 1 + (part % heads),
        matrices,
      };
  }
  return best;
}

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

async function figures(page, folder, models) {
  const [header, ...rows] = readCsv(`${folder}/table.csv`);
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

  assert.strictEqual(await count(page, "#curves path.curve"), models.length);
  await page.run(`document.querySelector("#curves svg").focus()`);
  await page.key("Home");
  const curves = readCsv(`${folder}/curves.csv`);
  const first = curves.find((row) => row[0] === models[0]);
  assert.match(await text(page, "#curves .tip"), new RegExp(`^${first[2]} updates`));
  assert.deepStrictEqual(
    await page.run(
      `[...document.querySelectorAll("#curves .axis")].map((name) => name.textContent)`,
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

  await bars(page, models, header, rows);
  await page.click("#models button");
  assert.strictEqual(await count(page, "#results tbody tr"), models.length - 1);
  assert.strictEqual(await count(page, "#curves path.curve"), models.length - 1);
  await page.click("#models button");
}

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

// The weights that a page gives out as CSV: no word is a formula, and none is lost.
function safeTable(table, expected) {
  const rows = parseCsv(table).slice(1);
  const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
  const word = (cell) => (/^'/.test(cell) && formula.test(cell.slice(1)) ? cell.slice(1) : cell);
  const seen = new Map(rows.map(([, sentence, t, target]) => [`${sentence} ${t}`, target]));
  for (const [i, sentence] of expected.entries())
    sentence.target.forEach((text, t) =>
      assert.strictEqual(word(seen.get(`${i + 1} ${t}`)), text, "a word of attention.csv"),
    );
  for (const [, , , target, , source] of rows)
    for (const cell of [target, source]) assert.doesNotMatch(cell, /^[=+\-@\t\r\n＝＋－＠]/);
}

// The figure, then each question before its answer, by keys alone; Escape leaves.
async function slideShow(page, figure) {
  const seen = () =>
    page.run(`[[...document.querySelectorAll("main > section, #notes > *")].filter((node) => node.checkVisibility()).map((node) => node.id || node.querySelector("b")?.textContent),
    document.querySelector("#notes .current details")?.open]`);
  await page.run("document.activeElement.blur()");
  await page.key("s");
  assert.deepStrictEqual(await seen(), [[figure], null]);
  const shown = [
    ["Question", false],
    ["Question", true],
    ["Exercise", false],
    ["Exercise", true],
  ];
  for (const [kind, isOpen] of shown) {
    await page.key("ArrowRight");
    assert.deepStrictEqual(await seen(), [["notes", kind], isOpen]);
  }
  await page.key("ArrowLeft");
  assert.deepStrictEqual(await seen(), [["notes", "Exercise"], false]);
  await page.key("Escape");
  assert.ok((await seen())[0].length > 3, "Escape does not leave the slides");
  await page.run(`document.querySelector("#notes summary").focus()`);
  await page.key("Tab");
}

const checks = {
  // whole PAGE FOLDER PAIRS LAYERED MANY-HEADS MODEL ...: everything that a page of compare does
  async whole(browser, file, folder, pairs, layered, manyHeads, ...models) {
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
  },

  // safe PAGE WORDS: nothing of the corpus is more than text. WORDS: JSON lines of align.
  async safe(browser, file, words) {
    const page = await browser.open(file);
    const kinds =
      "[...new Set([...document.querySelectorAll('*')].map((node) => node.localName))].sort().join(' ')";
    const allowed =
      /^(html|head|meta|title|style|body|header|h1|h2|p|button|nav|svg|line|main|noscript|section|dialog|div|table|thead|tbody|tr|th|td|label|input|select|option|span|bdi|sub|code|a|em|pre|wbr|output|figure|figcaption|rect|g|text|path|circle|details|summary|ul|li|footer|script|b|i|progress|canvas)$/;
    const foreign = async () =>
      (await page.run(kinds)).split(" ").filter((kind) => !allowed.test(kind));
    const data = fs
      .readFileSync(file, "utf8")
      .match(/<script id="data" type="application\/json">([^]*?)<\/script>/)[1];
    assert.doesNotMatch(data, /[<>&\u0080-\uffff]/);
    const expected = fs
      .readFileSync(words, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.ok(new Set(expected.flatMap((sentence) => sentence.target)).size >= 200, "few payloads");
    const viewed = await count(page, "#sentence option");
    const filmed = await count(page, "#scene option");
    assert.ok(
      viewed + filmed > 0 && (!viewed || viewed === expected.length),
      `${viewed} sentences`,
    );
    for (const [i, sentence] of expected.entries()) {
      if (i < viewed) await page.run(`chooseSentence(${i})`);
      if (i < filmed) await page.run(`{ byId("scene").value = ${i}; drawScenes(); }`);
      if (i < viewed) {
        const shown = await page.run(
          `[...document.querySelector("#panels .matrix").querySelectorAll(".row > .word")].map((label) => label.lastChild.textContent)`,
        );
        assert.deepStrictEqual(
          shown,
          await page.run(`${JSON.stringify(sentence.target)}.map((text) => clipped(text, 18))`),
        );
        sentence.target.forEach((word, t) => {
          if (/^[!-~]{1,17}$/.test(word)) assert.strictEqual(shown[t], word);
        });
      }
      if (i < viewed) await page.run("view.over = 0; updateHighlight()");
      assert.deepStrictEqual(await foreign(), [], "the corpus made elements");
      assert.doesNotMatch(
        await page.run("document.body.innerText"),
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
      );
    }
    await fits(page);
    if (viewed) safeTable(await page.run("tidy()"), expected);
    assert.strictEqual(await page.run("typeof window.pwned"), "undefined");
    quiet(page);
  },

  // attributions PAGE METHOD ...: the methods side by side with their names, instead of heads.
  async attributions(browser, file, ...methods) {
    const page = await browser.open(file, { width: 1024, height: 768 });
    const names = await page.run(
      `[...document.querySelectorAll("#thumbs button span")].map((node) => node.firstChild.textContent)`,
    );
    assert.deepStrictEqual(names, methods);
    assert.ok((await text(page, "#heads")).startsWith("method "));
    await page.click('#thumbs [data-part="1.2"]');
    assert.strictEqual(await text(page, "#heads output"), methods[1]);
    assert.ok((await text(page, "figcaption")).includes(methods[1]));
    quiet(page);
  },

  // detail PAGE HEADS JSONL PAIRS: one model with heads: bands, thumbnails, equation, list. HEADS:
  // of --all-heads.
  async detail(browser, file, folder, jsonl, tsv) {
    const page = await browser.open(file, { width: 1024, height: 768 });
    const pairs = fs.readFileSync(tsv, "utf8").trimEnd().split("\n");
    const arrays = pairs.map((_, i) => readNpy(`${folder}/${String(i + 1).padStart(4, "0")}.npy`));
    const [layers, heads, T, S] = arrays[0].shape;
    const best = leastError(arrays, pairs);
    const first = best.matrices[0].weights;
    near(await drawn(page, "panels", ""), first, "the page opens at the head of the least AER");
    assert.ok(
      (await text(page, "figcaption")).includes(
        `layer ${best.layer} of ${layers}, head ${best.head} of ${heads}`,
      ),
    );
    assert.strictEqual(
      await text(page, "#thumbs .decisive span").then((name) => name.split("AER")[0]),
      `head ${best.head}`,
    );
    assert.deepStrictEqual(
      await page.run(
        `[".matrix", ".bands"].map((name) => [...document.querySelectorAll(name + " .axis")].map((node) => node.textContent))`,
      ),
      [
        ["source", "target"],
        ["source", "target"],
      ],
    );
    assert.deepStrictEqual(
      await page.run(
        `[...document.querySelectorAll(".matrix .scale")].map((node) => node.textContent)`,
      ),
      ["0", "0.5", "1"],
    );
    assert.strictEqual(
      await page.run(
        `getComputedStyle(document.querySelector(".cell")).fill + getComputedStyle(document.querySelector(".field")).fill`,
      ),
      "rgb(0, 0, 0)rgb(255, 255, 255)",
    );
    assert.strictEqual(
      await text(page, "#family"),
      `Transformer, ${layers} layers, ${heads} heads`,
    );
    assert.doesNotMatch(await text(page, "#settings"), /bahdanau|reverse-source/);

    assert.strictEqual(
      await count(page, ".band[visibility=visible]"),
      first.filter((weight) => Math.round(weight * 1000) >= 40).length,
      "bands",
    );
    await page.hover("#panels .row:nth-of-type(2) .cell");
    assert.strictEqual(
      await count(page, ".band.seen[visibility=visible]"),
      first.slice(S, 2 * S).filter((weight) => Math.round(weight * 1000) >= 40).length,
      "bands of a word",
    );
    await page.hover(`#panels .row:nth-of-type(2) .cell:nth-of-type(3)`);
    assert.ok(
      (await text(page, "#equation")).startsWith(
        `α2,3 = ${(Math.round(first[S + 2] * 1000) / 1000).toFixed(3)}`,
      ),
      await text(page, "#equation"),
    );
    let sum = 0;
    let least = 0;
    for (let t = 0; t < T; t++) {
      await page.run(`view.over = ${t}; updateHighlight()`);
      const p = Number((await text(page, "#equation")).match(/\| …\) = ([\d.]+)/)[1]);
      sum += Math.log(p);
      least += 0.00051 / p;
    }
    const known = JSON.parse(fs.readFileSync(jsonl, "utf8").split("\n")[0]).log_probability;
    assert.ok(Math.abs(sum - known) < least, `probabilities: ${sum}, not ${known}`);

    assert.strictEqual(await count(page, "#thumbs button"), layers * heads + 1);
    await page.click(`#thumbs [data-part="${layers}.1"]`);
    near(
      await drawn(page, "panels", ""),
      arrays[0].numbers.slice((layers - 1) * heads * T * S, ((layers - 1) * heads + 1) * T * S),
      "a thumbnail chooses its head",
    );
    assert.strictEqual(await page.run("document.activeElement.dataset.part"), `${layers}.1`);
    await page.click('#thumbs [data-part="0.0"]');

    const order = (name) =>
      page.run(`byId("order").value = "${name}"; byId("order").dispatchEvent(new Event("change"))`);
    for (const [name, sign] of [
      ["loss", -1],
      ["entropy", -1],
      ["aer", -1],
      ["bleu", 1],
    ]) {
      await order(name);
      const figures = (await listed(page)).map(([, figure]) => Number(figure));
      assert.deepStrictEqual(
        figures,
        [...figures].sort((a, b) => sign * (a - b)),
        `sorted by ${name}`,
      );
      assert.strictEqual(
        await page.run("view.sentence"),
        Number((await listed(page))[0][0]) - 1,
        "the first of the list is shown",
      );
    }
    await order("given");
    const sought = pairs[1].split("\t")[0].split(" ")[1];
    await page.run(`byId("find").focus()`);
    await page.send("Input.insertText", { text: sought.toUpperCase() });
    const found = pairs
      .map((line, i) => [line.split("\t"), i + 1])
      .filter(([[source, target]]) => source.includes(sought) || target.includes(sought));
    assert.deepStrictEqual(
      (await listed(page)).map(([number]) => Number(number)),
      found.map(([, number]) => number),
      `sentences with ${sought}`,
    );
    assert.strictEqual(await text(page, "#found"), `${found.length} of ${pairs.length}`);
    for (const [width, height] of [
      [1024, 768],
      [1400, 900],
    ]) {
      await page.resize(width, height);
      assert.ok(
        await page.run(
          `byId("detail").getBoundingClientRect().left > document.querySelector(".matrix").getBoundingClientRect().right - 1`,
        ),
        `${width}: the half beside the matrix is empty`,
      );
      assert.deepStrictEqual(await cutWords(page, ".matrix, .bands"), []);
    }
    quiet(page);
  },

  // labels PAGE DIRECTION: no word is cut, and columns and bands run in the direction of the source
  async labels(browser, file, direction) {
    const page = await browser.open(file, { width: 1024, height: 768 });
    assert.deepStrictEqual(await cutWords(page, ".matrix, .bands"), []);
    await page.resize(1900, 900);
    await page.run(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    const at = (selector) =>
      page.run(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].slice(0, 2).map((node) => node.getBoundingClientRect().left)`,
      );
    for (const selector of [
      "#panels .row:first-of-type .cell",
      ".matrix > text[direction]",
      ".bands text[direction]",
    ]) {
      const [one, two] = await at(selector);
      if (direction === "rtl" || one !== undefined)
        assert.ok(direction === "rtl" ? two < one : one < two, `${selector} run ${one} ${two}`);
    }
    quiet(page);
  },

  // leftward PAGE: columns of Arabic run from right to left, and the arrow keys with them
  async leftward(browser, file) {
    const page = await browser.open(file);
    await page.run(`document.querySelector("#panels .matrix").focus()`);
    await page.key("ArrowLeft");
    assert.strictEqual(await page.run("view.column"), 1);
    quiet(page);
  },

  // lesson PAGE TITLE FIGURE: a page with notes, at 1024 x 768: what it opens at is on the first
  // screen
  async lesson(browser, file, title, figure) {
    const page = await browser.open(file, { width: 1024, height: 768 });
    assert.deepStrictEqual(
      [await text(page, "#title"), await page.run("document.title")],
      [title, title],
    );
    assert.strictEqual(
      await page.run(
        "[...document.querySelectorAll('main > section')].find((one) => !one.hidden).id",
      ),
      figure,
    );
    const box = await page.run(
      `(() => { const box = document.querySelector("#${figure}").getBoundingClientRect(); return [box.top, box.bottom]; })()`,
    );
    assert.ok(box[0] < 250 && box[1] <= 768, `#${figure} stands from ${box[0]} to ${box[1]}`);
    assert.ok(
      await page.run("parseFloat(getComputedStyle(document.documentElement).fontSize) >= 19"),
      "small type",
    );
    assert.strictEqual(
      await page.run(`document.querySelector("#see").textContent`),
      "See this and that <b>.",
    );
    assert.deepStrictEqual(
      await page.run(
        `[...document.querySelectorAll("#notes .item")].map((item) => [item.querySelector("b").textContent, item.querySelector("details").open])`,
      ),
      [
        ["Question", false],
        ["Exercise", false],
      ],
    );
    await page.run(`document.querySelector("#notes summary").focus()`);
    await page.key("Enter");
    assert.ok(
      await page.run(
        `document.querySelector("#notes details").innerText.includes("because <i>of</i> that")`,
      ),
      "the answer unfolds",
    );
    assert.strictEqual(await text(page, "#notes pre"), "echo '<b>'  # a line\n");
    await slideShow(page, figure);
    assert.deepStrictEqual(
      await page.run(
        `[...document.querySelectorAll("#links a")].map((link) => [link.textContent, link.getAttribute("href")])`,
      ),
      [["the next one", "../next/page.html"]],
    );
    assert.strictEqual(
      await page.run(`getComputedStyle(document.activeElement).outlineStyle`),
      "solid",
      "the focus is not seen",
    );
    quiet(page);
  },

  // place PAGE: it opens at the second sentence, layer 2, head 3, word 2, and keeps what was chosen
  async place(browser, file) {
    const page = await browser.open(file);
    const shown = () =>
      page.run(`[view.sentence, byId("layer").value, byId("head").value, view.pinned]`);
    assert.deepStrictEqual(await shown(), [1, "2", "3", 1]);
    await page.click("#after");
    await page.run(`setControl("head", 1)`);
    await page.run("new Promise((done) => setTimeout(done, 50))");
    const loaded = page.once("Page.loadEventFired");
    await page.run("location.reload()");
    await loaded;
    assert.deepStrictEqual(
      (await shown()).slice(0, 3),
      [2, "2", "1"],
      "a reload forgets the place",
    );
    assert.match(await page.run("location.hash"), /sentence=3/);
    assert.deepStrictEqual(page.complaints, []);
  },

  // follows PAGE PID: the page of a training under way reloads itself, keeps what was chosen, and
  // rests at its end
  async follows(browser, file, pid) {
    for (let tries = 0; tries < 400 && !fs.existsSync(file); tries++)
      await new Promise((done) => setTimeout(done, 50));
    const page = await browser.open(file);
    assert.ok(await page.run("page.live"), "the page is not live");
    const rows = () => page.run("trainingLog().length");
    const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
    for (let tries = 0; tries < 60 && (await rows().catch(() => 0)) < 2; tries++) await wait(0.5);
    const before = await rows();
    assert.ok(before >= 2, "no validation is shown");
    await page.run(`setControl("curve-y", "valid_bleu"); scrollTo(0, 150);`);
    for (let tries = 0; tries < 60 && (await rows().catch(() => 0)) <= before; tries++)
      await wait(0.5);
    assert.ok((await rows()) > before, "the page does not follow");
    await wait(0.1);
    assert.deepStrictEqual(
      await page.run(`[byId("curve-y").value, scrollY]`),
      ["valid_bleu", 150],
      "the reload forgets",
    );
    process.kill(Number(pid), "SIGTERM");
    for (
      let tries = 0;
      tries < 60 && (await page.run("Boolean(page.live)").catch(() => true));
      tries++
    )
      await wait(0.5);
    await page.run("window.rests = true");
    await wait(3);
    assert.strictEqual(
      await page.run("window.rests && !page.live && byId('live').hidden"),
      true,
      "it does not rest",
    );
    assert.deepStrictEqual(page.complaints, []);
  },

  // history PAGE FOLDER MODEL ...: all rows on one screen, a row in large by a key, another beside
  // it; their figures, sorted
  async history(browser, file, folder, ...models) {
    const page = await browser.open(file, { width: 1024, height: 768 });
    assert.deepStrictEqual(
      await page.run(
        `[...eras.values()].map(({ formula }) => [mathOf(formula).textContent, formula]).filter(([shown]) => /[_^\/*]|undefined|sqrt|tau|alpha/.test(shown))`,
      ),
      [],
      "a formula is not typeset",
    );
    assert.strictEqual(
      await page.run(
        `mathOf("e = q' k / sqrt(n') in each head").innerHTML.replace(/<(m\\w+)[^>]*>/g, "<$1>").replace(/<\\/?mrow>/g, "")`,
      ),
      "<mi>e</mi><mo>=</mo><mfrac><msup><mi>q</mi><mi>⊤</mi></msup><mi>k</mi><msqrt><msup><mi>n</mi><mi>′</mi></msup></msqrt></mfrac><mtext>&nbsp;in&nbsp;each&nbsp;head&nbsp;</mtext>",
    );
    assert.doesNotMatch(
      await page.run(`byId("models").innerText + byId("results").innerText`),
      /bahdanau:|luong:/,
      "a name that is a code",
    );
    const titles = await page.run("models.map(({ name }) => name)");
    const chosen = await page.run("view.sentence");
    await page.run(`byId("eras").children[1].focus()`);
    await page.key("Enter");
    assert.deepStrictEqual(
      await page.run(`[...document.querySelectorAll("#cards h3")].map((node) => node.textContent)`),
      [titles[1]],
    );
    near(
      await page.run(
        `[...document.querySelectorAll("#cards .cell")].map((cell) => Number(cell.getAttribute("fill-opacity")))`,
      ),
      heatmap(
        `${folder}/matrices/${models[1].replaceAll(":", "-")}/${String(chosen + 1).padStart(4, "0")}.csv`,
      ),
      "a row in large",
    );
    await page.key("ArrowRight");
    await page.run(`setControl("beside", 0)`);
    assert.deepStrictEqual(
      await page.run(`[...document.querySelectorAll("#cards h3")].map((node) => node.textContent)`),
      [titles[0], titles[2]],
    );
    const bands = readCsv(`${folder}/bylength.csv`)
      .slice(1)
      .filter(([model]) => model === models[2]);
    assert.deepStrictEqual(
      await page.run(
        `[...document.querySelectorAll("#cards article:last-child .figure")].map((node) => node.textContent)`,
      ),
      bands.map(([, , , , bleu]) => Number(bleu).toFixed(0)),
    );
    await page.run("new Promise((done) => setTimeout(done, 50))");
    assert.match(await page.run("location.hash"), /era=2/);
    await page.key("Escape");
    await page.until(`!byId("large").open && byId("era").value === ""`);
    // The latest first.
    for (let click = 0; click < 2; click++) await page.click("#results th:nth-child(2) button");
    assert.deepStrictEqual(
      await page.run(
        `[...document.querySelectorAll("#results tbody td:nth-child(2)")].map((cell) => Number(cell.textContent))`,
      ),
      [2017, 2015, 2014],
    );
    await fits(page);
    await page.run(
      `{ const own = models.length; while (models.length < eras.size) models.push(models[models.length % own]); drawEras(); scrollTo(0, 0); }`,
    );
    for (const [width, height] of [
      [1024, 768],
      [1920, 1080],
    ]) {
      await page.resize(width, height);
      await page.run(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
      );
      const below = await page.run(
        `Math.max(...[...byId("eras").children].map((node) => node.getBoundingClientRect().bottom))`,
      );
      assert.ok(below <= height, `${width} x ${height}: the rows end at ${below}`);
    }
    quiet(page);
  },

  // scatter PAGE JSONL: the vectors of three words lie in a plane, so points are as far apart as
  // they
  async scatter(browser, file, jsonl) {
    const page = await browser.open(file);
    const rows = fs.readFileSync(jsonl, "utf8").trim().split("\n").map(JSON.parse);
    const layers = [...new Set(rows.map(({ layer }) => layer))];
    const far = (a, b) => Math.hypot(...a.map((x, d) => x - b[d]));
    const shown =
      await page.run(`[...document.querySelectorAll("#scatter figure")].map((figure) => [figure.querySelector("figcaption").textContent,
      [...figure.querySelectorAll("circle")].map((point) => [Number(point.getAttribute("cx")), Number(point.getAttribute("cy"))]), [...figure.querySelectorAll("text")].map((text) => text.textContent)])`);
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
          Math.abs(far(points[a], points[b]) / scale / far(own[a].vector, own[b].vector) - 1) <
            0.01,
          `layer ${i}: ${a} and ${b}`,
        );
    }
  },

  // opens PAGE ID ...: it opens in silence and has these sections and no others
  async opens(browser, file, ...sections) {
    const page = await browser.open(file);
    assert.deepStrictEqual(
      await page.run(
        "[...document.querySelectorAll('section')].filter((one) => !one.hidden).map((one) => one.id)",
      ),
      sections,
    );
    quiet(page);
  },
};

// Each check has cookies and storage of its own, as if the browser had just been installed.
(async () => {
  const browser = new Browser(process.env.CHROMIUM || "chromium");
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [check, ...words] = line.split("\t");
    const late = setTimeout(() => {
      console.error("the browser does not answer");
      browser.child.kill("SIGKILL");
      process.exit(1);
    }, 120000);
    browser.context = (await browser.send("Target.createBrowserContext")).browserContextId;
    const wrong = await checks[check](browser, ...words).catch((error) => error);
    if (wrong) console.error(wrong.message);
    await browser.send("Target.disposeBrowserContext", { browserContextId: browser.context });
    clearTimeout(late);
    console.log(wrong ? "failed" : "right");
  }
  await browser.close();
})();
