// Locks of folders, in Node alone: node_locks.mjs ROOT
import assert from "node:assert";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { hostname, tmpdir } from "node:os";

const { lockFolder } = await import(`${process.argv[2]}/scripts/node/host_locks.mjs`);
const folder = fs.mkdtempSync(`${tmpdir()}/softalign-locks-`);
const lock = `${folder}/.locked`;
const ours = `pid ${process.pid} on ${hostname()}\n`;
const dead = `pid ${spawnSync(process.execPath, ["-e", ""]).pid} on ${hostname()}\n`;

// None, an empty one, that of a dead process and one with our number are taken.
for (const holder of [null, "", dead, ours]) {
  if (holder !== null) fs.writeFileSync(lock, holder);
  assert.equal(lockFolder(folder), lock);
  assert.equal(fs.readFileSync(lock, "utf8"), ours);
  assert.deepEqual(fs.readdirSync(folder), [".locked"]);
  fs.rmSync(lock);
}

// That of a living process, or of another computer, is not; the message names it.
for (const holder of [`pid ${process.ppid} on ${hostname()}\n`, "pid 1 on elsewhere\n"]) {
  fs.writeFileSync(`${folder}/.lock`, dead);
  fs.writeFileSync(lock, holder);
  assert.throws(() => lockFolder(folder));
  assert.equal(fs.readFileSync(lock, "utf8"), holder);
  assert.equal(fs.readFileSync(`${folder}/.lock`, "utf8"), holder);
  assert.deepEqual(fs.readdirSync(folder).sort(), [".lock", ".locked"]);
}
fs.rmSync(folder, { recursive: true });
