// What the pointer and keys do on the picture of a model.

import { byId } from "../dom.js";
import { explain } from "./explain.js";
import { dwell } from "./flowing.js";
import { highlight } from "./moment.js";
import { view } from "./view.js";
import { bend, unbend } from "./watch.js";

export const actsOf = (slot) => ({
  over(t, s) {
    Object.assign(view, { slot, row: view.pressed ?? t, column: s });
    highlight();
    if (view.pressed === null && !byId("bend").checked) dwell(t);
  },
  out() {
    if (view.pressed !== null) return;
    view.row = view.column = null;
    highlight();
  },
  pick(t, s) {
    view.slot = slot;
    if (byId("bend").checked && s !== null) bend(view.pressed ?? t, s);
    else explain(t, s);
  },
  leave() {
    unbend();
    view.row = view.column = null;
    highlight();
  },
});
