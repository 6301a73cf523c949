// Whole pages: with evil texts, of a lesson, at a place, of the history.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const { count, fits, heatmap, near, parseCsv, quiet, readCsv, text } = require("./report_tools.js");

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

// safe PAGE WORDS: nothing of the corpus is more than text. WORDS: JSON lines of align.
async function safe(browser, file, words) {
  const page = await browser.open(file);
  const kinds =
    "[...new Set([...document.querySelectorAll('*')].map((node) => node.localName))].sort().join(' ')";
  const allowed =
    /^(html|head|meta|title|style|body|header|h1|h2|p|button|nav|svg|line|main|noscript|section|dialog|div|table|thead|tbody|tfoot|tr|th|td|small|label|input|select|option|span|bdi|sub|code|a|em|pre|wbr|output|figure|figcaption|rect|g|text|path|circle|details|summary|ul|li|dl|dt|dd|footer|script|b|i|progress|canvas)$/;
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
  const read = await count(page, "#lens-grid td");
  assert.ok(
    viewed + filmed + read > 0 && (!viewed || viewed === expected.length),
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

// lesson PAGE TITLE FIGURE: a page with notes, at 1024 x 768: what it opens at is on the first
// screen
async function lesson(browser, file, title, figure) {
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
}

// place PAGE: it opens at the second sentence, layer 2, head 3, word 2, and keeps what was chosen
async function place(browser, file) {
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
  assert.deepStrictEqual((await shown()).slice(0, 3), [2, "2", "1"], "a reload forgets the place");
  assert.match(await page.run("location.hash"), /sentence=3/);
  assert.deepStrictEqual(page.complaints, []);
}

// Formulas are typeset, and names are no codes.
async function formulas(page) {
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
}

// A row in large by a key, another beside it; their figures.
async function enlarged(page, folder, models) {
  const titles = await page.run("models.map(({ name }) => name)");
  const chosen = await page.run("view.sentence");
  await page.run(`byId("eras").querySelectorAll("button")[1].focus()`);
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
  assert.deepStrictEqual(
    await page.run(
      `[...document.querySelectorAll('#cards a[href*="/papers/"]')].map((link) => link.getAttribute("href"))`,
    ),
    ["../papers/paper-2017.html#show_forward"],
    "links to the annotated papers that the page links",
  );
  await page.run("new Promise((done) => setTimeout(done, 50))");
  assert.match(await page.run("location.hash"), /era=2/);
  await page.key("Escape");
  await page.until(`!byId("large").open && byId("era").value === ""`);
}

// The table sorted by years; all rows on one screen, but for a page in a small window, whose cards
// have the words of both sides instead.
async function screens(page) {
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
  for (const [width, height, isSlide] of [
    [1024, 768, false],
    [1024, 768, true],
    [1920, 1080, true],
    [1920, 1080, false],
  ]) {
    await page.resize(width, height);
    if (isSlide !== (await page.run(`document.body.classList.contains("slides")`)))
      await page.key("s");
    await page.run(
      `drawEras(); scrollTo(0, 0); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
    );
    const [below, words] = await page.run(
      `[Math.max(...[...byId("eras").children].map((node) => node.getBoundingClientRect().bottom)), document.querySelectorAll("#eras .beside").length]`,
    );
    const isSmall = width < 1920;
    const what = `${width} x ${height}${isSlide ? ", a slide" : ""}`;
    if (!isSmall || isSlide) assert.ok(below <= height, `${what}: the rows end at ${below}`);
    if (!isSmall || !isSlide) assert.ok(words > 3, `${what}: ${words} lines have words`);
  }
}

// history PAGE FOLDER MODEL ...: all rows on one screen, a row in large by a key, another beside
// it; their figures, sorted
async function history(browser, file, folder, ...models) {
  const page = await browser.open(file, { width: 1024, height: 768 });
  await formulas(page);
  await enlarged(page, folder, models);
  await screens(page);
  quiet(page);
}

// opens PAGE ID ...: it opens in silence and has these sections and no others
async function opens(browser, file, ...sections) {
  const page = await browser.open(file);
  assert.deepStrictEqual(
    await page.run(
      "[...document.querySelectorAll('section')].filter((one) => !one.hidden).map((one) => one.id)",
    ),
    sections,
  );
  quiet(page);
}

// regression PAGE: the slider moves the query, sorted, and says both answers, with a diamond at the
// weighted mean of the keys of each; bars below 0 go down
async function regression(browser, file) {
  const page = await browser.open(file);
  const at = (i) =>
    page.run(`
      byId("regression-query").value = ${i};
      byId("regression-query").dispatchEvent(new Event("input"));
      const said = byId("regression-said").textContent.trim();
      const down = (stem) => Number(stem.getAttribute("y2")) > Number(stem.getAttribute("y1"));
      [said, [...document.querySelectorAll("#regression-chart .stem")].map(down)]`);
  const answers = (q, mean, center) =>
    `q = ${q}: degree 0: ${mean} at the weighted mean ${center} of the keys; degree 1: ${q} at the weighted mean ${q} of the keys`;
  assert.deepStrictEqual(await at(0), [
    answers("-1.000", "0.209", "0.209"),
    [...Array(3).fill(false), false, true, true],
  ]);
  const apart = await page.run(`
    const [zero, one] = [...document.querySelectorAll("#regression-chart .mean")].map((node) => node.getBBox());
    const query = document.querySelector("#regression-chart .cursor").x1.baseVal.value;
    [zero, one].map(({ x, width }) => Math.round(x + width / 2 - query))`);
  assert.ok(apart[0] > 50 && apart[1] === 0, `means are ${apart} pixels from the query`);
  assert.deepStrictEqual(await at(1), [answers("1.000", "1.000", "1.000"), Array(6).fill(false)]);
  quiet(page);
}

// lens PAGE TEXT SOURCE: the grid has the words of the text that `explain --lens` prints, bottom
// up; keys move over it, and what is said is about the cell that is framed
async function lens(browser, file, text, source) {
  const page = await browser.open(file);
  const above = await page.run("byId('lens-source').textContent.trim()");
  assert.strictEqual(above, `source: ${source}`);
  const [head, ...lines] = fs.readFileSync(text, "utf8").trimEnd().split("\n");
  const grid = await page.run(
    "[...byId('lens-grid').rows].map((row) => [...row.cells].map((cell) => cell.textContent))",
  );
  const sublayers = head.trim().split(/ {2,}/);
  assert.strictEqual(grid.length, sublayers.length + 1);
  lines.forEach((line, t) => {
    const cells = line.slice(14).match(/\S+ +\d+/g);
    assert.strictEqual(grid.at(-1)[t + 1], line.slice(3, 14).trim());
    cells.forEach((cell, l) => {
      const [word, percent] = cell.split(/ +/); // the text may cut a word, "mainte…"
      const found = grid[sublayers.length - 1 - l][t + 1];
      assert.ok(
        found.startsWith(word.replace("…", "")) && found.endsWith(`${parseInt(percent, 10)} %`),
        found,
      );
    });
  });
  await page.run("document.querySelector('#lens .wide').focus()");
  for (const key of ["ArrowDown", "ArrowRight"]) await page.key(key);
  const [said, framed] = await page.run(
    "[byId('lens-said').textContent, document.querySelector('#lens .seen bdi').textContent]",
  );
  assert.strictEqual(framed, grid[1][2].replace(/\d+ %$/, ""));
  assert.ok(said.includes(`: ${framed} `) && said.includes(`“${grid.at(-1)[2]}” has rank `), said);
  quiet(page);
}

module.exports = { history, lens, lesson, opens, place, regression, safe };
