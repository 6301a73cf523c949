// Draws a moment of the training: pictures, translations, heads, numbers, the cell under the
// pointer.

import { byId, html } from "../dom.js";
import { drawHeads } from "../heads.js";
import { rowOf } from "../numbers.js";
import { drawTable } from "../table.js";
import { clipped, fixed, visible, word } from "../text.js";
import { differences } from "./differences.js";
import { partsOf, textOf } from "./language.js";
import { prefixOf, titleOf } from "./options.js";
import { drawPanels, isGridOnStage, isOnStage, meanEntropy, showOnStage } from "./panels.js";
import { isRight, linksOf, watchedGold, watchedPair } from "./sentence.js";
import { state } from "./state.js";
import { stops } from "./tour_texts.js";
import { NARROW, pointedFrame, pointedSlot, view, weightsOf, wordsOf } from "./view.js";

function drawTranslations(frames) {
  const { source, target } = watchedPair();
  const unknown = frames.find(Boolean)?.unknown ?? [];
  const words = clipped(unknown.join(", "), 60);
  const note = unknown.length ? ` (${textOf("unknown", { words })})` : "";
  const line = (name, text, mark = null, parts = [text ? visible(text) : "…"]) =>
    html(
      "p",
      { class: mark ? "line" : "line given" },
      html("span", { class: "note" }, name),
      html("bdi", { class: mark, title: mark && text }, ...parts),
    );
  const said = frames.map((frame, slot) => {
    const name = `${textOf("translation")} ${prefixOf(slot)}`.trim();
    if (isRight(frame?.translation, target)) return line(name, frame.translation, "said right");
    return frame && line(name, frame.translation, "said", partsOfSaid(frame.translation, target));
  });
  const reference = target === null ? null : line(textOf("reference"), target);
  const lines = [line(textOf("source"), source + note), reference, ...said];
  byId("translations").replaceChildren(...lines.filter(Boolean));
  const key = html("p", { class: "note key small" }, textOf("wrongKey"));
  key.classList.toggle("still", !byId("translations").querySelector("u"));
  if (target !== null) byId("translations").append(key);
}

// Returns a translation with what differs from the reference underlined, if there is one.
function partsOfSaid(translation, target) {
  if (!translation || target === null) return undefined;
  return differences(translation, target).flatMap(({ text, isWrong }, i) => [
    i && /\s/.test(target.trim()) ? " " : "",
    isWrong ? html("u", {}, visible(text)) : visible(text),
  ]);
}

// Returns a matrix as a table, for those who cannot see its picture.
function tableOf(frame, slot) {
  const weights = weightsOf(frame);
  const columns = frame.columns.length;
  const table = html("table", { "aria-label": textOf("asTable") });
  drawTable(
    table,
    [
      {
        title: state.models[1] ? titleOf(slot) : textOf("target"),
        cell: (t) => word(frame.rows[t], 20),
      },
      ...frame.columns.map((text, s) => ({
        title: word(text, 20),
        cell: (t) => fixed(weights[t * columns + s], 2),
      })),
    ],
    [...frame.rows.keys()],
  );
  return table;
}

export function drawNumbers(frames) {
  if (!byId("numbers").open) return;
  byId("matrix-table").replaceChildren(
    ...frames.map((frame, slot) => (frame?.weights ? tableOf(frame, slot) : null)).filter(Boolean),
  );
}

// Returns which part of the weights is on gold links, in the rows that have some; "" without any.
function goldShare(weights, { columns, rows }) {
  const links = linksOf(watchedGold(), columns.length, rows.length);
  const linked = new Set(links.map(([, t]) => t)).size;
  const sum = links.reduce((all, [s, t]) => all + weights[t * columns.length + s], 0);
  return linked ? textOf("goldShare", { share: fixed((100 * sum) / linked, 0) }) : "";
}

// Returns a role such as "first+previous" in the page's language.
const roleOf = (role) =>
  role
    ? role
        .split("+")
        .map((name) => textOf(`role-${name}`))
        .join(" + ")
    : "";

