// Trains models by softalign.wasm and compares them: with native_play, whose products are the same,
// bit by bit; with the command, whose products are OpenBLAS's, to 1e-4 in the loss of the first
// updates.
//
//   node compare_module.mjs MODULE NATIVE_PLAY COMMAND FOLDER
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const [module, native, command, folder] = process.argv.slice(2);
import { openModule } from "../../src/page/playground/module.js";
const { call, memory } = await openModule(readFileSync(module));

const UPDATES = 6;
const CLOSE = 3;
const TOLERANCE = 1e-4;
const source = "the young queen finds a horse.";
const small = "--hidden 12 --embed 10 --attn 8 --maxout 8 --ffn 20 --batch 16 --shards 1 --seed 7";
const models = [
  "",
  "--decoder luong --cell lstm --attention general --input-feeding",
  "--decoder cgru --cell rnn --attention dot --layers 2 --cell-norm",
  "--attention scaled-dot --heads 2 --normalizer null --dropout 0.2",
  "--normalizer entmax --entmax-alpha learned --encoder uni",
  "--normalizer sparsemax --attention cosine --heads 2",
  "--decoder luong --attention gaussian --window local-p --optimizer sgd",
  "--decoder fixed --reset after --optimizer adadelta --clip 1",
  "--model transformer --layers 2 --heads 2 --norm post --tie three-way --tokenizer bpe --bpe joint --bpe-merges 40",
  "--model transformer --heads 2 --positions rope --label-smoothing 0.1 --schedule inverse-sqrt --warmup 4",
];

const pairs = call("pairs", "reorder", 300, 5, "train", 0);
const file = `${folder}/pairs.tsv`;
writeFileSync(file, pairs);
assert.equal(
  pairs,
  execFileSync(command, ["corpus", "reorder", "--pairs", "300", "--seed", "5"], {
    encoding: "utf8",
  }),
);

// What native_play prints, as values.
function playNative(options) {
  const lines = execFileSync(native, [options, file, String(UPDATES), source], {
    encoding: "utf8",
  }).split("\n");
  return lines.filter((line) => line).map((line) => JSON.parse(line));
}

function playModule(options) {
  const results = [];
  const play = call("open", options, pairs, null, null, 0);
  for (let i = 0; i < UPDATES; i++) {
    const { loss, gradient_norm } = call("step", play, 1);
    results.push([loss, gradient_norm]);
  }
  try {
    results.push(call("align", play, source, null, null, null));
  } catch (error) {
    // this model does not attend
    results.push({ error: error.message });
  }
  results.push(call("translate", play, source, "--beam 3", null));
  const saved = call("save", play, 0);
  let sum = 0;
  for (const byte of saved) sum = (sum * 31 + byte) % 4294967291;
  results.push([saved.length, sum]);
  const again = call("load", saved);
  assert.deepEqual(call("translate", again, source, "--beam 3", null), results.at(-2));
  call("close", again);
  call("close", play);
  return results;
}

