// The sections, shown if the page has data for them.

function addHead() {
  document.documentElement.classList.toggle("framed", self !== top);
  document.title = visible(page.title);
  byId("title").textContent = visible(page.title);
  byId("live").hidden = !page.live;
  byId("live").textContent = `Training: ${trainingLog().length ? `update ${trainingLog().at(-1).step}` : "no validation yet"}; this page follows it.`;
  byId("project").hidden = Boolean(page.live); // a reload would end it
  byId("facts").textContent = page.facts.map(([name, value]) => `${name}: ${visible(value)}`).join("  ·  ");
  byId("made").textContent = `Made by softalign ${page.version}, ${page.command}. This file is self-contained; nothing is loaded.`;
  onClick({ theme: changeTheme });
}

// ---- Notes: paragraphs with `code` and *emphasis*, questions whose answers are folded, links

function prose(text) {
  return text.split(/(`[^`]+`|\*[^*]+\*)/).map((part, i) =>
    (i % 2 ? html(part[0] === "`" ? "code" : "em", {}, visible(part.slice(1, -1))) : part && visible(part, false)));
}
const blocks = (list) => list.map((block) => (block.code === undefined ? html("p", {}, ...prose(block)) : html("pre", { tabindex: 0 }, block.code.split("\n").map((line) => line && visible(line, false)).join("\n"))));

function addNotes() {
  const notes = page.notes;
  if (!notes) return;
  document.body.classList.toggle("told", notes.see.length > 0);
  byId("see").append(...blocks(notes.see.slice(0, 1)));
  byId("notes").append(...blocks(notes.see.slice(1)));
  notes.links.forEach(({ text, target }) => byId("links").append(html("a", { href: target }, visible(text)), " "));
  byId("notes").hidden = !notes.items.length && notes.see.length < 2;
  for (const { kind, text, answer } of notes.items)
    byId("notes").append(html("div", { class: "item" }, html("b", {}, kind), ...blocks(text),
      answer.length ? html("details", {}, html("summary", {}, kind === "Exercise" ? "Solution" : "Answer"), ...blocks(answer)) : null));
}

// ---- Slides: section by section, a question before its answer, by keys

const slides = { at: -1 };

const listSlides = () => [...document.querySelectorAll("main > section:not([hidden], #files)")].flatMap((section) => (section.id !== "notes" ? [{ section }]
  : [...section.children].slice(1).flatMap((item) => [{ section, item }, ...(item.querySelector("details") ? [{ section, item, isOpen: true }] : [])])));

function showSlide(at) {
  const list = listSlides(), { section, item, isOpen } = list[slides.at = Math.min(Math.max(at, 0), list.length - 1)];
  document.body.classList.add("slides");
  for (const node of document.querySelectorAll("main > section, #notes > *")) node.classList.toggle("current", node === section || node === item);
  if (item?.querySelector("details")) item.querySelector("details").open = Boolean(isOpen);
  scrollTo(0, 0);
}

function leaveSlides() {
  slides.at = -1;
  document.body.classList.remove("slides");
  if (document.fullscreenElement) document.exitFullscreen();
}

function toggleSlides() {
  if (slides.at >= 0) { leaveSlides(); return; }
  if (navigator.userActivation?.isActive) document.documentElement.requestFullscreen?.().catch(() => {});
  showSlide(0);
}

function addSlides() {
  const on = () => slides.at >= 0 && showSlide(slides.at + 1), back = () => slides.at >= 0 && showSlide(slides.at - 1);
  onClick({ project: toggleSlides });
  addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) leaveSlides(); });
  onKeys(window, { s: () => !page.live && toggleSlides(), Escape: leaveSlides, ArrowRight: on, PageDown: on, ArrowLeft: back, PageUp: back,
    " ": (event) => !event.target.closest("button, summary") && on() }, "input, select, dialog, .chart, .words");
}

// ---- The table

const better = { loss: -1, perplexity: -1, bleu: 1, exact: 1, aer: -1 };
for (const band of lengthBands()) better[band] = 1;

function drawResults() {
  const rows = records("table.csv"), every = byId("each-seed").querySelector("input").checked;
  // Exact zeros, say, only if there are any.
  const columns = isHistory ? eraColumns() : page.columns.filter(({ key }) => better[key] || rows.some((row) => row[key]));
  const shown = models.filter((model) => isHistory || model.shown).map((model) => {
    const own = rows.filter((row) => row.model === model.key);
    return { ...own.at(-1), ...(isHistory ? eraFigures(model) : {}), model, below: every ? own.slice(0, -1).map((run) => ({ ...run, model: null })) : [] };
  });
  const nameOf = ({ model, seed }) => (!model ? `seed ${seed}` : isHistory ? [eraThumb(model), ...eraText(model)] : breakable(model.name));
  drawTable(byId("results").querySelector("table"), [{ title: "model", cell: nameOf }, ...columns.map(({ key, title, scale, decimals }) =>
    ({ title, best: better[key], value: (row) => row[key], cell: (row) => fixed(row[key] * scale, decimals) }))], shown);
}

