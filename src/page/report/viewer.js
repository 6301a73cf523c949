// The viewer: one sentence, all models side by side, and the attention of one target word.

const view = { sentence: 0, over: null, column: null, pinned: null, panels: [], detail: null };

const activeRow = () => view.over ?? view.pinned;
const cross = (page.site ?? "cross") === "cross";

// ---- What is shown of a model with several layers and heads

// The matrix of one layer and head from 1; 0: the mean over all layers, over all heads.
function part(model, entry, layer, head, count) {
  if (!entry.heads || (layer === 0 && head === 0)) return unpack(entry.mean, count);
  entry.unpacked ??= unpack(entry.heads, model.layers * model.heads * count);
  if (layer && head) return entry.unpacked.subarray(((layer - 1) * model.heads + head - 1) * count, ((layer - 1) * model.heads + head) * count);
  const chosen = [];
  for (let l = 0; l < model.layers; l++)
    for (let h = 0; h < model.heads; h++)
      if ((layer === 0 || l === layer - 1) && (head === 0 || h === head - 1)) chosen.push((l * model.heads + h) * count);
  return Float32Array.from({ length: count }, (_, i) => chosen.reduce((sum, at) => sum + entry.unpacked[at + i], 0) / chosen.length);
}

const entryOf = (model, i) => page.matrices[model.index]?.[i];
const wordsOf = (entry, i) => ({ ...page.sentences[i], ...entry.words });

// The counts behind the alignment error rate, as `eval` takes them, but from thousandths: the largest weight of each
// target word on a source word, if there is one and a null key, whose weight the row lacks, has no more.
function addLinks(counts, weights, words, model) {
  const columns = words.source.length, sure = new Set(), possible = new Set(), end = words.source.at(-1) === "</s>" && words.target.at(-1) === "</s>" ? 1 : 0;
  for (const [s, t, maybe] of words.gold) (maybe ? possible : sure).add(t * columns + s);
  counts.all += sure.size;
  for (let t = 0; t + end < words.target.length; t++) {
    const row = weights.subarray(t * columns, (t + 1) * columns), own = row.subarray(0, columns - end), most = Math.max(...own);
    const lacks = model.null_key ? 1 - row.reduce((sum, weight) => sum + weight, 0) : 0;
    if (most <= 0 || lacks > most + columns / 2000) continue;
    const at = t * columns + own.indexOf(most);
    counts.all++;
    counts.found += 2 * sure.has(at) + possible.has(at);
  }
}
const errorRate = (counts) => (counts.all ? 1 - counts.found / counts.all : NaN);
function aerOf(model, weights, words) {
  const counts = { all: 0, found: 0 };
  if (words.gold?.length) addLinks(counts, weights, words, model);
  return errorRate(counts);
}

// How decided and how varied the rows are: the mean of their largest weights, times the fraction of the source
// words that are some row's largest. A word that attends to itself shows nothing.
function decidedness(weights, words) {
  const columns = words.source.length, rows = words.target.length, seen = new Set();
  let sum = 0;
  for (let t = 0; t < rows; t++) {
    const row = Array.from(weights.subarray(t * columns, (t + 1) * columns), (weight, s) => (!cross && s === t ? 0 : weight));
    const most = Math.max(...row), at = row.indexOf(most);
    sum += most;
    if (at + 1 < columns) seen.add(at);
  }
  return (sum / rows) * (seen.size / Math.max(Math.min(rows, columns) - 1, 1));
}

// The layer and head to begin with: that of the least AER where there are gold links, else the most decided one.
function decisive(model) {
  if (model.decisive) return model.decisive;
  model.decisive = { layer: 0, head: 0 };
  let best = -Infinity;
  const entries = (page.matrices[model.index] ?? []).map((entry, i) => [entry, wordsOf(entry, i)]).filter(([entry]) => entry.heads);
  const gold = entries.some(([, words]) => words.gold?.length);
  for (let layer = 1; entries.length && layer <= model.layers; layer++)
    for (let head = 1; head <= model.heads; head++) {
      const counts = { all: 0, found: 0 };
      let merit = 0;
      for (const [entry, words] of entries) {
        const weights = part(model, entry, layer, head, words.source.length * words.target.length);
        if (gold && words.gold?.length) addLinks(counts, weights, words, model);
        else if (!gold) merit += decidedness(weights, words) / entries.length;
      }
      if (gold) merit = -errorRate(counts);
      if (merit > best) {
        best = merit;
        model.decisive = { layer, head };
      }
    }
  return model.decisive;
}

