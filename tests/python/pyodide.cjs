// The wheel for Pyodide: node pyodide.cjs FOLDER node|BROWSER NOTEBOOK..., under Node or in a page
// of the browser. FOLDER has pyodide, any.whl, readme.py, pairs.tsv, train.tsv, unseen.tsv,
// page.html, tests, notebooks. Runs the README's program, the notebooks, and module.py and
// copies.py but for what compares with the command or needs processes and threads.
const path = require("node:path");
const { Browser, serve } = require("../support/browser.js");

// What it prints. It runs in a page as well, so that it uses nothing but its arguments.
async function check(address, { loadPyodide }, notebooks) {
  const start = performance.now();
  const said = [];
  const pyodide = await loadPyodide({
    stdout: (line) => said.push(line),
    stderr: (line) => said.push(line),
  });
  said.push(`Pyodide ${pyodide.version}: ${Math.round(performance.now() - start)} ms`);
  const get = async (name) => new Uint8Array(await (await fetch(address + name)).arrayBuffer());
  pyodide.unpackArchive(await get("any.whl"), "wheel");
  for (const folder of ["tests", "tests/python", "tests/golden"]) pyodide.FS.mkdir(folder);
  for (const name of [
    "readme.py",
    "pairs.tsv",
    "train.tsv",
    "unseen.tsv",
    "tests/python/module.py",
    "tests/python/copies.py",
    "tests/python/support.py",
    "tests/python/forward.py",
    "tests/golden/payloads.txt",
    ...notebooks,
  ])
    pyodide.FS.writeFile(name, await get(name));
  try {
    pyodide.runPython(`
import json, os, runpy, sys, time
from pyodide.code import eval_code
began = time.time()
import softalign
print(f"import softalign: {1000 * (time.time() - began):.0f} ms")
runpy.run_path("readme.py")
for name in ${JSON.stringify(notebooks)}:
    names, shown = {}, 0
    for cell in json.load(open(name))["cells"]:
        if cell["cell_type"] == "code":
            # A line of a shell makes pairs, which are there.
            value = eval_code("".join(line for line in cell["source"] if not line.startswith("!")), names)
            shown += "<iframe" in getattr(value, "_repr_html_", str)()
    print(f"{name} shows {shown} pages")
os.environ["SOFTALIGN_COMMAND"] = ""
for name in "module.py", "copies.py":
    sys.argv = [name]
    try:
        runpy.run_path("tests/python/" + name, run_name="__main__")
    except SystemExit as end:
        assert not end.code, end.code
`);
  } catch (error) {
    said.push(String(error));
  }
  return said.join("\n");
}

async function main(folder, program, ...notebooks) {
  const server = await serve(folder);
  const browser = program === "node" ? null : new Browser();
  try {
    if (!browser)
      return await check(server.address, require(path.resolve(folder, "pyodide")), notebooks);
    const page = await browser.open(`${server.address}page.html`);
    return await page.run(
      `import("/pyodide/pyodide.mjs").then((pyodide) => (${check})("${server.address}", pyodide, ${JSON.stringify(notebooks)}))`,
    );
  } finally {
    await browser?.close();
    server.close();
  }
}

main(...process.argv.slice(2)).then(console.log, (error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
