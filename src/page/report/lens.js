// The logit lens: what each sublayer of a Transformer's decoder would write, the last one at the
// top.

import { byId, html } from "../dom.js";
import { addKeys } from "../keyboard.js";
import { clipped, fixed, isRightToLeft, word } from "../text.js";
import { page } from "./data.js";

const nameOf = (sublayer) =>
  sublayer === "words"
    ? "embedded words"
    : sublayer
        .replace(/^\d+/, "layer $&,")
        .replace("self", "self-attention")
        .replace("cross", "cross-attention")
        .replace("feed", "feed-forward");

const { words = [], sublayers = [], cells = [] } = page.lens ?? {};

// Returns what sublayer k says in place of word t: [most probable word, its probability, rank of
// the word that is written, KL].
const cellAt = (t, k) => cells[t * sublayers.length + k];

// Returns the number of the sublayer from which the most probable word stays the same.
const settledAt = (t) =>
  sublayers.findLastIndex((_, k) => cellAt(t, k)[0] !== cellAt(t, sublayers.length - 1)[0]) + 1;

function drawCell(t, k) {
  const [text, p] = cellAt(t, k);
  return html(
    "td",
    {
      class: k === settledAt(t) && "settled",
      style: {
        background: `color-mix(in srgb, var(--cell-full) ${(100 * p).toFixed(1)}%, var(--cell-none))`,
        color: p > 0.5 ? "var(--cell-none)" : "var(--cell-full)",
      },
    },
    word(text, 12),
    html("small", {}, `${fixed(100 * p, 0)} %`),
  );
}

function describe(t, k) {
  const [text, p, rank, divergence] = cellAt(t, k);
  const of = `“${clipped(words[t], 30)}” has rank ${rank}, KL ${fixed(divergence, 2)}`;
  return `${nameOf(sublayers[k])}: ${clipped(text, 30)} ${fixed(p, 3)}; ${of}`;
}

export function addLens() {
  const table = byId("lens-grid");
  const [, source] = page.facts.find(([name]) => name === "source");
  byId("lens-source").append(word(source, 300));
  const order = [...sublayers.keys()].reverse();
  if (isRightToLeft(words)) table.dir = "rtl";
  const line = (k) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, nameOf(sublayers[k])),
      ...words.map((_, t) => drawCell(t, k)),
    );
  const written = words.map((text) => html("th", { scope: "col" }, word(text, 12)));
  table.append(
    html("tbody", {}, ...order.map(line)),
    html("tfoot", {}, html("tr", {}, html("th", { scope: "row" }, "written"), ...written)),
  );
  let shown = null;
  const show = (row, t) => {
    shown?.classList.remove("seen");
    shown = table.tBodies[0].rows[row].cells[t + 1];
    shown.classList.add("seen");
    shown.scrollIntoView({ block: "nearest", inline: "nearest" });
    byId("lens-said").textContent = describe(t, order[row]);
    keep(row, t);
  };
  const keep = addKeys(
    table.parentElement,
    { source: words, target: sublayers },
    { over: show, pick: show, out: () => {}, leave: () => {} },
  );
  order.forEach((_, row) =>
    words.forEach((__, t) => {
      const cell = table.tBodies[0].rows[row].cells[t + 1];
      for (const event of ["pointerenter", "click"])
        cell.addEventListener(event, () => show(row, t));
    }),
  );
  show(0, 0);
}
