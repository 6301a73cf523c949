// The library of the npm package, the paths of Windows, and the playground that the command serves.
//
//   node check_npm.mjs PACKAGE COMMAND
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, command] = process.argv.slice(2);
const from = (name) => import(pathToFileURL(`${folder}/${name}`));
const { corpus, info, load, train } = await from("index.mjs");
const { argumentToModule, toModule, toSystem } = await from("host.mjs");

// Training: the bits of the command, whatever the length of its parts; progress, and ways to end.
const pairs = await corpus("reorder", { pairs: 120, seed: 3 });
writeFileSync("library.tsv", pairs.map((pair) => `${pair.join("\t")}\n`).join(""));
const small = { hidden: 8, embed: 8, attn: 8, maxout: 4, shards: 1, dropout: 0.1 };
const moments = [];
const model = await train(pairs, { ...small, steps: 11, progress: (moment) => void moments.push(moment) });
assert.equal(model.about.step, 11);
assert.deepEqual(moments.at(-1).done, "steps");
execFileSync(process.execPath, [command, "train", "--train", "library.tsv", "--out", "library", "--steps", "11", "--max-time", "0",
  ...Object.entries(small).flatMap(([name, value]) => [`--${name}`, String(value)])], { stdio: "ignore" });
const theirs = await load("library/last.safetensors"), source = pairs[0][0];
assert.deepEqual(theirs.translate(source, { beam: 2 }), model.translate(source, { beam: 2 }));
assert.deepEqual(theirs.align(source), model.align(source));
assert.equal(theirs.explain(source), model.explain(source));
assert.match(model.svg(source), /^<svg|^<\?xml/);
assert.match(model.csv(source), /,/);
const again = await load(model.save());
assert.equal(again.translate(source).text, model.translate(source).text);
for (const bytes of [model.save().buffer, new Blob([model.save()]), pathToFileURL("library/best.safetensors")]) (await load(bytes)).close();

const state = (await train(pairs, { ...small, steps: 5 })).save({ state: true });
assert.deepEqual((await train(pairs, { ...small, steps: 11, resume: state })).save(), model.save());
assert.ok((await train(pairs, { ...small, progress: ({ step }) => step < 4 })).about.step >= 4);
assert.ok((await train(pairs, { ...small, seconds: 0.2 })).about.step >= 1);
const objects = pairs.map(([from, to]) => ({ source: from, target: to }));
await train(objects, { ...small, steps: 1, valid: pairs.slice(0, 9) });
await train(new Set(pairs), { ...small, steps: 1 });
assert.ok((await info()).tasks.some(({ name }) => name === "reorder"));

// What is wrong.
await assert.rejects(train(pairs, { hiden: 3 }), /unknown option 'hiden' \(did you mean 'hidden'\?\)/);
await assert.rejects(train({ en: "a", fr: "b" }), TypeError);
await assert.rejects(train(["ab", "cd"]), /pair 1: a pair is \[source, target\]/);
await assert.rejects(train([["a\tb", "c"]]), TypeError);
await assert.rejects(train(pairs, { ...small, tokenizer: "a b" }), /is one word/);
await assert.rejects(train(pairs, { ...small, signal: AbortSignal.abort() }), { name: "AbortError" });
await assert.rejects(train(pairs, { ...small, progress() { throw new RangeError("mine"); } }), /^RangeError: mine$/);
await assert.rejects(load(7), TypeError);
await assert.rejects(load("none.safetensors"), { code: "ENOENT" });
await assert.rejects(load(new Uint8Array(100)), Error);
model.close();
assert.throws(() => model.translate("a"), /was closed/);

// Windows.
const there = (path) => ["C:\\new", "a", "a\\b.tsv", "\\\\server\\share"].includes(path);
for (const [given, module, back] of [
  ["C:\\Data\\Ann Lee\\ä", "/C:/Data/Ann Lee/ä", "C:/Data/Ann Lee/ä"], ["D:\\", "/D:/", "D:/"],
  ["\\\\server\\share\\x", "/UNC/server/share/x", "//server/share/x"], ["\\\\?\\C:\\x", "/C:/x", "C:/x"],
  ["\\\\?\\UNC\\server\\x", "/UNC/server/x", "//server/x"]]) {
  assert.equal(toModule(given, "win32"), module);
  assert.equal(toSystem(module, "win32"), back);
}
assert.equal(toSystem("/C:/Data/Ann/D:/data/x.tsv", "win32"), "D:/data/x.tsv");
assert.equal(toSystem("/C:", "win32"), "C:/");
assert.equal(toSystem("/a/C:/b", "linux"), "/a/C:/b");
for (const [given, expected] of [
  ["C:\\new\\x.tsv", "C:/new/x.tsv"], ["--out=C:\\new\\run", "--out=C:/new/run"], ["a\\b.tsv,a\\c.tsv", "a/b.tsv,a/c.tsv"],
  ["a \\ b", "a \\ b"], ["\\\\server\\share\\x", "/UNC/server/share/x"], ["none\\x", "none\\x"]])
  assert.equal(argumentToModule(given, "win32", there), expected);
assert.equal(argumentToModule("a\\b.tsv", "linux", there), "a\\b.tsv");

// The playground.
const server = spawn(process.execPath, [command, "playground", "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
const [address] = /http:\S+/.exec(await new Promise((resolve) => server.stdout.once("data", (text) => resolve(String(text)))));
const page = await fetch(address);
assert.equal(await page.text(), readFileSync(`${folder}/playground.html`, "utf8"));
assert.equal((await fetch(`${address}../package.json`)).status, 404);
server.kill();
