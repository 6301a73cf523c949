// Matrices or bands of the watched sentence, on the page or on the stage.

import { Bands } from "../bands.js";
import { byId, html, make } from "../dom.js";
import { panelOf, widthOf } from "../labels.js";
import { lineWidth } from "../margins.js";
import { Matrix, NARROW as PHONE, UPRIGHT, sizesIn } from "../matrix.js";
import { entropyOf } from "../numbers.js";
import { clipped, fixed } from "../text.js";
import { language, textOf } from "./language.js";
import { nameOf, titleOf } from "./options.js";
import { linksOf, watchedGold } from "./sentence.js";
import { state } from "./state.js";
import { NARROW, view, weightsOf, wordsOf } from "./view.js";

const EDGE = 18; // pixels from the edge of a narrow window to the page

// Bands stand side by side on a page that is wide enough. Matrices do so also in a narrow window;
// without heads beside them they are not measured, which takes time.
function pageLayout(many, frames) {
  const isNarrow = innerWidth <= NARROW && frames.length > 0;
  if (!view.isBands && !isNarrow) return {};
  const isMeasured = view.isBands || hasHeads();
  const clientWidth = isMeasured ? byId("panels").clientWidth : innerWidth - 2 * EDGE;
  if (view.isBands)
    return { isBands: true, width: clientWidth / (clientWidth > 520 ? many : 1) / 1.1 };
  const height = (state.stop ? 0.38 : 0.6) * innerHeight; // a stop is one screen
  const gold = linksOf(watchedGold(), frames[0].columns.length, frames[0].rows.length);
  const room = { width: clientWidth, height, most: 15, many, gold };
  const { font: em, ...sizes } = sizesIn(wordsOf(frames[0]), room);
  return { em, ...sizes };
}

export const isOnStage = () => byId("stage").open;

const hasHeads = () => view.frames.some((frame) => frame?.each);

// Whether the stage shows all heads in place of a picture.
export const isGridOnStage = () => state.stage === "heads" && hasHeads();

// Shows another kind of picture on the stage: bands, matrix, heads; the next one if none is named.
export function showOnStage(kind) {
  const kinds = ["bands", "matrix", ...(hasHeads() ? ["heads"] : [])];
  state.stage = kind ?? kinds[(kinds.indexOf(state.stage) + 1) % kinds.length];
  byId("stage-view").classList.toggle("grid", isGridOnStage());
}

// Returns the sizes of pictures side by side or one above the other: matrices where their words
// fit, otherwise bands.
function stageLayout(many, frames) {
  const host = byId("stage-pictures");
  const own = parseFloat(getComputedStyle(byId("stage")).fontSize);
  const em = innerWidth > PHONE ? own : 0.8 * own; // a phone is near
  const longest = (list) => Math.max(...list.map((text) => widthOf(clipped(text, 18), em)));
  const isStacked = host.clientHeight > host.clientWidth;
  const beside = isStacked ? 1 : many;
  const { source, target } = frames.length ? wordsOf(frames[0]) : { source: [], target: [] };
  const width = (host.clientWidth - em * (beside - 1)) / beside;
  const height =
    (host.clientHeight - em * (many - beside)) * (beside / many) -
    (state.models[1] ? 1.4 * em : 0) -
    4;
  // Names of the axes, a scale and the key of links stand there in letters of `small` pixels, or
  // not at all (0) where they have no room.
  const isNarrow = (small) => lineWidth(small, ["link"]) > width;
  const cellIn = (small, high) =>
    Math.min(
      (host.clientWidth -
        longest(target) -
        14 -
        0.5 * longest(source) -
        beside * (em + 1.5 * small + 8)) /
        (beside * source.length),
      (height -
        high * longest(source) -
        0.8 * em -
        (small && (isNarrow(small) ? 5.6 : 3) * small + 8) -
        20) /
        target.length,
      3 * em,
    );
  const cellOf = (small) => {
    const cell = cellIn(small, 0.87);
    return cell < UPRIGHT * em ? Math.min(cellIn(small, 1), UPRIGHT * em - 0.1) : cell;
  };
  const sizes = [em, Math.max(0.7 * em, Math.min(em, 12))];
  const small = sizes.find((size) => cellOf(size) >= 0.85 * em) ?? 0;
  const cell = cellOf(small);
  return {
    width: Math.max(width, 200),
    height: Math.max(height, 100),
    cell,
    em,
    small,
    isKeyed: small > 0,
    isNarrow: small > 0 && isNarrow(small),
    isStacked,
    isBands: state.stage !== "matrix" || cell < 0.85 * em,
  };
}