function addResults() {
  const each = byId("each-seed");
  each.hidden = models.every((model) => model.seeds.length < 2);
  each.querySelector("input").addEventListener("change", drawResults);
  onModelsChange(drawResults);
  drawResults();
}

// Models that got other numbers of updates are not compared on equal terms.
function addBudgets() {
  const updates = records("table.csv").filter((row) => Number.isNaN(row.seed)).map((row) => [row.model, row.updates]);
  const counts = updates.map(([, count]) => count).filter(Number.isFinite);
  if (Math.max(...counts) <= 1.1 * Math.min(...counts)) return;
  byId("budgets").hidden = !counts.length;
  byId("budgets").textContent = `Updates differ: ${updates.map(([name, count]) => `${visible(name)} ${count}`).join(", ")}.`;
}

// What gradcheck found: a bar for each tensor.
function addGradients() {
  byId("column").parentElement.hidden = true;
  byId("bars-title").textContent = "Digits of each tensor's gradient that are right";
  byId("bars").classList.add("many");
  drawBars(byId("bar-rows"), page.bars.map(([name, digits, ok]) =>
    ({ name, color: ok ? "var(--m0)" : "var(--m1)", value: digits, shown: ok ? fixed(digits, 1) : `${fixed(digits, 1)} wrong`, runs: [] })));
}

const barColumns = page.columns?.filter(({ key }) => better[key] && records("table.csv").some((row) => Number.isFinite(row[key]))) ?? [];

// One figure of the table as bars; those of the single seeds are ticks.
function addBars() {
  const list = byId("column");
  list.append(...barColumns.map((column) => html("option", { value: column.key }, column.title)));
  list.value = "bleu";
  const draw = () => {
    const column = barColumns.find(({ key }) => key === list.value), rows = records("table.csv");
    drawBars(byId("bar-rows"), models.filter((model) => model.shown).map((model) => {
      const all = rows.filter((row) => row.model === model.key).map((row) => row[column.key] * column.scale);
      return { name: model.name, color: model.color, value: all.at(-1), shown: fixed(all.at(-1), column.decimals), runs: all.length > 2 ? all.slice(0, -1) : [] };
    }));
  };
  list.addEventListener("change", draw);
  onModelsChange(draw);
  draw();
}

// ---- Curves

// The rows of a file by model and seed; a file about a single model does not name it.
function runs(rows) {
  return models.filter((model) => model.shown).flatMap((model) => {
    const own = rows.filter((row) => row.model === undefined || row.model === model.key);
    return [...new Set(own.map((row) => row.seed))].map((seed) => ({ model, seed, rows: own.filter((row) => row.seed === seed) }));
  });
}

const trainingLog = () => records("curves.csv" in page.files ? "curves.csv" : "log.csv");

const curvesOf = (rows, x, y) => runs(rows).map(({ model, seed, rows: own }) => ({
  model,
  thin: model.seeds.length > 1,
  label: model.seeds.length > 1 ? `${model.name}, seed ${seed}` : model.name,
  points: own.map((row) => [row[x], row[y]]).filter((point) => point.every(Number.isFinite)),
}));

function addCurves() {
  const rows = trainingLog(), title = (id) => byId(id).selectedOptions[0].textContent;
  const draw = keepChart(byId("curves").querySelector(".chart"), () => ({
    x: title("curve-x"), y: title("curve-y"), decimals: byId("curve-y").value === "valid_bleu" ? 2 : 4,
    series: curvesOf(rows, byId("curve-x").value, byId("curve-y").value),
  }));
  byId("curve-x").addEventListener("change", draw);
  byId("curve-y").addEventListener("change", draw);
}

// ---- BLEU by length

