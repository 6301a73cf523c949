// A regression, where keys, queries and values are single numbers: the values as points over their
// keys, curves of the outputs over the queries, and the weights of the query that a slider chooses.

import { lineMark, ticks } from "../chart.js";
import { byId, html, make, onWidth, svg } from "../dom.js";
import { fixed, numeral } from "../text.js";
import { page } from "./data.js";

const STRIP = 7; // em, the height of the weights of a fit

const numbersOf = (name) => page.steps?.find((step) => step.name === name)?.numbers;
const sum = (row, of) => row.reduce((all, weight, j) => all + weight * of[j], 0);

// Returns { keys, values, queries, fits: [{ name, weights, outputs, centers }] }, or null.
function readRegression() {
  const [K, V, Q, weights] = ["K", "V", "Q", "weights"].map(numbersOf);
  if (![K, V, Q].every((rows) => rows?.[0].length === 1) || !weights) return null;
  const order = Q.map((_, i) => i).sort((i, l) => Q[i][0] - Q[l][0]);
  const [keys, values] = [K, V].map((rows) => rows.map(([x]) => x));
  const mean = numbersOf("weights of degree 0");
  const fits = [mean, weights]
    .filter(Boolean)
    .map((rows) => order.map((i) => rows[i]))
    .map((rows, i) => ({
      name: mean ? `degree ${i}` : "output",
      weights: rows,
      outputs: rows.map((row) => sum(row, values)),
      centers: rows.map((row) => sum(row, keys)),
    }));
  return { keys, values, queries: order.map((i) => Q[i][0]), fits };
}

const regression = readRegression();
export const isRegression = regression !== null;

// Returns the function from numbers in the range of a list to pixels.
function scale(list, from, to) {
  const least = Math.min(...list);
  const room = Math.max(...list) - least || 1;
  return (x) => from + ((x - least) / room) * (to - from);
}

const line = (x1, y1, x2, y2, name) => svg("line", { class: name, x1, y1, x2, y2 });

// Returns numbers at the left edge of a box, each at its height.
const numbersAt = (list, left, toY, em) =>
  list.map((y) =>
    svg(
      "text",
      { x: left - 0.4 * em, y: toY(y) + 0.35 * em, "text-anchor": "end" },
      numeral(String(y)),
    ),
  );

// Returns the numbers and the names of both axes, with a line at each number of the upright one.
function axesOf({ em, left, right, bottom, toX, toY }, xs, ys) {
  const rows = ticks(Math.min(...ys), Math.max(...ys));
  const below = { y: bottom + 1.3 * em, "text-anchor": "middle" };
  const name = { y: bottom + 2.5 * em, x: (left + right) / 2, "text-anchor": "middle" };
  return [
    ...rows.map((y) => line(left, toY(y), right, toY(y), "grid")),
    ...numbersAt(rows, left, toY, em),
    ...ticks(Math.min(...xs), Math.max(...xs)).map((x) =>
      svg("text", { x: toX(x), ...below }, numeral(String(x))),
    ),
    svg("text", { class: "axis", ...name }, "key, query"),
    svg("text", { class: "axis", x: 0, y: em }, "value, output"),
  ];
}

// Returns the weights of query i by one fit: bars up or down from a line, between -most and most.
function barsOf({ name, weights }, i, { em, left, right, toX }, most, top, color) {
  const toY = scale([most, -most], top + (STRIP - 0.6) * em, top + 1.9 * em);
  const query = toX(regression.queries[i]);
  const end = Number(most.toPrecision(2));
  const bars = weights[i].map((weight, j) => {
    const x = toX(regression.keys[j]);
    const place = { class: "stem", x1: x, x2: x, y1: toY(0), y2: toY(weight) };
    const said = `${fixed(weight, 4)} on ${regression.keys[j]}`;
    return svg("line", { ...place, style: { stroke: color } }, svg("title", {}, said));
  });
  return [
    line(left, toY(0), right, toY(0), "grid"),
    line(query, toY(most), query, toY(-most), "cursor"),
    ...numbersAt([end, 0, -end], left, toY, em),
    svg("text", { class: "axis", x: 0, y: top + em }, `weights, ${name}`),
    ...bars,
  ];
}

