// Sliders over layers and heads.

import { byId } from "../dom.js";

// Adds a slider over layers or heads: 0 is the mean, -1 (where `least` allows it) what the page
// chooses, whose name is names[-1].
export function addSlider(name, most, act, least = 0, names = undefined) {
  const slider = byId(name);
  const readout = slider.parentElement.querySelector("output");
  const updateLabel = () => {
    readout.textContent =
      { "-1": names?.[-1], 0: names?.[0] ?? "mean" }[slider.value] ??
      names?.[slider.value - 1] ??
      slider.value;
    slider.setAttribute("aria-valuetext", readout.textContent);
  };
  slider.parentElement.hidden = most < 2;
  slider.min = least;
  slider.max = most;
  slider.value = least;
  updateLabel();
  slider.addEventListener("input", () => {
    updateLabel();
    act();
  });
}
