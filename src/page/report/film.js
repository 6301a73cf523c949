// Films: the matrices of a sentence at every validation, all models at the same update.

import { byId, html, onWidth, option } from "../dom.js";
import { panelOf } from "../labels.js";
import { Matrix } from "../matrix.js";
import { clamp, rowOf } from "../numbers.js";
import { player, setPlayer } from "../player.js";
import { visible } from "../text.js";
import { addSlider } from "./controls.js";
import { curvesOf, keepChart, trainingLog } from "./curves.js";
import { page, sentenceTitle, unpack } from "./data.js";
import { models, onModelsChange } from "./models.js";

// Returns the weights of a frame: the mean, or one head.
function frameOf({ frames, scene }, frame, head) {
  const count = scene.source.length * scene.target.length;
  if (!head) return unpack(scene.weights[frame], count);
  return rowOf(unpack(scene.heads[frame], frames.heads * count), head - 1, count);
}

export const film = { steps: [], at: 0, panels: [] };

// Adds the validation loss beside the frames, with a line at the current update.
function addFilmCurve() {
  const rows = trainingLog();
  const host = byId("film-curve");
  if (rows.length < 2) return;
  host.hidden = false;
  keepChart(
    host,
    () => ({
      x: "updates",
      y: "validation loss, nats per word",
      decimals: 4,
      tall: 0.8,
      series: curvesOf(rows, "step", "valid_loss"),
    }),
    () => host.mark(film.steps[film.at]),
  );
}

export function drawScenes() {
  const pair = Number(byId("scene").value);
  film.panels = [];
  byId("scenes").replaceChildren();
  const shown = models.filter((model) => model.shown && page.film[model.index]?.scenes[pair]);
  for (const model of shown) {
    const frames = page.film[model.index];
    const scene = frames.scenes[pair];
    const matrix = Matrix(scene, { beside: shown.length });
    const note = html("span");
    byId("scenes").append(panelOf(matrix, html("figcaption", {}, visible(model.name), " ", note)));
    film.panels.push({ frames, scene, matrix, note, shown: -1 });
  }
  showFrame(film.at);
}

export function showFrame(at) {
  film.at = clamp(at, 0, film.steps.length - 1);
  const step = film.steps[film.at];
  setPlayer(film.at, film.steps.length - 1, step ? `update ${step}` : "before the first update");
  byId("film-curve").mark?.(step);
  for (const panel of film.panels) {
    const frame = panel.frames.steps.findLastIndex((known) => known <= step);
    const head = Math.min(Number(byId("film-head").value), panel.frames.heads);
    if (frame < 0 || (frame === panel.shown && head === panel.head)) continue;
    panel.shown = frame;
    panel.head = head;
    panel.matrix.show(frameOf(panel, frame, head));
    panel.note.textContent =
      panel.frames.captions[frame].replace(/^update \d+: /, "") +
      (head ? `, head ${head} of ${panel.frames.heads}` : "");
  }
}

export function addFilms() {
  const recorded = page.film.filter(Boolean);
  film.steps = [...new Set(recorded.flatMap((frames) => frames.steps))].sort((a, b) => a - b);
  player.show = showFrame;
  const optionOf = ({ source }, i) => option(i, sentenceTitle(i, source));
  byId("scene").append(...recorded[0].scenes.map(optionOf));
  byId("scene").parentElement.hidden = recorded[0].scenes.length < 2;
  byId("scene").addEventListener("change", drawScenes);
  addSlider("film-head", Math.max(...recorded.map((frames) => frames.heads)), () =>
    showFrame(film.at),
  );
  onModelsChange(drawScenes);
  film.at = film.steps.length - 1;
  addFilmCurve();
  drawScenes();
  onWidth(byId("scenes"), drawScenes);
}
