// A table, sorted by a click on the title of a column.

import { html } from "./dom.js";

const sorting = new WeakMap(); // tables: { title, sign }

// columns: [{ title, cell(row), value(row), best }]: what its cells hold, a text or nodes; what a click on its title sorts by; 1: the
// largest is the best, -1: the least. The first column names the rows; a row's `below` are rows that stay with it.
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
        "aria-sort": column === chosen && (order.sign > 0 ? "ascending" : "descending"),
      },
      column.value
        ? html("button", { type: "button", on: { click: () => sort(column, i) } }, column.title)
        : column.title,
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
