// Messages: one sentence at the head of the page.

import { byId } from "../dom.js";
import { visible } from "../text.js";

export function say(text, isError = false) {
  byId("message").textContent = text ? visible(text, false) : "";
  byId("message").classList.toggle("wrong", isError);
}

const complain = (error) => say(error.message ?? String(error), true);

// Returns a function that does the same, but says errors on the page.
export const tried =
  (act) =>
  (...given) =>
    act(...given).catch(complain);
