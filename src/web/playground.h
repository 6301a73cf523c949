/* playground: the library for a page, a caller without files and threads.
 *
 * A thin layer over softalign.h and train/: it trains update by update instead of to the end, and
 * takes and returns text and bytes in memory. softalign.wasm exports all of it.
 *
 * Conventions. Texts are UTF-8 and end in a zero byte; the page copies its own into web_alloc.
 * `options` are written as on the command line: "--hidden 32 --decoder luong --input-feeding"; NULL
 * or "" stands for none. A result is JSON text (unless said otherwise), valid until the next call;
 * a number that JSON lacks, such as NaN, is null. NULL (0 for a handle) means that the call failed:
 * web_error says why in one sentence. The handle can still be used after a failure.
 *
 *   memory       web_alloc web_free
 *   errors       web_error
 *   what exists  web_info web_settings web_pairs web_grammar
 *   a model      web_open web_load web_close web_about web_pair
 *   training     web_step web_validate web_break web_gradcheck
 *   looking      web_translate web_align web_explain web_picture
 *   saving       web_save web_size */
#pragma once

#include <stddef.h>

/* A model, and its training if it was made by web_open. */
typedef struct web_play web_play;

/* ---- Memory and errors ----------------------------------------------------------------------- */

/* Returns memory for arguments, which web_free frees, or NULL if there is none left. */
void *web_alloc(size_t size);
void web_free(void *memory);

/* Returns why the last failed call failed, in one line of plain text. */
const char *web_error(void);

/* ---- What exists ----------------------------------------------------------------------------- */

/* Returns all that there is to choose from:
 *   {"version": "0.2.0",
 *    "options":     [{"name", "kind": "int" | "real" | "switch" | "choice", "scope": "model" |
 *                     "text" | "training" | "run" | "scores", "default", "min", "max",
 *                     "choices": [...], "help"}],        of web_open; default of a choice: its name
 *    "search":      [the same]                           of web_translate
 *    "tasks":       [{"name", "summary"}]                of web_pairs
 *    "formulas":    {option: [{"name", "formula", "citation"}]}   of choices that are equations
 *    "terms":       [{"name", "dropped", "options"}]     of web_break and web_gradcheck
 *   } */
const char *web_info(void);

/* Checks options without training anything. Returns {"command": the options that differ from the
 * defaults, in order; "settings": {name: value}, all of them; "attention": whether such a model
 * attends}. */
const char *web_settings(const char *options);

/* Keeps the text of a grammar of `softalign corpus --grammar` and returns what --check prints. An
 * error begins with "grammar:LINE: ". */
const char *web_grammar(const char *text);

/* Returns pairs of a task of `softalign corpus`, NULL: of the last grammar, as lines "source TAB
 * target TAB alignment": those of `pairs` pairs whose source has at most `longest` words, split at
 * spaces (0: any number). `split`: "train", "valid", "test". With `longest` 0, the bytes are those
 * of the command. */
const char *web_pairs(const char *task, int pairs, double seed, const char *split, int longest);

/* ---- A model --------------------------------------------------------------------------------- */

/* Opens a training before its first update. `train`: pairs as web_pairs returns them, the third
 * column optional. `valid`: held-out pairs; NULL: 5 % of the training pairs. `state`: the `size`
 * bytes of last.safetensors of a training on the same pairs, which goes on from there; NULL: a new
 * training. All are copied. web_close frees the handle. */
web_play *web_open(const char *options, const char *train, const char *valid, const void *state,
                   size_t size);

/* Opens the model of a .safetensors file of `size` bytes, without a training. */
web_play *web_load(const void *file, size_t size);
void web_close(web_play *play);

/* Returns {"settings": {...}, "command", "parameters", "attention": bool, "heads", "layers" (of the
 * encoder and decoder of a Transformer), "source_words", "target_words" (vocabularies), "pairs",
 *  "held_out", "step": updates made, "gold": whether the held-out pairs have alignments, "notes":
 *  ["..."] for the user}
 */
const char *web_about(web_play *play);

/* Returns held-out pair i, from 0: {"source", "target", "gold"}. */
const char *web_pair(const web_play *play, int i);

/* ---- Training -------------------------------------------------------------------------------- */

/* Makes `updates` updates. Validates whenever the command would (--valid-every; an epoch), so that
 * the training is that of the command. Returns {"step", "epoch" (from 1), "epoch_part", "loss"
 * per target word of these updates, "words" (target), "seconds", "words_per_second",
 * "gradient_norm", "validation": null or {"loss", "bleu", "chrf", "best"}, "done": null or why the
 * command would end here ("steps", "epochs", "patience")}. Training may go on after that. */
const char *web_step(web_play *play, int updates);

/* Measures the first `most` held-out pairs, without any effect on the training. A call measures up
 * to `pairs` more of them (0: all) with the weights of the first of these calls. Returns null until
 * all are measured, then {"step": of the first call, "sentences", and all figures of `softalign
 * eval --json`: "loss" ... "drop"; "gold": the mean weight on the gold links, null: no attention or
 * no alignments, "links"; "moved", "moved_links": the same for words whose link crosses
 * another}. */
const char *web_validate(web_play *play, int most, int pairs);

/* Leaves a term of the backward pass out of all further updates; NULL: none. Returns {"term"}. */
const char *web_break(const char *term);

/* Compares the gradients of such a model with central differences, in double precision, with a term
 * left out (NULL: none). Returns {"ok", "error": the sentence or null, "tensors": [{"name", "rows",
 * "cols", "worst", "ok"}]}. */
const char *web_gradcheck(const char *options, const char *term);

/* ---- Looking --------------------------------------------------------------------------------- */

/* Translates. `options`: "--beam 4", "--sample" ... and "--force-attention uniform" (shuffle,
 * shift:1, one-hot, gold). `links` in Pharaoh format ("0-2 1-0", source-target): with
 * "--force-attention gold", target word 2 attends to source word 0 alone, word 0 to word 1; the
 * other target words keep the weights of the model; NULL: none. Returns {"text", "log_probability",
 * "complete", "too_long", "unknown_source", "source": ["...", "</s>"], "target": [...], "weights":
 * [rows] or null} */
const char *web_translate(web_play *play, const char *source, const char *options,
                          const char *links);

/* Returns the attention while the model predicts `target` (NULL: the greedy translation).
 * `options`: "--site cross" (encoder, decoder), "--layer 2", "--force-attention ...", links as
 * above.
 * {"source", "target": words, "log_probability", "token_log_probabilities", "heads", "layers",
 * "weights": [target][source], the mean over heads, "each": [layer][head][target][source]} */
const char *web_align(web_play *play, const char *source, const char *target, const char *options,
                      const char *links);

/* Returns the text of `softalign explain`. `options`: those of the command, as "--step 2 --digits
 * 4". With "--steps" returns matrices as `attend --steps --json` does, without those of the
 * vocabulary: [{"name", "formula", "head", "numbers"}]. `target` NULL: the greedy translation. */
const char *web_explain(web_play *play, const char *source, const char *target,
                        const char *options);

/* Returns the matrix of a pair as the text of a file; `form`: "csv" or "svg". */
const char *web_picture(web_play *play, const char *source, const char *target, const char *form);

/* ---- Saving ---------------------------------------------------------------------------------- */

/* Returns the web_size() bytes of a .safetensors file: of the current model or, with `state`, of
 * the training, which web_open can continue. */
const void *web_save(web_play *play, int state);

/* Returns the number of bytes of the last result, without the zero that ends a text. */
size_t web_size(void);
