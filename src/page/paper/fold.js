// The panel of numbers: its button or the key N folds and unfolds it, and the browser keeps that.
import { byId } from "../dom.js";
import { onKeys } from "../keyboard.js";

const KEPT = "softalign.numbers";

// A browser may refuse to keep anything for a page that is a file.
const kept = () => {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
};
const keep = (state) => {
  try {
    localStorage.setItem(KEPT, state);
  } catch {
    // then the next page begins unfolded
  }
};

const fold = (isFolded) => {
  byId("figures").hidden = isFolded;
  byId("fold").setAttribute("aria-expanded", String(!isFolded));
};

export const foldPanel = () => {
  const change = () => {
    const isFolded = !byId("figures").hidden;
    fold(isFolded);
    keep(isFolded ? "folded" : "unfolded");
  };
  fold(kept() === "folded");
  byId("fold").addEventListener("click", change);
  onKeys(document, { n: change }, "input, select, textarea");
};
