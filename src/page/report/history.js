// The history: small matrices of one sentence in the order of years, and chosen rows enlarged.

import { drawBars } from "../bars.js";
import { button, byId, html, onClick, onWidth, option, setControl } from "../dom.js";
import { edge, gridOf, inColumns, leastFont, widest } from "../heads.js";
import { onKeys } from "../keyboard.js";
import { Matrix, NARROW } from "../matrix.js";
import { clamp } from "../numbers.js";
import { clipped, fixed, word } from "../text.js";
import { columns } from "./columns.js";
import { page, records } from "./data.js";
import { eraMatrix, eraText, eraThumb } from "./era.js";
import { bleuOf, lengthBands } from "./lengths.js";
import { step } from "./list.js";
import { models } from "./models.js";
import { drawResults } from "./results.js";
import { chooseSentence, view } from "./view.js";
import { onPanelsDrawn } from "./viewer.js";

// Columns of the overview if there are more than this many rows.
const COLUMNS = [
  [13, 48],
  [12, 44],
  [11, 40],
  [10, 32],
  [8, 16],
  [4, 0],
];
const PAPER = 660; // pixels of a printed line
const FIGURES = ["parameters", "aer", "entropy", "zeros", "cache_bytes_per_step"];

const inYears = () => [...models].sort((a, b) => a.era.year - b.era.year);

