// A matrix of attention weights: source words at the top, target words on the left, sums below and
// on the right. Columns run in the direction of the source: from right to left for a right-to-left
// language.

import { captions } from "./captions.js";
import { make, svg } from "./dom.js";
import { addKeys } from "./keyboard.js";
import { label, lightUp, widthOf } from "./labels.js";
import { addLinkKey, addScale, addSums, lineWidth } from "./margins.js";
import { clamp, rowOf } from "./numbers.js";
import { clipped, isRightToLeft, numeral } from "./text.js";

// Columns of fewer em are below upright words: slanted ones would overlap.
export const UPRIGHT = 1.2;

export const NARROW = 640; // pixels of a phone's window
const TALL = 0.7; // of its height that a matrix takes at most

const longest = (list, font) => Math.max(...list.map((text) => widthOf(clipped(text, 18), font)));

// Returns the lines of the scale and, below it, of the key of links.
const linesBelow = (gold) => (gold.length ? 4.1 : 2.6);

// Returns the sizes of a matrix in a narrow window, as `large` takes them: letters as large as fit
// `width` and `height` pixels, up to `most`. Of `many` side by side only the first has its words.
export function sizesIn({ source, target }, { width, height, most, many = 1, gold = [] }) {
  const cellOf = (font) =>
    Math.floor(
      Math.min(
        (width - longest(target, font) - 22 - 1.5 * font - (many - 1) * 18) /
          (many * source.length),
        (height - longest(source, font) - 18 - (linesBelow(gold) + 2.3) * font) / target.length,
        2 * most,
      ),
    );
  let font = Math.round(most);
  while (font > 8 && cellOf(font) < font) font--;
  return { cell: Math.max(cellOf(font), 4), font, isKeyed: true, isNarrow: true, isUpright: true };
}

const inWindow = (words, gold) =>
  innerWidth > NARROW
    ? null
    : sizesIn(words, { width: innerWidth - 28, height: TALL * innerHeight, most: 15, gold });

// Returns the sizes of cells and words. `large` sets those of cells and letters, also of `small`
// ones, in scales and names of axes.
function measure(words, { beside, large }) {
  const columns = words.source.length;
  const isNarrow = beside > 2;
  const widest = isNarrow ? 26 : 40; // whose words are as large as those of wider cells
  const cell = large?.cell ?? clamp((isNarrow ? 450 : 620) / columns, 16, widest);
  const font = large?.font ?? Math.min(18, cell * 0.72);
  const small = large ? (large.small ?? font) : font * 0.95;
  const source = longest(words.source, font);
  const target = large?.bare ? 0 : longest(words.target, font);
  return { columns, cell, font, small, source, target };
}

// Returns the places of all parts, in the units of the picture.
function layoutOf(words, options) {
  const { large, sums, gold = [] } = options;
  const { columns, cell, font, small, source, target } = measure(words, options);
  const rows = words.target.length;
  const isBack = isRightToLeft(words.source);
  const isSlanted = source > cell - 4;
  const slope = source * Math.SQRT1_2;
  const isUpright = isSlanted && (cell < UPRIGHT * font || Boolean(large?.isUpright));
  const high = isUpright ? 1 : large ? 0.87 : Math.SQRT1_2; // of slanted words, by their length
  const rise = isSlanted ? high * source + font * 0.8 : font;
  const isKeyed = !large || large.isKeyed;
  const axis = isKeyed ? 1.5 * small : 0;
  const top = rise + 10 + axis;
  const left = large?.bare ? 0 : target + 14 + axis;
  const isLine = Boolean(large) && !large.isNarrow;
  const below = isKeyed ? (isLine ? 1.5 : linesBelow(gold)) * small : 8;
  const overhang = isSlanted ? slope + font - cell / 2 : 8;
  const margin = Math.max(3.2 * font, widthOf(captions.entropy, small)) + 12;
  const right = large ? 8 : Math.max(sums ? margin : 8, overhang);
  const keyLeft = large ? 0 : left;
  const name = widthOf(options.scale || options.unit || captions.weight, small);
  const sum = sums ? widthOf(captions.coverage, small) : 0;
  const line = isLine ? lineWidth(small, gold) : keyLeft + Math.max(11 * small + name, sum);
  const width = Math.max(left + columns * cell + right, isKeyed && !large?.bare ? line : 0);
  // The scale stands right of the words below the matrix where both fit.
  const isInline = sums && width - left > sum + 16 * small;
  const coverage = (sums ? 2.3 * font : 8) + (sums && !isInline ? 1.5 * font : 0);
  const height = top + rows * cell + coverage + below;
  return {
    columns,
    rows,
    cell,
    font,
    small,
    top,
    left,
    width,
    height,
    isBack,
    isSlanted,
    isInline,
    isLine, // scale and key are one line
    keyLeft,
    scaleY: height - below + 0.3 * small,
    slant: isUpright ? -90 : large ? -60 : -45,
    box: { x: left, y: top, width: columns * cell, height: rows * cell },
    toX: (s) => left + (isBack ? columns - 1 - s : s) * cell,
    toY: (t) => top + t * cell,
  };
}

