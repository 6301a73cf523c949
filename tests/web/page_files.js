// What the playground saves, loads and copies.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { last, said, text } = require("./page_tools.js");

async function saving(browser, page, to) {
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
}

async function goingOn(page, folder, to, saved) {
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
}

async function otherModels(page, folder, to) {
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

async function files(page, folder, browser) {
  const to = path.resolve(folder, "got");
  const saved = await page.run(last("step"));
  await saving(browser, page, to);
  await goingOn(page, folder, to, saved);
  await otherModels(page, folder, to);
}

// The two texts to copy, and a file dropped anywhere.
async function copies(page, folder, browser) {
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

module.exports = { copies, files };
