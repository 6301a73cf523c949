// Line charts over numbers or bands of lengths, with a cursor for mouse and arrow keys.

import { captions } from "./captions.js";
import { html, make, svg } from "./dom.js";
import { onKeys } from "./keyboard.js";
import { clamp } from "./numbers.js";
import { clipped, fixed, numeral } from "./text.js";

// Returns about five round numbers from least to most.
export function ticks(least, most) {
  const rough = (most - least) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((size) => size >= rough);
  const list = [];
  for (let i = Math.ceil(least / step - 1e-9); i * step <= most + 1e-9 * step; i++)
    list.push(Number((i * step).toPrecision(12)));
  return list;
}

const path = (points) =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

const FEW = 40; // points that are drawn one by one

const LETTERS = 32; // of a name at the end of a line

// The mark of a point: one shape per model, so that color is not the only difference.
const shapes = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`,
  (x, y, r) => `M${x} ${y - 1.25 * r}l${1.25 * r} ${2.2 * r}h${-2.5 * r}Z`,
  (x, y, r) => {
    const d = 1.35 * r;
    return `M${x} ${y - d}l${d} ${d}l${-d} ${d}l${-d} ${-d}Z`;
  },
];

const pointMark = (model, x, y, size) =>
  svg("path", {
    class: "point",
    d: shapes[model.index % shapes.length](x, y, size),
    style: { fill: model.color },
  });

// Returns the size of a chart, the box of its lines, and the place of numbers in that box.
function layoutOf(host, { series, bands, tall, most: least = 1 }) {
  const em = parseFloat(getComputedStyle(host).fontSize);
  const width = Math.max(host.clientWidth || 900, 280);
  const height = Math.min(
    Math.max(width * (tall ?? 0.42), 15 * em),
    (tall ? 26 : 24) * em,
    Math.max(innerHeight * 0.62, 15 * em),
  );
  const models = new Set(series.map((line) => line.model)).size;
  const isNamed = width > 45 * em && models * 1.2 * em <= height - 5.6 * em;
  const longest = Math.max(...series.map((line) => Array.from(line.model.name).length), 0);
  const names = isNamed ? Math.min(longest, LETTERS) * 0.6 * em + em : em;
  const box = { left: 3.6 * em, top: 2.2 * em, right: width - names, bottom: height - 3.4 * em };
  const points = series.flatMap((line) => line.points);
  const ends = series.flatMap((line) => (line.spread ?? []).flatMap((part) => part.slice(1)));
  const most = {
    x: bands ? bands.length - 1 : Math.max(...points.map(([x]) => x), least),
    y: (Math.max(...points.map(([, y]) => y), ...ends) || 1) * 1.04, // of all 0, too
  };
  const pad = bands ? 0.4 : 0;
  return {
    em,
    width,
    height,
    box,
    most,
    isNamed, // else a legend and the cursor name the lines
    toX: (x) => box.left + ((x + pad) / (most.x + 2 * pad)) * (box.right - box.left),
    toY: (y) => box.bottom - (y / most.y) * (box.bottom - box.top),
  };
}

// Returns the grid, the numbers at the axes and the titles of the axes.
function axesOf({ x: titleX, y: titleY, bands }, { em, height, box, most, toX, toY }) {
  const rows = ticks(0, most.y).flatMap((y) => [
    svg("line", { class: "grid", x1: box.left, x2: box.right, y1: toY(y), y2: toY(y) }),
    svg(
      "text",
      { x: box.left - 0.5 * em, y: toY(y) + 0.35 * em, "text-anchor": "end" },
      numeral(String(y)),
    ),
  ]);
  const marks =
    bands?.map((name, i) => [i, name]) ?? ticks(0, most.x).map((x) => [x, numeral(String(x))]);
  const below = { y: box.bottom + 1.35 * em, "text-anchor": "middle" };
  const middle = { x: (box.left + box.right) / 2, y: height - 0.5 * em, "text-anchor": "middle" };
  return [
    ...rows,
    ...marks.map(([x, name]) => svg("text", { x: toX(x), ...below }, name)),
    svg("text", { class: "axis", ...middle }, titleX),
    svg("text", { class: "axis", x: 0, y: em }, titleY),
  ];
}

function spreadOf({ model, spread }, { toX, toY }) {
  const upper = spread.map(([x, , high]) => [toX(x), toY(high)]);
  const lower = spread.map(([x, low]) => [toX(x), toY(low)]).reverse();
  const d = path([...upper, ...lower]) + "Z";
  return svg("path", { class: "spread", d, style: { fill: model.color } });
}

function curveOf({ model, thin, points }, { em, toX, toY }) {
  const curve = svg("path", {
    class: thin ? "curve thin" : "curve",
    "stroke-dasharray": model.stroke,
    style: { stroke: model.color },
    d: path(points.map(([x, y]) => [toX(x), toY(y)])),
  });
  const marks = points.length <= FEW ? points : [];
  return [curve, ...marks.map(([x, y]) => pointMark(model, toX(x), toY(y), 0.28 * em))];
}

// Draws lines into an element, whose mark(x) then moves a line to x. The chart is
//   series   [{ model, points: [[x, y]], spread: [[x, low, high]], thin, label }]
//   x, y     titles of the axes
//   bands    names of x = 0, 1, ..., or none
//   decimals of the numbers at the cursor
//   tall     its height by its width
//   most     the least end of the x axis
//   hasLegend whether a legend below names lines where their ends have no room for names
export function drawChart(host, chart) {
  const layout = layoutOf(host, chart);
  const { em, width, height, box, most, toX } = layout;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    tabindex: 0,
    "aria-label": captions.inChart(chart.x, chart.y),
  });
  const spreads = chart.series.filter((line) => line.spread?.length);
  const line = svg("line", { y1: box.top, y2: box.bottom });
  const name = svg("text", { class: "axis", y: box.top - 0.3 * em }, captions.shown);
  const now = svg("g", { class: "now", visibility: "hidden" }, line, name);
  picture.append(...axesOf(chart, layout));
  picture.append(...spreads.map((line) => spreadOf(line, layout)));
  picture.append(...chart.series.flatMap((line) => curveOf(line, layout)));
  if (layout.isNamed) picture.append(...lineNames(chart.series, layout));
  picture.append(now);
  host.mark = (x) => {
    const at = toX(x);
    make(line, { x1: at, x2: at });
    make(name, { x: at, "text-anchor": at > width / 2 ? "end" : "start" });
    make(now, { visibility: x > most.x ? "hidden" : "visible" });
  };
  host.tip = html("div", { class: "tip", hidden: true });
  addCursor(host.tip, picture, chart, layout);
  host.replaceChildren(picture, host.tip);
  if (chart.hasLegend && !layout.isNamed && chart.series.length > 1)
    host.append(legend(chart.series));
}

// Returns the names of the models at the ends of the lines, moved apart where they would overlap.
function lineNames(series, { em, box, toY }) {
  const lasts = series
    .filter((line) => line.points.length)
    .map(({ model, points }) => [model, { model, y: toY(points.at(-1)[1]) }]);
  const ends = [...new Map(lasts).values()].sort((a, b) => a.y - b.y);
  ends.forEach((end, i) => {
    if (i) end.y = Math.max(end.y, ends[i - 1].y + 1.2 * em);
  });
  for (let i = ends.length - 1, floor = box.bottom; i >= 0; i--, floor -= 1.2 * em)
    ends[i].y = Math.min(ends[i].y, floor);
  return ends.map(({ model, y }) => {
    const place = { x: box.right + 0.6 * em, y: y + 0.35 * em };
    const name = clipped(model.name, LETTERS);
    return svg("text", { class: "name", ...place, style: { fill: model.color } }, name);
  });
}

// Returns the lines at x, each with its last point up to x, the largest first.
function linesAt(x, { series, bands }) {
  return series
    .map((line) => [line, line.points.findLast(([at]) => at <= x)])
    .filter(([line, point]) => point && (bands ? point[0] === x : line.points.at(-1)[0] >= x))
    .sort(([, one], [, other]) => other[1] - one[1]);
}

// Returns what the tip says about the lines at x.
function textAt(x, chart) {
  const head = html("b", {}, `${chart.bands ? chart.bands[x] : x} ${chart.x}`);
  const lines = linesAt(x, chart).map(([{ model, label }, [, y]]) => {
    const name = html("span", { style: { color: model.color } }, clipped(label ?? model.name, 30));
    return html("p", {}, `${fixed(y, chart.decimals)}  `, name);
  });
  return [html("p", {}, head), ...lines];
}

// Adds a cursor that moves from point to point, with a tip beside it.
function addCursor(tip, picture, chart, { box, toX, width, height }) {
  const points = chart.series.flatMap((line) => line.points);
  const xs = [...new Set(points.map(([x]) => x))].sort((a, b) => a - b);
  const size = { y1: box.top, y2: box.bottom };
  const cursor = svg("line", { class: "cursor", ...size, visibility: "hidden" });
  let at = -1;
  picture.append(cursor);
  const show = (i) => {
    if (!xs.length) return;
    at = clamp(i, 0, xs.length - 1);
    const x = toX(xs[at]);
    const share = x / width;
    const side = share < 0.5 ? "left" : "right";
    make(cursor, { x1: x, x2: x, visibility: "visible" });
    tip.replaceChildren(...textAt(xs[at], chart));
    tip.hidden = false;
    Object.assign(tip.style, {
      left: "auto",
      right: "auto",
      top: `${(box.top / height) * 100}%`,
      [side]: `calc(${Math.min(share, 1 - share) * 100}% + 0.8rem)`,
    });
  };
  const hide = () => {
    at = -1;
    cursor.setAttribute("visibility", "hidden");
    tip.hidden = true;
  };
  const pointermove = (event) => {
    const distances = xs.map((x) =>
      Math.abs(toX(x) - (event.offsetX / picture.clientWidth) * width),
    );
    show(distances.indexOf(Math.min(...distances)));
  };
  make(picture, { on: { pointermove, pointerleave: hide, blur: hide } });
  onKeys(picture, {
    ArrowLeft: () => show(at - 1),
    ArrowRight: () => show(at + 1),
    Home: () => show(0),
    End: () => show(Infinity),
    Escape: hide,
  });
}

// Returns what names the lines below their chart.
function legend(series) {
  const models = [...new Map(series.map(({ model }) => [model.name, model])).values()];
  const key = ({ name, color, stroke }) => html("span", {}, lineMark(color, stroke), name);
  return html("p", { class: "legend note" }, ...models.map(key));
}

// Returns the line of a model in a legend.
export function lineMark(color, stroke) {
  const line = svg("line", {
    x1: 0,
    x2: 32,
    y1: 7,
    y2: 7,
    "stroke-width": 5,
    "stroke-dasharray": stroke,
    style: { stroke: color },
  });
  return svg("svg", { class: "mark", viewBox: "0 0 32 14", "aria-hidden": "true" }, line);
}
