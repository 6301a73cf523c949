// A training in the playground: start, pause, the past, equations, gradients.
"use strict";
const assert = require("node:assert");
const { choose, count, last, text } = require("./page_tools.js");

// What a training with the usual settings has learned: its settings, and the shares that the answer
// of the third stop names, as the table shows them.
const learned = { settings: "", shares: [] };

const settingsOf = (page) =>
  page.run(
    "JSON.stringify([state.task, state.pairs, state.longest, state.own, state.grammar, state.models, training.broken])",
  );

async function keepLearned(page) {
  await page.until(`${last("held?.step")} >= 300`);
  learned.settings = await settingsOf(page);
  learned.shares =
    await page.run(`[[50, "moved"], [100, "moved"], [300, "moved"], [100, "exact"], [200, "exact"]].map(([at, name]) =>
    past.moments.find(({ frames: [{ step }] }) => step === at).frames[0].held[name]).map((share) => fixed(100 * share, 1))`);
}

// One click; how long until the word order is seen, and until the unseen sentences are right.
async function insight(page) {
  await page.click("#start");
  const order = await page.until(`${last("held?.moved")} > 0.5`);
  const begin = performance.now();
  await keepLearned(page);
  await page.until(`${last("held?.exact")} >= 0.95`);
  const right = order + performance.now() - begin;
  const rate = await page.run(
    `new Promise((done) => { const from = past.moments.length, step = ${last("step")}; setTimeout(() => done([past.moments.length - from, ${last("speed")}]), 1000); })`,
  );
  console.log(
    `word order after ${(order / 1000).toFixed(1)} s, 300 updates and 95 % exact after ${(right / 1000).toFixed(1)} s, ${rate[0]} pictures and ${rate[1].toFixed(0)} words per second`,
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
  await page.run(`call("info")`); // the worker has heard it
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

// The animation of the step: it plays slowly, can be paused, ends at the weights of the row and at
// their weighted sum, and stands still where motion is to be reduced.
async function flowing(page) {
  const at = () => page.run(`Number(document.querySelector("#flow input").value)`);
  await page.until(`document.querySelector("#flow svg")`);
  await page.until(`Number(document.querySelector("#flow input").value) > 0.05`);
  await page.click("#flow button");
  const paused = await at();
  await page.run("new Promise((done) => setTimeout(done, 200))");
  assert.ok((await at()) === paused && paused < 3, `a paused flow is at ${paused}`);
  await page.run(
    `{ const slider = document.querySelector("#flow input"); slider.value = 4; slider.dispatchEvent(new Event("input")); }`,
  );
  const row = await page.run(
    "view.frames[0].rows.indexOf(/“(.+)”/.exec(byId('flow').textContent)[1])",
  );
  assert.deepStrictEqual(
    await page.run(
      `[...document.querySelectorAll("#flow svg > text")].map((node) => node.textContent).filter((text) => /^\\d\\.\\d\\d$/.test(text))`,
    ),
    await page.run(
      `Array.from(view.frames[0].weights).slice(${row} * view.frames[0].columns.length).slice(0, view.frames[0].columns.length).map((weight) => fixed(weight, 2))`,
    ),
  );
  assert.strictEqual(
    await page.run(
      `[...document.querySelectorAll("#flow svg > text")].filter((node) => /^[-−]?\\d+\\.\\d$/.test(node.textContent)).length`,
    ),
    await page.run("view.frames[0].columns.length"),
    "a number beside each score",
  );
  if (page.heard) return; // Firefox cannot be told to reduce motion
  await page.send("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-reduced-motion", value: "reduce" }],
  });
  await page.run(`actsOf(0).pick(2, 0)`);
  await page.until(
    `/“${await page.run("view.frames[0].rows[2]")}”/.test(byId("flow").textContent)`,
  );
  await page.run("new Promise((done) => setTimeout(done, 200))");
  assert.strictEqual(await at(), 4, "it moves");
  await page.look("light");
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
  await flowing(page);
  await page.click("#panels .catch:nth-last-child(2)");
  await page.until(`byId("equation-title").textContent.length > 0`);
  await page.run(`byId("numbers").querySelector("summary").focus()`);
  await page.key("Enter");
  await page.until(`document.querySelectorAll("#matrix-table td").length > 10`);

  const free = await text(page, "#translations .line:nth-child(3) bdi");
  await choose(page, "#force", "uniform");
  assert.strictEqual(await text(page, "#equation"), "", "the equation of other weights stays");
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
  await page.until(`!byId("broken").hidden`);
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
  await page.until(`byId("broken").hidden`);
}

module.exports = { cells, gradients, inside, insight, learned, settingsOf, time, unusual };
