// Words and numbers as the pages write them.

import { html } from "./dom.js";

// Characters that are invisible or reorder other text. They are shown by their code point.
const unseen =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc]|[\u{e0000}-\u{e007f}]/gu;

export function visible(text, whole = true) {
  const shown = text.replace(
    unseen,
    (mark) => `⟦U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
  return shown.trim() || !whole ? shown : "␣";
}

// Returns a name such as luong:general:window=local-p with line breaks allowed between its parts.
export function breakable(name) {
  return name.split(/(?<=[:.=])/).flatMap((part) => [visible(part), html("wbr")]);
}

// Truncates a text to a number of characters, including combining marks.
export function clipped(text, most) {
  const letters = Array.from(visible(text));
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
}

// Returns a word of a corpus, whose direction does not affect the text around it.
export const word = (text, most = 48) => html("bdi", {}, clipped(text, most));

// Returns whether most letters belong to right-to-left scripts.
export function isRightToLeft(words) {
  const letters = words.join("").match(/\p{L}/gu) ?? [];
  return (
    letters.filter((letter) => /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter)).length >
    letters.length / 2
  );
}

// Returns a number as the page's language writes it.
export const numeral = (number) =>
  ["de", "fr"].includes(document.documentElement.lang) ? number.replace(".", ",") : number;

// Returns a number with this many decimals; what rounds to 0 has no sign.
export function fixed(value, decimals) {
  if (!Number.isFinite(value)) return "–";
  const text = value.toFixed(decimals);
  return numeral(Number(text) === 0 ? text.replace("-", "") : text);
}

// Returns a cell of a CSV file. Like sa_csv_cell_add, it keeps spreadsheets from running words as
// formulas.
export function csvCell(text) {
  const guarded = /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
