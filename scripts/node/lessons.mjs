// softalign lessons [N] [--overwrite]: the lessons of the course, or one of them, in the folder
// lessons/NAME: its commands, as scripts/lessons runs them with --short. scripts/npm lists them; no
// shell is needed.
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { runLine } from "./run.mjs";

const FOLDER = new URL("lessons/", import.meta.url);
const read = (name) => fs.readFileSync(new URL(name, FOLDER), "utf8");

const inPackage = (_, file) => `'${fileURLToPath(new URL(file, FOLDER))}'`;

export default async function lessons(args) {
  const [, number, overwrite] = /^(\d{1,2})?( ?--overwrite)?$/.exec(args.join(" ")) ?? [null, "?"];
  const names = fs
    .readdirSync(FOLDER)
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -3))
    .sort();
  if (!number) {
    for (const name of names) console.log(read(`${name}.md`).split("\n", 1)[0].slice(2));
    console.log("\nsoftalign lessons 3 runs the third one.");
    return;
  }
  const name = names.find((other) => parseInt(other) === Number(number));
  const folder = `lessons/${name}`;
  const wrong = !name
    ? "Usage: softalign lessons [N] [--overwrite]"
    : !overwrite && fs.existsSync(folder)
      ? `softalign: the folder ${folder} exists; --overwrite deletes it`
      : null;
  if (wrong) {
    console.error(wrong);
    process.exitCode = 2;
    return;
  }
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  process.chdir(folder);
  const notes = read(`${name}.md`);
  fs.writeFileSync("notes.md", notes);
  console.log(notes.split("\nQuestion:")[0]);
  for (const line of read(`${name}.txt`).trimEnd().split("\n")) {
    const code = await runLine(line.replace(/LESSONS\/(\S+)/, inPackage));
    if (code > 1) process.exit(code); // 1: a gradient is wrong, as it shall be
  }
  console.log(
    `\nLook at ${folder}: ${fs
      .readdirSync(".")
      .filter((file) => /\.(html|svg)$/.test(file))
      .join(" ")}\n`,
  );
  console.log(notes.match(/^Question: .*/gm).join("\n"));
}
