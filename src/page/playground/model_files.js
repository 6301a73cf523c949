// Files of models and of trainings.

import { byId, offer } from "../dom.js";
import { clipped } from "../text.js";
import { ask, call, callModel, engine } from "./engine.js";
import { drawForms } from "./forms.js";
import { textOf } from "./language.js";
import { say } from "./message.js";
import { BASE, optionsOf, settingsOf } from "./options.js";
import { checkSize, makePairs } from "./pairs.js";
import { held } from "./sentence.js";
import { state, training } from "./state.js";
import { listTasks } from "./tasks.js";
import { enable, reopen, run, showOpened } from "./training.js";

export async function saveModel(wholeTraining) {
  offer(
    wholeTraining ? "last.safetensors" : "model.safetensors",
    await callModel(0, "save", wholeTraining ? 1 : 0),
    "application/octet-stream",
  );
}

// Returns whether a file holds the state of a training. The header of a .safetensors file names its
// tensors.
const isTraining = (bytes) =>
  new TextDecoder().decode(bytes.subarray(8, 200000)).includes('"training.at"');

const beginningOf = (pairs) => pairs.slice(0, 5).map(({ source }) => source);

// Returns the tasks whose words a model knows, each with some pairs.
async function knownTasks(file) {
  const pairOf = (line) => {
    const [source, target, gold = ""] = line.split("\t");
    return { source, target, gold };
  };
  const tasks = await Promise.all(
    engine.info.tasks.map(async ({ name }) => ({
      name,
      pairs: (await call("pairs", name, 100, 1, "valid", state.longest))
        .split("\n")
        .filter(Boolean)
        .map(pairOf),
    })),
  );
  const known = await ask("knows", { file, lists: tasks.map(({ pairs }) => beginningOf(pairs)) });
  return tasks.filter((_, i) => known[i]);
}

// Chooses pairs that a training can go on with: those of the page, or of the first task that fits.
async function fittingTask(options, bytes) {
  const before = { task: state.task, own: state.own, grammar: state.grammar };
  const pairs = training.pairs;
  let refused;
  for (const chosen of [
    before,
    ...(await knownTasks(bytes))
      .filter(({ name }) => name !== state.task)
      .map(({ name }) => ({ task: name, own: null, grammar: null })),
  ]) {
    try {
      Object.assign(state, chosen);
      if (chosen !== before) await makePairs();
      await ask("fits", { options, ...training.pairs, state: bytes });
      return;
    } catch (error) {
      refused ??= error;
    }
  }
  Object.assign(state, before);
  training.pairs = pairs;
  throw new Error(`${refused.message} ${textOf("otherPairs")}`);
}

// Goes on with a training and its settings. Where that fails, nothing changes.
async function goOnFrom(bytes) {
  const { command } = await ask("peek", { file: bytes });
  const settings = settingsOf(command.replaceAll("=", " "));
  for (const name of Object.keys(BASE))
    settings[name] ??= String(engine.info.options.find((option) => option.name === name).default);
  const chosen = Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== BASE[name]),
  );
  await run(false);
  await fittingTask(optionsOf(chosen), bytes);
  state.models[0] = chosen;
  listTasks();
  drawForms();
  await reopen(bytes);
}

// Returns sentences for a model without its pairs: those of the page or of the first task whose
// words it knows, else some of its words.
async function knownSentences(bytes) {
  const [isKnown] = await ask("knows", { file: bytes, lists: [beginningOf(held())] });
  const [task] = isKnown ? [{ pairs: held() }] : await knownTasks(bytes);
  if (task) return task.pairs;
  const start = 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const read = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  const [from, to] = JSON.parse(read(8, start))["source.words"].data_offsets;
  const words = read(start + from, start + to)
    .split("\n")
    .filter((text) => text && !/^<.*>$/.test(text));
  return Array.from({ length: Math.min(Math.ceil(words.length / 6), 20) }, (_, i) => ({
    source: words.slice(6 * i, 6 * i + 6).join(" "),
    target: null,
    gold: "",
  }));
}

export async function useModelFile(file) {
  const name = clipped(file.name, 60);
  say("");
  try {
    checkSize(file.size, 64);
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (isTraining(bytes)) {
      await goOnFrom(bytes);
      say(textOf("resumed", { name }));
      return;
    }
    await run(false);
    const about = await ask("load", { slot: 0, file: bytes });
    const before = held();
    enable(false);
    byId("anew").disabled = false;
    training.about[0] = { ...about, held: await knownSentences(bytes) };
    if (held() !== before) state.sentence = state.source = null;
    await showOpened();
    say(
      [textOf("loaded", { name, n: about.parameters }), held() === before ? "" : textOf("itsWords")]
        .filter(Boolean)
        .join(" "),
    );
  } catch (error) {
    say(error.message.replace(/^file(?=: )|'training \d+\/last\.safetensors'/, name), true);
  }
}
