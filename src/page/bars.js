// Bars: a line for each row, with ticks for single runs.

import { captions } from "./captions.js";
import { html } from "./dom.js";
import { breakable, numeral } from "./text.js";

// Draws rows [{ name, color, value, shown, runs: [value] }]. A full bar stands for `least`, or for
// the largest value where that is more; a line below says which.
export function drawBars(host, rows, least = 1e-12) {
  const most = Math.max(
    ...rows.flatMap((row) => [row.value, ...row.runs]).filter(Number.isFinite),
    least,
  );
  const share = (value) => `${Math.max((100 * value) / most, 0).toFixed(2)}%`;
  const letters = (texts, most) =>
    Math.min(Math.max(...texts.map((text) => Array.from(text).length)), most);
  host.style.setProperty(
    "--label",
    `${letters(
      rows.map((row) => row.name),
      24,
    )}ch`,
  );
  host.style.setProperty(
    "--figure",
    `${letters(
      rows.map((row) => row.shown),
      12,
    )}ch`,
  );
  const full = captions.full(numeral(String(Number(most.toPrecision(4)))));
  host.replaceChildren(
    ...rows.map((row) => {
      const bar = html("i", {
        style: {
          width: Number.isFinite(row.value) ? share(row.value) : "0",
          background: row.color,
        },
      });
      const ticks = row.runs
        .filter(Number.isFinite)
        .map((run) => html("b", { style: { left: share(run) } }));
      return html(
        "div",
        {},
        html("span", { class: "label" }, ...breakable(row.name)),
        html("span", { class: "track", "aria-hidden": "true" }, bar, ...ticks),
        html("span", { class: "figure" }, row.shown),
      );
    }),
    html("p", { class: "note" }, full),
  );
}
