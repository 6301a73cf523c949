// A matrix of attention weights.

import { captions } from "./captions.js";
import { make, svg } from "./dom.js";
import { addKeys } from "./keyboard.js";
import { label, lightUp, widthOf } from "./labels.js";
import { clipped, isRightToLeft, numeral } from "./text.js";

// words: { source, target }, options: { beside: panels side by side, gold: [[s, t, possible]],
// signed: these are differences, sums, act: { over(t, s), out(), pick(t, s), leave() }, large: { cell, font, bare } is the
// bare matrix in these sizes, with its words, or without those of the rows, and without keys }
export function Matrix(words, options) {
  const columns = words.source.length;
  const rows = words.target.length;
  const back = isRightToLeft(words.source);
  const many = options.beside > 2;
  const { axes, coverage } = captions;
  const { large } = options;
  const tilt = large ? 60 : 45;
  const cell = large?.cell ?? Math.min(Math.max((many ? 450 : 620) / columns, 16), many ? 30 : 46);
  const font = large?.font ?? Math.min(18, cell * 0.72);
  const small = large ? 0 : font * 0.85;
  const longest = (list) => Math.max(...list.map((text) => widthOf(clipped(text, 18), font)));
  const slanted = longest(words.source) > cell - 4;
  const slope = longest(words.source) * Math.SQRT1_2;
  const left = large?.bare ? 0 : longest(words.target) + 14 + 1.5 * small;
  const top =
    (slanted ? (large ? 0.87 * longest(words.source) : slope) + font * 0.8 : font) +
    10 +
    1.5 * small;
  const beside = options.sums ? 3.6 * font : 0;
  const right = large ? 8 : Math.max(beside + 8, slanted ? slope + font - cell / 2 : 8);
  const width = Math.max(left + columns * cell + right, left + 15 * small);
  // The scale stands right of the words below the matrix where both fit.
  const inline = options.sums && width - left > widthOf(coverage, font * 0.72) + 16 * small;
  const below = large
    ? 8
    : (options.sums ? 1.8 * font : 8) + (options.sums && !inline ? 1.2 * font : 0) + 2.4 * small;
  const size = { width, height: top + rows * cell + below };
  const toX = (s) => left + (back ? columns - 1 - s : s) * cell;

  const picture = svg("svg", {
    class: "matrix",
    viewBox: `0 0 ${size.width} ${size.height}`,
    role: "img",
    "aria-label": `attention weights: columns ${axes[0]}, rows ${axes[1]}`,
    "font-size": font,
  });
  // Two are side by side wherever that shrinks them by a quarter at most; one is never much higher than the window.
  const natural = size.width / 17;
  const tall = `max(${(size.width / size.height) * 62}vh, ${0.72 * natural}rem)`;
  const room =
    options.beside > 1
      ? `min(${natural}rem, max(50cqw - 0.6rem, ${0.75 * natural}rem))`
      : `min(${natural}rem, ${tall})`;
  picture.style.width = room;
  picture.append(
    svg("rect", { class: "field", x: left, y: top, width: columns * cell, height: rows * cell }),
  );
  if (!large)
    picture.append(
      svg(
        "text",
        {
          class: "axis",
          x: left + (columns * cell) / 2,
          y: small,
          "text-anchor": "middle",
          "font-size": small,
        },
        axes[0],
      ),
      svg(
        "text",
        {
          class: "axis",
          "text-anchor": "middle",
          "font-size": small,
          transform: `translate(${small} ${top + (rows * cell) / 2}) rotate(-90)`,
        },
        axes[1],
      ),
    );
  const heads = words.source.map((text, s) => {
    const x = toX(s) + cell / 2;
    const y = top - 8;
    const at = slanted
      ? {
          x: x + font * 0.2,
          y,
          anchor: "start",
          transform: `rotate(${-tilt} ${x + font * 0.2} ${y})`,
        }
      : { x, y };
    return label(text, { class: "word", ...at });
  });
  picture.append(...heads);

  const cells = [];
  const groups = [];
  const cursor = svg("rect", {
    class: "cursor",
    x: left - 1.5,
    width: columns * cell + 3,
    height: cell,
    visibility: "hidden",
  });
  const spot = svg("rect", {
    class: "spot",
    width: cell - 2,
    height: cell - 2,
    visibility: "hidden",
  });
  let current = [];
  let most = 1; // what the darkest cell stands for
  words.target.forEach((text, t) => {
    const group = svg("g", { class: "row" });
    const y = top + t * cell;
    if (!large?.bare)
      group.append(
        label(text, { class: "word", x: left - 8, y: y + cell / 2 + font * 0.35, anchor: "end" }),
      );
    for (let s = 0; s < columns; s++) {
      const box = svg("rect", { class: "cell", x: toX(s), y, width: cell, height: cell });
      cells.push(box);
      group.append(box);
    }
    groups.push(group);
    picture.append(group);
  });
  picture.append(
    svg("rect", { class: "frame", x: left, y: top, width: columns * cell, height: rows * cell }),
  );
  const values = svg("g", { "text-anchor": "middle", "font-size": cell * 0.38 });
  const valueOf = (weight, t, s) =>
    svg(
      "text",
      {
        class: Math.abs(weight) > most / 2 ? "value light" : "value",
        x: toX(s) + cell / 2,
        y: top + (t + 0.62) * cell,
      },
      Math.abs(weight) < 0.005 ? "" : numeral(weight.toFixed(2).replace("0.", ".")),
    );
  // Attention that chooses words one by one may choose none.
  const empty = words.target.map((_, t) =>
    svg(
      "text",
      {
        class: "small",
        x: left + (columns * cell) / 2,
        y: top + (t + 0.65) * cell,
        "text-anchor": "middle",
        "font-size": small || font,
        visibility: "hidden",
      },
      captions.none,
    ),
  );
  picture.append(values, ...empty);
  const golds = (options.gold ?? []).map(([s, t, possible]) =>
    svg("rect", {
      class: possible ? "gold possible" : "gold",
      x: toX(s) + 2,
      y: top + t * cell + 2,
      width: cell - 4,
      height: cell - 4,
    }),
  );
  picture.append(...golds, cursor, spot);
  const sums = options.sums
    ? addSums(picture, { left, top, cell, rows, columns, font, toX })
    : null;
  const showMost = large
    ? () => {}
    : addScale(picture, {
        x: inline ? width - 14.5 * small : left + 0.5 * small,
        y: size.height - 2.1 * small,
        small,
        signed: options.signed,
      });
  if (options.act) {
    const columnOf = (event) => {
      const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(
        picture.getScreenCTM().inverse(),
      );
      const place = Math.floor((x - left) / cell);
      return place < 0 || place >= columns ? null : back ? columns - 1 - place : place;
    };
    const catcher = (t) =>
      svg("rect", {
        class: "catch",
        "aria-hidden": "true",
        x: 0,
        y: top + t * cell,
        width: left + columns * cell,
        height: cell,
        on: {
          pointermove: (event) => options.act.over(t, columnOf(event)),
          pointerleave: () => {
            if (!picture.matches(":focus-visible")) options.act.out();
          }, // keys hold it
          click: (event) => options.act.pick(t, columnOf(event)),
        },
      });
    picture.append(...words.target.map((_, t) => catcher(t)));
  }
  const keep = options.act && !large ? addKeys(picture, words, options.act) : () => {};

  return {
    picture,
    room,
    // Weights from 0 to 1, or differences from -1 to 1; where weights are not normalized, to their largest one.
    show(weights) {
      const largest = weights.reduce((high, weight) => Math.max(high, Math.abs(weight)), 1);
      current = weights;
      most = largest > 1.005 ? largest : 1;
      showMost(most);
      weights.forEach((weight, i) => {
        cells[i].setAttribute("fill-opacity", (Math.abs(weight) / most).toFixed(3));
        cells[i].setAttribute(
          "class",
          weight < 0 ? "cell less" : options.signed ? "cell more" : "cell",
        );
      });
      empty.forEach((text, t) =>
        text.setAttribute(
          "visibility",
          !options.signed &&
            weights
              .subarray(t * columns, (t + 1) * columns)
              .every((weight) => Math.abs(weight) < 0.0005)
            ? "visible"
            : "hidden",
        ),
      );
      sums?.(weights);
    },
    // The highlighted row, with its weights as numbers if the cells are large enough, and one of its cells.
    highlight(pointedRow, pointedColumn = null) {
      const row = pointedRow < rows ? pointedRow : null;
      const column = pointedColumn < columns ? pointedColumn : null;
      keep(row, column);
      picture.classList.toggle("looking", row !== null);
      values.replaceChildren(
        ...(row === null || cell < 24
          ? []
          : Array.from({ length: columns }, (_, s) => valueOf(current[row * columns + s], row, s))),
      );
      groups.forEach((group, t) => group.classList.toggle("seen", t === row));
      lightUp(heads, row, current);
      make(
        cursor,
        { y: top + (row ?? 0) * cell, visibility: row === null ? "hidden" : "visible" },
        [],
      );
      make(
        spot,
        {
          x: toX(column ?? 0) + 1,
          y: top + (row ?? 0) * cell + 1,
          visibility: row === null || column === null ? "hidden" : "visible",
        },
        [],
      );
    },
    showGold(shown) {
      for (const mark of golds) mark.setAttribute("visibility", shown ? "visible" : "hidden");
    },
  };
}

