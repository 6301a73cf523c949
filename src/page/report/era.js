// A row of the history in words and figures, and its weights.

import { html } from "../dom.js";
import { thumbnail } from "../heads.js";
import { page } from "./data.js";
import { mathOf } from "./formula.js";
import { bleuOf, lengthBands } from "./lengths.js";
import { view } from "./view.js";
import { entryOf, weightsOf, wordsOf } from "./weights.js";
import { visible } from "../text.js";

// Its columns in the table of the page: the year, BLEU of each length, and what the page knows anyway.
export const eraColumns = () => [
  { key: "year", title: "year", decimals: 0, scale: 1 },
  ...page.columns.filter(({ key }) => key === "parameters"),
  ...lengthBands().map((band) => ({
    key: band,
    title: `BLEU ${band.replace("-", "\u2011")}`,
    decimals: 0,
    scale: 1,
  })),
  ...page.columns.filter(({ key }) => ["aer", "zeros", "cache_bytes_per_step"].includes(key)),
];

export const eraFigures = (model) => ({
  year: Number(model.era.year),
  ...Object.fromEntries(lengthBands().map((band) => [band, bleuOf(model, band)])),
});

// The lessons' pages stand beside each other, in a clone in build/lessons.
export function eraText({ name, era: { formula, idea, paper, lesson, file } }) {
  const link = (isThere, text, target) =>
    isThere ? html("a", { href: target }, text) : html("span", {}, text);
  return [
    html("h3", {}, visible(name)),
    html("p", { class: "formula" }, mathOf(formula)),
    html("p", {}, idea),
    html(
      "p",
      { class: "note" },
      link(paper !== "-", paper === "-" ? "no paper" : "paper", paper),
      " · ",
      link(page.notes, `lesson ${parseInt(lesson)}`, `../${lesson}/page.html`),
      " · ",
      link(/\/build\/lessons\//.test(location.pathname), file, `../../../${file}`),
    ),
  ];
}

// Its weights on the sentence in view, and the words; null where there is no attention.
export function eraMatrix(model) {
  const entry = entryOf(model, view.sentence);
  const words = entry && wordsOf(entry, view.sentence);
  return entry ? { words, weights: weightsOf(model, entry, words) } : null;
}

export function eraThumb(model) {
  const seen = eraMatrix(model);
  return seen ? thumbnail(seen.weights, seen.words) : html("i", { class: "thumb" }, "no attention");
}
