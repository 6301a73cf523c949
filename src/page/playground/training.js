// The training: its models, start, pause and steps.

import { byId, onClick } from "../dom.js";
import { addPlayer, play, player } from "../player.js";
import { visible } from "../text.js";
import { showCommand } from "./command.js";
import { drawCurves } from "./curves.js";
import { ask, call, engine, heldBytes } from "./engine.js";
import { forgetEquation } from "./explain.js";
import { drawFigures } from "./figures.js";
import { textOf } from "./language.js";
import { say, tried } from "./message.js";
import { drawMoment } from "./moment.js";
import { optionsOf } from "./options.js";
import { makePairs } from "./pairs.js";
import { forgetPast, keepMoment, latestStep, past, showTime, shownMoment } from "./past.js";
import { listSentences } from "./sentence.js";
import { keepLink, state, training } from "./state.js";
import { watch } from "./watch.js";

async function openModel(slot, saved = null) {
  training.about[slot] = null;
  if (!state.models[slot]) return ask("close", { slot });
  const { train, valid } = training.pairs;
  training.about[slot] = await ask("open", {
    slot,
    options: optionsOf(state.models[slot]),
    train,
    valid,
    state: saved,
  });
  return null;
}

// Opens models with the chosen settings, untrained or from a saved training.
export async function reopen(saved = null) {
  const round = ++training.round;
  training.isShown = false;
  const isLate = () => round !== training.round; // another one has begun
  setRunning(false);
  enable(false);
  await ask("run", { on: false });
  if (isLate()) return;
  await makePairs();
  for (const slot of [0, 1]) {
    if (isLate()) return;
    await openModel(slot, slot ? null : saved);
  }
  await call("break", training.broken);
  if (isLate()) return;
  await showOpened();
  enable(true);
}

export const openAll = tried(() => reopen());

// Shows the trained model that the page holds, so that there is a matrix before anything is
// trained; the first update begins with an untrained one.
export async function showTrained() {
  const { held } = training.about[0];
  const { round } = training;
  enable(false);
  const file = await heldBytes("trained");
  if (round !== training.round) return; // another one has begun
  training.about[0] = { ...(await ask("load", { slot: 0, file })), held };
  training.isShown = true;
  await watch();
  byId("caption").textContent = "";
  say(textOf("trainedBefore"));
  enable(true);
}

// Opens an untrained model where a trained one is only shown.
async function begin() {
  if (training.isShown) await openAll();
}

export async function showOpened() {
  forgetPast();
  forgetEquation();
  listSentences();
  showCommand();
  drawCurves(true);
  keepLink();
  showPairs();
  await watch();
  drawFigures(); // together with the matrices: both name the models
}

// Says what there is to learn from, and the notes of the module that a user should know.
export function showPairs() {
  const {
    about: [about],
    pairs: { train, valid, note },
  } = training;
  if (!about?.pairs) return;
  const unused = train.split("\n").length - 1 - about.pairs - (valid ? 0 : about.held_out);
  const most = about.settings["max-len"];
  byId("pairs-note").textContent = [
    textOf("pairsNow", { n: about.pairs, held: about.held_out }),
    note,
    unused > 0 ? textOf("unused", { n: unused, most }) : "",
    textOf("sizes", {
      source: about.source_words,
      target: about.target_words,
      parameters: about.parameters,
    }),
    ...about.notes.filter((text) => text.startsWith("note:")).map((text) => visible(text, false)),
  ]
    .filter(Boolean)
    .join(" ");
}

export function enable(ready) {
  for (const id of ["start", "single", "anew"]) byId(id).disabled = !ready;
}

export function setRunning(on) {
  training.on = on;
  byId("start").textContent = textOf(on ? "pause" : "start");
  byId("start").classList.toggle("on", on);
  byId("readout").setAttribute("aria-live", on ? "off" : "polite"); // it changes with every look
}

export const run = tried(async (on, until = state.pause) => {
  if (on) {
    await begin();
    past.at = -1;
    say("");
    spoken = performance.now();
  }
  setRunning(on);
  if (!on) speak();
  const left = until - latestStep();
  await ask("run", { on, count: left > 0 ? left : Infinity });
});

const stepOnce = tried(async () => {
  if (training.on) await run(false);
  await begin();
  past.at = -1;
  await ask("step", { count: 1 });
});

// Tells screen readers how far the training is, every few seconds and when it pauses.
let spoken = 0;

function speak() {
  if (training.on && performance.now() - spoken < 8000) return;
  spoken = performance.now();
  byId("progress").textContent = byId("caption").textContent;
}

function onMoment(frames, rests) {
  if (rests) setRunning(false);
  keepMoment(frames);
  showTime();
  speak();
  if (rests && past.waits) {
    past.waits = false;
    play();
  }
  if (past.at >= 0) return;
  drawMoment(frames);
  drawFigures();
  drawCurves();
}

// Shows a past moment; -1 shows the latest one and follows the training.
export function goTo(at) {
  past.at = at >= past.moments.length - 1 ? -1 : at;
  const moment = shownMoment();
  showTime();
  if (!moment) return;
  drawMoment(moment.frames);
  drawFigures();
  drawCurves(true);
  if (past.at < 0) watch();
}

// Returns whether there is a training to play. If there is none, trains first, without drawing.
function beginPlay() {
  if (past.moments.length > 1 || past.waits) return !past.waits;
  past.waits = true;
  run(true, state.pause || 300);
  past.at = 0;
  showTime();
  return false;
}

export function addTraining() {
  engine.moment = onMoment;
  engine.failed = (text) => {
    setRunning(false);
    say(text, true);
  };
  engine.trapped = async (why) => {
    await openAll();
    say(textOf("trapped", { why }), true);
  };
  onClick({ start: () => run(!training.on), single: stepOnce, anew: () => openAll() });
  Object.assign(player, { show: goTo, begin: beginPlay });
  addPlayer();
  setRunning(false);
}
