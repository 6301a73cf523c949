
// Looking inside: the equation of a step, attention bent by hand, a term missing in the gradients.

const bending = { links: new Map() }; // target word: source word

// ---- The equation

let explained = 0;

function forgetEquation() {
  explained++;
  for (const id of ["equation", "equation-title", "checked", "gradients"]) byId(id).replaceChildren();
}

// The text with the line of the source word marked, from its attention on.
function showEquation(text, s) {
  const lines = text.split("\n"), attention = lines.indexOf("Attention"), host = byId("equation");
  const weights = lines.findIndex((line, i) => i > attention && /alpha_ij$/.test(line));
  const at = attention < 0 || weights < 0 || s === null ? -1 : lines.findIndex((line, i) => i > weights && line.match(/^\s+(\d+) /)?.[1] === String(s + 1));
  const part = (from, to) => lines.slice(from, to).map((line) => `${line}\n`).join("");
  if (at < 0) host.textContent = text;
  else host.replaceChildren(part(0, at), html("mark", {}, lines[at]), "\n", part(at + 1));
  host.scrollTop = attention < 0 ? 0 : (attention * host.scrollHeight) / lines.length;
}

async function explain(t, s) {
  const frame = view.frames.find((one) => one?.weights), slot = view.frames.indexOf(frame), number = ++explained;
  if (!frame) return;
  view.pinned = t;
  byId("equation-title").textContent = textOf("equationOf", { n: t + 1, target: clipped(frame.rows[t], 30) });
  const { source, target } = watchedPair();
  try {
    const text = await callModel(slot, "explain", source, target ?? frame.translation, `--step ${t + 1}`);
    if (number === explained) showEquation(text, s);
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
  if (!bending.links.size) return;
  bending.links.clear();
  showBent();
  watch();
}

function showBent() {
  const frame = view.frames.find((one) => one?.rows), links = [...bending.links];
  byId("unbend").disabled = !links.length;
  byId("bent").textContent = links.length && frame ? textOf("bentTo", { links: links.map(([t, s]) => `${clipped(frame.rows[t] ?? "", 20)} → ${clipped(frame.columns[s] ?? "", 20)}`).join(", ") }) : "";
}

// ---- A missing term

async function leaveOut(term, secret = false) {
  training.broken = term;
  try {
    await call("break", term);
    byId("term").value = secret ? "?" : term ?? "";
    const needs = engine.info.terms.find(({ name }) => name === term)?.options;
    say(secret ? textOf("secretOut") : needs ? textOf("needs", { options: needs }) : "");
  } catch (error) {
    complain(error);
  }
}

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

async function checkGradients() {
  const term = engine.info.terms.find(({ name }) => name === training.broken);
  byId("checked").textContent = textOf("checking");
  try {
    const { ok, error, tensors } = await call("gradcheck", optionTexts(checkedSettings(term)), term?.name ?? null);
    const wrong = tensors.filter((tensor) => !tensor.ok);
    byId("checked").replaceChildren(html("span", {}, ok ? textOf("allRight", { n: tensors.length }) : textOf("wrong", { n: wrong.length, all: tensors.length })),
      ...(term ? [html("details", {}, html("summary", {}, textOf("which")), html("code", {}, term.name), `: ${term.dropped}. ${error ?? ""}`)] : []));
    const digits = (worst) => Math.min(Math.max(-Math.log10(Math.max(worst ?? 1, 1e-16)), 0), 16);
    drawBars(byId("gradients"), tensors.map(({ name, worst, ok: right }) =>
      ({ name, color: right ? "var(--m0)" : "var(--m1)", value: digits(worst), shown: right ? fixed(digits(worst), 1) : `${fixed(digits(worst), 1)} ✗`, runs: [] })));
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
  byId("bend").addEventListener("change", (event) => document.body.classList.toggle("bending", event.target.checked));
  addEventListener("pointerup", () => setTimeout(() => { view.pressed = null; })); // after the click
  byId("unbend").addEventListener("click", unbend);
  byId("term").addEventListener("change", (event) => leaveOut(event.target.value || null));
  byId("secret").addEventListener("click", () => {
    const common = engine.info.terms.filter(({ options }) => !options); // those that every model of 2015 has
    leaveOut(common[Math.floor(Math.random() * common.length)].name, true);
  });
  byId("check").addEventListener("click", checkGradients);
}
