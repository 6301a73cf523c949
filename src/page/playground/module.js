// The functions of playground.h for JavaScript, with texts, bytes and JSON in place of pointers.
// The worker of the page, the npm package and tests in Node use this file.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Returns what the C library asks of a system: a clock, and output that nobody reads.
function system(memory) {
  const view = () => new DataView(memory().buffer);
  const SUCCESS = 0;
  const BAD_FILE = 8;
  const UNKNOWN = 52;
  const written = (file, list, count, result) => {
    let bytes = 0;
    for (let i = 0; i < count; i++) bytes += view().getUint32(list + 8 * i + 4, true);
    view().setUint32(result, bytes, true);
    return SUCCESS;
  };
  const known = {
    clock_time_get: (clock, precision, result) => {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(result, BigInt(Math.round(milliseconds * 1e6)), true);
      return SUCCESS;
    },
    fd_write: written,
    environ_sizes_get: (count, size) => {
      for (const at of [count, size]) view().setUint32(at, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    fd_prestat_get: () => BAD_FILE,
    proc_exit: (code) => {
      throw new WebAssembly.RuntimeError(`exit ${code}`);
    },
  };
  return (name) => known[name] ?? (() => UNKNOWN);
}

// Compiles and starts the module; returns its exports.
async function start(bytes) {
  const compiled = await WebAssembly.compile(bytes);
  const started = {};
  const serve = system(() => started.exports.memory);
  const imports = {};
  for (const { module, name, kind } of WebAssembly.Module.imports(compiled))
    if (kind === "function") (imports[module] ??= {})[name] = serve(name);
  started.exports = (await WebAssembly.instantiate(compiled, imports)).exports;
  started.exports._initialize?.();
  return started.exports;
}

// Returns functions that read results, by the names of the functions that return numbers, bytes, a
// text or nothing; all others return JSON. 0 is an error.
function readersOf(exported) {
  const text = (at) => {
    const all = new Uint8Array(exported.memory.buffer);
    return decoder.decode(all.subarray(at, all.indexOf(0, at)));
  };
  const checked = (read) => (at) => {
    if (at) return read(at);
    throw new Error(text(exported.web_error()));
  };
  const bytes = (at) => new Uint8Array(exported.memory.buffer, at, exported.web_size()).slice();
  return {
    open: checked(Number),
    load: checked(Number),
    close: () => null,
    save: checked(bytes),
    pairs: checked(text),
    grammar: checked(text),
    explain: checked(text),
    picture: checked(text),
    json: checked((at) => JSON.parse(text(at))),
  };
}

// Opens an instance of the module. call(name, ...arguments) calls web_NAME: a string becomes a
// zero-ended text, a Uint8Array its address and size, null no text. It throws the sentence of
// web_error.
export async function openModule(bytes) {
  const exported = await start(bytes);
  const readers = readersOf(exported);
  const copy = (data) => {
    const at = exported.web_alloc(data.length || 1);
    if (!at) throw new Error("There is not enough memory.");
    new Uint8Array(exported.memory.buffer).set(data, at);
    return at;
  };
  return {
    call(name, ...values) {
      const copies = [];
      const keep = (data) => {
        copies.push(copy(data));
        return copies.at(-1);
      };
      const given = values.flatMap((value) => {
        if (value === null || value === undefined) return [0];
        if (typeof value === "number" || typeof value === "boolean") return [Number(value)];
        if (typeof value !== "string") return [keep(value), value.length];
        return [keep(encoder.encode(`${value.replaceAll("\0", "\ufffd")}\0`))];
      });
      const result = (readers[name] ?? readers.json)(exported[`web_${name}`](...given));
      for (const at of copies) exported.web_free(at);
      return result;
    },
    memory: exported.memory,
  };
}
