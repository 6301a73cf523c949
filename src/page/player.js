// The player of a film or of the moments of a training.

import { byId, onClick } from "./dom.js";

// show(frame) draws a frame; begin() prepares a film and returns whether there is one to play.
export const player = { timer: 0, show: () => {}, begin: () => true };

// Sets the current frame, the last one, and the caption.
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

// Plays all frames in the chosen time, from the current one or, at the end, from the first.
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
