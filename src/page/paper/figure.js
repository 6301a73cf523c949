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

// Words below bars, so that a long one has room.
const bars = ({ x, most = largest(x) }, labels) => {
  const width = labels ? 62 : Math.max(14, Math.min(40, 560 / x.length));
  const signed = x.some((each) => each < 0);
  const svg = element("svg", { viewBox: `0 0 ${x.length * width} 120`, class: "bars" });
  x.forEach((each, i) => {
    const height = (Math.abs(each) / most) * (signed ? 38 : 76);
    const zero = signed ? 54 : 92;
    svg.append(
      element("rect", {
        x: i * width + 2,
        y: each < 0 ? zero : zero - height,
        width: width - 4,
        height,
        class: each < 0 ? "negative" : "positive",
      }),
    );
    if (width >= 30)
      svg.append(
        element(
          "text",
          { x: (i + 0.5) * width, y: each < 0 ? zero - 4 : zero - height - 3 },
          short(each),
        ),
      );
    if (labels) svg.append(element("text", { x: (i + 0.5) * width, y: 112 }, labels[i]));
  });
  svg.style.maxWidth = `${x.length * width * 1.1}px`;
  return svg;
};

const cells = ({ rows, cols, x, most = largest(x) }, rowLabels, colLabels) => {
  const size = colLabels ? 30 : Math.max(8, Math.min(22, 480 / cols));
  const high = rowLabels ? 17 : Math.max(6, Math.min(16, 220 / rows));
  const left = rowLabels ? 84 : 0;
  const top = colLabels ? 62 : 0;
  const svg = element("svg", {
    viewBox: `0 0 ${left + cols * size + (colLabels ? 40 : 0)} ${top + rows * high}`,
  });
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
        class: value < 0 ? "negative" : "positive",
        "fill-opacity": (Math.abs(value) / most).toFixed(3),
      });
      cell.append(element("title", {}, String(value)));
      svg.append(cell);
    }
  }
  colLabels?.forEach((label, j) => {
    const at = `${left + (j + 0.5) * size} ${top - 6}`;
    svg.append(element("text", { transform: `translate(${at}) rotate(-45)`, class: "col" }, label));
  });
  svg.style.maxWidth = `${(left + cols * size + 40) * 1.15}px`;
  return svg;
};

export const figureOf = (title, numbers, rowLabels, colLabels) => {
  const svg = numbers.rows === 1 ? bars(numbers, colLabels) : cells(numbers, rowLabels, colLabels);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", title);
  return svg;
};

export const rangeOf = ({ x }) => `${short(Math.min(...x))} to ${short(Math.max(...x))}`;
