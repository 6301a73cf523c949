// The training: its pairs, its models, start and pause.

const training = { about: [null, null], on: false, pairs: { train: "", valid: null }, round: 0 };

const HELD_OUT = 200, LEAST_PAIRS = 20;

// ---- Pairs

// Those of a task whose sources have no more words, between spaces, than wanted.
async function taskPairs(split, pairs) {
  const text = await call("pairs", state.task, pairs, 1, split, state.longest);
  return text.split("\n").filter(Boolean);
}

async function makePairs() {
  if (state.own !== null) {
    const { lines, skipped } = readPairs(state.own);
    training.pairs = { train: `${lines.join("\n")}\n`, valid: null, note: skipped ? textOf("skipped", { n: skipped }) : "" };
    return;
  }
  const train = await taskPairs("train", state.pairs), valid = (await taskPairs("valid", Math.max(2000, HELD_OUT))).slice(0, HELD_OUT);
  if (train.length < LEAST_PAIRS) throw new Error(textOf("tooFew", { n: train.length, least: LEAST_PAIRS }));
  training.pairs = { train: `${train.join("\n")}\n`, valid: valid.length ? `${valid.join("\n")}\n` : null, note: "" };
}

// ---- Models

async function openModel(slot, saved = null) {
  training.about[slot] = null;
  if (!state.models[slot]) return ask("close", { slot });
  const { train, valid } = training.pairs;
  training.about[slot] = await ask("open", { slot, options: optionsOf(state.models[slot]), train, valid, state: saved });
  return null;
}

// Opens everything anew with the chosen settings, untrained; `saved` is a training to go on with.
async function reopen(saved = null) {
  const round = ++training.round, isLate = () => round !== training.round; // another one has begun
  setRunning(false);
  enable(false);
  await ask("run", { on: false });
  if (isLate()) return;
  await makePairs();
  for (const slot of [0, 1]) {
    if (isLate()) return;
    await openModel(slot, slot ? null : saved);
  }
  await call("break", training.broken);
  if (isLate()) return;
  await showOpened();
  enable(true);
}

const openAll = tried(() => reopen());

async function showOpened() {
  forgetPast();
  forgetEquation();
  listSentences();
  showCommand();
  drawCurves(true);
  keepLink();
  showPairs();
  await watch();
  drawFigures(); // together with the matrices: both name the models
}

// What there is to learn from. Of the module's notes those that the user should know.
function showPairs() {
  const { about: [about], pairs: { train, valid, note } } = training;
  if (!about?.pairs) return;
  const unused = train.split("\n").length - 1 - about.pairs - (valid ? 0 : about.held_out), most = about.settings["max-len"];
  byId("pairs-note").textContent = [textOf("pairsNow", { n: about.pairs, held: about.held_out }), note, unused > 0 ? textOf("unused", { n: unused, most }) : "",
    textOf("sizes", { source: about.source_words, target: about.target_words, parameters: about.parameters }),
    ...about.notes.filter((text) => text.startsWith("note:")).map((text) => visible(text, false))].filter(Boolean).join(" ");
}

// ---- Start, pause, step

function enable(ready) {
  for (const id of ["start", "single", "anew"]) byId(id).disabled = !ready;
}

function setRunning(on) {
  training.on = on;
  byId("start").textContent = textOf(on ? "pause" : "start");
  byId("start").classList.toggle("on", on);
  byId("readout").setAttribute("aria-live", on ? "off" : "polite"); // it changes with every look
}

const run = tried(async (on, until = state.pause) => {
  if (on) { past.at = -1; say(""); spoken = performance.now(); }
  setRunning(on);
  if (!on) speak();
  const left = until - latestStep();
  await ask("run", { on, count: left > 0 ? left : Infinity });
});

const stepOnce = tried(async () => {
  if (training.on) await run(false);
  past.at = -1;
  await ask("step", { count: 1 });
});

// Tells screen readers how far the training is: every few seconds, and where it pauses.
let spoken = 0;
function speak() {
  if (training.on && performance.now() - spoken < 8000) return;
  spoken = performance.now();
  byId("progress").textContent = byId("caption").textContent;
}

function onMoment(frames, rests) {
  if (rests) setRunning(false);
  keepMoment(frames);
  showTime();
  speak();
  if (rests && past.waits) { past.waits = false; play(); }
  if (past.at >= 0) return;
  drawMoment(frames);
  drawFigures();
  drawCurves();
}

function addTraining() {
  engine.moment = onMoment;
  engine.failed = (text) => { setRunning(false); say(text, true); };
  engine.trapped = async (why) => {
    await openAll();
    say(textOf("trapped", { why }), true);
  };
  onClick({ start: () => run(!training.on), single: stepOnce, anew: () => openAll(), kind: changeView });
  Object.assign(player, { show: goTo, begin: beginPlay });
  addPlayer();
  byId("numbers").addEventListener("toggle", () => drawNumbers(view.frames));
  byId("sentence").addEventListener("change", (event) => { state.sentence = Number(event.target.value); chooseSource(null); });
  byId("source").addEventListener("input", () => chooseSource(byId("source").value.trim() || null));
  byId("task").addEventListener("change", (event) => { chooseTask(event.target.value); });
  setRunning(false);
}

function chooseSource(source) {
  state.source = source;
  if ((byId("source").value.trim() || null) !== source) byId("source").value = source ?? "";
  keepLink();
  return unbend();
}

// Dates are read character by character, x=7 is one word; all else is read word by word.
const READ_AS = { dates: "char", assign: "space" };
// Words of the shortest sources, where they are many.
const SHORTEST = { recall: 25, assign: 12, trigger: 12, induction: 24 };

function chooseTask(name) {
  const wanted = READ_AS[name] ? { tokenizer: READ_AS[name] } : {}, before = READ_AS[state.task] ?? "word";
  state.models = state.models.map((settings) => {
    if (!settings) return null;
    const { tokenizer = "word", ...rest } = settings;
    return tokenizer === before ? { ...rest, ...wanted } : settings;
  });
  state.longest = Math.max(state.longest, SHORTEST[name] ?? 0);
  Object.assign(state, { task: name, own: null });
  drawForms();
  return changeTask();
}

function changeTask() {
  state.sentence = state.source = null;
  listTasks();
  return openAll();
}

function listTasks() {
  const own = state.own !== null;
  byId("task").replaceChildren(...(own ? [html("option", { value: "" }, textOf("ownTask"))] : []),
    ...engine.info.tasks.map(({ name }) => html("option", { value: name }, name)));
  byId("task").value = own ? "" : state.task;
  byId("task-line").textContent = own ? textOf("ownTask") : engine.info.tasks.find(({ name }) => name === state.task).summary;
  if (!own && `task:${state.task}` in texts) byId("task-line").textContent = textOf(`task:${state.task}`);
  byId("discard").disabled = !own;
  byId("pairs").value = state.pairs;
  byId("longest").value = state.longest;
}
