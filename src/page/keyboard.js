// Keys: of a page, of a dialog, and over the cells of a picture.

import { make } from "./dom.js";
import { clamp } from "./numbers.js";
import { isRightToLeft } from "./text.js";

// Sets what keys do: functions by the names of keys. A key belongs to a control that takes it
// (`takers`), to a shortcut of the browser, or, where the function returns false, to the next
// listener.
export function onKeys(target, acts, takers = "select") {
  target.addEventListener("keydown", (event) => {
    const act = acts[event.key.length > 1 ? event.key : event.key.toLowerCase()];
    if (
      !act ||
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.closest(takers)
    )
      return;
    if (act(event) !== false) event.preventDefault();
  });
}

// Has arrow keys move over the cells of a picture, Enter and space pick one, and Escape leave.
// Returns a function that must be told which cell is highlighted.
export function addKeys(picture, words, act) {
  const cell = [0, 0];
  const side = isRightToLeft(words.source) ? -1 : 1;
  const rows = words.target.length;
  const within = (value, most) => clamp(value, 0, most - 1);
  const pick = () => act.pick(...cell);
  const move = (down, right) => () =>
    act.over(within(cell[0] + down, rows), within(cell[1] + right, words.source.length));
  make(picture, {
    tabindex: 0,
    role: "group",
    on: { focus: () => act.over(...cell), blur: () => act.out() },
  });
  onKeys(picture, {
    ArrowUp: move(-1, 0),
    ArrowDown: move(1, 0),
    ArrowLeft: move(0, -side),
    ArrowRight: move(0, side),
    Home: move(-rows, 0),
    End: move(rows, 0),
    Enter: pick,
    " ": pick,
    Escape: () => act.leave(),
  });
  return (row, column) => Object.assign(cell, [row ?? 0, column ?? 0]);
}
