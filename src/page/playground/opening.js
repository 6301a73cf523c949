// Opening the page as its state says.

import { byId } from "../dom.js";
import { halt } from "../player.js";
import { drawForms } from "./forms.js";
import { leaveOut } from "./gradients.js";
import { language, setLanguage } from "./language.js";
import { say } from "./message.js";
import { showGrammar } from "./own_grammar.js";
import { state, training } from "./state.js";
import { enable, openAll, run } from "./training.js";
import { bending } from "./watch.js";

// Shows the chosen settings, from the beginning of their training.
export async function showState() {
  halt();
  if (training.on) await run(false);
  enable(false);
  say("");
  bending.links.clear();
  byId("force").value = "";
  if (state.own !== null) byId("own").value = state.own.length < 200000 ? state.own : "";
  setLanguage(language.name);
  if (state.grammar !== null) await showGrammar(state.grammar);
  await leaveOut(state.broken);
  await openAll();
  drawForms();
}
