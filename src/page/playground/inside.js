// Looking inside: the equation of a step, attention bent by hand, a term missing in the gradients.

const bending = { links: new Map() }; // target word: source word

// ---- The equation

let explained = 0;

function forgetEquation() {
  explained++;
  for (const id of ["cell", "equation", "strip", "checked", "gradients"]) byId(id).replaceChildren();
  byId("computation").hidden = byId("cell").hidden = true;
  byId("equation-title").textContent = textOf("equationHint");
}

// The lines of an explanation, and which of them begin the attention (of the chosen head, or of the first one), state
// the equation of the weights, name the columns below it, and hold the numbers of a source word.
function weightLines(text, s) {
  const lines = text.split("\n"), start = lines.indexOf("Attention"), head = view.head || 1;
  const attention = start < 0 ? -1 : Math.max(start, lines.indexOf(`  -- head ${head} --`, start));
  const names = attention < 0 ? -1 : lines.findIndex((line, i) => i > attention && /alpha_ij$/.test(line));
  const equation = names < 0 ? -1 : lines.findLastIndex((line, i) => i < names && /alpha_ij =/.test(line));
  const word = names < 0 || s === null ? -1 : lines.findIndex((line, i) => i > names && line.match(/^\s+(\d+) /)?.[1] === String(s + 1));
  return { lines, attention, names, equation, word, ofHead: attention > start ? lines[attention].trim() : "" };
}

// The equation of the weight with the names of the columns and its numbers; the whole text, with its line marked.
function showEquation(text, s) {
  const { lines, equation, names, word, ofHead } = weightLines(text, s), host = byId("equation");
  const part = (from, to) => lines.slice(from, to).map((line) => `${line}\n`).join("");
  byId("cell").hidden = word < 0;
  if (word < 0) { host.textContent = text; return; }
  byId("cell").textContent = [(lines[equation] ?? "").trim().replace(/ {4,}/, "\n"), lines[names].replace(/^ {14}/, ofHead.padEnd(14)), lines[word]].join("\n");
  host.replaceChildren(part(0, word), html("mark", {}, lines[word]), "\n", part(word + 1));
}

// From its attention on, where it is open.
function scrollEquation() {
  const { lines, attention } = weightLines(byId("equation").textContent, null);
  byId("equation").scrollTop = attention < 0 ? 0 : (attention * byId("equation").scrollHeight) / lines.length;
}

// Of a Transformer, decoder-only or not, explain computes what is made of a source word; of all others, a step of the decoder.
const explainsSource = () => training.about[pointedSlot()]?.settings.model !== "recurrent";

function explanation(step, more = "") {
  const { source, target } = watchedPair();
  return callModel(pointedSlot(), "explain", source, target ?? pointedFrame().translation, `--step ${step + 1} ${more}`);
}

// Where a row looks, in words.
function inWords(frame, t) {
  const row = Array.from(weightsOf(frame).subarray(t * frame.columns.length, (t + 1) * frame.columns.length));
  const most = [...row.keys()].sort((a, b) => row[b] - row[a]).filter((s, i) => i < 3 && row[s] >= 0.05);
  return textOf("inWords", { word: clipped(frame.rows[t], 30), shares: most.map((s) => `${clipped(frame.columns[s], 30)} (${fixed(100 * row[s], 0)} %)`).join(", ") });
}

async function explain(t, s) {
  const frame = pointedFrame(), number = ++explained;
  if (!frame) return;
  const ofSource = explainsSource(), step = ofSource ? s ?? 0 : t;
  byId("computation").hidden = false;
  byId("equation-title").textContent = ofSource ? textOf("equationOfSource", { n: step + 1, word: clipped(frame.columns[step], 30) }) : inWords(frame, t);
  try {
    const text = await explanation(step), steps = JSON.parse(await explanation(step, "--steps"));
    if (number !== explained) return;
    showEquation(text, ofSource ? null : s);
    byId("strip").replaceChildren(...strip(steps));
    scrollEquation();
    byId("explained").scrollIntoView({ block: "nearest" });
  } catch (error) {
    if (number === explained) byId("equation").textContent = visible(error.message, false);
  }
}

// ---- Attention by hand

function bend(t, s) {
  if (bending.links.get(t) === s) bending.links.delete(t);
  else bending.links.set(t, s);
  showBent();
  watch();
}

function unbend() {
  bending.links.clear();
  showBent();
  return watch();
}