// Returns the width of the picture on the page. Two stand side by side where that shrinks them by
// at most a quarter; one is never much higher than the window.
function roomOf({ width, height, font }, beside) {
  const natural = width / 17;
  const least = (font < 16 ? 0.85 : 0.72) * natural; // of many words, which are small
  return beside > 1
    ? `min(${natural}rem, max(50cqw - 0.6rem, ${0.75 * natural}rem))`
    : `min(${natural}rem, max(${(width / height) * 62}vh, ${least}rem))`;
}

function axesOf({ left, top, columns, rows, cell, small }) {
  const text = { class: "axis", "text-anchor": "middle", "font-size": small };
  const turn = `translate(${small} ${top + (rows * cell) / 2}) rotate(-90)`;
  return [
    svg("text", { ...text, x: left + (columns * cell) / 2, y: small }, captions.axes[0]),
    svg("text", { ...text, transform: turn }, captions.axes[1]),
  ];
}

function columnName(text, s, { toX, top, cell, font, isSlanted, slant }) {
  const x = toX(s) + cell / 2;
  const y = top - 8;
  if (!isSlanted) return label(text, { class: "word", x, y });
  const start = x + font * (slant === -90 ? 0.35 : 0.2);
  const transform = `rotate(${slant} ${start} ${y})`;
  return label(text, { class: "word", x: start, y, anchor: "start", transform });
}

// Draws a row: its word, unless the matrix is bare, and its cells.
function drawRow(text, t, { columns, toX, toY, left, cell, font }, isBare) {
  const y = toY(t);
  const place = { x: left - 8, y: y + cell / 2 + font * 0.35, anchor: "end" };
  const cells = Array.from({ length: columns }, (_, s) =>
    svg("rect", { class: "cell", x: toX(s), y, width: cell, height: cell }),
  );
  const group = svg(
    "g",
    { class: "row" },
    isBare ? null : label(text, { class: "word", ...place }),
  );
  group.append(...cells);
  return { group, cells };
}

// Returns the text of a row without weights: hard attention may choose no word.
function emptyRow(t, { left, top, columns, cell, font, small }) {
  const place = { x: left + (columns * cell) / 2, y: top + (t + 0.65) * cell };
  const text = { class: "small", "text-anchor": "middle", "font-size": small || font };
  return svg("text", { ...text, ...place, visibility: "hidden" }, captions.none);
}

function goldFrame([s, t, isPossible], { toX, toY, cell }) {
  const place = { x: toX(s) + 2, y: toY(t) + 2, width: cell - 4, height: cell - 4 };
  return svg("rect", { class: isPossible ? "gold possible" : "gold", ...place });
}

// Returns the weight of a cell as a number.
function valueOf(weight, most, t, s, { toX, top, cell }) {
  const text = Math.abs(weight) < 0.005 ? "" : numeral(weight.toFixed(2).replace("0.", "."));
  const place = { x: toX(s) + cell / 2, y: top + (t + 0.62) * cell };
  return svg(
    "text",
    { class: Math.abs(weight) > most / 2 ? "value light" : "value", ...place },
    text,
  );
}

// Returns the rectangle over a row that catches the pointer and tells `act` the cell below it.
function catcherOf(t, picture, { left, toY, columns, cell, isBack }, act) {
  const columnOf = ({ clientX, clientY }) => {
    const toPicture = picture.getScreenCTM().inverse();
    const { x } = new DOMPoint(clientX, clientY).matrixTransform(toPicture);
    const place = Math.floor((x - left) / cell);
    return place < 0 || place >= columns ? null : isBack ? columns - 1 - place : place;
  };
  const on = {
    pointermove: (event) => act.over(t, columnOf(event)),
    pointerleave: () => {
      if (!picture.matches(":focus-visible")) act.out(); // keys hold it
    },
    click: (event) => act.pick(t, columnOf(event)),
  };
  const place = { x: 0, y: toY(t), width: left + columns * cell, height: cell };
  return svg("rect", { class: "catch", "aria-hidden": "true", ...place, on });
}

const setVisible = (node, isVisible) =>
  node.setAttribute("visibility", isVisible ? "visible" : "hidden");

