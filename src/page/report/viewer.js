// The viewer: one sentence, all models side by side, and the attention of one target word.

import { Bands } from "../bands.js";
import { captions } from "../captions.js";
import { button, byId, html, onWidth, option, setControl } from "../dom.js";
import { drawHeads } from "../heads.js";
import { panelOf } from "../labels.js";
import { Matrix, NARROW } from "../matrix.js";
import { entropyOf } from "../numbers.js";
import { clipped, fixed, visible, word } from "../text.js";
import { addSlider } from "./controls.js";
import { page } from "./data.js";
import { addList, updateList } from "./list.js";
import { models, onModelsChange } from "./models.js";
import { equation } from "./readout.js";
import { activeRow, chooseSentence, onSentenceChange, view } from "./view.js";
import {
  aerOf,
  chosenPart,
  entryOf,
  goldShare,
  part,
  sharpest,
  unitOf,
  weightsOf,
  wordsOf,
} from "./weights.js";

const MANY = 60; // words of a sentence, whose bands nobody can follow

function selectionLabel(model, entry) {
  const { layer, head } = chosenPart(model);
  if (model.methods) return model.methods[Math.max(head, 1) - 1];
  if (model.layers * model.heads < 2) return "";
  if (!entry.heads) return "mean of all heads";
  const name = (title, number, most) =>
    most < 2 ? "" : number ? `${title} ${number} of ${most}` : `mean over ${title}s`;
  return [name("layer", layer, model.layers), name("head", head, model.heads)]
    .filter(Boolean)
    .join(", ");
}

function describe(model) {
  const { model: family, encoder, decoder, attention, cell } = model.settings;
  if (!family) return "";
  return family === "transformer"
    ? `Transformer, ${model.settings.layers} layers, ${model.settings.heads} heads`
    : `encoder ${encoder} (${cell}), decoder ${decoder}, attention ${attention}`;
}

function about(model, weights, words) {
  const rows = words.target.length;
  const columns = words.source.length;
  const aer = aerOf(model, weights, words);
  if (model.methods)
    return Number.isFinite(aer) ? `error rate of its links (AER) ${aer.toFixed(2)}` : "";
  let covered = 0;
  for (let s = 0; s + 1 < columns; s++) {
    let sum = 0;
    for (let t = 0; t < rows; t++) sum += weights[t * columns + s];
    covered += sum >= 0.5;
  }
  return (
    (Number.isFinite(aer) ? `alignment error rate (AER) ${aer.toFixed(2)}, ` : "") +
    `entropy ${(entropyOf(weights) / rows).toFixed(2)} nats, ` +
    `${columns > 1 ? Math.round((100 * covered) / (columns - 1)) : 100}\u00a0% of source words covered (sum ≥ 0.5)`
  );
}

const act = {
  over: (t, s) => {
    if (view.over !== t || view.column !== s) {
      view.over = t;
      view.column = s;
      updateHighlight();
    }
  },
  out: () => {
    view.over = view.column = null;
    updateHighlight();
  },
  pick: (t) => pin(t),
  leave() {
    view.over = view.column = view.pinned = null;
    updateHighlight();
  },
};

const drawnActs = [];

// Calls `act` whenever the panels have been drawn.
export const onPanelsDrawn = (act) => drawnActs.push(act);

// The name above a panel: none where it is alone, and a button for the panel of a model.
function panelName({ model, title }, beside) {
  if (beside < 2) return "";
  if (!model) return html("b", {}, visible(title));
  const choose = () => {
    view.detail = model;
    drawPanels();
  };
  const isPressed = model === view.detail;
  const attributes = { "aria-pressed": isPressed, title: "Show its bands and heads below" };
  return button(choose, attributes, visible(title));
}

// Adds a panel { model, title, notes, words, weights, signed, unit, scale } beside the others.
function addPanel(panel, beside) {
  const { notes, words, weights, signed, unit, scale } = panel;
  const sums = !signed && !panel.model?.methods;
  const matrix = Matrix(words, { beside, gold: words.gold, sums, signed, unit, scale, act });
  const said = notes.filter(Boolean).map((note) => html("span", {}, note));
  matrix.show(weights);
  matrix.showGold(byId("gold").checked);
  const caption = html("figcaption", {}, panelName(panel, beside), ...said);
  byId("panels").append(panelOf(matrix, caption));
  view.panels.push({ ...panel, matrix });
}

