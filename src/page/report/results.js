// The table of results, and one of its columns as bars.

import { drawBars } from "../bars.js";
import { byId, html, option } from "../dom.js";
import { drawTable } from "../table.js";
import { breakable, fixed, visible } from "../text.js";
import { columns as known, meaningOf } from "./columns.js";
import { page, records } from "./data.js";
import { eraColumns, eraFigures, eraText, eraThumb } from "./era.js";
import { lengthBands } from "./lengths.js";
import { isHistory, models, onModelsChange } from "./models.js";

const better = { loss: -1, perplexity: -1, bleu: 1, exact: 1, aer: -1 };
for (const band of lengthBands()) better[band] = 1;

// The rows of the table: the last of each model, below it those of its seeds if they are asked for.
function resultRows() {
  const every = byId("each-seed").querySelector("input").checked;
  return models
    .filter((model) => isHistory || model.shown)
    .map((model) => {
      const own = records("table.csv").filter((row) => row.model === model.key);
      const below = every ? own.slice(0, -1).map((run) => ({ ...run, model: null })) : [];
      return { ...own.at(-1), ...(isHistory ? eraFigures(model) : {}), model, below };
    });
}

function rowName({ model, seed }) {
  if (!model) return `seed ${seed}`;
  return isHistory ? [eraThumb(model), ...eraText(model)] : breakable(model.name);
}

// Returns the columns with numbers. One such as exact zeros is left out where it is 0 for all.
function shownColumns() {
  const rows = records("table.csv");
  const isTelling = ({ key }) =>
    rows.some((row) => (better[key] ? Number.isFinite(row[key]) : row[key]));
  const columns = isHistory ? eraColumns() : known.filter(isTelling);
  return columns.map((column) => ({
    meaning: meaningOf(column.key, models.length),
    ...column,
  }));
}

export function drawResults() {
  const figures = shownColumns().map(({ key, title, meaning, scale, decimals }) => ({
    title,
    hint: meaning,
    best: better[key],
    value: (row) => row[key],
    cell: (row) => fixed(row[key] * scale, decimals),
  }));
  const table = byId("results").querySelector("table");
  drawTable(table, [{ title: "model", cell: rowName }, ...figures], resultRows());
}

const runs = Math.max(...models.map((model) => model.seeds.length), 0); // of each model

// Returns what the numbers of the table are: what they have in common, then column by column.
function resultsNote() {
  const common = [
    runs > 1 ? `Medians over ${runs} seeds.` : "One seed.",
    "Bold: the best of a column. A click on a title sorts by it.",
  ].join(" ");
  const told = shownColumns().filter(({ meaning }) => meaning);
  const termOf = ({ title, meaning }) =>
    html("div", {}, html("dt", {}, title), html("dd", {}, meaning));
  return [html("p", {}, common), html("dl", {}, ...told.map(termOf))];
}

export function addResults() {
  const each = byId("each-seed");
  byId("results-note").append(...resultsNote());
  each.hidden = models.every((model) => model.seeds.length < 2);
  each.querySelector("input").addEventListener("change", drawResults);
  onModelsChange(drawResults);
  drawResults();
}

// Warns where models got different numbers of updates.
export function addBudgets() {
  const updates = records("table.csv")
    .filter((row) => Number.isNaN(row.seed))
    .map((row) => [row.model, row.updates]);
  const counts = updates.map(([, count]) => count).filter(Number.isFinite);
  if (Math.max(...counts) <= 1.1 * Math.min(...counts)) return;
  byId("budgets").hidden = !counts.length;
  byId("budgets").textContent =
    `Updates differ: ${updates.map(([name, count]) => `${visible(name)} ${count}`).join(", ")}.`;
}

// Draws what gradcheck found: a bar per tensor.
export function addGradients() {
  byId("column").parentElement.hidden = true;
  byId("bars-title").textContent = "Digits of each tensor's gradient that are right";
  byId("bars").classList.add("many");
  drawBars(
    byId("bar-rows"),
    page.bars.map(([name, digits, ok]) => ({
      name,
      color: ok ? "var(--m0)" : "var(--m1)",
      value: digits,
      shown: ok ? fixed(digits, 1) : `${fixed(digits, 1)} wrong`,
      runs: [],
    })),
  );
}

export const barColumns = known.filter(
  ({ key }) => better[key] && records("table.csv").some((row) => Number.isFinite(row[key])),
);

// Draws a column of the table as bars, with ticks for single seeds.
export function addBars() {
  const list = byId("column");
  list.append(...barColumns.map((column) => option(column.key, column.title)));
  // Answers of one word all have BLEU 0; how many are exact still tells models apart.
  list.value = records("table.csv").some(({ bleu }) => bleu > 0) ? "bleu" : "exact";
  const barOf = (model) => {
    const { key, scale, decimals } = barColumns.find((column) => column.key === list.value);
    const own = records("table.csv").filter((row) => row.model === model.key);
    const all = own.map((row) => row[key] * scale);
    const runs = all.length > 2 ? all.slice(0, -1) : [];
    const value = all.at(-1);
    return { name: model.name, color: model.color, value, shown: fixed(value, decimals), runs };
  };
  const draw = () => drawBars(byId("bar-rows"), models.filter((model) => model.shown).map(barOf));
  const mark = (className, text) => html("span", {}, html("i", { class: className }), text);
  if (runs > 1)
    byId("bars-key").append(mark("bar", `median of ${runs} seeds`), mark("tick", "one seed"));
  list.addEventListener("change", draw);
  onModelsChange(draw);
  draw();
}