// A row as a button that enlarges it. Its year is emphasized unless it is that of the previous row.
// Words stand above its matrix if there are some.
function eraButton(model, year, above, cell) {
  const { name, idea } = model.era;
  const [, author = ""] = name.match(/\((\w+)/) ?? [];
  const short = name.replace(/ \(.*/, "");
  const when = html("b", {}, model.era.year);
  const title = html("span", {}, when, " ", short, " ", html("small", {}, author));
  const attributes = { class: model.era.year === year && "again", title: idea };
  const enlarge = () => setControl("era", model.index);
  const words = above.length ? edge("above", above, cell) : null;
  return button(enlarge, attributes, title, words, eraThumb(model, cell));
}

const SIDES = 0.5; // rem beside a matrix on its card, with the gap to the next one

// Returns the columns of the overview, and the cells, the words and the titles of its cards. They
// fill the window; on a page, where words have no room then, they are as large as words need.
function cardsOf(host, words) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const isPhone = innerWidth <= NARROW;
  const wide = isPhone ? 2 : COLUMNS.find(([, rows]) => models.length > rows)[0];
  const title = Math.max((wide > 8 ? 0.55 : 0.7) * rem, 12);
  const lines = Math.ceil(models.length / wide);
  const top = Math.min(host.getBoundingClientRect().top + scrollY, 9.3 * rem); // less on slides
  const height = innerHeight - top - 0.5 * rem - lines * (2.3 * title + 0.9 * rem);
  const room = [
    host.clientWidth,
    isPhone ? 12 * lines * rem : Math.max(height, 2.4 * lines * rem), // a phone scrolls
    0.9 * rem,
    2.4 * rem,
  ];
  const gap = SIDES * rem + 2;
  const sizes = gridOf(words, [wide, lines], room, gap);
  if (sizes.font || isPhone || document.body.classList.contains("slides"))
    return { ...sizes, title, columns: wide };
  const font = leastFont();
  const cell = font + 1;
  const columns = Math.floor(
    (host.clientWidth - widest(words.target, font) - 6) / (cell * words.source.length + gap),
  );
  return columns < 3
    ? { ...sizes, title, columns: wide } // of so long a sentence
    : { cell, font, title, columns: Math.min(columns, wide) };
}

export function drawEras() {
  const { source = [""], target = [""] } = page.sentences[view.sentence] ?? {};
  const host = byId("eras");
  const { columns, cell, font, title } = cardsOf(host, { source, target });
  const print = Math.min(PAPER / host.clientWidth, 1);
  const sizes = { columns, tall: `${target.length * cell}px`, font: `${font}px`, print };
  sizes.title = `${title}px`;
  for (const [name, size] of Object.entries(sizes)) host.style.setProperty(`--${name}`, size);
  // Words stand left of each line and above the first.
  const cardOf = (model, i, all) =>
    eraButton(model, all[i - 1]?.era.year, font && i < columns ? inColumns(source) : [], cell);
  const cards = inYears().map(cardOf);
  const beside = () => (font ? edge("beside", target, cell) : html("span"));
  host.replaceChildren(...cards.flatMap((card, i) => (i % columns ? [card] : [beside(), card])));
  byId("of-all").replaceChildren(word(source.slice(0, -1).join(" "), 150));
  drawResults(); // with its small matrices
  if (byId("large").open) drawLarge();
}

// BLEU by length as bars.
function bleuBars(model) {
  const host = html("div", { class: "bars" });
  const bars = lengthBands().map((band) => {
    const value = bleuOf(model, band);
    return { name: band, color: "var(--m0)", value, shown: fixed(value, 0), runs: [] };
  });
  drawBars(host, bars, 100);
  return host;
}

// Some figures of the table, in words.
function figuresOf(model) {
  const known = records("table.csv").findLast((row) => row.model === model.key);
  return columns
    .filter(({ key }) => FIGURES.includes(key) && Number.isFinite(known[key]))
    .map(({ title, key, scale, decimals }) => `${title}: ${fixed(known[key] * scale, decimals)}`)
    .join(" · ");
}

function eraCard(model) {
  const seen = eraMatrix(model);
  const large = { cell: 30, font: 24, isKeyed: true };
  const matrix = seen && Matrix(seen.words, { gold: seen.words.gold, large });
  const note = (text) => html("p", { class: "note" }, text);
  matrix?.show(seen.weights);
  return html(
    "article",
    {},
    html(
      "div",
      {},
      ...eraText(model),
      note("BLEU by the length of the source, in words"),
      bleuBars(model),
      note(figuresOf(model)),
      note(
        "AER: error rate of the links, 0 is best; entropy: in nats, 0 if all weight is on one word; " +
          "zeros: weights of exactly 0; cache: kept for each written word",
      ),
    ),
    matrix?.picture ?? html("i", { class: "thumb" }, "no attention"),
  );
}

function drawLarge() {
  const chosen = new Set(["beside", "era"].map((id) => byId(id).value).filter(Boolean));
  byId("cards").replaceChildren(...[...chosen].map((i) => eraCard(models[i])));
}

// Goes to the next or the previous row.
function moveEra(by) {
  const { options, selectedIndex } = byId("era");
  setControl("era", options[clamp(selectedIndex + by, 1, models.length)].value);
}

export function addHistory() {
  onPanelsDrawn(drawEras);
  onWidth(byId("eras"), drawEras);
  document.body.classList.add("historic");
  byId("results").after(byId("models"));
  for (const id of ["era", "beside"]) {
    byId(id).append(
      option("", id === "era" ? "none" : "alone"),
      ...inYears().map(({ name, index }) => option(index, clipped(name, 40))),
    );
    byId(id).addEventListener("change", () => {
      if (byId("era").value && !byId("large").open) byId("large").showModal();
      if (byId("era").value) drawLarge();
      else byId("large").close();
    });
  }
  const back = () => moveEra(-1);
  const on = () => moveEra(1);
  onClick({
    "era-before": back,
    "era-after": on,
    "era-close": () => byId("large").close(),
    "all-before": () => step(-1),
    "all-after": () => step(1),
  });
  byId("large").addEventListener("close", () => {
    byId("era").value = "";
  });
  onKeys(byId("large"), { ArrowLeft: back, PageUp: back, ArrowRight: on, PageDown: on });
  const telling = page.sentences.findIndex(
    ({ source }) => source.length >= 7 && source.length <= 9,
  );
  chooseSentence(Math.max(telling, 0));
}
