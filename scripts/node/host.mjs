// What the command's module asks of a system (WASI, preview 1, and the functions of wasi_command.c), by Node's files.
// Not by node:wasi: that is experimental and prints so, Node 18 has it only behind a flag, and it resolves links
// itself, so that /dev/fd/63 of `--train <(zcat pairs.gz)` cannot be opened.
//
// A path of the module is absolute, with slashes. On Windows its first part is a drive, or UNC: /C:/Data, /UNC/server.
import { randomFillSync } from "node:crypto";
import fs from "node:fs";
import { hostname } from "node:os";
import { isatty } from "node:tty";

// In the order of WASI's numbers.
const ERRORS = (
  "SUCCESS 2BIG ACCES ADDRINUSE ADDRNOTAVAIL AFNOSUPPORT AGAIN ALREADY BADF BADMSG BUSY CANCELED CHILD CONNABORTED " +
  "CONNREFUSED CONNRESET DEADLK DESTADDRREQ DOM DQUOT EXIST FAULT FBIG HOSTUNREACH IDRM ILSEQ INPROGRESS INTR INVAL IO " +
  "ISCONN ISDIR LOOP MFILE MLINK MSGSIZE MULTIHOP NAMETOOLONG NETDOWN NETRESET NETUNREACH NFILE NOBUFS NODEV NOENT " +
  "NOEXEC NOLCK NOLINK NOMEM NOMSG NOPROTOOPT NOSPC NOSYS NOTCONN NOTDIR NOTEMPTY NOTRECOVERABLE NOTSOCK NOTSUP NOTTY " +
  "NXIO OVERFLOW OWNERDEAD PERM PIPE PROTO PROTONOSUPPORT PROTOTYPE RANGE ROFS SPIPE SRCH STALE TIMEDOUT TXTBSY XDEV"
).split(" ").map((name) => `E${name}`);
const numberOf = (code) => Math.max(ERRORS.indexOf(code), 0) || ERRORS.indexOf("EIO");
const failure = (code) => Object.assign(new Error(code), { code });

const CREATE = 1, DIRECTORY = 2, EXCLUSIVE = 4, TRUNCATE = 8; // of path_open
const READS = 2n, WRITES = 64n, SEEKS = 36n; // rights
const CHARACTERS = 2, FOLDER = 3, REGULAR = 4, LINK = 7; // types of files
const LOCK = ".locked"; // in a locked folder

export class Exit {
  constructor(code) {
    this.code = code;
  }
}

// ---- Paths

// The module's path of a folder or file of the system, and the reverse.
export function toModule(path, platform = process.platform) {
  if (platform !== "win32") return path;
  const plain = path.replaceAll("\\", "/").replace(/^\/\/\?\/(?:UNC(?=\/))?/, (start) => (start.endsWith("C") ? "/" : ""));
  return plain.startsWith("//") ? `/UNC/${plain.slice(2)}` : /^[A-Za-z]:/.test(plain) ? `/${plain}` : plain;
}

export function toSystem(path, platform = process.platform) {
  if (platform !== "win32") return path;
  const last = path.replace(/^.*\/(?=[A-Za-z]:(?:\/|$)|UNC\/)/, ""); // "C:/here/D:/there": an absolute path was given
  if (last.startsWith("UNC/")) return `//${last.slice(4)}`;
  return /^[A-Za-z]:$/.test(last) ? `${last}/` : last;
}

// An argument of the command line whose backslashes separate folders: as `--out C:\new`, `--train=a\b.tsv`, `a\b,a\c`.
export function argumentToModule(argument, platform = process.platform, exists = fs.existsSync) {
  if (platform !== "win32" || !argument.includes("\\")) return argument;
  const [, option, value] = /^(--[a-z-]+=)?(.*)$/s.exec(argument);
  const parts = exists(value) ? [value] : value.split(",");
  const converted = parts.map((part) => {
    const folder = part.replace(/[\\/][^\\/]*$/, "");
    if (!exists(part) && !exists(folder)) return part;
    return part.startsWith("\\\\") ? toModule(part, platform) : part.replaceAll("\\", "/");
  });
  return (option ?? "") + converted.join();
}