// The color scale; returns what writes its numbers, up to a largest weight.
function addScale(picture, { x, y, small, signed }) {
  const steps = 20;
  const width = 9 * small;
  const height = small * 0.8;
  const colors = Array.from({ length: steps }, (_, i) => {
    const weight = signed ? (2 * i) / (steps - 1) - 1 : i / (steps - 1);
    return svg("rect", {
      class: weight < 0 ? "shade less" : signed ? "shade more" : "shade",
      x: x + (i * width) / steps,
      y,
      width: width / steps + 0.3,
      height,
      "fill-opacity": Math.abs(weight).toFixed(3),
    });
  });
  const shares = [0, 0.5, 1];
  const numbers = shares.map((share) =>
    svg("text", {
      class: "small scale",
      x: x + share * width,
      y: y + height + small * 1.1,
      "text-anchor": "middle",
      "font-size": small,
    }),
  );
  picture.append(
    svg("rect", { class: "field", x, y, width, height }),
    ...colors,
    svg("rect", { class: "frame", x, y, width, height }),
    ...numbers,
    svg(
      "text",
      { class: "small", x: x + width + small, y: y + height, "font-size": small },
      captions[signed ? "difference" : "weight"],
    ),
  );
  return (most) =>
    shares.forEach((share, i) => {
      numbers[i].textContent = numeral(
        String(Number((most * (signed ? 2 * share - 1 : share)).toPrecision(2))),
      );
    });
}

