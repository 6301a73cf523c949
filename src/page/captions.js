// The words inside pictures, also for screen readers.

// English. Pages with another language or other axes assign theirs.
export const captions = {
  axes: ["source", "target"],
  coverage: "coverage: sum of weights",
  entropy: "entropy",
  weight: "weight",
  difference: "difference",
  goldLink: "gold link",
  possibleLink: "possible",
  none: "no word",
  bandWidth: "width: weight",
  inChart: (x, y) => `${y} over ${x}; arrow keys move the cursor`,
};
