// What the page shows of the watched sentence.

export const view = {
  panels: [],
  key: "",
  isBands: false,
  head: 0,
  slot: 0,
  row: null,
  column: null,
  pressed: null,
  frames: [null, null],
  actsOf: () => null,
};

export const NARROW = 896; // of a window in pixels: the question takes the place of its text

// Returns the matrix of a frame: the chosen head, or the mean.
export const weightsOf = (frame) => frame.each?.[view.head - 1] ?? frame.weights;

export const wordsOf = (frame) => ({ source: frame.columns, target: frame.rows });

// Returns the slot of the matrix that is pointed at, or of the first matrix.
export const pointedSlot = () =>
  view.frames[view.slot]?.weights ? view.slot : view.frames.findIndex((frame) => frame?.weights);

export const pointedFrame = () => view.frames[pointedSlot()];