// Draws everything but sums and scale; returns the picture and the parts that depend on weights.
function drawParts(words, options, layout) {
  const { box, cell, font } = layout;
  const { large, gold = [] } = options;
  const picture = svg("svg", {
    class: "matrix",
    viewBox: `0 0 ${layout.width} ${layout.height}`,
    role: "img",
    "aria-label": `attention weights: columns ${captions.axes[0]}, rows ${captions.axes[1]}`,
    "font-size": font,
  });
  const heads = words.source.map((text, s) => columnName(text, s, layout));
  const rows = words.target.map((text, t) => drawRow(text, t, layout, large?.bare));
  const groups = rows.map(({ group }) => group);
  const isFine = cell < 32 && options.beside > 1; // below 5 points on paper
  const values = svg("g", {
    class: isFine ? "fine" : "",
    "text-anchor": "middle",
    "font-size": cell * (large ? 0.45 : 0.38),
  });
  const empty = words.target.map((_, t) => emptyRow(t, layout));
  const golds = gold.map((link) => goldFrame(link, layout));
  const size = { height: cell, visibility: "hidden" };
  const cursor = svg("rect", { class: "cursor", x: box.x - 1.5, width: box.width + 3, ...size });
  const spot = svg("rect", { ...size, class: "spot", width: cell - 2, height: cell - 2 });
  picture.append(svg("rect", { class: "field", ...box }));
  if (!large || (large.isKeyed && !large.bare)) picture.append(...axesOf(layout));
  picture.append(...heads, ...groups, svg("rect", { class: "frame", ...box }));
  picture.append(values, ...empty, ...golds, cursor, spot);
  const cells = rows.flatMap((row) => row.cells);
  return { picture, heads, groups, cells, values, empty, golds, cursor, spot };
}

// The picture of words { source, target }, and what shows weights in it. Options:
//   beside   panels side by side
//   gold     [[s, t, possible]], which are framed
//   signed   numbers have both signs
//   scale    the name of its scale, where the numbers are not weights
//   unit     of numbers that are not weights: the darkest cell is the largest
//   sums     with bars of sums and entropies
//   act      { over(t, s), out(), pick(t, s), leave() }: what the pointer and the keys do
//   hasKeys  whether it takes keys: only without `large`, unless told
//   large    { cell, font, isKeyed, isNarrow, isUpright, bare }: a matrix of these sizes without
//            sums; only if isKeyed with names of axes, scale and key; a bare one without these and
//            target words. In a narrow window it is as large as fits.
export function Matrix(words, given) {
  const { act, gold = [], signed, unit, hasKeys = !given.large } = given;
  const large = given.large ?? inWindow(words, gold);
  const options = { ...given, large, sums: given.sums && !large };
  const layout = layoutOf(words, options);
  const { rows, columns, cell } = layout;
  const parts = drawParts(words, options, layout);
  const { picture } = parts;
  const room = large?.isUpright ? `${layout.width}px` : roomOf(layout, options.beside);
  const shown = { weights: [], most: 1 }; // most: what the darkest cell stands for
  picture.style.width = room;
  const showSums = options.sums ? addSums(picture, layout) : () => {};
  const isKeyed = !large || (large.isKeyed && !large.bare);
  const showMost = isKeyed ? addScale(picture, layout, signed, options.scale ?? unit) : () => {};
  if (gold.length && isKeyed) addLinkKey(picture, layout, gold);
  if (act) picture.append(...words.target.map((_, t) => catcherOf(t, picture, layout, act)));
  const keep = act && hasKeys ? addKeys(picture, words, act) : () => {};
  const weightsAt = (t) => rowOf(shown.weights, t, columns);

  return {
    picture,
    room,
    // Shows weights from 0 to 1, or differences from -1 to 1. Weights that are not normalized are
    // shown relative to the largest one.
    show(weights) {
      const least = unit ? 1e-9 : 1;
      const largest = weights.reduce((high, weight) => Math.max(high, Math.abs(weight)), least);
      Object.assign(shown, { weights, most: largest > 1.005 || unit ? largest : 1 });
      showMost(shown.most);
      weights.forEach((weight, i) => {
        const kind = weight < 0 ? "cell less" : signed ? "cell more" : "cell";
        const opacity = (Math.abs(weight) / shown.most).toFixed(3);
        make(parts.cells[i], { "fill-opacity": opacity, class: kind });
      });
      const isEmpty = (t) => weightsAt(t).every((weight) => Math.abs(weight) < 0.0005);
      parts.empty.forEach((text, t) => setVisible(text, !signed && !unit && isEmpty(t)));
      showSums(weights);
    },
    // Highlights a row and one of its cells. Large cells show their weights as numbers.
    highlight(pointedRow, pointedColumn = null) {
      const row = pointedRow < rows ? pointedRow : null;
      const column = pointedColumn < columns ? pointedColumn : null;
      const lit = row === null || cell < (large ? 30 : 24) ? [] : Array.from(weightsAt(row));
      keep(row, column);
      picture.classList.toggle("looking", row !== null);
      parts.values.replaceChildren(...lit.map((x, s) => valueOf(x, shown.most, row, s, layout)));
      parts.groups.forEach((group, t) => group.classList.toggle("seen", t === row));
      lightUp(parts.heads, row, shown.weights);
      make(parts.cursor, { y: layout.toY(row ?? 0) });
      make(parts.spot, { x: layout.toX(column ?? 0) + 1, y: layout.toY(row ?? 0) + 1 });
      setVisible(parts.cursor, row !== null);
      setVisible(parts.spot, row !== null && column !== null);
    },
    showGold(isShown) {
      for (const mark of parts.golds) setVisible(mark, isShown);
    },
  };
}
