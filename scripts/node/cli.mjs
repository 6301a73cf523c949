#!/usr/bin/env node
// softalign COMMAND ...: the command of the native program; and `demo`, `lessons` and `playground`.
import { argumentToModule } from "./host_paths.mjs";
import { runCommand } from "./run.mjs";

const [name, ...rest] = process.argv.slice(2);
if (["demo", "lessons", "playground"].includes(name))
  await (await import(`./${name}.mjs`)).default(rest);
else
  process.exitCode = await runCommand(
    process.argv.slice(2).map((argument) => argumentToModule(argument)),
  );
