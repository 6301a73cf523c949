// Formulas such as e = q' k / sqrt(n') as MathML.

import { make } from "../dom.js";

const math = (tag, ...children) =>
  make(
    document.createElementNS("http://www.w3.org/1998/Math/MathML", tag),
    { stretchy: tag === "mo" && "false" },
    children,
  );

const letters = {
  alpha: "α",
  beta: "β",
  gamma: "γ",
  kappa: "κ",
  lambda: "λ",
  phi: "φ",
  sigma: "σ",
  tau: "τ",
  sum: "∑",
  "-": "−",
  "<=": "≤",
  "..": "…",
};

const closings = { "(": ")", "[": "]", "|": "|" };

const isSign = /^([-+=,;]|<=|\.\.)$/;
const isName = /^(exp|log|tanh|cos|max|min|softmax|bucket|sqrt)$/;

export function mathOf(text) {
  const tokens = text.match(/[A-Za-z]+\d*|\d+|<=|\.\.|\S/g);
  const is = (pattern) => tokens.length > 0 && pattern.test(tokens[0]);
  const take = () => (letters[tokens[0]] ? letters[tokens.shift()] : tokens.shift());
  const isText = () => is(/^[a-z]{2,}$/) && !(tokens[0] in letters) && !isName.test(tokens[0]);
  function atom() {
    const token = take();
    if (token === "sqrt") return math("msqrt", atom().childNodes[1]);
    if (token in closings)
      return math("mrow", math("mo", token), sum(closings[token]), math("mo", take()));
    return math(/^\d/.test(token) ? "mn" : token === "∑" ? "mo" : "mi", token);
  }
  // With its indices; a ' before an index, or of a bare name at the end of a group, is a prime, else a transpose.
  function factor() {
    const base = atom();
    const above = [];
    let below = null;
    while (is(/^[_^']$/)) {
      const mark = take();
      if (mark === "_") below = tokens.length ? math("mi", take()) : null;
      else
        above.push(
          mark === "^"
            ? bare([atom()])
            : math(
                "mi",
                is(/^[^_),]/) || (!is(/^_/) && (below || base.localName === "mrow")) ? "⊤" : "′",
              ),
        );
    }
    const tag = `m${below ? "sub" : ""}${above.length ? "sup" : ""}`;
    return tag === "m"
      ? base
      : math(tag, base, below, above.length ? math("mrow", ...above) : null);
  }
  function factors(end) {
    const list = [];
    while (tokens.length && tokens[0] !== end && !is(isSign) && !is(/^\/$/) && !isText())
      list.push(factor());
    return list;
  }
  const bare = (list) =>
    list.length === 1 && list[0].firstChild?.textContent === "("
      ? list[0].childNodes[1]
      : math("mrow", ...list);
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
