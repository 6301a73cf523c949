// Notes: paragraphs with `code` and *emphasis*, questions whose answers are folded, links.

import { byId, html } from "../dom.js";
import { visible } from "../text.js";
import { page } from "./data.js";

function prose(text) {
  return text
    .split(/(`[^`]+`|\*[^*]+\*)/)
    .map((part, i) =>
      i % 2
        ? html(part[0] === "`" ? "code" : "em", {}, visible(part.slice(1, -1)))
        : part && visible(part, false),
    );
}

const blocks = (list) =>
  list.map((block) =>
    block.code === undefined
      ? html("p", {}, ...prose(block))
      : html(
          "pre",
          { tabindex: 0 },
          block.code
            .split("\n")
            .map((line) => line && visible(line, false))
            .join("\n"),
        ),
  );

export function addNotes() {
  const notes = page.notes;
  if (!notes) return;
  document.body.classList.toggle("told", notes.see.length > 0);
  byId("see").append(...blocks(notes.see.slice(0, 1)));
  byId("notes").append(...blocks(notes.see.slice(1)));
  notes.links.forEach(({ text, target }) =>
    byId("links").append(html("a", { href: target }, visible(text)), " "),
  );
  byId("notes").hidden = !notes.items.length && notes.see.length < 2;
  for (const { kind, text, answer } of notes.items)
    byId("notes").append(
      html(
        "div",
        { class: "item" },
        html("b", {}, kind),
        ...blocks(text),
        answer.length
          ? html(
              "details",
              {},
              html("summary", {}, kind === "Exercise" ? "Solution" : "Answer"),
              ...blocks(answer),
            )
          : null,
      ),
    );
}
