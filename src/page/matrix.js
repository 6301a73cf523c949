// A matrix: source words at the top, target words on the left, sums below and on the right. Columns follow
// the reading direction of the source: those of a right-to-left source run from right to left.

// The words inside of the pictures and of what screen readers say of them; a page in other languages has texts of its own.
const english = {
  axes: {
    cross: ["source", "target"],
    numbers: ["key", "query"],
    encoder: ["source, attended to", "source"],
    decoder: ["target so far, attended to", "target so far"],
    prefix: ["source, then target so far", "target"],
  }[page.site ?? "cross"],
  coverage: "coverage: sum of weights",
  entropy: "entropy",
  weight: "weight",
  difference: "difference",
  none: "no word",
  inChart: (x, y) => `${y} over ${x}; arrow keys move the cursor`,
};
const inPictures = () => page.inPictures?.() ?? english;

const ruler = document.createElement("canvas").getContext("2d");
ruler.font = `700 100px ${getComputedStyle(document.documentElement).fontFamily}`;

// The width that the browser gives a text of this size, in bold, which is wider.
const widthOf = (text, size) => (ruler.measureText(text).width * size) / 100;

// A word in a picture. In SVG the start of a right-to-left text is on the right.
function label(text, { anchor = "middle", most = 18, ...place }) {
  const back = isRightToLeft([text]);
  return svg("text", { ...place, "text-anchor": back ? { start: "end", end: "start" }[anchor] ?? anchor : anchor, direction: back && "rtl" },
    svg("title", {}, visible(text)), clipped(text, most));
}

