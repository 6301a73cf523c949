// Runs the command in a thread of its own, and hands signals on.
import fs from "node:fs";
import { constants } from "node:os";
import { Worker } from "node:worker_threads";

// The exit code. A signal ends the process, as that of a native command, unless the command asks
// for signals: then the first one makes it save and end with 128 + its number, and the second one
// ends the process. `output`: the file that gets its standard output.
export function runCommand(args, output) {
  const signals = new Int32Array(new SharedArrayBuffer(8));
  const workerData = {
    args: ["softalign", ...args],
    env: { ...process.env },
    folder: process.cwd(),
    output,
    signals,
  };
  let asked = 0;
  const onSignal = (name) => {
    const number = constants.signals[name];
    if (asked) process.exit(128 + number);
    if (!Atomics.load(signals, 1)) {
      process.removeListener(name, onSignal);
      process.kill(process.pid, name);
      return;
    }
    asked = number;
    Atomics.store(signals, 0, number);
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const name of names) process.on(name, onSignal);
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("worker.mjs", import.meta.url), { workerData });
    worker.on("message", resolve);
    worker.on("error", reject);
  }).finally(() => names.forEach((name) => process.removeListener(name, onSignal)));
}

// The commands that would print a note that there is only one thread.
const THREADS = ["train", "compare", "eval", "translate", "align"];
const read = (file) => fs.readFileSync(file, "utf8");
const split = (text) => text.replace(/\n$/, "").split("\n");
const joined = (lines) => lines.map((line) => `${line}\n`).join("");

// The other programs that lessons use: each gets the output of the previous one, and its own
// arguments.
const programs = {
  cat: (_, file) => read(file),
  cut: (input, _, field, file) =>
    joined(split(file ? read(file) : input).map((line) => line.split("\t")[field - 1])),
  echo: (_, ...words) => `${words.join(" ")}\n`,
  head: (input, _, count, file) => joined(split(file ? read(file) : input).slice(0, count)),
  paste(_, ...files) {
    const between = files[0] === "-d" ? files.splice(0, 2)[1].replace("\\n", "\n") : "\t";
    const [one, ...others] = files.map((file) => split(read(file)));
    return joined(one.map((line, i) => [line, ...others.map((lines) => lines[i])].join(between)));
  },
  printf: (_, format, ...values) =>
    (values.length ? values : [""])
      .map((value) => format.replace("%s", value))
      .join("")
      .replaceAll("\\n", "\n")
      .replaceAll("\\t", "\t"),
  tee(input, file) {
    fs.writeFileSync(file, input);
    return input;
  },
};

// Shows and runs a line written for a shell: programs joined by |, with > FILE at the end. Returns
// the exit code.
export async function runLine(line) {
  console.log(`\n$ ${line}`);
  const stages = [[]];
  for (const [raw] of line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)) {
    if (raw === "|") stages.push([]);
    else
      stages
        .at(-1)
        .push(raw === ">" ? null : raw.replace(/'([^']*)'|\\'/g, (all, inside) => inside ?? "'"));
  }
  const output = stages.at(-1).at(-2) === null ? stages.at(-1).splice(-2)[1] : null;
  let text = "";
  for (const [program, ...words] of stages) {
    if (program !== "softalign") {
      text = programs[program](text, ...words);
      continue;
    }
    const last = stages.length === 1;
    const file = last ? output : ".output";
    const code = await runCommand(
      [...words, ...(THREADS.includes(words[0]) ? ["--threads", "1"] : [])],
      file,
    );
    if (code || last) return code;
    text = read(file);
    fs.rmSync(file);
  }
  if (output) fs.writeFileSync(output, text);
  else process.stdout.write(text);
  return 0;
}
