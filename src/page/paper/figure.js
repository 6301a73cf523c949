// Numbers as a picture: bars for a vector, cells for a matrix.
const NAMESPACE = "http://www.w3.org/2000/svg";
const element = (name, attributes, text) => {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

const short = (x) => (Math.abs(x) >= 0.995 || x === 0 ? x.toFixed(1) : x.toFixed(2));
const largest = (x) => x.reduce((most, each) => Math.max(most, Math.abs(each)), 1e-9);

// Returns a picture of this size in pixels: its letters have the size that the style gives them.
const pictureOf = (width, height, name = "") =>
  element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: name });

const slanted = (text, x, y, degrees) =>
  element("text", { transform: `translate(${x} ${y}) rotate(${degrees})`, class: "col" }, text);

// Bars with slanted words below.
const bars = ({ x, most = largest(x) }, labels) => {
  const width = labels ? 36 : Math.max(9, Math.min(40, 420 / x.length));
  const signed = x.some((each) => each < 0);
  const below = labels ? 62 : 8;
  const svg = pictureOf(x.length * width + (labels ? 44 : 0), 100 + below, "bars");
  x.forEach((each, i) => {
    const height = (Math.abs(each) / most) * (signed ? 38 : 76);
    const zero = signed ? 56 : 96;
    svg.append(
      element("rect", {
        x: i * width + 2,
        y: each < 0 ? zero : zero - height,
        width: width - 3,
        height,
        class: each < 0 ? "bar less" : "bar",
      }),
    );
    const middle = (i + 0.5) * width;
    if (width >= 36)
      svg.append(
        element("text", { x: middle, y: each < 0 ? zero - 4 : zero - height - 4 }, short(each)),
      );
    if (labels) svg.append(slanted(labels[i], middle - 4, 114, 45));
  });
  return svg;
};

const cells = ({ rows, cols, x, most = largest(x) }, rowLabels, colLabels) => {
  const size = colLabels ? 24 : Math.max(6, Math.min(22, 400 / cols));
  const high = rowLabels ? 17 : Math.max(6, Math.min(16, 200 / rows));
  const left = rowLabels ? 84 : 0;
  const top = colLabels ? 50 : 0;
  const signed = x.some((each) => each < 0);
  const svg = pictureOf(left + cols * size + (colLabels ? 36 : 0), top + rows * high + 4);
  const field = { x: left - 1, y: top - 1, width: cols * size + 1, height: rows * high + 1 };
  svg.append(element("rect", { ...field, class: "field" }));
  for (let i = 0; i < rows; i++) {
    if (rowLabels)
      svg.append(
        element("text", { x: left - 6, y: top + (i + 0.75) * high, class: "row" }, rowLabels[i]),
      );
    for (let j = 0; j < cols; j++) {
      const value = x[i * cols + j];
      const cell = element("rect", {
        x: left + j * size,
        y: top + i * high,
        width: size - 1,
        height: high - 1,
        class: value < 0 ? "cell less" : signed ? "cell more" : "cell",
        "fill-opacity": (Math.abs(value) / most).toFixed(3),
      });
      cell.append(element("title", {}, String(value)));
      svg.append(cell);
    }
  }
  colLabels?.forEach((label, j) =>
    svg.append(slanted(label, left + (j + 0.5) * size, top - 6, -45)),
  );
  return svg;
};

export const figureOf = (title, numbers, rowLabels, colLabels) => {
  const svg = numbers.rows === 1 ? bars(numbers, colLabels) : cells(numbers, rowLabels, colLabels);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", title);
  return svg;
};

// Says what the numbers of a figure range over, and what its colors stand for.
export const rangeOf = ({ rows, x, most = largest(x) }) => {
  const least = Math.min(...x);
  const signs = least < 0 ? "; green: below 0" : "";
  const full = rows > 1 ? `; darkest: ${short(most)}` : "";
  return `${short(least)} to ${short(Math.max(...x))}${signs}${full}`;
};
