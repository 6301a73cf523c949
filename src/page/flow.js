// How a context vector is made, as an animation of bars: the query, its scores, their softmax, and
// the weighted sum.

import { html, make, svg } from "./dom.js";
import { widthOf } from "./labels.js";
import { clamp } from "./numbers.js";
import { clipped, fixed, numeral } from "./text.js";

const FONT = 17;
const SMALL = 0.8 * FONT; // of the numbers of scales
const LINE = 1.6 * FONT;
const LENGTH = 4.2 * FONT; // of the longest bar
const DIMS = 16; // numbers of a vector that are drawn
const SECONDS = 12;
const PHASES = 4; // query, scores, softmax, sum

// Returns the numbers of a head (from 1) in the steps of an explanation: { query, scores, weights,
// values [[..]], context, formulas }; null where the model has no softmax over source words.
export function flowOf(steps, head) {
  const find = (names, own) =>
    steps.find((step) => names.includes(step.name) && (own ? step.head === head : !step.head));
  const ofHead = (...names) => find(names, true) ?? find(names, false);
  const query = ofHead("q_i", "W_a s_{i-1}") ?? find(["s_{i-1}"], false);
  const scores = ofHead("e_ij");
  const exps = ofHead("exp(e_ij)");
  const weights = ofHead("alpha_ij");
  const values = ofHead("v_j", "W_v h_j") ?? find(["h_j"], false);
  const context = find(["o_i"], true) ?? find(["c_i", "o_i"], false);
  const rows = weights?.numbers.length;
  if (!query || !exps || !context || scores?.numbers.length !== rows) return null;
  if (values?.numbers.length !== rows || values.numbers[0].length !== context.numbers[0].length)
    return null;
  return {
    query: query.numbers[0],
    scores: scores.numbers.flat(),
    weights: weights.numbers.flat(),
    values: values.numbers,
    context: context.numbers[0],
    names: [query.name, "e_ij", "alpha_ij", context.name],
    formulas: [query.formula, scores.formula || query.formula, exps.formula, context.formula],
  };
}

const highest = (list) => list.reduce((high, x) => Math.max(high, Math.abs(x ?? 0)), 1e-9);

// Returns a picture of a vector as bars up and down, and a function that draws its numbers.
function vectorAt(x, y, count, scale) {
  const wide = (2 * LENGTH) / count;
  const bars = Array.from({ length: count }, (_, d) =>
    svg("rect", { class: "bar", x: x + d * wide, width: wide * 0.8, y, height: 0 }),
  );
  const base = svg("line", { class: "base", x1: x, x2: x + 2 * LENGTH, y1: y, y2: y });
  const show = (numbers) =>
    bars.forEach((bar, d) => {
      const size = (clamp(numbers[d] / scale, -1, 1) * LINE) / 2.2;
      make(bar, { y: y - Math.max(size, 0), height: Math.abs(size) });
      bar.classList.toggle("less", size < 0);
    });
  return { nodes: [base, ...bars], show };
}

const yOf = (line) => (line + 0.7) * LINE;

// Returns the places of the columns: words, scores and weights with numbers, values.
function columnsOf(words, texts) {
  const long = (text) => widthOf(text, FONT);
  const names = Math.max(...words.map((text) => long(clipped(text, 10))), long(texts.query));
  const score = names + 0.8 * FONT;
  const weight = score + Math.max(LENGTH + 2.6 * FONT, long(texts.scores)) + FONT;
  const value = weight + Math.max(LENGTH + 2.6 * FONT, long(texts.weights)) + FONT;
  const width = value + Math.max(2 * LENGTH + 3.2 * FONT, long(texts.values)); // with a ± number
  return { names, score, weight, value, width };
}

const textAt = (x, y, text, attributes = {}) =>
  svg("text", { x, y: y + 0.35 * FONT, "font-size": FONT, ...attributes }, text);

// Draws a source word with its score, its weight and its value. Returns a function that draws their
// moments: { scored, weighed, added } from 0 to 1, and whether there are values yet.
function lineOf(picture, { scores, weights, values }, place, word, j) {
  const y = yOf(j + 2);
  const middle = place.score + LENGTH / 2;
  const bar = { class: "bar", y: y - 0.3 * LINE, height: 0.6 * LINE, width: 0 };
  const score = svg("rect", { ...bar, x: middle });
  const scoreNumber = textAt(place.score + LENGTH + 0.2 * FONT, y, "");
  const weight = svg("rect", { ...bar, x: place.weight });
  const number = textAt(place.weight, y, "");
  const dims = Math.min(DIMS, values[j].length);
  const value = vectorAt(place.value, y, dims, highest(values.flat()));
  const name = textAt(place.names, y, clipped(word, 10), { "text-anchor": "end" });
  const share = (scores[j] ?? 0) / highest(scores);
  picture.append(name, score, scoreNumber, weight, number, ...value.nodes);
  return ({ isThere, scored, weighed, added }) => {
    const size = (share * LENGTH * scored) / 2;
    const length = Math.max(weights[j] * LENGTH * weighed, 0);
    make(score, { x: middle + Math.min(size, 0), width: Math.abs(size) });
    score.classList.toggle("less", size < 0);
    scoreNumber.textContent = scored ? fixed((scores[j] ?? -Infinity) * scored, 1) : "";
    make(weight, { width: length });
    make(number, { x: place.weight + length + 0.3 * FONT });
    number.textContent = weighed ? fixed(weights[j] * weighed, 2) : "";
    value.show(values[j].map((x) => x * isThere * (1 - (1 - weights[j]) * added)));
    name.classList.toggle("seen", added > 0 && added < 1);
  };
}

