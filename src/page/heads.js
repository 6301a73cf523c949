// Layers and heads as small pictures, one of which is chosen.

import { html, make } from "./dom.js";
import { widthOf } from "./labels.js";
import { clipped, isRightToLeft, word } from "./text.js";

const LEAST = 3; // pixels of a cell
// Returns the pixels of the smallest words, which are smaller where the window is near: on laptops
// and phones.
export const leastFont = () => (innerWidth < 1600 ? 12 : 14);

const GAP = 0.9; // rem between two matrices, with the edges of their buttons

const shortened = (text) => clipped(text, 9);
export const widest = (list, font) =>
  Math.max(...list.map((text) => widthOf(shortened(text), font)), 0);

// Returns { cell, font }: the size of the cells with which as many matrices stand beside and above
// each other in a room [width, height, largest font, largest cell] of pixels with a gap between
// them, and of the words at the edges, 0 where they have no room.
export function gridOf(words, [beside, above], [width, height, largest = 14, most], gap) {
  const least = leastFont();
  const first = Math.round(Math.max(largest, least));
  const cellIn = (left, top) =>
    Math.min(
      Math.floor((width - left - beside * gap) / beside / words.source.length),
      Math.floor((height - top) / above / words.target.length),
      Math.round(most ?? 1.7 * first),
    );
  for (let font = first; font >= least; font--) {
    const cell = cellIn(widest(words.target, font) + 6, widest(words.source, font) + 6);
    if (cell >= font) return { cell, font };
  }
  return { cell: Math.max(cellIn(0, 0), LEAST), font: 0 };
}

// Returns the pixels that the titles of layers take left of the heads.
function titleWidth(host, rem) {
  const titles = [...host.querySelectorAll("p > :first-child:not(:empty)")];
  if (!titles.length || getComputedStyle(titles[0].parentElement).flexDirection === "column")
    return 0;
  return Math.max(...titles.map((title) => title.offsetWidth)) + GAP * rem;
}

// Returns words in the order of their columns.
export const inColumns = (source) => (isRightToLeft(source) ? [...source].reverse() : source);

// Returns the words at an edge of a matrix, one cell apart.
export function edge(side, list, cell) {
  const cells = `repeat(${list.length}, ${cell}px)`;
  const style = side === "above" ? { gridTemplateColumns: cells } : { gridTemplateRows: cells };
  const names = list.map((text) => word(text, 9));
  return html("span", { class: side, "aria-hidden": "true", style }, ...names);
}

// Returns a small picture of a matrix, one pixel per weight, with square cells of that size. Its
// darkest cell is the weight 1, or the largest number (isScaled).
export function thumbnail(weights, words, cell = 0, isScaled = false) {
  const columns = words.source.length;
  const back = isRightToLeft(words.source);
  const picture = html("canvas", {
    class: "thumb",
    width: columns,
    height: words.target.length,
    "aria-hidden": "true",
    style: cell ? { width: `${columns * cell}px`, height: `${words.target.length * cell}px` } : {},
  });
  const pen = picture.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const [none, ink, more, less] = ["none", "full", "more", "less"].map((name) =>
    style.getPropertyValue(`--cell-${name}`),
  );
  pen.fillStyle = none;
  pen.fillRect(0, 0, columns, words.target.length);
  const most = weights.reduce((high, weight) => Math.max(high, Math.abs(weight)), 1e-9);
  const full = isScaled || most > 1 ? most : 1; // what black stands for
  const isSigned = isScaled && weights.some((weight) => weight < 0);
  weights.forEach((weight, at) => {
    pen.globalAlpha = Math.abs(weight) / full;
    pen.fillStyle = weight < 0 ? less : isSigned ? more : ink;
    pen.fillRect(
      back ? columns - 1 - (at % columns) : at % columns,
      Math.floor(at / columns),
      1,
      1,
    );
  });
  return picture;
}

// Draws the grid of heads in a room as gridOf() has it, a row for each layer and a button for each
// head: rows [{ title, heads: [{ part, name, notes, title, weights, isChosen }] }], those
// of reports also with isSharpest and isScaled; without weights only the name is shown. A click
// calls choose(part). Buttons are kept while their names stay the same, and with them the focus.
export function drawHeads(host, rows, words, choose, room) {
  const beside = Math.max(...rows.map(({ heads }) => heads.length), 1);
  const above = rows.filter(({ heads }) => heads[0].weights).length;
  const all = rows.flatMap(({ heads }, line) =>
    heads.map((head, i) => ({
      ...head,
      isFirst: i === 0,
      isTop: line === 0 || !rows[line - 1].heads[0].weights,
    })),
  );
  const key = JSON.stringify(
    rows.map(({ title, heads }) => [title, heads.map(({ name }) => name)]),
  );
  host.hidden = all.length < 2;
  if (host.dataset.key !== key)
    host.replaceChildren(
      ...rows.map(({ title, heads }) =>
        html(
          "p",
          {},
          html("span", {}, title),
          html(
            "span",
            {},
            ...heads.map(({ part }) => html("button", { type: "button", "data-part": part })),
          ),
        ),
      ),
    );
  host.dataset.key = key;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [width, ...others] = room;
  const own = [width - titleWidth(host, rem), ...others];
  const grid = words ? gridOf(words, [beside, above], own, GAP * rem + 4) : {};
  host.querySelectorAll("button").forEach((button, i) => {
    const { name, title, notes = [], isChosen, isSharpest } = all[i];
    make(button, {
      "aria-pressed": String(isChosen),
      title: title ?? [name, ...notes].join(", "),
      class: isSharpest ? "sharpest" : "",
    });
    button.onclick = () => choose(all[i].part);
    button.replaceChildren(...headParts(all[i], words, grid));
  });
}

// Returns the matrix of a head, with words at the edges of the grid, and what stands below it.
function headParts(head, words, { cell, font }) {
  const { name, notes = [], weights, isScaled, isFirst, isTop } = head;
  const below = html(
    "span",
    { class: "below" },
    name,
    ...notes.map((note) => html("small", {}, note)),
  );
  if (!weights) return [below];
  return [
    html(
      "span",
      { class: "map", style: { fontSize: `${font}px` } },
      font && isTop ? edge("above", inColumns(words.source), cell) : null,
      font && isFirst ? edge("beside", words.target, cell) : null,
      thumbnail(weights, words, cell, isScaled),
    ),
    below,
  ];
}
