// Start-up and speed of all builds as a table, in seconds of processor time, so that other programs
// disturb little (in Chromium, which does not count a worker's, in seconds of time: on a quiet
// machine):
//
//   node scripts/dev/bench/builds.mjs RELEASE PLAIN PYODIDE
//
// RELEASE: the folder of scripts/release; PLAIN: the command of a build with SOFTALIGN_PLAIN;
// PYODIDE: the folder of npm's pyodide. A training makes 40 updates of 64 pairs at 128 units; its
// words are counted after the start.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const { Browser, serve } = createRequire(import.meta.url)("../../../tests/support/browser.js");
const [release, plain, pyodide] = process.argv.slice(2).map((path) => resolve(path));
const artifact = (end) =>
  join(
    release,
    readdirSync(release).find((name) => name.endsWith(end)),
  );
const wheel = artifact("x86_64.whl");
const any = artifact("any.whl");
const tgz = artifact(".tgz");
process.chdir(mkdtempSync(join(tmpdir(), "builds-")));
execFileSync("python3", ["-m", "zipfile", "-e", wheel, "wheel"]);
execFileSync("tar", ["-xf", tgz]);
const native = resolve("wheel/softalign.libs/softalign");
const cli = resolve("package/cli.mjs");
chmodSync(native, 0o755);
writeFileSync("pairs.tsv", execFileSync(native, ["corpus", "reorder", "--pairs", "4000"]));

const settings = {
  steps: 40,
  embed: 128,
  hidden: 128,
  attn: 128,
  maxout: 64,
  batch: 64,
  shards: 2,
};
const train = [
  "train",
  "--train",
  "pairs.tsv",
  "--out",
  "run",
  "--overwrite",
  "--threads",
  "1",
  "--max-time",
  "0",
  "--valid-every",
  "1000000",
  ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
];

// Seconds of processor time of a program that ends well.
function seconds(...words) {
  const { status, stderr } = spawnSync(
    "bash",
    ["-c", `TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>log || { cat log; exit 1; }`, "-", ...words],
    { encoding: "utf8" },
  );
  if (status) throw new Error(`${words.join(" ")}: ${stderr}`);
  return stderr
    .trim()
    .split(" ")
    .reduce((sum, part) => sum + Number(part), 0);
}

const command =
  (...program) =>
  () => [seconds(...program, "--version"), seconds(...program, ...train)];

function python() {
  const run = (program) =>
    seconds(
      "node",
      "-e",
      `require("${pyodide}").loadPyodide().then((pyodide) => {
    pyodide.unpackArchive(new Uint8Array(require("fs").readFileSync("${any}")), "wheel");
    pyodide.FS.writeFile("pairs.tsv", require("fs").readFileSync("pairs.tsv"));
    pyodide.runPython(${JSON.stringify(program)});
  })`,
    );
  return [
    run("import softalign"),
    run(`import json, softalign
softalign.train("pairs.tsv", "run", max_time=0, valid_every=1000000, **json.loads('${JSON.stringify(settings)}'))`),
  ];
}

async function browser() {
  const server = await serve("package");
  const chromium = new Browser();
  writeFileSync("package/page.html", "<!doctype html><title>softalign</title>");
  const page = await chromium.open(`${server.address}page.html`);
  const spent = () => performance.now() / 1000;
  const pairs = JSON.stringify(readFileSync("pairs.tsv", "utf8"));
  try {
    const before = spent();
    await page.run(
      `import("/index.mjs").then(async (found) => { globalThis.softalign = found; await found.info(); })`,
    );
    const start = spent() - before;
    await page.run(
      `softalign.train(${pairs}, ${JSON.stringify({ ...settings, validEvery: 1000000 })}).then(() => null)`,
    );
    return [start, spent() - before];
  } finally {
    await chromium.close();
    server.close();
  }
}

const size = (...files) =>
  files.reduce((sum, file) => sum + statSync(file).size, 0).toLocaleString("en");
const page = ["index.mjs", "module.mjs", "playground.wasm"].map((file) => `package/${file}`);
const builds = [
  ["native, OpenBLAS", "wheel with the command", size(wheel), command(native)],
  ["native, SOFTALIGN_PLAIN", "the command", size(plain), command(plain)],
  [`Node ${process.versions.node.split(".")[0]}`, "npm package", size(tgz), command("node", cli)],
  [
    "Chromium, ES module",
    page.map((file) => `\`${file.slice(8)}\``).join(", "),
    size(...page),
    browser,
  ],
  [
    `Pyodide ${createRequire(import.meta.url)(join(pyodide, "package.json")).version}, Node`,
    "wheel for Pyodide",
    size(any),
    python,
  ],
];
console.log("| build | file | bytes | start, s | words/s | ratio |\n|---|---|---:|---:|---:|---:|");
let first;
for (const [name, file, bytes, measure] of builds) {
  const [start, all] = await measure();
  if (!first) {
    const [names, figures] = readFileSync("run/log.csv", "utf8")
      .split("\n")
      .map((line) => line.split(","));
    first = { words: Number(figures[names.indexOf("words")]) };
  }
  const speed = first.words / (all - start);
  first.speed ??= speed;
  console.log(
    `| ${name} | ${file} | ${bytes} | ${start.toFixed(2)} | ${Math.round(speed)} | ${(speed / first.speed).toFixed(2)} |`,
  );
}
rmSync(process.cwd(), { recursive: true });
