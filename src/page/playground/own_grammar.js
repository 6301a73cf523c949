// The user's own grammar, checked while the user types.

import { byId, onClick, option } from "../dom.js";
import { visible } from "../text.js";
import { call } from "./engine.js";
import { starters } from "./grammar_texts.js";
import { textOf } from "./language.js";
import { say, tried } from "./message.js";
import { choosePairs } from "./tasks.js";

const PAUSE = 300; // milliseconds without a key before the check

// Puts the message beside the line of the text that it is about; 0: about all of it.
function placeMessage(line) {
  const area = byId("grammar");
  const { lineHeight, paddingTop } = getComputedStyle(area);
  const height = parseFloat(lineHeight);
  const top = parseFloat(paddingTop) + Math.max(0, line - 1) * height - area.scrollTop;
  const inside = Math.min(Math.max(0, top), area.clientHeight - height);
  const message = byId("grammar-message");
  message.dataset.line = line;
  message.style.top = `${area.offsetTop + area.clientTop + inside}px`;
}

// Shows what the check says of the text: a description, or a sentence beside the line.
async function check() {
  const text = byId("grammar").value;
  let described = "";
  let why = "";
  let line = 0;
  try {
    if (text.trim()) described = await call("grammar", text);
  } catch (error) {
    why = error.message.replace(/^grammar:(?:(\d+):)? /, (_, number) => {
      line = Number(number ?? 0);
      return "";
    });
  }
  if (text !== byId("grammar").value) return; // it is checked again
  byId("grammar-message").textContent = visible(
    line ? textOf("inLine", { line, why }) : why,
    false,
  );
  byId("grammar-check").textContent = described;
  byId("use-grammar").disabled = !described;
  placeMessage(line);
}

const useGrammar = tried(async () => {
  say("");
  byId("training").scrollIntoView();
  await choosePairs({ grammar: byId("grammar").value });
});

// Puts a text into the user's field.
export function showGrammar(text) {
  byId("grammar").value = text;
  return check();
}

export function addGrammar() {
  const names = Object.keys(starters);
  byId("starter").append(...["", ...names].map((name) => option(name, name || "–")));
  byId("starter").addEventListener("change", ({ target }) => {
    if (target.value) showGrammar(starters[target.value]);
  });
  byId("grammar").addEventListener("input", () => {
    const text = byId("grammar").value;
    setTimeout(() => text === byId("grammar").value && check(), PAUSE);
  });
  byId("grammar").addEventListener("scroll", () =>
    placeMessage(Number(byId("grammar-message").dataset.line ?? 0)),
  );
  onClick({ "use-grammar": useGrammar });
}
