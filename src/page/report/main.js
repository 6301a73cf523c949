// The report: its sections, as far as the page has data for them.

import { captions } from "../captions.js";
import { byId, changeTheme, html, onClick } from "../dom.js";
import { addPlayer } from "../player.js";
import { strip } from "../strip.js";
import { visible } from "../text.js";
import { addCurves, trainingLog } from "./curves.js";
import { page, records } from "./data.js";
import { addDownloads } from "./downloads.js";
import { addFilms } from "./film.js";
import { addHistory } from "./history.js";
import { addLengths } from "./lengths.js";
import { addLens } from "./lens.js";
import { addModels, isHistory, models } from "./models.js";
import { addNotes } from "./notes.js";
import { openPlace } from "./place.js";
import { addRegression, isRegression } from "./regression.js";
import { addBars, addBudgets, addGradients, addResults, barColumns } from "./results.js";
import { addAnnotations } from "./scatter.js";
import { addSlides } from "./slides.js";
import { addAttentionStatistics, addSettings } from "./statistics.js";
import { addViewer } from "./viewer.js";

// Columns and rows of a matrix, by the place of the attention in the model.
const AXES = {
  cross: ["source", "target"],
  numbers: ["key", "query"],
  encoder: ["source, attended to", "source"],
  decoder: ["target so far, attended to", "target so far"],
  prefix: ["source, then target so far", "target"],
};

function addHead() {
  document.documentElement.classList.toggle("framed", self !== top);
  document.title = visible(page.title);
  const parts = page.title.split(/(?<=:)/).map((part) => visible(part, false));
  byId("title").replaceChildren(...parts.flatMap((part) => [part, html("wbr")]));
  byId("facts").textContent = page.facts
    .map(([name, value]) => `${name}: ${visible(value)}`)
    .join("  ·  ");
  byId("made").textContent =
    `Made by softalign ${page.version}, ${page.command}. ` +
    "This file is self-contained; nothing is loaded.";
  onClick({ theme: changeTheme });
}

const hasMatrices = page.matrices?.some(Boolean);

// Sections by their ids: whether the page has data for them, and what adds them.
const sections = [
  ["results", "table.csv" in page.files, addResults],
  ["bars", page.bars, addGradients],
  ["bars", barColumns.length, addBars],
  ["curves", trainingLog().length, addCurves],
  ["lengths", records("bylength.csv").length, addLengths],
  ["films", page.film?.some(Boolean), addFilms],
  ["regression", isRegression, addRegression],
  ["lens", page.lens, addLens],
  ["viewer", hasMatrices, addViewer],
  ["history", isHistory, addHistory],
  ["annotations", "annotations.csv" in page.files, addAnnotations],
  ["steps", page.steps?.length, () => byId("strip").append(...strip(page.steps))],
  ["gazes", models.some((model) => model.gaze), addAttentionStatistics],
  ["settings", models.some((model) => Object.keys(model.settings).length), addSettings],
  ["files", hasMatrices || Object.keys(page.files).length, addDownloads],
];

captions.axes = AXES[page.site ?? "cross"];
addHead();
addNotes();
addModels();
addBudgets();
addPlayer();
for (const [id, hasData, add] of sections)
  if (hasData) {
    byId(id).hidden = false;
    add();
  }
addSlides();
openPlace();

// For the browser's console and for tests: softalign.NAME.
export { setControl } from "../dom.js";
export { clipped } from "../text.js";
export { drawScenes } from "./film.js";
export { mathOf } from "./formula.js";
export { drawEras } from "./history.js";
export { tidy } from "./downloads.js";
export { eras } from "./models.js";
export { chooseSentence, view } from "./view.js";
export { updateHighlight } from "./viewer.js";
export { addBudgets, byId, models, page, trainingLog };
