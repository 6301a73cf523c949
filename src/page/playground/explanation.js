// What softalign explain says of a step: the module's answer.

import { callModel } from "./engine.js";
import { watchedPair } from "./sentence.js";
import { training } from "./state.js";
import { pointedFrame, pointedSlot, view } from "./view.js";

// Returns whether explain computes a source word, as for decoder-only models, and not a step of the
// decoder.
export const explainsSource = () => training.about[pointedSlot()]?.settings.model === "decoder";

// Returns the chosen head, or the first, as a number from 1 in its layer.
export const headInLayer = () =>
  view.head ? ((view.head - 1) % (pointedFrame()?.heads ?? 1)) + 1 : 1;

// Returns the text of a step (from 0), of the layer of the chosen head.
export function explanation(step, more = "") {
  const { source, target } = watchedPair();
  const { translation, heads = 1, layers = 1 } = pointedFrame();
  const isTransformer = training.about[pointedSlot()]?.settings.model === "transformer";
  const site = isTransformer ? "--site cross " : "";
  const layer = layers > 1 && view.head ? `--layer ${Math.ceil(view.head / heads)} ` : "";
  const options = `--step ${step + 1} ${site}${layer}${more}`;
  return callModel(pointedSlot(), "explain", source, target ?? translation, options);
}
