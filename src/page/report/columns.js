// The columns of the table of results: what the page calls them where a table of text has a shorter
// name, and what their numbers are.

import { page } from "./data.js";

const TITLES = {
  zeros: "zeros, %",
  words_per_second: "words/s",
  cache_bytes_per_step: "cache, bytes/word",
  p: "p against best",
};

export const columns = (page.columns ?? []).map((column) => ({
  ...column,
  title: TITLES[column.key] ?? column.title,
}));

const corrected = (count) => (count > 2 ? `; corrected for ${count - 1} comparisons (Holm)` : "");

// Returns what the numbers of a column are, in a table of so many models; "" where its title says
// it.
export const meaningOf = (key, count) =>
  ({
    parameters: "numbers that are learned",
    seconds: "of training, with validations",
    loss: "nats per word of the reference, 0 is best",
    perplexity: "e to the power of the loss, 1 is best",
    bleu: "words and runs of up to four words shared with the reference, 100 is best",
    exact: "translations that are their reference, word for word",
    aer: "error rate of the links from each word to the one it looks at most, 0 is best",
    entropy: "how spread the attention of a word is, in nats, 0 if all is on one word",
    zeros: "part of the attention weights that is exactly 0",
    words_per_second: "target words per second of training",
    cache_bytes_per_step: "what a decoder keeps in memory for each word that it writes",
    p: `chance of such a difference in BLEU between equals: paired bootstrap test against the model of the highest BLEU, of that one against the second${corrected(count)}`,
  })[key] ?? "";
