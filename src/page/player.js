// The player of a film, of recorded frames or of the moments of a training: play, a slider, how long it takes, what it shows.

const player = { timer: 0, show: () => {}, begin: () => true }; // show(frame); begin(): whether there is something to play

// The frame that is shown, the last one, and what is said of it.
function setPlayer(at, last, ...said) {
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

function halt() {
  clearInterval(player.timer);
  player.timer = 0;
  showPlaying(0);
}

// All frames in the chosen time, from the one that is shown, or again from the first.
function play() {
  const slider = byId("frame"), seconds = Number(byId("seconds").value), stride = Math.ceil(slider.max / (12 * seconds)), pace = (seconds * stride) / slider.max;
  halt();
  if (slider.value === slider.max) player.show(0);
  player.timer = setInterval(() => {
    player.show(Number(slider.value) + stride);
    if (slider.value === slider.max) halt();
  }, 1000 * pace);
  showPlaying(pace);
}

function togglePlay() {
  if (player.timer) halt();
  else if (player.begin()) play();
}

function scrub(to) {
  halt();
  player.show(Math.max(to, 0));
}

function addPlayer() {
  onClick({ play: togglePlay });
  byId("frame").addEventListener("input", () => scrub(Number(byId("frame").value)));
  byId("seconds").addEventListener("change", () => player.timer && play());
}
