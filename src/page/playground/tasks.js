// The task and the sentence that the user chooses.

import { byId, option } from "../dom.js";
import { engine } from "./engine.js";
import { drawForms } from "./forms.js";
import { textOf } from "./language.js";
import { keepLink, state } from "./state.js";
import { texts } from "./texts.js";
import { openAll } from "./training.js";
import { unbend } from "./watch.js";

function chooseSource(source) {
  state.source = source;
  if ((byId("source").value.trim() || null) !== source) byId("source").value = source ?? "";
  keepLink();
  return unbend();
}

// Dates are read character by character, x=7 is one word; all others are read word by word.
const READ_AS = { dates: "char", assign: "space" };

// Words of the shortest sources of tasks with long ones.
const SHORTEST = { recall: 25, assign: 12, trigger: 12, induction: 24 };

const readAs = ({ task, grammar }) =>
  grammar === null ? (READ_AS[task] ?? "word") : /^\s*%spaces/m.test(grammar) ? "space" : "word";

// Chooses a task or a grammar; models with the usual settings for the previous one get the usual
// settings for this one.
export function choosePairs(chosen) {
  const before = readAs(state);
  Object.assign(state, { own: null, grammar: null }, chosen);
  const wanted = readAs(state) === "word" ? {} : { tokenizer: readAs(state) };
  state.models = state.models.map((settings) => {
    if (!settings) return null;
    const { tokenizer = "word", ...rest } = settings;
    return tokenizer === before ? { ...rest, ...wanted } : settings;
  });
  state.longest = Math.max(state.longest, SHORTEST[chosen.task] ?? 0);
  drawForms();
  return changeTask();
}

export function changeTask() {
  state.sentence = state.source = null;
  listTasks();
  return openAll();
}

export function listTasks() {
  const ownKey = state.grammar === null ? "ownTask" : "ownGrammar";
  const own = state.own !== null || state.grammar !== null;
  byId("task").replaceChildren(
    ...(own ? [option("", textOf(ownKey))] : []),
    ...engine.info.tasks.map(({ name }) => option(name, name)),
  );
  byId("task").value = own ? "" : state.task;
  byId("task-line").textContent = own
    ? textOf(ownKey)
    : engine.info.tasks.find(({ name }) => name === state.task).summary;
  if (!own && `task:${state.task}` in texts)
    byId("task-line").textContent = textOf(`task:${state.task}`);
  byId("discard").disabled = !own;
  byId("pairs").value = state.pairs;
  byId("longest").value = state.longest;
}

export function addTasks() {
  byId("sentence").addEventListener("change", (event) => {
    state.sentence = Number(event.target.value);
    chooseSource(null);
  });
  byId("source").addEventListener("input", () => chooseSource(byId("source").value.trim() || null));
  byId("task").addEventListener("change", (event) => {
    choosePairs({ task: event.target.value });
  });
}
