// RNNsearch in TensorFlow.js, trained on softalign's own batches, as torch_peer.py does in PyTorch:
//
//   node scripts/dev/bench/tfjs_peer.mjs MODULES BATCHES m,n,n',l wasm|cpu [WARM]
//
// MODULES is a folder where npm installed @tensorflow/tfjs and @tensorflow/tfjs-backend-wasm;
// BATCHES is what the tool `batches` wrote. Prints "WORDS SECONDS FIRST-LOSS LAST-LOSS": target
// words and seconds of processor time of the batches after the first WARM ones (1), and losses per
// word.
//
// In TensorFlow.js's favour: the reset gate is applied after U, so that a step has one product;
// input products, keys, read-out and loss stand outside the loops; batches are padded, not packed.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, path, sizes, backend, warm = "1"] = process.argv.slice(2);
const load = createRequire(join(resolve(modules), "package.json"));
const tf = load("@tensorflow/tfjs");
if (backend === "wasm") {
  const { setWasmPaths } = load("@tensorflow/tfjs-backend-wasm");
  setWasmPaths(join(resolve(modules), "node_modules/@tensorflow/tfjs-backend-wasm/dist/"));
}
await tf.setBackend(backend);

const [m, n, attention, l] = sizes.split(",").map(Number);
const [numbers, ...lines] = readFileSync(path, "ascii").trimEnd().split("\n");
const [sourceWords, targetWords] = numbers.split(" ").map(Number);

function batchesOf(rows) {
  const batches = [];
  for (let at = 0; at < rows.length; at += batches.at(-1).length + 1)
    batches.push(
      rows.slice(at + 1, at + 1 + Number(rows[at])).map((row) => {
        const [source, , ...ids] = row.trim().split(/ +/).map(Number);
        return [ids.slice(0, source), ids.slice(source)];
      }),
    );
  return batches;
}

const weight = (rows, cols) =>
  tf.variable(tf.randomUniform([rows, cols], -Math.sqrt(3 / rows), Math.sqrt(3 / rows)));
const linear = (inputs, outputs) => ({
  W: weight(inputs, outputs),
  b: tf.variable(tf.zeros([outputs])),
});
const apply = ({ W, b }, x) => x.matMul(W).add(b);
const gru = (inputs) => ({ input: linear(inputs, 3 * n), state: linear(n, 3 * n) });
const model = {
  source: weight(sourceWords, m),
  target: weight(targetWords, m),
  forward: gru(m),
  backward: gru(m),
  start: linear(n, n),
  keys: linear(2 * n, attention),
  query: linear(n, attention),
  energy: weight(attention, 1),
  decoder: gru(m + 2 * n),
  readout: linear(3 * n + m, 2 * l),
  words: linear(l, targetWords),
};

// Rows of a table of embeddings. The gradient of tf.gather has no kernel in WebAssembly; scatterND
// sums the rows of equal words.
const embedded = (table, ids) =>
  tf.customGrad((E) => ({
    value: tf.gather(E, ids),
    gradFunc: (dy) => tf.scatterND(ids.reshape([-1, 1]), dy.reshape([-1, m]), E.shape),
  }))(table);

// The state after a step, from the input's products [B x 3n]; where `seen` is 0, the state stays.
function step(cell, products, s, seen) {
  const [zx, rx, candidate] = tf.split(products, 3, 1);
  const [zs, rs, state] = tf.split(apply(cell.state, s), 3, 1);
  const z = zx.add(zs).sigmoid();
  const next = candidate.add(rx.add(rs).sigmoid().mul(state)).tanh();
  const after = s.add(z.mul(next.sub(s)));
  return seen ? s.add(seen.mul(after.sub(s))) : after;
}

// The states [B x n] of all words, in their order.
function run(cell, x, seen, order) {
  const [B, S] = x.shape;
  const products = tf.unstack(apply(cell.input, x.reshape([B * S, m])).reshape([B, S, 3 * n]), 1);
  const states = new Array(S);
  let s = tf.zeros([B, n]);
  for (const j of order) states[j] = s = step(cell, products[j], s, seen[j]);
  return states;
}

function loss({ sources, mask, previous, wanted, weights, words }) {
  const [B, S] = sources.shape;
  const T = previous.shape[1];
  const x = embedded(model.source, sources);
  const seen = tf.unstack(mask.expandDims(2), 1);
  const places = [...Array(S).keys()];
  const onward = run(model.forward, x, seen, places);
  const back = run(model.backward, x, seen, [...places].reverse());
  const h = tf.concat([tf.stack(onward, 1), tf.stack(back, 1)], 2);
  const keys = apply(model.keys, h.reshape([B * S, 2 * n])).reshape([B, S, attention]);
  const hidden = mask.sub(1).mul(1e9);
  const y = embedded(model.target, previous);
  let s = apply(model.start, back[0]).tanh();
  const rows = tf.unstack(y, 1).map((word) => {
    const tanh = keys.add(apply(model.query, s).expandDims(1)).tanh();
    const e = tanh
      .reshape([B * S, attention])
      .matMul(model.energy)
      .reshape([B, S]);
    const c = tf
      .softmax(e.add(hidden))
      .expandDims(1)
      .matMul(h)
      .reshape([B, 2 * n]);
    s = step(model.decoder, apply(model.decoder.input, tf.concat([word, c], 1)), s);
    return tf.concat([s, word, c], 1);
  });
  const read = apply(model.readout, tf.stack(rows, 1).reshape([B * T, 3 * n + m]));
  const logits = apply(model.words, read.reshape([B * T, l, 2]).max(2));
  const picked = tf
    .logSoftmax(logits)
    .mul(tf.oneHot(wanted.reshape([B * T]), targetWords))
    .sum(1);
  return picked
    .mul(weights.reshape([B * T]))
    .sum()
    .div(-words);
}

function padded(sentences) {
  const longest = Math.max(...sentences.map((ids) => ids.length));
  return sentences.map((ids) => [...ids, ...Array(longest - ids.length).fill(0)]);
}

function tensors(pairs) {
  const [sources, targets] = [0, 1].map((side) => pairs.map((pair) => pair[side]));
  const ones = (sentences) => tf.tensor2d(padded(sentences.map((ids) => ids.map(() => 1))));
  return {
    sources: tf.tensor2d(padded(sources), undefined, "int32"),
    mask: ones(sources),
    previous: tf.tensor2d(
      padded(targets.map((ids) => [2, ...ids.slice(0, -1)])),
      undefined,
      "int32",
    ),
    wanted: tf.tensor2d(padded(targets), undefined, "int32"),
    weights: ones(targets),
    words: targets.reduce((sum, ids) => sum + ids.length, 0),
  };
}

const adam = tf.train.adam(0.002);
const losses = [];
let words = 0;
let begin = 0;
const spent = () => process.cpuUsage().user / 1e6;
for (const [at, pairs] of batchesOf(lines).entries()) {
  if (at === Number(warm)) [begin, words] = [spent(), 0];
  tf.tidy(() => {
    const batch = tensors(pairs);
    const { value, grads } = tf.variableGrads(() => loss(batch));
    const norm = Object.values(grads).reduce((sum, g) => sum.add(g.square().sum()), tf.scalar(0));
    const scale = tf.minimum(1, tf.scalar(1).div(norm.sqrt()));
    for (const name of Object.keys(grads)) grads[name] = grads[name].mul(scale);
    adam.applyGradients(grads);
    words += batch.words;
    losses.push(value.dataSync()[0]);
  });
}
console.log(words, (spent() - begin).toFixed(3), losses[0].toFixed(4), losses.at(-1).toFixed(4));
