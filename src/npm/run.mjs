// Runs the command in a thread of its own, and hands signals on.
import { constants } from "node:os";
import { Worker } from "node:worker_threads";

// The exit code. A signal ends the process, as that of a native command, unless the command asks for signals: then
// the first one makes it save and end with 128 + its number, and the second one ends the process.
// `output`: the file that gets its standard output.
export function runCommand(args, output) {
  const signals = new Int32Array(new SharedArrayBuffer(8));
  const workerData = {
    args: ["softalign", ...args],
    env: { ...process.env },
    folder: process.cwd(),
    output,
    signals,
  };
  let asked = 0;
  const onSignal = (name) => {
    const number = constants.signals[name];
    if (asked) process.exit(128 + number);
    if (!Atomics.load(signals, 1)) {
      process.removeListener(name, onSignal);
      process.kill(process.pid, name);
      return;
    }
    asked = number;
    Atomics.store(signals, 0, number);
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const name of names) process.on(name, onSignal);
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("worker.mjs", import.meta.url), { workerData });
    worker.on("message", resolve);
    worker.on("error", reject);
  }).finally(() => names.forEach((name) => process.removeListener(name, onSignal)));
}
