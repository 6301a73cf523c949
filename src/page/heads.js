// Layers and heads as small pictures, one of which is chosen.

import { html, make } from "./dom.js";
import { isRightToLeft } from "./text.js";

// Returns a small picture of a matrix, one pixel per weight.
export function thumbnail(weights, words) {
  const columns = words.source.length;
  const back = isRightToLeft(words.source);
  const picture = html("canvas", {
    class: "thumb",
    width: columns,
    height: words.target.length,
    "aria-hidden": "true",
  });
  const pen = picture.getContext("2d");
  weights.forEach((weight, at) => {
    pen.fillStyle = `rgb(0 0 0 / ${weight})`;
    pen.fillRect(
      back ? columns - 1 - (at % columns) : at % columns,
      Math.floor(at / columns),
      1,
      1,
    );
  });
  return picture;
}

// Draws a button per head, in rows [{ title, heads: [{ part, name, note, title, weights, isChosen,
// isDecisive }] }]; a click calls choose(part). Buttons are kept while their names stay the same,
// and with them the focus.
export function drawHeads(host, rows, words, choose) {
  const all = rows.flatMap(({ heads }) => heads);
  const key = JSON.stringify(
    rows.map(({ title, heads }) => [title, heads.map(({ name }) => name)]),
  );
  host.hidden = all.length < 2;
  if (host.dataset.key !== key)
    host.replaceChildren(
      ...rows.map(({ title, heads }) =>
        html(
          "p",
          {},
          html("span", {}, title),
          html(
            "span",
            {},
            ...heads.map(({ part }) => html("button", { type: "button", "data-part": part })),
          ),
        ),
      ),
    );
  host.dataset.key = key;
  host.querySelectorAll("button").forEach((button, i) => {
    const { name, note, title, weights, isChosen, isDecisive } = all[i];
    make(button, {
      "aria-pressed": String(isChosen),
      title: title ?? name,
      class: isDecisive ? "decisive" : "",
    });
    button.onclick = () => choose(all[i].part);
    button.replaceChildren(
      thumbnail(weights, words),
      html("span", {}, name, ...(note ? [html("br"), note] : [])),
    );
  });
}
