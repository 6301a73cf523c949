// The start of the page.

function setLanguage(name) {
  language.name = name;
  byId("language").value = name;
  applyTexts();
  drawStops();
  drawGlossary();
  listInside();
  listTasks();
  setRunning(training.on);
  drawForms();
  showBent();
  showPairs();
  showTime();
  drawFigures();
  drawCurves(true);
  byId("readout").textContent = "";
  drawMoment(view.frames);
  if (!byId("equation").textContent) byId("equation-title").textContent = textOf("equationHint");
}

// Shows what the state says, from the beginning of its training.
async function showState() {
  halt();
  if (training.on) await run(false);
  enable(false);
  say("");
  bending.links.clear();
  byId("force").value = "";
  if (state.own !== null) byId("own").value = state.own.length < 200000 ? state.own : "";
  setLanguage(language.name);
  await leaveOut(state.broken);
  await openAll();
  drawForms();
}

function addTools() {
  byId("language").append(...Object.entries(languages).map(([name, title]) => html("option", { value: name, lang: name }, title)));
  byId("language").addEventListener("change", (event) => { setLanguage(event.target.value); keepLink(); });
  onClick({ theme: changeTheme });
}

async function openLink() {
  const { language: wanted, ...chosen } = readLink(location.hash);
  Object.assign(state, chosen);
  if (wanted in languages) language.name = wanted;
  await showState();
  if (!state.stage) byId("stage").close();
  else if (!isOnStage()) await openStage(state.stage);
}

async function main() {
  applyTexts();
  addTools();
  try {
    await startEngine();
  } catch (error) {
    say(`${textOf("noWorker")} (${error.message})`, true);
    return;
  }
  addTraining();
  addPairs();
  addSettings();
  addInside();
  addFiles();
  addTour();
  addStage();
  await openLink();
  addEventListener("hashchange", openLink);
  onWidth(document.documentElement, () => { drawCurves(true); drawPanels(view.frames); });
}

main();
