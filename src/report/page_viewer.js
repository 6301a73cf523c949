
// The viewer: one sentence, all models side by side, and the attention of one target word.

const view = { sentence: 0, over: null, pinned: null, panels: [] };

const activeRow = () => view.over ?? view.pinned;

// The weights of a model for the sentence in view: the mean, or of one layer, one head.
function weightsOf(model, entry, count) {
  const layer = Math.min(Number(byId("layer").value), model.layers), head = Math.min(Number(byId("head").value), model.heads);
  if (!entry.heads || (layer === 0 && head === 0)) return unpack(entry.mean, count);
  entry.unpacked ??= unpack(entry.heads, model.layers * model.heads * count);
  const chosen = [];
  for (let l = 0; l < model.layers; l++)
    for (let h = 0; h < model.heads; h++)
      if ((layer === 0 || l === layer - 1) && (head === 0 || h === head - 1)) chosen.push((l * model.heads + h) * count);
  return Float32Array.from({ length: count }, (_, i) => chosen.reduce((sum, at) => sum + entry.unpacked[at + i], 0) / chosen.length);
}

// The layer and head shown of a model with several.
function selectionLabel(model, entry) {
  const part = (name, count) => {
    const number = Math.min(Number(byId(name).value), count);
    return count < 2 ? "" : number ? `, ${name} ${number} of ${count}` : "";
  };
  return entry.heads ? part("layer", model.layers) + part("head", model.heads)
    : model.layers * model.heads > 1 ? ", mean of all heads" : "";
}

function about(weights, rows, columns) {
  const entropy = entropyOf(weights) / rows;
  let covered = 0;
  for (let s = 0; s + 1 < columns; s++) {
    let sum = 0;
    for (let t = 0; t < rows; t++) sum += weights[t * columns + s];
    covered += sum >= 0.5;
  }
  return `entropy ${entropy.toFixed(2)}, coverage ${columns > 1 ? Math.round((100 * covered) / (columns - 1)) : 100} %`;
}

function addPanel(title, note, words, weights, signed, beside) {
  const act = { over: (t) => { view.over = t; updateHighlight(); }, out: () => { view.over = null; updateHighlight(); }, pick: pin };
  const matrix = Matrix(words, { beside, gold: words.gold, sums: !signed, signed, act });
  const source = SourceLine(words.source);
  matrix.show(weights);
  matrix.showGold(byId("gold").checked);
  byId("panels").append(matrix.panel(html("figcaption", {}, visible(title), " ", html("span", {}, note)), source.line));
  view.panels.push({ title, words, weights, signed, matrix, source });
}

function drawPanels() {
  const sentence = page.sentences[view.sentence];
  view.panels = [];
  byId("panels").replaceChildren();
  const all = new Map();
  const entryOf = (model) => page.matrices[model.index]?.[view.sentence];
  const shown = models.filter((model) => model.shown && entryOf(model));
  for (const model of shown) {
    const entry = entryOf(model);
    const words = { ...sentence, ...entry.words };
    const weights = weightsOf(model, entry, words.source.length * words.target.length);
    all.set(model.index, { words, weights });
    addPanel(model.name, about(weights, words.target.length, words.source.length) + selectionLabel(model, entry), words, weights, false, shown.length);
  }
  const one = all.get(Number(byId("minuend").value)), other = all.get(Number(byId("subtrahend").value));
  if (one && other && one !== other && one.weights.length === other.weights.length)
    addPanel(`${models[byId("minuend").value].name} − ${models[byId("subtrahend").value].name}`,
      "purple: larger in the first, green: larger in the second", one.words,
      one.weights.map((weight, i) => weight - other.weights[i]), true, shown.length);
  updateHighlight();
}

