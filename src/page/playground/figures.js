// The table of figures.

import { byId, html } from "../dom.js";
import { drawTable } from "../table.js";
import { fixed } from "../text.js";
import { engine } from "./engine.js";
import { textOf } from "./language.js";
import { nameOf } from "./options.js";
import { bleuOf, past, shownMoment } from "./past.js";
import { state, training } from "./state.js";

export function drawFigures() {
  const frames = shownMoment()?.frames ?? state.models.map((settings) => (settings ? {} : null));
  const percent = (share) => (Number.isFinite(share) ? `${fixed(100 * share, 1)} %` : "–");
  const columns = frames
    .map(
      (frame, slot) =>
        frame && [
          nameOf(slot),
          String(frame.step ?? training.about[slot]?.step ?? 0),
          fixed(frame.speed, 0),
          fixed(frame.loss, 3),
          String(frame.held?.step ?? "–"),
          fixed(frame.held?.loss ?? NaN, 3),
          fixed(bleuOf(frame.held), 1),
          percent(frame.held?.exact),
          percent(frame.held?.gold),
          percent(frame.held?.moved),
          fixed(frame.held?.entropy ?? NaN, 2),
        ],
    )
    .filter(Boolean);
  const [model, ...titles] = textOf("columns").split("|");
  const meanings = textOf("meanings").split("|");
  drawTable(
    byId("figures"),
    [
      { title: model, cell: (i) => html("span", { title: meanings[i] }, titles[i]) },
      ...columns.map(([name, ...values]) => ({ title: name, cell: (i) => values[i] })),
    ],
    [...titles.keys()],
  );
  byId("gold-note").textContent = frames.some(
    (frame) => frame?.held?.exact - frame?.held?.gold > 0.2,
  )
    ? textOf("goldNote")
    : "";
  const megabytes = (bytes) => fixed(bytes / 1e6, 1);
  const memory = { module: megabytes(engine.memory), history: megabytes(past.bytes) };
  byId("facts").textContent = `softalign ${engine.info.version} · ${textOf("memory", memory)}`;
}

// Lists what the figures mean, also for those who cannot point at their names.
export function drawGlossary() {
  const titles = textOf("columns").split("|").slice(1);
  const meanings = textOf("meanings").split("|");
  byId("glossary")
    .querySelector("dl")
    .replaceChildren(
      ...titles.flatMap((title, i) => [html("dt", {}, title), html("dd", {}, meanings[i])]),
    );
}
