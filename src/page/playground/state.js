// What the user has chosen, and the link to it: #task=reorder&a=decoder=luong,heads=2&b=...

import { engine } from "./engine.js";
import { language } from "./language.js";
import { stops } from "./tour_texts.js";

export const START = {
  task: "reorder",
  pairs: 6000,
  longest: 8,
  own: null,
  grammar: null,
  models: [{}, null],
  sentence: null,
  source: null,
  stop: 0,
  pause: 0,
  broken: null,
  stage: null,
}; // stage: the picture on it; broken: a term that the gradient lacks; "?": one at random

export const state = structuredClone(START);

export const training = {
  about: [null, null],
  on: false,
  isShown: false, // the model was trained before, and is only shown
  pairs: { train: "", valid: null },
  round: 0,
};

const writeSettings = (settings) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

// Reads settings of a link. Values of options are single words, which the module judges.
const readSettings = (text) =>
  Object.fromEntries(
    text
      .split(",")
      .map((part) => part.split("="))
      .filter(
        ([name, value]) => /^[a-z-]{1,40}$/.test(name) && /^[\w.+-]{1,40}$/.test(value ?? ""),
      ),
  );

const LONGEST_LINK = 8000; // characters; pairs and grammars above that stay out of it

// Returns the link of a state. The link of a stop stands for its settings.
export function linkOf(chosen) {
  const parts = new URLSearchParams();
  const from = chosen.stop ? readLink(stops[chosen.stop - 1].link) : START;
  if (chosen.stop) parts.set("stop", chosen.stop);
  for (const name of ["task", "pairs", "longest", "sentence", "source", "pause", "stage"])
    if (chosen[name] !== from[name] && chosen[name] !== null) parts.set(name, chosen[name]);
  for (const name of ["own", "grammar"])
    if (chosen[name] !== null && chosen[name].length <= LONGEST_LINK) parts.set(name, chosen[name]);
  chosen.models.forEach((settings, slot) => {
    if (JSON.stringify(settings) !== JSON.stringify(from.models[slot]))
      parts.set("ab"[slot], settings ? writeSettings(settings) : "none");
  });
  if (chosen.broken !== from.broken) parts.set("break", chosen.broken);
  if (language.name !== "en") parts.set("language", language.name);
  return `#${parts}`;
}

export function readLink(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const parts = new URLSearchParams(stops[given.get("stop") - 1]?.link);
  const read = structuredClone(START);
  given.forEach((value, name) => parts.set(name, value));
  for (const [name, most] of Object.entries({
    pairs: 20000,
    longest: 50,
    sentence: 199,
    stop: stops.length,
    pause: 100000,
  })) {
    const value = Number(parts.get(name));
    if (parts.has(name) && Number.isInteger(value) && value >= 0 && value <= most)
      read[name] = value;
  }
  if (engine.info.tasks.some(({ name }) => name === parts.get("task")))
    read.task = parts.get("task");
  if (parts.has("stage"))
    read.stage = ["matrix", "heads"].find((kind) => kind === parts.get("stage")) ?? "bands";
  if (parts.has("own")) read.own = parts.get("own");
  else if (parts.has("grammar")) read.grammar = parts.get("grammar");
  if (parts.has("source")) read.source = parts.get("source").slice(0, 1000);
  if (
    parts.get("break") === "?" ||
    engine.info.terms.some(({ name }) => name === parts.get("break"))
  )
    read.broken = parts.get("break");
  read.models = ["a", "b"].map((name, slot) =>
    parts.has(name) && parts.get(name) !== "none"
      ? readSettings(parts.get(name))
      : slot
        ? null
        : {},
  );
  return { ...read, language: parts.get("language") };
}

export function keepLink() {
  const link = linkOf(state);
  history.replaceState(null, "", link === "#" ? location.href.split("#")[0] : link);
}
