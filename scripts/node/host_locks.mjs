// Locks of folders: a file that appears at once with its owner, who may have died.
import fs from "node:fs";
import { hostname } from "node:os";
import { failure } from "./host_errors.mjs";

const LOCK = ".locked"; // in a locked folder
const NOTE = ".lock"; // from which the command reads who holds the lock

function isDead(owner) {
  if (!owner) return true; // a disk was full, or somebody made it
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

// Creates the lock, or throws EEXIST.
function create(own, path) {
  try {
    fs.linkSync(own, path);
  } catch (error) {
    if (error.code === "EEXIST") throw error;
    fs.copyFileSync(own, path, fs.constants.COPYFILE_EXCL); // on a file system without links
  }
}

// If two processes replace the lock of a dead one, the last one has it.
function takeOver(own, path, owner) {
  fs.renameSync(own, path);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  if (fs.readFileSync(path, "utf8") !== owner) throw failure("EAGAIN");
}

// Locks a folder; returns the path of its lock.
export function lockFolder(folder) {
  const path = `${folder}/${LOCK}`;
  const own = `${path}-${process.pid}`;
  const owner = `pid ${process.pid} on ${hostname()}\n`;
  fs.writeFileSync(own, owner);
  try {
    create(own, path);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    const holder = fs.readFileSync(path, "utf8");
    if (!isDead(holder)) {
      fs.writeFileSync(`${folder}/${NOTE}`, holder);
      throw failure("EAGAIN");
    }
    takeOver(own, path, owner);
  } finally {
    fs.rmSync(own, { force: true });
  }
  return path;
}