// The chosen layer and head: -1 on a slider is the decisive one, 0 the mean.
function chosenPart(model) {
  const choice = (name, most) => {
    const number = most < 2 && Number(byId(name).value) > 0 ? 1 : Number(byId(name).value);
    return number < 0 ? decisive(model)[name] : Math.min(number, most);
  };
  const layer = choice("layer", model.layers), head = choice("head", model.heads);
  return { layer, head };
}

const weightsOf = (model, entry, words) => {
  const { layer, head } = chosenPart(model);
  return part(model, entry, layer, head, words.source.length * words.target.length);
};

function selectionLabel(model, entry) {
  if (model.layers * model.heads < 2) return "";
  if (!entry.heads) return "mean of all heads";
  const { layer, head } = chosenPart(model);
  if (model.methods) return model.methods[Math.max(head, 1) - 1];
  const name = (title, number, most) => (most < 2 ? "" : number ? `${title} ${number} of ${most}` : `mean over ${title}s`);
  return [name("layer", layer, model.layers), name("head", head, model.heads)].filter(Boolean).join(", ");
}

function describe(model) {
  const { model: family, encoder, decoder, attention, cell } = model.settings;
  if (!family) return "";
  return family === "transformer" ? `Transformer, ${model.settings.layers} layers, ${model.settings.heads} heads`
    : `encoder ${encoder} (${cell}), decoder ${decoder}, attention ${attention}`;
}

function about(model, weights, words) {
  const rows = words.target.length, columns = words.source.length, aer = aerOf(model, weights, words);
  let covered = 0;
  for (let s = 0; s + 1 < columns; s++) {
    let sum = 0;
    for (let t = 0; t < rows; t++) sum += weights[t * columns + s];
    covered += sum >= 0.5;
  }
  return `${Number.isFinite(aer) ? `AER ${aer.toFixed(2)}, ` : ""}entropy ${(entropyOf(weights) / rows).toFixed(2)}, `
    + `coverage ${columns > 1 ? Math.round((100 * covered) / (columns - 1)) : 100}\u00a0%`;
}

// ---- Panels

const act = {
  over: (t, s) => { if (view.over !== t || view.column !== s) { view.over = t; view.column = s; updateHighlight(); } },
  out: () => { view.over = view.column = null; updateHighlight(); },
  pick: (t) => pin(t),
  leave() { view.over = view.column = view.pinned = null; updateHighlight(); },
};

function addPanel(model, title, notes, words, weights, signed, beside) {
  const matrix = Matrix(words, { beside, gold: words.gold, sums: !signed, signed, act });
  const choose = () => { view.detail = model; drawPanels(); };
  const name = beside < 2 ? "" : model ? html("button", { type: "button", "aria-pressed": model === view.detail, title: "Show its bands and heads below", on: { click: choose } }, visible(title)) : html("b", {}, visible(title));
  matrix.show(weights);
  matrix.showGold(byId("gold").checked);
  byId("panels").append(panelOf(matrix, html("figcaption", {}, name, ...notes.filter(Boolean).map((note) => html("span", {}, note)))));
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
    const entry = entryOf(model, view.sentence), words = wordsOf(entry, view.sentence), weights = weightsOf(model, entry, words);
    all.set(model.index, { words, weights });
    addPanel(model, model.name, [selectionLabel(model, entry), about(model, weights, words)], words, weights, false, shown.length);
  }
  const one = all.get(Number(byId("minuend").value)), other = all.get(Number(byId("subtrahend").value));
  if (one && other && one !== other && one.weights.length === other.weights.length)
    addPanel(null, `${models[byId("minuend").value].name} − ${models[byId("subtrahend").value].name}`,
      ["purple: larger in the first, green: larger in the second"], one.words,
      one.weights.map((weight, i) => weight - other.weights[i]), true, shown.length);
  // One small matrix leaves half of the page to its bands; several take the whole width.
  const single = view.panels.length === 1;
  const room = single ? `max(${view.panels[0].matrix.room}, 20rem)` : "100%";
  byId("panels").style.flex = single ? `1000 1 calc(0.8 * ${room})` : "1 1 100%";
  byId("panels").style.maxWidth = room;
  drawDetail();
  updateHighlight();
  drawEras();
}