// ---- Locks: a file that is created exclusively, with its owner, who may have died

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

function lockFolder(folder) {
  const path = `${folder}/${LOCK}`, owner = `pid ${process.pid} on ${hostname()}\n`;
  try {
    fs.writeFileSync(path, owner, { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (!isDead(fs.readFileSync(path, "utf8"))) throw failure("EAGAIN");
    takeOver(path, owner);
  }
  return path;
}

// ---- Files

const typeOf = (about) =>
  about.isFile() ? REGULAR : about.isDirectory() ? FOLDER : about.isSymbolicLink() ? LINK : about.isCharacterDevice() ? CHARACTERS : 0;

// Reads or writes, where a pipe or terminal that must not be waited for is waited for.
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

// The functions that the module imports. `memory()` is its memory; `signals` are shared with the thread that receives
// signals: [0] the last one, [1] whether the module asks for it.
export function openHost({ args, env, folder, output, signals }, memory) {
  const view = () => new DataView(memory().buffer);
  const bytes = (at, size) => new Uint8Array(memory().buffer, at, size);
  const text = (at, size) => new TextDecoder().decode(bytes(at, size));
  const put32 = (at, value) => view().setUint32(at, value, true);
  const put64 = (at, value) => view().setBigUint64(at, BigInt(value), true);
  const putText = (at, size, value) => {
    const encoded = Buffer.from(`${value}\0`);
    if (encoded.length > size) throw failure("ENAMETOOLONG");
    bytes(at, encoded.length).set(encoded);
  };

  // What a descriptor stands for; two may share one. A position is that of a regular file; the system knows others.
  const root = { path: "", isFolder: true };
  const open = [{ fd: 0 }, { fd: output ? fs.openSync(output, "w") : 1 }, { fd: 2 }, root];
  const locks = new Map(); // a folder's path: its lock
  for (const file of open) file.users = 1;
  const at = (number) => {
    if (!open[number]) throw failure("EBADF");
    return open[number];
  };
  const add = (file) => {
    let number = open.findIndex((other) => !other);
    if (number < 0) number = open.length;
    open[number] = file;
    return number;
  };
  const path = (number, from, size) => {
    const { path: above } = at(number);
    return toSystem(`${above}/${text(from, size)}`);
  };
  const release = (folderPath) => {
    const lock = locks.get(folderPath);
    locks.delete(folderPath);
    if (lock) fs.rmSync(lock, { force: true });
  };

  // Each part of a list of buffers by `act(bytes, position)`, until one was not filled.
  const transfer = (number, list, count, result, position, act) => {
    const file = at(number);
    let done = 0;
    for (let i = 0; i < count; i++) {
      const size = view().getUint32(list + 8 * i + 4, true);
      const part = bytes(view().getUint32(list + 8 * i, true), size);
      const start = position ?? file.position ?? null;
      const got = size ? patiently(() => act(file.fd, part, 0, size, start === null ? null : start + (position === null ? 0 : done))) : 0;
      done += got;
      if (position === null && file.position !== undefined) file.position += got;
      if (got < size) break;
    }
    put32(result, done);
  };
  const list = (values, pointers, buffer) => {
    for (const value of values) {
      const encoded = Buffer.from(`${value}\0`);
      put32(pointers, buffer);
      bytes(buffer, encoded.length).set(encoded);
      pointers += 4;
      buffer += encoded.length;
    }
  };
  const sizes = (values, count, size) => {
    put32(count, values.length);
    put32(size, values.reduce((sum, value) => sum + Buffer.byteLength(value) + 1, 0));
  };
  const putStat = (buffer, about) => {
    bytes(buffer, 64).fill(0);
    put64(buffer, BigInt.asUintN(64, about.dev));
    put64(buffer + 8, BigInt.asUintN(64, about.ino));
    view().setUint8(buffer + 16, typeOf(about));
    put64(buffer + 24, about.nlink);
    put64(buffer + 32, about.size);
    put64(buffer + 40, BigInt.asUintN(64, about.atimeNs));
    put64(buffer + 48, BigInt.asUintN(64, about.mtimeNs));
    put64(buffer + 56, BigInt.asUintN(64, about.ctimeNs));
  };
  const environment = Object.entries({ ...env, PWD: toModule(folder) }).map(([name, value]) => `${name}=${value}`);
  const { constants } = fs;

  const wasi = {
    args_sizes_get: (count, size) => sizes(args, count, size),
    args_get: (pointers, buffer) => list(args, pointers, buffer),
    environ_sizes_get: (count, size) => sizes(environment, count, size),
    environ_get: (pointers, buffer) => list(environment, pointers, buffer),
    clock_time_get: (clock, precision, result) =>
      put64(result, clock ? process.hrtime.bigint() : BigInt(Date.now()) * 1000000n),
    random_get: (buffer, size) => void randomFillSync(bytes(buffer, size)),
    proc_exit: (code) => {
      throw new Exit(code);
    },
    // A pause: the first subscription is a clock.
    poll_oneoff: (subscriptions, events, count, result) => {
      const nanoseconds = view().getBigUint64(subscriptions + 24, true);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(nanoseconds) / 1e6);
      bytes(events, 32).fill(0);
      put64(events, view().getBigUint64(subscriptions, true));
      put32(result, 1);
    },

    fd_prestat_get: (number, result) => {
      if (at(number) !== root) throw failure("EBADF");
      put32(result, 0);
      put32(result + 4, 1);
    },
    fd_prestat_dir_name: (number, buffer) => void bytes(buffer, 1).fill(47), // "/"
    fd_fdstat_get: (number, result) => {
      const file = at(number), terminal = !file.isFolder && isatty(file.fd);
      bytes(result, 24).fill(0);
      view().setUint8(result, file.isFolder ? FOLDER : terminal ? CHARACTERS : typeOf(fs.fstatSync(file.fd)));
      put64(result + 8, terminal ? 0xffffffffn & ~SEEKS : 0xffffffffn);
      put64(result + 16, 0xffffffffn);
    },
    fd_fdstat_set_flags: (number) => void at(number),
    fd_filestat_get: (number, buffer) => {
      const file = at(number);
      putStat(buffer, file === root ? fs.statSync("/", { bigint: true }) : fs.fstatSync(file.fd, { bigint: true }));
    },
    fd_filestat_set_size: (number, size) => fs.ftruncateSync(at(number).fd, Number(size)),
    fd_read: (number, buffers, count, result) => transfer(number, buffers, count, result, null, fs.readSync),
    fd_write: (number, buffers, count, result) => transfer(number, buffers, count, result, null, fs.writeSync),
    fd_pread: (number, buffers, count, offset, result) =>
      transfer(number, buffers, count, result, Number(offset), fs.readSync),
    fd_seek: (number, offset, whence, result) => {
      const file = at(number);
      if (file.position === undefined) throw failure("ESPIPE");
      const from = [0, file.position, fs.fstatSync(file.fd).size][whence];
      file.position = from + Number(offset);
      put64(result, file.position);
    },
    fd_sync: (number) => {
      const file = at(number);
      if (!(file.isFolder && process.platform === "win32")) fs.fsyncSync(file.fd); // whose folders cannot be synced
    },
    fd_close: (number) => {
      const file = at(number);
      open[number] = undefined;
      if (--file.users) return;
      if (file.locks) release(file.path);
      if (file.fd > 2) fs.closeSync(file.fd);
    },
    fd_readdir: (number, buffer, size, cookie, result) => {
      const entries = fs.readdirSync(at(number).path, { withFileTypes: true });
      let used = 0;
      for (let i = Number(cookie); i < entries.length && used < size; i++) {
        const name = Buffer.from(entries[i].name), entry = Buffer.alloc(24 + name.length);
        entry.writeBigUInt64LE(BigInt(i + 1));
        entry.writeUInt32LE(name.length, 16);
        entry.writeUInt8(typeOf(entries[i]), 20);
        name.copy(entry, 24);
        const part = entry.subarray(0, size - used);
        bytes(buffer + used, part.length).set(part);
        used += part.length;
      }
      put32(result, used);
    },

    path_open: (number, follow, from, size, how, rights, inherited, state, result) => {
      const name = path(number, from, size), writes = rights & WRITES;
      const flags =
        (writes ? (rights & READS ? constants.O_RDWR : constants.O_WRONLY) : constants.O_RDONLY) |
        (how & CREATE ? constants.O_CREAT : 0) | (how & EXCLUSIVE ? constants.O_EXCL : 0) |
        (how & TRUNCATE ? constants.O_TRUNC : 0) | (how & DIRECTORY ? constants.O_DIRECTORY : 0) |
        (follow & 1 ? 0 : constants.O_NOFOLLOW) | (state & 4 ? constants.O_NONBLOCK : 0); // Windows lacks the last three
      const fd = fs.openSync(name, flags, 0o666), type = typeOf(fs.fstatSync(fd));
      if (how & DIRECTORY && type !== FOLDER) {
        fs.closeSync(fd);
        throw failure("ENOTDIR");
      }
      put32(result, add({ fd, path: name, isFolder: type === FOLDER, users: 1, position: type === REGULAR ? 0 : undefined }));
    },
    path_filestat_get: (number, follow, from, size, buffer) => {
      const name = path(number, from, size);
      putStat(buffer, (follow & 1 ? fs.statSync : fs.lstatSync)(name, { bigint: true }));
    },
    path_create_directory: (number, from, size) => fs.mkdirSync(path(number, from, size)),
    path_remove_directory: (number, from, size) => fs.rmdirSync(path(number, from, size)),
    path_unlink_file: (number, from, size) => fs.unlinkSync(path(number, from, size)),
    path_readlink: (number, from, size, buffer, room, result) => {
      const target = Buffer.from(fs.readlinkSync(path(number, from, size))).subarray(0, room);
      bytes(buffer, target.length).set(target);
      put32(result, target.length);
    },
    // A file that is replaced keeps its mode.
    path_rename: (number, from, size, other, to, length) => {
      const name = path(number, from, size), target = path(other, to, length);
      const old = fs.lstatSync(target, { throwIfNoEntry: false });
      if (old?.isFile()) fs.chmodSync(name, old.mode & 0o777);
      fs.renameSync(name, target);
    },
  };

  const own = {
    lock: (number) => {
      const file = at(number), above = file.path.replace(/\/[^/]*$/, "");
      if (file.isFolder) {
        locks.set(file.path, lockFolder(file.path));
        file.locks = true; // until this descriptor is closed
      } else if (!locks.has(above)) throw failure("ENOLCK"); // what lies in a locked folder is its owner's
    },
    dup: (number, result) => {
      const file = at(number);
      file.users++;
      put32(result, add(file));
    },
    realpath: (from, length, buffer, size) => {
      const given = text(from, length), whole = given.startsWith("/") ? given : `${toModule(folder)}/${given}`;
      putText(buffer, size, toModule(fs.realpathSync.native(toSystem(whole))));
    },
    gethostname: (buffer, size) => putText(buffer, size, hostname().slice(0, size - 1)),
    getpid: () => process.pid,
    fchmod: () => 0,
    getrandom: (buffer, size) => {
      randomFillSync(bytes(buffer, size));
      return size;
    },
    signal: () => {
      Atomics.store(signals, 1, 1);
      return Atomics.exchange(signals, 0, 0);
    },
  };

  // An error of Node becomes WASI's number.
  const guarded = (call) => (...values) => {
    try {
      return call(...values) ?? 0;
    } catch (error) {
      if (error instanceof Exit || !error.code) throw error;
      return numberOf(error.code);
    }
  };
  const guardAll = (calls) => Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, guarded(call)]));
  return {
    imports: { wasi_snapshot_preview1: guardAll(wasi), softalign: guardAll(own) },
    close: () => [...locks.keys()].forEach(release),
  };
}
