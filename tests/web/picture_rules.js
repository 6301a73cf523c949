// The rules that every picture of numbers keeps, in an SVG file or on a page:
//   explained   each color of a cell is on a scale with numbers and a name; each kind of outline
//               and the widths of bands have a key with a text beside it; axes of charts have
//               names and numbers, each line has a name in its color or a key, what is shaded and
//               marked a text, both directions of words as points a name; bars say what their full
//               width is, those at a matrix have numbers at both ends and a name; matrices of both
//               signs have two colors, which a text names
//   size        no text is below 14 pixels
//   overlap     no text covers another one or the cells, or leaves its picture or what clips it
//   scale       at most half of the cells have the last color; a scale of both signs is symmetric;
//               lines fill their chart and stay in it, whose numbers need no exponents; bars are as
//               long as their numbers say
// The program runs in the browser, where its last value is the list of what breaks them.
"use strict";

/* global document, getComputedStyle, innerWidth, DOMPoint */

const LEAST = 14;
const found = [];
const say = (rule, what) => found.push(`${rule}: ${what}`);
const isSeen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const all = (node, selector) => [...node.querySelectorAll(selector)].filter(isSeen);

// ---- Shapes

// The corners of a box of an SVG element on the screen.
const cornersOf = (node, { x, y, width, height }) => {
  const matrix = node.getScreenCTM();
  const corner = (u, v) => new DOMPoint(u, v).matrixTransform(matrix);
  return [corner(x, y), corner(x + width, y), corner(x + width, y + height), corner(x, y + height)];
};
const ofRect = ({ left, right, top, bottom }) => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];
// Whether two convex quadrangles overlap by more than a pixel in every direction.
const overlap = (one, other) => {
  const axes = [one, other].flatMap((box) =>
    [0, 1].map((i) => {
      const [dx, dy] = [box[i + 1].x - box[i].x, box[i + 1].y - box[i].y];
      const length = Math.hypot(dx, dy) || 1;
      return [-dy / length, dx / length];
    }),
  );
  return axes.every(([u, v]) => {
    const [a, b] = [one, other].map((box) => box.map(({ x, y }) => x * u + y * v));
    return Math.min(Math.max(...a), Math.max(...b)) - Math.max(Math.min(...a), Math.min(...b)) > 1;
  });
};
const within = (box, frame) =>
  box.every(
    ({ x, y }) =>
      x >= frame.left - 1.5 &&
      x <= frame.right + 1.5 &&
      y >= frame.top - 1.5 &&
      y <= frame.bottom + 1.5,
  );

// ---- Texts: { text, size in pixels, box }

const svgText = (node) => {
  const size = parseFloat(getComputedStyle(node).fontSize);
  const box = node.getBBox(); // from ascent to descent: letters fill the middle
  // Files are as large as their paper: what is on them counts as it stands there.
  const { a, b } =
    document.documentElement.localName === "svg" ? { a: 1, b: 0 } : node.getScreenCTM();
  const letters = {
    ...{ x: box.x, width: box.width },
    y: box.y + box.height * 0.25,
    height: box.height * 0.5,
  };
  const text = [...node.childNodes]
    .filter(({ nodeType }) => nodeType === 3)
    .map(({ data }) => data);
  return {
    node,
    text: text.join(""),
    size: size * Math.hypot(a, b),
    box: cornersOf(node, letters),
  };
};
const htmlTexts = (host) =>
  all(host, "*").flatMap((node) =>
    [...node.childNodes]
      .filter(({ nodeType, data }) => nodeType === 3 && data.trim())
      .map((words) => {
        const range = document.createRange();
        range.selectNode(words);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        const trim = (bottom - top) * 0.2;
        const box = ofRect({ left, right, top: top + trim, bottom: bottom - trim });
        return { node, text: words.data, size: parseFloat(getComputedStyle(node).fontSize), box };
      }),
  );

function checkTexts(texts, frame, name) {
  texts.forEach(({ text, size, box, node }, i) => {
    if (size < LEAST - 0.05) say("size", `${name}: '${text}' has ${size.toFixed(1)} pixels`);
    if (frame && !within(box, frame)) say("overlap", `${name}: '${text}' leaves the picture`);
    for (let at = node.parentElement; at && at !== document.body; at = at.parentElement)
      if (
        getComputedStyle(at).overflow === "hidden" &&
        at.localName !== "svg" &&
        !within(box, at.getBoundingClientRect())
      )
        say("overlap", `${name}: '${text}' is cut off`);
    for (const other of texts.slice(i + 1))
      if (overlap(box, other.box)) say("overlap", `${name}: '${text}' and '${other.text}'`);
  });
}

// ---- Colors

