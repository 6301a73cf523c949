// The worker: trains up to two models in turn, update by update, and answers the page between two
// slices. A message of the page has an id, an act and its arguments; the answer has the id and a
// result or an error. During a training, the page gets a moment (a frame of each model) after
// each slice.

import { openModule } from "./module.js";

// Milliseconds of a slice of training and of measuring held-out pairs. Together with a look they
// stay well below 100, for ten looks a second, even where the page gets only part of a core.
const TRAINING = 35;
const MEASURING = 20;
const MEASURED = 200; // held-out pairs behind the figures
const TOGETHER = 4; // that are measured at once, at least
// Updates from one measurement to the next, so that every machine measures at the same updates.
const EVERY = 50;

let softalign = null;
let running = false;
// Moments that the page has not drawn yet. There are at most two, so that the page never lags
// behind.
let unseen = 0;
let left = Infinity; // updates until it pauses
let updates = 1; // of each model in a slice, as many as fit it: equal batches for both
let pairs = 8; // that a slice measures
let measuring = 0; // the model whose turn it is
let watched = { source: null, target: null, look: "", links: null };
const models = [null, null]; // { play, attends, step, measures, ... }

const opened = (slot) => {
  if (!models[slot]) throw new Error("There is no such model.");
  return models[slot];
};

// ---- Moments

// Returns the words of a source that a model does not know; asks for each only once.
function unknownIn(model, { unknown_source: count, source }) {
  if (!count) return [];
  const of = source.join(" ");
  if (model.unknown?.of !== of) {
    const words = new Set(source.slice(0, -1).filter((word) => word.trim()));
    model.unknown = {
      of,
      words: [...words].filter(
        (word) => softalign.call("translate", model.play, word, "", null).unknown_source,
      ),
    };
  }
  return model.unknown.words;
}

// Adds to a frame what a model does with the watched sentence.
function look(model, frame) {
  const { play, attends } = model;
  const { source, target, look: options, links } = watched;
  if (source === null) return;
  const found = softalign.call("translate", play, source, options, links);
  Object.assign(frame, { translation: found.text, unknown: unknownIn(model, found) });
  if (!attends) return;
  const {
    source: columns,
    target: rows,
    weights,
    each,
    heads,
    layers,
  } = softalign.call("align", play, source, target, options, links);
  const flat = (matrix) => Float32Array.from(matrix.flat());
  Object.assign(frame, { columns, rows, weights: weights && flat(weights), heads, layers });
  if (each && heads * layers > 1) frame.each = each.flatMap((layer) => layer.map(flat));
}

// Returns how often to do something in `share` milliseconds, if `count` times took `spent`.
const fitting = (count, share, spent, most) =>
  Math.max(1, Math.min(Math.round((count * share) / Math.max(spent, 0.5)), most, 2 * count));

// Measures `count` further held-out pairs (0: all that are left) with the weights that the
// measurement began with. Its frame gets the figures when they are complete.
function measurePart(model, frame, count) {
  const figures = softalign.call("validate", model.play, MEASURED, count);
  model.measures = !figures;
  if (figures) frame.held = figures;
}

// Returns the number of updates until the next measurement.
const untilMeasured = () =>
  Math.min(...models.filter((model) => model?.trains).map(({ step }) => EVERY - (step % EVERY)));

// Begins to measure when it is time, and goes on with one model at a time while they train.
function measure(frames) {
  models.forEach((model, slot) => {
    if (!frames[slot] || model.step % EVERY) return;
    if (model.measures) measurePart(model, frames[slot], 0); // training is faster
    measurePart(model, frames[slot], 1);
  });
  const slot = [measuring, 1 - measuring].find((one) => frames[one] && models[one].measures);
  if (slot === undefined) return;
  const began = performance.now();
  measurePart(models[slot], frames[slot], pairs);
  pairs = Math.max(fitting(pairs, MEASURING, performance.now() - began, MEASURED), TOGETHER);
  measuring = models[slot].measures ? slot : 1 - slot;
}

function advance(model, count) {
  const {
    step,
    epoch,
    loss,
    words,
    seconds,
    gradient_norm: norm,
    done,
  } = softalign.call("step", model.play, count);
  const pace = model.pace; // of the last ten slices or so: single ones are too short to time
  pace.words = 0.9 * pace.words + words;
  pace.seconds = 0.9 * pace.seconds + seconds;
  model.step = step;
  return { step, epoch, loss, speed: pace.words / pace.seconds, norm, done };
}

