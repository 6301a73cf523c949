// The command line that trains the same models.

import { byId } from "../dom.js";
import { names, optionsOf } from "./options.js";
import { HELD_OUT } from "./pairs.js";
import { state, training } from "./state.js";

// The command that writes the pairs of a task, as the page chooses them.
function corpusLine(split) {
  const isValid = split === "valid";
  if (state.grammar !== null) {
    const count = training.pairs[split]?.split("\n").length - 1;
    const options = `--max-words ${state.longest} --pairs ${count} --split ${split}`;
    return count > 0 ? `softalign corpus --grammar own.scfg ${options} >${split}.tsv` : "";
  }
  const count = isValid ? "2000 --split valid" : state.pairs;
  const shortest = `awk -F'\\t' 'split($1, words, " ") <= ${state.longest}'`;
  const most = isValid ? ` | head -n ${HELD_OUT}` : "";
  return `softalign corpus ${state.task} --pairs ${count} | ${shortest}${most} >${split}.tsv`;
}

export function commandLine() {
  const corpora =
    state.own === null
      ? [
          state.grammar === null ? "" : "# own.scfg: your own grammar, as it stands on the page",
          ...["train", "valid"].map(corpusLine),
        ]
      : ["# train.tsv: your own pairs, as they stand on the page"];
  const data = `--train train.tsv${training.pairs.valid ? " --valid valid.tsv" : ""}`;
  const trainings = state.models.map((settings, slot) => {
    const out = names[slot].toLowerCase();
    return settings && `softalign train ${data} ${optionsOf(settings)} --out ${out}`;
  });
  return [...corpora, ...trainings].filter(Boolean).join("\n");
}

export function showCommand() {
  byId("command").textContent = commandLine();
}
