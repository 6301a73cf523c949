// The watched sentence: its matrices or bands, on the page or on the stage, redrawn with every moment, its translation, and the cell
// under the pointer.

const view = { panels: [], key: "", isBands: false, head: 0, slot: 0, row: null, column: null, pressed: null, frames: [null, null] };
const names = ["A", "B"];

// The matrix of a frame: the mean over heads, or one of them.
const weightsOf = (frame) => frame.each?.[view.head - 1] ?? frame.weights;
const wordsOf = (frame) => ({ source: frame.columns, target: frame.rows });

// "0-1 1p0": source-target, sure or possible, as the matrix marks it.
function linksOf(text, columns, rows) {
  return (text ?? "").split(" ").map((link) => link.match(/^(\d+)([-p])(\d+)$/)).filter(Boolean)
    .map(([, s, kind, t]) => [Number(s), Number(t), kind === "p"]).filter(([s, t]) => s < columns && t < rows);
}

// The frame whose matrix is pointed at, or the first one that has a matrix.
const pointedSlot = () => (view.frames[view.slot]?.weights ? view.slot : view.frames.findIndex((frame) => frame?.weights));
const pointedFrame = () => view.frames[pointedSlot()];

// What the mouse does on the matrix of a model.
const actsOf = (slot) => ({
  over(t, s) {
    Object.assign(view, { slot, row: view.pressed ?? t, column: s });
    highlight();
  },
  out() {
    if (view.pressed !== null) return;
    view.row = view.column = null;
    highlight();
  },
  pick(t, s) {
    view.slot = slot;
    if (byId("bend").checked && s !== null) bend(view.pressed ?? t, s);
    else if (!isOnStage()) explain(t, s);
  },
  leave() {
    unbend();
    view.row = view.column = null;
    highlight();
  },
});

// Bands of the page stand beside each other where it is wide enough; a matrix needs no measuring, which takes time.
const pageLayout = (many) => (view.isBands ? { isBands: true, width: byId("panels").clientWidth / (byId("panels").clientWidth > 520 ? many : 1) / 1.1 } : {});

// A picture in a layout of the page or of the stage, which has sizes in its own em.
function makePanel({ slot, ...frame }, i, many, { isBands, width, height, cell, em, isStacked }) {
  const words = wordsOf(frame), act = actsOf(slot), name = state.models[1] ? textOf("model", { name: nameOf(slot) }) : "";
  const gold = linksOf(watchedGold(), frame.columns.length, frame.rows.length);
  const made = isBands ? Bands(words, { width, height, least: em, act })
    : Matrix(words, { beside: many > 1 || innerWidth <= NARROW ? 3 : 1, gold, sums: !cell, act, large: cell && { cell, font: em, bare: i > 0 && !isStacked } });
  const natural = made.picture.viewBox.baseVal.width;
  make(made.picture, { "aria-label": [name, textOf("matrix")].filter(Boolean).join(". "), on: { pointerdown: () => { view.pressed = byId("bend").checked ? view.row : null; } } }, []);
  if (em) made.picture.style.width = `${natural}px`;
  else if (!isBands) made.picture.style.maxWidth = `min(100%, ${natural / 11}rem)`; // few words are not drawn as posters
  return { ...made, figure: panelOf(made, name ? html("figcaption", {}, name) : null) };
}

function drawPanels(frames) {
  const shown = frames.map((frame, slot) => frame && { slot, ...frame }).filter(Boolean), attending = shown.filter(({ weights }) => weights);
  const host = byId(isOnStage() ? "stage-pictures" : "panels"), layout = (isOnStage() ? stageLayout : pageLayout)(attending.length, attending);
  const key = JSON.stringify([host.id, layout, state.models.map((settings, slot) => settings && nameOf(slot)), watchedGold(), language.name, shown.map(({ weights, ...frame }) => weights && wordsOf(frame))]);
  if (key !== view.key) {
    const panels = attending.map((frame, i) => makePanel(frame, i, attending.length, layout));
    Object.assign(view, { key, panels });
    host.classList.toggle("stacked", Boolean(layout.isStacked));
    host.replaceChildren(...shown.map(({ slot, weights }) => (weights ? panels[attending.findIndex((one) => one.slot === slot)].figure
      : html("p", { class: "note" }, html("b", {}, textOf("model", { name: nameOf(slot) })), ": ", textOf("noAttention")))));
  }
  view.panels.forEach((panel, i) => panel.show(weightsOf(attending[i])));
}

function drawTranslations(frames) {
  const pair = watchedPair(), unknown = frames.find(Boolean)?.unknown;
  const line = (name, text, mark = null) => html("p", { class: mark ? "line" : "line given" }, html("span", { class: "note" }, name), html("bdi", { class: mark, title: mark && text }, text ? visible(text) : "…"));
  byId("translations").replaceChildren(
    line(textOf("source"), pair.source + (unknown?.length ? ` (${textOf("unknown", { words: clipped(unknown.join(", "), 60) })})` : "")), ...(pair.target === null ? [] : [line(textOf("reference"), pair.target)]),
    ...frames.map((frame, slot) => frame && line(`${textOf("translation")}${state.models[1] ? ` ${names[slot]}` : ""}`, frame.translation,
      isRight(frame.translation, pair.target) ? "said right" : "said")).filter(Boolean));
}

