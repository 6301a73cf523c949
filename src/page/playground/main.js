// The start of the playground, its links and its language.

import { captions } from "../captions.js";
import { byId, changeTheme, onClick, onWidth, option } from "../dom.js";
import { drawCurves } from "./curves.js";
import { startEngine } from "./engine.js";
import { drawFigures, drawGlossary } from "./figures.js";
import { addFiles } from "./files.js";
import { drawForms } from "./forms.js";
import { addInside, listInside } from "./inside.js";
import { applyTexts, language, onLanguage, setLanguage, textOf } from "./language.js";
import { say } from "./message.js";
import { drawMoment } from "./moment.js";
import { showState } from "./opening.js";
import { addGrammar } from "./own_grammar.js";
import { addPairs } from "./own_pairs.js";
import { drawPanels, isOnStage } from "./panels.js";
import { showTime } from "./past.js";
import { addSettings } from "./settings.js";
import { addStage, openStage } from "./stage.js";
import { keepLink, readLink, state, training } from "./state.js";
import { addTasks, listTasks } from "./tasks.js";
import { languages } from "./texts.js";
import { addTour, drawStops } from "./tour.js";
import { addTraining, setRunning, showPairs, showTrained } from "./training.js";
import { view } from "./view.js";
import { showBent } from "./watch.js";

function drawTexts() {
  captions.axes = [textOf("source"), textOf("target")];
  for (const name of [
    "coverage",
    "entropy",
    "weight",
    "none",
    "bandWidth",
    "shown",
    "goldLink",
    "possibleLink",
  ])
    captions[name] = textOf(name);
  captions.full = (most) => textOf("fullWidth", { most });
  captions.inChart = (x, y) => textOf("inChart", { x, y });
  drawStops();
  drawGlossary();
  listInside();
  listTasks();
  setRunning(training.on);
  drawForms();
  showBent();
  showPairs();
  showTime();
  drawFigures();
  drawCurves(true);
  byId("readout").textContent = "";
  drawMoment(view.frames);
  if (!byId("equation").textContent) byId("equation-title").textContent = textOf("equationHint");
}

function addTools() {
  byId("language").append(
    ...Object.entries(languages).map(([name, title]) => option(name, title, { lang: name })),
  );
  byId("language").addEventListener("change", (event) => {
    setLanguage(event.target.value);
    keepLink();
  });
  onLanguage(drawTexts);
  onClick({ theme: changeTheme });
}

async function openLink() {
  const { language: wanted, ...chosen } = readLink(location.hash);
  Object.assign(state, chosen);
  if (wanted in languages) language.name = wanted;
  await showState();
  if (!state.stage) byId("stage").close();
  else if (!isOnStage()) await openStage(state.stage);
}

async function main() {
  applyTexts();
  addTools();
  try {
    await startEngine();
  } catch (error) {
    say(`${textOf("noWorker")} (${error.message})`, true);
    return;
  }
  addTraining();
  addTasks();
  addPairs();
  addGrammar();
  addSettings();
  addInside();
  addFiles();
  addTour();
  addStage();
  const isPlain = location.hash.length < 2; // no link to a stop or to settings
  await openLink();
  if (isPlain) await showTrained();
  addEventListener("hashchange", openLink);
  onWidth(document.documentElement, () => {
    drawCurves(true);
    drawMoment(view.frames);
  });
}

main();

// For the browser's console and for tests: softalign.NAME.
export { Matrix } from "../matrix.js";
export { player } from "../player.js";
export { fixed } from "../text.js";
export { differences } from "./differences.js";
export { call, engine } from "./engine.js";
export { past } from "./past.js";
export { actsOf } from "./pointing.js";
export { held } from "./sentence.js";
export { stops } from "./tour_texts.js";
export { goTo, run } from "./training.js";
export { byId, drawMoment, drawPanels, isOnStage, readLink, say, state, training, view };