function modelPanel(model) {
  const entry = entryOf(model, view.sentence);
  const words = wordsOf(entry, view.sentence);
  const weights = weightsOf(model, entry, words);
  const notes = [selectionLabel(model, entry), about(model, weights, words)];
  const unit = unitOf(model);
  const signed = weights.some((weight) => weight < (unit ? 0 : -0.0005));
  if (signed && unit) notes.push("purple: for the word, green: against it");
  return { model, title: model.name, notes, words, weights, signed, unit };
}

// The difference of the two chosen models, if both are shown and have as many words.
function differencePanel(panels) {
  const chosen = ["minuend", "subtrahend"].map((id) =>
    panels.find(({ model }) => model.index === Number(byId(id).value)),
  );
  const [one, other] = chosen;
  if (!one || !other || one === other || one.weights.length !== other.weights.length) return null;
  return {
    model: null,
    title: `${one.title} − ${other.title}`,
    notes: ["purple: larger in the first, green: larger in the second"],
    words: one.words,
    weights: one.weights.map((weight, i) => weight - other.weights[i]),
    signed: true,
    scale: captions.difference,
  };
}

function drawPanels() {
  const shown = models.filter((model) => model.shown && entryOf(model, view.sentence));
  const panels = shown.map(modelPanel);
  const difference = differencePanel(panels);
  view.panels = [];
  byId("panels").replaceChildren();
  byId("family").textContent = models.length < 2 ? describe(models[0]) : "";
  const { methods } = shown[0] ?? {};
  byId("viewer-title").textContent = methods ? `Attribution: ${panels[0].notes[0]}` : "Attention";
  if (!shown.includes(view.detail)) view.detail = shown[0] ?? null;
  for (const panel of [...panels, difference].filter(Boolean)) addPanel(panel, shown.length);
  // One small matrix leaves half of the page to its bands; several take its whole width.
  const isSingle = view.panels.length === 1;
  const room = isSingle ? `max(${view.panels[0].matrix.room}, 20rem)` : "100%";
  byId("panels").style.flex = isSingle ? `1000 1 calc(0.75 * ${room})` : "1 1 100%";
  byId("panels").style.maxWidth = room;
  drawDetail();
  updateHighlight();
  for (const act of drawnActs) act();
}

function drawBands(panel) {
  const host = byId("bands");
  host.replaceChildren();
  if (Math.max(panel.words.source.length, panel.words.target.length) > MANY) return;
  view.bands = Bands(panel.words, {
    width: Math.max(host.clientWidth / 1.1, 300),
    act,
    unit: panel.unit && `width: ${panel.unit}`,
    most: panel.unit ? panel.weights.reduce((high, x) => Math.max(high, Math.abs(x)), 1e-9) : 1,
  });
  view.bands.show(panel.weights);
  host.append(view.bands.picture);
}

function drawDetail() {
  const panel = view.panels.find(({ model }) => model && model === view.detail);
  byId("detail").hidden = !panel;
  view.bands = null;
  if (!panel) return;
  byId("detail-name").textContent = view.panels.length > 1 ? visible(panel.title) : "";
  drawBands(panel);
  const { translation, bleu, loss } = entryOf(panel.model, view.sentence);
  const said = [
    "translated by the model: ",
    html("b", {}, word(translation ?? "", 300)),
    ` (BLEU ${fixed(bleu, 0)}; loss of the given target ${fixed(loss, 2)} nats per word)`,
  ];
  byId("translation").replaceChildren(...(translation === undefined ? [] : said));
  drawThumbnails(panel);
}

// Names what the page chooses the first head by: see sharpest().
const automatic = () => (byId("golds").hidden ? "sharpest" : "least AER");

// A head as drawHeads shows it.
function headOf(model, entry, words, layer, head) {
  const names = { model: model.methods?.[head - 1], all: layer ? "" : "mean of all heads" };
  const title = names.model ?? (names.all || `layer ${layer}, head ${head}`);
  const weights = part(model, entry, layer, head, words.source.length * words.target.length);
  const aer = aerOf(model, weights, words);
  const entropy = entropyOf(weights) / words.target.length;
  const share = goldShare(weights, words);
  const number = (layer - 1) * model.heads + head - 1;
  const role = layer && head ? (model.roles?.[number] ?? "").replace("+", " + ") : "";
  const fit = Number.isFinite(share) ? `gold ${fixed(100 * share, 0)} %` : "";
  const blur = model.methods ? "" : `entropy ${entropy.toFixed(2)}`;
  const notes = [
    role,
    model.methods && Number.isFinite(aer) ? `AER ${aer.toFixed(2)}` : fit,
    blur,
  ].filter(Boolean);
  const is = (other) => other.layer === layer && other.head === head;
  const isSharpest = is(sharpest(model));
  return {
    part: `${layer}.${head}`,
    name: names.model ?? (layer ? `head ${head}` : "mean"),
    notes,
    weights,
    isScaled: Boolean(names.model),
    isSharpest,
    isChosen: is(chosenPart(model)),
    title: [title, ...notes].join(", ") + (isSharpest ? `: ${automatic()} over all sentences` : ""),
  };
}

