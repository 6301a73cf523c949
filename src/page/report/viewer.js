// The viewer: one sentence, all models side by side, and the attention of one target word.

import { Bands } from "../bands.js";
import { byId, html, onWidth, setControl } from "../dom.js";
import { drawHeads } from "../heads.js";
import { panelOf } from "../labels.js";
import { entropyOf } from "../margins.js";
import { Matrix } from "../matrix.js";
import { addSlider } from "./controls.js";
import { page } from "./data.js";
import { addList, updateList } from "./list.js";
import { models, onModelsChange } from "./models.js";
import { equation } from "./readout.js";
import { activeRow, chooseSentence, onSentenceChange, view } from "./view.js";
import { aerOf, chosenPart, decisive, entryOf, part, weightsOf, wordsOf } from "./weights.js";
import { clipped, fixed, visible, word } from "../text.js";

function selectionLabel(model, entry) {
  if (model.layers * model.heads < 2) return "";
  if (!entry.heads) return "mean of all heads";
  const { layer, head } = chosenPart(model);
  if (model.methods) return model.methods[Math.max(head, 1) - 1];
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
  let covered = 0;
  for (let s = 0; s + 1 < columns; s++) {
    let sum = 0;
    for (let t = 0; t < rows; t++) sum += weights[t * columns + s];
    covered += sum >= 0.5;
  }
  return (
    (Number.isFinite(aer) ? `AER ${aer.toFixed(2)}, ` : "") +
    `entropy ${(entropyOf(weights) / rows).toFixed(2)}, ` +
    `coverage ${columns > 1 ? Math.round((100 * covered) / (columns - 1)) : 100}\u00a0%`
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

function addPanel(model, title, notes, words, weights, signed, beside) {
  const matrix = Matrix(words, { beside, gold: words.gold, sums: !signed, signed, act });
  const choose = () => {
    view.detail = model;
    drawPanels();
  };
  const name =
    beside < 2
      ? ""
      : model
        ? html(
            "button",
            {
              type: "button",
              "aria-pressed": model === view.detail,
              title: "Show its bands and heads below",
              on: { click: choose },
            },
            visible(title),
          )
        : html("b", {}, visible(title));
  matrix.show(weights);
  matrix.showGold(byId("gold").checked);
  byId("panels").append(
    panelOf(
      matrix,
      html("figcaption", {}, name, ...notes.filter(Boolean).map((note) => html("span", {}, note))),
    ),
  );
  view.panels.push({ model, title, words, weights, signed, matrix });
}

function drawPanels() {
  view.panels = [];
  byId("panels").replaceChildren();
  byId("family").textContent = models.length < 2 ? describe(models[0]) : "";
  const all = new Map();
  const shown = models.filter((model) => model.shown && entryOf(model, view.sentence));
  if (!shown.includes(view.detail)) view.detail = shown[0] ?? null;
  for (const model of shown) {
    const entry = entryOf(model, view.sentence);
    const words = wordsOf(entry, view.sentence);
    const weights = weightsOf(model, entry, words);
    all.set(model.index, { words, weights });
    addPanel(
      model,
      model.name,
      [selectionLabel(model, entry), about(model, weights, words)],
      words,
      weights,
      false,
      shown.length,
    );
  }
  const one = all.get(Number(byId("minuend").value));
  const other = all.get(Number(byId("subtrahend").value));
  if (one && other && one !== other && one.weights.length === other.weights.length)
    addPanel(
      null,
      `${models[byId("minuend").value].name} − ${models[byId("subtrahend").value].name}`,
      ["purple: larger in the first, green: larger in the second"],
      one.words,
      one.weights.map((weight, i) => weight - other.weights[i]),
      true,
      shown.length,
    );
  // One small matrix leaves half of the page to its bands; several take the whole width.
  const single = view.panels.length === 1;
  const room = single ? `max(${view.panels[0].matrix.room}, 20rem)` : "100%";
  byId("panels").style.flex = single ? `1000 1 calc(0.8 * ${room})` : "1 1 100%";
  byId("panels").style.maxWidth = room;
  drawDetail();
  updateHighlight();
  for (const act of drawnActs) act();
}

function drawDetail() {
  const panel = view.panels.find(({ model }) => model && model === view.detail);
  const host = byId("bands");
  byId("detail").hidden = !panel;
  view.bands = null;
  if (!panel) return;
  byId("detail-name").textContent = view.panels.length > 1 ? visible(panel.title) : "";
  host.replaceChildren();
  view.bands = Bands(panel.words, { width: Math.max(host.clientWidth / 1.1, 300), act });
  view.bands.show(panel.weights);
  host.append(view.bands.picture);
  const { translation, bleu, loss } = entryOf(panel.model, view.sentence);
  byId("translation").replaceChildren(
    ...(translation === undefined
      ? []
      : [
          "translated by the model: ",
          html("b", {}, word(translation, 300)),
          ` (BLEU ${fixed(bleu, 0)}`,
          `; loss of the given target ${fixed(loss, 2)} nats per word)`,
        ]),
  );
  drawThumbnails(panel);
}

function drawThumbnails({ model, words }) {
  const entry = entryOf(model, view.sentence);
  const chosen = chosenPart(model);
  const most = decisive(model);
  const count = words.source.length * words.target.length;
  const headOf = (layer, head, short, name) => {
    const weights = part(model, entry, layer, head, count);
    const aer = aerOf(model, weights, words);
    const isDecisive = most.layer === layer && most.head === head;
    const note = Number.isFinite(aer)
      ? `AER ${aer.toFixed(2)}`
      : `H ${(entropyOf(weights) / words.target.length).toFixed(2)}`;
    return {
      part: `${layer}.${head}`,
      name: short,
      note,
      weights,
      isDecisive,
      isChosen: chosen.layer === layer && chosen.head === head,
      title: `${name}, ${note}${isDecisive ? ": the most decisive over all sentences" : ""}`,
    };
  };
  const rows = Array.from({ length: model.layers }, (_, l) => ({
    title: model.layers > 1 ? `layer ${l + 1}` : "",
    heads: Array.from({ length: model.heads }, (__, h) =>
      headOf(
        l + 1,
        h + 1,
        model.methods?.[h] ?? `head ${h + 1}`,
        model.methods?.[h] ?? `layer ${l + 1}, head ${h + 1}`,
      ),
    ),
  }));
  if (!model.methods) rows.push({ title: "", heads: [headOf(0, 0, "mean", "mean of all heads")] });
  drawHeads(byId("thumbs"), entry.heads ? rows : [], words, (chosenOne) =>
    chosenOne.split(".").forEach((number, i) => setControl(["layer", "head"][i], number)),
  );
}

const hint =
  "Point at a target word or a cell, or use the arrow keys, to see its attention; " +
  "click or Enter pins it, Escape releases it.";

export function updateHighlight() {
  const row = activeRow();
  for (const { model, title, words, weights, matrix } of view.panels) {
    matrix.highlight(row, view.column);
    if (!model || model !== view.detail) continue;
    const seen = row < words.target.length ? row : null;
    view.bands?.highlight(row);
    byId("equation").replaceChildren(
      ...(seen === null
        ? [hint]
        : [
            view.panels.length > 1 ? html("b", {}, `${visible(title)}: `) : "",
            ...equation({ model, words, weights }, seen, view.column),
          ]),
    );
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
      html("option", { value: -1 }, "none"),
      ...attending.map((model) => html("option", { value: model.index }, clipped(model.name, 40))),
    );
    byId(id).addEventListener("change", drawPanels);
  }
}

export function addViewer() {
  const attending = models.filter((model) => page.matrices?.[model.index]);
  byId("golds").hidden = !page.sentences.some((sentence) => sentence.gold?.length);
  const most = (key) => Math.max(...attending.map((model) => model[key]));
  addSlider("layer", most("layers"), drawPanels, -1);
  const methods = attending[0].methods;
  if (methods) byId("heads").firstChild.textContent = "method ";
  addSlider("head", most("heads"), drawPanels, -1, methods);
  addDifferences(attending);
  addList(attending);
  byId("gold").addEventListener("change", (event) =>
    view.panels.forEach((panel) => panel.matrix.showGold(event.target.checked)),
  );
  byId("viewer").addEventListener("keydown", (event) => {
    if (event.key === "Escape") act.leave();
  });
  onWidth(byId("bands"), () => {
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
