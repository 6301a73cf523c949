// The data of the page.

const page = JSON.parse(document.getElementById("data").textContent);

// ---- Packed weights: two characters each, thousandths, or from 1024 on a run of zeros.

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digitOf = new Map(Array.from(digits, (digit, i) => [digit, i]));

function unpack(text, count) {
  const weights = new Float32Array(count);
  for (let i = 0, at = 0; i < text.length; i += 2) {
    const number = digitOf.get(text[i]) * 64 + digitOf.get(text[i + 1]);
    if (number < 1024) weights[at++] = number / 1000;
    else if (number <= 3072) at += number - 1024;
    else weights[at++] = (3072 - number) / 1000;
  }
  return weights;
}

// ---- The CSV files of the page (RFC 4180), parsed for drawing and offered unchanged for download.

function readCsv(text) {
  const rows = [[]];
  const cell = /("(?:[^"]|"")*"|[^,\n]*)(,|\n|$)/gy;
  for (let match; cell.lastIndex < text.length && (match = cell.exec(text)); ) {
    const quoted = match[1].startsWith('"');
    rows.at(-1).push(quoted ? match[1].slice(1, -1).replaceAll('""', '"') : match[1]);
    if (match[2] === "\n" && cell.lastIndex < text.length) rows.push([]);
  }
  return rows;
}

// The rows as objects by column name; numbers are parsed.
function records(name) {
  if (!(name in page.files)) return [];
  const [header, ...rows] = readCsv(page.files[name]);
  return rows.map((row) =>
    Object.fromEntries(header.map((key, i) => [key, key === "model" || key === "band" ? row[i] : row[i] === "" ? NaN : Number(row[i])])));
}

// ---- Models: each has a color and a stroke, and can be hidden on the whole page.

const strokes = ["", "9 5", "2 5", "12 4 2 4"];
// The rows of scripts/lessons/history.tsv by model, and whether the page has no other models: it then tells the history.
const eras = new Map(byId("rows").textContent.trim().split("\n").map((line) => line.split("\t"))
  .map(([year, name, model, formula, idea, paper, lesson, file]) => [model, { year, name, formula, idea, paper, lesson, file }]));
const isHistory = page.models.length > 2 && "table.csv" in page.files && page.models.every(({ name }) => eras.has(name));
const eraName = ({ year, name }) => (name.endsWith(")") ? `${name.slice(0, -1)} ${year})` : `${name} (${year})`);
const landmarks = ["fixed", "bahdanau:additive", "luong:general", "transformer"]; // of many rows, those that are drawn at first

const models = page.models.map((model, i) => ({
  ...model,
  key: model.name, // in the files
  name: isHistory ? eraName(eras.get(model.name)) : model.name,
  era: isHistory ? eras.get(model.name) : null,
  index: i,
  color: `var(--m${i % 8})`,
  stroke: strokes[Math.floor(i / 8 + i / 4) % 4],
  shown: !isHistory || page.models.length <= 8 || landmarks.includes(model.name),
}));
const listeners = [];
const onModelsChange = (act) => listeners.push(act);

function addModels() {
  const nav = byId("models");
  nav.hidden = models.length < 2;
  for (const model of models) {
    const toggle = () => {
      model.shown = !model.shown;
      button.setAttribute("aria-pressed", model.shown);
      for (const act of listeners) act();
    };
    const button = html("button", { type: "button", "aria-pressed": String(model.shown), on: { click: toggle } }, lineMark(model.color, model.stroke), visible(model.name));
    nav.append(button);
  }
}
