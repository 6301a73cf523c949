// Settings as options of the command.

import { engine } from "./engine.js";
import { textOf } from "./language.js";
import { state } from "./state.js";

// What the playground sets where a model does not: small and quick.
export const BASE = {
  embed: "32",
  hidden: "32",
  attn: "32",
  maxout: "32",
  lr: "0.007",
  batch: "16",
  epochs: "0",
  patience: "0",
};

// Returns settings as they are written on the command line.
export function optionTexts(settings) {
  const known = new Map(engine.info.options.map((option) => [option.name, option]));
  return Object.entries(settings)
    .filter(([name]) => known.has(name))
    .flatMap(([name, value]) => {
      if (known.get(name).kind !== "switch") return [`--${name} ${value}`];
      return value === "true" ? [`--${name}`] : [];
    })
    .join(" ");
}

export const optionsOf = (settings) => optionTexts({ ...BASE, ...settings });

// Returns options like "--heads 2 --input-feeding" as settings.
export const settingsOf = (options) =>
  Object.fromEntries(
    options
      .split("--")
      .filter(Boolean)
      .map((part) => {
        const [name, value] = part.trim().split(/\s+/);
        return [name, value ?? "true"];
      }),
  );

export const valueOf = (settings, option) =>
  settings[option.name] ?? BASE[option.name] ?? String(option.default);

export const optionOf = (name) => engine.info.options.find((option) => option.name === name);

export const chosenOf = (settings, name) => valueOf(settings, optionOf(name));

export const names = ["A", "B"];

// Returns what distinguishes a model from the other one: "A: attention additive", "B: copy", "A:
// transformer".
export function nameOf(slot) {
  const [one, other] = state.models;
  const differ =
    one && other
      ? engine.info.options.filter((option) => valueOf(one, option) !== valueOf(other, option))
      : [];
  const said = differ
    .map((option) => [option, valueOf(state.models[slot], option)])
    .map(([{ name, kind }, value]) =>
      kind === "switch"
        ? value === "true"
          ? name
          : `no ${name}`
        : name === "model"
          ? value
          : `${name} ${value}`,
    );
  return [names[slot], said.join(", ")].filter(Boolean).join(": ");
}

// Returns the title above a model's matrix, form or figures.
export const titleOf = (slot) => textOf("model", { name: nameOf(slot) });

// Returns "A", "B" and an end where there are two models, else nothing.
export const prefixOf = (slot, end = " ") => (state.models[1] ? names[slot] + end : "");