function median(numbers) {
  const sorted = numbers.filter(Number.isFinite).sort((a, b) => a - b), half = (sorted.length - 1) / 2;
  return sorted.length ? (sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2 : NaN;
}

function addLengths() {
  const rows = records("bylength.csv"), bands = lengthBands();
  const sentences = bands.map((band) => rows.find((row) => row.band === band).sentences);
  byId("lengths-note").textContent = `Sentences: ${bands.map((band, i) => `${sentences[i]} of ${band} words`).join(", ")}.`;
  keepChart(byId("lengths").querySelector(".chart"), () => ({
    x: "source words", y: "BLEU", bands, decimals: 2,
    series: models.filter((model) => model.shown).map((model) => {
      const own = bands.map((band) => rows.filter((row) => row.model === model.key && row.band === band));
      const middle = (key) => own.map((list, x) => [x, median(list.map((row) => row[key]))]).filter(([, y]) => Number.isFinite(y));
      const low = middle("low"), high = new Map(middle("high"));
      return { model, points: middle("bleu"), spread: low.map(([x, y]) => [x, y, high.get(x)]) };
    }),
  }));
}

// ---- Attention statistics

function addAttentionStatistics() {
  const attending = models.filter((model) => model.gaze);
  const columns = [["entropy", "entropy (nats)", 2, null], ["evenness", "relative to uniform", 0, 100], ["coverage", "coverage", 0, 100],
    ["end", "weight on </s>", 0, 100], ["onward", "monotonicity", 0, 100],
    ...(attending.some(({ gaze }) => gaze.zeros >= 0.0005) ? [["zeros", "exact zeros", 0, 100]] : []),
    ...(attending.some(({ gaze }) => gaze.sum < 0.9995) ? [["sum", "weight of a row", 1, 100]] : [])];
  const cell = (model, key, decimals, percent) => {
    const value = model.gaze[key];
    if (value === null || !percent) return fixed(value ?? NaN, decimals);
    return [html("progress", { value: Math.min(value, 1), "aria-hidden": "true", style: { accentColor: model.color } }), html("span", {}, `${fixed(value * percent, decimals)} %`)];
  };
  const draw = () => drawTable(byId("gazes").querySelector("table"), [{ title: "model", cell: (model) => breakable(model.name) }, ...columns.map(([key, title, decimals, percent]) =>
    ({ title, value: (model) => model.gaze[key], cell: (model) => cell(model, key, decimals, percent) }))], attending.filter((model) => model.shown));
  byId("gazes-note").textContent = `Over the ${page.sentences.length} sentences of this page. Entropy: the mean over the target words, also relative to that of uniform weights; `
    + "coverage: source words whose weights sum to at least 1/2; monotonicity: target words whose most attended source word is that of the previous word or follows it, where both have weight on one; a null key or the Gaussian of a window takes what the weights of a row lack to 100 %.";
  onModelsChange(draw);
  draw();
}

// ---- Settings

function addSettings() {
  const names = [...new Set(models.flatMap((model) => Object.keys(model.settings)))];
  const differs = (name) => new Set(models.map((model) => model.settings[name])).size > 1;
  const columns = [{ title: "option", cell: (name) => name }, ...models.map((model) => ({ title: visible(model.name), cell: (name) => visible(model.settings[name] ?? "–") }))];
  for (const model of models) if (model.seeds.length) model.settings.seed = model.seeds.join(", ");
  drawTable(byId("differing"), columns, ["seed", ...names.filter((name) => name !== "seed" && differs(name))]);
  drawTable(byId("shared"), columns, names);
  byId("signatures").append(...page.signatures.map((text) => html("li", {}, visible(text))));
}

// ---- Files

function tidy() {
  const lines = ["model,sentence,t,target,s,source,weight"];
  for (const model of models)
    page.matrices?.[model.index]?.forEach((entry, i) => {
      const { source, target } = { ...page.sentences[i], ...entry.words };
      unpack(entry.mean, source.length * target.length).forEach((weight, at) => {
        const t = Math.floor(at / source.length), s = at % source.length;
        lines.push([csvCell(model.key), i + 1, t, csvCell(target[t]), s, csvCell(source[s]), Number(weight.toFixed(3))].join(","));
      });
    });
  return lines.join("\n") + "\n";
}

function addDownloads() {
  const offers = Object.entries(page.files).map(([name, text]) => [name, () => text]);
  if (page.matrices?.some(Boolean)) offers.push(["attention.csv", tidy]);
  byId("downloads").append(...offers.map(([name, text]) => html("button", { type: "button", on: { click: () => offer(name, text(), "text/csv") } }, `↓ ${name}`)));
}

addHead();
addNotes();
addModels();
addBudgets();
addPlayer();
for (const [id, has, add] of [
  ["results", "table.csv" in page.files, addResults],
  ["bars", page.bars, addGradients],
  ["bars", barColumns.length, addBars],
  ["curves", trainingLog().length, addCurves],
  ["lengths", records("bylength.csv").length, addLengths],
  ["films", page.film?.some(Boolean), addFilms],
  ["viewer", page.matrices?.some(Boolean), addViewer],
  ["history", isHistory, addHistory],
  ["annotations", "annotations.csv" in page.files, addAnnotations],
  ["steps", page.steps?.length, () => byId("strip").append(...strip(page.steps))],
  ["gazes", models.some((model) => model.gaze), addAttentionStatistics],
  ["settings", models.some((model) => Object.keys(model.settings).length), addSettings],
  ["files", page.matrices?.some(Boolean) || Object.keys(page.files).length, addDownloads],
])
  if (has) {
    byId(id).hidden = false;
    add();
  }
addSlides();
openPlace();
restore();
if (page.live) follow();
