// Line charts over numbers or bands of lengths, with a cursor that the mouse and the arrow keys move.

import { captions } from "./captions.js";
import { html, make, svg } from "./dom.js";
import { onKeys } from "./keyboard.js";
import { clipped, fixed, numeral } from "./text.js";

// About five round numbers from least to most.
function ticks(least, most) {
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

// The mark of a point, a shape for each model: models differ in more than color.
const shapes = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`,
  (x, y, r) => `M${x} ${y - 1.25 * r}l${1.25 * r} ${2.2 * r}h${-2.5 * r}Z`,
  (x, y, r) =>
    `M${x} ${y - 1.35 * r}l${1.35 * r} ${1.35 * r}l${-1.35 * r} ${1.35 * r}l${-1.35 * r} ${-1.35 * r}Z`,
];

const pointMark = (model, x, y, size) =>
  svg("path", {
    class: "point",
    d: shapes[model.index % shapes.length](x, y, size),
    style: { fill: model.color },
  });

// spec: { series: [{ model, points: [[x, y]], spread: [[x, low, high]], thin }], x, y: titles of the axes,
// bands: names of x = 0, 1, ... or none, decimals, tall: its height by its width, most: the least end of the x axis }
export function drawChart(host, spec) {
  const em = parseFloat(getComputedStyle(host).fontSize);
  const width = Math.max(host.clientWidth || 900, 280);
  const height = Math.min(
    Math.max(width * (spec.tall ?? 0.42), 15 * em),
    (spec.tall ? 26 : 24) * em,
    Math.max(innerHeight * 0.62, 15 * em),
  );
  const lines = new Set(spec.series.map((line) => line.model)).size;
  const named = width > 45 * em && lines * 1.2 * em <= height - 5.6 * em; // else the legend and the cursor name them
  const longest = Math.max(...spec.series.map((line) => Array.from(line.model.name).length), 0);
  const box = {
    left: 3.6 * em,
    top: 2.2 * em,
    right: width - (named ? Math.min(longest, LETTERS) * 0.6 * em + em : em),
    bottom: height - 3.4 * em,
  };
  const xs = spec.series.flatMap((line) => line.points.map((point) => point[0]));
  const ys = spec.series.flatMap((line) => [
    ...line.points.map((point) => point[1]),
    ...(line.spread ?? []).flatMap((part) => part.slice(1)),
  ]);
  const most = {
    x: spec.bands ? spec.bands.length - 1 : Math.max(...xs, spec.most ?? 1),
    y: Math.max(...ys, 1e-9) * 1.04,
  };
  const pad = spec.bands ? 0.4 : 0;
  const toX = (x) => box.left + ((x + pad) / (most.x + 2 * pad)) * (box.right - box.left);
  const toY = (y) => box.bottom - (y / most.y) * (box.bottom - box.top);
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    tabindex: 0,
    "aria-label": captions.inChart(spec.x, spec.y),
  });

  for (const y of ticks(0, most.y))
    picture.append(
      svg("line", { class: "grid", x1: box.left, x2: box.right, y1: toY(y), y2: toY(y) }),
      svg(
        "text",
        { x: box.left - 0.5 * em, y: toY(y) + 0.35 * em, "text-anchor": "end" },
        numeral(String(y)),
      ),
    );
  const marks = spec.bands
    ? spec.bands.map((name, i) => [i, name])
    : ticks(0, most.x).map((x) => [x, numeral(String(x))]);
  for (const [x, name] of marks)
    picture.append(
      svg("text", { x: toX(x), y: box.bottom + 1.35 * em, "text-anchor": "middle" }, name),
    );
  picture.append(
    svg(
      "text",
      {
        class: "axis",
        x: (box.left + box.right) / 2,
        y: height - 0.5 * em,
        "text-anchor": "middle",
      },
      spec.x,
    ),
    svg("text", { class: "axis", x: 0, y: em }, spec.y),
  );

  for (const line of spec.series) {
    if (line.spread?.length) {
      const upper = line.spread.map(([x, , high]) => [toX(x), toY(high)]);
      const lower = line.spread.map(([x, low]) => [toX(x), toY(low)]).reverse();
      picture.append(
        svg("path", {
          class: "spread",
          d: path([...upper, ...lower]) + "Z",
          style: { fill: line.model.color },
        }),
      );
    }
  }
  for (const line of spec.series) {
    picture.append(
      svg("path", {
        class: line.thin ? "curve thin" : "curve",
        "stroke-dasharray": line.model.stroke,
        style: { stroke: line.model.color },
        d: path(line.points.map(([x, y]) => [toX(x), toY(y)])),
      }),
    );
    if (line.points.length <= FEW)
      picture.append(
        ...line.points.map(([x, y]) => pointMark(line.model, toX(x), toY(y), 0.28 * em)),
      );
  }
  if (named) nameLines(picture, spec.series, box, em, toY);
  const now = svg("line", { class: "now", y1: box.top, y2: box.bottom, visibility: "hidden" });
  picture.append(now);
  host.mark = (x) =>
    make(now, { x1: toX(x), x2: toX(x), visibility: x > most.x ? "hidden" : "visible" }, []);
  addCursor(host, picture, spec, { box, toX, width, height });
  host.replaceChildren(picture, host.tip);
}

// The names of the models at the ends of the lines, moved apart where they would overlap.
function nameLines(picture, series, box, em, toY) {
  const ends = [
    ...new Map(
      series
        .filter((line) => line.points.length)
        .map((line) => [line.model, { model: line.model, y: toY(line.points.at(-1)[1]) }]),
    ).values(),
  ].sort((a, b) => a.y - b.y);
  ends.forEach((end, i) => {
    if (i) end.y = Math.max(end.y, ends[i - 1].y + 1.2 * em);
  });
  for (let i = ends.length - 1, floor = box.bottom; i >= 0; i--, floor -= 1.2 * em)
    ends[i].y = Math.min(ends[i].y, floor);
  picture.append(
    ...ends.map(({ model, y }) =>
      svg(
        "text",
        { class: "name", x: box.right + 0.6 * em, y: y + 0.35 * em, style: { fill: model.color } },
        clipped(model.name, LETTERS),
      ),
    ),
  );
}

function addCursor(host, picture, spec, { box, toX, width, height }) {
  const xs = [...new Set(spec.series.flatMap((line) => line.points.map((point) => point[0])))].sort(
    (a, b) => a - b,
  );
  const cursor = svg("line", {
    class: "cursor",
    y1: box.top,
    y2: box.bottom,
    visibility: "hidden",
  });
  let at = -1;
  host.tip = html("div", { class: "tip", hidden: true });
  picture.append(cursor);
  const show = (i) => {
    if (!xs.length) return;
    at = Math.min(Math.max(i, 0), xs.length - 1);
    make(cursor, { x1: toX(xs[at]), x2: toX(xs[at]), visibility: "visible" }, []);
    const lines = spec.series
      .map((line) => [line, line.points.findLast(([x]) => x <= xs[at])])
      .filter(
        ([line, point]) =>
          point && (spec.bands ? point[0] === xs[at] : line.points.at(-1)[0] >= xs[at]),
      )
      .sort((a, b) => b[1][1] - a[1][1]);
    host.tip.replaceChildren(
      html("p", {}, html("b", {}, `${spec.bands ? spec.bands[xs[at]] : xs[at]} ${spec.x}`)),
      ...lines.map(([line, [, y]]) =>
        html(
          "p",
          {},
          `${fixed(y, spec.decimals)}  `,
          html(
            "span",
            { style: { color: line.model.color } },
            clipped(line.label ?? line.model.name, 30),
          ),
        ),
      ),
    );
    host.tip.hidden = false;
    const share = toX(xs[at]) / width;
    Object.assign(host.tip.style, {
      left: "auto",
      right: "auto",
      top: `${(box.top / height) * 100}%`,
      [share < 0.5 ? "left" : "right"]: `calc(${Math.min(share, 1 - share) * 100}% + 0.8rem)`,
    });
  };
  const hide = () => {
    at = -1;
    cursor.setAttribute("visibility", "hidden");
    host.tip.hidden = true;
  };
  make(
    picture,
    {
      on: {
        pointermove: (event) => {
          const x = (event.offsetX / picture.clientWidth) * width;
          show(
            xs.reduce(
              (best, value, i) =>
                Math.abs(toX(value) - x) < Math.abs(toX(xs[best]) - x) ? i : best,
              0,
            ),
          );
        },
        pointerleave: hide,
        blur: hide,
      },
    },
    [],
  );
  onKeys(picture, {
    ArrowLeft: () => show(at - 1),
    ArrowRight: () => show(at + 1),
    Home: () => show(0),
    End: () => show(Infinity),
    Escape: hide,
  });
}

// The line of a model in a legend.
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
