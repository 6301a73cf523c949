// The player of a film, of recorded frames or of the moments of a training: play, a slider, the duration, a caption.

import { byId, onClick } from "./dom.js";

export const player = { timer: 0, show: () => {}, begin: () => true }; // show(frame); begin(): whether there is something to play

// The frame that is shown, the last one, and what is said of it.
export function setPlayer(at, last, ...said) {
  Object.assign(byId("frame"), { max: last, disabled: last < 1 });
  byId("frame").value = at;
  byId("caption").replaceChildren(...said);
  byId("frame").setAttribute("aria-valuetext", byId("caption").textContent);
}

function showPlaying(pace) {
  document.documentElement.classList.toggle("playing", player.timer > 0);
  document.documentElement.style.setProperty("--pace", `${pace}s`);
  byId("play").textContent = player.timer ? "❚❚" : "▶";
}

export function halt() {
  clearInterval(player.timer);
  player.timer = 0;
  showPlaying(0);
}

// All frames in the chosen time, from the one that is shown, or again from the first.
export function play() {
  const slider = byId("frame");
  const seconds = Number(byId("seconds").value);
  const stride = Math.ceil(slider.max / (12 * seconds));
  const pace = (seconds * stride) / slider.max;
  halt();
  if (slider.value === slider.max) player.show(0);
  player.timer = setInterval(() => {
    player.show(Number(slider.value) + stride);
    if (slider.value === slider.max) halt();
  }, 1000 * pace);
  showPlaying(pace);
}

export function togglePlay() {
  if (player.timer) halt();
  else if (player.begin()) play();
}

export function scrub(to) {
  halt();
  player.show(Math.max(to, 0));
}

export function addPlayer() {
  onClick({ play: togglePlay });
  byId("frame").addEventListener("input", () => scrub(Number(byId("frame").value)));
  byId("seconds").addEventListener("change", () => player.timer && play());
}
