// What is in view: a sentence, and the word that is pointed at or pinned.

import { clamp } from "../numbers.js";
import { page } from "./data.js";

export const view = {
  sentence: 0,
  over: null,
  column: null,
  pinned: null,
  panels: [],
  detail: null,
};

export const activeRow = () => view.over ?? view.pinned;

const sentenceActs = [];

// Calls `act` whenever another sentence is chosen.
export const onSentenceChange = (act) => sentenceActs.push(act);

export function chooseSentence(number) {
  view.sentence = clamp(number, 0, page.sentences.length - 1);
  view.over = view.column = view.pinned = null;
  for (const act of sentenceActs) act();
}
