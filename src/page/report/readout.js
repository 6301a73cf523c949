// The readout of a cell.

import { html } from "../dom.js";
import { entropyOf } from "../numbers.js";
import { word } from "../text.js";
import { unpack } from "./data.js";
import { view } from "./view.js";
import { entryOf, unitOf } from "./weights.js";

// Returns the weight that a normalizer gives to no word, and how many words get none. The page has
// thousandths.
function beside({ settings: { normalizer } }, row) {
  const sum = row.reduce((all, weight) => all + weight, 0);
  const zeros = row.filter((weight) => weight === 0).length;
  const below = row.filter((weight) => weight < 0).length;
  if (below) return [`, ${below} of ${row.length} weights are negative (the other color)`];
  if (["null", "null-key", "sink"].includes(normalizer))
    return [`, null key ${Math.max(0, 1 - sum).toFixed(2)}`];
  return ["sparsemax", "entmax", "softpick"].includes(normalizer)
    ? [`, ${zeros} of ${row.length} weights are 0`]
    : [];
}

const line = (...children) => html("span", {}, ...children);
const subscript = (text) => html("sub", {}, text);

// Returns the weight of target word t on source word s, and whether there is a gold link.
function weightLine({ target, source, gold = [] }, weight, t, s) {
  const link = gold.find(([i, j]) => i === s && j === t);
  const isEnd = t + 1 === target.length || s + 1 === source.length;
  const found = link ? (link[2] ? ", a possible gold link" : ", a gold link") : ", no gold link";
  const alpha = html("b", {}, "α", subscript(`${t + 1},${s + 1}`), ` = ${weight.toFixed(3)}`);
  const said = gold.length && !isEnd ? found : "";
  return line(alpha, " of ", word(target[t], 30), " on ", word(source[s], 30), said);
}

// Returns the attribution of target word t to source word s.
const scoreLine = ({ target, source }, score, t, s, unit) =>
  line(
    html("b", {}, `${score.toPrecision(3)} ${unit}`),
    ": ",
    word(source[s], 30),
    " for ",
    word(target[t], 30),
  );

// Returns the weighted sum of vectors, with its largest terms.
function sumLine(source, row, order, t, isTransformer) {
  const [sum, vector] = isTransformer ? ["output", "v"] : ["c", "h"];
  const most = order.filter((j) => row[j] >= 0.005).slice(0, 3);
  const name = [sum, subscript(String(t + 1))];
  const formula = [
    " = Σ",
    subscript("j"),
    " α",
    subscript(`${t + 1},j`),
    ` ${vector}`,
    subscript("j"),
  ];
  const terms = most.flatMap((j, i) => [
    `${i ? " + " : ""}${row[j].toFixed(2)} ${vector}`,
    subscript(String(j + 1)),
    " (",
    word(source[j], 20),
    ")",
  ]);
  return line(...name, ...formula, " = ", ...terms, order.length > most.length ? " + …" : "");
}

// Returns the readout of a cell in the notation of the papers, as far as the page has its numbers.
export function equation({ model, words, weights }, t, at) {
  const columns = words.source.length;
  const row = weights.slice(t * columns, (t + 1) * columns);
  const order = [...row.keys()].sort((a, b) => row[b] - row[a]);
  const s = at !== null && at < columns ? at : order[0];
  const entry = entryOf(model, view.sentence);
  const ofWord = (packed) => packed && unpack(packed, words.target.length)[t];
  const p = ofWord(entry.p);
  const gate = ofWord(entry.gate);
  const shown = p < 0.0005 ? "< 0.001" : `= ${p?.toFixed(3)}`;
  const most = Math.log(columns).toFixed(2);
  const entropy = `entropy ${entropyOf(row).toFixed(2)} of at most ${most} nats`;
  if (model.methods) return [scoreLine(words, row[s], t, s, unitOf(model) || "weight")];
  return [
    weightLine(words, row[s], t, s),
    p === undefined ? null : line("P(", word(words.target[t], 30), ` | …) ${shown}`),
    gate === undefined
      ? null
      : line(`p_gen = ${gate.toFixed(3)}: ${gate < 0.5 ? "copied" : "generated"}`),
    line(entropy, ...beside(model, row)),
    sumLine(words.source, row, order, t, model.settings.model === "transformer"),
  ].filter(Boolean);
}
