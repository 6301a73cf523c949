// The form of each model's settings, made from the tables of the module.

import { byId, html } from "../dom.js";
import { visible } from "../text.js";
import { call, engine } from "./engine.js";
import { textOf } from "./language.js";
import { say } from "./message.js";
import { BASE, chosenOf, nameOf, optionOf, optionsOf, valueOf } from "./options.js";
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

function field(slot, option, note) {
  const { name, kind, choices, min, max } = option;
  const value = valueOf(state.models[slot], option);
  const input =
    kind === "choice"
      ? html(
          "select",
          { name },
          ...choices.map((one) => html("option", { selected: one === value }, one)),
        )
      : kind === "switch"
        ? html("input", { name, type: "checkbox", checked: value === "true" })
        : html("input", {
            name,
            type: "number",
            step: kind === "int" ? 1 : "any",
            min,
            max,
            value,
          });
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

// Returns the formulas of the chosen parts, with their papers.
function formulas(slot) {
  const settings = state.models[slot];
  const isUsed = (name) => (settings.model !== "recurrent") === (name === "positions");
  return Object.entries(engine.info.formulas)
    .filter(([name]) => isUsed(name))
    .flatMap(([name, rows]) => {
      const chosen = chosenOf(settings, name);
      const row = rows.filter((one) => one.name === chosen)[
        name === "cell" && chosen === "gru" ? variantOfGru(settings) : 0
      ];
      return row?.formula
        ? [
            html(
              "p",
              { class: "formula" },
              html("b", {}, `${name} ${row.name}`),
              " ",
              html("code", {}, row.formula),
              " ",
              html("span", { class: "note" }, row.citation ?? ""),
            ),
          ]
        : [];
    });
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
    html("legend", {}, textOf("model", { name: nameOf(slot) })),
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
