// A row of the history: its words, figures and weights.

import { html } from "../dom.js";
import { thumbnail } from "../heads.js";
import { visible } from "../text.js";
import { columns } from "./columns.js";
import { page } from "./data.js";
import { mathOf } from "./formula.js";
import { bleuOf, lengthBands } from "./lengths.js";
import { view } from "./view.js";
import { entryOf, weightsOf, wordsOf } from "./weights.js";

const OWN = ["aer", "entropy", "zeros", "cache_bytes_per_step", "p"];

// The columns of the history's table: the year, BLEU by length, and some that all pages have.
export const eraColumns = () => [
  { key: "year", title: "year", decimals: 0, scale: 1 },
  ...columns.filter(({ key }) => key === "parameters"),
  ...lengthBands().map((band, i) => ({
    key: band,
    title: `BLEU ${band.replace("-", "\u2011")}`,
    meaning: i ? "" : "BLEU of the sentences of so many source words; 100 is best",
    decimals: 0,
    scale: 1,
  })),
  ...columns.filter(({ key }) => OWN.includes(key)),
];

export const eraFigures = (model) => ({
  year: Number(model.era.year),
  ...Object.fromEntries(lengthBands().map((band) => [band, bleuOf(model, band)])),
});

// Returns where an annotated paper tells of a row, if a link of the page leads to that paper.
function annotatedOf(lines = "") {
  const [file] = lines.split("#");
  const link = lines && page.notes?.links.find(({ target }) => target.endsWith(`-${file}`));
  return link && link.target.replace(file, lines);
}

// Returns a row in words. The pages of the lessons stand side by side, in build/lessons of a clone.
export function eraText({ name, era: { formula, idea, paper, lesson, file, lines } }) {
  const annotated = annotatedOf(lines);
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
      ...(annotated ? [link(true, "line by line", annotated), " · "] : []),
      link(page.notes, `lesson ${parseInt(lesson)}`, `../${lesson}/page.html`),
      " · ",
      link(/\/build\/lessons\//.test(location.pathname), file, `../../../${file}`),
    ),
  ];
}

// Returns its weights and words on the current sentence, or null where it has no attention.
export function eraMatrix(model) {
  const entry = entryOf(model, view.sentence);
  const words = entry && wordsOf(entry, view.sentence);
  return entry ? { words, weights: weightsOf(model, entry, words) } : null;
}

export function eraThumb(model, cell = 0) {
  const seen = eraMatrix(model);
  return seen
    ? thumbnail(seen.weights, seen.words, cell)
    : html("i", { class: "thumb" }, "no attention");
}
