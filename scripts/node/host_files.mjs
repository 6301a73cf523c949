// Files of the module's system calls: WASI, preview 1, by Node's files.
import fs from "node:fs";
import { isatty } from "node:tty";
import { failure } from "./host_errors.mjs";
import { CHARACTERS, FOLDER, REGULAR, typeOf } from "./host_memory.mjs";
import { toSystem } from "./host_paths.mjs";

const { constants } = fs;

// Of path_open.
const CREATE = 1;
const DIRECTORY = 2;
const EXCLUSIVE = 4;
const TRUNCATE = 8;

// Rights.
const READS = 2n;
const WRITES = 64n;
const SEEKS = 36n;

// Reads or writes, and waits for pipes and terminals that were opened without blocking.
function patiently(act) {
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (error.code === "EOF") return 0; // the end of Windows' standard input
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

// The open files by descriptor; two descriptors may share one. Only regular files have a position
// here: the system keeps those of the others.
export class Files {
  constructor(memory, output) {
    this.memory = memory;
    this.open = [{ fd: 0 }, { fd: output ? fs.openSync(output, "w") : 1 }, { fd: 2 }];
    this.open.push({ path: "", isFolder: true, isRoot: true });
    this.locks = new Map(); // a folder's path: its lock
    for (const file of this.open) file.users = 1;
  }

  at(number) {
    if (!this.open[number]) throw failure("EBADF");
    return this.open[number];
  }

  add(file) {
    const free = this.open.findIndex((other) => !other);
    const number = free < 0 ? this.open.length : free;
    this.open[number] = file;
    return number;
  }

  path(number, from, size) {
    const { path: above } = this.at(number);
    return toSystem(`${above}/${this.memory.text(from, size)}`);
  }

  // Removes the lock of a folder.
  release(folder) {
    const lock = this.locks.get(folder);
    this.locks.delete(folder);
    if (lock) fs.rmSync(lock, { force: true });
  }

  // Reads or writes each part of a list of buffers by `act(fd, bytes, 0, size, position)`, until
  // one was not filled.
  transfer(number, list, count, result, position, act) {
    const file = this.at(number);
    const { memory } = this;
    let done = 0;
    for (let i = 0; i < count; i++) {
      const size = memory.view().getUint32(list + 8 * i + 4, true);
      const part = memory.bytes(memory.view().getUint32(list + 8 * i, true), size);
      const place = position === null ? (file.position ?? null) : position + done;
      const got = size ? patiently(() => act(file.fd, part, 0, size, place)) : 0;
      done += got;
      if (position === null && file.position !== undefined) file.position += got;
      if (got < size) break;
    }
    memory.put32(result, done);
  }
}

// The calls about descriptors.
export const descriptorCalls = (files, memory = files.memory) => ({
  fd_prestat_get: (number, result) => {
    if (!files.at(number).isRoot) throw failure("EBADF");
    memory.put32(result, 0);
    memory.put32(result + 4, 1);
  },
  fd_prestat_dir_name: (number, buffer) => void memory.bytes(buffer, 1).fill(47), // "/"
  fd_fdstat_get: (number, result) => {
    const file = files.at(number);
    const terminal = !file.isFolder && isatty(file.fd);
    memory.bytes(result, 24).fill(0);
    memory
      .view()
      .setUint8(
        result,
        file.isFolder ? FOLDER : terminal ? CHARACTERS : typeOf(fs.fstatSync(file.fd)),
      );
    memory.put64(result + 8, terminal ? 0xffffffffn & ~SEEKS : 0xffffffffn);
    memory.put64(result + 16, 0xffffffffn);
  },
  fd_fdstat_set_flags: (number) => void files.at(number),
  fd_filestat_get: (number, buffer) => {
    const file = files.at(number);
    memory.putStat(
      buffer,
      file.isRoot ? fs.statSync("/", { bigint: true }) : fs.fstatSync(file.fd, { bigint: true }),
    );
  },
  fd_filestat_set_size: (number, size) => fs.ftruncateSync(files.at(number).fd, Number(size)),
});

// The calls that read, write and close.
export const transferCalls = (files, memory = files.memory) => ({
  fd_read: (number, buffers, count, result) =>
    files.transfer(number, buffers, count, result, null, fs.readSync),
  fd_write: (number, buffers, count, result) =>
    files.transfer(number, buffers, count, result, null, fs.writeSync),
  fd_pread: (number, buffers, count, offset, result) =>
    files.transfer(number, buffers, count, result, Number(offset), fs.readSync),
  fd_seek: (number, offset, whence, result) => {
    const file = files.at(number);
    if (file.position === undefined) throw failure("ESPIPE");
    const from = [0, file.position, fs.fstatSync(file.fd).size][whence];
    file.position = from + Number(offset);
    memory.put64(result, file.position);
  },
  fd_sync: (number) => {
    const file = files.at(number);
    // Windows cannot sync a folder.
    if (!(file.isFolder && process.platform === "win32")) fs.fsyncSync(file.fd);
  },
  fd_close: (number) => {
    const file = files.at(number);
    files.open[number] = undefined;
    if (--file.users) return;
    if (file.locks) files.release(file.locks);
    if (file.fd > 2) fs.closeSync(file.fd);
  },
  fd_readdir: (number, buffer, size, cookie, result) => {
    const entries = fs.readdirSync(files.at(number).path, { withFileTypes: true });
    let used = 0;
    for (let i = Number(cookie); i < entries.length && used < size; i++) {
      const name = Buffer.from(entries[i].name);
      const entry = Buffer.alloc(24 + name.length);
      entry.writeBigUInt64LE(BigInt(i + 1));
      entry.writeUInt32LE(name.length, 16);
      entry.writeUInt8(typeOf(entries[i]), 20);
      name.copy(entry, 24);
      const part = entry.subarray(0, size - used);
      memory.bytes(buffer + used, part.length).set(part);
      used += part.length;
    }
    memory.put32(result, used);
  },
});

// How Node opens what path_open asks for. Windows lacks the last three flags.
const flagsOf = (follow, how, rights, state) =>
  (rights & WRITES
    ? rights & READS
      ? constants.O_RDWR
      : constants.O_WRONLY
    : constants.O_RDONLY) |
  (how & CREATE ? constants.O_CREAT : 0) |
  (how & EXCLUSIVE ? constants.O_EXCL : 0) |
  (how & TRUNCATE ? constants.O_TRUNC : 0) |
  (how & DIRECTORY ? constants.O_DIRECTORY : 0) |
  (follow & 1 ? 0 : constants.O_NOFOLLOW) |
  (state & 4 ? constants.O_NONBLOCK : 0);

// The calls that take paths.
export const pathCalls = (files, memory = files.memory) => ({
  path_open(...given) {
    const [number, follow, from, size, how, rights, , state, result] = given;
    const path = files.path(number, from, size);
    const fd = fs.openSync(path, flagsOf(follow, how, rights, state), 0o666);
    const type = typeOf(fs.fstatSync(fd));
    if (how & DIRECTORY && type !== FOLDER) {
      fs.closeSync(fd);
      throw failure("ENOTDIR");
    }
    const position = type === REGULAR ? 0 : undefined;
    memory.put32(result, files.add({ fd, path, isFolder: type === FOLDER, users: 1, position }));
  },
  path_filestat_get: (number, follow, from, size, buffer) => {
    const name = files.path(number, from, size);
    memory.putStat(buffer, (follow & 1 ? fs.statSync : fs.lstatSync)(name, { bigint: true }));
  },
  path_create_directory: (number, from, size) => fs.mkdirSync(files.path(number, from, size)),
  path_remove_directory: (number, from, size) => fs.rmdirSync(files.path(number, from, size)),
  path_unlink_file: (number, from, size) => fs.unlinkSync(files.path(number, from, size)),
  path_readlink: (number, from, size, buffer, room, result) => {
    const target = Buffer.from(fs.readlinkSync(files.path(number, from, size))).subarray(0, room);
    memory.bytes(buffer, target.length).set(target);
    memory.put32(result, target.length);
  },
  // A file that is replaced keeps its mode.
  path_rename: (number, from, size, other, to, length) => {
    const name = files.path(number, from, size);
    const target = files.path(other, to, length);
    const old = fs.lstatSync(target, { throwIfNoEntry: false });
    if (old?.isFile()) fs.chmodSync(name, old.mode & 0o777);
    fs.renameSync(name, target);
  },
});
