// Bands: the two sentences, each pair of words joined by a band as wide as its weight.

import { captions } from "./captions.js";
import { make, svg } from "./dom.js";
import { addKeys } from "./keyboard.js";
import { label, lightUp, widthOf } from "./labels.js";
import { clamp } from "./numbers.js";
import { clipped, isRightToLeft } from "./text.js";

const sumOf = (list) => list.reduce((sum, number) => sum + number, 0);

// Returns a sentence with its direction and the widths of its words in em.
const sideOf = (list) => ({
  list,
  isBack: isRightToLeft(list),
  widths: list.map((text) => widthOf(clipped(text, 18), 1) + 0.67),
});

// Returns the sizes of the picture and of its words. It is flat, with the source above the target,
// where the words of a sentence fit a line; else the two are columns. A page gives no height: it
// follows from the words.
function layoutOf(words, { width, height, least }) {
  const deep = Math.max(words.source.length, words.target.length);
  const sides = [sideOf(words.source), sideOf(words.target)];
  const across = Math.max(...sides.map(({ widths }) => sumOf(widths)));
  const longest = sides.map(({ widths }) => Math.max(...widths));
  const isFlat = across * least <= width;
  const fits = isFlat
    ? Math.min(width / across, height / 5)
    : Math.min(height / (1.3 * deep + 0.6), width / (longest[0] + longest[1] + 3));
  const font = height ? clamp(fits, least, 2.4 * least) : least;
  const above = 1.4 * font; // of the names of both sides
  const line = height ? (height - above) / (deep + 0.5) : font * 1.6;
  const natural = isFlat ? 11.4 * font : line * deep + 1.6 * font;
  return {
    sides,
    longest,
    isFlat,
    font,
    line,
    width,
    height: height || natural,
    above,
    small: height ? Math.max(0.7 * font, least) : 0.78 * font, // a stage has no small letters
  };
}

// Returns the middle of the edge of each word from which bands start.
function placesOf({ list, isBack, widths }, side, layout) {
  const { width, height, font, above } = layout;
  if (!layout.isFlat) {
    const x = side ? width - layout.longest[1] * font : layout.longest[0] * font;
    return list.map((_, i) => [x, (i + 0.5) * layout.line + above]);
  }
  const room = width - sumOf(widths) * font;
  const gap = list.length > 1 ? Math.min(room / (list.length - 1), 3 * font) : 0;
  let at = (room - gap * (list.length - 1)) / 2;
  return widths.map((own) => {
    const x = at + (own * font) / 2;
    at += own * font + gap;
    return [isBack ? width - x : x, side ? height - above - 1.9 * font : above + 1.7 * font];
  });
}

function bandOf([x1, y1], [x2, y2], isFlat) {
  const x = (x1 + x2) / 2;
  const y = (y1 + y2) / 2;
  const bend = isFlat ? `${x1} ${y} ${x2} ${y}` : `${x} ${y1} ${x} ${y2}`;
  return svg("path", { class: "band", d: `M${x1} ${y1}C${bend} ${x2} ${y2}` });
}

function nameOf(text, [x, y], side, { isFlat, font }) {
  const place = isFlat
    ? { x, y: y + (side ? 1.15 : -0.5) * font }
    : { x: x + (side ? font / 3 : -font / 3), y: y + 0.35 * font, anchor: side ? "start" : "end" };
  return label(text, { class: "word", "font-size": font, ...place });
}

function axesOf({ width, height, font, small, isFlat }) {
  const axis = (side, x, y, anchor) => {
    const text = { class: "axis", x, y, "text-anchor": anchor, "font-size": small };
    return svg("text", text, captions.axes[side]);
  };
  const top = 0.6 * font + 0.35 * small;
  const target = isFlat ? axis(1, 0, height - 0.3 * font, "start") : axis(1, width, top, "end");
  return [axis(0, 0, top, "start"), target];
}

const WIDEST = 0.8; // the band of weight 1, in em

const SIZES = [1, 0.85, 0.7]; // of the letters of a key, the first that fit
const SMALLEST = 14; // pixels of those that are smaller than the names of both sides

