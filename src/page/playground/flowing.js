// The animation of a step: of the target word that is picked, or pointed at for a while.

import { byId, html } from "../dom.js";
import { Flow, flowOf } from "../flow.js";
import { clipped } from "../text.js";
import { explainsSource, explanation, headInLayer } from "./explanation.js";
import { textOf } from "./language.js";
import { drawPanels } from "./panels.js";
import { training } from "./state.js";
import { pointedFrame, view } from "./view.js";

const DWELL = 800; // milliseconds that one points

let timer = 0;
let shown = null; // { t, stop }
let asked = 0;

export function forgetFlow() {
  clearTimeout(timer);
  asked++;
  const wasShown = shown !== null;
  shown?.stop();
  shown = null;
  byId("flow").replaceChildren();
  if (wasShown) drawPanels(view.frames); // they have its room
}

// Draws the steps of target word t.
export function drawFlow(steps, t) {
  const frame = pointedFrame();
  const flow = flowOf(steps, headInLayer());
  forgetFlow();
  if (!flow || flow.weights.length !== frame.columns.length) return;
  const texts = Object.fromEntries(
    ["query", "scores", "weights", "values", "sum", "play", "time"].map((name) => [
      name,
      textOf(`flow-${name}`),
    ]),
  );
  const { figure, stop } = Flow(flow, frame.columns, texts);
  const word = clipped(frame.rows[t], 30);
  figure.prepend(html("figcaption", {}, textOf("flow", { word })));
  byId("flow").append(figure);
  shown = { t, stop };
  drawPanels(view.frames);
}

// Draws the step of a target word that is pointed at for a while, unless its flow is shown.
export function dwell(t) {
  clearTimeout(timer);
  if (shown?.t === t || training.on) return;
  const number = ++asked;
  timer = setTimeout(async () => {
    if (!pointedFrame() || explainsSource()) return;
    try {
      const text = await explanation(t, "--steps");
      if (number === asked && view.row === t) drawFlow(JSON.parse(text), t);
    } catch {
      // A click says what the module answered.
    }
  }, DWELL);
}
