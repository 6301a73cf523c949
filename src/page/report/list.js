// The list of sentences: found by words, sorted by what the page knows of them.

import { byId, html, onClick } from "../dom.js";
import { entropyOf } from "../margins.js";
import { page } from "./data.js";
import { chooseSentence, view } from "./view.js";
import { aerOf, entryOf, weightsOf, wordsOf } from "./weights.js";
import { clipped, fixed, isRightToLeft } from "../text.js";

const list = { shown: [] };

// The mean over the shown models that have it.
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

// How much of the weight of a row lies elsewhere in the two first models shown: 0 to 1.
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

// Each with the worst, or most interesting, first.
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

// The options of the list, for the words sought and the order chosen, and the sentence in view among them.
export function updateList() {
  if (!list.attending) return;
  const sought = byId("find").value.trim().toLowerCase();
  const order = orders[byId("order").value];
  const figures = new Map(
    page.sentences.map((_, i) => [i, order ? order.of(list.attending, i) : NaN]),
  );
  const found = page.sentences
    .map((_, i) => i)
    .filter(
      (i) =>
        !sought ||
        [page.sentences[i].source, page.sentences[i].target].some((words) =>
          words.slice(0, -1).join(" ").toLowerCase().includes(sought),
        ),
    );
  if (order)
    found.sort(
      (a, b) =>
        Number.isFinite(figures.get(b)) - Number.isFinite(figures.get(a)) ||
        order.sign * (figures.get(a) - figures.get(b)) ||
        a - b,
    );
  list.shown = found;
  byId("found").textContent = sought ? `${found.length} of ${page.sentences.length}` : "";
  const options = found.includes(view.sentence) ? found : [view.sentence, ...found];
  byId("sentence").replaceChildren(
    ...options.map((i) =>
      html(
        "option",
        { value: i, dir: isRightToLeft(page.sentences[i].source) && "rtl" },
        `${i + 1}  ${order && Number.isFinite(figures.get(i)) ? `(${fixed(figures.get(i), order.decimals)})  ` : ""}${page.sentences[
          i
        ].source
          .slice(0, -1)
          .map((text) => clipped(text, 20))
          .join(" ")
          .slice(0, 80)}`,
      ),
    ),
  );
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
    html("option", { value: "given" }, "as given"),
    ...Object.entries(orders)
      .filter(([name]) => known[name])
      .map(([name, { title }]) => html("option", { value: name }, title)),
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