function allowBending(isAllowed) {
  byId("bend").checked = isAllowed;
  document.body.classList.toggle("bending", isAllowed);
}

function showBent() {
  const frame = view.frames.find((one) => one?.rows), links = [...bending.links];
  byId("unbend").disabled = !links.length;
  byId("bent").textContent = links.length && frame ? textOf("bentTo", { links: links.map(([t, s]) => `${clipped(frame.rows[t] ?? "", 20)} → ${clipped(frame.columns[s] ?? "", 20)}`).join(", ") }) : "";
}

// ---- A missing term

// "?": one of those that every model of 2015 has, which is not named.
const leaveOut = tried(async (broken) => {
  const common = engine.info.terms.filter(({ options }) => !options), isSecret = broken === "?";
  state.broken = broken;
  training.broken = isSecret ? common[Math.floor(Math.random() * common.length)].name : broken;
  await call("break", training.broken);
  byId("term").value = broken ?? "";
  byId("broken").hidden = !broken;
  const needs = engine.info.terms.find(({ name }) => name === broken)?.options;
  say(needs ? textOf("needs", { options: needs }) : "");
  keepLink();
});

// Options like "--heads 2 --input-feeding" as settings.
const settingsOf = (options) => Object.fromEntries(options.split("--").filter(Boolean).map((part) => {
  const [name, value] = part.trim().split(/\s+/);
  return [name, value ?? "true"];
}));

// The architecture of model A and what the missing term needs, in the smallest sizes: all gradients in a second.
function checkedSettings(term) {
  const model = engine.info.options.filter(({ scope }) => scope === "model").map(({ name }) => name);
  const chosen = Object.fromEntries(Object.entries(state.models[0]).filter(([name]) => model.includes(name)));
  const settings = { ...chosen, ...settingsOf(term?.options ?? "") }, size = String(4 * (Number(settings.heads) || 1));
  return { ...settings, embed: size, hidden: size, attn: size, maxout: "4", ffn: "4" };
}

const DIGITS = 13; // of a gradient, that central differences can show to be right

async function checkGradients() {
  const term = engine.info.terms.find(({ name }) => name === training.broken);
  byId("checked").textContent = textOf("checking");
  try {
    const { ok, tensors } = await call("gradcheck", optionTexts(checkedSettings(term)), term?.name ?? null);
    const wrong = tensors.filter((tensor) => !tensor.ok);
    byId("checked").replaceChildren(html("span", {}, ok ? textOf("allRight", { n: tensors.length }) : textOf("wrong", { n: wrong.length, all: tensors.length })),
      ...(term ? [html("details", {}, html("summary", {}, textOf("which")), html("code", {}, term.name), `: ${term.dropped}`)] : []));
    const digits = (worst) => Math.min(Math.max(-Math.log10(Math.max(worst ?? 1, 1e-16)), 0), 16);
    drawBars(byId("gradients"), tensors.map(({ name, worst, ok: right }) =>
      ({ name, color: right ? "var(--m3)" : "var(--gold)", value: digits(worst), shown: right ? fixed(digits(worst), 1) : `${fixed(digits(worst), 1)} ✗`, runs: [] })), DIGITS);
  } catch (error) {
    byId("checked").textContent = visible(error.message, false);
  }
}

function listInside() {
  const forces = ["", "uniform", "shuffle", "shift:1", "one-hot"], force = byId("force").value, term = byId("term").value;
  byId("force").replaceChildren(...forces.map((name) => html("option", { value: name }, textOf(name || "asLearned"))));
  byId("force").value = force;
  byId("breaking").hidden = !engine.info.terms?.length;
  byId("term").replaceChildren(html("option", { value: "" }, textOf("nothingOut")), html("option", { value: "?", hidden: true }, textOf("secretTerm")),
    ...(engine.info.terms ?? []).map(({ name, dropped }) => html("option", { value: name }, `${name}: ${dropped}`)));
  byId("term").value = term;
}

function addInside() {
  byId("force").addEventListener("change", watch);
  byId("computation").addEventListener("toggle", scrollEquation);
  byId("bend").addEventListener("change", (event) => allowBending(event.target.checked));
  addEventListener("pointerup", () => setTimeout(() => { view.pressed = null; })); // after the click
  byId("term").addEventListener("change", (event) => leaveOut(event.target.value || null));
  onClick({ unbend, secret: () => leaveOut("?"), check: checkGradients, mend: () => { byId("term").focus({ preventScroll: true }); leaveOut(null); } }); // the button goes
}
