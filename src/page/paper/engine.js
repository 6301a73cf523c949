// The C file of the page, compiled to WebAssembly; see src/paper/play.h.
const bytesOf = async (base64) => {
  const packed = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
};

// The file's own commands would need a system; nothing here calls them.
const system = (module) => {
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = () => 0;
  }
  return imports;
};

export const openEngine = async (base64) => {
  const module = await WebAssembly.compile(await bytesOf(base64));
  const { exports: c } = await WebAssembly.instantiate(module, system(module));
  c._initialize?.();
  const write = (text) => {
    const bytes = new TextEncoder().encode(`${text}\0`).subarray(0, 65535);
    new Uint8Array(c.memory.buffer, c.text(), bytes.length).set(bytes);
  };
  const read = (at) => {
    const memory = new Uint8Array(c.memory.buffer);
    return new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
  };
  // All numbers of a step: name -> { rows, cols, x }.
  const numbers = () => {
    const found = new Map();
    for (let i = 0; i < c.listed(); i++) {
      const rows = c.rows(i);
      const cols = c.cols(i);
      const x = new Float64Array(
        c.memory.buffer.slice(c.numbers(i), c.numbers(i) + 8 * rows * cols),
      );
      found.set(read(c.name(i)), { rows, cols, x });
    }
    return found;
  };
  return {
    begin: (text) => (write(text), c.begin()),
    train: (from, to, of) => c.train(from, to, of),
    keep: (checkpoint) => c.keep(checkpoint),
    restore: (checkpoint) => c.restore(checkpoint),
    show: (pair, step) => (write(pair), c.show(step), numbers()),
    spelling: (id) => read(c.spelling(id)),
  };
};
