// The place, as in --open-at: what the page shows. The address holds it for links and reloads.

import { byId, setControl } from "../dom.js";
import { page } from "./data.js";
import { film, showFrame } from "./film.js";
import { models } from "./models.js";
import { view } from "./view.js";
import { pin } from "./viewer.js";

// Controls by the names of their values in a place; some count from 1 there.
const controls = [
  ["order", "order"],
  ["era", "era"],
  ["beside", "beside"],
  ["sentence", "sentence", 1],
  ["scene", "scene", 1],
  ["layer", "layer", 0],
  ["head", "head", 0],
  ["filmhead", "film-head", 0],
  ["column", "column"],
  ["curve", "curve-y"],
  ["over", "curve-x"],
];

const readPlace = () =>
  Object.fromEntries(
    location.hash
      .slice(1)
      .split(",")
      .map((part) => part.split("="))
      .filter((pair) => pair.length === 2)
      .map(([name, value]) => [name, decodeURIComponent(value)]),
  );

function showPlace(place) {
  const chosen = place.sentence && !place.scene ? { ...place, scene: place.sentence } : place;
  if (chosen.head && !chosen.filmhead) chosen.filmhead = chosen.head;
  for (const [name, id, from] of controls)
    if (chosen[name] !== undefined)
      setControl(id, from === undefined ? chosen[name] : Number(chosen[name]) - from);
  if (place.word && view.panels.length && view.pinned !== place.word - 1) pin(place.word - 1);
  const frame = film.steps.findLastIndex((step) => step <= place.update);
  if (frame >= 0) showFrame(frame);
  for (const number of (place.hide ?? "").split("+").filter(Boolean))
    byId("models").children[number - 1]?.click();
  if (place.theme) document.documentElement.dataset.theme = place.theme;
}

// Returns the current place.
function currentPlace() {
  const place = Object.fromEntries(
    controls.map(([name, id, from]) => [
      name,
      byId(id).value &&
        (from === undefined ? byId(id).value : String(Number(byId(id).value) + from)),
    ]),
  );
  if (view.pinned !== null) place.word = String(view.pinned + 1);
  // The last one: follow the training.
  if (film.at < film.steps.length - 1) place.update = String(film.steps[film.at]);
  const hidden = models.filter((model) => !model.shown).map((model) => model.index + 1);
  if (hidden.length) place.hide = hidden.join("+");
  if (document.documentElement.dataset.theme) place.theme = document.documentElement.dataset.theme;
  return place;
}

function keepPlace(opened) {
  const place = currentPlace();
  const parts = Object.keys({ ...opened, ...place })
    .filter((name) => place[name] !== opened[name])
    .map((name) => `${name}=${encodeURIComponent(place[name] ?? "")}`);
  const address = parts.length ? `#${parts.join(",")}` : location.href.split("#")[0];
  if (parts.length || location.hash) history.replaceState(history.state, "", address);
}

export function openPlace() {
  const section = page.open?.figure && byId(page.open.figure);
  if (section) document.querySelector("main").prepend(section);
  if (section === byId("bars")) section.after(byId("models")); // bars have names
  const first = document.querySelector("main > section:not([hidden])");
  if (first !== byId("notes")) first?.after(byId("notes"));
  first?.classList.add("first");
  const opened = currentPlace();
  showPlace({ ...page.open, ...readPlace() });
  for (const event of ["input", "change", "click", "keyup"])
    addEventListener(event, () => setTimeout(() => keepPlace(opened)));
  addEventListener("hashchange", () => showPlace(readPlace()));
}
