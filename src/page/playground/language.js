// The language of the page.

import { byId } from "../dom.js";
import { languages, texts } from "./texts.js";

export const language = { name: "en" };

// The text of a key, its {names} replaced by values.
export function textOf(key, values = {}) {
  const row = texts[key];
  const text = row[Object.keys(languages).indexOf(language.name)] ?? row[0];
  return text.replace(/\{(\w+)\}/g, (whole, name) =>
    name in values ? String(values[name]) : whole,
  );
}

export const inLanguage = (row) => row[Object.keys(languages).indexOf(language.name)] ?? row[0];

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

// What follows when the page has another language.
export const onLanguage = (act) => listeners.push(act);

export function setLanguage(name) {
  language.name = name;
  byId("language").value = name;
  applyTexts();
  for (const act of listeners) act();
}
