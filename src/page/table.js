// A table that a click on a title sorts.

import { button, html } from "./dom.js";

const sorting = new WeakMap(); // tables: { title, sign }

// Draws a table. Each column has a title; cell(row) returns a text or nodes; hint, if there is one,
// is what the pointer on the title shows; value(row), if there is one, is what a click on it sorts
// by; best is 1 where the largest value is the best, -1 for the least. The first column names the
// rows. The rows in row.below stay below that row.
export function drawTable(table, columns, rows) {
  const order = sorting.get(table) ?? {};
  const chosen = columns.find(({ title }) => title === order.title);
  const number = (row) => chosen.value(row) || 0;
  const sorted = chosen ? [...rows].sort((a, b) => order.sign * (number(a) - number(b))) : rows;
  const bests = columns.map(({ cell, value, best }) => {
    const known = best ? rows.filter((row) => Number.isFinite(value(row))) : [];
    return known.length > 1
      ? cell(known.reduce((one, other) => (best * (value(other) - value(one)) > 0 ? other : one)))
      : null;
  });
  const sort = ({ title, best }, i) => {
    sorting.set(table, { title, sign: order.title === title ? -order.sign : -(best ?? -1) });
    drawTable(table, columns, rows);
    table.rows[0].cells[i].firstChild.focus();
  };
  const head = columns.map((column, i) =>
    html(
      "th",
      {
        scope: "col",
        title: column.hint || null,
        "aria-sort": column === chosen && (order.sign > 0 ? "ascending" : "descending"),
      },
      column.value ? button(() => sort(column, i), {}, column.title) : column.title,
    ),
  );
  const line = (row, isBelow) =>
    html(
      "tr",
      { class: isBelow && "run" },
      ...columns.map(({ cell }, i) => {
        const shown = cell(row);
        return html(
          i ? "td" : "th",
          i ? { class: !isBelow && shown === bests[i] && "best" } : { scope: "row" },
          ...[shown].flat(),
        );
      }),
    );
  table.replaceChildren(
    html("thead", {}, html("tr", {}, ...head)),
    html(
      "tbody",
      {},
      ...sorted.flatMap((row) => [
        line(row, false),
        ...(row.below ?? []).map((one) => line(one, true)),
      ]),
    ),
  );
}