const channels = (color) =>
  color
    .match(/[\d.]+/g)
    .slice(0, 3)
    .map(Number);
const shownColor = (node) => {
  const { fill, fillOpacity } = getComputedStyle(node);
  return channels(fill).map((part) => 255 + (part - 255) * Number(fillOpacity));
};
const apart = (one, other) => Math.max(...one.map((part, k) => Math.abs(part - other[k])));

// The marks of a picture of cells, whether a page's, which have classes, or a file's.
function marksOf(picture) {
  const rects = all(picture, "rect");
  const side = (node) => node.width.baseVal.value;
  if (picture.matches(".matrix"))
    return {
      cells: rects.filter((node) => node.matches(".cell")),
      steps: rects.filter((node) => node.matches(".shade")),
      outlines: rects.filter((node) => node.matches(".gold")),
      keys: rects.filter((node) => node.matches(".outline")),
    };
  const filled = rects.slice(1).filter((node) => node.getAttribute("fill") !== "none");
  const links = rects.filter((node) => !["#808080", null].includes(node.getAttribute("stroke")));
  return {
    cells: filled.filter((node) => side(node) >= 20),
    steps: filled.filter((node) => side(node) === 12),
    outlines: links.filter((node) => side(node) > 12),
    keys: links.filter((node) => side(node) <= 12),
  };
}
const strokeOf = (node) => {
  const { stroke, strokeDasharray } = getComputedStyle(node);
  return `${stroke}${strokeDasharray === "none" ? "" : " dashed"}`;
};
const centerOf = (box) => ({
  x: box.reduce((sum, { x }) => sum + x, 0) / 4,
  y: box.reduce((sum, { y }) => sum + y, 0) / 4,
});
const near = (texts, { left, right, top, bottom }, reach) =>
  texts.filter(({ box }) => {
    const { x, y } = centerOf(box);
    return x > left - reach && x < right + 2 * reach && y > top - reach && y < bottom + reach;
  });