// Measures all held-out pairs with the current weights.
function measureAll(frames) {
  models.forEach((model, slot) => {
    const frame = frames[slot];
    while (frame && frame.held?.step !== frame.step) measurePart(model, frame, 0);
  });
}

function tellMoment(frames, rests = false) {
  unseen++;
  postMessage({ moment: frames, rests, memory: softalign.memory.buffer.byteLength });
}

// Trains each model, and looks at the watched sentence.
function play(count) {
  const frames = models.map((model) => (model?.trains ? advance(model, count) : null));
  models.forEach((model, slot) => frames[slot] && look(model, frames[slot]));
  return frames;
}

function slice() {
  if (!running) return;
  if (unseen > 1) {
    setTimeout(slice, 5);
    return;
  }
  try {
    const began = performance.now();
    const count = Math.min(updates, left, untilMeasured());
    const frames = play(count);
    if (count === updates) updates = fitting(count, TRAINING, performance.now() - began, 1000);
    left -= count;
    if (left === 0 || !frames.some(Boolean)) running = false;
    if (left === 0) measureAll(frames);
    else measure(frames);
    tellMoment(frames, !running);
    setTimeout(slice);
  } catch (error) {
    running = false;
    postMessage({ [isTrap(error) ? "trap" : "failure"]: error.message });
  }
}

// ---- What the page asks for

const acts = {
  async start({ bytes }) {
    softalign = await openModule(bytes);
    return softalign.call("info");
  },
  open({ slot, options, train, valid, state }) {
    acts.close({ slot });
    const play = softalign.call("open", options, train, valid, ...(state ? [state] : [null, 0]));
    return keep(slot, play, true);
  },
  load({ slot, file }) {
    const play = softalign.call("load", file); // a file that is refused leaves the model before it
    acts.close({ slot });
    return keep(slot, play, false);
  },
  // Says what model a file holds.
  peek({ file }) {
    const play = softalign.call("load", file);
    const about = softalign.call("about", play);
    softalign.call("close", play);
    return about;
  },
  // Returns, for each list of sources, whether the model of a file knows all its words.
  knows({ file, lists }) {
    const play = softalign.call("load", file);
    const isKnown = (source) => !softalign.call("translate", play, source, "", null).unknown_source;
    const known = lists.map((sources) => sources.length > 0 && sources.every(isKnown));
    softalign.call("close", play);
    return known;
  },
  // Throws an error if a training cannot go on with these pairs.
  fits({ options, train, valid, state }) {
    softalign.call("close", softalign.call("open", options, train, valid, state));
  },
  close({ slot }) {
    if (models[slot]) softalign.call("close", models[slot].play);
    models[slot] = null;
  },
  // Starts or pauses; `count`: the updates after which it pauses by itself.
  run({ on, count = Infinity }) {
    if (on && !running) setTimeout(slice);
    running = on;
    left = count;
  },
  seen() {
    unseen--;
  },
  step({ count }) {
    const frames = play(count);
    measureAll(frames);
    tellMoment(frames);
  },
  // Sets the sentence to look at; returns its frames with the current weights.
  watch(wanted) {
    watched = wanted;
    return models.map((model) => {
      if (!model) return null;
      const frame = {};
      look(model, frame);
      return frame;
    });
  },
  // Calls a function of the module; `slot` puts a model before its arguments.
  call({ name, slot, values }) {
    return softalign.call(name, ...(slot === undefined ? [] : [opened(slot).play]), ...values);
  },
};

function keep(slot, play, trains) {
  const about = softalign.call("about", play);
  models[slot] = {
    play,
    trains,
    attends: about.attention,
    step: about.step ?? 0,
    measures: false,
    pace: { words: 0, seconds: 0 },
  };
  const pairs = Array.from({ length: Math.min(about.held_out ?? 0, MEASURED) }, (_, i) =>
    softalign.call("pair", play, i),
  );
  return { ...about, held: pairs };
}

// Returns whether an error is a trap, after which the module cannot go on; other errors are
// answers.
const isTrap = (error) => error instanceof WebAssembly.RuntimeError || error instanceof RangeError;

addEventListener("message", async ({ data: { id, act, ...given } }) => {
  try {
    postMessage({ id, result: await acts[act](given) });
  } catch (error) {
    postMessage({ id, error: error.message, trap: isTrap(error) ? error.message : undefined });
  }
});
