// Vectors of words as points: two principal components, before and after each layer.

import { byId, html, svg } from "../dom.js";
import { widthOf } from "../labels.js";
import { clipped, fixed, visible } from "../text.js";
import { page, readCsv } from "./data.js";

const MANY = 300; // words that are drawn
const SIZE = 320; // of a picture
const DOT = 3.5; // the radius of a point
const FONT = 11;
// The names of the axes, where no points are.
const AXES = [
  { text: "1st direction →", x: SIZE, y: SIZE - 0.3 * FONT, anchor: "end" },
  { text: "2nd direction ↑", x: SIZE / 2 + 0.4 * FONT, y: FONT, anchor: "start" },
];
const ANCHORS = { 1: "start", "-1": "end" };

const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);

// Removes the direction of largest variance from the rows and returns their components along it.
function takeComponent(rows) {
  let axis = rows[0].map((_, d) => 1 / (d + 1));
  for (let round = 0, moved = 1; round < 1000 && moved > 1e-9; round++) {
    const next = axis.map(() => 0);
    for (const row of rows) {
      const score = dot(row, axis);
      row.forEach((x, d) => {
        next[d] += score * x;
      });
    }
    const length = Math.sqrt(dot(next, next));
    if (!length) break; // nothing is left of the rows
    moved = Math.max(...next.map((x, d) => Math.abs(x / length - axis[d])));
    axis = next.map((x) => x / length);
  }
  const scores = rows.map((row) => dot(row, axis));
  rows.forEach((row, i) =>
    row.forEach((_, d) => {
      row[d] -= scores[i] * axis[d];
    }),
  );
  // The first point stands to the right, above.
  return scores[0] < 0 ? scores.map((x) => -x) : scores;
}

// Returns points [x, y] for some vectors, and the fraction of the variance that they show.
function principalComponents(vectors) {
  const mean = vectors[0].map(
    (_, d) => vectors.reduce((sum, row) => sum + row[d], 0) / vectors.length,
  );
  const rows = vectors.map((row) =>
    row.map((x, d) => (Math.abs(x - mean[d]) > 1e-9 * Math.abs(mean[d]) ? x - mean[d] : 0)),
  );
  const all = rows.reduce((sum, row) => sum + dot(row, row), 0);
  const x = takeComponent(rows);
  const y = takeComponent(rows);
  return {
    points: x.map((value, i) => [value, y[i]]),
    share: all ? (dot(x, x) + dot(y, y)) / all : NaN,
  };
}

// Returns a function that finds the side of a point, 1 for the right one, -1 or 0 for none, where
// its name covers no point, no axis' name and none of the names before it.
function sidesFor(places) {
  const names = AXES.map(({ x, y, text, anchor }) => {
    const wide = widthOf(text, FONT);
    const left = anchor === "end" ? x - wide : x;
    return { left, right: left + wide, top: y - FONT, bottom: y + 0.3 * FONT };
  });
  const known = new Set();
  const isApart = (one, other) =>
    one.right < other.left ||
    other.right < one.left ||
    one.bottom < other.top ||
    other.bottom < one.top;
  const boxOf = ([x, y]) => ({ left: x - DOT, right: x + DOT, top: y - DOT, bottom: y + DOT });
  const points = places.map(boxOf);
  return ([x, y], text) => {
    const wide = widthOf(text, FONT);
    const own = `${text} ${x.toFixed(0)} ${y.toFixed(0)}`;
    if (known.has(own)) return 0; // the word stands there already
    known.add(own);
    const side = [1, -1, 0].find((sign) => {
      const left = sign < 0 ? x - DOT - 2 - wide : x + DOT + 1;
      const box = { left, right: left + wide + 1, top: y - FONT / 2, bottom: y + FONT / 2 };
      const isInside = left >= 0 && box.right <= SIZE;
      const isFree = isInside && [...points, ...names].every((other) => isApart(box, other));
      return !sign || (isFree && names.push(box));
    });
    return side;
  };
}

// Draws words [{ layer, sentence, position, word, vector }] of one layer; name(word), color(word).
function drawScatter(words, name, color) {
  const { points, share } = principalComponents(words.map(({ vector }) => vector));
  const most = Math.max(...points.flat().map(Math.abs), 1e-12);
  const radius = 0.44 * SIZE;
  const places = points.map(([x, y]) => [x, -y].map((value) => SIZE / 2 + (radius * value) / most));
  const sideOf = sidesFor(places);
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      role: "img",
      "aria-label": "Words by two principal components",
    },
    svg("line", { class: "grid", x1: 0, x2: SIZE, y1: SIZE / 2, y2: SIZE / 2 }),
    svg("line", { class: "grid", x1: SIZE / 2, x2: SIZE / 2, y1: 0, y2: SIZE }),
    ...AXES.map(({ text, x, y, anchor }) =>
      svg("text", { class: "axis", x, y, "text-anchor": anchor }, text),
    ),
    ...places.flatMap(([x, y], i) => {
      const point = svg(
        "circle",
        { class: "point", cx: x, cy: y, r: DOT, style: { fill: color(words[i]) } },
        svg("title", {}, `${words[i].sentence}:${words[i].position} ${visible(words[i].word)}`),
      );
      const text = clipped(name(words[i]), 16);
      const side = sideOf([x, y], text);
      const at = { x: x + side * (DOT + 2), y: y + 0.35 * FONT, "text-anchor": ANCHORS[side] };
      return side ? [point, svg("text", at, text)] : [point];
    }),
  );
  const layer = words[0].layer;
  return html(
    "figure",
    { class: "chart" },
    html(
      "figcaption",
      {},
      layer ? `after layer ${layer}` : "before the first layer",
      html("span", {}, ` ${fixed(100 * share, 0)} % of the variance`),
    ),
    picture,
  );
}

export function addAnnotations() {
  const words = readCsv(page.files["annotations.csv"]).map(
    ([layer, sentence, position, word, ...vector]) => ({
      layer: Number(layer),
      sentence,
      position,
      word,
      vector: vector.map(Number),
    }),
  );
  const layers = [...new Set(words.map(({ layer }) => layer))];
  const one = words.every(({ word }) => word === words[0].word);
  const name = one ? ({ sentence, position }) => `${sentence}:${position}` : ({ word }) => word;
  const labelOf = ({ sentence }) => page.labels[sentence - 1];
  const labels = [...new Set(words.map(labelOf))]; // each has a color, if they are few
  const color = (word) => `var(--m${labels.length <= 8 ? labels.indexOf(labelOf(word)) : 0})`;
  if (labels.length > 1 && labels.length <= 8)
    byId("labels").append(
      ...labels.map((label, i) =>
        html("b", { style: { color: `var(--m${i})` } }, `● ${clipped(label, 30)} `),
      ),
    );
  byId("annotations-title").textContent = one
    ? `Where “${visible(words[0].word)}” stands among its own occurrences`
    : "Where words stand";
  byId("scatter").append(
    ...layers.map((layer) =>
      drawScatter(words.filter((word) => word.layer === layer).slice(0, MANY), name, color),
    ),
  );
}
