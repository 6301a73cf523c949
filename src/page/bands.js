// Bands: the two sentences, each pair of words joined by a band as wide as its weight.

import { captions } from "./captions.js";
import { make, svg } from "./dom.js";
import { addKeys } from "./keyboard.js";
import { label, lightUp, widthOf } from "./labels.js";
import { clipped, isRightToLeft } from "./text.js";

// Source words above, target words below; beside each other if the words of a sentence do not fit a line. In a given
// height the words are as large as fits, but no smaller than `least`.
export function Bands(words, { width, height = 0, least = 18, act = null }) {
  const columns = words.source.length;
  const deep = Math.max(columns, words.target.length);
  const sides = [words.source, words.target].map((list) => ({
    list,
    back: isRightToLeft(list),
    sizes: list.map((text) => widthOf(clipped(text, 18), 1) + 0.67),
  }));
  const lengths = sides.map(({ sizes }) => sizes.reduce((sum, size) => sum + size, 0));
  const longest = sides.map(({ sizes }) => Math.max(...sizes));
  const flat = Math.max(...lengths) * least <= width;
  const fits = flat
    ? Math.min(width / Math.max(...lengths), height / 5)
    : Math.min(height / (1.3 * deep + 0.6), width / (longest[0] + longest[1] + 3));
  const font = height ? Math.min(Math.max(fits, least), 2.4 * least) : least;
  const line = height ? height / (deep + 0.5) : font * 1.6;
  const size = { width, height: height || (flat ? 11.4 * font : line * deep + 1.6 * font) };
  const above = height ? 0 : 1.4 * font; // of the names of both sides
  // The middle of the edge of each word from which bands start.
  const places = sides.map(({ list, back, sizes: own }, side) => {
    const room = width - lengths[side] * font;
    const spread = list.length > 1 && flat ? Math.min(room / (list.length - 1), 3 * font) : 0;
    let at = (room - spread * (list.length - 1)) / 2;
    return list.map((_, i) => {
      if (!flat)
        return [side ? width - longest[1] * font : longest[0] * font, (i + 0.5) * line + above];
      const x = at + (own[i] * font) / 2;
      at += own[i] * font + spread;
      return [back ? width - x : x, side ? size.height - above - 1.9 * font : above + 1.7 * font];
    });
  });
  const bands = words.target.flatMap((_, t) =>
    words.source.map((__, s) => {
      const [x1, y1] = places[0][s];
      const [x2, y2] = places[1][t];
      const x = (x1 + x2) / 2;
      const y = (y1 + y2) / 2;
      return {
        t,
        node: svg("path", {
          class: "band",
          d: flat
            ? `M${x1} ${y1}C${x1} ${y} ${x2} ${y} ${x2} ${y2}`
            : `M${x1} ${y1}C${x} ${y1} ${x} ${y2} ${x2} ${y2}`,
        }),
      };
    }),
  );
  const names = sides.map(({ list }, side) =>
    list.map((text, i) => {
      const [x, y] = places[side][i];
      return label(text, {
        class: "word",
        "font-size": font,
        ...(flat
          ? { x, y: y + (side ? 1.15 : -0.5) * font }
          : {
              x: x + (side ? font / 3 : -font / 3),
              y: y + 0.35 * font,
              anchor: side ? "start" : "end",
            }),
      });
    }),
  );
  if (act)
    names[1].forEach((name, t) =>
      make(
        name,
        {
          on: {
            pointerenter: () => act.over(t, null),
            pointerleave: () => act.out(),
            click: () => act.pick(t, null),
          },
        },
        [],
      ),
    );
  const axis = (side, x, y, anchor) =>
    svg(
      "text",
      { class: "axis", x, y, "text-anchor": anchor, "font-size": font * 0.78 },
      captions.axes[side],
    );
  const picture = svg(
    "svg",
    {
      class: "bands",
      viewBox: `0 0 ${size.width} ${size.height}`,
      role: "img",
      "aria-label": "both sentences, joined by bands as wide as the weights",
    },
    ...(height
      ? []
      : [
          axis(0, 0, font, "start"),
          flat ? axis(1, 0, size.height - 0.3 * font, "start") : axis(1, width, font, "end"),
        ]),
    ...bands.map(({ node }) => node),
    ...names.flat(),
  );
  let current = [];
  const keep = act && !height ? addKeys(picture, words, act) : () => {};
  return {
    picture,
    show(weights) {
      current = weights;
      bands.forEach(({ node }, i) =>
        make(
          node,
          {
            "stroke-width": (weights[i] * font * 0.8).toFixed(2),
            "stroke-opacity": (0.15 + 0.65 * weights[i]).toFixed(2),
            visibility: weights[i] < 0.04 ? "hidden" : "visible",
          },
          [],
        ),
      );
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
