// The tour: its stops are links with a text.

const inLanguage = (row) => row[Object.keys(languages).indexOf(language.name)] ?? row[0];
const partsOf = (row) => inLanguage(row).replaceAll(" %", "\u00a0%").split("|").map((part) => part.trim());

const NARROW = 896; // of a window in pixels: the question takes the place of its text

function showStop(number) {
  state.stop = number;
  byId("stops").querySelectorAll("button").forEach((button, i) => button.setAttribute("aria-pressed", i + 1 === number));
  byId("stops").querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "center" });
  byId("stop").hidden = !number;
  document.body.classList.toggle("touring", number > 0);
  if (isOnStage()) drawQuestion();
  if (!number) return;
  byId("stop-title").textContent = `${number}. ${inLanguage(stops[number - 1].title)}`;
  const [text, question] = partsOf(stops[number - 1].text);
  byId("stop-text").textContent = `${text} ${textOf("inLesson", { name: stops[number - 1].lesson })}`;
  byId("stop-question").textContent = question;
  byId("stop-answer").querySelector("p").textContent = partsOf(stops[number - 1].answer).join(" ");
  byId("stop-next").disabled = number === stops.length;
}

function drawStops() {
  byId("stops").replaceChildren(html("b", {}, textOf("tour")), ...stops.map((stop, i) => html("button", { type: "button", "aria-pressed": false, on: {
    click: () => (state.stop === i + 1 ? leave() : visit(i + 1)),
  } }, `${i + 1}. ${inLanguage(stop.title)}`)));
  showStop(state.stop);
}

// Closes the stop; what it trains stays, but for a gradient that it broke.
function leave() {
  const isBroken = readLink(stops[state.stop - 1].link).broken !== null;
  byId("stops").children[state.stop].focus();
  showStop(0);
  keepLink();
  if (isBroken) leaveOut(null);
}

// Opens the settings of a stop, if there is one.
async function visit(number) {
  if (number < 1 || number > stops.length) return;
  const { language: _, ...chosen } = readLink(stops[number - 1].link);
  Object.assign(state, chosen, { stop: number, stage: state.stage });
  byId("stop-about").open = true;
  allowBending(false);
  showStop(number);
  await showState();
}

function addTour() {
  byId("stop-try").addEventListener("click", async () => {
    await visit(state.stop);
    byId("stop-about").open = innerWidth > NARROW;
    await run(true);
  });
  onClick({ "stop-close": leave, "stop-next": () => visit(state.stop + 1) });
}
