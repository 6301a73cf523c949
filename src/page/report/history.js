// The history: its rows as small matrices of one sentence in the order of their years, and chosen ones enlarged.

// ---- Formulas of the rows, such as e = q' k / sqrt(n'), as MathML

const math = (tag, ...children) => make(document.createElementNS("http://www.w3.org/1998/Math/MathML", tag), { stretchy: tag === "mo" && "false" }, children);
const letters = { alpha: "α", beta: "β", gamma: "γ", kappa: "κ", lambda: "λ", phi: "φ", sigma: "σ", tau: "τ", sum: "∑", "-": "−", "<=": "≤", "..": "…" };
const closings = { "(": ")", "[": "]", "|": "|" };
const isSign = /^([-+=,;]|<=|\.\.)$/, isName = /^(exp|log|tanh|cos|max|min|softmax|bucket|sqrt)$/;

function mathOf(text) {
  const tokens = text.match(/[A-Za-z]+\d*|\d+|<=|\.\.|\S/g), is = (pattern) => tokens.length > 0 && pattern.test(tokens[0]);
  const take = () => letters[tokens[0]] ? letters[tokens.shift()] : tokens.shift();
  const isText = () => is(/^[a-z]{2,}$/) && !(tokens[0] in letters) && !isName.test(tokens[0]);
  function atom() {
    const token = take();
    if (token === "sqrt") return math("msqrt", atom().childNodes[1]);
    if (token in closings) return math("mrow", math("mo", token), sum(closings[token]), math("mo", take()));
    return math(/^\d/.test(token) ? "mn" : token === "∑" ? "mo" : "mi", token);
  }
  // With its indices; a ' before an index, or of a bare name at the end of a group, is a prime, else a transpose.
  function factor() {
    const base = atom(), above = [];
    let below = null;
    while (is(/^[_^']$/)) {
      const mark = take();
      if (mark === "_") below = tokens.length ? math("mi", take()) : null;
      else above.push(mark === "^" ? bare([atom()]) : math("mi", is(/^[^_),]/) || (!is(/^_/) && (below || base.localName === "mrow")) ? "⊤" : "′"));
    }
    const tag = `m${below ? "sub" : ""}${above.length ? "sup" : ""}`;
    return tag === "m" ? base : math(tag, base, below, above.length ? math("mrow", ...above) : null);
  }
  function factors(end) {
    const list = [];
    while (tokens.length && tokens[0] !== end && !is(isSign) && !is(/^\/$/) && !isText()) list.push(factor());
    return list;
  }
  const bare = (list) => (list.length === 1 && list[0].firstChild?.textContent === "(" ? list[0].childNodes[1] : math("mrow", ...list));
  function sum(end) {
    const parts = [];
    while (tokens.length && tokens[0] !== end) {
      if (is(isSign)) parts.push(math("mo", take()));
      else if (isText()) {
        const words = [];
        while (isText()) words.push(take());
        parts.push(math("mtext", `\u00a0${words.join("\u00a0")}\u00a0`));
      } else {
        const over = factors(end);
        if (is(/^\/$/)) take() && parts.push(math("mfrac", bare(over), bare(factors(end))));
        else parts.push(...over);
      }
    }
    return math("mrow", ...parts);
  }
  return math("math", sum());
}

// ---- A row in words and figures

const lengthBands = () => [...new Set(records("bylength.csv").map((row) => row.band))].sort((a, b) => parseInt(a) - parseInt(b));
const bleuOf = (model, band) => median(records("bylength.csv").filter((row) => row.model === model.key && row.band === band).map((row) => row.bleu));

// Its columns in the table of the page: the year, BLEU of each length, and what the page knows anyway.
const eraColumns = () => [{ key: "year", title: "year", decimals: 0, scale: 1 }, ...page.columns.filter(({ key }) => key === "parameters"),
  ...lengthBands().map((band) => ({ key: band, title: `BLEU ${band.replace("-", "\u2011")}`, decimals: 0, scale: 1 })), ...page.columns.filter(({ key }) => ["aer", "zeros", "cache_bytes_per_step"].includes(key))];
const eraFigures = (model) => ({ year: Number(model.era.year), ...Object.fromEntries(lengthBands().map((band) => [band, bleuOf(model, band)])) });

// The lessons' pages stand beside each other, in a clone in build/lessons.
function eraText({ name, era: { formula, idea, paper, lesson, file } }) {
  const link = (isThere, text, target) => (isThere ? html("a", { href: target }, text) : html("span", {}, text));
  return [html("h3", {}, visible(name)), html("p", { class: "formula" }, mathOf(formula)), html("p", {}, idea), html("p", { class: "note" },
    link(paper !== "-", paper === "-" ? "no paper" : "paper", paper), " · ", link(page.notes, `lesson ${parseInt(lesson)}`, `../${lesson}/page.html`), " · ",
    link(/\/build\/lessons\//.test(location.pathname), file, `../../../${file}`))];
}

// Its weights on the sentence in view, and the words; null where there is no attention.
function eraMatrix(model) {
  const entry = entryOf(model, view.sentence), words = entry && wordsOf(entry, view.sentence);
  return entry ? { words, weights: weightsOf(model, entry, words) } : null;
}

function eraThumb(model) {
  const seen = eraMatrix(model);
  return seen ? thumbnail(seen.weights, seen.words) : html("i", { class: "thumb" }, "no attention");
}

// ---- All of them on one screen

const inYears = () => [...models].sort((a, b) => a.era.year - b.era.year);

function drawEras() {
  if (!isHistory) return;
  const columns = models.length > 40 ? 11 : models.length > 32 ? 10 : models.length > 16 ? 8 : 4;
  byId("eras").style.setProperty("--columns", columns);
  byId("eras").style.setProperty("--lines", Math.ceil(models.length / columns));
  byId("eras").replaceChildren(...inYears().map((model, i, all) => html("button", { type: "button", class: model.era.year === all[i - 1]?.era.year && "again", title: model.era.idea,
    on: { click: () => setControl("era", model.index) } }, html("b", {}, model.era.year), html("span", {}, model.era.name.replace(/ \(.*/, ""), " ", html("small", {}, model.era.name.match(/\((\w+)/)?.[1] ?? "")), eraThumb(model))));
  byId("of-all").replaceChildren(word(page.sentences[view.sentence]?.source.slice(0, -1).join(" ") ?? "", 150));
  drawResults(); // with its small matrices
  if (byId("large").open) drawLarge();
}

// ---- Some enlarged

function eraCard(model) {
  const seen = eraMatrix(model), matrix = seen && Matrix(seen.words, { gold: seen.words.gold, large: { cell: 30, font: 24 } }), figures = html("div", { class: "bars" });
  matrix?.show(seen.weights);
  drawBars(figures, lengthBands().map((band) => ({ name: band, color: "var(--m0)", value: bleuOf(model, band), shown: fixed(bleuOf(model, band), 0), runs: [] })), 100);
  const known = records("table.csv").findLast((row) => row.model === model.key);
  return html("article", {}, html("div", {}, ...eraText(model), html("p", { class: "note" }, "BLEU by the words of the source"), figures, html("p", { class: "note" }, page.columns.filter(({ key }) => ["parameters", "aer", "zeros", "cache_bytes_per_step"].includes(key) && Number.isFinite(known[key]))
    .map(({ title, key, scale, decimals }) => title.replace(/ |$/, ` ${fixed(known[key] * scale, decimals)} `).trim()).join(" · "))), matrix?.picture ?? html("i", { class: "thumb" }, "no attention"));
}

function drawLarge() {
  const chosen = new Set(["beside", "era"].map((id) => byId(id).value).filter(Boolean));
  byId("cards").replaceChildren(...[...chosen].map((i) => eraCard(models[i])));
}

// To the next row, or to the one before.
const moveEra = (by) => setControl("era", byId("era").options[Math.min(Math.max(byId("era").selectedIndex + by, 1), models.length)].value);

function addHistory() {
  document.body.classList.add("historic");
  byId("results").after(byId("models"));
  for (const id of ["era", "beside"]) {
    byId(id).append(html("option", { value: "" }, id === "era" ? "none" : "alone"), ...inYears().map(({ name, index }) => html("option", { value: index }, clipped(name, 40))));
    byId(id).addEventListener("change", () => {
      if (byId("era").value && !byId("large").open) byId("large").showModal();
      if (byId("era").value) drawLarge();
      else byId("large").close();
    });
  }
  const back = () => moveEra(-1), on = () => moveEra(1);
  onClick({ "era-before": back, "era-after": on, "era-close": () => byId("large").close(), "all-before": () => step(-1), "all-after": () => step(1) });
  byId("large").addEventListener("close", () => { byId("era").value = ""; });
  onKeys(byId("large"), { ArrowLeft: back, PageUp: back, ArrowRight: on, PageDown: on });
  const telling = page.sentences.findIndex(({ source }) => source.length >= 10 && source.length <= 13);
  chooseSentence(Math.max(telling, 0));
}
