// Sliders over layers and heads.

import { byId } from "../dom.js";

// A slider over layers or heads: the mean, each of them and, from -1 on, the decisive one of each model.
export function addSlider(name, most, act, least = 0, names = undefined) {
  const slider = byId(name);
  const readout = slider.parentElement.querySelector("output");
  const updateLabel = () => {
    readout.textContent =
      { "-1": "decisive", 0: names?.[0] ?? "mean" }[slider.value] ??
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
