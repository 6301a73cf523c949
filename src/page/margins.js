// The margins of a matrix: the scale of its colors, and bars of sums and entropies.

import { captions } from "./captions.js";
import { svg } from "./dom.js";
import { clamp, entropyOf, rowOf } from "./numbers.js";
import { numeral } from "./text.js";

const SHADES = 20;
const SHARES = [0, 0.5, 1]; // of the largest weight, with a number each

// Adds the color scale. Returns a function that writes its numbers, up to a largest weight.
export function addScale(picture, layout, isSigned, unit) {
  const { small } = layout;
  const place = {
    x: layout.isInline ? layout.width - 14.5 * small : layout.left + 0.5 * small,
    y: layout.height - 2.1 * small,
    width: 9 * small,
    height: small * 0.8,
  };
  const { x, y, width, height } = place;
  const signed = (share) => (isSigned ? 2 * share - 1 : share);
  const shadeOf = (_, i) => {
    const weight = signed(i / (SHADES - 1));
    return svg("rect", {
      class: weight < 0 ? "shade less" : isSigned ? "shade more" : "shade",
      x: x + (i * width) / SHADES,
      y,
      width: width / SHADES + 0.3,
      height,
      "fill-opacity": Math.abs(weight).toFixed(3),
    });
  };
  const text = { class: "small scale", "text-anchor": "middle", "font-size": small };
  const numbers = SHARES.map((share) =>
    svg("text", { ...text, x: x + share * width, y: y + height + small * 1.1 }),
  );
  const name = { class: "small", x: x + width + small, y: y + height, "font-size": small };
  picture.append(
    svg("rect", { class: "field", ...place }),
    ...Array.from({ length: SHADES }, shadeOf),
    svg("rect", { class: "frame", ...place }),
    ...numbers,
    svg("text", name, unit || captions[isSigned ? "difference" : "weight"]),
  );
  return (most) =>
    SHARES.forEach((share, i) => {
      numbers[i].textContent = numeral(String(Number((most * signed(share)).toPrecision(2))));
    });
}

// Adds bars for the sum of weights of each source word and the entropy of each target word. Returns
// a function that shows those of some weights.
export function addSums(picture, { left, top, cell, rows, columns, font, toX, toY }) {
  const right = left + columns * cell + 8;
  const bottom = top + rows * cell + 4;
  const across = 3.2 * font;
  const down = 1.5 * font;
  const small = { class: "small", "font-size": font * 0.85 };
  const entropies = Array.from({ length: rows }, (_, t) => {
    const place = { x: right, y: toY(t) + cell * 0.3, height: cell * 0.4, width: 0 };
    return svg("rect", { class: "sum", ...place });
  });
  const covers = Array.from({ length: columns }, (_, s) => {
    const place = { x: toX(s) + cell * 0.3, y: bottom, width: cell * 0.4, height: 0 };
    return svg("rect", { class: "sum", ...place });
  });
  picture.append(
    ...entropies,
    ...covers,
    svg("text", { ...small, x: right, y: bottom + font * 0.7 }, captions.entropy),
    svg("text", { ...small, x: left, y: bottom + down + font * 0.9 }, captions.coverage),
  );
  return (weights) => {
    entropies.forEach((bar, t) => {
      const entropy = entropyOf(rowOf(weights, t, columns));
      bar.setAttribute("width", Math.min(entropy / (Math.log(columns) || 1), 1) * across);
    });
    covers.forEach((bar, s) => {
      const sum = weights.reduce((all, x, at) => (at % columns === s ? all + x : all), 0);
      bar.setAttribute("height", clamp(sum / 2, 0, 1) * down);
    });
  };
}
