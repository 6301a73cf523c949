// What can be saved: models, matrices, links, command lines, a printed page.

import { byId, html, offer, onClick } from "../dom.js";
import { commandLine } from "./command.js";
import { callModel } from "./engine.js";
import { textOf } from "./language.js";
import { say, tried } from "./message.js";
import { saveModel, useModelFile } from "./model_files.js";
import { usePairsFile } from "./own_pairs.js";
import { watchedPair } from "./sentence.js";
import { linkOf, state } from "./state.js";
import { view } from "./view.js";

// Opens a file, of a model or of pairs.
const useFile = (file) =>
  /\.safetensors$/i.test(file.name) ? useModelFile(file) : usePairsFile(file);

const shownPair = () => {
  const { source, target } = watchedPair();
  const frame = view.frames.find((one) => one?.weights);
  if (!frame) throw new Error(textOf("noAttention"));
  return [view.frames.indexOf(frame), source, target ?? frame.translation];
};

const pictureOf = async (form) => {
  const [slot, source, target] = shownPair();
  return callModel(slot, "picture", source, target, form);
};

async function savePicture(form) {
  offer(`attention.${form}`, await pictureOf(form), form === "csv" ? "text/csv" : "image/svg+xml");
}

async function savePng() {
  const image = html("img", {
    src: URL.createObjectURL(new Blob([await pictureOf("svg")], { type: "image/svg+xml" })),
  });
  const scale = 3;
  await image.decode();
  const canvas = html("canvas", { width: scale * image.width, height: scale * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => offer("attention.png", blob, "image/png"));
}

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    say(textOf(said));
  } catch {
    say(textOf("copyFailed"), true);
    byId("command").textContent = text;
    getSelection().selectAllChildren(byId("command"));
  }
}

export function addFiles() {
  onClick({
    save: tried(() => saveModel(false)),
    "save-state": tried(() => saveModel(true)),
    csv: tried(() => savePicture("csv")),
    svg: tried(() => savePicture("svg")),
    png: tried(savePng),
    link: () =>
      copy(
        location.href.split("#")[0] + linkOf(state),
        location.protocol === "file:" ? "copiedFile" : "copied",
      ),
    copy: () => copy(commandLine(), "copied"),
    print: () => print(),
  });
  for (const id of ["pairs-file", "model-file"])
    byId(id).addEventListener("change", ({ target }) => {
      if (target.files.length) useFile(target.files[0]);
      target.value = "";
    });
  addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    useFile(event.dataTransfer.files[0]);
  });
}
