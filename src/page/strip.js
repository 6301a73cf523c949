// The steps of an attention as a strip of small matrices.

import { html, svg } from "./dom.js";
import { fixed } from "./text.js";

// Returns a figure per step, shaded up to its largest number, those of both signs in two colors;
// null is -infinity.
export function strip(steps) {
  return steps.map(({ name, formula, head, numbers }) => {
    const rows = numbers.length;
    const columns = numbers[0].length;
    const isSigned = numbers.flat().some((x) => x < 0);
    const most = Math.max(...numbers.flat().map((x) => Math.abs(x ?? 0))) || 1;
    const cells = numbers.flatMap((row, i) =>
      row.map((x, j) =>
        svg(
          "rect",
          {
            class: x < 0 ? "shade less" : isSigned ? "shade more" : "shade",
            x: j,
            y: i,
            width: 1,
            height: 1,
            "fill-opacity": (Math.abs(x ?? 0) / most).toFixed(3),
          },
          svg("title", {}, `${i + 1}, ${j + 1}: ${x === null ? "−∞" : fixed(x, 4)}`),
        ),
      ),
    );
    const picture = svg(
      "svg",
      {
        viewBox: `0 0 ${columns} ${rows}`,
        role: "img",
        "aria-label": `${name}: ${rows} × ${columns}`,
      },
      svg("rect", { class: "field", width: columns, height: rows }),
      ...cells,
    );
    const shrink = Math.min(1, 16 / Math.max(rows, columns));
    picture.style.width = `${Math.max(1.2 * columns, 1) * shrink}rem`;
    return html(
      "figure",
      {},
      html(
        "figcaption",
        { title: formula },
        head ? `${name}, ${head}` : name,
        html("span", {}, `${rows} × ${columns}`),
      ),
      picture,
    );
  });
}
