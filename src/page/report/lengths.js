// BLEU by sentence length.

import { byId } from "../dom.js";
import { keepChart } from "./curves.js";
import { records } from "./data.js";
import { models } from "./models.js";

function median(numbers) {
  const sorted = numbers.filter(Number.isFinite).sort((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return sorted.length ? (sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2 : NaN;
}

export const lengthBands = () =>
  [...new Set(records("bylength.csv").map((row) => row.band))].sort(
    (a, b) => parseInt(a) - parseInt(b),
  );

export const bleuOf = (model, band) =>
  median(
    records("bylength.csv")
      .filter((row) => row.model === model.key && row.band === band)
      .map((row) => row.bleu),
  );

export function addLengths() {
  const rows = records("bylength.csv");
  const bands = lengthBands();
  const sentences = bands.map((band) => rows.find((row) => row.band === band).sentences);
  byId("lengths-note").textContent =
    `Sentences: ${bands.map((band, i) => `${sentences[i]} of ${band} words`).join(", ")}.`;
  keepChart(byId("lengths").querySelector(".chart"), () => ({
    x: "source words",
    y: "BLEU",
    bands,
    decimals: 2,
    series: models
      .filter((model) => model.shown)
      .map((model) => {
        const own = bands.map((band) =>
          rows.filter((row) => row.model === model.key && row.band === band),
        );
        const middle = (key) =>
          own
            .map((list, x) => [x, median(list.map((row) => row[key]))])
            .filter(([, y]) => Number.isFinite(y));
        const low = middle("low");
        const high = new Map(middle("high"));
        return { model, points: middle("bleu"), spread: low.map(([x, y]) => [x, y, high.get(x)]) };
      }),
  }));
}
