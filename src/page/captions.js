// The words inside pictures, also for screen readers.

// The English ones. Pages in another language or with other axes assign their own.
export const captions = {
  axes: ["source", "target"],
  coverage: "coverage: sum of weights",
  entropy: "entropy, nats",
  weight: "weight",
  difference: "difference",
  goldLink: "gold link",
  possibleLink: "possible",
  none: "no word",
  bandWidth: "width: weight",
  shown: "shown",
  full: (most) => `full width: ${most}`,
  inChart: (x, y) => `${y} over ${x}; arrow keys move the cursor`,
};
