// The viewer of the report: matrices, sentences, heads, bands, readouts.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const {
  away,
  chooseMean,
  count,
  cutWords,
  drawn,
  heatmap,
  listed,
  lit,
  near,
  quiet,
  readCsv,
  readNpy,
  text,
} = require("./report_tools.js");

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
  assert.strictEqual(await text(page, "#heads output"), "least AER");
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

// attributions PAGE METHOD ...: the methods side by side with their names, instead of heads.
async function attributions(browser, file, ...methods) {
  const page = await browser.open(file, { width: 1024, height: 768 });
  const names = await page.run(
    `[...document.querySelectorAll("#thumbs button .below")].map((node) => node.firstChild.textContent)`,
  );
  assert.deepStrictEqual(names, methods);
  assert.ok((await text(page, "#heads")).startsWith("method "));
  await page.click('#thumbs [data-part="1.2"]');
  assert.strictEqual(await text(page, "#heads output"), methods[1]);
  assert.ok((await text(page, "figcaption")).includes(methods[1]));
  // Its own scale and unit, and no statistics of weights.
  const [largest, most, unit, sums] = await page.run(
    `[Math.max(...Array.from(view.panels[0].weights, Math.abs)), Number([...document.querySelectorAll("#panels .scale")].at(-1).textContent), document.querySelector("#panels .scale + .small:not(.scale)").textContent, document.querySelectorAll("#panels .sum").length]`,
  );
  assert.strictEqual(await text(page, "#viewer-title"), `Attribution: ${methods[1]}`);
  assert.deepStrictEqual([most, sums], [Number(largest.toPrecision(2)), 0]);
  assert.ok(["nats", "norm", "distance", "norm of the gradient", "weight"].includes(unit), unit);
  quiet(page);
}

// The page opens at the head of the least AER, with its names and colors.
async function opening(page, best, layers, heads) {
  const first = best.matrices[0].weights;
  near(await drawn(page, "panels", ""), first, "the page opens at the head of the least AER");
  assert.ok(
    (await text(page, "figcaption")).includes(
      `layer ${best.layer} of ${layers}, head ${best.head} of ${heads}`,
    ),
  );
  assert.strictEqual(
    await page.run(`document.querySelector("#thumbs .sharpest .below").firstChild.textContent`),
    `head ${best.head}`,
  );
  assert.deepStrictEqual(
    await page.run(
      `[".matrix", ".bands"].map((name) => [...document.querySelectorAll(name + " .axis")].map((node) => node.textContent))`,
    ),
    [
      ["source", "target"],
      ["source", "target", "width: weight", "0.25", "1"],
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
  assert.strictEqual(await text(page, "#family"), `Transformer, ${layers} layers, ${heads} heads`);
  assert.doesNotMatch(await text(page, "#settings"), /bahdanau|reverse-source/);
}

// Bands and the readout of a cell.
async function readouts(page, first, S) {
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
}

// The probabilities of the words are those of the sentence.
async function probabilities(page, jsonl, T) {
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
}

// A small picture chooses its head.
async function thumbnails(page, { numbers, shape: [layers, heads, T, S] }) {
  assert.strictEqual(await count(page, "#thumbs button"), layers * heads + 1);
  await page.click(`#thumbs [data-part="${layers}.1"]`);
  near(
    await drawn(page, "panels", ""),
    numbers.slice((layers - 1) * heads * T * S, ((layers - 1) * heads + 1) * T * S),
    "a thumbnail chooses its head",
  );
  assert.strictEqual(await page.run("document.activeElement.dataset.part"), `${layers}.1`);
  await page.click('#thumbs [data-part="0.0"]');
}

// Sentences, sorted and found.
async function lists(page, pairs) {
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
}

// The half beside the matrix is filled.
async function sizes(page) {
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
}

// detail PAGE HEADS JSONL PAIRS: one model with heads: bands, thumbnails, equation, list. HEADS:
// of --all-heads.
async function detail(browser, file, folder, jsonl, tsv) {
  const page = await browser.open(file, { width: 1024, height: 768 });
  const pairs = fs.readFileSync(tsv, "utf8").trimEnd().split("\n");
  const arrays = pairs.map((_, i) => readNpy(`${folder}/${String(i + 1).padStart(4, "0")}.npy`));
  const [layers, heads, T, S] = arrays[0].shape;
  const best = leastError(arrays, pairs);
  await opening(page, best, layers, heads);
  await readouts(page, best.matrices[0].weights, S);
  await probabilities(page, jsonl, T);
  await thumbnails(page, arrays[0]);
  await lists(page, pairs);
  await sizes(page);
  quiet(page);
}

// labels PAGE DIRECTION: no word is cut, and columns and bands run in the direction of the source
async function labels(browser, file, direction) {
  const page = await browser.open(file, { width: 1024, height: 768 });
  assert.deepStrictEqual(await cutWords(page, ".matrix, .bands"), []);
  await page.resize(1900, 900);
  await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
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
}

// leftward PAGE: columns of Arabic run from right to left, and the arrow keys with them
async function leftward(browser, file) {
  const page = await browser.open(file);
  await page.run(`document.querySelector("#panels .matrix").focus()`);
  await page.key("ArrowLeft");
  assert.strictEqual(await page.run("view.column"), 1);
  quiet(page);
}

module.exports = { attributions, detail, difference, labels, leftward, looking, parts, sentences };