const upTo = (count) => Array.from({ length: count }, (_, i) => i + 1);

function drawThumbnails({ model, words }) {
  const entry = entryOf(model, view.sentence);
  const of = (layer, head) => headOf(model, entry, words, layer, head);
  const layers = upTo(entry.heads ? model.layers : 0).map((layer) => ({
    title: model.layers > 1 ? `layer ${layer}` : "",
    heads: upTo(model.heads).map((head) => of(layer, head)),
  }));
  const mean = entry.heads && !model.methods ? [{ title: "", heads: [of(0, 0)] }] : [];
  drawHeads(
    byId("thumbs"),
    [...layers, ...mean],
    words,
    (chosen) => {
      const [layer, head] = chosen.split(".");
      setControl("layer", layer);
      setControl("head", head);
    },
    [byId("detail").clientWidth, innerHeight],
  );
  const isSigned = layers.some(({ heads }) =>
    heads.some(({ weights }) => weights.some((weight) => weight < 0)),
  );
  const says = (test, text) => (test ? text : "");
  const marks = `A click opens one; blue: the open one; bold: ${automatic()} over all sentences.`;
  byId("thumbs-note").textContent =
    entry.heads && !model.methods
      ? `Below each: ${says(model.roles?.some(Boolean), "its role, where most of its weight goes on the sentences of this page; ")}` +
        says(words.gold?.length, "gold: its weight on gold links; ") +
        "entropy: the mean of its rows in nats, 0 where each looks at one word. White is 0, black 1. " +
        marks
      : model.methods?.length > 1
        ? `Each is shaded up to its largest number${says(isSigned, "; of both signs: purple for the word, green against it")}. ${marks}`
        : "";
}

const hint =
  "Point at a target word or a cell, or use the arrow keys, to see its numbers (bold: source words " +
  "with a weight of at least 0.2); click or Enter pins it, Escape releases it.";

export function updateHighlight() {
  const row = activeRow();
  for (const { model, title, words, weights, matrix } of view.panels) {
    matrix.highlight(row, view.column);
    if (!model || model !== view.detail) continue;
    const seen = row < words.target.length ? row : null;
    const name = view.panels.length > 1 ? html("b", {}, `${visible(title)}: `) : "";
    const said =
      seen === null ? [hint] : [name, ...equation({ model, words, weights }, seen, view.column)];
    view.bands?.highlight(row);
    byId("equation").replaceChildren(...said);
    byId("equation").classList.toggle("hint", seen === null);
  }
}

export function pin(t) {
  view.pinned = view.pinned === t ? null : t;
  updateHighlight();
}

function addDifferences(attending) {
  byId("differences").hidden = attending.length < 2;
  for (const id of ["minuend", "subtrahend"]) {
    byId(id).append(
      option(-1, "none"),
      ...attending.map(({ name, index }) => option(index, clipped(name, 40))),
    );
    byId(id).addEventListener("change", drawPanels);
  }
}

export function addViewer() {
  const attending = models.filter((model) => page.matrices?.[model.index]);
  byId("golds").hidden = !page.sentences.some((sentence) => sentence.gold?.length);
  const most = (key) => Math.max(...attending.map((model) => model[key]));
  const chosen = { "-1": automatic() };
  addSlider("layer", most("layers"), drawPanels, -1, chosen);
  byId("viewer-note").hidden = !attending[0].settings.model; // weights of another program
  const methods = attending[0].methods;
  if (methods) byId("heads").firstChild.textContent = "method ";
  addSlider("head", most("heads"), drawPanels, -1, { ...methods, ...chosen });
  addDifferences(attending);
  addList(attending);
  byId("gold").addEventListener("change", (event) =>
    view.panels.forEach((panel) => panel.matrix.showGold(event.target.checked)),
  );
  byId("viewer").addEventListener("keydown", (event) => {
    if (event.key === "Escape") act.leave();
  });
  let isNarrow = innerWidth <= NARROW;
  onWidth(byId("bands"), () => {
    const wasNarrow = isNarrow;
    isNarrow = innerWidth <= NARROW;
    if (isNarrow !== wasNarrow) return drawPanels();
    drawDetail();
    updateHighlight();
  });
  onModelsChange(() => {
    updateList();
    drawPanels();
  });
  onSentenceChange(updateList);
  onSentenceChange(drawPanels);
  chooseSentence(0);
}
