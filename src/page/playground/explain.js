// The equation of a step, as softalign explain prints it.

import { byId, html } from "../dom.js";
import { rowOf } from "../numbers.js";
import { strip } from "../strip.js";
import { clipped, fixed, visible } from "../text.js";
import { explainsSource, explanation, headInLayer } from "./explanation.js";
import { drawFlow, forgetFlow } from "./flowing.js";
import { textOf } from "./language.js";
import { isOnStage } from "./panels.js";
import { pointedFrame, weightsOf } from "./view.js";

let explained = 0;

export function forgetEquation() {
  explained++;
  forgetFlow();
  for (const id of ["cell", "equation", "strip", "checked", "gradients"])
    byId(id).replaceChildren();
  byId("computation").hidden = byId("cell").hidden = true;
  byId("equation-title").textContent = textOf("equationHint");
}

// Finds lines of an explanation: the start of the attention (of the chosen head, else the first),
// the equation of the weights, the names of the columns below it, and the numbers of source word s.
function weightLines(text, s) {
  const lines = text.split("\n");
  const start = lines.indexOf("Attention");
  const head = headInLayer();
  const attention = start < 0 ? -1 : Math.max(start, lines.indexOf(`  -- head ${head} --`, start));
  const names =
    attention < 0 ? -1 : lines.findIndex((line, i) => i > attention && /alpha_ij$/.test(line));
  const equation =
    names < 0 ? -1 : lines.findLastIndex((line, i) => i < names && /alpha_ij =/.test(line));
  const word =
    names < 0 || s === null
      ? -1
      : lines.findIndex((line, i) => i > names && line.match(/^\s+(\d+) /)?.[1] === String(s + 1));
  return {
    lines,
    attention,
    names,
    equation,
    word,
    ofHead: attention > start ? lines[attention].trim() : "",
  };
}

// Shows the equation of a weight with its numbers, and the whole text with that line marked.
function showEquation(text, s) {
  const { lines, equation, names, word, ofHead } = weightLines(text, s);
  const host = byId("equation");
  const part = (from, to) =>
    lines
      .slice(from, to)
      .map((line) => `${line}\n`)
      .join("");
  byId("cell").hidden = word < 0;
  if (word < 0) {
    host.textContent = text;
    return;
  }
  byId("cell").textContent = [
    (lines[equation] ?? "").trim().replace(/ {4,}/, "\n"),
    lines[names].replace(/^ {14}/, ofHead.padEnd(14)),
    lines[word],
  ].join("\n");
  host.replaceChildren(part(0, word), html("mark", {}, lines[word]), "\n", part(word + 1));
}

// Scrolls the open text to its attention.
export function scrollEquation() {
  const { lines, attention } = weightLines(byId("equation").textContent, null);
  byId("equation").scrollTop =
    attention < 0 ? 0 : (attention * byId("equation").scrollHeight) / lines.length;
}

// Says in words where a row looks.
function inWords(frame, t) {
  const row = rowOf(weightsOf(frame), t, frame.columns.length);
  const most = [...row.keys()]
    .sort((a, b) => row[b] - row[a])
    .filter((s, i) => i < 3 && row[s] >= 0.05);
  return textOf("inWords", {
    word: clipped(frame.rows[t], 30),
    shares: most
      .map((s) => `${clipped(frame.columns[s], 30)} (${fixed(100 * row[s], 0)} %)`)
      .join(", "),
  });
}

export async function explain(t, s) {
  const frame = pointedFrame();
  const number = ++explained;
  if (!frame) return;
  const ofSource = explainsSource();
  const step = ofSource ? (s ?? 0) : t;
  byId("computation").hidden = false;
  byId("equation-title").textContent = ofSource
    ? textOf("equationOfSource", { n: step + 1, word: clipped(frame.columns[step], 30) })
    : inWords(frame, t);
  try {
    const text = await explanation(step);
    const steps = JSON.parse(await explanation(step, "--steps"));
    if (number !== explained) return;
    showEquation(text, ofSource ? null : s);
    byId("strip").replaceChildren(...strip(steps));
    if (!ofSource) drawFlow(steps, t);
    if (isOnStage()) return;
    scrollEquation();
    byId("explained").scrollIntoView({ block: "nearest" });
  } catch (error) {
    if (number === explained) byId("equation").textContent = visible(error.message, false);
  }
}