// words: { source, target }, options: { beside: panels side by side, gold: [[s, t, possible]],
// signed: these are differences, sums, act: { over(t, s), out(), pick(t, s), leave() }, large: { cell, font, bare } is the
// bare matrix in these sizes, with its words, or without those of the rows, and without keys }
function Matrix(words, options) {
  const columns = words.source.length, rows = words.target.length, back = isRightToLeft(words.source);
  const many = options.beside > 2, { axes, coverage } = inPictures();
  const { large } = options, tilt = large ? 60 : 45;
  const cell = large?.cell ?? Math.min(Math.max((many ? 450 : 620) / columns, 16), many ? 30 : 46), font = large?.font ?? Math.min(18, cell * 0.72), small = large ? 0 : font * 0.85;
  const longest = (list) => Math.max(...list.map((text) => widthOf(clipped(text, 18), font)));
  const slanted = longest(words.source) > cell - 4, slope = longest(words.source) * Math.SQRT1_2;
  const left = large?.bare ? 0 : longest(words.target) + 14 + 1.5 * small;
  const top = (slanted ? (large ? 0.87 * longest(words.source) : slope) + font * 0.8 : font) + 10 + 1.5 * small;
  const beside = options.sums ? 3.6 * font : 0;
  const right = large ? 8 : Math.max(beside + 8, slanted ? slope + font - cell / 2 : 8);
  const width = Math.max(left + columns * cell + right, left + 15 * small);
  // The scale stands right of the words below the matrix where both fit.
  const inline = options.sums && width - left > widthOf(coverage, font * 0.72) + 16 * small;
  const below = large ? 8 : (options.sums ? 1.8 * font : 8) + (options.sums && !inline ? 1.2 * font : 0) + 2.4 * small;
  const size = { width, height: top + rows * cell + below };
  const toX = (s) => left + (back ? columns - 1 - s : s) * cell;

  const picture = svg("svg", { class: "matrix", viewBox: `0 0 ${size.width} ${size.height}`, role: "img",
    "aria-label": `attention weights: columns ${axes[0]}, rows ${axes[1]}`, "font-size": font });
  // Two are side by side wherever that shrinks them by a quarter at most; one is never much higher than the window.
  const natural = size.width / 17, tall = `max(${(size.width / size.height) * 62}vh, ${0.72 * natural}rem)`;
  const room = options.beside > 1 ? `min(${natural}rem, max(50cqw - 0.6rem, ${0.75 * natural}rem))` : `min(${natural}rem, ${tall})`;
  picture.style.width = room;
  picture.append(svg("rect", { class: "field", x: left, y: top, width: columns * cell, height: rows * cell }));
  if (!large) picture.append(svg("text", { class: "axis", x: left + (columns * cell) / 2, y: small, "text-anchor": "middle", "font-size": small }, axes[0]),
    svg("text", { class: "axis", "text-anchor": "middle", "font-size": small, transform: `translate(${small} ${top + (rows * cell) / 2}) rotate(-90)` }, axes[1]));
  const heads = words.source.map((text, s) => {
    const x = toX(s) + cell / 2, y = top - 8, at = slanted ? { x: x + font * 0.2, y, anchor: "start", transform: `rotate(${-tilt} ${x + font * 0.2} ${y})` } : { x, y };
    return label(text, { class: "word", ...at });
  });
  picture.append(...heads);

  const cells = [], groups = [], cursor = svg("rect", { class: "cursor", x: left - 1.5, width: columns * cell + 3, height: cell, visibility: "hidden" });
  const spot = svg("rect", { class: "spot", width: cell - 2, height: cell - 2, visibility: "hidden" });
  let current = [], most = 1; // what the darkest cell stands for
  words.target.forEach((text, t) => {
    const group = svg("g", { class: "row" });
    const y = top + t * cell;
    if (!large?.bare) group.append(label(text, { class: "word", x: left - 8, y: y + cell / 2 + font * 0.35, anchor: "end" }));
    for (let s = 0; s < columns; s++) {
      const box = svg("rect", { class: "cell", x: toX(s), y, width: cell, height: cell });
      cells.push(box);
      group.append(box);
    }
    groups.push(group);
    picture.append(group);
  });
  picture.append(svg("rect", { class: "frame", x: left, y: top, width: columns * cell, height: rows * cell }));
  const values = svg("g", { "text-anchor": "middle", "font-size": cell * 0.38 });
  const valueOf = (weight, t, s) => svg("text", { class: Math.abs(weight) > most / 2 ? "value light" : "value",
    x: toX(s) + cell / 2, y: top + (t + 0.62) * cell }, Math.abs(weight) < 0.005 ? "" : numeral(weight.toFixed(2).replace("0.", ".")));
  // Attention that chooses words one by one may choose none.
  const empty = words.target.map((_, t) => svg("text", { class: "small", x: left + (columns * cell) / 2, y: top + (t + 0.65) * cell,
    "text-anchor": "middle", "font-size": small || font, visibility: "hidden" }, inPictures().none));
  picture.append(values, ...empty);
  const golds = (options.gold ?? []).map(([s, t, possible]) => svg("rect", { class: possible ? "gold possible" : "gold",
    x: toX(s) + 2, y: top + t * cell + 2, width: cell - 4, height: cell - 4 }));
  picture.append(...golds, cursor, spot);
  const sums = options.sums ? addSums(picture, { left, top, cell, rows, columns, font, toX }) : null;
  const showMost = large ? () => {} : addScale(picture, { x: inline ? width - 14.5 * small : left + 0.5 * small, y: size.height - 2.1 * small, small, signed: options.signed });
  if (options.act) {
    const columnOf = (event) => {
      const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse()), place = Math.floor((x - left) / cell);
      return place < 0 || place >= columns ? null : back ? columns - 1 - place : place;
    };
    const catcher = (t) => svg("rect", { class: "catch", "aria-hidden": "true", x: 0, y: top + t * cell, width: left + columns * cell, height: cell, on: {
      pointermove: (event) => options.act.over(t, columnOf(event)),
      pointerleave: () => { if (!picture.matches(":focus-visible")) options.act.out(); }, // keys hold it
      click: (event) => options.act.pick(t, columnOf(event)),
    } });
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
        cells[i].setAttribute("class", weight < 0 ? "cell less" : options.signed ? "cell more" : "cell");
      });
      empty.forEach((text, t) => text.setAttribute("visibility",
        !options.signed && weights.subarray(t * columns, (t + 1) * columns).every((weight) => Math.abs(weight) < 0.0005) ? "visible" : "hidden"));
      sums?.(weights);
    },
    // The highlighted row, with its weights as numbers if the cells are large enough, and one of its cells.
    highlight(pointedRow, pointedColumn = null) {
      const row = pointedRow < rows ? pointedRow : null, column = pointedColumn < columns ? pointedColumn : null;
      keep(row, column);
      picture.classList.toggle("looking", row !== null);
      values.replaceChildren(...(row === null || cell < 24 ? [] : Array.from({ length: columns }, (_, s) => valueOf(current[row * columns + s], row, s))));
      groups.forEach((group, t) => group.classList.toggle("seen", t === row));
      lightUp(heads, row, current);
      make(cursor, { y: top + (row ?? 0) * cell, visibility: row === null ? "hidden" : "visible" }, []);
      make(spot, { x: toX(column ?? 0) + 1, y: top + (row ?? 0) * cell + 1, visibility: row === null || column === null ? "hidden" : "visible" }, []);
    },
    showGold(shown) {
      for (const mark of golds) mark.setAttribute("visibility", shown ? "visible" : "hidden");
    },
  };
}

