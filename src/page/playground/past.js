// The course of a training: its moments, which a slider goes back through, and the curves over updates.

const noPast = () => ({ moments: [], at: -1, waits: false, bytes: 0, drawn: 0, curves: [0, 1].map(() => ({ loss: [], heldLoss: [], bleu: [], exact: [], gold: [], entropy: [] })) });
const past = noPast();
const MOST_MOMENTS = 600, MOST_BYTES = 32e6, MOST_POINTS = 400;

const bytesOf = (frame) => (frame ? 4 * (frame.weights?.length ?? 0) + (frame.each ?? []).reduce((sum, head) => sum + 4 * head.length, 0) + 1000 : 0);

function forgetPast() {
  halt();
  Object.assign(past, noPast());
  showTime();
}

// Every second one goes when there are too many, the latest stays.
function thin(list, most) {
  return list.length > most ? list.filter((_, i) => (list.length - 1 - i) % 2 === 0) : list;
}

function addPoints(curves, { step, loss, held: figures }) {
  const add = (name, value, at) => {
    if (Number.isFinite(value)) curves[name] = thin([...curves[name], [at, value]], MOST_POINTS);
  };
  add("loss", loss, step);
  if (!figures) return;
  const values = { heldLoss: figures.loss, bleu: bleuOf(figures), exact: 100 * figures.exact, entropy: figures.entropy, gold: figures.gold === null ? NaN : 100 * figures.gold };
  for (const [name, value] of Object.entries(values)) add(name, value, figures.step);
}

// Figures are complete some updates after those that they belong to.
function giveFigures(slot, figures) {
  const from = past.moments.findLastIndex(({ frames }) => !(frames[slot]?.step >= figures.step)) + 1;
  for (const { frames } of past.moments.slice(from)) frames[slot].held = figures;
}

// A moment of the worker: what it did not measure anew stays as in the last one.
function keepMoment(frames) {
  const last = past.moments.at(-1)?.frames ?? [null, null];
  frames.forEach((frame, slot) => {
    if (!frame) return;
    addPoints(past.curves[slot], frame);
    if (frame.held) giveFigures(slot, frame.held);
    else frame.held = last[slot]?.held;
  });
  past.moments.push({ frames });
  const count = () => { past.bytes = past.moments.flatMap((moment) => moment.frames.map(bytesOf)).reduce((sum, bytes) => sum + bytes); };
  for (count(); past.moments.length > MOST_MOMENTS || (past.bytes > MOST_BYTES && past.moments.length > 2); count()) {
    past.moments = thin(past.moments, 1);
    if (past.at >= 0) past.at = Math.min(Math.round(past.at / 2), past.moments.length - 1);
  }
}

const shownMoment = () => past.moments[past.at < 0 ? past.moments.length - 1 : past.at];

const stepOf = (moment) => moment?.frames.find(Boolean)?.step ?? training.about[0]?.step ?? 0;
const latestStep = () => stepOf(past.moments.at(-1));

function showTime() {
  const moment = shownMoment(), step = stepOf(moment), last = Math.max(past.moments.length - 1, 0);
  const shown = moment?.frames.flatMap((frame, slot) => (frame ? [{ ...frame, name: state.models[1] ? `${names[slot]} ` : "" }] : [])) ?? [];
  const measured = [...new Set(shown.flatMap(({ held }) => held?.step ?? []))];
  const exact = measured.length ? textOf("exactly", { n: shown.map(({ name, held }) => name + fixed(100 * (held?.exact ?? NaN), 1)).join(", ") }) : "";
  setPlayer(past.at < 0 ? last : past.at, last, past.waits ? `${textOf("training")} …` : step ? [textOf("update", { n: step }), exact].filter(Boolean).join(" · ") : textOf("before"),
    measured.some((at) => at !== step) && !past.waits ? html("span", {}, ` · ${textOf("measured", { n: measured.join(", ") })}`) : "");
}

// Shows a moment of the past; -1: the latest, and those to come.
function goTo(at) {
  past.at = at >= past.moments.length - 1 ? -1 : at;
  const moment = shownMoment();
  showTime();
  if (!moment) return;
  drawMoment(moment.frames);
  drawFigures();
  drawCurves(true);
  if (past.at < 0) watch();
}

