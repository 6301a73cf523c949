// The weights of models with layers and heads, and how well they align.

import { byId } from "../dom.js";
import { entropyOf, rowOf } from "../numbers.js";
import { page, unpack } from "./data.js";

const LAST = 99; // nats, more than any row has
const cross = (page.site ?? "cross") === "cross";

// Returns what a method of attribution gives, in its unit.
function scores(model, entry, method, count) {
  entry.unpacked ??= unpack(entry.heads, model.heads * count);
  const scale = entry.scales[method];
  return rowOf(entry.unpacked, method, count).map((share) => share * scale);
}

// The units of attributions; the other methods give weights.
const UNITS = {
  gradient: "norm of the gradient",
  "input-x-gradient": "nats",
  "integrated-gradients": "nats",
  occlusion: "nats",
  norms: "norm",
  "value-zeroing": "distance",
};

// Returns the unit of a model's matrices, or "" for weights.
export const unitOf = (model) => {
  const { head } = model.methods ? chosenPart(model) : { head: 0 };
  return UNITS[model.methods?.[Math.max(head, 1) - 1]] ?? "";
};

// Returns the matrix of one layer and head, from 1; 0 stands for the mean over layers, over heads.
export function part(model, entry, layer, head, count) {
  if (model.methods) return scores(model, entry, Math.max(head, 1) - 1, count);
  if (!entry.heads || (layer === 0 && head === 0)) return unpack(entry.mean, count);
  entry.unpacked ??= unpack(entry.heads, model.layers * model.heads * count);
  if (layer && head) return rowOf(entry.unpacked, (layer - 1) * model.heads + head - 1, count);
  const chosen = [];
  for (let l = 0; l < model.layers; l++)
    for (let h = 0; h < model.heads; h++)
      if ((layer === 0 || l === layer - 1) && (head === 0 || h === head - 1))
        chosen.push((l * model.heads + h) * count);
  return Float32Array.from(
    { length: count },
    (_, i) => chosen.reduce((sum, at) => sum + entry.unpacked[at + i], 0) / chosen.length,
  );
}

export const entryOf = (model, i) => page.matrices[model.index]?.[i];

export const wordsOf = (entry, i) => ({ ...page.sentences[i], ...entry.words });

// Adds to the counts of the alignment error rate, as softalign eval counts, but from thousandths. A
// target word is linked to the source word of its largest weight, unless it has none or a null key,
// whose weight the row lacks, has more.
function addLinks(counts, weights, words, model) {
  const columns = words.source.length;
  const sure = new Set();
  const possible = new Set();
  const end = words.source.at(-1) === "</s>" && words.target.at(-1) === "</s>" ? 1 : 0;
  for (const [s, t, maybe] of words.gold) (maybe ? possible : sure).add(t * columns + s);
  counts.all += sure.size;
  for (let t = 0; t + end < words.target.length; t++) {
    const row = rowOf(weights, t, columns);
    const own = row.subarray(0, columns - end);
    const most = Math.max(...own);
    const lacks = model.null_key ? 1 - row.reduce((sum, weight) => sum + weight, 0) : 0;
    if (most <= 0 || lacks > most + columns / 2000) continue;
    const at = t * columns + own.indexOf(most);
    counts.all++;
    counts.found += 2 * sure.has(at) + possible.has(at);
  }
}

const errorRate = (counts) => (counts.all ? 1 - counts.found / counts.all : NaN);

export function aerOf(model, weights, words) {
  const counts = { all: 0, found: 0 };
  if (words.gold?.length) addLinks(counts, weights, words, model);
  return errorRate(counts);
}

// Returns the mean weight of target words with gold links on them; NaN without any.
export function goldShare(weights, { source, gold = [] }) {
  const linked = new Set(gold.map(([, t]) => t)).size;
  return gold.reduce((sum, [s, t]) => sum + weights[t * source.length + s], 0) / (linked || NaN);
}

// Returns how sharp the rows are: of cross-attention minus their mean entropy, after all others if
// their largest weights are on fewer than half of the source words; of self-attention the mean of
// the largest weights, times the fraction of words that have one, without those on the word itself.
function sharpness(weights, words) {
  const columns = words.source.length;
  const rows = words.target.length;
  const seen = new Set();
  let sum = 0;
  for (let t = 0; t < rows; t++) {
    const row = Array.from(rowOf(weights, t, columns), (weight, s) =>
      !cross && s === t ? 0 : weight,
    );
    const most = Math.max(...row);
    const at = row.indexOf(most);
    sum += most;
    if (at + 1 < columns) seen.add(at);
  }
  const varied = seen.size / Math.max(Math.min(rows, columns) - 1, 1);
  return cross ? -entropyOf(weights) / rows - (varied < 0.5 ? LAST : 0) : (sum / rows) * varied;
}

// Returns the layer and head to begin with: least AER where there are gold links, else the
// sharpest.
export function sharpest(model) {
  if (model.sharpest) return model.sharpest;
  model.sharpest = { layer: 0, head: 0 };
  let best = -Infinity;
  const entries = (page.matrices[model.index] ?? [])
    .map((entry, i) => [entry, wordsOf(entry, i)])
    .filter(([entry]) => entry.heads);
  const gold = entries.some(([, words]) => words.gold?.length);
  for (let layer = 1; entries.length && layer <= model.layers; layer++)
    for (let head = 1; head <= model.heads; head++) {
      const counts = { all: 0, found: 0 };
      let merit = 0;
      for (const [entry, words] of entries) {
        const weights = part(model, entry, layer, head, words.source.length * words.target.length);
        if (gold && words.gold?.length) addLinks(counts, weights, words, model);
        else if (!gold) merit += sharpness(weights, words) / entries.length;
      }
      if (gold) merit = -errorRate(counts);
      if (merit > best) {
        best = merit;
        model.sharpest = { layer, head };
      }
    }
  return model.sharpest;
}

// Returns the chosen layer and head. -1 on a slider stands for the sharpest, 0 for the mean.
export function chosenPart(model) {
  const choice = (name, most) => {
    const number = most < 2 && Number(byId(name).value) > 0 ? 1 : Number(byId(name).value);
    return number < 0 ? sharpest(model)[name] : Math.min(number, most);
  };
  const layer = choice("layer", model.layers);
  const head = choice("head", model.heads);
  return { layer, head };
}

export const weightsOf = (model, entry, words) => {
  const { layer, head } = chosenPart(model);
  return part(model, entry, layer, head, words.source.length * words.target.length);
};
