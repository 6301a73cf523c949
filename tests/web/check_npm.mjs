// The library of the npm package, the paths of Windows, and the playground that the command serves.
//
//   node check_npm.mjs PACKAGE COMMAND [BROWSER]
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { Browser, serve } = createRequire(import.meta.url)("../support/browser.js");
const [folder, command, browser] = process.argv.slice(2);
const from = (name) => import(pathToFileURL(`${folder}/${name}`));
const { corpus, info, load, train } = await from("index.mjs");
const { argumentToModule, toModule, toSystem } = await from("host_paths.mjs");

// Training: the bits of the command, whatever the length of its parts; progress, and ways to end.
const pairs = await corpus("reorder", { pairs: 120, seed: 3 });
writeFileSync("library.tsv", pairs.map((pair) => `${pair.join("\t")}\n`).join(""));
const small = { hidden: 8, embed: 8, attn: 8, maxout: 4, shards: 1, dropout: 0.1 };
const moments = [];
const model = await train(pairs, {
  ...small,
  steps: 11,
  progress: (moment) => void moments.push(moment),
});
assert.equal(model.about.step, 11);
assert.deepEqual(moments.at(-1).done, "steps");
execFileSync(
  process.execPath,
  [
    command,
    "train",
    "--train",
    "library.tsv",
    "--out",
    "library",
    "--steps",
    "11",
    "--max-time",
    "0",
    ...Object.entries(small).flatMap(([name, value]) => [`--${name}`, String(value)]),
  ],
  { stdio: "ignore" },
);
const theirs = await load("library/last.safetensors");
const source = pairs[0][0];
assert.deepEqual(theirs.translate(source, { beam: 2 }), model.translate(source, { beam: 2 }));
assert.deepEqual(theirs.align(source), model.align(source));
assert.equal(theirs.explain(source), model.explain(source));
assert.match(model.svg(source), /^<svg|^<\?xml/);
assert.match(model.csv(source), /,/);
const saved = model.save();
const again = await load(saved);
assert.equal(again.translate(source).text, model.translate(source).text);
for (const bytes of [
  model.save().buffer,
  new Blob([model.save()]),
  pathToFileURL("library/best.safetensors"),
])
  (await load(bytes)).close();

const state = (await train(pairs, { ...small, steps: 5 })).save({ state: true });
assert.deepEqual((await train(pairs, { ...small, steps: 11, resume: state })).save(), model.save());
assert.ok((await train(pairs, { ...small, progress: ({ step }) => step < 4 })).about.step >= 4);
assert.ok((await train(pairs, { ...small, seconds: 0.2 })).about.step >= 1);
const objects = pairs.map(([from, to]) => ({ source: from, target: to }));
await train(objects, { ...small, steps: 1, valid: pairs.slice(0, 9) });
await train(new Set(pairs), { ...small, steps: 1 });
assert.ok((await info()).tasks.some(({ name }) => name === "reorder"));

// A model that was closed gives its memory back: the next ones take no more.
const taken = [];
for (let i = 0; i < 3; i++) {
  (await train(pairs, { ...small, hidden: 96, embed: 96, steps: 2 })).close();
  taken.push(process.memoryUsage().external);
}
assert.ok(taken[2] < taken[0] + 1e6, `memory grows: ${taken}`);

// What is wrong.
await assert.rejects(
  train(pairs, { hiden: 3 }),
  /unknown option 'hiden' \(did you mean 'hidden'\?\)/,
);
await assert.rejects(train({ en: "a", fr: "b" }), TypeError);
await assert.rejects(train(["ab", "cd"]), /pair 1: a pair is \[source, target\]/);
await assert.rejects(train([["a\tb", "c"]]), TypeError);
await assert.rejects(train(pairs, { ...small, tokenizer: "a b" }), /is one word/);
await assert.rejects(train(pairs, { ...small, signal: AbortSignal.abort() }), {
  name: "AbortError",
});
await assert.rejects(
  train(pairs, {
    ...small,
    progress() {
      throw new RangeError("mine");
    },
  }),
  /^RangeError: mine$/,
);
await assert.rejects(load(7), TypeError);
await assert.rejects(load("none.safetensors"), { code: "ENOENT" });
await assert.rejects(load(new Uint8Array(100)), Error);
model.close();
assert.throws(() => model.translate("a"), /was closed/);

// Windows.
const there = (path) => ["C:\\new", "a", "a\\b.tsv", "\\\\server\\share"].includes(path);
for (const [given, module, back] of [
  ["C:\\Data\\Ann Lee\\ä", "/C:/Data/Ann Lee/ä", "C:/Data/Ann Lee/ä"],
  ["D:\\", "/D:/", "D:/"],
  ["\\\\server\\share\\x", "/UNC/server/share/x", "//server/share/x"],
  ["\\\\?\\C:\\x", "/C:/x", "C:/x"],
  ["\\\\?\\UNC\\server\\x", "/UNC/server/x", "//server/x"],
]) {
  assert.equal(toModule(given, "win32"), module);
  assert.equal(toSystem(module, "win32"), back);
}
assert.equal(toSystem("/C:/Data/Ann/D:/data/x.tsv", "win32"), "D:/data/x.tsv");
assert.equal(toSystem("/C:", "win32"), "C:/");
assert.equal(toSystem("/a/C:/b", "linux"), "/a/C:/b");
for (const [given, expected] of [
  ["C:\\new\\x.tsv", "C:/new/x.tsv"],
  ["--out=C:\\new\\run", "--out=C:/new/run"],
  ["a\\b.tsv,a\\c.tsv", "a/b.tsv,a/c.tsv"],
  ["a \\ b", "a \\ b"],
  ["\\\\server\\share\\x", "/UNC/server/share/x"],
  ["none\\x", "none\\x"],
])
  assert.equal(argumentToModule(given, "win32", there), expected);
assert.equal(argumentToModule("a\\b.tsv", "linux", there), "a\\b.tsv");

// In a page, as a module of a static server.
if (browser) {
  const files = await serve(folder);
  const chromium = new Browser();
  writeFileSync(`${folder}/page.html`, "<!doctype html><title>softalign</title>");
  try {
    const tab = await chromium.open(`${files.address}page.html`);
    const state = JSON.stringify(Array.from(saved));
    assert.equal(
      await tab.run(`import("/index.mjs").then(async ({ corpus, load, train }) => {
      const model = await train(await corpus("reorder", { pairs: 120, seed: 3 }), ${JSON.stringify({ ...small, steps: 11 })});
      const bytes = model.save(), same = new Uint8Array(${state});
      if (bytes.length !== same.length || bytes.some((byte, i) => byte !== same[i])) throw new Error("other bits than in Node");
      return (await load(bytes)).translate(${JSON.stringify(source)}).text;
    })`),
      again.translate(source).text,
    );
    assert.deepEqual(
      tab.complaints.filter((text) => !text.includes("404")),
      [],
    ); // of an icon
  } finally {
    await chromium.close();
    files.close();
  }
}

// The playground.
const server = spawn(process.execPath, [command, "playground", "--no-open"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [address] = /http:\S+/.exec(
  await new Promise((resolve) => server.stdout.once("data", (text) => resolve(String(text)))),
);
const page = await fetch(address);
assert.equal(await page.text(), readFileSync(`${folder}/playground.html`, "utf8"));
assert.equal((await fetch(`${address}../package.json`)).status, 404);
server.kill();