// Plays what was learned; learns first where nothing was, unseen.
function beginPlay() {
  if (past.moments.length > 1 || past.waits) return !past.waits;
  past.waits = true;
  run(true, state.pause || 300);
  past.at = 0;
  showTime();
  return false;
}

// ---- Figures

// BLEU is 0 where no sentence has the four words that it looks at together, though translations are right.
const bleuOf = (figures) => (figures && !(figures.bleu === 0 && figures.exact > 0) ? figures.bleu : NaN);

function drawFigures() {
  const frames = shownMoment()?.frames ?? state.models.map((settings) => (settings ? {} : null));
  const percent = (share) => (Number.isFinite(share) ? `${fixed(100 * share, 1)} %` : "–");
  const columns = frames.map((frame, slot) => frame && [nameOf(slot), String(frame.step ?? training.about[slot]?.step ?? 0), fixed(frame.speed, 0), fixed(frame.loss, 3), String(frame.held?.step ?? "–"), fixed(frame.held?.loss ?? NaN, 3),
    fixed(bleuOf(frame.held), 1), percent(frame.held?.exact), percent(frame.held?.gold), percent(frame.held?.moved), fixed(frame.held?.entropy ?? NaN, 2)]).filter(Boolean);
  const [model, ...titles] = textOf("columns").split("|"), meanings = textOf("meanings").split("|");
  drawTable(byId("figures"), [{ title: model, cell: (i) => html("span", { title: meanings[i] }, titles[i]) }, ...columns.map(([name, ...values]) => ({ title: name, cell: (i) => values[i] }))], [...titles.keys()]);
  byId("gold-note").textContent = frames.some((frame) => frame?.held?.exact - frame?.held?.gold > 0.2) ? textOf("goldNote") : "";
  const megabytes = (bytes) => fixed(bytes / 1e6, 1);
  byId("facts").textContent = `softalign ${engine.info.version} · ${textOf("memory", { module: megabytes(engine.memory), history: megabytes(past.bytes) })}`;
}

// What the names of the figures mean, also for those who cannot point at them.
function drawGlossary() {
  const titles = textOf("columns").split("|").slice(1), meanings = textOf("meanings").split("|");
  byId("glossary").querySelector("dl").replaceChildren(...titles.flatMap((title, i) => [html("dt", {}, title), html("dd", {}, meanings[i])]));
}

// ---- Curves

// The row of the figures that names a curve, and its stroke.
const lines = { loss: [3, ""], heldLoss: [5, "9 5"], bleu: [6, ""], exact: [7, "9 5"], gold: [8, "2 5"], entropy: [10, ""] };

function seriesOf(keys) {
  const titles = textOf("columns").split("|"), titleOf = (key, slot) => (state.models[1] ? `${names[slot]} ` : "") + titles[lines[key][0]];
  return state.models.flatMap((settings, slot) => (settings ? keys.map((key) => ({
    model: { name: titleOf(key, slot), color: `var(--m${slot})`, index: slot, stroke: lines[key][1] },
    points: past.curves[slot][key],
  })) : [])).filter(({ points }) => points.length);
}

function legend(series) {
  return html("p", { class: "legend note" }, ...series.map(({ model }) => html("span", {}, lineMark(model.color, model.stroke), model.name)));
}

// At most three times a second: they change slowly.
function drawCurves(anyway = false) {
  const now = performance.now();
  if (!anyway && now - past.drawn < 350) return;
  past.drawn = now;
  const charts = [["loss-chart", ["loss", "heldLoss"], "lossTitle", 3], ["bleu-chart", ["bleu", "exact", "gold"], "bleuTitle", 1], ["gold-chart", ["entropy"], "goldTitle", 2]];
  for (const [id, keys, title, decimals] of charts) {
    const host = byId(id), series = seriesOf(keys);
    if (host.matches(":hover, :focus-within") && !anyway) continue; // its cursor is in use
    if (!series.length) { host.replaceChildren(); continue; }
    drawChart(host, { series, most: latestStep(), x: textOf("updates"), y: textOf(title), decimals, tall: 0.5 });
    if (host.clientWidth <= 45 * parseFloat(getComputedStyle(host).fontSize)) host.append(legend(series)); // else they stand at the lines
    if (past.at >= 0) host.mark(shownMoment().frames.find(Boolean).step);
  }
}
