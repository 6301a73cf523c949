// A term missing from the gradients, and the check that finds it.

import { drawBars } from "../bars.js";
import { byId, html } from "../dom.js";
import { clamp } from "../numbers.js";
import { fixed, visible } from "../text.js";
import { call, engine } from "./engine.js";
import { textOf } from "./language.js";
import { say, tried } from "./message.js";
import { optionTexts, settingsOf } from "./options.js";
import { keepLink, state, training } from "./state.js";

// Leaves a term out of the gradients. "?" chooses at random one that every model of 2015 has; the
// page does not name it.
export const leaveOut = tried(async (broken) => {
  const common = engine.info.terms.filter(({ options }) => !options);
  const isSecret = broken === "?";
  state.broken = broken;
  training.broken = isSecret ? common[Math.floor(Math.random() * common.length)].name : broken;
  await call("break", training.broken);
  byId("term").value = broken ?? "";
  byId("broken").hidden = !broken;
  const needs = engine.info.terms.find(({ name }) => name === broken)?.options;
  say(needs ? textOf("needs", { options: needs }) : "");
  keepLink();
});

// Returns the architecture of model A, and what the missing term needs, in the smallest sizes: a
// check then takes a second.
function checkedSettings(term) {
  const model = engine.info.options
    .filter(({ scope }) => scope === "model")
    .map(({ name }) => name);
  const chosen = Object.fromEntries(
    Object.entries(state.models[0]).filter(([name]) => model.includes(name)),
  );
  const settings = { ...chosen, ...settingsOf(term?.options ?? "") };
  const size = String(4 * (Number(settings.heads) || 1));
  return { ...settings, embed: size, hidden: size, attn: size, maxout: "4", ffn: "4" };
}

const DIGITS = 13; // of a gradient, that central differences can show to be right

// Says which tensors are wrong, and, folded, which term is missing.
function saidOf(tensors, term) {
  const wrong = tensors.filter(({ ok }) => !ok).length;
  const all = tensors.length;
  const said = wrong ? textOf("wrong", { n: wrong, all }) : textOf("allRight", { n: all });
  if (!term) return [html("span", {}, said)];
  const summary = html("summary", {}, textOf("which"));
  const missing = html("code", {}, term.name);
  return [html("span", {}, said), html("details", {}, summary, missing, `: ${term.dropped}`)];
}

// A bar per tensor: how many digits of its gradient are right.
function barOf({ name, worst, ok }) {
  const value = clamp(-Math.log10(Math.max(worst ?? 1, 1e-16)), 0, 16);
  const shown = ok ? fixed(value, 1) : `${fixed(value, 1)} ✗`;
  return { name, color: ok ? "var(--m3)" : "var(--gold)", value, shown, runs: [] };
}

export async function checkGradients() {
  const term = engine.info.terms.find(({ name }) => name === training.broken);
  const options = optionTexts(checkedSettings(term));
  byId("checked").textContent = textOf("checking");
  try {
    const { tensors } = await call("gradcheck", options, term?.name ?? null);
    byId("checked").replaceChildren(...saidOf(tensors, term));
    drawBars(byId("gradients"), tensors.map(barOf), DIGITS);
  } catch (error) {
    byId("checked").textContent = visible(error.message, false);
  }
}
