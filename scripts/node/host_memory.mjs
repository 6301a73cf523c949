// The memory of the module, as its host reads and writes it.
import { failure } from "./host_errors.mjs";

// Types of files.
export const CHARACTERS = 2;
export const FOLDER = 3;
export const REGULAR = 4;
const LINK = 7;

// Returns WASI's number of what fs.stat says.
export const typeOf = (about) =>
  about.isFile()
    ? REGULAR
    : about.isDirectory()
      ? FOLDER
      : about.isSymbolicLink()
        ? LINK
        : about.isCharacterDevice()
          ? CHARACTERS
          : 0;

export class Memory {
  // get() returns the WebAssembly.Memory, which exists only once the module has started.
  constructor(get) {
    this.get = get;
  }

  view() {
    return new DataView(this.get().buffer);
  }

  bytes(at, size) {
    return new Uint8Array(this.get().buffer, at, size);
  }

  text(at, size) {
    return new TextDecoder().decode(this.bytes(at, size));
  }

  put32(at, value) {
    this.view().setUint32(at, value, true);
  }

  put64(at, value) {
    this.view().setBigUint64(at, BigInt(value), true);
  }

  // Writes a text and a zero.
  putText(at, size, value) {
    const encoded = Buffer.from(`${value}\0`);
    if (encoded.length > size) throw failure("ENAMETOOLONG");
    this.bytes(at, encoded.length).set(encoded);
  }

  // Texts in a buffer, and the pointers to them.
  putList(values, pointers, buffer) {
    values.forEach((value, i) => {
      const encoded = Buffer.from(`${value}\0`);
      this.put32(pointers + 4 * i, buffer);
      this.bytes(buffer, encoded.length).set(encoded);
      buffer += encoded.length;
    });
  }

  // How many texts there are, and the size of their buffer.
  putSizes(values, count, size) {
    const lengths = values.map((value) => Buffer.byteLength(value) + 1);
    this.put32(count, values.length);
    this.put32(
      size,
      lengths.reduce((sum, length) => sum + length, 0),
    );
  }

  putStat(at, about) {
    this.bytes(at, 64).fill(0);
    this.put64(at, BigInt.asUintN(64, about.dev));
    this.put64(at + 8, BigInt.asUintN(64, about.ino));
    this.view().setUint8(at + 16, typeOf(about));
    this.put64(at + 24, about.nlink);
    this.put64(at + 32, about.size);
    this.put64(at + 40, BigInt.asUintN(64, about.atimeNs));
    this.put64(at + 48, BigInt.asUintN(64, about.mtimeNs));
    this.put64(at + 56, BigInt.asUintN(64, about.ctimeNs));
  }
}
