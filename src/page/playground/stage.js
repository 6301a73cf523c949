// The stage shows the watched sentence over the whole window, for a lecture hall.

import { byId, onClick } from "../dom.js";
import { onKeys } from "../keyboard.js";
import { clamp } from "../numbers.js";
import { halt, scrub, togglePlay } from "../player.js";
import { forgetFlow } from "./flowing.js";
import { chooseHead, drawMoment, drawQuestion } from "./moment.js";
import { drawPanels, isOnStage, showOnStage } from "./panels.js";
import { past } from "./past.js";
import { keepLink, state, training } from "./state.js";
import { visit } from "./tour.js";
import { goTo, run } from "./training.js";
import { pointedFrame, pointedSlot, view } from "./view.js";

function showAnswer() {
  byId("stop-answer").open = !byId("stop-answer").open;
  drawQuestion();
}

function showKeys() {
  const { hidden } = byId("stage-keys");
  byId("stage-keys").hidden = !hidden;
  byId("stage-help").setAttribute("aria-expanded", hidden);
}

// Switches between bands and matrices; on the stage, also to all heads.
function changeView() {
  if (isOnStage()) showOnStage();
  else view.isBands = !view.isBands;
  forgetFlow();
  keepLink();
  drawMoment(view.frames);
}

export async function openStage(kind = "bands") {
  if (isOnStage()) byId("stage").close();
  if (training.on) await run(false);
  if (navigator.userActivation?.isActive)
    // Handled before the keys of the dialog, which stands above the stage.
    await document.documentElement.requestFullscreen?.().catch(() => {});
  showOnStage(kind);
  keepLink();
  byId("stage-view").append(byId("thumbs"), byId("flow"));
  byId("stage-view").after(byId("translations"));
  byId("stage-bar").prepend(byId("stage-back"), byId("course"), byId("kind"));
  byId("stage").showModal();
  byId("play").focus();
  drawMoment(view.frames);
}

// Moves what the stage borrowed back to its places on the page.
function closeStage() {
  byId("broken").after(byId("course"));
  byId("seconds").after(byId("kind"));
  byId("panels").before(byId("translations"));
  byId("heads-note").before(byId("thumbs"));
  byId("equation-title").after(byId("flow"));
  forgetFlow();
  if (past.waits) goTo(Infinity);
  past.waits = false;
  halt();
  state.stage = null;
  keepLink();
  if (document.fullscreenElement) document.exitFullscreen();
  drawMoment(view.frames);
}

// Points at the row above or below.
function moveRow(by) {
  const rows = pointedFrame()?.rows.length ?? 0;
  if (rows) view.actsOf(pointedSlot()).over(clamp((view.row ?? -1) + by, 0, rows - 1), null);
}

export function addStage() {
  const back = () => visit(state.stop - 1);
  const on = () => visit(state.stop + 1);
  const close = () => byId("stage").close();
  const to = (by) => scrub(Number(byId("frame").value) + by);
  onClick({
    "stage-ask": showAnswer,
    "stage-back": back,
    "stage-on": on,
    "stage-help": showKeys,
    "stage-close": close,
    present: () => openStage(),
    kind: changeView,
  });
  byId("stage-bar").addEventListener("click", () => {
    if (isOnStage()) byId("play").focus();
  });
  onKeys(byId("stage"), {
    ArrowLeft: () => to(-1),
    ArrowRight: () => to(1),
    Home: () => scrub(0),
    End: () => scrub(Infinity),
    ArrowUp: () => moveRow(-1),
    ArrowDown: () => moveRow(1),
    PageUp: back,
    PageDown: on,
    " ": togglePlay,
    a: showAnswer,
    "?": showKeys,
    v: changeView,
    f: () => openStage(state.stage),
    p: close,
    ...Object.fromEntries(
      Array.from({ length: 10 }, (_, number) => [number, () => chooseHead(number)]),
    ),
  });
  byId("stage").addEventListener("close", closeStage);
  addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement) close();
  });
  onKeys(
    window,
    { p: () => !isOnStage() && openStage(), v: () => !isOnStage() && changeView() },
    "input:not([type=range], [type=checkbox]), textarea, select",
  );
  new ResizeObserver(() => drawPanels(view.frames)).observe(byId("stage-view"));
}
