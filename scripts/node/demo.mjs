// softalign demo [--overwrite] [--seconds N]: what scripts/demo does, in the folder demo.
import fs from "node:fs";
import { runLine } from "./run.mjs";

const DEMO = "demo";
const MODEL = `${DEMO}/best.safetensors`;
const USAGE = "Usage: softalign demo [--overwrite] [--seconds N]   (of training; 90)";

export default async function demo(args) {
  const given = /^(--overwrite ?)?(?:--seconds[ =](\d+(?:\.\d+)?))?$/.exec(args.join(" "));
  if (!given) {
    console.error(USAGE);
    process.exitCode = 2;
    return;
  }
  const seconds = given[2] ?? "90";
  if (given[1]) fs.rmSync(DEMO, { recursive: true, force: true });
  if (fs.existsSync(DEMO)) {
    console.error(`softalign: the folder ${DEMO} exists; softalign demo --overwrite deletes it`);
    process.exitCode = 2;
    return;
  }
  const title = (text) => console.log(`\n== ${text}\n`);
  const run = async (line) => {
    const code = await runLine(line);
    if (code) process.exit(code);
  };
  fs.mkdirSync(DEMO);

  title(`Training on 8,000 pairs of phrases, for ${seconds} seconds`);
  await run(`softalign corpus phrases --pairs 8000 --seed 1 > ${DEMO}/train.tsv`);
  await run(
    `softalign train --train ${DEMO}/train.tsv --out ${DEMO} --dropout 0.3 --max-time ${seconds}`,
  );

  title("200 new pairs, none of them in the training text");
  await run(`softalign corpus phrases --pairs 200 --seed 2 --split test > ${DEMO}/test.tsv`);
  await run(`softalign eval ${MODEL} ${DEMO}/test.tsv`);

  title("Unseen English => French");
  await run(`head -n 8 ${DEMO}/test.tsv | cut -f 1 > ${DEMO}/unseen.en`);
  await run(`softalign translate ${MODEL} ${DEMO}/unseen.en > ${DEMO}/unseen.fr`);
  const [english, french] = ["en", "fr"].map((side) =>
    fs.readFileSync(`${DEMO}/unseen.${side}`, "utf8").split("\n"),
  );
  for (let i = 0; i < 8; i++) console.log(`  ${english[i]}\n    => ${french[i]}`);

  title("Where the model looked while writing each French word");
  await run(`softalign align ${MODEL} ${DEMO}/test.tsv --csv ${DEMO}/matrices --limit 50`);
  await run(`softalign align ${MODEL} ${DEMO}/test.tsv --terminal --limit 2`);

  title(`All of it is in ${DEMO}`);
  console.log(`  best.safetensors   the model
  log.csv            loss and scores while it trained
  test.tsv           the unseen pairs: English, French, gold alignment
  unseen.en, .fr     the sentences above and their translations
  matrices/          alignment matrices, one CSV per pair: open one in a spreadsheet

Try next:
  npx softalign explain ${MODEL} "the small cat is on the bed."
  npx softalign eval ${MODEL} ${DEMO}/test.tsv --by-length
  npx softalign playground
  npx softalign help`);
}
