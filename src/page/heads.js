// Layers and heads as small pictures, one of which is chosen.

import { html, make } from "./dom.js";
import { isRightToLeft } from "./text.js";

// A small picture of a matrix, a pixel for each weight.
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

// Layers and heads in small, of which one is chosen. rows: [{ title, heads: [{ part, name, note, title, weights, isChosen, isDecisive }] }];
// choose(part). The buttons stay where they are as long as their names do.
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
