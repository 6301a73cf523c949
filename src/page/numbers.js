// Numbers, and rows of weights.

export const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

// Returns the entropy of some weights in nats.
export function entropyOf(weights) {
  let sum = 0;
  for (const weight of weights) if (weight > 0) sum -= weight * Math.log(weight);
  return sum;
}

// Returns row t of a matrix of weights, without a copy.
export const rowOf = (weights, t, columns) => weights.subarray(t * columns, (t + 1) * columns);
