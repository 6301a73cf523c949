// Formulas such as e = q' k / sqrt(n') as MathML.

import { make } from "../dom.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";

const math = (tag, ...children) =>
  make(document.createElementNS(MATHML, tag), { stretchy: tag === "mo" && "false" }, children);

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

// Parses a formula by recursive descent: a sum of products and words, whose factors have indices.
class Formula {
  constructor(text) {
    this.tokens = text.match(/[A-Za-z]+\d*|\d+|<=|\.\.|\S/g);
  }

  is(pattern) {
    return this.tokens.length > 0 && pattern.test(this.tokens[0]);
  }

  isText() {
    return this.is(/^[a-z]{2,}$/) && !(this.tokens[0] in letters) && !isName.test(this.tokens[0]);
  }

  take() {
    const token = this.tokens.shift();
    return letters[token] ?? token;
  }

  atom() {
    const token = this.take();
    if (token === "sqrt") return math("msqrt", this.atom().childNodes[1]);
    if (token in closings) {
      const inner = this.sum(closings[token]);
      return math("mrow", math("mo", token), inner, math("mo", this.take()));
    }
    return math(/^\d/.test(token) ? "mn" : token === "∑" ? "mo" : "mi", token);
  }

  // Returns the mark of a ': a prime before an index, or of a bare name at the end of a group; else
  // a transpose.
  prime(base, below) {
    const isInner = this.is(/^[^_),]/);
    const isTransposed = isInner || (!this.is(/^_/) && (below || base.localName === "mrow"));
    return math("mi", isTransposed ? "⊤" : "′");
  }

  // Returns an atom with its indices.
  factor() {
    const base = this.atom();
    const above = [];
    let below = null;
    while (this.is(/^[_^']$/)) {
      const mark = this.take();
      if (mark === "_") below = this.tokens.length ? math("mi", this.take()) : null;
      else above.push(mark === "^" ? bare([this.atom()]) : this.prime(base, below));
    }
    if (!below && !above.length) return base;
    const tag = `m${below ? "sub" : ""}${above.length ? "sup" : ""}`;
    return math(tag, base, below, above.length ? math("mrow", ...above) : null);
  }

  factors(end) {
    const list = [];
    const isOver = () =>
      this.tokens[0] === end || this.is(isSign) || this.is(/^\/$/) || this.isText();
    while (this.tokens.length && !isOver()) list.push(this.factor());
    return list;
  }

  words() {
    const words = [];
    while (this.isText()) words.push(this.take());
    return math("mtext", `\u00a0${words.join("\u00a0")}\u00a0`);
  }

  // Returns factors, or a fraction.
  product(end) {
    const over = this.factors(end);
    if (!this.is(/^\/$/)) return over;
    this.take();
    return [math("mfrac", bare(over), bare(this.factors(end)))];
  }

  sum(end) {
    const parts = [];
    while (this.tokens.length && this.tokens[0] !== end) {
      if (this.is(isSign)) parts.push(math("mo", this.take()));
      else if (this.isText()) parts.push(this.words());
      else parts.push(...this.product(end));
    }
    return math("mrow", ...parts);
  }
}

// Returns a row without the parentheses around all of it.
const bare = (list) =>
  list.length === 1 && list[0].firstChild?.textContent === "("
    ? list[0].childNodes[1]
    : math("mrow", ...list);

export const mathOf = (text) => math("math", new Formula(text).sum());
