// Slides: section by section, a question before its answer, by keys.

import { onClick } from "../dom.js";
import { onKeys } from "../keyboard.js";
import { clamp } from "../numbers.js";

const slides = { at: -1 };

const listSlides = () =>
  [...document.querySelectorAll("main > section:not([hidden], #files)")].flatMap((section) =>
    section.id !== "notes"
      ? [{ section }]
      : [...section.children]
          .slice(1)
          .flatMap((item) => [
            { section, item },
            ...(item.querySelector("details") ? [{ section, item, isOpen: true }] : []),
          ]),
  );

function showSlide(at) {
  const list = listSlides();
  slides.at = clamp(at, 0, list.length - 1);
  const { section, item, isOpen } = list[slides.at];
  document.body.classList.add("slides");
  for (const node of document.querySelectorAll("main > section, #notes > *"))
    node.classList.toggle("current", node === section || node === item);
  if (item?.querySelector("details")) item.querySelector("details").open = Boolean(isOpen);
  scrollTo(0, 0);
}

function leaveSlides() {
  slides.at = -1;
  document.body.classList.remove("slides");
  if (document.fullscreenElement) document.exitFullscreen();
}

function toggleSlides() {
  if (slides.at >= 0) {
    leaveSlides();
    return;
  }
  if (navigator.userActivation?.isActive)
    document.documentElement.requestFullscreen?.().catch(() => {});
  showSlide(0);
}

export function addSlides() {
  const on = () => slides.at >= 0 && showSlide(slides.at + 1);
  const back = () => slides.at >= 0 && showSlide(slides.at - 1);
  onClick({ project: toggleSlides });
  addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement) leaveSlides();
  });
  onKeys(
    window,
    {
      s: () => toggleSlides(),
      Escape: leaveSlides,
      ArrowRight: on,
      PageDown: on,
      ArrowLeft: back,
      PageUp: back,
      " ": (event) => !event.target.closest("button, summary") && on(),
    },
    "input, select, dialog, .chart, .words",
  );
}
