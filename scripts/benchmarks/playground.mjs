// Words per second of the playground's module against the command on one core, for three sizes, as a
// table. On a machine that does nothing else:
//
//   scripts/playground && node scripts/benchmarks/playground.mjs build/web/softalign.wasm build/release/softalign
import {execFileSync} from "node:child_process";
import {createRequire} from "node:module";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const [module, command] = process.argv.slice(2);
const {openModule} = createRequire(import.meta.url)("../../src/web/module.js");
const {call} = await openModule(readFileSync(module));

const sizes = [ // embedding, hidden, alignment, maxout, batch; updates that are measured
  [32, 48, 32, 32, 16, 600],
  [64, 128, 64, 64, 32, 150],
  [128, 256, 128, 128, 64, 50],
];
const folder = mkdtempSync(join(tmpdir(), "playground-"));
const pairs = call("pairs", "reorder", 17500, 1, "train", 9), file = join(folder, "pairs.tsv");
writeFileSync(file, pairs);

function speedOfModule(options, updates) {
  const play = call("open", options, pairs, null, null, 0);
  call("step", play, Math.ceil(updates / 5)); // until the engine has compiled what is used
  const {words, seconds} = call("step", play, updates);
  call("close", play);
  return words / seconds;
}

function speedOfCommand(options, updates) {
  const run = join(folder, "run");
  execFileSync(command, ["train", "--train", file, "--out", run, "--overwrite", "--threads", "1", "--steps", String(updates),
    ...options.split(" ")], {stdio: "ignore"});
  const [names, figures] = readFileSync(join(run, "log.csv"), "utf8").split("\n").map(line => line.split(","));
  return Number(figures[names.indexOf("words")]) / Number(figures[names.indexOf("updating")]);
}

console.log("| embedding, hidden, alignment, maxout, batch | module, words/s | command, words/s | ratio |\n|---|---|---|---|");
for (const [embed, hidden, attn, maxout, batch, updates] of sizes) {
  const options = `--embed ${embed} --hidden ${hidden} --attn ${attn} --maxout ${maxout} --batch ${batch} --shards 1 --valid-every 1000000`;
  const ours = speedOfModule(options, updates), theirs = speedOfCommand(options, updates);
  console.log(`| ${embed}, ${hidden}, ${attn}, ${maxout}, ${batch} | ${Math.round(ours)} | ${Math.round(theirs)} | ${(ours / theirs).toFixed(2)} |`);
}
rmSync(folder, {recursive: true});
