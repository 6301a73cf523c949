// The controls that look inside a model.

import { byId, onClick, option } from "../dom.js";
import { engine } from "./engine.js";
import { scrollEquation } from "./explain.js";
import { checkGradients, leaveOut } from "./gradients.js";
import { textOf } from "./language.js";
import { drawNumbers } from "./moment.js";
import { actsOf } from "./pointing.js";
import { view } from "./view.js";
import { allowBending, unbend, watch } from "./watch.js";

export function listInside() {
  const forces = ["", "uniform", "shuffle", "shift:1", "one-hot"];
  const force = byId("force").value;
  const term = byId("term").value;
  byId("force").replaceChildren(...forces.map((name) => option(name, textOf(name || "asLearned"))));
  byId("force").value = force;
  byId("breaking").hidden = !engine.info.terms?.length;
  byId("term").replaceChildren(
    option("", textOf("nothingOut")),
    option("?", textOf("secretTerm"), { hidden: true }),
    ...(engine.info.terms ?? []).map(({ name, dropped }) => option(name, `${name}: ${dropped}`)),
  );
  byId("term").value = term;
}

export function addInside() {
  view.actsOf = actsOf;
  byId("numbers").addEventListener("toggle", () => drawNumbers(view.frames));
  byId("force").addEventListener("change", watch);
  byId("computation").addEventListener("toggle", scrollEquation);
  byId("bend").addEventListener("change", (event) => allowBending(event.target.checked));
  addEventListener("pointerup", () =>
    setTimeout(() => {
      view.pressed = null;
    }),
  ); // after the click
  byId("term").addEventListener("change", (event) => leaveOut(event.target.value || null));
  onClick({
    unbend,
    secret: () => leaveOut("?"),
    check: checkGradients,
    mend: () => {
      byId("term").focus({ preventScroll: true });
      leaveOut(null);
    },
  }); // the button goes
}
