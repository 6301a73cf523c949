// The language of the page.

import { byId } from "../dom.js";
import { languages, texts } from "./texts.js";

export const language = { name: "en" };

// Returns the text of a row of texts in the current language.
export const inLanguage = (row) => row[Object.keys(languages).indexOf(language.name)] ?? row[0];

// Returns the text of a key with its {names} replaced by values.
export function textOf(key, values = {}) {
  return inLanguage(texts[key]).replace(/\{(\w+)\}/g, (whole, name) =>
    name in values ? String(values[name]) : whole,
  );
}

// Returns the parts of such a text, which | separates.
export const partsOf = (row) =>
  inLanguage(row)
    .replaceAll(" %", "\u00a0%")
    .split("|")
    .map((part) => part.trim());

// Writes the texts of all elements that name one.
export function applyTexts() {
  document.documentElement.lang = language.name;
  for (const node of document.querySelectorAll("[data-text]"))
    node.textContent = textOf(node.dataset.text);
  for (const node of document.querySelectorAll("[data-label]"))
    node.setAttribute("aria-label", textOf(node.dataset.label));
  for (const node of document.querySelectorAll("[data-hint], button[data-label]"))
    node.title = textOf(node.dataset.hint ?? node.dataset.label);
}

const listeners = [];

// Calls `act` whenever the language changes.
export const onLanguage = (act) => listeners.push(act);

export function setLanguage(name) {
  language.name = name;
  byId("language").value = name;
  applyTexts();
  for (const act of listeners) act();
}
