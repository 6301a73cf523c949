
// The tour: its stops are links with a text.

const inLanguage = (row) => row[Object.keys(languages).indexOf(language.name)] ?? row[0];

function showStop(number) {
  state.stop = number;
  byId("stops").querySelectorAll("button").forEach((button, i) => button.setAttribute("aria-pressed", i + 1 === number));
  byId("stop").hidden = !number;
  if (!number) return;
  byId("stop-title").textContent = `${number}. ${inLanguage(stops[number - 1].title)}`;
  byId("stop-text").textContent = inLanguage(stops[number - 1].text);
  byId("stop-answer").querySelector("p").textContent = inLanguage(stops[number - 1].answer);
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

// Opens the settings of a stop.
async function visit(number) {
  const { language: _, ...chosen } = readLink(stops[number - 1].link);
  Object.assign(state, chosen, { stop: number });
  byId("stop-answer").open = false;
  allowBending(false);
  showStop(number);
  await showState();
}

function addTour() {
  byId("stop-try").addEventListener("click", async () => {
    if (training.on) await run(false);
    await visit(state.stop);
    byId("training").scrollIntoView();
    await run(true);
  });
  byId("stop-close").addEventListener("click", leave);
  byId("stop-next").addEventListener("click", () => visit(state.stop + 1));
}
