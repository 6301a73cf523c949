// What is taken along: models, matrices, links, command lines, a printed page.

const tried = (act) => async (...given) => {
  try {
    await act(...given);
  } catch (error) {
    complain(error);
  }
};

async function saveModel(wholeTraining) {
  offer(wholeTraining ? "last.safetensors" : "model.safetensors", await callModel(0, "save", wholeTraining ? 1 : 0), "application/octet-stream");
}

// A file of a training holds the optimizer's state; it goes on here, on the pairs of the page. The header of
// a .safetensors file names its tensors.
const isTraining = (bytes) => new TextDecoder().decode(bytes.subarray(8, 200000)).includes('"training.at"');

// The pairs that a training goes on with: those of the page, or the first task's whose pairs fit.
async function fittingTask(options, bytes) {
  const before = { task: state.task, own: state.own }, pairs = training.pairs;
  let refused;
  for (const chosen of [before, ...engine.info.tasks.filter(({ name }) => name !== state.task).map(({ name }) => ({ task: name, own: null }))]) {
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

async function useModelFile(file) {
  const most = 64, name = clipped(file.name, 60);
  say("");
  try {
    if (file.size > most * 1e6) throw new Error(textOf("tooLarge", { size: (file.size / 1e6).toFixed(0), most }));
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (isTraining(bytes)) {
      await goOnFrom(bytes);
      say(textOf("resumed", { name }));
      return;
    }
    await run(false);
    const about = await ask("load", { slot: 0, file: bytes });
    training.about[0] = { ...about, held: training.about[0].held };
    enable(false);
    byId("anew").disabled = false;
    forgetPast();
    drawFigures();
    drawCurves(true);
    say(textOf("loaded", { name, n: about.parameters }));
    await watch();
  } catch (error) {
    say(error.message.replace(/^file(?=: )|'training \d+\/last\.safetensors'/, name), true);
  }
}

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
  byId("save").addEventListener("click", tried(() => saveModel(false)));
  byId("save-state").addEventListener("click", tried(() => saveModel(true)));
  byId("model-file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) useModelFile(file);
    event.target.value = "";
  });
  byId("csv").addEventListener("click", tried(() => savePicture("csv")));
  byId("svg").addEventListener("click", tried(() => savePicture("svg")));
  byId("png").addEventListener("click", tried(savePng));
  byId("link").addEventListener("click", () => copy(location.href.split("#")[0] + linkOf(state), location.protocol === "file:" ? "copiedFile" : "copied"));
  byId("copy").addEventListener("click", () => copy(commandLine(), "copied"));
  byId("print").addEventListener("click", () => print());
}
