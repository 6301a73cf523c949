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

function chooseTask(name) {
  const wanted = READ_AS[name] ? { tokenizer: READ_AS[name] } : {};
  const before = READ_AS[state.task] ?? "word";
  state.models = state.models.map((settings) => {
    if (!settings) return null;
    const { tokenizer = "word", ...rest } = settings;
    return tokenizer === before ? { ...rest, ...wanted } : settings;
  });
  state.longest = Math.max(state.longest, SHORTEST[name] ?? 0);
  Object.assign(state, { task: name, own: null });
  drawForms();
  return changeTask();
}

export function changeTask() {
  state.sentence = state.source = null;
  listTasks();
  return openAll();
}

export function listTasks() {
  const own = state.own !== null;
  byId("task").replaceChildren(
    ...(own ? [option("", textOf("ownTask"))] : []),
    ...engine.info.tasks.map(({ name }) => option(name, name)),
  );
  byId("task").value = own ? "" : state.task;
  byId("task-line").textContent = own
    ? textOf("ownTask")
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
    chooseTask(event.target.value);
  });
}
