// The wheel for Pyodide under Node: node pyodide.cjs WHEEL README-PROGRAM, in a folder with pairs.tsv and unseen.tsv.
// Runs the README's program, and module.py but for what compares with the command or needs processes and threads.
const fs = require("node:fs"), path = require("node:path");
const { loadPyodide } = require("pyodide");

(async () => {
  const [wheel, program] = process.argv.slice(2);
  const start = performance.now();
  const pyodide = await loadPyodide();
  console.log(`Pyodide ${pyodide.version}: ${Math.round(performance.now() - start)} ms`);
  pyodide.unpackArchive(new Uint8Array(fs.readFileSync(wheel)), "wheel");
  const { FS } = pyodide;
  for (const name of [program, "pairs.tsv", "unseen.tsv"]) FS.writeFile(path.basename(name), fs.readFileSync(name));
  FS.mkdirTree("/tests");
  FS.mount(FS.filesystems.NODEFS, { root: path.join(__dirname, "..") }, "/tests");
  const imported = performance.now();
  pyodide.runPython("import softalign");
  console.log(`import softalign: ${Math.round(performance.now() - imported)} ms`);
  pyodide.runPython(fs.readFileSync(program, "utf8"));
  pyodide.runPython(`
import os, runpy, sys
os.environ["SOFTALIGN_COMMAND"] = ""
sys.argv = ["module.py"]
try:
    runpy.run_path("/tests/python/module.py", run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
`);
})().catch((error) => {
  console.error(String(error));
  process.exitCode = 1;
});
