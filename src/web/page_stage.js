// The stage: the watched sentence over the whole window for a lecture hall, with the question of the tour, and its
// training again in slow motion, from gray to black.

const stage = { timer: 0, waits: false, key: "", pictures: [] };
const isOnStage = () => byId("stage").open;

// ---- The picture

// What the pictures of these frames are made in, beside or above each other: the matrix where its words fit, else bands.
function stageSizes(frames, em) {
  const host = byId("stage-view"), { source, target } = wordsOf(frames[0]), longest = (list) => Math.max(...list.map((text) => widthOf(clipped(text, 18), em)));
  const room = host.clientWidth - (frames.some((frame) => frame.each) ? 9 * em : 0), isStacked = host.clientHeight > room;
  const beside = isStacked ? 1 : frames.length, named = frames.length > 1 ? 1.4 * em : 0;
  const width = (room - em * (beside - 1)) / beside, height = (host.clientHeight - em * (frames.length - beside)) * (beside / frames.length) - named - 4;
  const across = room - longest(target) - 14 - 0.5 * longest(source) - beside * (em + 8);
  const cell = Math.min(across / (beside * source.length), (height - 0.87 * longest(source) - 0.8 * em - 20) / target.length, 3 * em);
  return { width: Math.max(width, 200), height: Math.max(height, 100), cell, isStacked, isMatrix: state.stage === "matrix" && cell >= 0.85 * em };
}

const wordsOf = (frame) => ({ source: frame.columns, target: frame.rows });

function stagePicture(frame, i, { width, height, cell, isStacked, isMatrix }, em) {
  const act = { over(t) { view.row = t; highlight(); }, out() { view.row = null; highlight(); }, pick() {} };
  const gold = linksOf(watchedGold(), frame.columns.length, frame.rows.length);
  const made = isMatrix ? Matrix(wordsOf(frame), { gold, act, large: { cell, font: em, bare: i > 0 && !isStacked } }) : Bands(wordsOf(frame), { width, height, least: em, act });
  made.picture.style.width = `${made.picture.viewBox.baseVal.width}px`;
  return made;
}

// The heads in small, of which one is chosen by a click or by its number.
function drawStageHeads(frame) {
  const chosen = byId("head").value, names = [...byId("head").options].map((option) => option.textContent);
  const button = (weights, i) => html("button", { type: "button", "aria-pressed": String(i) === chosen, on: { click: () => chooseHead(i) } }, thumbnail(weights, wordsOf(frame)), names[i]);
  byId("stage-heads").replaceChildren(...(frame?.each ? [frame.weights, ...frame.each].map(button) : []));
}

function chooseHead(number) {
  if (number >= byId("head").options.length) return;
  byId("head").value = number;
  drawMoment(view.frames);
}

function drawStage() {
  if (!isOnStage()) return;
  const frames = view.frames.map((frame, slot) => frame && { slot, ...frame }).filter((frame) => frame?.weights), em = parseFloat(getComputedStyle(byId("stage")).fontSize);
  drawStageText();
  drawStageHeads(frames.length === 1 ? frames[0] : null);
  if (!frames.length) { stage.key = ""; byId("stage-pictures").replaceChildren(); return; }
  const sizes = stageSizes(frames, em), key = JSON.stringify([sizes, panelKey(), frames.map(wordsOf)]);
  if (key !== stage.key) {
    stage.key = key;
    stage.pictures = frames.map((frame, i) => stagePicture(frame, i, sizes, em));
    byId("stage-pictures").classList.toggle("stacked", sizes.isStacked);
    byId("stage-pictures").replaceChildren(...stage.pictures.map(({ picture }, i) =>
      html("figure", {}, frames.length > 1 ? html("figcaption", {}, nameOf(frames[i].slot)) : null, picture)));
  }
  stage.pictures.forEach((picture, i) => picture.show(weightsOf(frames[i])));
}

// The question or its answer, what the models say, and how far they are.
function drawStageText() {
  const stop = stops[state.stop - 1], pair = watchedPair(), isAnswer = byId("stage-ask").getAttribute("aria-pressed") === "true";
  const frames = view.frames.map((frame, slot) => frame && { slot, ...frame }).filter(Boolean), parts = stop && (isAnswer ? partsOf(stop.answer)[0] : partsOf(stop.text)[1]);
  byId("stage-question").textContent = stop ? `${state.stop}. ${parts}` : "";
  byId("stage-ask").hidden = !stop;
  byId("stage-said").replaceChildren(...frames.map(({ slot, translation }) => html("p", { class: isRight(translation, pair.target) && "right" },
    state.models[1] ? `${names[slot]}: ` : "", translation ? word(translation, 90) : "…")));
  const exact = frames.flatMap(({ held: figures }) => (figures ? fixed(100 * figures.exact, 0) : []));
  byId("stage-when").textContent = stage.waits ? `${textOf("training")} …` : [textOf("update", { n: stepOf(shownMoment()) }),
    exact.length ? textOf("exactly", { n: exact.join(", ") }) : ""].filter(Boolean).join(" · ");
  Object.assign(byId("stage-time"), { max: byId("time").max, value: byId("time").value, disabled: byId("time").disabled });
  byId("stage-play").textContent = stage.timer ? "❚❚" : "▶";
}

