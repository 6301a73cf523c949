// Layers and heads as small pictures, one of which is chosen.

import { html, make } from "./dom.js";
import { isRightToLeft } from "./text.js";

const LEAST = 3; // pixels of a cell
const MOST = 10;

// Returns the size of the cells with which as many matrices stand beside each other in `room`.
export function cellOf(words, beside, room) {
  const own = room / beside / words.source.length;
  return Math.min(Math.max(Math.floor(own), LEAST), MOST);
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
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, columns, words.target.length);
  const most = weights.reduce((high, weight) => Math.max(high, Math.abs(weight)), 1e-9);
  const full = isScaled || most > 1 ? most : 1; // what black stands for
  const isSigned = isScaled && weights.some((weight) => weight < 0);
  weights.forEach((weight, at) => {
    const ink = weight < 0 ? "0 112 60" : isSigned ? "109 42 140" : "0 0 0"; // as in matrix.css
    pen.fillStyle = `rgb(${ink} / ${Math.abs(weight) / full})`;
    pen.fillRect(
      back ? columns - 1 - (at % columns) : at % columns,
      Math.floor(at / columns),
      1,
      1,
    );
  });
  return picture;
}

// Draws the grid of heads in `room` pixels, a row for each layer and a button for each head:
// rows [{ title, heads: [{ part, name, note, title, weights, isChosen, isSharpest }] }]. A click
// calls choose(part). Buttons are kept while their names stay the same, and with them the focus.
export function drawHeads(host, rows, words, choose, room) {
  const beside = Math.max(...rows.map(({ heads }) => heads.length), 1);
  const cell = words ? cellOf(words, beside, room - beside * 14) : 0;
  const all = rows.flatMap(({ heads }) => heads);
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
  host.querySelectorAll("button").forEach((button, i) => {
    const { name, note, title, weights, isChosen, isSharpest, isScaled } = all[i];
    make(button, {
      "aria-pressed": String(isChosen),
      title: title ?? name,
      class: isSharpest ? "sharpest" : "",
    });
    button.onclick = () => choose(all[i].part);
    button.replaceChildren(
      thumbnail(weights, words, cell, isScaled),
      html("span", {}, name, ...(note ? [html("small", {}, note)] : [])),
    );
  });
}
