// What the playground does in a real browser, by mouse and keyboard: page.js PAGE FOLDER [BROWSER];
// the folder holds the files of web_page.sh.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { Browser } = require("../support/browser.js");
const { Firefox } = require("../support/firefox.js");

const text = (page, selector) =>
  page.run(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const count = (page, selector) =>
  page.run(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
const choose = (page, selector, value) =>
  page.run(`{ const node = document.querySelector(${JSON.stringify(selector)});
  node.value = ${JSON.stringify(value)}; node.dispatchEvent(new Event("input", { bubbles: true })); node.dispatchEvent(new Event("change", { bubbles: true })); }`);
const ready = (page) => page.until(`!byId("start").disabled`);
const said = (page, pattern, what) =>
  page
    .until(`${pattern}.test(byId("message").textContent)`)
    .catch(async () => assert.fail(`${what}: the page says "${await text(page, "#message")}"`));
const last = (what) => `past.moments.at(-1)?.frames[0]?.${what}`;

// One click; how long until the word order is seen, and until the unseen sentences are right.
async function insight(page) {
  await page.click("#start");
  const order = await page.until(`${last("held?.moved")} > 0.5`, 60000);
  const right = order + (await page.until(`${last("held?.exact")} >= 0.95`, 120000));
  const rate = await page.run(
    `new Promise((done) => { const from = past.moments.length, step = ${last("step")}; setTimeout(() => done([past.moments.length - from, ${last("speed")}]), 1000); })`,
  );
  console.log(
    `word order after ${(order / 1000).toFixed(1)} s, 95 % exact after ${(right / 1000).toFixed(1)} s, ${rate[0]} pictures and ${rate[1].toFixed(0)} words per second`,
  );
  assert.strictEqual(await count(page, "#panels .matrix"), 1);
  for (const id of ["readout", "caption"])
    assert.strictEqual(
      await page.run(`byId("${id}").getAttribute("aria-live")`),
      "off",
      `a screen reader would never fall silent: ${id}`,
    );
  for (const chart of ["loss", "bleu", "gold"])
    assert.ok(await count(page, `#${chart}-chart path.curve`), `no curve of ${chart}`);
  assert.strictEqual(
    await text(page, "#translations .line:nth-child(3) bdi"),
    await text(page, "#translations .line:nth-child(2) bdi"),
  );
}

// Pause, a single step, and back in time, by keys.
async function time(page) {
  assert.deepStrictEqual(
    await page.run(
      `past.moments.map(({ frames: [{ step, held }] }) => [step, held?.step ?? 0]).filter(([step, measured]) => step <= 150 && measured !== step - (step % 50))`,
    ),
    [],
    "figures that are not those of the last measured update",
  );

  await page.run(`byId("start").focus()`);
  await page.key("Enter");
  await page.until("!training.on");
  await page.run(`call("memory")`); // the worker has heard it
  const before = await page.run(last("step"));
  assert.match(
    await text(page, "#progress"),
    /^update \d+ .+ exact( · measured at update \d+)?$/,
    "nothing says that it has paused",
  );
  await page.click("#single");
  await page.until(`${last("step")} === ${before + 1}`);
  assert.doesNotMatch(await text(page, "#caption"), /measured/, "a single step is measured");
  const late = await page.run("Array.from(view.frames[0].weights)");
  await page.run(
    `goTo(past.moments.findIndex(({ frames: [{ step }] }) => step > 50 && step < 100))`,
  );
  assert.match(await text(page, "#caption"), /^update \d\d · .+ exact · measured at update 50$/);
  assert.match(await text(page, "#figures"), /measured at update50/);
  await page.run(`byId("frame").focus()`);
  await page.key("Home");
  assert.doesNotMatch(await text(page, "#caption"), new RegExp(`^update ${before + 1}\\b`));
  const early = await page.run("Array.from(view.frames[0].weights)");
  const largest = (weights) => Math.max(...weights.slice(0, weights.length / 2));
  assert.ok(largest(early) < largest(late), "the first matrix is as sharp as the last");
  await page.run(`byId("seconds").value = 5`);
  await page.click("#play"); // to the end
  await page.until("player.timer && past.at > 0");
  await page.click("#play");
  assert.ok(await page.run("past.at > 0 && !player.timer"), "it does not pause");
  await page.run(`byId("frame").focus()`);
  await page.key("End");
  assert.match(await text(page, "#caption"), new RegExp(`^update ${before + 1}\\b`));
  await page.click("#kind"); // bands, also by the keyboard
  await page.run(`document.querySelector("#panels .bands").focus()`);
  await page.key("ArrowDown");
  assert.strictEqual(
    await count(page, "#panels .band.seen"),
    await page.run("view.frames[0].columns.length"),
  );
  await page.run("document.activeElement.blur()");
  await page.key("v");
  assert.strictEqual(await count(page, "#panels .matrix"), 1);
}

async function inside(page) {
  await page.run(`document.querySelector("#panels .matrix").focus()`);
  await page.key("ArrowDown");
  await page.key("ArrowRight");
  assert.match(await text(page, "#readout"), /^α = [\d.]+: weight of .+ for /);
  await page.key("Enter"); // beside the matrix: words, the equation, and all numbers folded
  await page.until(
    `/^alpha_ij = .+\\n.+\\n.+ alpha_ij\\n +2 .+\\d/.test(byId("cell").textContent)`,
  );
  assert.match(await text(page, "#equation-title"), /^For “.+” the model looks at .+ \(\d+ %\)/);
  assert.match(await text(page, "#equation"), /alpha/);
  assert.deepStrictEqual(
    await page.run(
      `[byId("computation").open, byId("explained").getBoundingClientRect().left >= byId("panels").getBoundingClientRect().right]`,
    ),
    [false, true],
  );
  await page.click("#panels .catch:nth-last-child(2)");
  await page.until(`byId("equation-title").textContent.length > 0`);
  await page.run(`byId("numbers").querySelector("summary").focus()`);
  await page.key("Enter");
  await page.until(`document.querySelectorAll("#matrix-table td").length > 10`);

  const free = await text(page, "#translations .line:nth-child(3) bdi");
  await choose(page, "#force", "uniform");
  await page.until(
    `new Set(Array.from(view.frames[0].weights, (weight) => weight.toFixed(4))).size === 1`,
  );
  assert.notStrictEqual(
    await text(page, "#translations .line:nth-child(3) bdi"),
    free,
    "uniform attention translates as well",
  );
  await choose(page, "#force", "");
  await page.until(
    `document.querySelector("#translations .line:nth-child(3) bdi").textContent === ${JSON.stringify(free)}`,
  );
  await page.run(`byId("bend").focus()`);
  await page.key(" ");
  await page.hover("h1");
  await page.run(
    `document.querySelector("#panels .matrix").focus({ preventScroll: true }); actsOf(0).over(0, 3);`,
  );
  await page.key("Enter");
  await page.until("view.frames[0].weights?.[3] > 0.999");
  await page.click("#unbend");
  await page.until("view.frames[0].weights?.[3] < 0.999");
  await page.click("#bend");
}

// Each cell of the matrix answers for its own word, also where its box is wider than the drawing.
async function cells(page) {
  for (const [width, height] of [
    [1366, 657],
    [1920, 1080],
    [390, 844],
    [1280, 900],
  ]) {
    await page.resize(width, height);
    await page.run(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    assert.deepStrictEqual(
      await page.run(`[...document.querySelectorAll("#panels .row")].flatMap((row, t) => (row.scrollIntoView({ block: "center" }), [...row.querySelectorAll(".cell")]).map((cell, s) => {
      const box = cell.getBoundingClientRect(), clientX = box.x + box.width / 2, clientY = box.y + box.height / 2;
      document.elementFromPoint(clientX, clientY).dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
      return view.row === t && view.column === s ? null : [t, s, view.row, view.column];
    })).filter(Boolean)`),
      [],
      `cells at ${width} x ${height}`,
    );
  }
}

// The scale of weights that are not normalized, and a row of attention that chose no word.
async function unusual(page) {
  assert.deepStrictEqual(
    await page.run(`(() => { const { picture, show } = Matrix({ source: ["a", "b"], target: ["c", "d"] }, {});
    show(Float32Array.of(3, 1, 0, 0));
    return [...picture.querySelectorAll(".scale, .small[visibility=visible]")].map((node) => node.textContent).concat(picture.querySelector(".cell:nth-of-type(2)").getAttribute("fill-opacity")); })()`),
    ["no word", "0", "1.5", "3", "0.333"],
  );
}

async function gradients(page) {
  await page.click("#check");
  await page.until(`/right/.test(byId("checked").textContent)`);
  const terms = await page.run("engine.info.terms.map(({ name }) => name)");
  await choose(page, "#term", terms[0]);
  await page.click("#check");
  await page.until(`/tensors are wrong/.test(byId("checked").textContent)`);
  assert.ok((await text(page, "#checked")).includes(terms[0]));
  for (const [
    width,
    figure,
    isRight,
  ] of await page.run(`[...document.querySelectorAll("#gradients > div")].map((row) =>
    [parseFloat(row.querySelector("i").style.width), row.querySelector(".figure").textContent, row.querySelector("i").style.background === "var(--m3)"])`)) {
    assert.ok(
      Math.abs(width - (100 * parseFloat(figure)) / 13) < 0.5,
      `${figure} digits: ${width} % of 13`,
    );
    assert.strictEqual(isRight, !figure.includes("✗"), figure);
  }
  await choose(page, "#term", "");
}

// Texts that would like to be more: as a sentence, as pairs, in a link.
async function texts(page, folder) {
  const evil = `<img src=x onerror="window.pwned=1">`;
  await page.type("#source", evil);
  await page.key("Enter");
  await page.until(`byId("translations").textContent.includes("<img")`);
  await page.type("#source", "the zebu finds a qat.");
  await page.key("Enter");
  await page.until(
    `byId("translations").textContent.includes("the zebu finds a qat. (unknown: zebu, qat)")`,
  );
  const pairs = fs.readFileSync(path.join(folder, "bad.tsv"), "utf8");
  await page.type("#own", pairs);
  await page.click("#use");
  await page.until(`byId("task").value === "" && !byId("start").disabled`);
  await page.click("#single");
  await page.until(`${last("step")} === 1`);
  await page.choose("#pairs-file", path.join(folder, "bad.tsv"));
  await page.until(`past.moments.length === 0 && !byId("start").disabled`);
  await page.run(
    `location.hash = ${JSON.stringify(`own=${encodeURIComponent(`${evil}\t${evil}\n`.repeat(30))}&source=${encodeURIComponent(evil)}&a=attention=${encodeURIComponent(evil)}&stop=9&task=${encodeURIComponent(evil)}`)}`,
  );
  await page.until(`state.source !== null && !byId("start").disabled`);
  assert.strictEqual(await page.run("typeof window.pwned"), "undefined");
  assert.strictEqual(await count(page, "img"), 0);
}

// What is too large or damaged: one sentence, and the page lives on.
async function refusals(page, folder) {
  for (const [name, sentence] of [
    ["novel.txt", /^No line has a tab/],
    ["endless.txt", /^Line 1 has 1000000 characters/],
    ["million.tsv", /^That is 1000000 pairs/],
    ["broken.tsv", /^That file is no UTF-8 text/],
    ["few.tsv", /^2 pairs are too few/],
  ]) {
    await page.choose("#pairs-file", path.join(folder, name));
    await said(page, sentence, name);
  }
  await page.choose("#model-file", path.join(folder, "damaged.safetensors"));
  await said(page, /\w/, "damaged.safetensors");
  assert.doesNotMatch(await text(page, "#message"), /stopped/);
  await ready(page);
  await page.run(`say("")`);
  // Far outside of the module's memory: a trap.
  await page.run(`call("about", 0x7ffffff0).catch(() => {})`);
  await said(page, /^The module stopped/, "a trap");
  await ready(page);
}

async function settings(page) {
  await page.run(`location.hash = ""`);
  await page.until(`state.own === null && !byId("start").disabled`);
  await page.run(`byId("second").focus()`);
  await page.key(" ");
  await page.until(
    `document.querySelectorAll("#forms fieldset").length === 2 && !byId("start").disabled`,
  );
  await choose(page, `#forms fieldset:nth-child(2) [name="attention"]`, "dot");
  await page.until(`state.models[1].attention === "dot" && !byId("start").disabled`);
  await choose(page, `#forms fieldset:nth-child(1) [name="model"]`, "transformer");
  await page.until(`state.models[0].model === "transformer" && !byId("start").disabled`);
  await page.click("#start");
  await page.until("past.moments.length > 3");
  await page.click("#start");
  assert.strictEqual(await count(page, "#panels .matrix"), 2);
  const steps = await page.run("past.moments.at(-1).frames.map((frame) => frame.step)");
  assert.strictEqual(steps[0], steps[1], "equal updates");
  assert.match(await page.run("location.hash"), /b=attention/);
  assert.match(await text(page, "#command"), /--attention dot/);
  // Whose numbers are those of model B.
  await page.hover("#panels figure:nth-child(2) .catch:nth-last-child(2)");
  await page.until(`byId("readout").textContent.startsWith("B: ")`);
  await page.click("#panels figure:nth-child(2) .catch:nth-last-child(2)");
  await page.until(`byId("cell").textContent`);
  // A Transformer's: of the source.
  await page.click("#panels figure:nth-child(1) .catch:nth-last-child(2)");
  await page.until(
    `/of the source/.test(byId("equation-title").textContent) && /Self-attention/.test(byId("equation").textContent)`,
  );
  await page.until(
    `[...byId("strip").querySelectorAll("figcaption")].some(({ textContent }) => /alpha_ij/.test(textContent))`,
  );
  await fits(page);
}

// What the matrices and the table call the models.
const titles = (page) =>
  page.run(`[[...document.querySelectorAll("#panels figcaption, #panels b")].map((node) => node.textContent.replace(/^model /, "")),
  [...document.querySelectorAll("#figures thead th")].slice(1).map((node) => node.textContent)]`);

// The answer of the third stop names what the table shows.
async function answers(page) {
  await page.click("#stops button:nth-of-type(3)");
  await page.until(`byId("stop-title").textContent.startsWith("3.") && !byId("start").disabled`);
  await page.click("#stop-try");
  await page.until(`!training.on && ${last("held?.step")} === 300`, 60000);
  const shown =
    await page.run(`[[50, "moved"], [100, "moved"], [300, "moved"], [100, "exact"], [200, "exact"]].map(([at, name]) =>
    past.moments.find(({ frames: [{ step }] }) => step === at).frames[0].held[name]).map((share) => fixed(100 * share, 1))`);
  for (const name of ["en", "de", "fr"]) {
    await choose(page, "#language", name);
    const answer = (await text(page, "#stop-answer p")).replaceAll(",", ".");
    for (const figure of shown)
      assert.ok(answer.includes(figure), `${name}: ${figure} is not in the answer`);
  }
  await choose(page, "#language", "en");
}

// Where no word moves there is no weight of moved words.
async function unmoved(page) {
  await page.run(`location.hash = "task=mono"`);
  await page.until(`state.task === "mono" && !byId("start").disabled`);
  await page.click("#single");
  await page.until(`${last("step")} === 1`);
  assert.deepStrictEqual(
    await page.run(
      `[past.moments[0].frames[0].held.moved, [...document.querySelectorAll("#figures tr")].find((row) => row.textContent.includes("moved words")).querySelector("td").textContent]`,
    ),
    [null, "–"],
  );
}

// Question, model, answer and next stop share a screen.
async function oneScreen(page, stop) {
  for (const [width, height] of [
    [1024, 768],
    [390, 844],
  ])
    for (const open of [true, false]) {
      await page.resize(width, height);
      await page.run(
        `scrollTo(0, 0); byId("stop-about").open = ${!open && width > 1000}; byId("stop-answer").open = ${open}; new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
      );
      const below = await page.run(
        `["#stop-question", "#stop-next", "#stop-answer", "#thumbs", "#panels .row:nth-last-of-type(2)"].flatMap((selector) => [...document.querySelectorAll(selector)].map((node) => Math.round(node.getBoundingClientRect().bottom)))`,
      );
      assert.ok(
        Math.max(...below) <= height,
        `stop ${stop} at ${width} x ${height}${open ? ", answered" : ""}: ${below}`,
      );
    }
}

async function tour(page) {
  await unmoved(page);
  await answers(page);
  const named = {
    2: ["A: decoder fixed", "B: decoder bahdanau"],
    4: ["A: attention additive", "B: attention dot"],
  };
  await page.click("#bend");
  for (let number = 1; number <= 8; number++) {
    await page.click(`#stops button:nth-of-type(${number})`);
    await page.until(
      `byId("stop-title").textContent.startsWith("${number}.") && !byId("start").disabled`,
    );
    assert.strictEqual(await text(page, "#message"), "", `stop ${number}`);
    assert.ok(
      await page.run(`!byId("bend").checked && !document.body.classList.contains("bending")`),
      `stop ${number} bends`,
    );
    assert.strictEqual(await page.run(`byId("broken").hidden`), number !== 6, `stop ${number}`);
    assert.strictEqual(
      await page.run("engine.info.terms.some(({ name }) => name === training.broken)"),
      number === 6,
      `stop ${number}`,
    );
    if (named[number])
      assert.deepStrictEqual(await titles(page), [named[number], named[number]], `stop ${number}`);
    await oneScreen(page, number);
    await page.resize(1280, 900);
  }
  await page.resize(390, 844);
  await page.run(`scrollTo(0, 0); byId("stop-try").click()`);
  await page.until("past.moments.length > 2");
  await page.run("run(false)");
  assert.strictEqual(await page.run("scrollY"), 0, "“Try it” scrolls the question away");
  await page.resize(1280, 900);
  assert.deepStrictEqual(
    await page.run("stops.map(({ link }) => readLink(link).pause)"),
    [300, 500, 300, 300, 500, 300, 300, 500],
  );
  await page.click("#stop-close"); // mends it
  await page.until(`byId("broken").hidden && !training.broken && byId("stop").hidden`);
  await page.run(`location.hash = "pause=40"`);
  await page.until(`state.pause === 40 && !byId("start").disabled`);
  await page.click("#start");
  await page.until(`!training.on && ${last("step")} === 40 && ${last("held.step")} === 40`);
  await page.run(`location.hash = ""`);
  await page.until(`state.pause === 0 && !byId("start").disabled`);
  await page.click("#single");
  await page.until(`${last("step")} === 1`);
  for (const name of ["de", "fr"]) {
    await choose(page, "#language", name);
    assert.strictEqual(await page.run("document.documentElement.lang"), name);
    assert.doesNotMatch(await text(page, "#intro"), /trained/);
    assert.match(
      await text(page, "#caption"),
      name === "de" ? /^Update 1 .+ exakt$/ : /^pas 1 .+ exactes$/,
    );
    assert.ok(
      (
        await page.run(
          `[...document.querySelectorAll("#panels .axis")].map((node) => node.textContent)`,
        )
      ).includes(name === "de" ? "Ziel" : "cible"),
    );
    const figures = await page.run(
      `[...document.querySelectorAll("#figures td, #panels .scale, #charts text")].map((node) => node.textContent).join(" ")`,
    );
    assert.ok(/\d,\d/.test(figures) && !/\d\.\d/.test(figures), `${name}: ${figures}`);
  }
  await choose(page, "#language", "en");
}

// The stage by keys: words that the last row reads, the training in slow motion, back and forth,
// the answer, the next stop.
async function lectures(page) {
  await page.run(`location.hash = "stop=4"`);
  await page.until(`state.models[1]?.attention === "dot" && !byId("start").disabled`);
  assert.strictEqual(
    await page.run("location.hash"),
    "#stop=4",
    "a stop's link stands for its settings",
  );
  await page.run("document.activeElement.blur()");
  await page.key("p");
  await page.until("isOnStage()");
  await choose(page, "#seconds", "5");
  await page.run(`state.pause = 200; byId("play").focus()`);
  await page.key(" ");
  await page.until("player.timer && past.at > 2", 60000); // learned unseen, then slowly
  await page.key(" ");
  const at = await page.run("past.at");
  await page.key("ArrowRight");
  assert.strictEqual(await page.run("past.at"), at + 1);
  await page.key("Home");
  const grays = `Math.max(...[...document.querySelectorAll("#stage .cell")].map((cell) => Number(cell.getAttribute("fill-opacity"))))`;
  await page.key("v");
  assert.ok((await page.run(grays)) < 0.9, "the beginning is black");
  await page.key("End");
  await page.until(`past.at < 0 && ${grays} > 0.9`);
  for (const [width, height] of [
    [1024, 768],
    [1920, 1080],
  ]) {
    await page.resize(width, height);
    for (const kind of ["matrix", "bands"]) {
      await page.run(
        `state.stage = "${kind}"; drawPanels(view.frames); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
      );
      const small =
        await page.run(`[...document.querySelectorAll("#stage svg > text, #stage .word, #stage p, #stage output, #stage figcaption")].filter((node) => node.textContent.trim())
        .map((node) => [node, parseFloat(getComputedStyle(node).fontSize) * (node.ownerSVGElement ? node.getScreenCTM().a / (node.transform.baseVal.length ? 0.5 : 1) : 1)])
        .filter(([node, size]) => !(size >= innerHeight / 28 - 0.1)).map(([node, size]) => node.textContent + " " + size)`);
      assert.deepStrictEqual(small, [], `${kind} at ${width} x ${height}`);
      assert.ok(
        await page.run(
          `byId("stage").scrollHeight <= innerHeight && byId("stage").scrollWidth <= innerWidth`,
        ),
        `${kind} at ${width} x ${height} is cut`,
      );
    }
  }
  const question = await text(page, "#stage-question");
  await page.key("a");
  assert.match(await text(page, "#stage-question"), /^4\. B's: its entropy/);
  await page.key("a");
  assert.strictEqual(await text(page, "#stage-question"), question);
  await page.key("PageDown");
  await page.until(
    `state.stop === 5 && !byId("start").disabled && document.querySelectorAll("#stage #thumbs button").length === 5`,
  );
  await page.key("2");
  assert.strictEqual(await page.run(`view.head`), 2);
  await page.key("Escape");
  await page.until("!isOnStage()");
  await page.click('#thumbs [data-part="3"]'); // on the page as on the stage
  assert.deepStrictEqual(
    await page.run(
      `[view.head, document.querySelector('#thumbs [aria-pressed="true"]').dataset.part]`,
    ),
    [3, "3"],
  );
  await page.run(`location.hash = "stop=2&stage=bands"`); // one of its models has no attention
  await page.until(
    `isOnStage() && state.stop === 2 && !byId("start").disabled && document.querySelectorAll("#stage-pictures svg").length === 1`,
  );
  for (const [width, height] of [
    [1024, 768],
    [390, 844],
  ]) {
    await page.resize(width, height);
    await page.run(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    assert.deepStrictEqual(
      await page.run(`[...document.querySelectorAll("#stage-pictures > *, #stage-pictures svg")].map((node) => [node, node.getBoundingClientRect()])
      .filter(([node, at]) => at.width && (at.left < 0 || at.right > innerWidth || at.top < byId("stage-question").getBoundingClientRect().bottom))
      .map(([node]) => node.textContent)`),
      [],
      `pictures at ${width} x ${height}`,
    );
  }
  await page.run(
    `location.hash = ${JSON.stringify(`source=${encodeURIComponent('<img src=x onerror="window.pwned=1">')}&stage=matrix`)}`,
  );
  await page.until(
    `isOnStage() && !byId("start").disabled && document.querySelector("#stage svg")`,
  );
  assert.ok(await page.run(`byId("stage").textContent.includes("<img") && !window.pwned`));
  await page.key("p");
  await page.until("!isOnStage() && !location.hash.includes('stage')");
  await page.run(`location.hash = ""`);
  await page.until(`state.source === null && !byId("start").disabled`);
  await page.resize(1280, 900);
}

async function files(browser, page, folder) {
  const to = path.resolve(folder, "got");
  const saved = await page.run(last("step"));
  fs.mkdirSync(to, { recursive: true });
  await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: to });
  for (const [button, name] of [
    ["csv", "attention.csv"],
    ["svg", "attention.svg"],
    ["png", "attention.png"],
    ["save", "model.safetensors"],
    ["save-state", "last.safetensors"],
  ]) {
    await page.click(`#${button}`);
    for (let tries = 0; tries < 200 && !fs.existsSync(path.join(to, name)); tries++)
      await new Promise((done) => setTimeout(done, 50));
    assert.ok(fs.statSync(path.join(to, name)).size > 100, name);
  }
  await page.choose("#model-file", path.join(to, "model.safetensors"));
  await said(page, /^Loaded model.safetensors/, "a model that the page saved");

  // A training goes on from where it was saved, with its own settings.
  await page.run(`location.hash = "a=hidden=20"`);
  await page.until(`state.models[0].hidden === "20" && !byId("start").disabled`);
  await page.choose("#model-file", path.join(to, "last.safetensors"));
  await said(page, /^Loaded last.safetensors/, "a training that the page saved");
  assert.match(await text(page, "#caption"), new RegExp(`^update ${saved}`));
  assert.strictEqual(await page.run("state.models[0].hidden"), undefined);
  await page.click("#single");
  await page.until(`${last("step")} === ${saved + 1}`);
  assert.ok(await page.run(`${last("loss")} < 1`), "what was learned is lost");

  // Of another task: it is switched to. Of unknown pairs: a sentence, and what was there is kept.
  await page.run(`location.hash = "task=mono"`);
  await page.until(`state.task === "mono" && !byId("start").disabled`);
  await page.choose("#model-file", path.join(to, "last.safetensors"));
  await said(page, /^Loaded last.safetensors/, "a training of another task");
  assert.strictEqual(await page.run("state.task"), "reorder");
  await page.click("#single");
  await page.until(`${last("step")} === ${saved + 1}`);
  await page.choose("#model-file", path.join(folder, "made/last.safetensors"));
  await said(
    page,
    /last.safetensors.+No task of this page/,
    "a training of pairs that the page does not have",
  );
  assert.strictEqual(await page.run(last("step")), saved + 1, "a failed load loses what was there");

  // A model of another task, and one of words that no task has: sentences that it knows.
  await page.run(`location.hash = "task=length"`);
  await page.until(`state.task === "length" && !byId("start").disabled`);
  await page.choose("#model-file", path.join(to, "model.safetensors"));
  await said(page, /of words that it knows/, "a model of another task");
  assert.match(await text(page, "#sentence option"), /^1 {2}\w.+\.$/);
  assert.doesNotMatch(await text(page, "#translations"), /unknown/);
  await page.choose("#model-file", path.join(folder, "evil/best.safetensors"));
  await said(page, /of words that it knows/, "a model of its own words");
  assert.ok(
    await page.run(
      `held().every(({ source }) => source.split(" ").length <= 6) && byId("sentence").textContent.includes("<img")`,
    ),
    "other words",
  );
  assert.doesNotMatch(await text(page, "#translations"), /unknown/);
  assert.strictEqual(await page.run("typeof window.pwned"), "undefined");
  await page.click("#anew");
  await page.until(`!byId("start").disabled`);
  assert.ok(await page.run("held().length > 20 && training.about[0].held_out > 0"), "no way back");
  await page.run(`location.hash = ""`);
  await page.until(`state.task === "reorder" && !byId("start").disabled`);
}

// The two texts to copy, and a file dropped anywhere.
async function copies(browser, page, folder) {
  await browser.send("Browser.grantPermissions", {
    permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"],
  });
  for (const [button, pattern] of [
    ["link", /^file:.+playground\.html/],
    ["copy", /^softalign corpus reorder .+\n.+\nsoftalign train --train train\.tsv /],
  ]) {
    await page.run(`say("")`);
    await page.click(`#${button}`);
    await said(
      page,
      button === "link" ? /^Copied, but for this computer only/ : /^Copied\.$/,
      button,
    );
    assert.match(await page.run("navigator.clipboard.readText()"), pattern);
  }
  const { x, y } = await page.place("#panels");
  const data = { items: [], files: [path.resolve(folder, "pairs.tsv")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await page.send("Input.dispatchDragEvent", { type, x, y, data });
  await page.until(`byId("task").value === "" && !byId("start").disabled`);
  for (const step of [1, 2]) {
    await page.click("#single");
    await page.until(`${last("step")} === ${step}`);
  }
  await page.run(`byId("frame").focus()`);
  await page.key("Home");
  assert.match(await text(page, "#caption"), /^update 1\b/);
  const [source, target] = fs
    .readFileSync(path.resolve(folder, "pairs.tsv"), "utf8")
    .split("\n")[5]
    .split("\t");
  await page.key("End");
  await page.type("#source", source); // a pair of its own, also where it is typed
  await page.until(
    `document.querySelector("#translations .line:nth-child(2)").textContent.endsWith(${JSON.stringify(target)})`,
  );
  await page.click("#discard");
  await page.until(`byId("task").value === "reorder" && !byId("start").disabled`);
}

async function fits(page) {
  for (const width of [390, 1024, 1920]) {
    await page.resize(width, 800);
    await page.run(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    assert.ok(
      await page.run("document.documentElement.scrollWidth <= innerWidth"),
      `wider than a window of ${width}`,
    );
  }
  assert.deepStrictEqual(
    await page.run(`[...document.querySelectorAll("button, input, select, textarea")].filter((node) => !node.closest("[hidden]")
    && !(node.labels?.length || node.getAttribute("aria-label") || node.textContent.trim())).map((node) => node.outerHTML)`),
    [],
    "controls without a name",
  );
}

// Text stands out from what is behind it, and what has the focus from all else, in light and dark.
async function seen(page) {
  await page.run(`document.querySelectorAll("details").forEach((node) => { node.open = true; })`);
  await page.key("Tab"); // from now on the focus is shown
  for (const scheme of ["light", "dark"]) {
    await page.look(scheme);
    assert.deepStrictEqual(
      await page.run(`(() => {
      const parts = (color) => color.match(/[\\d.]+/g).map(Number);
      const light = (color) => parts(color).slice(0, 3).map((part) => { const c = part / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; })
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = (node) => { const color = getComputedStyle(node).backgroundColor; return parts(color)[3] === 0 && node.parentElement ? behind(node.parentElement) : color; };
      const ratio = (one, other) => { const [low, high] = [light(one), light(other)].sort((a, b) => a - b); return (high + 0.05) / (low + 0.05); };
      return [...document.querySelectorAll("body *:not(script, option, .value, title)")]
        .filter((node) => !node.disabled && node.checkVisibility({ visibilityProperty: true }) && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
        .map((node) => ({ node, ratio: ratio(node instanceof SVGElement ? getComputedStyle(node).fill : getComputedStyle(node).color, behind(node)) }))
        .filter((one) => !(one.ratio >= 4.5)).map((one) => one.node.outerHTML.slice(0, 120) + " " + one.ratio.toFixed(2));
    })()`),
      [],
      `too little contrast: ${scheme}`,
    );
  }
  await page.look("light");
  assert.deepStrictEqual(
    await page.run(`[...document.querySelectorAll("button, input, select, textarea, summary, [tabindex]")].filter((node) => !node.disabled && node.checkVisibility({ visibilityProperty: true }))
    .filter((node) => { node.focus(); return document.activeElement !== node || parseFloat(getComputedStyle(node).outlineWidth) < 2 || getComputedStyle(node).outlineStyle === "none"; })
    .map((node) => node.outerHTML.slice(0, 120))`),
    [],
    "a focus that is not seen",
  );
}

// All of it in Chromium; in Firefox what needs neither downloads nor the clipboard.
async function main(file, folder, command = "chromium") {
  const isFirefox = command.startsWith("firefox");
  const browser = isFirefox ? new Firefox() : new Browser(command);
  try {
    const size = fs.statSync(file).size;
    assert.ok(size <= 1.2e6, `${size} bytes`);
    if (isFirefox) await browser.start(command);
    const page = await browser.open(file, { width: 1280, height: 900 });
    await ready(page);
    await insight(page);
    await time(page);
    await inside(page);
    await cells(page);
    await unusual(page);
    await gradients(page);
    if (!isFirefox) {
      await files(browser, page, folder);
      await copies(browser, page, folder);
      await texts(page, folder);
      await refusals(page, folder);
      await settings(page);
    }
    await tour(page);
    await lectures(page);
    if (!isFirefox) {
      await fits(page);
      await seen(page);
    }
    assert.deepStrictEqual(
      isFirefox ? await page.heard() : page.complaints,
      [],
      "the page complains",
    );
    const requests = isFirefox
      ? await page.run(`performance.getEntriesByType("resource").map(({ name }) => name)`)
      : page.requests.slice(1);
    assert.deepStrictEqual(
      requests.filter((url) => !url.startsWith("blob:")),
      [],
      "the page asks for something",
    );
  } finally {
    await browser.close();
  }
}

main(...process.argv.slice(2)).catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
