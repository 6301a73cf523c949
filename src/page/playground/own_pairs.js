// The user's own pairs, pasted or in a file.

import { byId, onClick } from "../dom.js";
import { textOf } from "./language.js";
import { say, tried } from "./message.js";
import { MOST_MEGABYTES, checkSize, readPairs } from "./pairs.js";
import { state } from "./state.js";
import { changeTask } from "./tasks.js";

const usePairs = tried(async (text) => {
  readPairs(text);
  say("");
  Object.assign(state, { own: text, grammar: null });
  byId("training").scrollIntoView();
  await changeTask();
});

export const usePairsFile = tried(async (file) => {
  checkSize(file.size, MOST_MEGABYTES);
  const bytes = await file.arrayBuffer();
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(textOf("notText"));
  }
  await usePairs(text);
});

export function addPairs() {
  onClick({
    use: () => usePairs(byId("own").value),
    discard: () => {
      Object.assign(state, { own: null, grammar: null });
      changeTask();
    },
  });
  // A textarea lays out everything it holds, so texts that are too large never enter it.
  byId("own").addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (text.length <= 200000) return;
    event.preventDefault();
    usePairs(text);
  });
}
