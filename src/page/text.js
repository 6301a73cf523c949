// How a page writes words and numbers.

import { html } from "./dom.js";

// Characters that are invisible or reorder other text are shown by their code point.
const unseen =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc]|[\u{e0000}-\u{e007f}]/gu;

export function visible(text, whole = true) {
  const shown = text.replace(
    unseen,
    (mark) => `⟦U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
  return shown.trim() || !whole ? shown : "␣";
}

// A name such as luong:general:window=local-p, which breaks between its parts.
export function breakable(name) {
  return name.split(/(?<=[:.=])/).flatMap((part) => [visible(part), html("wbr")]);
}

// Truncated to a number of characters, combining marks included.
export function clipped(text, most) {
  const letters = Array.from(visible(text));
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
}

// A word of a corpus, with its direction isolated from the text around it.
export const word = (text, most = 48) => html("bdi", {}, clipped(text, most));

// Whether most letters are of right-to-left scripts.
export function isRightToLeft(words) {
  const letters = words.join("").match(/\p{L}/gu) ?? [];
  return (
    letters.filter((letter) => /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter)).length >
    letters.length / 2
  );
}

// A number as it is written in the page's language.
export const numeral = (number) =>
  ["de", "fr"].includes(document.documentElement.lang) ? number.replace(".", ",") : number;

export function fixed(value, decimals) {
  return Number.isFinite(value) ? numeral(value.toFixed(decimals)) : "–";
}

// As sa_csv_cell_add: no spreadsheet runs the word as a formula.
export function csvCell(text) {
  const guarded = /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