// The text of a key, right of it on the same line.
const textOf = (texts, key) => {
  const { right, top, bottom, height } = key.getBoundingClientRect();
  return texts.find(({ box }) => {
    const { y } = centerOf(box);
    const gap = Math.min(...box.map(({ x }) => x)) - right;
    return y > top && y < bottom && gap > -2 && gap < height + 8;
  });
};
const unionOf = (nodes) => {
  const boxes = nodes.map((node) => node.getBoundingClientRect());
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    right: Math.max(...boxes.map(({ right }) => right)),
    top: Math.min(...boxes.map(({ top }) => top)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
};
const numberOf = (text) => Number(text.replace(/^[≤≥]\s*/, "").replace("−", "-"));

// How far a color is from those between two neighbors on a scale.
function offScale(color, from, to) {
  const along = to.map((part, k) => part - from[k]);
  const length = along.reduce((sum, part) => sum + part * part, 0) || 1;
  const share = along.reduce((sum, part, k) => sum + part * (color[k] - from[k]), 0) / length;
  const nearest = from.map((part, k) => part + Math.min(Math.max(share, 0), 1) * along[k]);
  return apart(nearest, color);
}

function checkScale({ cells, steps, keys }, texts, name) {
  const keyed = keys.map((key) => textOf(texts, key));
  const isFile = name === "file";
  const bar = unionOf(steps);
  const colors = cells.map(shownColor);
  const scale = isFile ? steps.map(shownColor).reverse() : steps.map(shownColor);
  const off = (color) => Math.min(...scale.slice(1).map((to, i) => offScale(color, scale[i], to)));
  const strange = colors.find((color) => off(color) > 4);
  if (strange) say("explained", `${name}: the scale has no color ${strange.map(Math.round)}`);
  const beside = near(texts, bar, 46)
    .filter((text) => !keyed.includes(text))
    .filter(({ box }) => isFile || centerOf(box).y > bar.top);
  const numbers = beside.map(({ text }) => numberOf(text)).filter(Number.isFinite);
  if (numbers.length < 2) say("explained", `${name}: the scale has ${numbers.length} numbers`);
  // The name stands above the scale of a file, and right of that of a page.
  const named = isFile
    ? beside.find(({ text, box }) => isNaN(numberOf(text)) && box.every(({ y }) => y < bar.top))
    : textOf(texts, steps.at(-1));
  if (!named) say("explained", `${name}: the scale has no name`);
  const isWhite = (color) => color.every((part) => part > 225);
  const isSigned = isWhite(scale[scale.length >> 1]) && !isWhite(scale[0]);
  const ends = isSigned ? [scale[0], scale.at(-1)] : [scale.at(-1)];
  const full = colors.filter((color) => ends.some((end) => apart(end, color) < 3)).length;
  if (colors.length > 3 && full > colors.length / 2)
    say("scale", `${name}: ${full} of ${colors.length} cells have the last color`);
  if (isSigned && Math.abs(Math.min(...numbers) + Math.max(...numbers)) > 1e-9)
    say("scale", `${name}: from ${Math.min(...numbers)} to ${Math.max(...numbers)}`);
}

// The bars of one margin of a matrix.
function checkMargin(bars, texts, name) {
  if (!bars.length) return;
  const own = unionOf(bars);
  const beside = near(texts, own, 90).map(({ text }) => numberOf(text));
  const numbers = new Set(beside.filter(Number.isFinite));
  if (numbers.size < 2) say("explained", `${name}: bars have ${numbers.size} numbers`);
  // The name stands on the first line or the second one below the bars.
  const isName = ({ text, size, box }) => {
    const left = Math.min(...box.map(({ x }) => x));
    const below = centerOf(box).y - own.bottom;
    const isBelow = below > 0 && below < 3 * size && left > own.left - 25 && left < own.right + 5;
    return isBelow && isNaN(numberOf(text));
  };
  if (!texts.some(isName)) say("explained", `${name}: bars have no name`);
}

function checkCells(picture, name) {
  const marks = marksOf(picture);
  const { cells, steps, outlines, keys } = marks;
  const texts = all(picture, "text")
    .map(svgText)
    .filter(({ text }) => text.trim());
  const frame = picture.ownerSVGElement ? null : picture.getBoundingClientRect();
  checkTexts(texts, frame, name);
  if (cells.length && steps.length < 10) say("explained", `${name}: no scale of colors`);
  else if (cells.length) checkScale(marks, texts, name);
  const known = new Set(keys.filter((key) => textOf(texts, key)).map(strokeOf));
  for (const style of new Set(outlines.map(strokeOf)))
    if (!known.has(style)) say("explained", `${name}: no key of the outline ${style}`);
  for (const kind of [".sum.entropy", ".sum.coverage"])
    checkMargin(all(picture, kind), texts, `${name}, ${kind.slice(5)}`);
  const boxes = cells.map((cell) => ofRect(cell.getBoundingClientRect()));
  for (const { text, box } of texts.filter(({ text }) => !Number.isFinite(Number(text))))
    if (boxes.some((cell) => overlap(cell, box))) say("overlap", `${name}: '${text}' is on a cell`);
}

function checkBands(picture, name) {
  const texts = all(picture, "text").map(svgText);
  const samples = all(picture, ".sample");
  const bands = all(picture, ".band");
  checkTexts(texts, picture.getBoundingClientRect(), name);
  if (!bands.length) return;
  const width = (node) => parseFloat(getComputedStyle(node).strokeWidth);
  const numbers = samples.filter((sample) =>
    near(texts, sample.getBoundingClientRect(), 40).some(({ text }) =>
      Number.isFinite(numberOf(text)),
    ),
  );
  const isName = ({ text }) => text.trim() && isNaN(numberOf(text));
  const names = texts.filter(({ node }) => node.matches(".axis")).filter(isName);
  if (names.length < 3) say("explained", `${name}: sides and widths have ${names.length} names`);
  if (numbers.length < 2) say("explained", `${name}: no key of the widths of bands`);
  else if (Math.max(...bands.map(width)) > 1.02 * Math.max(...samples.map(width)))
    say("scale", `${name}: a band is wider than the key's widest`);
}

// ---- Charts and bars

const lineStyle = (node) => {
  const { stroke, strokeDasharray } = getComputedStyle(node);
  return `${stroke} ${strokeDasharray}`;
};

function checkLines(picture, name) {
  const names = all(picture, "text.name").map((node) => getComputedStyle(node).fill);
  const marks = [
    ...all(picture.closest(".chart"), ".mark line"),
    ...all(document, "#models .mark line"),
  ].filter((line) => line.closest(".mark").parentElement.textContent.trim());
  const keys = marks.map(lineStyle);
  const lines = all(picture, ".curve");
  for (const line of lines)
    if (
      lines.length > 1 && // the axis names a single one
      !keys.includes(lineStyle(line)) &&
      !names.includes(getComputedStyle(line).stroke)
    )
      say("explained", `${name}: no key of the line ${lineStyle(line)}`);
  const areas = all(picture, ".spread");
  const told = picture.closest("section")?.textContent ?? "";
  if (areas.length && !/shaded/i.test(told))
    say("explained", `${name}: nothing says what is shaded`);
  if (all(picture, ".now line").length && !all(picture, ".now text").length)
    say("explained", `${name}: the line of the moment has no name`);
  return unionOf([...lines, ...areas]);
}

function checkChart(picture, name) {
  const texts = all(picture, "text")
    .map(svgText)
    .filter(({ text }) => text.trim());
  const frame = picture.getBoundingClientRect();
  checkTexts(texts, frame, name);
  const isAxis = ({ node }) => node.matches(".axis") && node.parentElement === picture;
  if (texts.filter(isAxis).length < 2) say("explained", `${name}: an axis has no name`);
  for (const anchor of ["end", "middle"]) {
    const own = ({ node }) => node.getAttribute("text-anchor") === anchor && !node.matches(".axis");
    if (texts.filter(own).length < 2) say("explained", `${name}: an axis has no numbers`);
  }
  if (texts.some(({ text }) => /^-?[\d.]+e/.test(text)))
    say("scale", `${name}: numbers with exponents`);
  if (!all(picture, ".curve").length) return;
  const lines = checkLines(picture, name);
  const grid = unionOf(all(picture, ".grid"));
  const isInside =
    lines.left > grid.left - 4 && lines.right < grid.right + 4 && lines.bottom < grid.bottom + 4;
  if (!isInside || lines.top < frame.top) say("scale", `${name}: a line leaves its chart`);
  if (lines.top - frame.top > 0.3 * frame.height) say("scale", `${name}: its lines are low`);
}

function checkPoints(picture, name) {
  const texts = all(picture, "text").map(svgText);
  checkTexts(texts, picture.getBoundingClientRect(), name);
  if (texts.filter(({ node }) => node.matches(".axis")).length < 2)
    say("explained", `${name}: a direction has no name`);
  const points = all(picture, ".point").map((node) => ofRect(node.getBoundingClientRect()));
  for (const { text, box } of texts)
    if (points.some((point) => overlap(point, box)))
      say("overlap", `${name}: '${text}' is on a point`);
}

function checkStrip(host) {
  const signed = all(host, "svg").filter((picture) => all(picture, ".less").length);
  if (signed.some((picture) => all(picture, ".shade:not(.less, .more)").length))
    say("explained", "strip: one color for both signs");
  if (signed.length && !/purple/.test(host.parentElement.textContent))
    say("explained", "strip: nothing says what colors mean");
}

function checkBars(host, name) {
  checkTexts(htmlTexts(host), null, name);
  const rows = [...host.querySelectorAll(".track")].map((track) => ({
    share: track.querySelector("i").getBoundingClientRect().width / track.clientWidth,
    value: numberOf(track.parentElement.querySelector(".figure").textContent),
  }));
  const full = numberOf(host.querySelector("p")?.textContent.replace(/.*: /, "") ?? "none");
  if (!Number.isFinite(full)) say("explained", `${name}: nothing says what the full width is`);
  else if (rows.some(({ share, value }) => Math.abs(share - value / full) > 0.02))
    say("scale", `${name}: a bar is not as long as its number says`);
  if (host.querySelector(".track b") && !all(document, "#bars-key .tick").length)
    say("explained", `${name}: no key of the ticks`);
}

function checkCards(host) {
  checkTexts(htmlTexts(host), null, "cards");
  const isSquare = (one) =>
    Math.abs(one.clientWidth / one.width - one.clientHeight / one.height) < 0.1;
  if (!all(host, "canvas").every(isSquare)) say("scale", "cards: cells are not square");
  if (!all(host, ".above").length || !all(host, ".beside").length)
    say("explained", "cards: a side has no words");
  if (!all(document, "#history .key").some(({ textContent }) => /black/.test(textContent)))
    say("explained", "cards: nothing says what is black");
}

// ---- The document

function checkPage() {
  all(document, ".matrix").forEach((picture, i) => checkCells(picture, `matrix ${i + 1}`));
  all(document, ".bands").forEach((picture, i) => checkBands(picture, `bands ${i + 1}`));
  all(document, "#scatter svg").forEach((picture, i) => checkPoints(picture, `points ${i + 1}`));
  all(document, ".strip").forEach(checkStrip);
  all(document, ".chart:not(#scatter *) > svg").forEach((picture, i) =>
    checkChart(picture, `chart ${i + 1}`),
  );
  all(document, ".bars:has(.track)").forEach((host, i) => checkBars(host, `bars ${i + 1}`));
  all(document, "#eras").forEach(checkCards);
  const [heads] = all(document, "#thumbs");
  if (heads) {
    checkTexts(htmlTexts(heads), null, "heads");
    const note = document.querySelector("#thumbs-note, #heads-note");
    if (heads.querySelector(".thumb") && !/black|largest/.test(note.textContent))
      say("explained", "heads: nothing says what is black");
  }
  if (document.documentElement.scrollWidth > innerWidth)
    say("overlap", "the page is wider than the window");
}

if (document.documentElement.localName === "svg") checkCells(document.documentElement, "file");
else checkPage();
[...new Set(found)]; // the value of this program
