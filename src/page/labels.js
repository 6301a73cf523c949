// Words in pictures.

import { html, svg } from "./dom.js";
import { clipped, isRightToLeft, visible } from "./text.js";

const ruler = document.createElement("canvas").getContext("2d");
ruler.font = `700 100px ${getComputedStyle(document.documentElement).fontFamily}`;

// Returns the width of a text of this size, in bold, which is wider.
export const widthOf = (text, size) => (ruler.measureText(text).width * size) / 100;

// Returns a word for a picture. In SVG a right-to-left text starts on the right.
export function label(text, { anchor = "middle", most = 18, ...place }) {
  const back = isRightToLeft([text]);
  return svg(
    "text",
    {
      ...place,
      "text-anchor": back ? ({ start: "end", end: "start" }[anchor] ?? anchor) : anchor,
      direction: back && "rtl",
    },
    svg("title", {}, visible(text)),
    clipped(text, most),
  );
}

// Emphasizes the source words that a row looks at.
export function lightUp(labels, row, weights) {
  labels.forEach((label, s) =>
    label.classList.toggle(
      "seen",
      row !== null && Math.abs(weights[row * labels.length + s]) >= 0.2,
    ),
  );
}

// Returns a picture below its name, as wide as the picture wants to be.
export function panelOf({ picture, room = "100%" }, ...above) {
  return html("figure", { style: { width: `max(${room}, 20rem)` } }, ...above, picture);
}
