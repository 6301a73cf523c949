// A regression, where keys, queries and values are single numbers: the values as points over their
// keys, curves of the outputs over the queries, and the weights of the query that a slider chooses.

import { byId, html, make, onWidth, svg } from "../dom.js";
import { fixed } from "../text.js";
import { page } from "./data.js";

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

// Returns the weights of query i by one fit: bars up or down from a line.
function barsOf({ name, weights }, i, toX, most, [top, bottom], color) {
  const toY = scale([most, -most], bottom, top);
  const { keys } = regression;
  const bars = weights[i].map((weight, j) =>
    svg(
      "line",
      {
        class: "stem",
        x1: toX(keys[j]),
        x2: toX(keys[j]),
        y1: toY(0),
        y2: toY(weight),
        style: { stroke: color },
      },
      svg("title", {}, `${fixed(weight, 4)} on ${keys[j]}`),
    ),
  );
  const middle = toX((Math.min(...keys) + Math.max(...keys)) / 2);
  const side = toX(regression.queries[i]) < middle ? "end" : "start"; // away from the query
  const x = side === "end" ? 2 * middle : 0;
  return [svg("text", { x, y: top + 18, "text-anchor": side }, `weights, ${name}`), ...bars];
}

function draw(host, i) {
  const { keys, values, queries, fits } = regression;
  const width = Math.max(host.clientWidth, 280);
  const height = Math.min(0.4 * width, 380);
  const toX = scale([...keys, ...queries], 12, width - 12);
  const toY = scale([...values, ...fits.flatMap(({ outputs }) => outputs)], height - 10, 10);
  const most = Math.max(...fits.flatMap(({ weights }) => weights[i].map(Math.abs)));
  const colors = fits.map((_, f) => `var(--m${f})`);
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height + 110 * fits.length}`,
    role: "img",
    "aria-label": "Values over keys, outputs over queries, and the weights of one query",
  });
  picture.append(line(toX(queries[i]), 0, toX(queries[i]), height + 110 * fits.length, "cursor"));
  picture.append(
    ...keys.map((x, j) => svg("circle", { class: "value", cx: toX(x), cy: toY(values[j]), r: 4 })),
  );
  fits.forEach((fit, f) => {
    const points = fit.outputs.map((y, q) => `${toX(queries[q]).toFixed(1)},${toY(y).toFixed(1)}`);
    const [cx, cy, top] = [toX(queries[i]), toY(fit.outputs[i]), height + 110 * f];
    picture.append(
      svg("polyline", {
        class: "fit",
        points: points.join(" "),
        "stroke-dasharray": f ? "none" : "7 4",
        style: { stroke: colors[f] },
      }),
      svg("circle", { cx, cy, r: 6, style: { fill: colors[f] } }),
      line(0, top + 55, width, top + 55, "grid"),
      ...barsOf(fit, i, toX, most, [top, top + 110], colors[f]),
    );
  });
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
        html("b", { style: { color: `var(--m${f})` } }, name),
        ` ${fixed(outputs[i], 3)}, mean of the keys ${fixed(centers[i], 3)} `,
      ),
    );
    byId("regression-said").replaceChildren(`q = ${fixed(queries[i], 3)}: `, ...said);
    slider.setAttribute("aria-valuetext", byId("regression-said").textContent);
    draw(byId("regression-chart"), i);
  };
  make(slider, { max: queries.length - 1, on: { input: show } });
  onWidth(byId("regression-chart"), show);
}