function updateHighlight() {
  const row = activeRow();
  const readout = [];
  for (const panel of view.panels) {
    const columns = panel.words.source.length;
    const weights = row === null || row >= panel.words.target.length ? null : panel.weights.slice(row * columns, (row + 1) * columns);
    if (weights) weights.signed = panel.signed;
    panel.matrix.highlight(weights ? row : null);
    panel.source.show(weights);
    if (!weights || panel.signed) continue;
    const best = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, 2).filter((s) => weights[s] >= 0.05);
    readout.push(readout.length ? " · " : "", view.panels.length > 1 ? `${visible(panel.title)}: ` : "",
      ...best.flatMap((s, i) => [i ? ", " : "", word(panel.words.source[s], 30), ` ${weights[s].toFixed(2)}`]));
  }
  Array.from(byId("target").children).forEach((button, t) => {
    button.setAttribute("aria-pressed", t === view.pinned);
    button.classList.toggle("seen", t === row);
  });
  byId("readout").classList.toggle("hint", row === null);
  byId("readout").replaceChildren(...(row === null
    ? ["Point at a target word, or use the arrow keys, to see its attention; click or Enter pins it, Escape releases it."]
    : [word(page.sentences[view.sentence].target[row] ?? "", 30), " ← ", ...readout]));
}

function pin(t) {
  view.pinned = view.pinned === t ? null : t;
  updateHighlight();
}

function moveTo(buttons, t) {
  const at = Math.min(Math.max(t, 0), buttons.length - 1);
  buttons.forEach((button, i) => { button.tabIndex = i === at ? 0 : -1; });
  buttons[at].focus();
}

function addTargetWords() {
  const words = page.sentences[view.sentence].target, back = isRightToLeft(words);
  const buttons = words.map((text, t) => html("button", { type: "button", tabindex: t ? -1 : 0, on: {
    pointerenter: () => { view.over = t; updateHighlight(); },
    pointerleave: () => { view.over = null; updateHighlight(); },
    focus: () => { view.over = t; updateHighlight(); },
    blur: () => { view.over = null; updateHighlight(); },
    click: () => pin(t),
    keydown: (event) => {
      const to = { ArrowRight: back ? t - 1 : t + 1, ArrowLeft: back ? t + 1 : t - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      moveTo(buttons, to);
    },
  } }, word(text)));
  byId("target").dir = back ? "rtl" : "ltr";
  byId("target").replaceChildren(...buttons);
}

function chooseSentence(number) {
  view.sentence = Math.min(Math.max(number, 0), page.sentences.length - 1);
  view.over = view.pinned = null;
  byId("sentence").value = view.sentence;
  byId("before").disabled = view.sentence === 0;
  byId("after").disabled = view.sentence === page.sentences.length - 1;
  addTargetWords();
  drawPanels();
}

// A slider from "mean" to the largest count of any model.
function addSlider(name, most, act) {
  const slider = byId(name), readout = slider.parentElement.querySelector("output");
  const updateLabel = () => { readout.textContent = Number(slider.value) ? slider.value : "mean"; slider.setAttribute("aria-valuetext", readout.textContent); };
  slider.parentElement.hidden = most < 2;
  slider.max = most;
  updateLabel();
  slider.addEventListener("input", () => { updateLabel(); act(); });
}

function addDifferences(attending) {
  byId("differences").hidden = attending.length < 2;
  for (const id of ["minuend", "subtrahend"]) {
    byId(id).append(html("option", { value: -1 }, "none"), ...attending.map((model) => html("option", { value: model.index }, clipped(model.name, 40))));
    byId(id).addEventListener("change", drawPanels);
  }
}

function addViewer() {
  const attending = models.filter((model) => page.matrices?.[model.index]);
  if (!attending.length) return;
  byId("viewer").hidden = false;
  byId("sentence").append(...page.sentences.map((sentence, i) => html("option", { value: i },
    `${i + 1}  ${sentence.source.slice(0, -1).map((text) => clipped(text, 20)).join(" ").slice(0, 80)}`)));
  byId("golds").hidden = !page.sentences.some((sentence) => sentence.gold?.length);
  addSlider("layer", Math.max(...attending.map((model) => model.layers)), drawPanels);
  addSlider("head", Math.max(...attending.map((model) => model.heads)), drawPanels);
  addDifferences(attending);
  byId("sentence").addEventListener("change", (event) => chooseSentence(Number(event.target.value)));
  byId("before").addEventListener("click", () => chooseSentence(view.sentence - 1));
  byId("after").addEventListener("click", () => chooseSentence(view.sentence + 1));
  byId("gold").addEventListener("change", (event) => view.panels.forEach((panel) => panel.matrix.showGold(event.target.checked)));
  byId("viewer").addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    view.over = view.pinned = null;
    updateHighlight();
  });
  onModelsChange(drawPanels);
  chooseSentence(0);
}
