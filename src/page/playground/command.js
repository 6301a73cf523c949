// The command line that trains the same.

import { byId } from "../dom.js";
import { names, optionsOf } from "./options.js";
import { HELD_OUT } from "./pairs.js";
import { state, training } from "./state.js";

export function commandLine() {
  const corpora =
    state.own === null
      ? ["train", "valid"].map(
          (split) =>
            `softalign corpus ${state.task} --pairs ${split === "train" ? state.pairs : 2000}${split === "valid" ? " --split valid" : ""} |` +
            ` awk -F'\\t' 'split($1, words, " ") <= ${state.longest}'${split === "valid" ? ` | head -n ${HELD_OUT}` : ""} >${split}.tsv`,
        )
      : ["# train.tsv: your own pairs, as they stand on the page"];
  const valid = training.pairs.valid ? " --valid valid.tsv" : "";
  return [
    ...corpora,
    ...state.models
      .map(
        (settings, slot) =>
          settings &&
          `softalign train --train train.tsv${valid} ${optionsOf(settings)} --out ${names[slot].toLowerCase()}`,
      )
      .filter(Boolean),
  ].join("\n");
}

export function showCommand() {
  byId("command").textContent = commandLine();
}
