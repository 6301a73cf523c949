// The tour: each stop is a link with a text.

import { button, byId, html, onClick } from "../dom.js";
import { leaveOut } from "./gradients.js";
import { inLanguage, partsOf, textOf } from "./language.js";
import { drawQuestion } from "./moment.js";
import { showState } from "./opening.js";
import { isOnStage } from "./panels.js";
import { keepLink, readLink, state } from "./state.js";
import { stops } from "./tour_texts.js";
import { run } from "./training.js";
import { NARROW } from "./view.js";
import { allowBending } from "./watch.js";

function showStop(number) {
  state.stop = number;
  byId("stops")
    .querySelectorAll("button")
    .forEach((button, i) => button.setAttribute("aria-pressed", i + 1 === number));
  byId("stops")
    .querySelector("[aria-pressed=true]")
    ?.scrollIntoView({ block: "nearest", inline: "center" });
  byId("stop").hidden = !number;
  document.body.classList.toggle("touring", number > 0);
  if (isOnStage()) drawQuestion();
  if (!number) return;
  byId("stop-title").textContent = `${number}. ${inLanguage(stops[number - 1].title)}`;
  const [text, question] = partsOf(stops[number - 1].text);
  byId("stop-text").textContent =
    `${text} ${textOf("inLesson", { name: stops[number - 1].lesson })}`;
  byId("stop-lines").hidden = !("papers" in document.documentElement.dataset);
  byId("stop-lines").href = stops[number - 1].lines;
  byId("stop-question").textContent = question;
  byId("stop-answer").querySelector("p").textContent = partsOf(stops[number - 1].answer).join(" ");
  byId("stop-next").disabled = number === stops.length;
}

export function drawStops() {
  byId("stops").replaceChildren(
    html("b", {}, textOf("tour")),
    ...stops.map((stop, i) => {
      const click = () => (state.stop === i + 1 ? leave() : visit(i + 1));
      return button(click, { "aria-pressed": false }, `${i + 1}. ${inLanguage(stop.title)}`);
    }),
  );
  showStop(state.stop);
}

// Closes the stop. Its training stays; a broken gradient does not.
function leave() {
  const isBroken = readLink(stops[state.stop - 1].link).broken !== null;
  byId("stops").children[state.stop].focus();
  showStop(0);
  keepLink();
  if (isBroken) leaveOut(null);
}

// Opens the settings of a stop, if there is such a stop.
export async function visit(number) {
  if (number < 1 || number > stops.length) return;
  const { language: _, ...chosen } = readLink(stops[number - 1].link);
  Object.assign(state, chosen, { stop: number, stage: state.stage });
  byId("stop-about").open = true;
  allowBending(false);
  showStop(number);
  await showState();
}

export function addTour() {
  byId("stop-try").addEventListener("click", async () => {
    await visit(state.stop);
    byId("stop-about").open = innerWidth > NARROW;
    await run(true);
  });
  onClick({ "stop-close": leave, "stop-next": () => visit(state.stop + 1) });
}
