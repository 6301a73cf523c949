// Curves over updates.

import { drawChart } from "../chart.js";
import { byId } from "../dom.js";
import { textOf } from "./language.js";
import { prefixOf } from "./options.js";
import { latestStep, past, shownMoment } from "./past.js";
import { state } from "./state.js";

// For each curve the row of the figures that names it, and its stroke.
const lines = {
  loss: [3, ""],
  heldLoss: [5, "9 5"],
  bleu: [6, ""],
  exact: [7, "9 5"],
  gold: [8, "2 5"],
  entropy: [10, ""],
};

function seriesOf(keys) {
  const titles = textOf("columns").split("|");
  const lineOf = (key, slot) => {
    const [row, stroke] = lines[key];
    const name = prefixOf(slot) + titles[row];
    const model = { name, color: `var(--m${slot})`, index: slot, stroke };
    return { model, points: past.curves[slot][key] };
  };
  return [0, 1]
    .filter((slot) => state.models[slot])
    .flatMap((slot) => keys.map((key) => lineOf(key, slot)))
    .filter(({ points }) => points.length);
}

// Draws the curves, at most three times a second unless `anyway`: they change slowly.
export function drawCurves(anyway = false) {
  const now = performance.now();
  if (!anyway && now - past.drawn < 350) return;
  past.drawn = now;
  const charts = [
    ["loss-chart", ["loss", "heldLoss"], "lossTitle", 3],
    ["bleu-chart", ["bleu", "exact", "gold"], "bleuTitle", 1],
    ["gold-chart", ["entropy"], "entropy", 2],
  ];
  for (const [id, keys, title, decimals] of charts) {
    const host = byId(id);
    const series = seriesOf(keys);
    if (host.matches(":hover, :focus-within") && !anyway) continue; // its cursor is in use
    if (!series.length) {
      host.replaceChildren();
      continue;
    }
    drawChart(host, {
      series,
      most: latestStep(),
      x: textOf("updates"),
      y: textOf(title),
      decimals,
      tall: 0.5,
      hasLegend: true,
    });
    if (past.at >= 0) host.mark(shownMoment().frames.find(Boolean).step);
  }
}
