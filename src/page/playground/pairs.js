// Pairs to learn from, of a task or the user's own. Too large ones never reach the module.

import { call } from "./engine.js";
import { textOf } from "./language.js";
import { state, training } from "./state.js";

export const HELD_OUT = 200;
const LEAST_PAIRS = 20;

const MOST_PAIRS = 20000;
const MOST_LETTERS = 2000;
export const MOST_MEGABYTES = 8;

export function checkSize(bytes, most) {
  if (bytes > most * 1e6)
    throw new Error(textOf("tooLarge", { size: (bytes / 1e6).toFixed(0), most }));
}

// Reads lines "source TAB target [TAB links]"; throws a sentence that says what is wrong.
export function readPairs(text) {
  checkSize(text.length, MOST_MEGABYTES);
  const all = text
    .replace(/^\ufeff/, "")
    .split(/\r\n|[\r\n]/)
    .filter((line) => line.trim());
  const long = all.findIndex((line) => line.length > MOST_LETTERS);
  if (long >= 0)
    throw new Error(textOf("tooLong", { line: long + 1, n: all[long].length, most: MOST_LETTERS }));
  const lines = all.filter((line) => /^[^\t]*[^\s][^\t]*\t[^\t]*[^\s]/.test(line));
  if (!lines.length) throw new Error(textOf("noTab"));
  if (lines.length > MOST_PAIRS)
    throw new Error(textOf("tooMany", { n: lines.length, most: MOST_PAIRS }));
  if (lines.length < LEAST_PAIRS)
    throw new Error(textOf("tooFew", { n: lines.length, least: LEAST_PAIRS }));
  return { lines, skipped: all.length - lines.length };
}

// Returns the pairs of a task or (null) the grammar whose sources have at most the wanted number of
// words. A grammar with fewer pairs gives all of them.
async function taskPairs(split, pairs, task, longest) {
  const made = (count) => call("pairs", task, count, 1, split, longest);
  const text = await made(pairs).catch((error) => {
    const [, found] = /found only (\d+) different/.exec(error.message) ?? [];
    if (task !== null || found === undefined) throw error;
    return Number(found) ? made(Number(found)) : "";
  });
  return text.split("\n").filter(Boolean);
}

// Makes pairs, unless those that there are were made with the same settings.
async function makeTaskPairs() {
  const { grammar, pairs, longest } = state;
  const task = grammar === null ? state.task : null;
  const settings = JSON.stringify([task, grammar, pairs, longest]);
  if (training.pairs.settings === settings) return;
  if (grammar !== null) await call("grammar", grammar);
  const train = await taskPairs("train", pairs, task, longest);
  const valid = await taskPairs("valid", task === null ? HELD_OUT : 2000, task, longest);
  if (train.length < LEAST_PAIRS)
    throw new Error(textOf("tooFew", { n: train.length, least: LEAST_PAIRS }));
  training.pairs = {
    settings,
    count: train.length,
    train: `${train.join("\n")}\n`,
    valid: valid.length ? `${valid.slice(0, HELD_OUT).join("\n")}\n` : null,
  };
}

export async function makePairs() {
  if (state.own !== null) {
    const { lines, skipped } = readPairs(state.own);
    training.pairs = {
      train: `${lines.join("\n")}\n`,
      valid: null,
      note: skipped ? textOf("skipped", { n: skipped }) : "",
    };
    return;
  }
  await makeTaskPairs();
  training.pairs.note =
    state.grammar !== null && training.pairs.count < state.pairs
      ? textOf("grammarNote", { n: training.pairs.count })
      : "";
}