// ---- The detail of one model: bands, all its heads, the equation of a cell

function drawDetail() {
  const panel = view.panels.find(({ model }) => model && model === view.detail), host = byId("bands");
  byId("detail").hidden = !panel;
  view.bands = null;
  if (!panel) return;
  byId("detail-name").textContent = view.panels.length > 1 ? visible(panel.title) : "";
  host.replaceChildren();
  view.bands = Bands(panel.words, { width: Math.max(host.clientWidth / 1.1, 300), act });
  view.bands.show(panel.weights);
  host.append(view.bands.picture);
  const { translation, bleu, loss } = entryOf(panel.model, view.sentence);
  byId("translation").replaceChildren(...(translation === undefined ? []
    : ["translated by the model: ", html("b", {}, word(translation, 300)), ` (BLEU ${fixed(bleu, 0)}`, `; loss of the given target ${fixed(loss, 2)} nats per word)`]));
  drawThumbnails(panel);
}

function drawThumbnails({ model, words }) {
  const entry = entryOf(model, view.sentence), chosen = chosenPart(model), most = decisive(model), count = words.source.length * words.target.length;
  const headOf = (layer, head, short, name) => {
    const weights = part(model, entry, layer, head, count), aer = aerOf(model, weights, words), isDecisive = most.layer === layer && most.head === head;
    const note = Number.isFinite(aer) ? `AER ${aer.toFixed(2)}` : `H ${(entropyOf(weights) / words.target.length).toFixed(2)}`;
    return { part: `${layer}.${head}`, name: short, note, weights, isDecisive, isChosen: chosen.layer === layer && chosen.head === head,
      title: `${name}, ${note}${isDecisive ? ": the most decisive over all sentences" : ""}` };
  };
  const rows = Array.from({ length: model.layers }, (_, l) => ({ title: model.layers > 1 ? `layer ${l + 1}` : "",
    heads: Array.from({ length: model.heads }, (__, h) => headOf(l + 1, h + 1, model.methods?.[h] ?? `head ${h + 1}`, model.methods?.[h] ?? `layer ${l + 1}, head ${h + 1}`)) }));
  if (!model.methods) rows.push({ title: "", heads: [headOf(0, 0, "mean", "mean of all heads")] });
  drawHeads(byId("thumbs"), entry.heads ? rows : [], words, (chosenOne) => chosenOne.split(".").forEach((number, i) => setControl(["layer", "head"][i], number)));
}

// What a normalizer gives to no word, and to how many words it gives nothing; the page has thousandths.
function beside({ settings: { normalizer } }, row) {
  const sum = row.reduce((all, weight) => all + weight, 0), zeros = row.filter((weight) => weight === 0).length;
  const below = row.filter((weight) => weight < 0).length;
  if (below) return [`, ${below} of ${row.length} weights are negative (the other color)`];
  if (["null", "null-key", "sink"].includes(normalizer)) return [`, null key ${Math.max(0, 1 - sum).toFixed(2)}`];
  return ["sparsemax", "entmax", "softpick"].includes(normalizer) ? [`, ${zeros} of ${row.length} weights are 0`] : [];
}

