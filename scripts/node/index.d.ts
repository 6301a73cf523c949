/** Lines "source TAB target", or an iterable of pairs; alignments in Pharaoh format ("0-0 1-2"), if any. */
export type Pairs =
  | string
  | Iterable<
      | readonly [source: string, target: string, alignment?: string]
      | { source: string; target: string; alignment?: string }
    >;
/** The path (in Node) or URL of a .safetensors file, or its bytes. */
export type Source = string | URL | Uint8Array | ArrayBuffer | Blob;
/** Options of the command in camel case: {beam: 4, forceAttention: "uniform"}; `softalign help COMMAND` lists them. */
export type Options = Record<string, string | number | boolean | undefined>;

export interface Translation {
  text: string;
  log_probability: number;
  complete: boolean;
  too_long: boolean;
  unknown_source: number;
  source: string[];
  target: string[];
  /** [target][source]; null: the model does not attend */
  weights: number[][] | null;
}

export interface Alignment {
  source: string[];
  target: string[];
  log_probability: number;
  token_log_probabilities: number[];
  heads: number;
  layers: number;
  /** [target][source], the mean over heads */
  weights: number[][];
  /** [layer][head][target][source] */
  each: number[][][][];
}

export interface Progress {
  step: number;
  epoch: number;
  epoch_part: number;
  /** per target word, of the updates since the last call */
  loss: number;
  words: number;
  seconds: number;
  words_per_second: number;
  gradient_norm: number;
  validation: { loss: number; bleu: number; chrf: number; best: boolean } | null;
  done: "steps" | "epochs" | "patience" | "time" | null;
}

/** These, and options of `softalign train`: {hidden: 64, steps: 500, dropout: 0.3, inputFeeding: true} */
export interface TrainOptions {
  /** held-out pairs; else 5 % of the pairs */
  valid?: Pairs;
  /** last.safetensors of a training on the same pairs, or save({state: true}), which goes on from there */
  resume?: Source;
  /** called about twenty times a second; false ends the training */
  progress?: (moment: Progress) => void | boolean | Promise<void | boolean>;
  signal?: AbortSignal;
  /** of training at most; default 60, without a limit if `steps` or `epochs` are given */
  seconds?: number;
  [option: string]: unknown;
}

export class Model {
  private constructor();
  /** settings, parameters, vocabularies, updates made */
  readonly about: Record<string, any>;
  translate(source: string, options?: Options): Translation;
  /** The attention while `target` (null: the greedy translation) is predicted after `source`. */
  align(source: string, target?: string | null, options?: Options): Alignment;
  /** One decoder step in numbers, as the text of `softalign explain`. */
  explain(source: string, target?: string | null, options?: Options): string;
  csv(source: string, target?: string | null): string;
  svg(source: string, target?: string | null): string;
  /** The bytes of a .safetensors file; with `state`, of the training, to be resumed. */
  save(options?: { state?: boolean }): Uint8Array;
  /** Returns its memory. */
  close(): void;
}

export function load(source: Source): Promise<Model>;
/** Trains a model; the result has the weights of the last update. */
export function train(pairs: Pairs, options?: TrainOptions): Promise<Model>;
/** Pairs of a toy corpus: [source, target, alignment]. */
export function corpus(
  task: string,
  options?: { pairs?: number; seed?: number; split?: "train" | "valid" | "test" },
): Promise<[source: string, target: string, alignment: string][]>;
/** All tasks, options, presets and formulas. */
export function info(): Promise<Record<string, any>>;
