// The files of the page, offered for download.

import { button, byId, offer } from "../dom.js";
import { csvCell } from "../text.js";
import { page, unpack } from "./data.js";
import { models } from "./models.js";

// Returns all weights as a CSV file, a row per cell.
export function tidy() {
  const lines = ["model,sentence,t,target,s,source,weight"];
  for (const model of models)
    page.matrices?.[model.index]?.forEach((entry, i) => {
      const { source, target } = { ...page.sentences[i], ...entry.words };
      unpack(entry.mean, source.length * target.length).forEach((weight, at) => {
        const t = Math.floor(at / source.length);
        const s = at % source.length;
        lines.push(
          [
            csvCell(model.key),
            i + 1,
            t,
            csvCell(target[t]),
            s,
            csvCell(source[s]),
            Number(weight.toFixed(3)),
          ].join(","),
        );
      });
    });
  return lines.join("\n") + "\n";
}

export function addDownloads() {
  const offers = Object.entries(page.files).map(([name, text]) => [name, () => text]);
  if (page.matrices?.some(Boolean)) offers.push(["attention.csv", tidy]);
  const buttons = offers.map(([name, text]) =>
    button(() => offer(name, text(), "text/csv"), {}, `↓ ${name}`),
  );
  byId("downloads").append(...buttons);
}
