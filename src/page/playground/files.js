// What is taken along: models, matrices, links, command lines, a printed page.

async function saveModel(wholeTraining) {
  offer(wholeTraining ? "last.safetensors" : "model.safetensors", await callModel(0, "save", wholeTraining ? 1 : 0), "application/octet-stream");
}

// A file of a training holds the optimizer's state; it goes on here, on the pairs of the page. The header of
// a .safetensors file names its tensors.
const isTraining = (bytes) => new TextDecoder().decode(bytes.subarray(8, 200000)).includes('"training.at"');

const beginningOf = (pairs) => pairs.slice(0, 5).map(({ source }) => source);

// The tasks whose words the model of a file knows, each with some pairs.
async function knownTasks(file) {
  const pairOf = (line) => { const [source, target, gold = ""] = line.split("\t"); return { source, target, gold }; };
  const tasks = await Promise.all(engine.info.tasks.map(async ({ name }) => ({ name, pairs: (await call("pairs", name, 100, 1, "valid", state.longest)).split("\n").filter(Boolean).map(pairOf) })));
  const known = await ask("knows", { file, lists: tasks.map(({ pairs }) => beginningOf(pairs)) });
  return tasks.filter((_, i) => known[i]);
}

// The pairs that a training goes on with: those of the page, or the first task's whose pairs fit.
async function fittingTask(options, bytes) {
  const before = { task: state.task, own: state.own }, pairs = training.pairs;
  let refused;
  for (const chosen of [before, ...(await knownTasks(bytes)).filter(({ name }) => name !== state.task).map(({ name }) => ({ task: name, own: null }))]) {
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

// With the settings that it was trained with; where that fails, all stays as it was.
async function goOnFrom(bytes) {
  const { command } = await ask("peek", { file: bytes }), settings = settingsOf(command.replaceAll("=", " "));
  for (const name of Object.keys(BASE)) settings[name] ??= String(engine.info.options.find((option) => option.name === name).default);
  const chosen = Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== BASE[name]));
  await run(false);
  await fittingTask(optionsOf(chosen), bytes);
  state.models[0] = chosen;
  listTasks();
  drawForms();
  await reopen(bytes);
}

// Sentences for a model without its pairs: those of the page, or of the first task, whose words it knows, else some of its words.
async function knownSentences(bytes) {
  const [isKnown] = await ask("knows", { file: bytes, lists: [beginningOf(held())] }), [task] = isKnown ? [{ pairs: held() }] : await knownTasks(bytes);
  if (task) return task.pairs;
  const start = 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true)), read = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  const [from, to] = JSON.parse(read(8, start))["source.words"].data_offsets, words = read(start + from, start + to).split("\n").filter((text) => text && !/^<.*>$/.test(text));
  return Array.from({ length: Math.min(Math.ceil(words.length / 6), 20) }, (_, i) => ({ source: words.slice(6 * i, 6 * i + 6).join(" "), target: null, gold: "" }));
}

async function useModelFile(file) {
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
    say([textOf("loaded", { name, n: about.parameters }), held() === before ? "" : textOf("itsWords")].filter(Boolean).join(" "));
  } catch (error) {
    say(error.message.replace(/^file(?=: )|'training \d+\/last\.safetensors'/, name), true);
  }
}

// A model's file or one of pairs, chosen or dropped anywhere.
const useFile = (file) => (/\.safetensors$/i.test(file.name) ? useModelFile(file) : usePairsFile(file));

// ---- Pictures

const shownPair = () => {
  const { source, target } = watchedPair(), frame = view.frames.find((one) => one?.weights);
  if (!frame) throw new Error(textOf("noAttention"));
  return [view.frames.indexOf(frame), source, target ?? frame.translation];
};

const pictureOf = async (form) => {
  const [slot, source, target] = shownPair();
  return callModel(slot, "picture", source, target, form);
};

async function savePicture(form) {
  offer(`attention.${form}`, await pictureOf(form), form === "csv" ? "text/csv" : "image/svg+xml");
}

async function savePng() {
  const image = html("img", { src: URL.createObjectURL(new Blob([await pictureOf("svg")], { type: "image/svg+xml" })) }), scale = 3;
  await image.decode();
  const canvas = html("canvas", { width: scale * image.width, height: scale * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => offer("attention.png", blob, "image/png"));
}

// ---- Texts to copy

function commandLine() {
  const corpora = state.own === null
    ? ["train", "valid"].map((split) => `softalign corpus ${state.task} --pairs ${split === "train" ? state.pairs : 2000}${split === "valid" ? " --split valid" : ""} |`
      + ` awk -F'\\t' 'split($1, words, " ") <= ${state.longest}'${split === "valid" ? ` | head -n ${HELD_OUT}` : ""} >${split}.tsv`)
    : ["# train.tsv: your own pairs, as they stand on the page"];
  const valid = training.pairs.valid ? " --valid valid.tsv" : "";
  return [...corpora, ...state.models.map((settings, slot) => settings && `softalign train --train train.tsv${valid} ${optionsOf(settings)} --out ${names[slot].toLowerCase()}`).filter(Boolean)].join("\n");
}

function showCommand() {
  byId("command").textContent = commandLine();
}

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    say(textOf(said));
  } catch {
    say(textOf("copyFailed"), true);
    byId("command").textContent = text;
    getSelection().selectAllChildren(byId("command"));
  }
}

function addFiles() {
  onClick({
    save: tried(() => saveModel(false)), "save-state": tried(() => saveModel(true)),
    csv: tried(() => savePicture("csv")), svg: tried(() => savePicture("svg")), png: tried(savePng),
    link: () => copy(location.href.split("#")[0] + linkOf(state), location.protocol === "file:" ? "copiedFile" : "copied"),
    copy: () => copy(commandLine(), "copied"), print: () => print(),
  });
  for (const id of ["pairs-file", "model-file"])
    byId(id).addEventListener("change", ({ target }) => {
      if (target.files.length) useFile(target.files[0]);
      target.value = "";
    });
  addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
  addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    useFile(event.dataTransfer.files[0]);
  });
}
