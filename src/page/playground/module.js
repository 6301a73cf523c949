// softalign.wasm for JavaScript: the functions of playground.h with texts, bytes and JSON for pointers. The
// same file serves the page's worker and the tests in Node.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// What the C library asks of a system: a clock, and places for output that nobody reads.
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

// An instance of the module. call(name, ...arguments) calls web_NAME: a string becomes a zero-ended text, a
// Uint8Array its address and size, null no text; it throws web_error's sentence. `kinds` below says what a
// function returns.
export async function openModule(bytes) {
  let exported;
  const compiled = await WebAssembly.compile(bytes);
  const serve = system(() => exported.memory);
  const imports = {};
  for (const { module, name, kind } of WebAssembly.Module.imports(compiled))
    if (kind === "function") (imports[module] ??= {})[name] = serve(name);
  exported = (await WebAssembly.instantiate(compiled, imports)).exports;
  exported._initialize?.();

  const text = (at) => {
    const all = new Uint8Array(exported.memory.buffer);
    return decoder.decode(all.subarray(at, all.indexOf(0, at)));
  };
  const copy = (data) => {
    const at = exported.web_alloc(data.length || 1);
    if (!at) throw new Error("There is not enough memory.");
    new Uint8Array(exported.memory.buffer).set(data, at);
    return at;
  };
  const fail = () => {
    throw new Error(text(exported.web_error()));
  };
  const known = (read) => (at) => (at ? read(at) : fail());
  const json = known((at) => JSON.parse(text(at)));
  const kinds = {
    open: known(Number),
    load: known(Number),
    close: () => null,
    memory: Number,
    save: known((at) => new Uint8Array(exported.memory.buffer, at, exported.web_size()).slice()),
    pairs: known(text),
    explain: known(text),
    picture: known(text),
  };

  return {
    call(name, ...values) {
      const copies = [];
      const given = values.flatMap((value) => {
        if (value === null || value === undefined) return [0];
        if (typeof value === "number" || typeof value === "boolean") return [Number(value)];
        const bytes =
          typeof value === "string"
            ? encoder.encode(`${value.replaceAll("\0", "\ufffd")}\0`)
            : value;
        copies.push(copy(bytes));
        return typeof value === "string" ? [copies.at(-1)] : [copies.at(-1), bytes.length];
      });
      const result = (kinds[name] ?? json)(exported[`web_${name}`](...given));
      for (const at of copies) exported.web_free(at);
      return result;
    },
    memory: exported.memory,
  };
}
