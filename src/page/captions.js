// The words inside pictures, and what screen readers say of them.

// English; a page in other languages, or with other axes, assigns its own.
export const captions = {
  axes: ["source", "target"],
  coverage: "coverage: sum of weights",
  entropy: "entropy",
  weight: "weight",
  difference: "difference",
  none: "no word",
  inChart: (x, y) => `${y} over ${x}; arrow keys move the cursor`,
};