const strokeOf = (f) => (f ? "none" : "7 4");
const colorOf = (f) => `var(--m${f})`;

// Returns the output of a fit as a curve, with a point at query i, and a diamond where the weighted
// mean of the keys is.
function curveOf({ outputs, centers }, f, i, { em, toX, toY }) {
  const { queries } = regression;
  const points = outputs.map((y, q) => `${toX(queries[q]).toFixed(1)},${toY(y).toFixed(1)}`);
  const line = { class: "fit", points: points.join(" "), "stroke-dasharray": strokeOf(f) };
  const point = { cx: toX(queries[i]), cy: toY(outputs[i]), r: em / 3 };
  const [x, y, d] = [toX(centers[i]), toY(outputs[i]), 0.65 * em];
  const diamond = `M${x} ${y - d}l${d} ${d}l${-d} ${d}l${-d} ${-d}Z`;
  const colored = { style: { stroke: colorOf(f) } };
  return [
    svg("polyline", { ...line, ...colored }),
    svg("circle", { ...point, style: { fill: colorOf(f) } }),
    svg("path", { class: "fit mean", d: diamond, ...colored }),
  ];
}

function draw(host, i) {
  const { keys, values, queries, fits } = regression;
  const em = parseFloat(getComputedStyle(host).fontSize);
  const width = Math.max(host.clientWidth, 280);
  const height = Math.max(Math.min(0.4 * width, 22 * em), 13 * em);
  const box = { em, left: 3.6 * em, right: width - em, top: 1.8 * em, bottom: height - 3 * em };
  const ys = [...values, ...fits.flatMap(({ outputs }) => outputs)];
  box.toX = scale([...keys, ...queries], box.left, box.right);
  box.toY = scale(ys, box.bottom, box.top);
  const most = Math.max(...fits.flatMap(({ weights }) => weights[i].map(Math.abs)));
  const end = height + STRIP * em * fits.length;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${end}`,
    role: "img",
    "aria-label": "Values over keys, outputs over queries, and the weights of one query",
  });
  const x = box.toX(queries[i]);
  const points = keys.map((key, j) => [box.toX(key), box.toY(values[j])]);
  picture.append(
    ...axesOf(box, [...keys, ...queries], ys),
    line(x, box.top, x, box.bottom, "cursor"),
    ...points.map(([cx, cy]) => svg("circle", { class: "value", cx, cy, r: em / 4 })),
    ...fits.flatMap((fit, f) => curveOf(fit, f, i, box)),
    ...fits.flatMap((fit, f) => barsOf(fit, i, box, most, height + STRIP * em * f, colorOf(f))),
  );
  host.replaceChildren(picture);
}

export function addRegression() {
  const { queries, fits } = regression;
  const slider = byId("regression-query");
  const show = () => {
    const i = Number(slider.value);
    const said = fits.map(({ name, outputs, centers }, f) =>
      html(
        "span",
        {},
        f ? "; " : "",
        lineMark(colorOf(f), strokeOf(f)),
        html("b", { style: { color: colorOf(f) } }, `${name}:`),
        ` ${fixed(outputs[i], 3)} at the weighted mean ${fixed(centers[i], 3)} of the keys`,
      ),
    );
    byId("regression-said").replaceChildren(`q = ${fixed(queries[i], 3)}: `, ...said);
    slider.setAttribute("aria-valuetext", byId("regression-said").textContent);
    draw(byId("regression-chart"), i);
  };
  make(slider, { max: queries.length - 1, on: { input: show } });
  onWidth(byId("regression-chart"), show);
}
