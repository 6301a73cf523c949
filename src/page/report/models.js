// The models. Each has a color and a stroke, and can be hidden on the whole page.

import history from "../../../scripts/lessons/history.tsv";
import { lineMark } from "../chart.js";
import { button, byId } from "../dom.js";
import { visible } from "../text.js";
import { page } from "./data.js";

const strokes = ["", "9 5", "2 5", "12 4 2 4"];

// The rows of the history by model.
export const eras = new Map(
  history
    .trim()
    .split("\n")
    .map((line) => line.split("\t"))
    .map(([year, name, model, formula, idea, paper, lesson, file, lines]) => [
      model,
      { year, name, formula, idea, paper, lesson, file, lines },
    ]),
);

// Whether the page tells the history: all its models are rows of it.
export const isHistory =
  page.models.length > 2 &&
  "table.csv" in page.files &&
  page.models.every(({ name }) => eras.has(name));

const eraName = ({ year, name }) =>
  name.endsWith(")") ? `${name.slice(0, -1)} ${year})` : `${name} (${year})`;

// The rows that are drawn first if there are many.
const landmarks = ["fixed", "bahdanau:additive", "luong:general", "transformer"];

export const models = page.models.map((model, i) => ({
  ...model,
  key: model.name, // in the files
  name: isHistory ? eraName(eras.get(model.name)) : model.name,
  era: isHistory ? eras.get(model.name) : null,
  index: i,
  color: `var(--m${i % 8})`,
  stroke: strokes[Math.floor(i / 8 + i / 4) % 4],
  shown: !isHistory || page.models.length <= 8 || landmarks.includes(model.name),
}));

const listeners = [];

// Calls `act` whenever models are hidden or shown.
export const onModelsChange = (act) => listeners.push(act);

export function addModels() {
  byId("models").hidden = models.length < 2;
  for (const model of models) {
    const toggle = ({ currentTarget }) => {
      model.shown = !model.shown;
      currentTarget.setAttribute("aria-pressed", model.shown);
      for (const act of listeners) act();
    };
    const mark = lineMark(model.color, model.stroke);
    const isPressed = String(model.shown);
    byId("models").append(button(toggle, { "aria-pressed": isPressed }, mark, visible(model.name)));
  }
}