// Bars: the sum of the weights of each source word, and the entropy of each target word.
function addSums(picture, { left, top, cell, rows, columns, font, toX }) {
  const right = left + columns * cell + 8;
  const bottom = top + rows * cell + 4;
  const across = 3.2 * font;
  const down = 1.5 * font;
  const small = { class: "small", "font-size": font * 0.72 };
  const entropies = Array.from({ length: rows }, (_, t) =>
    svg("rect", {
      class: "sum",
      x: right,
      y: top + t * cell + cell * 0.3,
      height: cell * 0.4,
      width: 0,
    }),
  );
  const covers = Array.from({ length: columns }, (_, s) =>
    svg("rect", { class: "sum", x: toX(s) + cell * 0.3, y: bottom, width: cell * 0.4, height: 0 }),
  );
  picture.append(
    ...entropies,
    ...covers,
    svg("text", { ...small, x: right, y: bottom + font * 0.7 }, captions.entropy),
    svg("text", { ...small, x: left, y: bottom + down + font * 0.9 }, captions.coverage),
  );
  return (weights) => {
    for (let t = 0; t < rows; t++) {
      const share =
        entropyOf(weights.subarray(t * columns, (t + 1) * columns)) / (Math.log(columns) || 1);
      entropies[t].setAttribute("width", Math.min(share, 1) * across);
    }
    for (let s = 0; s < columns; s++) {
      let sum = 0;
      for (let t = 0; t < rows; t++) sum += weights[t * columns + s];
      covers[s].setAttribute("height", Math.min(Math.max(sum, 0) / 2, 1) * down);
    }
  };
}

// In nats.
export function entropyOf(weights) {
  let sum = 0;
  for (const weight of weights) if (weight > 0) sum -= weight * Math.log(weight);
  return sum;
}
