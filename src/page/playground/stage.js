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

// The question of the stop, or its answer, as on the page.
function drawQuestion() {
  const stop = stops[state.stop - 1], isAnswer = byId("stop-answer").open;
  byId("stage-ask").setAttribute("aria-pressed", isAnswer);
  byId("stage-question").textContent = stop ? `${state.stop}. ${isAnswer ? partsOf(stop.answer)[0] : partsOf(stop.text)[1]}` : "";
  byId("stage-ask").hidden = !stop;
}

// ---- Keys and buttons

function showAnswer() {
  byId("stop-answer").open = !byId("stop-answer").open;
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
  byId("seconds").after(byId("kind"));
  byId("panels").before(byId("translations"));
  byId("panels").before(byId("thumbs"));
  if (past.waits) goTo(Infinity);
  past.waits = false;
  halt();
  state.stage = null;
  keepLink();
  if (document.fullscreenElement) document.exitFullscreen();
  drawMoment(view.frames);
}

// The row above or below the one that is pointed at.
function moveRow(by) {
  const rows = pointedFrame()?.rows.length ?? 0;
  if (rows) actsOf(pointedSlot()).over(Math.min(Math.max((view.row ?? -1) + by, 0), rows - 1), null);
}

function addStage() {
  const back = () => visit(state.stop - 1), on = () => visit(state.stop + 1), close = () => byId("stage").close(), to = (by) => scrub(Number(byId("frame").value) + by);
  onClick({ "stage-ask": showAnswer, "stage-back": back, "stage-on": on, "stage-close": close, present: () => openStage() });
  byId("stage-bar").addEventListener("click", () => { if (isOnStage()) byId("play").focus(); });
  onKeys(byId("stage"), { ArrowLeft: () => to(-1), ArrowRight: () => to(1), Home: () => scrub(0), End: () => scrub(Infinity), ArrowUp: () => moveRow(-1), ArrowDown: () => moveRow(1),
    PageUp: back, PageDown: on, " ": togglePlay, a: showAnswer, v: changeView, f: () => openStage(state.stage), p: close,
    ...Object.fromEntries(Array.from({ length: 10 }, (_, number) => [number, () => chooseHead(number)])) });
  byId("stage").addEventListener("close", closeStage);
  addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) close(); });
  onKeys(window, { p: () => !isOnStage() && openStage(), v: () => !isOnStage() && changeView() }, "input:not([type=range], [type=checkbox]), textarea, select");
  new ResizeObserver(() => drawPanels(view.frames)).observe(byId("stage-view"));
}
