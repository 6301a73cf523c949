// HTML and SVG elements. Texts are untrusted: they become text nodes and nothing else.

export const byId = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

// Sets attributes, styles and listeners ({ on: { event: act } }) of a node and appends children. An
// attribute that is false or null stays unset; a child that is null is left out.
export function make(node, attributes, children = []) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on")
      for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === "style") Object.assign(node.style, value);
    else if (value !== false && value !== null)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

export const html = (tag, attributes = {}, ...children) =>
  make(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  make(document.createElementNS(SVG, tag), attributes, children);

export const option = (value, text, attributes = {}) =>
  html("option", { value, ...attributes }, text);

export const button = (click, attributes, ...children) =>
  html("button", { type: "button", on: { click }, ...attributes }, ...children);

// Sets what clicks do, by the ids of elements.
export const onClick = (acts) =>
  Object.entries(acts).forEach(([id, act]) => byId(id).addEventListener("click", act));

// Calls `draw` now, and again whenever the width of the element changes.
export function onWidth(host, draw) {
  let width = -1;
  new ResizeObserver(() => {
    if (host.clientWidth === width) return;
    width = host.clientWidth;
    draw();
  }).observe(host);
}

// Sets a control as a user would, if it has such a value.
export function setControl(id, value) {
  const control = byId(id);
  const fits =
    control.localName === "select"
      ? Array.from(control.options).some((option) => option.value === String(value))
      : value <= Number(control.max);
  if (!fits || control.value === String(value)) return;
  control.value = value;
  for (const name of ["input", "change"]) control.dispatchEvent(new Event(name, { bubbles: true }));
}

// Switches between light and dark.
export function changeTheme() {
  const { dataset } = document.documentElement;
  const isDark = dataset.theme
    ? dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = isDark ? "light" : "dark";
}

// Has the browser save data as a file.
export function offer(name, data, type) {
  const address = URL.createObjectURL(new Blob([data], { type }));
  html("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
