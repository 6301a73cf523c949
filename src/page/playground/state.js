// What the user has chosen, and its forms: options of the command, a link.

// For matrix.js: the words inside of its pictures.
const page = { inPictures: () => ({ axes: [textOf("source"), textOf("target")], ...Object.fromEntries(["coverage", "entropy", "weight", "none"].map((name) => [name, textOf(name)])), inChart: (x, y) => textOf("inChart", { x, y }) }) };

const START = { task: "reorder", pairs: 6000, longest: 8, own: null, models: [{}, null], sentence: null, source: null, stop: 0, pause: 0, broken: null, stage: null }; // stage: the picture on it; broken: a term that the gradient lacks; "?": one at random
const state = structuredClone(START);

// What the playground sets for every model that does not say otherwise: small and quick.
const BASE = { embed: "32", hidden: "32", attn: "32", maxout: "32", lr: "0.007", batch: "16", epochs: "0", patience: "0" };

// Settings as they are written on the command line.
function optionTexts(settings) {
  const known = new Map(engine.info.options.map((option) => [option.name, option]));
  return Object.entries(settings).filter(([name]) => known.has(name)).flatMap(([name, value]) => {
    if (known.get(name).kind !== "switch") return [`--${name} ${value}`];
    return value === "true" ? [`--${name}`] : [];
  }).join(" ");
}
const optionsOf = (settings) => optionTexts({ ...BASE, ...settings });

// ---- Links: #task=reorder&a=decoder=luong,heads=2&b=...

const writeSettings = (settings) => Object.entries(settings).map(([name, value]) => `${name}=${value}`).join(",");

// Values of options are single words; the module says what it thinks of them.
const readSettings = (text) => Object.fromEntries(text.split(",").map((part) => part.split("="))
  .filter(([name, value]) => /^[a-z-]{1,40}$/.test(name) && /^[\w.+-]{1,40}$/.test(value ?? "")));

const LONGEST_LINK = 8000; // characters; own pairs above that stay out of it

// A stop's link stands for its settings.
function linkOf(chosen) {
  const parts = new URLSearchParams(), from = chosen.stop ? readLink(stops[chosen.stop - 1].link) : START;
  if (chosen.stop) parts.set("stop", chosen.stop);
  for (const name of ["task", "pairs", "longest", "sentence", "source", "pause", "stage"])
    if (chosen[name] !== from[name] && chosen[name] !== null) parts.set(name, chosen[name]);
  if (chosen.own !== null && chosen.own.length <= LONGEST_LINK) parts.set("own", chosen.own);
  chosen.models.forEach((settings, slot) => {
    if (JSON.stringify(settings) !== JSON.stringify(from.models[slot])) parts.set("ab"[slot], settings ? writeSettings(settings) : "none");
  });
  if (chosen.broken !== from.broken) parts.set("break", chosen.broken);
  if (language.name !== "en") parts.set("language", language.name);
  return `#${parts}`;
}

function readLink(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, "")), parts = new URLSearchParams(stops[given.get("stop") - 1]?.link), read = structuredClone(START);
  given.forEach((value, name) => parts.set(name, value));
  for (const [name, most] of Object.entries({ pairs: 20000, longest: 50, sentence: 199, stop: stops.length, pause: 100000 })) {
    const value = Number(parts.get(name));
    if (parts.has(name) && Number.isInteger(value) && value >= 0 && value <= most) read[name] = value;
  }
  if (engine.info.tasks.some(({ name }) => name === parts.get("task"))) read.task = parts.get("task");
  if (parts.has("stage")) read.stage = parts.get("stage") === "matrix" ? "matrix" : "bands";
  if (parts.has("own")) read.own = parts.get("own");
  if (parts.has("source")) read.source = parts.get("source").slice(0, 1000);
  if (parts.get("break") === "?" || engine.info.terms.some(({ name }) => name === parts.get("break"))) read.broken = parts.get("break");
  read.models = ["a", "b"].map((name, slot) => (parts.has(name) && parts.get(name) !== "none" ? readSettings(parts.get(name)) : slot ? null : {}));
  return { ...read, language: parts.get("language") };
}

function keepLink() {
  const link = linkOf(state);
  history.replaceState(null, "", link === "#" ? location.href.split("#")[0] : link);
}

// ---- Messages: one sentence at the head of the page

function say(text, isError = false) {
  byId("message").textContent = text ? visible(text, false) : "";
  byId("message").classList.toggle("wrong", isError);
}
const complain = (error) => say(error.message ?? String(error), true);
const tried = (act) => (...given) => act(...given).catch(complain);
