
// A matrix: source words at the top, target words on the left, sums below and on the right.

// words: { source, target }, options: { beside: panels side by side, gold: [[s, t, possible]],
// signed: these are differences, sums, act: { over(t), out(), pick(t) } }
function Matrix(words, options) {
  const columns = words.source.length, rows = words.target.length;
  const cell = Math.min(Math.max((options.beside > 2 ? 450 : 720) / columns, 16), options.beside > 2 ? 30 : 44), font = Math.min(17, cell * 0.72), em = font * 0.62;
  const label = (text) => clipped(text, 18);
  const width = (list) => Math.max(...list.map((text) => lengthOf(label(text)))) * em + 8;
  const left = width(words.target), slanted = width(words.source) > cell;
  const top = slanted ? width(words.source) * 0.72 + 10 : font + 12;
  const beside = options.sums ? 3.9 * font : 0, below = options.sums ? 4.2 * font : 6;
  const right = Math.max(beside + 8, slanted ? width(words.source) * 0.72 - cell / 2 : 0);
  const size = { width: left + columns * cell + right, height: top + rows * cell + below };

  const picture = svg("svg", { class: "matrix", viewBox: `0 0 ${size.width} ${size.height}`, role: "img",
    "aria-label": "attention weights", "font-size": font });
  // Two are side by side wherever that shrinks them by a quarter at most.
  const natural = size.width / 17;
  const room = options.beside > 1 ? `min(${natural}rem, max(50cqw - 0.6rem, ${0.75 * natural}rem))` : `${natural}rem`;
  picture.style.width = room;
  picture.append(svg("rect", { class: "field", x: left, y: top, width: columns * cell, height: rows * cell }));
  words.source.forEach((text, s) => {
    const x = left + (s + 0.5) * cell, y = top - 8;
    picture.append(svg("text", slanted ? { x: x + font * 0.2, y, transform: `rotate(-45 ${x + font * 0.2} ${y})` }
      : { x, y, "text-anchor": "middle" }, svg("title", {}, visible(text)), label(text)));
  });

  const cells = [], groups = [];
  let current = [];
  words.target.forEach((text, t) => {
    const group = svg("g", { class: "row" });
    const y = top + t * cell;
    group.append(svg("text", { class: "word", x: left - 8, y: y + cell / 2 + font * 0.35, "text-anchor": "end" },
      svg("title", {}, visible(text)), label(text)));
    for (let s = 0; s < columns; s++) {
      const box = svg("rect", { class: "cell", x: left + s * cell, y, width: cell, height: cell });
      cells.push(box);
      group.append(box);
    }
    groups.push(group);
    picture.append(group);
  });
  picture.append(svg("rect", { class: "frame", x: left, y: top, width: columns * cell, height: rows * cell }));
  const values = svg("g", { "text-anchor": "middle", "font-size": cell * 0.38 });
  const valueOf = (weight, t, s) => svg("text", { class: Math.abs(weight) > 0.6 ? "value light" : "value",
    x: left + (s + 0.5) * cell, y: top + (t + 0.62) * cell }, Math.abs(weight) < 0.005 ? "" : weight.toFixed(2).replace("0.", "."));
  picture.append(values);
  const golds = (options.gold ?? []).map(([s, t, possible]) => svg("rect", { class: possible ? "gold possible" : "gold",
    x: left + s * cell + 2, y: top + t * cell + 2, width: cell - 4, height: cell - 4 }));
  picture.append(...golds);
  const sums = options.sums ? addSums(picture, { left, top, cell, rows, columns, font }) : null;
  if (options.act) words.target.forEach((_, t) => picture.append(svg("rect", { class: "catch", x: 0, y: top + t * cell,
    width: left + columns * cell, height: cell, on: { pointerenter: () => options.act.over(t), pointerleave: () => options.act.out(), click: () => options.act.pick(t) } })));

  return {
    picture,
    // The panel with the picture below the given elements.
    panel(...above) {
      const figure = html("figure", {}, ...above, picture);
      figure.style.width = `max(${room}, 20rem)`;
      return figure;
    },
    // Weights from 0 to 1, or differences from -1 to 1.
    show(weights) {
      current = weights;
      weights.forEach((weight, i) => {
        cells[i].setAttribute("fill-opacity", Math.min(Math.abs(weight), 1).toFixed(3));
        cells[i].setAttribute("class", weight < 0 ? "cell less" : options.signed ? "cell more" : "cell");
      });
      sums?.(weights);
    },
    // The highlighted row, with its weights as numbers if the cells are large enough.
    highlight(row) {
      picture.classList.toggle("looking", row !== null);
      values.replaceChildren(...(row === null || cell < 24 ? [] : Array.from({ length: columns }, (_, s) => valueOf(current[row * columns + s], row, s))));
      groups.forEach((group, t) => group.classList.toggle("seen", t === row));
    },
    showGold(shown) {
      for (const mark of golds) mark.setAttribute("visibility", shown ? "visible" : "hidden");
    },
  };
}

// Bars: the sum of the weights of each source word, and the entropy of each target word.
function addSums(picture, { left, top, cell, rows, columns, font }) {
  const right = left + columns * cell + 8, bottom = top + rows * cell + 6;
  const across = 3.2 * font, down = 2 * font, small = { class: "small", "font-size": font * 0.72 };
  const entropies = Array.from({ length: rows }, (_, t) => svg("rect", { class: "sum", x: right, y: top + t * cell + cell * 0.3, height: cell * 0.4, width: 0 }));
  const covers = Array.from({ length: columns }, (_, s) => svg("rect", { class: "sum", x: left + s * cell + cell * 0.3, y: bottom, width: cell * 0.4, height: 0 }));
  picture.append(...entropies, ...covers, svg("text", { ...small, x: right, y: top - 8 }, "entropy"),
    svg("text", { ...small, x: left, y: bottom + down + font }, "coverage: sum of weights"));
  return (weights) => {
    for (let t = 0; t < rows; t++) {
      const share = entropyOf(weights.subarray(t * columns, (t + 1) * columns)) / (Math.log(columns) || 1);
      entropies[t].setAttribute("width", Math.min(share, 1) * across);
    }
    for (let s = 0; s < columns; s++) {
      let sum = 0;
      for (let t = 0; t < rows; t++) sum += weights[t * columns + s];
      covers[s].setAttribute("height", Math.min(sum / 2, 1) * down);
    }
  };
}

// In nats.
function entropyOf(weights) {
  let sum = 0;
  for (const weight of weights) if (weight > 0) sum -= weight * Math.log(weight);
  return sum;
}

// The source words as a line, highlighted by weights from 0 to 1 or by differences.
function SourceLine(source) {
  const words = source.map((text) => html("span", {}, word(text)));
  return {
    line: html("p", { class: "words source", dir: isRightToLeft(source) ? "rtl" : "ltr" }, ...words),
    show(weights) {
      words.forEach((span, s) => {
        const weight = weights ? weights[s] : 0;
        span.style.setProperty("--weight", Math.abs(weight).toFixed(3));
        span.style.setProperty("--lit", weight < 0 ? "var(--less)" : weights?.signed ? "var(--more)" : "var(--high)");
        span.classList.toggle("full", Math.abs(weight) > 0.6);
      });
    },
  };
}
