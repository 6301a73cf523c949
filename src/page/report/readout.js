// The readout of a cell.

import { html } from "../dom.js";
import { entropyOf } from "../matrix.js";
import { unpack } from "./data.js";
import { view } from "./view.js";
import { entryOf } from "./weights.js";
import { word } from "../text.js";

// What a normalizer gives to no word, and to how many words it gives nothing; the page has thousandths.
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

// The readout of a cell in the notation of the papers, as far as the page holds its numbers.
export function equation({ model, words, weights }, t, at) {
  const columns = words.source.length;
  const row = weights.slice(t * columns, (t + 1) * columns);
  const order = [...row.keys()].sort((a, b) => row[b] - row[a]);
  const s = at !== null && at < columns ? at : order[0];
  const subscript = (text) => html("sub", {}, text);
  const alpha = (j) => ["α", subscript(`${t + 1},${j + 1}`)];
  const transformer = model.settings.model === "transformer";
  const vector = (j) => [transformer ? "v" : "h", subscript(String(j + 1))];
  const most = order.filter((j) => row[j] >= 0.005).slice(0, 3);
  const gold = (words.gold ?? []).find(([i, j]) => i === s && j === t);
  const last = t + 1 === words.target.length || s + 1 === columns;
  const probabilities = entryOf(model, view.sentence).p;
  const p = probabilities && unpack(probabilities, words.target.length)[t];
  const gates = entryOf(model, view.sentence).gate;
  const gate = gates && unpack(gates, words.target.length)[t];
  const line = (...children) => html("span", {}, ...children);
  return [
    line(
      html("b", {}, ...alpha(s), ` = ${row[s].toFixed(3)}`),
      " of ",
      word(words.target[t], 30),
      " on ",
      word(words.source[s], 30),
      words.gold?.length && !last
        ? gold
          ? gold[2]
            ? ", a possible gold link"
            : ", a gold link"
          : ", no gold link"
        : "",
    ),
    p === undefined
      ? null
      : line(
          "P(",
          word(words.target[t], 30),
          ` | …) ${p < 0.0005 ? "< 0.001" : `= ${p.toFixed(3)}`}`,
        ),
    gate === undefined
      ? null
      : line(`p_gen = ${gate.toFixed(3)}: ${gate < 0.5 ? "copied" : "generated"}`),
    line(
      `entropy ${entropyOf(row).toFixed(2)} of at most ${Math.log(columns).toFixed(2)} nats`,
      ...beside(model, row),
    ),
    line(
      transformer ? "output" : "c",
      subscript(String(t + 1)),
      " = Σ",
      subscript("j"),
      " α",
      subscript(`${t + 1},j`),
      transformer ? " v" : " h",
      subscript("j"),
      " = ",
      ...most.flatMap((j, i) => [
        i ? " + " : "",
        `${row[j].toFixed(2)} `,
        ...vector(j),
        " (",
        word(words.source[j], 20),
        ")",
      ]),
      order.length > most.length ? " + …" : "",
    ),
  ].filter(Boolean);
}