// ---- Slow motion

function haltStage() {
  clearInterval(stage.timer);
  Object.assign(stage, { timer: 0, waits: false });
  byId("stage").style.setProperty("--pace", "0.2s");
}

function scrub(to) {
  haltStage();
  goTo(Math.max(to, 0));
  drawStage();
}

// What was learned, from the beginning or from where it halted, in the chosen time.
function playStage() {
  const seconds = Number(byId("stage-seconds").value), stride = Math.ceil(past.moments.length / (seconds * 12)), pace = seconds * stride / past.moments.length;
  haltStage();
  if (past.at < 0) goTo(0);
  byId("stage").style.setProperty("--pace", `${pace}s`);
  stage.timer = setInterval(() => {
    goTo(past.at + stride);
    if (past.at < 0) haltStage();
    drawStage();
  }, 1000 * pace);
  drawStage();
}

// Learns first where nothing has been learned, unseen: what is shown is the slow motion.
async function startStage() {
  if (stage.waits) return;
  if (stage.timer) { haltStage(); drawStage(); return; }
  if (past.moments.length > 1) { playStage(); return; }
  stage.waits = true;
  drawStage();
  await run(true, state.pause || 300);
  past.at = 0;
}

// ---- Keys and buttons

async function goToStop(number) {
  if (number < 1 || number > stops.length) return;
  byId("stage-ask").setAttribute("aria-pressed", false);
  haltStage();
  if (training.on) await run(false);
  await visit(number);
}

function showAnswer() {
  byId("stage-ask").setAttribute("aria-pressed", byId("stage-ask").getAttribute("aria-pressed") !== "true");
  drawStage();
}

function changeView() {
  state.stage = state.stage === "matrix" ? "bands" : "matrix";
  keepLink();
  drawStage();
}

async function openStage(kind = "bands") {
  if (isOnStage()) byId("stage").close();
  if (training.on) await run(false);
  if (navigator.userActivation?.isActive) await document.documentElement.requestFullscreen?.().catch(() => {}); // before the dialog, which stands above it
  state.stage = kind;
  keepLink();
  byId("stage").showModal();
  byId("stage-play").focus();
  drawStage();
}

const stageKeys = {
  ArrowLeft: () => scrub(Number(byId("time").value) - 1), ArrowRight: () => scrub(Number(byId("time").value) + 1), Home: () => scrub(0), End: () => scrub(Infinity),
  PageUp: () => goToStop(state.stop - 1), PageDown: () => goToStop(state.stop + 1),
  " ": startStage, a: showAnswer, v: changeView, f: () => openStage(state.stage), p: () => byId("stage").close(),
};

function onStageKey(event) {
  const act = stageKeys[event.key.length > 1 ? event.key : event.key.toLowerCase()];
  if (event.target.localName === "select" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^\d$/.test(event.key)) chooseHead(Number(event.key));
  if (/^Arrow(Up|Down)$/.test(event.key)) matrixKey(event, {});
  if (!act) return;
  event.preventDefault();
  act();
}

function addStage() {
  const on = { "stage-play": startStage, "stage-ask": showAnswer, "stage-kind": changeView, "stage-back": () => goToStop(state.stop - 1),
    "stage-on": () => goToStop(state.stop + 1), "stage-close": () => byId("stage").close(), present: () => openStage() };
  for (const [id, act] of Object.entries(on)) byId(id).addEventListener("click", () => { act(); if (isOnStage()) byId("stage-play").focus(); });
  byId("stage-time").addEventListener("input", (event) => scrub(Number(event.target.value)));
  byId("stage-seconds").addEventListener("change", () => { if (stage.timer) playStage(); });
  byId("stage").addEventListener("keydown", onStageKey);
  byId("stage").addEventListener("close", () => {
    if (stage.waits) goTo(Infinity);
    haltStage();
    state.stage = null;
    keepLink();
    if (document.fullscreenElement) document.exitFullscreen();
  });
  addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) byId("stage").close(); });
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "p" || event.ctrlKey || event.metaKey || event.altKey || isOnStage() || event.target.matches("input:not([type=range], [type=checkbox]), textarea, select")) return;
    event.preventDefault();
    openStage();
  });
  new ResizeObserver(drawStage).observe(byId("stage-view"));
}
