// The watched sentence.

import { byId, option } from "../dom.js";
import { clipped } from "../text.js";
import { state, training } from "./state.js";

// "0-1 1p0": source-target, sure or possible, as the matrix marks it.
export function linksOf(text, columns, rows) {
  return (text ?? "")
    .split(" ")
    .map((link) => link.match(/^(\d+)([-p])(\d+)$/))
    .filter(Boolean)
    .map(([, s, kind, t]) => [Number(s), Number(t), kind === "p"])
    .filter(([s, t]) => s < columns && t < rows);
}

export const held = () => training.about[0]?.held ?? [];

// Returns the sentence that the matrices show first: of the short unseen pairs without repeated
// words, the one whose words move most.
function tellingPair() {
  const worth = held().map(({ source, gold }) => {
    const list = source.match(/[\p{L}\p{N}]+/gu) ?? [];
    const links = linksOf(gold, Infinity, Infinity).filter(([, , possible]) => !possible);
    const crossings = links.reduce(
      (sum, [s, t], i) =>
        sum + links.slice(0, i).filter(([s2, t2]) => (s - s2) * (t - t2) < 0).length,
      0,
    );
    return source.split(" ").length > 8 || new Set(list).size < list.length
      ? -1
      : crossings + list.length / 100;
  });
  return Math.max(worth.indexOf(Math.max(...worth)), 0);
}

// Returns a typed sentence, with its target if the pairs have it.
function knownPair(source) {
  const { train } = training.pairs;
  const at = `\n${train}`.indexOf(`\n${source}\t`);
  const [, target = null, gold = ""] = at < 0 ? [] : train.slice(at).split("\n", 1)[0].split("\t");
  return held().find((one) => one.source === source) ?? { source, target, gold };
}

// Whether a translation is its reference, whatever the spaces.
export const isRight = (translation, target) =>
  target !== null && translation?.replace(/\s/g, "") === target.replace(/\s/g, "");

export function watchedPair() {
  if (state.source) return knownPair(state.source);
  return (
    held()[state.sentence ?? tellingPair()] ?? held()[0] ?? { source: "", target: null, gold: "" }
  );
}

export const watchedGold = () => watchedPair().gold;

export function listSentences() {
  byId("sentence").replaceChildren(
    ...held().map(({ source }, i) => option(i, `${i + 1}  ${clipped(source, 70)}`)),
  );
  byId("sentence").value = state.sentence ?? tellingPair();
  byId("source").value = state.source ?? "";
  byId("source").placeholder = held()[1]?.source ?? "";
}