// The color scale; returns what writes its numbers, up to a largest weight.
function addScale(picture, { x, y, small, signed }) {
  const steps = 20, width = 9 * small, height = small * 0.8;
  const colors = Array.from({ length: steps }, (_, i) => {
    const weight = signed ? (2 * i) / (steps - 1) - 1 : i / (steps - 1);
    return svg("rect", { class: weight < 0 ? "shade less" : signed ? "shade more" : "shade", x: x + (i * width) / steps, y,
      width: width / steps + 0.3, height, "fill-opacity": Math.abs(weight).toFixed(3) });
  });
  const shares = [0, 0.5, 1], numbers = shares.map((share) => svg("text", { class: "small scale", x: x + share * width, y: y + height + small * 1.1, "text-anchor": "middle", "font-size": small }));
  picture.append(svg("rect", { class: "field", x, y, width, height }), ...colors, svg("rect", { class: "frame", x, y, width, height }), ...numbers,
    svg("text", { class: "small", x: x + width + small, y: y + height, "font-size": small }, inPictures()[signed ? "difference" : "weight"]));
  return (most) => shares.forEach((share, i) => { numbers[i].textContent = numeral(String(Number((most * (signed ? 2 * share - 1 : share)).toPrecision(2)))); });
}

// Bars: the sum of the weights of each source word, and the entropy of each target word.
function addSums(picture, { left, top, cell, rows, columns, font, toX }) {
  const right = left + columns * cell + 8, bottom = top + rows * cell + 4;
  const across = 3.2 * font, down = 1.5 * font, small = { class: "small", "font-size": font * 0.72 };
  const entropies = Array.from({ length: rows }, (_, t) => svg("rect", { class: "sum", x: right, y: top + t * cell + cell * 0.3, height: cell * 0.4, width: 0 }));
  const covers = Array.from({ length: columns }, (_, s) => svg("rect", { class: "sum", x: toX(s) + cell * 0.3, y: bottom, width: cell * 0.4, height: 0 }));
  picture.append(...entropies, ...covers, svg("text", { ...small, x: right, y: bottom + font * 0.7 }, inPictures().entropy),
    svg("text", { ...small, x: left, y: bottom + down + font * 0.9 }, inPictures().coverage));
  return (weights) => {
    for (let t = 0; t < rows; t++) {
      const share = entropyOf(weights.subarray(t * columns, (t + 1) * columns)) / (Math.log(columns) || 1);
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
function entropyOf(weights) {
  let sum = 0;
  for (const weight of weights) if (weight > 0) sum -= weight * Math.log(weight);
  return sum;
}

// The source words that a row looks at stand out.
function lightUp(labels, row, weights) {
  labels.forEach((label, s) => label.classList.toggle("seen", row !== null && Math.abs(weights[row * labels.length + s]) >= 0.2));
}

// Arrow keys move over the cells of a picture, Enter and space pick one, Escape leaves; returns what is to be told
// which cell is highlighted.
function addKeys(picture, words, act) {
  const cell = [0, 0], side = isRightToLeft(words.source) ? -1 : 1, rows = words.target.length;
  const within = (value, most) => Math.min(Math.max(value, 0), most - 1), pick = () => act.pick(...cell);
  const move = (down, right) => () => act.over(within(cell[0] + down, rows), within(cell[1] + right, words.source.length));
  make(picture, { tabindex: 0, role: "group", on: { focus: () => act.over(...cell), blur: () => act.out() } }, []);
  onKeys(picture, { ArrowUp: move(-1, 0), ArrowDown: move(1, 0), ArrowLeft: move(0, -side), ArrowRight: move(0, side), Home: move(-rows, 0), End: move(rows, 0),
    Enter: pick, " ": pick, Escape: () => act.leave() });
  return (row, column) => Object.assign(cell, [row ?? 0, column ?? 0]);
}

// A picture below its name, as wide as the picture likes to be.
function panelOf({ picture, room = "100%" }, ...above) {
  return html("figure", { style: { width: `max(${room}, 20rem)` } }, ...above, picture);
}

// ---- Bands: the two sentences, each pair of words joined by a band as wide as its weight

// Source words above, target words below; beside each other if the words of a sentence do not fit a line. In a given
// height the words are as large as fits, but no smaller than `least`.
function Bands(words, { width, height = 0, least = 18, act = null }) {
  const columns = words.source.length, deep = Math.max(columns, words.target.length);
  const sides = [words.source, words.target].map((list) => ({ list, back: isRightToLeft(list), sizes: list.map((text) => widthOf(clipped(text, 18), 1) + 0.67) }));
  const lengths = sides.map(({ sizes }) => sizes.reduce((sum, size) => sum + size, 0)), longest = sides.map(({ sizes }) => Math.max(...sizes));
  const flat = Math.max(...lengths) * least <= width;
  const fits = flat ? Math.min(width / Math.max(...lengths), height / 5) : Math.min(height / (1.3 * deep + 0.6), width / (longest[0] + longest[1] + 3));
  const font = height ? Math.min(Math.max(fits, least), 2.4 * least) : least, line = height ? height / (deep + 0.5) : font * 1.6;
  const size = { width, height: height || (flat ? 11.4 * font : line * deep + 1.6 * font) };
  const above = height ? 0 : 1.4 * font; // of the names of both sides
  // The middle of the edge of each word from which bands start.
  const places = sides.map(({ list, back, sizes: own }, side) => {
    const room = width - lengths[side] * font, spread = list.length > 1 && flat ? Math.min(room / (list.length - 1), 3 * font) : 0;
    let at = (room - spread * (list.length - 1)) / 2;
    return list.map((_, i) => {
      if (!flat) return [side ? width - longest[1] * font : longest[0] * font, (i + 0.5) * line + above];
      const x = at + (own[i] * font) / 2;
      at += own[i] * font + spread;
      return [back ? width - x : x, side ? size.height - above - 1.9 * font : above + 1.7 * font];
    });
  });
  const bands = words.target.flatMap((_, t) => words.source.map((__, s) => {
    const [x1, y1] = places[0][s], [x2, y2] = places[1][t], x = (x1 + x2) / 2, y = (y1 + y2) / 2;
    return { t, node: svg("path", { class: "band", d: flat ? `M${x1} ${y1}C${x1} ${y} ${x2} ${y} ${x2} ${y2}` : `M${x1} ${y1}C${x} ${y1} ${x} ${y2} ${x2} ${y2}` }) };
  }));
  const names = sides.map(({ list }, side) => list.map((text, i) => {
    const [x, y] = places[side][i];
    return label(text, { class: "word", "font-size": font, ...(flat ? { x, y: y + (side ? 1.15 : -0.5) * font }
      : { x: x + (side ? font / 3 : -font / 3), y: y + 0.35 * font, anchor: side ? "start" : "end" }) });
  }));
  if (act) names[1].forEach((name, t) => make(name, { on: { pointerenter: () => act.over(t, null), pointerleave: () => act.out(), click: () => act.pick(t, null) } }, []));
  const axis = (side, x, y, anchor) => svg("text", { class: "axis", x, y, "text-anchor": anchor, "font-size": font * 0.78 }, inPictures().axes[side]);
  const picture = svg("svg", { class: "bands", viewBox: `0 0 ${size.width} ${size.height}`, role: "img",
    "aria-label": "both sentences, joined by bands as wide as the weights" },
    ...(height ? [] : [axis(0, 0, font, "start"), flat ? axis(1, 0, size.height - 0.3 * font, "start") : axis(1, width, font, "end")]),
    ...bands.map(({ node }) => node), ...names.flat());
  let current = [];
  const keep = act && !height ? addKeys(picture, words, act) : () => {};
  return {
    picture,
    show(weights) {
      current = weights;
      bands.forEach(({ node }, i) => make(node, { "stroke-width": (weights[i] * font * 0.8).toFixed(2), "stroke-opacity": (0.15 + 0.65 * weights[i]).toFixed(2), visibility: weights[i] < 0.04 ? "hidden" : "visible" }, []));
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

// A small picture of a matrix, a pixel for each weight.
function thumbnail(weights, words) {
  const columns = words.source.length, back = isRightToLeft(words.source);
  const picture = html("canvas", { class: "thumb", width: columns, height: words.target.length, "aria-hidden": "true" }), pen = picture.getContext("2d");
  weights.forEach((weight, at) => {
    pen.fillStyle = `rgb(0 0 0 / ${weight})`;
    pen.fillRect(back ? columns - 1 - (at % columns) : at % columns, Math.floor(at / columns), 1, 1);
  });
  return picture;
}

// Layers and heads in small, of which one is chosen. rows: [{ title, heads: [{ part, name, note, title, weights, isChosen, isDecisive }] }];
// choose(part). The buttons stay where they are as long as their names do.
function drawHeads(host, rows, words, choose) {
  const all = rows.flatMap(({ heads }) => heads), key = JSON.stringify(rows.map(({ title, heads }) => [title, heads.map(({ name }) => name)]));
  host.hidden = all.length < 2;
  if (host.dataset.key !== key)
    host.replaceChildren(...rows.map(({ title, heads }) => html("p", {}, html("span", {}, title), html("span", {}, ...heads.map(({ part }) => html("button", { type: "button", "data-part": part }))))));
  host.dataset.key = key;
  host.querySelectorAll("button").forEach((button, i) => {
    const { name, note, title, weights, isChosen, isDecisive } = all[i];
    make(button, { "aria-pressed": String(isChosen), title: title ?? name, class: isDecisive ? "decisive" : "" }, []);
    button.onclick = () => choose(all[i].part);
    button.replaceChildren(thumbnail(weights, words), html("span", {}, name, ...(note ? [html("br"), note] : [])));
  });
}

// The steps of an attention as a strip of small matrices, each shaded up to its largest number; null is -infinity.
function strip(steps) {
  return steps.map(({ name, formula, head, numbers }) => {
    const rows = numbers.length, columns = numbers[0].length;
    const most = Math.max(...numbers.flat().map((x) => Math.abs(x ?? 0))) || 1;
    const cells = numbers.flatMap((row, i) => row.map((x, j) => svg("rect", { class: x < 0 ? "shade less" : "shade", x: j, y: i, width: 1, height: 1,
      "fill-opacity": (Math.abs(x ?? 0) / most).toFixed(3) }, svg("title", {}, `${i + 1}, ${j + 1}: ${x === null ? "−∞" : fixed(x, 4)}`))));
    const picture = svg("svg", { viewBox: `0 0 ${columns} ${rows}`, role: "img", "aria-label": `${name}: ${rows} × ${columns}` },
      svg("rect", { class: "field", width: columns, height: rows }), ...cells);
    picture.style.width = `${Math.max(1.2 * columns, 1) * Math.min(1, 16 / Math.max(rows, columns))}rem`;
    return html("figure", {}, html("figcaption", { title: formula }, head ? `${name}, ${head}` : name, html("span", {}, `${rows} × ${columns}`)), picture);
  });
}
