// The list of sentences, which can be searched and sorted.

import { byId, onClick, option } from "../dom.js";
import { entropyOf } from "../numbers.js";
import { fixed, isRightToLeft } from "../text.js";
import { page, sentenceTitle } from "./data.js";
import { chooseSentence, view } from "./view.js";
import { aerOf, entryOf, weightsOf, wordsOf } from "./weights.js";

const list = { shown: [] };

// Returns the mean of a figure over the visible models that have it.
function meanOf(attending, i, figure) {
  const numbers = attending
    .filter((model) => model.shown)
    .map((model) => {
      const entry = entryOf(model, i);
      return entry ? figure(model, entry, wordsOf(entry, i)) : NaN;
    })
    .filter(Number.isFinite);
  return numbers.length ? numbers.reduce((sum, number) => sum + number, 0) / numbers.length : NaN;
}

// Returns the fraction of a row's weight, from 0 to 1, on which the first two visible models
// differ.
function disagreement(attending, i) {
  const [one, other] = attending
    .filter((model) => model.shown && entryOf(model, i))
    .map((model) => {
      const words = wordsOf(entryOf(model, i), i);
      return { words, weights: weightsOf(model, entryOf(model, i), words) };
    });
  if (!other || one.weights.length !== other.weights.length) return NaN;
  return (
    one.weights.reduce((sum, weight, at) => sum + Math.abs(weight - other.weights[at]), 0) /
    2 /
    one.words.target.length
  );
}

// Orders of sentences, the worst or most interesting first.
const orders = {
  loss: {
    title: "loss, worst first",
    sign: -1,
    decimals: 2,
    of: (attending, i) => meanOf(attending, i, (_, entry) => entry.loss ?? NaN),
  },
  bleu: {
    title: "BLEU, worst first",
    sign: 1,
    decimals: 0,
    of: (attending, i) => meanOf(attending, i, (_, entry) => entry.bleu ?? NaN),
  },
  entropy: {
    title: "entropy, highest first",
    sign: -1,
    decimals: 2,
    of: (attending, i) =>
      meanOf(
        attending,
        i,
        (model, entry, words) => entropyOf(weightsOf(model, entry, words)) / words.target.length,
      ),
  },
  aer: {
    title: "AER, worst first",
    sign: -1,
    decimals: 2,
    of: (attending, i) =>
      meanOf(attending, i, (model, entry, words) =>
        aerOf(model, weightsOf(model, entry, words), words),
      ),
  },
  difference: {
    title: "difference of two models, largest first",
    sign: -1,
    decimals: 2,
    of: disagreement,
  },
};

// Returns the sentences with the sought words, in the chosen order of figures.
function find(sought, order, figures) {
  const has = (words) => words.slice(0, -1).join(" ").toLowerCase().includes(sought);
  const found = [...page.sentences.keys()].filter((i) => {
    const { source, target } = page.sentences[i];
    return !sought || has(source) || has(target);
  });
  const isKnown = (i) => Number.isFinite(figures[i]);
  if (order)
    found.sort(
      (a, b) => isKnown(b) - isKnown(a) || order.sign * (figures[a] - figures[b]) || a - b,
    );
  return found;
}

// Lists the sentences with the sought words in the chosen order, and the current one among them.
export function updateList() {
  if (!list.attending) return;
  const sought = byId("find").value.trim().toLowerCase();
  const order = orders[byId("order").value];
  const figures = page.sentences.map((_, i) => (order ? order.of(list.attending, i) : NaN));
  const found = find(sought, order, figures);
  const optionOf = (i) => {
    const { source } = page.sentences[i];
    const note = Number.isFinite(figures[i]) ? `(${fixed(figures[i], order.decimals)})  ` : "";
    const direction = isRightToLeft(source) && "rtl";
    return option(i, sentenceTitle(i, source, note), { dir: direction });
  };
  list.shown = found;
  byId("found").textContent = sought ? `${found.length} of ${page.sentences.length}` : "";
  const options = found.includes(view.sentence) ? found : [view.sentence, ...found];
  byId("sentence").replaceChildren(...options.map(optionOf));
  byId("sentence").value = view.sentence;
  const at = found.indexOf(view.sentence);
  byId("before").disabled = at === 0 || !found.length;
  byId("after").disabled = at === found.length - 1;
}

export function step(by) {
  const at = list.shown.indexOf(view.sentence);
  const next = list.shown[at < 0 ? 0 : at + by];
  if (next !== undefined) chooseSentence(next);
}

export function addList(attending) {
  list.attending = attending;
  const has = (key) =>
    page.matrices.some((entries) => entries?.some((entry) => Number.isFinite(entry[key])));
  const known = {
    loss: has("loss"),
    bleu: has("bleu"),
    entropy: true,
    aer: page.sentences.some((sentence) => sentence.gold?.length),
    difference: attending.length > 1,
  };
  byId("order").append(
    option("given", "as given"),
    ...Object.entries(orders)
      .filter(([name]) => known[name])
      .map(([name, { title }]) => option(name, title)),
  );
  byId("order").addEventListener("change", () => {
    updateList();
    if (list.shown.length) chooseSentence(list.shown[0]);
  });
  byId("find").addEventListener("input", () => {
    updateList();
    if (list.shown.length && !list.shown.includes(view.sentence)) chooseSentence(list.shown[0]);
  });
  for (const id of ["find", "order"]) byId(id).parentElement.hidden = page.sentences.length < 2;
  byId("sentence").addEventListener("change", (event) =>
    chooseSentence(Number(event.target.value)),
  );
  onClick({ before: () => step(-1), after: () => step(1) });
}
