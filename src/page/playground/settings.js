// The controls of the settings.

import { byId } from "../dom.js";
import { clamp } from "../numbers.js";
import { drawForms } from "./forms.js";
import { START, keepLink, state, training } from "./state.js";
import { changeTask } from "./tasks.js";
import { openAll, run } from "./training.js";

export function addSettings() {
  byId("second").addEventListener("change", async (event) => {
    state.models[1] = event.target.checked ? { ...state.models[0] } : null;
    drawForms();
    await openAll();
  });
  const pause = () => {
    keepLink();
    if (training.on) run(true);
  };
  for (const [id, act] of [
    ["pairs", changeTask],
    ["longest", changeTask],
    ["pause", pause],
  ])
    byId(id).addEventListener("change", ({ target }) => {
      const chosen = Math.round(Number(target.value)) || START[id];
      target.value = state[id] = clamp(chosen, target.min, target.max);
      act();
    });
}
