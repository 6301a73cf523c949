// The page's side of the worker: requests that return promises, and a new worker after a trap.

import { byId } from "../dom.js";

export const engine = {
  worker: null,
  waiting: new Map(),
  number: 0,
  info: null,
  memory: 0,
  moment: () => {},
  trapped: () => {},
  failed: () => {},
};

// Unpacks an element that holds gzip as base64: the module, or a trained model.
export async function heldBytes(id) {
  const packed = Uint8Array.from(atob(byId(id).textContent.trim()), (letter) =>
    letter.charCodeAt(0),
  );
  return new Uint8Array(
    await new Response(
      new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")),
    ).arrayBuffer(),
  );
}

function hear({ data }) {
  if (data.moment) {
    engine.memory = data.memory;
    ask("seen");
    engine.moment(data.moment, data.rests);
  }
  if (data.failure) engine.failed(data.failure);
  const waiting = engine.waiting.get(data.id);
  engine.waiting.delete(data.id);
  if (data.error !== undefined) waiting?.reject(new Error(data.error));
  else waiting?.resolve(data.result);
  if (data.trap !== undefined) restart(data.trap);
}

export async function startEngine() {
  const address = URL.createObjectURL(
    new Blob([byId("worker").textContent], { type: "text/javascript" }),
  );
  engine.worker = new Worker(address);
  URL.revokeObjectURL(address);
  engine.worker.onmessage = hear;
  engine.worker.onerror = (event) => {
    event.preventDefault();
    restart(event.message);
  };
  engine.info = await ask("start", { bytes: await heldBytes("module") });
}

// Starts a new worker, after a trap.
async function restart(why) {
  engine.worker.terminate();
  for (const { reject } of engine.waiting.values()) reject(new Error(why));
  engine.waiting.clear();
  await startEngine();
  engine.trapped(why);
}

export function ask(act, given = {}) {
  const id = ++engine.number;
  engine.worker.postMessage({ id, act, ...given });
  return new Promise((resolve, reject) => engine.waiting.set(id, { resolve, reject }));
}

// A function of the module, of a model where `slot` is a number.
export const call = (name, ...values) => ask("call", { name, values });

export const callModel = (slot, name, ...values) => ask("call", { name, slot, values });
