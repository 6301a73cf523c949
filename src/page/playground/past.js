// The past of a training: its moments, which the slider goes back to, and the points of its curves.

import { html } from "../dom.js";
import { halt, setPlayer } from "../player.js";
import { fixed } from "../text.js";
import { textOf } from "./language.js";
import { prefixOf } from "./options.js";
import { training } from "./state.js";

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

function bytesOf(frame) {
  if (!frame) return 0;
  const matrices = [frame.weights ?? [], ...(frame.each ?? [])];
  return matrices.reduce((sum, { length }) => sum + 4 * length, 1000);
}

export function forgetPast() {
  halt();
  Object.assign(past, noPast());
  showTime();
}

// When there are too many, every second one is dropped; the latest stays.
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

// Figures are complete some updates after the ones they belong to.
function giveFigures(slot, figures) {
  const from =
    past.moments.findLastIndex(({ frames }) => !(frames[slot]?.step >= figures.step)) + 1;
  for (const { frames } of past.moments.slice(from)) frames[slot].held = figures;
}

// Adds a moment of the worker: what it did not measure again stays as in the last one.
export function keepMoment(frames) {
  const last = past.moments.at(-1)?.frames ?? [null, null];
  frames.forEach((frame, slot) => {
    if (!frame) return;
    addPoints(past.curves[slot], frame);
    if (frame.held) giveFigures(slot, frame.held);
    else frame.held = last[slot]?.held;
  });
  past.moments.push({ frames });
  forgetSome();
}

// Forgets every second moment while there are too many.
function forgetSome() {
  const count = () => past.moments.flatMap(({ frames }) => frames.map(bytesOf));
  const sum = (list) => list.reduce((all, bytes) => all + bytes);
  for (;;) {
    const { length } = past.moments;
    past.bytes = sum(count());
    if (length <= MOST_MOMENTS && (past.bytes <= MOST_BYTES || length <= 2)) return;
    past.moments = thin(past.moments, 1);
    if (past.at >= 0) past.at = Math.min(Math.round(past.at / 2), past.moments.length - 1);
  }
}

export const shownMoment = () => past.moments[past.at < 0 ? past.moments.length - 1 : past.at];

const stepOf = (moment) => moment?.frames.find(Boolean)?.step ?? training.about[0]?.step ?? 0;

export const latestStep = () => stepOf(past.moments.at(-1));

// BLEU is 0 where no sentence has four words in a row, even if all translations are right.
export const bleuOf = (figures) =>
  figures && !(figures.bleu === 0 && figures.exact > 0) ? figures.bleu : NaN;

// What the player says of the shown moment: its update, and how many sentences are exact.
function captionOf(step, shown) {
  if (past.waits) return `${textOf("training")} …`;
  if (!step) return textOf("before");
  const exact = shown.map(
    ({ slot, held }) => prefixOf(slot) + fixed(100 * (held?.exact ?? NaN), 1),
  );
  const isMeasured = shown.some(({ held }) => held);
  const said = isMeasured ? textOf("exactly", { n: exact.join(", ") }) : "";
  return [textOf("update", { n: step }), said].filter(Boolean).join(" · ");
}

export function showTime() {
  const moment = shownMoment();
  const step = stepOf(moment);
  const last = Math.max(past.moments.length - 1, 0);
  const frames = moment?.frames.map((frame, slot) => frame && { ...frame, slot }) ?? [];
  const shown = frames.filter(Boolean);
  const measured = [...new Set(shown.flatMap(({ held }) => held?.step ?? []))];
  const isOlder = measured.some((at) => at !== step) && !past.waits;
  const note = ` · ${textOf("measured", { n: measured.join(", ") })}`;
  const caption = captionOf(step, shown);
  setPlayer(past.at < 0 ? last : past.at, last, caption, isOlder ? html("span", {}, note) : "");
}
