// The thread in which a command runs, so that another one is free to receive signals.
import fs from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { Exit, openHost } from "./host.mjs";

let exported;
const host = openHost(workerData, () => exported.memory);
const module = new WebAssembly.Module(fs.readFileSync(new URL("command.wasm", import.meta.url)));
let code = 0;
try {
  exported = new WebAssembly.Instance(module, host.imports).exports;
  exported._start();
} catch (error) {
  if (!(error instanceof Exit)) fs.writeSync(2, `softalign: the module failed: ${error.stack}\n`);
  code = error instanceof Exit ? error.code : 134;
}
host.close();
parentPort.postMessage(code);
