// The margins of a matrix: the scale of its colors, and bars of sums and entropies.

import { captions } from "./captions.js";
import { svg } from "./dom.js";
import { widthOf } from "./labels.js";
import { clamp, entropyOf, rowOf } from "./numbers.js";
import { numeral } from "./text.js";

const SHADES = 21; // with one for 0 between two signs

// Returns a number with two digits, one of many zeros with an exponent.
const shortOf = (number) =>
  Math.abs(number) < 0.001 && number !== 0
    ? number.toExponential(0)
    : String(Number(number.toPrecision(2)));

// The places of the scale's bar, and of numbers and name: below and beside it, or in its line.
function scalePlaces({ small, keyLeft, width, scaleY, isInline, isLine }) {
  const bar = isLine
    ? { x: small, width: 4 * small }
    : { x: isInline ? width - 14.5 * small : keyLeft + 0.5 * small, width: 9 * small };
  const place = { ...bar, y: scaleY, height: 0.8 * small };
  const end = bar.x + bar.width;
  const numberAt = (share) =>
    isLine
      ? { x: share ? end + 0.6 * small : bar.x - 0.5 * small, y: scaleY + 0.8 * small }
      : { x: bar.x + share * bar.width, y: scaleY + 1.9 * small };
  return {
    place,
    numberAt,
    name: { x: end + (isLine ? 1.4 : 1) * small, y: scaleY + 0.8 * small },
  };
}

// Adds the color scale. Returns a function that writes its numbers, up to a largest weight.
export function addScale(picture, layout, isSigned, name) {
  const { small, isLine } = layout;
  const { place, numberAt, name: beside } = scalePlaces(layout);
  const shares = isLine ? [0, 1] : [0, 0.5, 1];
  const signed = (share) => (isSigned ? 2 * share - 1 : share);
  const shadeOf = (_, i) => {
    const weight = signed(i / (SHADES - 1));
    return svg("rect", {
      class: weight < 0 ? "shade less" : isSigned ? "shade more" : "shade",
      ...place,
      x: place.x + (i * place.width) / SHADES,
      width: place.width / SHADES + 0.3,
      "fill-opacity": Math.abs(weight).toFixed(3),
    });
  };
  const text = { class: "small scale", "text-anchor": "middle", "font-size": small };
  const numbers = shares.map((share) => svg("text", { ...text, ...numberAt(share) }));
  picture.append(
    svg("rect", { class: "field", ...place }),
    ...Array.from({ length: SHADES }, shadeOf),
    svg("rect", { class: "frame", ...place }),
    ...numbers,
    svg("text", { class: "small", ...beside, "font-size": small }, name || captions.weight),
  );
  return (most) =>
    shares.forEach((share, i) => {
      numbers[i].textContent = numeral(shortOf(most * signed(share)));
    });
}

// Returns the width of the scale and of the key of links, where they are one line.
export const lineWidth = (small, gold = []) =>
  7.4 * small +
  widthOf(captions.weight, small) +
  (gold.length ? widthOf(captions.goldLink + captions.possibleLink, small) + 4.6 * small : 0);

// Says what outlines are, below the scale or after it: gold links, and possible ones if there are.
export function addLinkKey(picture, { small, keyLeft, height, isLine }, gold) {
  let x = isLine ? lineWidth(small) : keyLeft + 0.5 * small;
  const y = height - (isLine ? 1.2 : 1.3) * small;
  for (const isPossible of [false, true]) {
    if (!gold.some(([, , possible]) => Boolean(possible) === isPossible)) continue;
    const name = captions[isPossible ? "possibleLink" : "goldLink"];
    const size = { width: 0.9 * small, height: 0.9 * small };
    const words = { class: "small", x: x + 1.4 * small, y: y + 0.8 * small, "font-size": small };
    picture.append(
      svg("rect", { class: isPossible ? "outline possible" : "outline", x, y, ...size }),
      svg("text", words, name),
    );
    x += widthOf(name, small) + 2.3 * small;
  }
}

// Adds the frames of both margins, the numbers at their ends and their names. Returns the number at
// the end of the lower one.
function addMarginAxes(picture, { left, font, small, isInline }, across, down) {
  const frameOf = (box) => svg("rect", { class: "frame", ...box });
  const text = (words, place) =>
    svg("text", { class: "small", "font-size": small, ...place }, words);
  const below = across.y + across.height + font;
  const end = { "text-anchor": "end" };
  const beside = { x: left - 4, ...end };
  const caption = down.y + down.height + (isInline ? 1 : 1.6) * font; // below that of the entropy
  const most = text("", { ...beside, y: down.y + down.height + 0.2 * small });
  picture.append(
    frameOf(across),
    text("0", { x: across.x, y: below }),
    text(numeral(shortOf(across.most)), { x: across.x + across.width, y: below, ...end }),
    text(captions.entropy, { x: across.x, y: below + 1.1 * font }),
    frameOf(down),
    text("0", { ...beside, y: down.y + 0.6 * small }),
    most,
    text(captions.coverage, { x: left, y: caption }),
  );
  return most;
}

// Adds bars for the sum of weights of each source word and the entropy of each target word, each in
// a frame with numbers. Returns a function that shows those of some weights.
export function addSums(picture, layout) {
  const { left, top, cell, rows, columns, font, toX, toY } = layout;
  const right = left + columns * cell + 8;
  const bottom = top + rows * cell + 4;
  const across = 3.2 * font;
  const down = 1.5 * font;
  const entropies = Array.from({ length: rows }, (_, t) => {
    const place = { x: right, y: toY(t) + cell * 0.3, height: cell * 0.4, width: 0 };
    return svg("rect", { class: "sum entropy", ...place });
  });
  const covers = Array.from({ length: columns }, (_, s) => {
    const place = { x: toX(s) + cell * 0.3, y: bottom, width: cell * 0.4, height: 0 };
    return svg("rect", { class: "sum coverage", ...place });
  });
  const most = Math.log(columns) || 1; // of the entropies
  picture.append(...entropies, ...covers);
  const mostCovered = addMarginAxes(
    picture,
    layout,
    { x: right, y: top, width: across, height: rows * cell, most },
    { x: left, y: bottom, width: columns * cell, height: down },
  );
  return (weights) => {
    entropies.forEach((bar, t) => {
      const entropy = entropyOf(rowOf(weights, t, columns));
      bar.setAttribute("width", Math.min(entropy / most, 1) * across);
    });
    const sums = covers.map((_, s) =>
      weights.reduce((all, x, at) => (at % columns === s ? all + x : all), 0),
    );
    const covered = Math.max(2, Math.ceil(Math.max(...sums) - 0.005));
    covers.forEach((bar, s) => bar.setAttribute("height", clamp(sums[s] / covered, 0, 1) * down));
    mostCovered.textContent = String(covered);
  };
}
