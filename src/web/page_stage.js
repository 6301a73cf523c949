// The stage: the watched sentence over the whole window for a lecture hall, with the question of the tour and the page's own player,
// heads and translations.

const isOnStage = () => byId("stage").open;

// The sizes of pictures beside or above each other: matrices where their words fit, else bands.
function stageLayout(many, frames) {
  const host = byId("stage-pictures"), em = parseFloat(getComputedStyle(byId("stage")).fontSize), longest = (list) => Math.max(...list.map((text) => widthOf(clipped(text, 18), em)));
  const isStacked = host.clientHeight > host.clientWidth, beside = isStacked ? 1 : many;
  const { source, target } = frames.length ? wordsOf(frames[0]) : { source: [], target: [] };
  const width = (host.clientWidth - em * (beside - 1)) / beside, height = (host.clientHeight - em * (many - beside)) * (beside / many) - (state.models[1] ? 1.4 * em : 0) - 4;
  const across = host.clientWidth - longest(target) - 14 - 0.5 * longest(source) - beside * (em + 8);
  const cell = Math.min(across / (beside * source.length), (height - 0.87 * longest(source) - 0.8 * em - 20) / target.length, 3 * em);
  return { width: Math.max(width, 200), height: Math.max(height, 100), cell, em, isStacked, isBands: state.stage !== "matrix" || cell < 0.85 * em };
}

// The question of the stop, or its answer.
function drawQuestion() {
  const stop = stops[state.stop - 1], isAnswer = byId("stage-ask").getAttribute("aria-pressed") === "true";
  byId("stage-question").textContent = stop ? `${state.stop}. ${isAnswer ? partsOf(stop.answer)[0] : partsOf(stop.text)[1]}` : "";
  byId("stage-ask").hidden = !stop;
}

// ---- Keys and buttons

async function goToStop(number) {
  if (number < 1 || number > stops.length) return;
  byId("stage-ask").setAttribute("aria-pressed", false);
  halt();
  if (training.on) await run(false);
  await visit(number);
}

function showAnswer() {
  byId("stage-ask").setAttribute("aria-pressed", byId("stage-ask").getAttribute("aria-pressed") !== "true");
  drawQuestion();
}

// Bands in place of matrices, or matrices in place of bands.
function changeView() {
  if (isOnStage()) state.stage = state.stage === "matrix" ? "bands" : "matrix";
  else view.isBands = !view.isBands;
  keepLink();
  drawPanels(view.frames);
}

async function openStage(kind = "bands") {
  if (isOnStage()) byId("stage").close();
  if (training.on) await run(false);
  if (navigator.userActivation?.isActive) await document.documentElement.requestFullscreen?.().catch(() => {}); // before the dialog, which stands above it
  state.stage = kind;
  keepLink();
  byId("stage-view").append(byId("thumbs"));
  byId("stage-view").after(byId("translations"));
  byId("stage-bar").prepend(byId("stage-back"), byId("course"), byId("kind"));
  byId("stage").showModal();
  byId("play").focus();
  drawMoment(view.frames);
}

// What the stage had of the page goes back to its places.
function closeStage() {
  byId("broken").after(byId("course"));
  byId("course").append(byId("kind"));
  byId("panels").before(byId("translations"));
  byId("panels").after(byId("thumbs"));
  if (past.waits) goTo(Infinity);
  past.waits = false;
  halt();
  state.stage = null;
  keepLink();
  if (document.fullscreenElement) document.exitFullscreen();
  drawMoment(view.frames);
}

const stageKeys = {
  ArrowLeft: () => scrub(Number(byId("frame").value) - 1), ArrowRight: () => scrub(Number(byId("frame").value) + 1), Home: () => scrub(0), End: () => scrub(Infinity),
  PageUp: () => goToStop(state.stop - 1), PageDown: () => goToStop(state.stop + 1),
  " ": togglePlay, a: showAnswer, v: changeView, f: () => openStage(state.stage), p: () => byId("stage").close(),
};

function onStageKey(event) {
  const act = stageKeys[event.key.length > 1 ? event.key : event.key.toLowerCase()];
  if (event.target.localName === "select" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^\d$/.test(event.key)) chooseHead(Number(event.key));
  const down = { ArrowUp: -1, ArrowDown: 1 }[event.key], rows = pointedFrame()?.rows.length ?? 0;
  if (down && rows) actsOf(pointedSlot()).over(Math.min(Math.max((view.row ?? -1) + down, 0), rows - 1), null);
  if (!act) return;
  event.preventDefault();
  act();
}

function addStage() {
  const on = { "stage-ask": showAnswer, "stage-back": () => goToStop(state.stop - 1), "stage-on": () => goToStop(state.stop + 1), "stage-close": () => byId("stage").close(), present: () => openStage() };
  for (const [id, act] of Object.entries(on)) byId(id).addEventListener("click", () => { act(); if (isOnStage()) byId("play").focus(); });
  byId("stage").addEventListener("keydown", onStageKey);
  byId("stage").addEventListener("close", closeStage);
  addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) byId("stage").close(); });
  addEventListener("keydown", (event) => {
    const act = { p: () => openStage(), v: changeView }[event.key.toLowerCase()];
    if (!act || event.ctrlKey || event.metaKey || event.altKey || isOnStage() || event.target.matches("input:not([type=range], [type=checkbox]), textarea, select")) return;
    event.preventDefault();
    act();
  });
  new ResizeObserver(() => drawPanels(view.frames)).observe(byId("stage-view"));
}