// The readout of a cell in the notation of the papers, as far as the page holds its numbers.
function equation({ model, words, weights }, t, at) {
  const columns = words.source.length, row = weights.slice(t * columns, (t + 1) * columns);
  const order = [...row.keys()].sort((a, b) => row[b] - row[a]), s = at !== null && at < columns ? at : order[0];
  const subscript = (text) => html("sub", {}, text);
  const alpha = (j) => ["α", subscript(`${t + 1},${j + 1}`)];
  const transformer = model.settings.model === "transformer";
  const vector = (j) => [transformer ? "v" : "h", subscript(String(j + 1))];
  const most = order.filter((j) => row[j] >= 0.005).slice(0, 3);
  const gold = (words.gold ?? []).find(([i, j]) => i === s && j === t), last = t + 1 === words.target.length || s + 1 === columns;
  const probabilities = entryOf(model, view.sentence).p, p = probabilities && unpack(probabilities, words.target.length)[t];
  const gates = entryOf(model, view.sentence).gate, gate = gates && unpack(gates, words.target.length)[t];
  const line = (...children) => html("span", {}, ...children);
  return [
    line(html("b", {}, ...alpha(s), ` = ${row[s].toFixed(3)}`), " of ", word(words.target[t], 30), " on ", word(words.source[s], 30),
      words.gold?.length && !last ? (gold ? (gold[2] ? ", a possible gold link" : ", a gold link") : ", no gold link") : ""),
    p === undefined ? null : line("P(", word(words.target[t], 30), ` | …) ${p < 0.0005 ? "< 0.001" : `= ${p.toFixed(3)}`}`),
    gate === undefined ? null : line(`p_gen = ${gate.toFixed(3)}: ${gate < 0.5 ? "copied" : "generated"}`),
    line(`entropy ${entropyOf(row).toFixed(2)} of at most ${Math.log(columns).toFixed(2)} nats`, ...beside(model, row)),
    line(transformer ? "output" : "c", subscript(String(t + 1)), " = Σ", subscript("j"), " α", subscript(`${t + 1},j`), transformer ? " v" : " h", subscript("j"), " = ",
      ...most.flatMap((j, i) => [i ? " + " : "", `${row[j].toFixed(2)} `, ...vector(j), " (", word(words.source[j], 20), ")"]), order.length > most.length ? " + …" : ""),
  ].filter(Boolean);
}

const hint = "Point at a target word or a cell, or use the arrow keys, to see its attention; click or Enter pins it, Escape releases it.";

function updateHighlight() {
  const row = activeRow();
  for (const { model, title, words, weights, matrix } of view.panels) {
    matrix.highlight(row, view.column);
    if (!model || model !== view.detail) continue;
    const seen = row < words.target.length ? row : null;
    view.bands?.highlight(row);
    byId("equation").replaceChildren(...(seen === null ? [hint] : [view.panels.length > 1 ? html("b", {}, `${visible(title)}: `) : "", ...equation({ model, words, weights }, seen, view.column)]));
    byId("equation").classList.toggle("hint", seen === null);
  }
}

function pin(t) {
  view.pinned = view.pinned === t ? null : t;
  updateHighlight();
}

function chooseSentence(number) {
  view.sentence = Math.min(Math.max(number, 0), page.sentences.length - 1);
  view.over = view.column = view.pinned = null;
  updateList();
  drawPanels();
}

// A slider over layers or heads: the mean, each of them and, from -1 on, the decisive one of each model.
function addSlider(name, most, act, least = 0, names = undefined) {
  const slider = byId(name), readout = slider.parentElement.querySelector("output");
  const updateLabel = () => {
    readout.textContent = { "-1": "decisive", 0: names?.[0] ?? "mean" }[slider.value] ?? names?.[slider.value - 1] ?? slider.value;
    slider.setAttribute("aria-valuetext", readout.textContent);
  };
  slider.parentElement.hidden = most < 2;
  slider.min = least;
  slider.max = most;
  slider.value = least;
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
  byId("golds").hidden = !page.sentences.some((sentence) => sentence.gold?.length);
  const most = (key) => Math.max(...attending.map((model) => model[key]));
  addSlider("layer", most("layers"), drawPanels, -1);
  const methods = attending[0].methods;
  if (methods) byId("heads").firstChild.textContent = "method ";
  addSlider("head", most("heads"), drawPanels, -1, methods);
  addDifferences(attending);
  addList(attending);
  byId("gold").addEventListener("change", (event) => view.panels.forEach((panel) => panel.matrix.showGold(event.target.checked)));
  byId("viewer").addEventListener("keydown", (event) => { if (event.key === "Escape") act.leave(); });
  onWidth(byId("bands"), () => { drawDetail(); updateHighlight(); });
  onModelsChange(() => { updateList(); drawPanels(); });
  chooseSentence(0);
}
