// Paths of the module are absolute, with slashes. On Windows the first part is a drive, or UNC:
// /C:/Data, /UNC/server.
import fs from "node:fs";

// The module's path of a folder or file of the system, and the reverse.
export function toModule(path, platform = process.platform) {
  if (platform !== "win32") return path;
  const plain = path
    .replaceAll("\\", "/")
    .replace(/^\/\/\?\/(?:UNC(?=\/))?/, (start) => (start.endsWith("C") ? "/" : ""));
  return plain.startsWith("//")
    ? `/UNC/${plain.slice(2)}`
    : /^[A-Za-z]:/.test(plain)
      ? `/${plain}`
      : plain;
}

export function toSystem(path, platform = process.platform) {
  if (platform !== "win32") return path;
  // "C:/here/D:/there": an absolute path was given.
  const last = path.replace(/^.*\/(?=[A-Za-z]:(?:\/|$)|UNC\/)/, "");
  if (last.startsWith("UNC/")) return `//${last.slice(4)}`;
  return /^[A-Za-z]:$/.test(last) ? `${last}/` : last;
}

// An argument of the command line whose backslashes separate folders: as `--out C:\new`,
// `--train=a\b.tsv`, `a\b,a\c`.
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