// A matrix as a table, for eyes and ears that its picture does not reach.
function tableOf(frame, slot) {
  const weights = weightsOf(frame), columns = frame.columns.length, table = html("table", { "aria-label": textOf("asTable") });
  drawTable(table, [{ title: state.models[1] ? textOf("model", { name: nameOf(slot) }) : textOf("target"), cell: (t) => word(frame.rows[t], 20) },
    ...frame.columns.map((text, s) => ({ title: word(text, 20), cell: (t) => fixed(weights[t * columns + s], 2) }))], [...frame.rows.keys()]);
  return table;
}

function drawNumbers(frames) {
  if (!byId("numbers").open) return;
  byId("matrix-table").replaceChildren(...frames.map((frame, slot) => (frame?.weights ? tableOf(frame, slot) : null)).filter(Boolean));
}

// The mean and, layer by layer, the heads of the first model that has several.
function drawGrid(frames) {
  const frame = frames.find((one) => one?.each), { each = [], layers = 0, heads = 1 } = frame ?? {};
  if (view.head > each.length) view.head = 0;
  const headOf = (weights, part, name) => ({ part, name, weights, isChosen: part === view.head });
  const row = (_, l) => ({ title: "", heads: each.slice(l * heads, (l + 1) * heads).map((weights, h) => headOf(weights, l * heads + h + 1, layers > 1 ? `${l + 1}.${h + 1}` : String(h + 1))) });
  drawHeads(byId("thumbs"), frame ? [{ title: "", heads: [headOf(frame.weights, 0, textOf("mean"))] }, ...Array.from({ length: layers }, row)] : [], frame && wordsOf(frame), chooseHead);
}

function chooseHead(number) {
  view.head = number;
  drawMoment(view.frames);
}

function highlight() {
  const frame = pointedFrame();
  const row = frame && view.row !== null && view.row < frame.rows.length ? view.row : null;
  for (const panel of view.panels) panel.highlight(row, view.column);
  if (row === null) {
    byId("readout").textContent = frame ? textOf("hint") : "\u00a0";
    return;
  }
  const weights = weightsOf(frame).subarray(row * frame.columns.length, (row + 1) * frame.columns.length);
  const column = view.column ?? weights.indexOf(Math.max(...weights));
  byId("readout").textContent = (state.models[1] ? `${names[pointedSlot()]}: ` : "") + textOf("readout", { weight: fixed(weights[column], 3), target: clipped(frame.rows[row], 30), source: clipped(frame.columns[column] ?? "", 30) });
}

// Draws the frames of a moment.
function drawMoment(frames) {
  view.frames = frames;
  drawGrid(frames);
  drawTranslations(frames);
  if (isOnStage()) drawQuestion();
  drawPanels(frames);
  drawNumbers(frames);
  if (view.row !== null || !byId("readout").textContent.trim()) highlight();
}

// ---- The sentence

const held = () => training.about[0]?.held ?? [];

// The one that the matrices show at first: among the unseen pairs of few words, none of them twice, the one
// whose words move most.
function tellingPair() {
  const worth = held().map(({ source, gold }) => {
    const list = source.match(/[\p{L}\p{N}]+/gu) ?? [], links = linksOf(gold, Infinity, Infinity).filter(([, , possible]) => !possible);
    const crossings = links.reduce((sum, [s, t], i) => sum + links.slice(0, i).filter(([s2, t2]) => (s - s2) * (t - t2) < 0).length, 0);
    return source.split(" ").length > 8 || new Set(list).size < list.length ? -1 : crossings + list.length / 100;
  });
  return Math.max(worth.indexOf(Math.max(...worth)), 0);
}

// A sentence that was typed: with its target where the pairs have it.
function knownPair(source) {
  const { train } = training.pairs, at = `\n${train}`.indexOf(`\n${source}\t`), [, target = null, gold = ""] = at < 0 ? [] : train.slice(at).split("\n", 1)[0].split("\t");
  return held().find((one) => one.source === source) ?? { source, target, gold };
}

// Whether a translation is its reference, whatever the spaces.
const isRight = (translation, target) => target !== null && translation?.replace(/\s/g, "") === target.replace(/\s/g, "");

function watchedPair() {
  if (state.source) return knownPair(state.source);
  return held()[state.sentence ?? tellingPair()] ?? held()[0] ?? { source: "", target: null, gold: "" };
}
const watchedGold = () => watchedPair().gold;

function listSentences() {
  byId("sentence").replaceChildren(...held().map(({ source }, i) => html("option", { value: i }, `${i + 1}  ${clipped(source, 70)}`)));
  byId("sentence").value = state.sentence ?? tellingPair();
  byId("source").value = state.source ?? "";
  byId("source").placeholder = held()[1]?.source ?? "";
}

// Has the worker look at the chosen sentence, under the chosen constraints, and draws what it sees.
const watch = tried(async () => {
  const { source, target } = watchedPair(), forced = byId("force").value;
  const links = bending.links.size ? [...bending.links].map(([t, s]) => `${s}-${t}`).join(" ") : null;
  const look = links ? "--force-attention gold" : forced ? `--force-attention ${forced}` : "";
  const shown = links && target === null ? null : target;
  const frames = await ask("watch", { source: source || null, target: shown, look, links });
  if (past.at < 0) drawMoment(frames.map((frame, slot) => frame && { ...view.frames[slot], weights: null, each: null, ...frame }));
});