// The training loss of the first updates, from the command's log.
function lossesOfCommand(options) {
  execFileSync(
    command,
    [
      "train",
      "--train",
      file,
      "--out",
      `${folder}/run`,
      "--overwrite",
      "--threads",
      "1",
      "--steps",
      String(CLOSE),
      "--valid-every",
      "1",
      ...options.split(" ").filter((word) => word),
    ],
    { stdio: "ignore" },
  );
  const [header, ...rows] = readFileSync(`${folder}/run/log.csv`, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  return rows.map((row) => Number(row[header.indexOf("train_loss")]));
}

for (const model of models) {
  const options = `${small} ${model}`.trim();
  const ours = playModule(options);
  assert.deepEqual(ours, playNative(options), `the module and the native program differ: ${model}`);
  const losses = lossesOfCommand(options);
  const worst = Math.max(...losses.map((loss, i) => Math.abs(loss - ours[i][0])));
  assert.equal(losses.length, CLOSE);
  assert(worst <= TOLERANCE, `the losses differ by ${worst} from the command's: ${model}`);
  console.log(`equal bits; ${worst.toExponential(1)} from OpenBLAS: ${model || "the defaults"}`);
}

// A training that goes on from its state has the bits of one that never stopped, validations
// included.
const options = `${small} --valid-every 2`;
const whole = call("open", options, pairs, null, null, 0);
call("step", whole, 3);
const state = call("save", whole, 1);
const resumed = call("open", options, pairs, null, state);
const figures = ({ loss, gradient_norm, validation }) => [
  loss,
  gradient_norm,
  validation.loss,
  validation.bleu,
];
assert.deepEqual(figures(call("step", resumed, 3)), figures(call("step", whole, 3)));
assert.deepEqual(call("save", resumed, 0), call("save", whole, 0));
console.log("equal bits after saving and opening a training's state");

// Measuring, in parts between the updates, changes no bits of a training, and its figures are those
// of the weights at its beginning.
const measured = call("open", small, pairs, null, null, 0);
const alone = call("open", small, pairs, null, null, 0);
const all = call("validate", measured, 9, 0);
assert.deepEqual(call("validate", measured, 9, 0), all);
assert.equal(call("validate", measured, 9, 4), null);
call("step", measured, 1);
assert.equal(call("validate", measured, 9, 4), null);
call("step", measured, 1);
for (const [name, value] of Object.entries(call("validate", measured, 9, 4)))
  if (name === "roles") assert.deepEqual(value, all.roles);
  // one sentence's products sum in another order
  else assert(Math.abs(value - all[name]) < 1e-6, `${name}: ${value}, all at once ${all[name]}`);
assert.equal(call("validate", measured, 9, 0).step, 2);
call("step", alone, 2);
assert.deepEqual(call("save", measured, 0), call("save", alone, 0));
assert(
  all.gold > 0 &&
    all.gold < 1 &&
    all.moved_links > 0 &&
    all.moved_links < all.links &&
    all.sentences === 9,
  JSON.stringify(all),
);
console.log("measuring leaves the training as it is");

const steps = JSON.parse(call("explain", whole, "a king", null, "--steps"));
assert(
  steps.some(({ name }) => name === "alpha_ij"),
  steps.map(({ name }) => name).join(),
);
for (const { name, numbers } of steps)
  assert(numbers.length && numbers.every((row) => row.length === numbers[0].length), name);

// What is wrong is said in a sentence, and the model goes on.
const wrong = [
  ["open", "--hiden 3", pairs, null, null, 0],
  ["open", "--hidden 8192", pairs, null, null, 0],
  ["open", small, "no tab\n", null, null, 0],
  ["open", small, "", null, null, 0],
  ["open", small, "x".repeat(2000000), null, null, 0],
  ["open", small, call("pairs", "copy", 50, 1, "train", 0), null, state],
  ["load", state.slice(0, 700)],
  ["load", new Uint8Array([31, 139, 8, 0])],
  ["load", state.map((byte, i) => (i === 3000 ? ~byte : byte))],
  ["translate", whole, "a king", "--beam none", null],
  ["align", whole, "a king", null, "--site nowhere", null],
  ["explain", whole, "a king", "un roi", "--step 9"],
  ["break", "no such term"],
  ["pair", whole, 100000],
];
for (const [name, ...values] of wrong)
  assert.throws(
    () => call(name, ...values),
    (error) =>
      error instanceof Error &&
      !(error instanceof WebAssembly.RuntimeError) &&
      error.message.length > 10 &&
      !error.message.includes("\n"),
    name,
  );
call("step", whole, 1);
assert.throws(() => memory.grow(16384), RangeError, "the module may take more than a gigabyte");

// Terms of the backward pass: learning without one, and the gradient check that finds it.
const check = "--hidden 3 --embed 3 --attn 3 --maxout 2";
assert.equal(call("gradcheck", check, null).ok, true);
assert.equal(call("gradcheck", check, "attention.keys").ok, false);
const trained = (term) => {
  call("break", term);
  const play = call("open", small, pairs, null, null, 0);
  const { gradient_norm } = call("step", play, 1);
  call("break", null);
  call("close", play);
  return gradient_norm;
};
assert.equal(trained(null), playModule(small)[0][1]);
assert.notEqual(trained("attention.keys"), trained(null));
console.log("faults are told, and backward terms left out");