// Draws the mean and, layer by layer, the heads of the first model that has several.
function drawGrid(frames) {
  const frame = frames.find((one) => one?.each);
  const { each = [], layers = 0, heads = 1, held } = frame ?? {};
  if (view.head > each.length) view.head = 0;
  const headOf = (weights, part, name) => ({
    part,
    name,
    weights,
    notes: weights
      ? [
          roleOf(held?.roles?.[part - 1]),
          goldShare(weights, frame),
          meanEntropy(weights, frame),
        ].filter(Boolean)
      : [],
    isChosen: part === view.head,
  });
  const layer = (_, l) => {
    const own = each.slice(l * heads, (l + 1) * heads);
    const nameOfHead = (h) => textOf("headNumber", { n: h + 1 });
    const drawn = own.map((weights, h) => headOf(weights, l * heads + h + 1, nameOfHead(h)));
    return { title: layers > 1 ? textOf("layer", { n: l + 1 }) : "", heads: drawn };
  };
  const mean = frame && headOf(layers > 1 ? null : frame.weights, 0, textOf("mean"));
  const grid = Array.from({ length: layers }, layer);
  if (layers === 1) grid[0].heads.unshift(mean);
  const rows = frame && layers > 1 ? [{ title: "", heads: [mean] }, ...grid] : grid;
  drawHeads(byId("thumbs"), rows, frame && wordsOf(frame), chooseHead, roomOfHeads(layers, heads));
  byId("heads-note").hidden = !frame || isOnStage();
  byId("thumbs").dataset.says = `${textOf("gridKey")} · ${textOf("headsKey")}`;
}

const LOW = 850; // pixels of a window, in which heads stand beside their matrix, two in a row
const NAME = 17; // pixels of a line beside the picture of a head there: its name and two notes

// Returns the width and the height that the matrices of so many layers have.
function roomOfHeads(layers, heads) {
  if (isOnStage()) return roomOnStage(layers);
  const { clientWidth } = byId("panels").parentElement;
  if (innerHeight > LOW) return [clientWidth, innerHeight / 2 - layers * 80];
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const beside = heads + (layers === 1); // the mean, too
  const down = Math.ceil((layers * beside) / 2);
  const [share, height] =
    innerWidth <= NARROW ? [0.42, 0.38 * innerHeight] : [0.43, innerHeight - 20 * rem];
  const names = innerWidth <= NARROW ? 1 : 3;
  const width = (share * clientWidth * beside) / 2 - names * NAME * beside;
  const titles = layers > 1 ? 20 * layers + 2.4 * rem : 0;
  return [width, ((height - titles - (0.8 * rem + 6) * down) * layers) / down];
}

function roomOnStage(layers) {
  const stage = byId("stage-view");
  const font = 0.6 * parseFloat(getComputedStyle(stage).fontSize);
  const below = 4.8 * font;
  const width = stage.clientWidth / (isGridOnStage() ? 1 : 3) - 0.6 * font;
  const height = stage.clientHeight - layers * (below + 14) - (layers > 1 ? 40 : 0) - 1.4 * font;
  return [width, height, font];
}

export function chooseHead(number) {
  view.head = number;
  if (isOnStage() && isGridOnStage()) showOnStage("matrix");
  drawMoment(view.frames);
}

// Writes the question of the stop, or its answer, on the stage.
export function drawQuestion() {
  const stop = stops[state.stop - 1];
  const isAnswer = byId("stop-answer").open;
  byId("stage-ask").setAttribute("aria-pressed", isAnswer);
  byId("stage-question").textContent = stop
    ? `${state.stop}. ${isAnswer ? partsOf(stop.answer)[0] : partsOf(stop.text)[1]}`
    : "";
  byId("stage-ask").hidden = !stop;
}

export function highlight() {
  const frame = pointedFrame();
  const row = frame && view.row !== null && view.row < frame.rows.length ? view.row : null;
  for (const panel of view.panels) panel.highlight(row, view.column);
  if (row === null) {
    byId("readout").textContent = frame ? textOf("hint") : "\u00a0";
    return;
  }
  const weights = rowOf(weightsOf(frame), row, frame.columns.length);
  const column = view.column ?? weights.indexOf(Math.max(...weights));
  byId("readout").textContent =
    prefixOf(pointedSlot(), ": ") +
    textOf("readout", {
      weight: fixed(weights[column], 3),
      target: clipped(frame.rows[row], 30),
      source: clipped(frame.columns[column] ?? "", 30),
    });
}

// Draws the frames of a moment.
export function drawMoment(frames) {
  view.frames = frames;
  byId("legend").hidden = !watchedGold();
  drawGrid(frames);
  drawTranslations(frames);
  if (isOnStage()) drawQuestion();
  drawPanels(frames);
  drawNumbers(frames);
  if (view.row !== null || !byId("readout").textContent.trim()) highlight();
}