// Returns the mean entropy of the rows in words.
export const meanEntropy = (weights, { rows }) =>
  textOf("meanEntropy", { n: fixed(entropyOf(weights) / rows.length, 2) });

// A picture in a layout of the page or of the stage, which has sizes in its own em.
function makePanel({ slot, ...frame }, i, many, layout) {
  const { isBands, width, height, cell, em, isKeyed, isStacked, ...sizes } = layout;
  const words = wordsOf(frame);
  const act = view.actsOf(slot);
  const title = isOnStage() ? nameOf : titleOf;
  const name = state.models[1] ? title(slot) : "";
  const gold = linksOf(watchedGold(), frame.columns.length, frame.rows.length);
  const bare = i > 0 && !isStacked;
  const large = cell && { ...sizes, cell, font: em, isKeyed, bare };
  const beside = many > 1 ? 3 : 1;
  const hasKeys = !isOnStage();
  const made = isBands
    ? Bands(words, { width, height, least: em, act })
    : Matrix(words, { beside, gold, sums: !cell, act, hasKeys, large });
  const natural = made.picture.viewBox.baseVal.width;
  make(made.picture, {
    "aria-label": [name, textOf("matrix")].filter(Boolean).join(". "),
    on: {
      pointerdown: () => {
        view.pressed = byId("bend").checked ? view.row : null;
      },
    },
  });
  if (em) made.picture.style.width = `${natural}px`;
  // A few words do not fill the whole page.
  else if (!isBands) made.picture.style.maxWidth = `min(100%, ${natural / 11}rem)`;
  const note = html("span", {}); // of two models, to compare them
  const caption = name ? html("figcaption", {}, name, " ", note) : null;
  const show = (weights) => {
    made.show(weights);
    note.textContent = meanEntropy(weights, frame);
  };
  return { ...made, show, figure: panelOf(made, caption) };
}

// Says below the stage what a matrix shows that has no room for its names and scale.
function showKey({ isBands, isKeyed }, gold) {
  const isMissing = isOnStage() && !isBands && !isKeyed && !isGridOnStage();
  const texts = [textOf("gridKey"), gold && textOf("linkKey")].filter(Boolean);
  byId("stage-key").textContent = isMissing ? texts.join(" · ") : "";
}

// Returns what a model without attention shows instead of a matrix.
const absent = (slot) =>
  html("p", { class: "note" }, html("b", {}, titleOf(slot)), ": ", textOf("noAttention"));

export function drawPanels(frames) {
  const shown = frames.map((frame, slot) => frame && { slot, ...frame }).filter(Boolean);
  const attending = shown.filter(({ weights }) => weights);
  const host = byId(isOnStage() ? "stage-pictures" : "panels");
  const layout = (isOnStage() ? stageLayout : pageLayout)(attending.length, attending);
  showKey(layout, watchedGold());
  const key = JSON.stringify([
    host.id,
    layout,
    state.models.map((settings, slot) => settings && nameOf(slot)),
    watchedGold(),
    language.name,
    shown.map(({ weights, ...frame }) => weights && wordsOf(frame)),
  ]);
  if (key !== view.key) {
    const panels = attending.map((frame, i) => makePanel(frame, i, attending.length, layout));
    Object.assign(view, { key, panels });
    host.classList.toggle("stacked", Boolean(layout.isStacked));
    const figures = shown.map(({ slot, weights }) =>
      weights ? panels[attending.findIndex((one) => one.slot === slot)].figure : absent(slot),
    );
    host.replaceChildren(...figures);
  }
  view.panels.forEach((panel, i) => panel.show(weightsOf(attending[i])));
}
