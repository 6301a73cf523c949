// The form with each model's settings, made from the tables of the module.

import { byId, html } from "../dom.js";
import { visible } from "../text.js";
import { call, engine } from "./engine.js";
import { textOf } from "./language.js";
import { say } from "./message.js";
import { BASE, chosenOf, optionOf, optionsOf, titleOf, valueOf } from "./options.js";
import { state } from "./state.js";
import { texts } from "./texts.js";
import { openAll } from "./training.js";

const MAIN = [
  "model",
  "decoder",
  "attention",
  "normalizer",
  "window",
  "coverage",
  "heads",
  "kv-heads",
  "positions",
  "encoder",
  "cell",
  "input-feeding",
  "copy",
  "embed",
  "hidden",
  "attn",
  "lr",
  "seed",
];

const LEFT_OUT = ["threads", "max-time"]; // of no use in a page

const waitingForms = [null, null];

// Changes a setting, if the module accepts it, and opens the models again.
async function change(slot, name, value, note) {
  const option = optionOf(name);
  const changed = { ...state.models[slot], [name]: value };
  if (value === (BASE[name] ?? String(option.default))) delete changed[name];
  try {
    await call("settings", optionsOf(changed));
    state.models[slot] = changed;
    say("");
    drawForms();
    await openAll();
  } catch (error) {
    note.textContent = visible(error.message, false);
  }
}

const helpOf = ({ name, help }) => (`help:${name}` in texts && textOf(`help:${name}`)) || help;

// Returns the control of an option.
function inputOf({ name, kind, choices, min, max }, value) {
  if (kind === "switch")
    return html("input", { name, type: "checkbox", checked: value === "true" });
  if (kind !== "choice")
    return html("input", {
      name,
      type: "number",
      step: kind === "int" ? 1 : "any",
      min,
      max,
      value,
    });
  const list = choices.map((one) => html("option", { selected: one === value }, one));
  return html("select", { name }, ...list);
}

function field(slot, option, note) {
  const { name, kind } = option;
  const input = inputOf(option, valueOf(state.models[slot], option));
  const read = () =>
    kind === "switch" ? String(input.checked) : input.value.trim() || String(option.default);
  input.addEventListener("change", () => change(slot, name, read(), note));
  return html("label", { title: helpOf(option) }, html("span", {}, name), input);
}

// Returns the index of a GRU among its four variants, which are ordered by these two options.
const variantOfGru = (settings) =>
  ["reset", "update"]
    .map((name) => optionOf(name).choices.indexOf(chosenOf(settings, name)))
    .reduce((reset, update) => 2 * reset + update);

// Returns the formula of the chosen part, with its paper, or null.
function formulaOf(settings, name, rows) {
  const chosen = chosenOf(settings, name);
  const own = rows.filter((row) => row.name === chosen);
  const row = own[name === "cell" && chosen === "gru" ? variantOfGru(settings) : 0];
  if (!row?.formula) return null;
  const title = html("b", {}, `${name} ${row.name}`);
  const citation = html("span", { class: "note" }, row.citation ?? "");
  return html("p", { class: "formula" }, title, " ", html("code", {}, row.formula), " ", citation);
}

function formulas(slot) {
  const settings = state.models[slot];
  const isUsed = ([name]) => (settings.model !== "recurrent") === (name === "positions");
  const used = Object.entries(engine.info.formulas).filter(isUsed);
  return used.map(([name, rows]) => formulaOf(settings, name, rows)).filter(Boolean);
}

function makeForm(slot) {
  const note = html("p", { class: "note wrong", role: "alert" });
  const usable = engine.info.options.filter(
    ({ name, scope }) => ["model", "text", "training"].includes(scope) && !LEFT_OUT.includes(name),
  );
  const main = MAIN.map((name) => usable.find((option) => option.name === name)).filter(Boolean);
  const others = usable.filter((option) => !main.includes(option));
  const fields = (options) =>
    html("div", { class: "fields" }, ...options.map((option) => field(slot, option, note)));
  const more = html("details", {}, html("summary", {}, textOf("more")), fields(others));
  more.open = waitingForms[slot]?.querySelector("details")?.open ?? false;
  return html(
    "fieldset",
    {},
    html("legend", {}, titleOf(slot)),
    fields(main),
    note,
    ...formulas(slot),
    more,
  );
}

export function drawForms() {
  const focused = document.activeElement?.name;
  const slotOf = waitingForms.findIndex((form) => form?.contains(document.activeElement));
  for (const slot of [0, 1]) waitingForms[slot] = state.models[slot] ? makeForm(slot) : null;
  byId("forms").replaceChildren(...waitingForms.filter(Boolean));
  byId("second").checked = Boolean(state.models[1]);
  byId("pause").value = state.pause;
  if (focused && slotOf >= 0)
    waitingForms[slotOf]?.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
}
