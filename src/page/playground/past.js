// The past of a training: its moments, which the slider goes back to, and the points of its curves.

import { html } from "../dom.js";
import { halt, setPlayer } from "../player.js";
import { fixed } from "../text.js";
import { textOf } from "./language.js";
import { names } from "./options.js";
import { state, training } from "./state.js";

const noPast = () => ({
  moments: [],
  at: -1,
  waits: false,
  bytes: 0,
  drawn: 0,
  curves: [0, 1].map(() => ({
    loss: [],
    heldLoss: [],
    bleu: [],
    exact: [],
    gold: [],
    entropy: [],
  })),
});

export const past = noPast();

const MOST_MOMENTS = 600;
const MOST_BYTES = 32e6;
const MOST_POINTS = 400;

const bytesOf = (frame) =>
  frame
    ? 4 * (frame.weights?.length ?? 0) +
      (frame.each ?? []).reduce((sum, head) => sum + 4 * head.length, 0) +
      1000
    : 0;

export function forgetPast() {
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
  const values = {
    heldLoss: figures.loss,
    bleu: bleuOf(figures),
    exact: 100 * figures.exact,
    entropy: figures.entropy,
    gold: figures.gold === null ? NaN : 100 * figures.gold,
  };
  for (const [name, value] of Object.entries(values)) add(name, value, figures.step);
}

// Figures are complete some updates after those that they belong to.
function giveFigures(slot, figures) {
  const from =
    past.moments.findLastIndex(({ frames }) => !(frames[slot]?.step >= figures.step)) + 1;
  for (const { frames } of past.moments.slice(from)) frames[slot].held = figures;
}

// A moment of the worker: what it did not measure anew stays as in the last one.
export function keepMoment(frames) {
  const last = past.moments.at(-1)?.frames ?? [null, null];
  frames.forEach((frame, slot) => {
    if (!frame) return;
    addPoints(past.curves[slot], frame);
    if (frame.held) giveFigures(slot, frame.held);
    else frame.held = last[slot]?.held;
  });
  past.moments.push({ frames });
  const count = () => {
    past.bytes = past.moments
      .flatMap((moment) => moment.frames.map(bytesOf))
      .reduce((sum, bytes) => sum + bytes);
  };
  for (
    count();
    past.moments.length > MOST_MOMENTS || (past.bytes > MOST_BYTES && past.moments.length > 2);
    count()
  ) {
    past.moments = thin(past.moments, 1);
    if (past.at >= 0) past.at = Math.min(Math.round(past.at / 2), past.moments.length - 1);
  }
}

export const shownMoment = () => past.moments[past.at < 0 ? past.moments.length - 1 : past.at];

const stepOf = (moment) => moment?.frames.find(Boolean)?.step ?? training.about[0]?.step ?? 0;

export const latestStep = () => stepOf(past.moments.at(-1));

// BLEU is 0 where no sentence has the four words that it looks at together, though translations are
// right.
export const bleuOf = (figures) =>
  figures && !(figures.bleu === 0 && figures.exact > 0) ? figures.bleu : NaN;

export function showTime() {
  const moment = shownMoment();
  const step = stepOf(moment);
  const last = Math.max(past.moments.length - 1, 0);
  const shown =
    moment?.frames.flatMap((frame, slot) =>
      frame ? [{ ...frame, name: state.models[1] ? `${names[slot]} ` : "" }] : [],
    ) ?? [];
  const measured = [...new Set(shown.flatMap(({ held }) => held?.step ?? []))];
  const exact = measured.length
    ? textOf("exactly", {
        n: shown.map(({ name, held }) => name + fixed(100 * (held?.exact ?? NaN), 1)).join(", "),
      })
    : "";
  setPlayer(
    past.at < 0 ? last : past.at,
    last,
    past.waits
      ? `${textOf("training")} …`
      : step
        ? [textOf("update", { n: step }), exact].filter(Boolean).join(" · ")
        : textOf("before"),
    measured.some((at) => at !== step) && !past.waits
      ? html("span", {}, ` · ${textOf("measured", { n: measured.join(", ") })}`)
      : "",
  );
}
