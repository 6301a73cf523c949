// The watched sentence: its matrix, redrawn with every moment, its translation, and the cell under the pointer.

const view = { panels: [null, null], slot: 0, row: null, column: null, pressed: null, frames: [null, null] };
const names = ["A", "B"];

// The matrix of a frame: the mean over heads, or one of them.
function weightsOf(frame) {
  const head = Number(byId("head").value);
  return head > 0 && frame.each?.[head - 1] ? frame.each[head - 1] : frame.weights;
}

// "0-1 1p0": source-target, sure or possible, as the matrix marks it.
function linksOf(text, columns, rows) {
  return (text ?? "").split(" ").map((link) => link.match(/^(\d+)([-p])(\d+)$/)).filter(Boolean)
    .map(([, s, kind, t]) => [Number(s), Number(t), kind === "p"]).filter(([s, t]) => s < columns && t < rows);
}

const sameWords = (one, other) => one.length === other.length && one.every((text, i) => text === other[i]);

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
    if (view.pressed !== null || document.activeElement?.matches(".matrix:focus-visible")) return; // keys hold it
    view.row = view.column = null;
    highlight();
  },
  pick(t, s) {
    view.slot = slot;
    if (byId("bend").checked && s !== null) bend(view.pressed ?? t, s);
    else explain(t, s);
  },
});

// Keys on a matrix: arrows move the cell, Enter explains its row or bends it there.
function matrixKey(event, act) {
  const frame = pointedFrame();
  if (!frame) return;
  const rows = frame.rows.length, columns = frame.columns.length, side = isRightToLeft(frame.columns) ? -1 : 1;
  const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -side], ArrowRight: [0, side] }[event.key];
  const within = (value, most) => Math.min(Math.max(value, 0), most - 1);
  if (move) {
    view.row = view.row === null ? 0 : within(view.row + move[0], rows);
    view.column = view.column === null ? 0 : within(view.column + move[1], columns);
  } else if ((event.key === "Enter" || event.key === " ") && view.row !== null) act.pick(view.row, view.column);
  else if (event.key === "Escape") { view.row = view.column = null; unbend(); }
  else return;
  event.preventDefault();
  highlight();
}

// What a panel is made for, besides its words.
const panelKey = () => [...state.models.map((settings, slot) => settings && nameOf(slot)), watchedGold(), language.name].join("|");

function makePanel(slot, frame) {
  const gold = linksOf(watchedGold(), frame.columns.length, frame.rows.length);
  const act = actsOf(slot);
  const matrix = Matrix({ source: frame.columns, target: frame.rows }, { beside: state.models[1] ? 2 : 1, gold, sums: true, act });
  const figure = matrix.panel(...(state.models[1] ? [html("figcaption", {}, textOf("model", { name: nameOf(slot) }))] : []));
  make(matrix.picture, { tabindex: 0, role: "group", "aria-label": (state.models[1] ? `${textOf("model", { name: nameOf(slot) })}. ` : "") + textOf("matrix"), on: {
    keydown: (event) => matrixKey(event, act),
    focus: () => act.over(view.row ?? 0, view.column ?? 0),
    blur: () => act.out(),
    pointerdown: () => { view.pressed = byId("bend").checked ? view.row : null; },
  } }, []);
  matrix.picture.style.maxWidth = `min(100%, ${matrix.picture.viewBox.baseVal.width / 11}rem)`; // few words are not drawn as posters
  return { matrix, figure, columns: frame.columns, rows: frame.rows, key: panelKey() };
}

function drawPanels(frames) {
  const made = frames.map((frame, slot) => {
    const old = view.panels[slot];
    if (!frame?.weights) return null;
    return old?.key === panelKey() && sameWords(old.columns, frame.columns) && sameWords(old.rows, frame.rows) ? old : makePanel(slot, frame);
  });
  if (made.some((panel, slot) => panel !== view.panels[slot])) {
    view.panels = made;
    byId("panels").replaceChildren(...frames.map((frame, slot) => made[slot]?.figure ??
      (frame && html("p", { class: "note" }, html("b", {}, textOf("model", { name: nameOf(slot) })), html("br"), textOf("noAttention")))).filter(Boolean));
  }
  made.forEach((panel, slot) => panel?.matrix.show(weightsOf(frames[slot])));
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
  const weights = weightsOf(frame), columns = frame.columns.length, name = state.models[1] ? textOf("model", { name: nameOf(slot) }) : null;
  const head = html("tr", {}, html("th", { scope: "col" }, textOf("target")), ...frame.columns.map((text) => html("th", { scope: "col" }, word(text, 20))));
  return html("table", { "aria-label": textOf("asTable") }, ...(name ? [html("caption", {}, name)] : []), html("thead", {}, head), html("tbody", {}, ...frame.rows.map((text, t) => html("tr", {},
    html("th", { scope: "row" }, word(text, 20)), ...Array.from({ length: columns }, (_, s) => html("td", {}, fixed(weights[t * columns + s], 2)))))));
}

function drawTable(frames) {
  if (!byId("numbers").open) return;
  byId("matrix-table").replaceChildren(...frames.map((frame, slot) => (frame?.weights ? tableOf(frame, slot) : null)).filter(Boolean));
}

function drawHeads(frames) {
  const frame = frames.find((one) => one?.each), most = frame?.each.length ?? 0, list = byId("head");
  byId("heads").hidden = most < 2;
  if (list.options.length === most + 1 && list.dataset.language === language.name) return;
  const perLayer = frame?.heads ?? 1;
  list.dataset.language = language.name;
  list.replaceChildren(html("option", { value: 0 }, textOf("mean")), ...Array.from({ length: most }, (_, i) =>
    html("option", { value: i + 1 }, frame.layers > 1 ? `${Math.floor(i / perLayer) + 1}.${(i % perLayer) + 1}` : String(i + 1))));
}

function highlight() {
  const frame = pointedFrame();
  const row = frame && view.row !== null && view.row < frame.rows.length ? view.row : null;
  view.panels.forEach((panel) => panel?.matrix.highlight(row !== null && row < panel.rows.length ? row : null, view.column < panel.columns.length ? view.column : null));
  stage.pictures.forEach((picture) => picture.highlight(row));
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
  drawHeads(frames);
  drawPanels(frames);
  drawTranslations(frames);
  drawTable(frames);
  drawStage();
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
const typed = { train: null, source: null, pair: null };
function knownPair(source) {
  const { train } = training.pairs;
  if (typed.train !== train || typed.source !== source) {
    const [, target, gold = ""] = train.split("\n").find((line) => line.startsWith(`${source}\t`))?.split("\t") ?? [];
    const pair = held().find((one) => one.source === source) ?? { source, target: target ?? null, gold };
    Object.assign(typed, { train, source, pair });
  }
  return typed.pair;
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
async function watch() {
  const { source, target } = watchedPair(), forced = byId("force").value;
  const links = bending.links.size ? [...bending.links].map(([t, s]) => `${s}-${t}`).join(" ") : null;
  const look = links ? "--force-attention gold" : forced ? `--force-attention ${forced}` : "";
  const shown = links && target === null ? null : target;
  try {
    const frames = await ask("watch", { source: source || null, target: shown, look, links });
    if (past.at < 0) drawMoment(frames.map((frame, slot) => frame && { ...view.frames[slot], weights: null, each: null, ...frame }));
  } catch (error) {
    complain(error);
  }
}
