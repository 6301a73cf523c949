// The page of a running training.

import { byId } from "../dom.js";
import { player } from "../player.js";

const folds = () => Array.from(document.querySelectorAll("details"));

// Reloads the page until the training has ended, but not while it is in use.
export function follow() {
  const again = () => {
    if (player.timer || follow.pressed || document.activeElement.localName === "select") return;
    history.replaceState(
      {
        scroll: scrollY,
        focus: document.activeElement.id,
        folds: folds().map((fold) => fold.open),
      },
      "",
    );
    location.reload();
  };
  addEventListener("pointerdown", () => {
    follow.pressed = true;
  });
  addEventListener("pointerup", () => {
    follow.pressed = false;
  });
  setInterval(again, 2000);
}

// Restores what the page showed before a reload.
export function restore() {
  const left = history.state;
  if (!left) return;
  folds().forEach((fold, i) => {
    fold.open = left.folds?.[i] ?? false;
  });
  if (left.focus) byId(left.focus)?.focus({ preventScroll: true });
  scrollTo(0, left.scroll);
  history.replaceState(null, "");
}
