// Locks of folders: a file that is created exclusively, with its owner, who may have died.
import fs from "node:fs";
import { hostname } from "node:os";
import { failure } from "./host_errors.mjs";

const LOCK = ".locked"; // in a locked folder

function isDead(owner) {
  const found = /^pid (\d+) on (.*)\n$/.exec(owner);
  if (!found || found[2] !== hostname()) return false;
  if (Number(found[1]) === process.pid) return true; // of an earlier process with this number
  try {
    process.kill(Number(found[1]), 0);
    return false;
  } catch ({ code }) {
    return code === "ESRCH";
  }
}

// Of two who replace the lock of a dead process, the last one has it.
function takeOver(path, owner) {
  const own = `${path}-${process.pid}`;
  fs.writeFileSync(own, owner);
  fs.renameSync(own, path);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  if (fs.readFileSync(path, "utf8") !== owner) throw failure("EAGAIN");
}

// Locks a folder; returns the path of its lock.
export function lockFolder(folder) {
  const path = `${folder}/${LOCK}`;
  const owner = `pid ${process.pid} on ${hostname()}\n`;
  try {
    fs.writeFileSync(path, owner, { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (!isDead(fs.readFileSync(path, "utf8"))) throw failure("EAGAIN");
    takeOver(path, owner);
  }
  return path;
}
