// What the command's module asks of a system (WASI, preview 1, and the functions of
// wasi_command.c), by Node's files. Not by node:wasi: that is experimental and prints so, Node 18
// has it only behind a flag, and it resolves links itself, so that /dev/fd/63 of `--train <(zcat
// pairs.gz)` cannot be opened.
import { randomFillSync } from "node:crypto";
import fs from "node:fs";
import { hostname } from "node:os";
import { failure, numberOf } from "./host_errors.mjs";
import { Files, descriptorCalls, pathCalls, transferCalls } from "./host_files.mjs";
import { lockFolder } from "./host_locks.mjs";
import { Memory } from "./host_memory.mjs";
import { toModule, toSystem } from "./host_paths.mjs";

export class Exit {
  constructor(code) {
    this.code = code;
  }
}

// Arguments, environment, time, chance.
const systemCalls = (args, environment, memory) => ({
  args_sizes_get: (count, size) => memory.putSizes(args, count, size),
  args_get: (pointers, buffer) => memory.putList(args, pointers, buffer),
  environ_sizes_get: (count, size) => memory.putSizes(environment, count, size),
  environ_get: (pointers, buffer) => memory.putList(environment, pointers, buffer),
  clock_time_get: (clock, precision, result) =>
    memory.put64(result, clock ? process.hrtime.bigint() : BigInt(Date.now()) * 1000000n),
  random_get: (buffer, size) => void randomFillSync(memory.bytes(buffer, size)),
  proc_exit: (code) => {
    throw new Exit(code);
  },
  // A pause: the first subscription is a clock.
  poll_oneoff: (subscriptions, events, count, result) => {
    const nanoseconds = memory.view().getBigUint64(subscriptions + 24, true);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(nanoseconds) / 1e6);
    memory.bytes(events, 32).fill(0);
    memory.put64(events, memory.view().getBigUint64(subscriptions, true));
    memory.put32(result, 1);
  },
});

// The functions of wasi_command.c.
const commandCalls = (files, folder, signals, memory = files.memory) => ({
  lock: (number) => {
    const file = files.at(number);
    const above = file.path.replace(/\/[^/]*$/, "");
    if (file.path.endsWith("/.lock")) {
      files.locks.set(above, lockFolder(above));
      file.locks = above; // until this descriptor is closed
      return;
    }
    // Only the lock's owner writes into a locked folder.
    if (!files.locks.has(above)) throw failure("ENOLCK");
  },
  dup: (number, result) => {
    const file = files.at(number);
    file.users++;
    memory.put32(result, files.add(file));
  },
  realpath: (from, length, buffer, size) => {
    const given = memory.text(from, length);
    const whole = given.startsWith("/") ? given : `${toModule(folder)}/${given}`;
    memory.putText(buffer, size, toModule(fs.realpathSync.native(toSystem(whole))));
  },
  gethostname: (buffer, size) => memory.putText(buffer, size, hostname().slice(0, size - 1)),
  getpid: () => process.pid,
  fchmod: () => 0,
  getrandom: (buffer, size) => {
    randomFillSync(memory.bytes(buffer, size));
    return size;
  },
  signal: () => {
    Atomics.store(signals, 1, 1);
    return Atomics.exchange(signals, 0, 0);
  },
});

// Makes the calls return the number of an error instead of throwing it.
const guarded =
  (call) =>
  (...values) => {
    try {
      return call(...values) ?? 0;
    } catch (error) {
      if (error instanceof Exit || !error.code) throw error;
      return numberOf(error.code);
    }
  };
const guardAll = (calls) =>
  Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, guarded(call)]));

// The functions that the module imports. `getMemory()` is its memory; `signals` are shared with the
// thread that receives signals: [0] the last one, [1] whether the module asks for it.
export function openHost({ args, env, folder, output, signals }, getMemory) {
  const memory = new Memory(getMemory);
  const files = new Files(memory, output);
  const variables = Object.entries({ ...env, PWD: toModule(folder) });
  const environment = variables.map(([name, value]) => `${name}=${value}`);
  const wasi = {
    ...systemCalls(args, environment, memory),
    ...descriptorCalls(files),
    ...transferCalls(files),
    ...pathCalls(files),
  };
  return {
    imports: {
      wasi_snapshot_preview1: guardAll(wasi),
      softalign: guardAll(commandCalls(files, folder, signals)),
    },
    close: () => [...files.locks.keys()].forEach((path) => files.release(path)),
  };
}