// Returns the sizes of the key to the width of bands, in `free` pixels: of its letters, of its two
// samples, and of all; a name that does not fit even in small letters is left out.
function keySizes(free, small, numbers, title) {
  const sizesOf = (size, name) => {
    const texts = numbers.map((number) => widthOf(number, size));
    const named = name ? widthOf(name, size) + 0.5 * size : 0;
    const fixed = named + 1.6 * size + texts[0] + texts[1];
    const line = clamp((free - fixed) / 2, 0.5 * size, 2 * size); // shorter in little room
    return { size, name, texts, line, named, all: fixed + 2 * line };
  };
  const sizes = SIZES.map((share) => share * small).filter((size, i) => !i || size >= SMALLEST);
  const named = sizes.map((size) => sizesOf(size, title)).find(({ all }) => all <= free);
  return named ?? sizesOf(small, "");
}

// Returns the key to the width of bands: two bands with their numbers, at the right edge where the
// source is above, otherwise between the names of the sides.
function legendOf({ width, font, small, isFlat }, most, title) {
  const numbers = [0.25, 1].map((share) => String(Number((share * most).toPrecision(2))));
  const sides = captions.axes.map((axis) => widthOf(axis, small) + 0.6 * small);
  const free = width - sides[0] - (isFlat ? 0 : sides[1]);
  const { size, name, texts, line, named, all } = keySizes(free, small, numbers, title);
  const start = isFlat ? width - all : sides[0] + Math.max((free - all) / 2, 0);
  const y = 0.6 * font;
  const text = { class: "axis", y: y + 0.35 * size, "font-size": size };
  const sample = (share, number, x) => [
    svg("line", {
      class: "sample",
      x1: x,
      x2: x + line,
      y1: y,
      y2: y,
      "stroke-width": share * font * WIDEST,
      "stroke-opacity": 0.15 + 0.65 * share,
    }),
    svg("text", { ...text, x: x + line + 0.3 * size }, number),
  ];
  return [
    ...(name ? [svg("text", { ...text, x: start }, name)] : []),
    ...sample(0.25, numbers[0], start + named),
    ...sample(1, numbers[1], start + all - texts[1] - line - 0.3 * size),
  ];
}

// Returns the picture of words { source, target } and functions that show weights in it. In a given
// height the words are as large as fits, but no smaller than `least`, and keys do nothing. `most`
// is the number of the widest band, `unit` what it is. act: see Matrix.
export function Bands(words, options) {
  const { width, height = 0, least = 18, act = null, most = 1, unit = null } = options;
  const layout = layoutOf(words, { width, height, least });
  const { font, sides, isFlat } = layout;
  const places = sides.map((side, i) => placesOf(side, i, layout));
  const bands = words.target.flatMap((_, t) =>
    words.source.map((__, s) => ({ t, node: bandOf(places[0][s], places[1][t], isFlat) })),
  );
  const names = sides.map(({ list }, side) =>
    list.map((text, i) => nameOf(text, places[side][i], side, layout)),
  );
  const picture = svg("svg", {
    class: "bands",
    viewBox: `0 0 ${width} ${layout.height}`,
    role: "img",
    "aria-label": "both sentences, joined by bands as wide as the weights",
  });
  picture.append(...axesOf(layout), ...legendOf(layout, most, unit || captions.bandWidth));
  picture.append(...bands.map(({ node }) => node), ...names.flat());
  const pointing = (t) => ({
    pointerenter: () => act.over(t, null),
    pointerleave: () => act.out(),
    click: () => act.pick(t, null),
  });
  if (act) names[1].forEach((name, t) => make(name, { on: pointing(t) }));
  const keep = act && !height ? addKeys(picture, words, act) : () => {};
  let current = [];

  return {
    picture,
    show(weights) {
      current = weights;
      const isSigned = weights.some((weight) => weight < 0);
      bands.forEach(({ node }, i) => {
        const size = Math.abs(weights[i]) / most; // 1: the widest
        make(node, {
          "stroke-width": (size * font * WIDEST).toFixed(2),
          "stroke-opacity": (0.15 + 0.65 * size).toFixed(2),
          visibility: size < 0.0395 ? "hidden" : "visible",
        });
        node.classList.toggle("less", weights[i] < 0);
        node.classList.toggle("more", isSigned && weights[i] > 0);
      });
    },
    highlight(pointedRow, column = null) {
      const row = pointedRow < words.target.length ? pointedRow : null;
      keep(row, column);
      picture.classList.toggle("looking", row !== null);
      for (const { t, node } of bands) node.classList.toggle("seen", t === row);
      names[1].forEach((name, t) => name.classList.toggle("seen", t === row));
      lightUp(names[0], row, current);
    },
  };
}
