// Watching the chosen sentence, also with attention bent by hand.

import { byId } from "../dom.js";
import { clipped } from "../text.js";
import { ask } from "./engine.js";
import { forgetEquation } from "./explain.js";
import { textOf } from "./language.js";
import { tried } from "./message.js";
import { drawMoment } from "./moment.js";
import { past } from "./past.js";
import { watchedPair } from "./sentence.js";
import { view } from "./view.js";

export const bending = { links: new Map() }; // target word: source word

// Has the worker look at the chosen sentence, under the chosen constraints, and draws the result.
export const watch = tried(async () => {
  forgetEquation(); // it is of another sentence, or of other weights
  const { source, target } = watchedPair();
  const forced = byId("force").value;
  const links = bending.links.size
    ? [...bending.links].map(([t, s]) => `${s}-${t}`).join(" ")
    : null;
  const look = links ? "--force-attention gold" : forced ? `--force-attention ${forced}` : "";
  const shown = links && target === null ? null : target;
  const frames = await ask("watch", { source: source || null, target: shown, look, links });
  if (past.at < 0)
    drawMoment(
      frames.map(
        (frame, slot) => frame && { ...view.frames[slot], weights: null, each: null, ...frame },
      ),
    );
});

export function bend(t, s) {
  if (bending.links.get(t) === s) bending.links.delete(t);
  else bending.links.set(t, s);
  showBent();
  watch();
}

export function unbend() {
  bending.links.clear();
  showBent();
  return watch();
}

export function allowBending(isAllowed) {
  byId("bend").checked = isAllowed;
  document.body.classList.toggle("bending", isAllowed);
}

export function showBent() {
  const frame = view.frames.find((one) => one?.rows);
  const links = [...bending.links];
  byId("unbend").disabled = !links.length;
  byId("bent").textContent =
    links.length && frame
      ? textOf("bentTo", {
          links: links
            .map(
              ([t, s]) =>
                `${clipped(frame.rows[t] ?? "", 20)} → ${clipped(frame.columns[s] ?? "", 20)}`,
            )
            .join(", "),
        })
      : "";
}
