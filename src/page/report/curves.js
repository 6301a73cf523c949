// Learning curves.

import { drawChart } from "../chart.js";
import { byId, onWidth } from "../dom.js";
import { page, records } from "./data.js";
import { models, onModelsChange } from "./models.js";

// Returns the rows of a file by model and seed. A file about a single model does not name it.
function runs(rows) {
  return models
    .filter((model) => model.shown)
    .flatMap((model) => {
      const own = rows.filter((row) => row.model === undefined || row.model === model.key);
      return [...new Set(own.map((row) => row.seed))].map((seed) => ({
        model,
        seed,
        rows: own.filter((row) => row.seed === seed),
      }));
    });
}

export const trainingLog = () => records("curves.csv" in page.files ? "curves.csv" : "log.csv");

export const curvesOf = (rows, x, y) =>
  runs(rows).map(({ model, seed, rows: own }) => ({
    model,
    thin: model.seeds.length > 1,
    label: model.seeds.length > 1 ? `${model.name}, seed ${seed}` : model.name,
    points: own.map((row) => [row[x], row[y]]).filter((point) => point.every(Number.isFinite)),
  }));

// Draws a chart now, and when its width or the visible models change; then calls `after`.
export function keepChart(host, describe, after = () => {}) {
  // The history's models stand further up; those of other pages are a legend that stays in sight.
  const hasLegend = models.length <= 12 && models.some(({ era }) => era);
  const draw = () => {
    drawChart(host, { ...describe(), hasLegend });
    after();
  };
  onModelsChange(draw);
  onWidth(host, draw);
  return draw;
}

export function addCurves() {
  const rows = trainingLog();
  const title = (id) => byId(id).selectedOptions[0].textContent;
  const draw = keepChart(byId("curves").querySelector(".chart"), () => ({
    x: title("curve-x"),
    y:
      title("curve-y") +
      (models.some(({ seeds }) => seeds.length > 1) ? "; a line for each seed" : ""),
    decimals: byId("curve-y").value === "valid_bleu" ? 2 : 4,
    series: curvesOf(rows, byId("curve-x").value, byId("curve-y").value),
  }));
  byId("curve-x").addEventListener("change", draw);
  byId("curve-y").addEventListener("change", draw);
}
