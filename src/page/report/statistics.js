// Attention statistics, and the settings of the models.

import { byId, html } from "../dom.js";
import { drawTable } from "../table.js";
import { breakable, fixed, visible } from "../text.js";
import { page } from "./data.js";
import { models, onModelsChange } from "./models.js";

export function addAttentionStatistics() {
  const attending = models.filter((model) => model.gaze);
  const columns = [
    ["entropy", "entropy (nats)", 2, null],
    ["normalized_entropy", "relative to uniform", 0, 100],
    ["coverage", "covered words", 0, 100],
    ["end", "weight on </s>", 0, 100],
    ["onward", "monotonicity", 0, 100],
    ...(attending.some(({ gaze }) => gaze.zeros >= 0.0005)
      ? [["zeros", "exact zeros", 0, 100]]
      : []),
    ...(attending.some(({ gaze }) => gaze.sum < 0.9995)
      ? [["sum", "weight of a row", 1, 100]]
      : []),
  ];
  const cell = (model, key, decimals, percent) => {
    const value = model.gaze[key];
    if (value === null || !percent) return fixed(value ?? NaN, decimals);
    return [
      html("progress", {
        value: Math.min(value, 1),
        "aria-hidden": "true",
        style: { accentColor: model.color },
      }),
      html("span", {}, `${fixed(value * percent, decimals)} %`),
    ];
  };
  const draw = () =>
    drawTable(
      byId("gazes").querySelector("table"),
      [
        { title: "model", cell: (model) => breakable(model.name) },
        ...columns.map(([key, title, decimals, percent]) => ({
          title,
          value: (model) => model.gaze[key],
          cell: (model) => cell(model, key, decimals, percent),
        })),
      ],
      attending.filter((model) => model.shown),
    );
  byId("gazes-note").textContent =
    (page.sentences.length === 1
      ? "Over the sentence of this page. "
      : `Over the ${page.sentences.length} sentences of this page. `) +
    "Entropy: the mean over the target words, also relative to that of uniform weights; " +
    "covered words: source words whose weights sum to at least 1/2; " +
    "monotonicity: target words whose most attended source word is that of the previous word " +
    "or follows it, where both have weight on one; " +
    "a null key or the Gaussian of a window takes what the weights of a row lack to 100 %.";
  onModelsChange(draw);
  draw();
}

export function addSettings() {
  const names = [...new Set(models.flatMap((model) => Object.keys(model.settings)))];
  const differs = (name) => new Set(models.map((model) => model.settings[name])).size > 1;
  const columns = [
    { title: "option", cell: (name) => name },
    ...models.map((model) => ({
      title: visible(model.name),
      cell: (name) => visible(model.settings[name] ?? "–"),
    })),
  ];
  for (const model of models) if (model.seeds.length) model.settings.seed = model.seeds.join(", ");
  drawTable(byId("differing"), columns, [
    "seed",
    ...names.filter((name) => name !== "seed" && differs(name)),
  ]);
  drawTable(byId("shared"), columns, names);
  byId("signatures").append(...page.signatures.map((text) => html("li", {}, visible(text))));
}