// Returns a number with two digits.
const shortOf = (number) => numeral(String(Number(number.toPrecision(2))));

// Returns the scales of the bars of scores and of weights, lines with numbers below them, and of
// the vectors, whose highest bar is ± a number.
function scalesOf({ query, scores, values, context }, place, rows, sumY) {
  const [top, bottom] = [yOf(1.6), yOf(rows + 1.4)];
  const scale = (left, ends) =>
    ends.flatMap(([share, text]) => {
      const x = left + share * LENGTH;
      const middle = { class: "axis scale", "text-anchor": "middle" };
      return [
        svg("line", { class: "base", x1: x, x2: x, y1: top, y2: bottom }),
        textAt(x, yOf(rows + 1.95), text, { ...middle, "font-size": SMALL }),
      ];
    });
  const upTo = (x, y, numbers) => {
    const text = `± ${shortOf(highest(numbers))}`;
    return textAt(x + 2 * LENGTH + 0.4 * FONT, y, text, { class: "axis", "font-size": SMALL });
  };
  const most = shortOf(highest(scores));
  return svg(
    "g",
    {},
    upTo(place.score, yOf(0), query),
    upTo(place.value, yOf(2), values.flat()),
    upTo(place.value, sumY, context),
    ...scale(place.score, [
      [0, `−${most}`],
      [0.5, "0"],
      [1, most],
    ]),
    ...scale(place.weight, [
      [0, "0"],
      [1, "1"],
    ]),
  );
}

// Draws the flow of one target word. `texts`: { query, scores, weights, values, sum, play, time },
// play for screen readers. Returns { figure, stop }.
export function Flow(flow, words, texts) {
  const { query, weights, values, context } = flow;
  const rows = words.length;
  const place = columnsOf(words, texts);
  const picture = svg("svg", {
    viewBox: `0 0 ${place.width} ${(rows + 4.1) * LINE}`,
    role: "img",
    "aria-label": flow.formulas.filter(Boolean).join("; "),
  });
  const asked = vectorAt(place.score, yOf(0), Math.min(DIMS, query.length), highest(query));
  const sumY = yOf(rows + 2.8);
  const sum = vectorAt(place.value, sumY, Math.min(DIMS, context.length), highest(context));
  const lines = words.map((word, j) => lineOf(picture, flow, place, word, j));
  const title = (x, name) => textAt(x, yOf(1), texts[name], { class: "axis" });
  const right = { "text-anchor": "end" };
  picture.append(
    scalesOf(flow, place, rows, sumY),
    textAt(place.names, yOf(0), texts.query, right),
    ...asked.nodes,
    title(place.score, "scores"),
    title(place.weight, "weights"),
    title(place.value, "values"),
    textAt(place.value - 0.6 * FONT, sumY, texts.sum, right),
    ...sum.nodes,
  );

  // Draws the moment t, from 0 to 4; each phase ends at a whole number.
  function draw(t) {
    const part = (phase) => clamp(t - phase, 0, 1);
    const added = words.map((_, j) => clamp(part(3) * (rows + 1) - j, 0, 1)); // row after row
    asked.show(query.map((x) => x * part(0)));
    lines.forEach((line, j) =>
      line({
        isThere: part(0),
        scored: clamp(part(1) * (rows + 1) - j, 0, 1),
        weighed: part(2),
        added: added[j],
      }),
    );
    sum.show(
      context.map((_, d) =>
        weights.reduce((all, weight, j) => all + weight * values[j][d] * added[j], 0),
      ),
    );
  }
  return player(picture, draw, flow, texts);
}

// Returns the picture with its controls. It plays once, slowly, unless the user asked for reduced
// motion.
function player(picture, draw, { formulas, names }, texts) {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const slider = html("input", {
    type: "range",
    min: 0,
    max: PHASES,
    step: 0.01,
    value: isStill ? PHASES : 0,
  });
  const button = html("button", { type: "button", "aria-label": texts.play });
  const formula = html("code", {});
  let playing = 0; // the request of the next frame
  let before = 0;
  const show = () => {
    const t = Number(slider.value);
    const phase = Math.min(Math.floor(t), PHASES - 1);
    draw(t);
    formula.textContent = formulas[phase] || names[phase];
    button.textContent = playing ? "❚❚" : "▶";
  };
  const stop = () => {
    cancelAnimationFrame(playing);
    playing = 0;
    show();
  };
  const frame = (now) => {
    slider.value = Number(slider.value) + (Math.min(now - before, 100) * PHASES) / SECONDS / 1000;
    before = now;
    if (!picture.isConnected || Number(slider.value) >= PHASES) {
      stop();
      return;
    }
    playing = requestAnimationFrame(frame);
    show();
  };
  const play = () => {
    if (Number(slider.value) >= PHASES) slider.value = 0;
    before = performance.now();
    playing = requestAnimationFrame(frame);
    show();
  };
  make(button, { on: { click: () => (playing ? stop() : play()) } });
  make(slider, { on: { input: stop } });
  const moment = html("label", {}, html("span", {}, texts.time), slider);
  const controls = html("p", { class: "controls" }, button, moment, formula);
  const figure = html("figure", { class: "flow" }, picture, controls);
  if (isStill) show();
  else requestAnimationFrame(play);
  return { figure, stop };
}
