// softalign for JavaScript: models that are trained and looked at in this process, by the
// playground's module.
import { openModule } from "./module.mjs";

const isNode = new URL(import.meta.url).protocol === "file:";

async function bytesOf(source) {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (typeof Blob !== "undefined" && source instanceof Blob)
    return new Uint8Array(await source.arrayBuffer());
  if (isNode && (typeof source === "string" || source?.protocol === "file:"))
    return new Uint8Array(await (await import("node:fs/promises")).readFile(source));
  if (typeof source !== "string" && !(source instanceof URL))
    throw new TypeError(
      "a model is the path or URL of a .safetensors file, or its bytes: load(new Uint8Array(...))",
    );
  const response = await fetch(source);
  if (!response.ok)
    throw new Error(`cannot open '${source}': ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

// All models live in one instance, until that has failed.
let instance = null;

function softalign() {
  instance ??= bytesOf(new URL("playground.wasm", import.meta.url)).then(openModule);
  return instance;
}

function guard(act) {
  try {
    return act();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) instance = null;
    throw error;
  }
}

// {beam: 4, inputFeeding: true} as "--beam 4 --input-feeding".
function textOf(options = {}) {
  const words = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === false) continue;
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (/\s/.test(String(value)) || value === "")
      throw new TypeError(`${name}: the value '${value}' of an option is one word`);
    words.push(value === true ? option : `${option} ${value}`);
  }
  return words.join(" ");
}

function line(pair, i) {
  const sides = Array.isArray(pair)
    ? pair.slice(0, 3)
    : [pair?.source, pair?.target, pair?.alignment];
  if (sides[2] === undefined) sides.length = 2;
  if (sides.length < 2 || sides.some((side) => typeof side !== "string" || /[\t\r\n]/.test(side)))
    throw new TypeError(
      `pair ${i + 1}: a pair is [source, target] or {source, target}, strings without tabs and line ends`,
    );
  return sides.join("\t");
}

function pairsText(pairs) {
  if (typeof pairs === "string") return pairs;
  if (typeof pairs?.[Symbol.iterator] !== "function")
    throw new TypeError(
      'pairs are a list [["a cat", "un chat"], ...] or text: "source TAB target" on each line',
    );
  return Array.from(pairs, line).join("\n") + "\n";
}

export class Model {
  #module;
  #play;

  constructor(module, play) {
    this.#module = module;
    this.#play = play;
  }

  #call(name, ...values) {
    if (!this.#play) throw new Error("this model was closed");
    return guard(() => this.#module.call(name, this.#play, ...values));
  }

  get about() {
    return this.#call("about");
  }

  translate(source, options) {
    return this.#call("translate", source, textOf(options), null);
  }

  align(source, target = null, options = {}) {
    return this.#call("align", source, target, textOf(options), null);
  }

  explain(source, target = null, options = {}) {
    return this.#call("explain", source, target, textOf(options));
  }

  csv(source, target = null) {
    return this.#call("picture", source, target, "csv");
  }

  svg(source, target = null) {
    return this.#call("picture", source, target, "svg");
  }

  save({ state = false } = {}) {
    return this.#call("save", state);
  }

  close() {
    if (this.#play) this.#call("close");
    this.#play = null;
  }

  static async load(source) {
    const [module, bytes] = [await softalign(), await bytesOf(source)];
    return new Model(
      module,
      guard(() => module.call("load", bytes)),
    );
  }

  static async train(pairs, { valid, resume, progress, signal, seconds, ...settings } = {}) {
    const module = await softalign();
    const state = resume ? await bytesOf(resume) : null;
    const most = seconds ?? (settings.steps || settings.epochs ? 0 : 60);
    const began = performance.now();
    const play = guard(() =>
      module.call(
        "open",
        textOf(settings),
        pairsText(pairs),
        valid ? pairsText(valid) : null,
        ...(state ? [state] : [null, 0]),
      ),
    );
    const model = new Model(module, play);
    try {
      for (let updates = 1, done = null; !done;) {
        signal?.throwIfAborted();
        const start = performance.now();
        const moment = model.#call("step", Math.min(updates, toLimit(model, settings.steps)));
        done = moment.done ?? (most && performance.now() - began > 1000 * most ? "time" : null);
        if ((await progress?.({ ...moment, done })) === false) done = "progress";
        if (performance.now() - start < SLICE / 2) updates *= 2;
        else if (performance.now() - start > SLICE) updates = Math.ceil(updates / 2);
        await new Promise((resolve) => setTimeout(resolve)); // others have their turn
      }
    } catch (error) {
      if (instance) model.close();
      throw error;
    }
    return model;
  }
}

const SLICE = 50; // milliseconds of training between two calls of progress, about

// Updates exactly up to the limit.
function toLimit(model, steps) {
  return steps ? Math.max(1, steps - model.about.step) : Infinity;
}

export const load = Model.load;
export const train = Model.train;

export async function corpus(task, { pairs = 10000, seed = 1, split = "train" } = {}) {
  const module = await softalign();
  const text = guard(() => module.call("pairs", task, pairs, seed, split, 0));
  return text
    .trimEnd()
    .split("\n")
    .map((row) => row.split("\t"));
}

export async function info() {
  return (await softalign()).call("info");
}
