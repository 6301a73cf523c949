// An annotated paper: names that light up, lines that belong together, and numbers from the C file.
import { openEngine } from "./engine.js";
import { figureOf, rangeOf } from "./figure.js";
import { foldPanel } from "./fold.js";
import { followJoins } from "./joins.js";
import { followNames } from "./names.js";
import { shownPairs, somePairs } from "./pairs.js";
import { themeButton } from "./theme.js";

const CHECKPOINTS = 16;
const WEIGHTS = ["alpha", "mean"]; // whose darkest color is 1
const UPDATES = { 2015: 6000, 2017: 800 };
const PIECE = 4; // updates between two looks at the page

const at = (id) => document.getElementById(id);
const names = JSON.parse(at("names").textContent);
const year = document.title.match(/\((\d+)\)/)[1];
const state = { name: "alpha", step: 0, pair: 0, checkpoint: 0, engine: null, numbers: new Map() };

const words = () => shownPairs[state.pair].split("\t").map((side) => [...side.split(" "), "</s>"]);

// The labels of a side of a matrix with so many rows or columns, where they are words.
const labels = (count, name) => {
  const [source, target] = words();
  if (name === "own") return ["<s>", ...target].slice(0, count);
  if (name === "p") return Array.from({ length: count }, (_, id) => state.engine.spelling(id));
  return count === source.length ? source : null;
};

// The letters of a shape such as "[S × n_a]": rows and columns, or columns alone.
const lettersOf = (shape) =>
  shape
    .replace(/[[\]]/g, "")
    .split("×")
    .map((letter) => letter.trim());

// The most probable words, since a vocabulary has too many for bars.
const likely = (numbers) => {
  const spelled = labels(numbers.cols, "p");
  const best = [...numbers.x.keys()]
    .sort((one, other) => numbers.x[other] - numbers.x[one])
    .slice(0, 8);
  return [
    { rows: 1, cols: 8, x: Float64Array.from(best, (id) => numbers.x[id]) },
    best.map((id) => spelled[id]),
  ];
};

const showLens = () => {
  const [symbol, shape, meaning] = names[state.name];
  const lens = at("lens");
  lens.innerHTML = `<h2>${symbol} <span class="shape">${shape}</span></h2><p></p>`;
  lens.querySelector("p").textContent = meaning;
  const numbers = state.numbers.get(state.name);
  const letters = lettersOf(shape);
  if (!numbers) return;
  if (WEIGHTS.includes(state.name)) numbers.most = 1;
  const [top, spelled] = state.name === "p" ? likely(numbers) : [];
  if (top) lens.append(figureOf(meaning, top, null, spelled));
  else
    lens.append(
      figureOf(
        meaning,
        numbers,
        numbers.rows > 1 && letters[0] === "S" ? labels(numbers.rows) : null,
        letters.at(-1) === "S" || state.name === "own" ? labels(numbers.cols, state.name) : null,
      ),
    );
  const note = document.createElement("p");
  note.className = "range";
  note.textContent = rangeOf(numbers);
  lens.append(note);
};

const MATRIX = { 2015: "alpha", 2017: "mean" };
const showMatrix = () => {
  const [source, target] = words();
  const x = [];
  for (let i = 0; i < target.length; i++) {
    const row = state.engine.show(shownPairs[state.pair], i).get(MATRIX[year]);
    x.push(...row.x);
  }
  const svg = figureOf(
    "Alpha of all words",
    { rows: target.length, cols: source.length, x, most: 1 },
    target,
    source,
  );
  svg
    .querySelectorAll("text.row")
    .forEach((each, i) => each.classList.toggle("now", i === state.step));
  const caption = document.createElement("figcaption");
  caption.textContent = "rows: target, columns: source; white 0, black 1";
  at("matrix").replaceChildren(svg, caption);
};

const showTarget = () => {
  const buttons = words()[1].map((word, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = word;
    button.setAttribute("aria-pressed", i === state.step);
    button.addEventListener("click", () => ((state.step = i), show()));
    return button;
  });
  at("target").replaceChildren(...buttons);
};

const show = () => {
  state.engine.restore(state.checkpoint);
  showMatrix();
  state.numbers = state.engine.show(shownPairs[state.pair], state.step);
  showTarget();
  showLens();
  const share = Math.round((100 * state.checkpoint) / (CHECKPOINTS - 1));
  at("checkpoint-text").textContent = state.checkpoint === 0 ? "untrained" : `${share} % trained`;
};

const pause = () => new Promise((go) => setTimeout(go));

// Trains in short slices, so that the page stays responsive; the slider grows with it. It works on
// a checkpoint of its own, because between the slices the page shows others.
const train = async () => {
  const of = UPDATES[year];
  const slider = at("checkpoint");
  state.engine.keep(CHECKPOINTS);
  for (let i = 0; i < of; i += PIECE) {
    state.engine.restore(CHECKPOINTS);
    const loss = state.engine.train(i, i + PIECE, of);
    state.engine.keep(CHECKPOINTS);
    const checkpoint = Math.floor(((CHECKPOINTS - 1) * (i + PIECE)) / of);
    if (checkpoint > slider.max) {
      state.engine.keep(checkpoint);
      slider.max = checkpoint;
      at("status").textContent =
        `Trained in this page: ${i + PIECE} of ${of} updates, loss ${loss.toFixed(2)}.`;
      if (!state.chosen) ((state.checkpoint = checkpoint), (slider.value = checkpoint), show());
    }
    await pause();
  }
};

const listen = () => {
  at("checkpoint").addEventListener("input", (event) => {
    state.chosen = true;
    state.checkpoint = Number(event.target.value);
    show();
  });
  at("step").addEventListener("click", () => {
    state.step = (state.step + 1) % words()[1].length;
    show();
  });
  at("pair").addEventListener("change", (event) => {
    state.pair = Number(event.target.value);
    state.step = 0;
    show();
  });
};

const start = async () => {
  themeButton();
  foldPanel();
  followJoins();
  const light = followNames((key) => {
    state.name = key;
    if (state.engine) showLens();
  });
  at("pair").append(...shownPairs.map((pair, i) => new Option(pair.split("\t")[0], i)));
  state.engine = await openEngine(at("module").textContent);
  state.engine.begin(`${somePairs(600).join("\n")}\n`);
  state.engine.keep(0);
  listen();
  show();
  light("alpha");
  await train();
};
start();
