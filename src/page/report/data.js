// The data of the page.

import { clipped } from "../text.js";

export const page = JSON.parse(document.getElementById("data").textContent);

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const digitOf = new Map(Array.from(digits, (digit, i) => [digit, i]));

// Returns `count` weights. Two characters each: thousandths or, from 1024 on, a run of zeros.
export function unpack(text, count) {
  const weights = new Float32Array(count);
  for (let i = 0, at = 0; i < text.length; i += 2) {
    const number = digitOf.get(text[i]) * 64 + digitOf.get(text[i + 1]);
    if (number < 1024) weights[at++] = number / 1000;
    else if (number <= 3072) at += number - 1024;
    else weights[at++] = (3072 - number) / 1000;
  }
  return weights;
}

// Returns the cells of a CSV file of the page (RFC 4180).
export function readCsv(text) {
  const rows = [[]];
  const cell = /("(?:[^"]|"")*"|[^,\n]*)(,|\n|$)/gy;
  for (let match; cell.lastIndex < text.length && (match = cell.exec(text));) {
    const quoted = match[1].startsWith('"');
    rows.at(-1).push(quoted ? match[1].slice(1, -1).replaceAll('""', '"') : match[1]);
    if (match[2] === "\n" && cell.lastIndex < text.length) rows.push([]);
  }
  return rows;
}

// Returns the rows of a file as objects by column name, with numbers parsed.
export function records(name) {
  if (!(name in page.files)) return [];
  const [header, ...rows] = readCsv(page.files[name]);
  return rows.map((row) =>
    Object.fromEntries(
      header.map((key, i) => [
        key,
        key === "model" || key === "band" ? row[i] : row[i] === "" ? NaN : Number(row[i]),
      ]),
    ),
  );
}

// Returns a sentence as it stands in a list, by its number and words.
export function sentenceTitle(i, source, note = "") {
  const words = source.slice(0, -1).map((text) => clipped(text, 20));
  return `${i + 1}  ${note}${words.join(" ").slice(0, 80)}`;
}
