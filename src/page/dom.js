"use strict";
// How a page shows texts and numbers. Texts are untrusted: they become text nodes and nothing else.

const byId = (id) => document.getElementById(id);

// Characters that are invisible or reorder other text are shown by their code point.
const unseen =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc]|[\u{e0000}-\u{e007f}]/gu;

function visible(text, whole = true) {
  const shown = text.replace(unseen, (mark) => `⟦U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`);
  return shown.trim() || !whole ? shown : "␣";
}

// A name such as luong:general:window=local-p, which breaks between its parts.
function breakable(name) {
  return name.split(/(?<=[:.=])/).flatMap((part) => [visible(part), html("wbr")]);
}

// Truncated to a number of characters, combining marks included.
function clipped(text, most) {
  const letters = Array.from(visible(text));
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
}

const SVG = "http://www.w3.org/2000/svg";

function make(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === "style") Object.assign(node.style, value);
    else if (value !== false && value !== null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}
const html = (tag, attributes = {}, ...children) => make(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => make(document.createElementNS(SVG, tag), attributes, children);

// A word of a corpus, with its direction isolated from the text around it.
const word = (text, most = 48) => html("bdi", {}, clipped(text, most));

// Whether most letters are of right-to-left scripts.
function isRightToLeft(words) {
  const letters = words.join("").match(/\p{L}/gu) ?? [];
  return letters.filter((letter) => /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter)).length > letters.length / 2;
}

// A number as it is written in the page's language.
const numeral = (number) => (["de", "fr"].includes(document.documentElement.lang) ? number.replace(".", ",") : number);

function fixed(value, decimals) {
  return Number.isFinite(value) ? numeral(value.toFixed(decimals)) : "–";
}

// What clicks on elements, by their ids, and keys, by their names, do. A key belongs to the control that takes it, to a shortcut of the
// browser, or to whoever is next where the act returns false.
const onClick = (acts) => Object.entries(acts).forEach(([id, act]) => byId(id).addEventListener("click", act));
function onKeys(target, acts, takers = "select") {
  target.addEventListener("keydown", (event) => {
    const act = acts[event.key.length > 1 ? event.key : event.key.toLowerCase()];
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(takers)) return;
    if (act(event) !== false) event.preventDefault();
  });
}

// Draws when the element is there, and again when it gets another width.
function onWidth(host, draw) {
  let width = -1;
  new ResizeObserver(() => {
    if (host.clientWidth === width) return;
    width = host.clientWidth;
    draw();
  }).observe(host);
}

// Between light and dark.
function changeTheme() {
  const { dataset } = document.documentElement, isDark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = isDark ? "light" : "dark";
}

// Has the browser save a file.
function offer(name, data, type) {
  const address = URL.createObjectURL(new Blob([data], { type }));
  html("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// The line of a model in a legend.
function lineMark(color, stroke) {
  const line = svg("line", { x1: 0, x2: 32, y1: 7, y2: 7, "stroke-width": 5, "stroke-dasharray": stroke, style: { stroke: color } });
  return svg("svg", { class: "mark", viewBox: "0 0 32 14", "aria-hidden": "true" }, line);
}

// ---- A table

const sorting = new WeakMap(); // tables: { title, sign }

// columns: [{ title, cell(row), value(row), best }]: what its cells hold, a text or nodes; what a click on its title sorts by; 1: the
// largest is the best, -1: the least. The first column names the rows; a row's `below` are rows that stay with it.
function drawTable(table, columns, rows) {
  const order = sorting.get(table) ?? {}, chosen = columns.find(({ title }) => title === order.title), number = (row) => chosen.value(row) || 0;
  const sorted = chosen ? [...rows].sort((a, b) => order.sign * (number(a) - number(b))) : rows;
  const bests = columns.map(({ cell, value, best }) => {
    const known = best ? rows.filter((row) => Number.isFinite(value(row))) : [];
    return known.length > 1 ? cell(known.reduce((one, other) => (best * (value(other) - value(one)) > 0 ? other : one))) : null;
  });
  const sort = ({ title, best }, i) => {
    sorting.set(table, { title, sign: order.title === title ? -order.sign : -(best ?? -1) });
    drawTable(table, columns, rows);
    table.rows[0].cells[i].firstChild.focus();
  };
  const head = columns.map((column, i) => html("th", { scope: "col", "aria-sort": column === chosen && (order.sign > 0 ? "ascending" : "descending") },
    column.value ? html("button", { type: "button", on: { click: () => sort(column, i) } }, column.title) : column.title));
  const line = (row, isBelow) => html("tr", { class: isBelow && "run" }, ...columns.map(({ cell }, i) => {
    const shown = cell(row);
    return html(i ? "td" : "th", i ? { class: !isBelow && shown === bests[i] && "best" } : { scope: "row" }, ...[shown].flat());
  }));
  table.replaceChildren(html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...sorted.flatMap((row) => [line(row, false), ...(row.below ?? []).map((one) => line(one, true))])));
}

// As sa_csv_cell_add: no spreadsheet runs the word as a formula.
function csvCell(text) {
  const guarded = /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
