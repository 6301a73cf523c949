// The history: small matrices of one sentence in the order of years, and chosen rows enlarged.

import { drawBars } from "../bars.js";
import { byId, html, onClick, setControl } from "../dom.js";
import { onKeys } from "../keyboard.js";
import { Matrix } from "../matrix.js";
import { page, records } from "./data.js";
import { eraMatrix, eraText, eraThumb } from "./era.js";
import { bleuOf, lengthBands } from "./lengths.js";
import { step } from "./list.js";
import { models } from "./models.js";
import { drawResults } from "./results.js";
import { chooseSentence, view } from "./view.js";
import { onPanelsDrawn } from "./viewer.js";
import { clipped, fixed, word } from "../text.js";

const inYears = () => [...models].sort((a, b) => a.era.year - b.era.year);

export function drawEras() {
  const columns = models.length > 40 ? 11 : models.length > 32 ? 10 : models.length > 16 ? 8 : 4;
  byId("eras").style.setProperty("--columns", columns);
  byId("eras").style.setProperty("--lines", Math.ceil(models.length / columns));
  byId("eras").replaceChildren(
    ...inYears().map((model, i, all) =>
      html(
        "button",
        {
          type: "button",
          class: model.era.year === all[i - 1]?.era.year && "again",
          title: model.era.idea,
          on: { click: () => setControl("era", model.index) },
        },
        html("b", {}, model.era.year),
        html(
          "span",
          {},
          model.era.name.replace(/ \(.*/, ""),
          " ",
          html("small", {}, model.era.name.match(/\((\w+)/)?.[1] ?? ""),
        ),
        eraThumb(model),
      ),
    ),
  );
  byId("of-all").replaceChildren(
    word(page.sentences[view.sentence]?.source.slice(0, -1).join(" ") ?? "", 150),
  );
  drawResults(); // with its small matrices
  if (byId("large").open) drawLarge();
}

function eraCard(model) {
  const seen = eraMatrix(model);
  const matrix =
    seen && Matrix(seen.words, { gold: seen.words.gold, large: { cell: 30, font: 24 } });
  const figures = html("div", { class: "bars" });
  matrix?.show(seen.weights);
  drawBars(
    figures,
    lengthBands().map((band) => ({
      name: band,
      color: "var(--m0)",
      value: bleuOf(model, band),
      shown: fixed(bleuOf(model, band), 0),
      runs: [],
    })),
    100,
  );
  const known = records("table.csv").findLast((row) => row.model === model.key);
  return html(
    "article",
    {},
    html(
      "div",
      {},
      ...eraText(model),
      html("p", { class: "note" }, "BLEU by the words of the source"),
      figures,
      html(
        "p",
        { class: "note" },
        page.columns
          .filter(
            ({ key }) =>
              ["parameters", "aer", "zeros", "cache_bytes_per_step"].includes(key) &&
              Number.isFinite(known[key]),
          )
          .map(({ title, key, scale, decimals }) =>
            title.replace(/ |$/, ` ${fixed(known[key] * scale, decimals)} `).trim(),
          )
          .join(" · "),
      ),
    ),
    matrix?.picture ?? html("i", { class: "thumb" }, "no attention"),
  );
}

function drawLarge() {
  const chosen = new Set(["beside", "era"].map((id) => byId(id).value).filter(Boolean));
  byId("cards").replaceChildren(...[...chosen].map((i) => eraCard(models[i])));
}

// Goes to the next row, or to the previous one.
const moveEra = (by) =>
  setControl(
    "era",
    byId("era").options[Math.min(Math.max(byId("era").selectedIndex + by, 1), models.length)].value,
  );

export function addHistory() {
  onPanelsDrawn(drawEras);
  document.body.classList.add("historic");
  byId("results").after(byId("models"));
  for (const id of ["era", "beside"]) {
    byId(id).append(
      html("option", { value: "" }, id === "era" ? "none" : "alone"),
      ...inYears().map(({ name, index }) => html("option", { value: index }, clipped(name, 40))),
    );
    byId(id).addEventListener("change", () => {
      if (byId("era").value && !byId("large").open) byId("large").showModal();
      if (byId("era").value) drawLarge();
      else byId("large").close();
    });
  }
  const back = () => moveEra(-1);
  const on = () => moveEra(1);
  onClick({
    "era-before": back,
    "era-after": on,
    "era-close": () => byId("large").close(),
    "all-before": () => step(-1),
    "all-after": () => step(1),
  });
  byId("large").addEventListener("close", () => {
    byId("era").value = "";
  });
  onKeys(byId("large"), { ArrowLeft: back, PageUp: back, ArrowRight: on, PageDown: on });
  const telling = page.sentences.findIndex(
    ({ source }) => source.length >= 10 && source.length <= 13,
  );
  chooseSentence(Math.max(telling, 0));
}
