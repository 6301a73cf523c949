// Does what native_play.c does, by softalign.wasm:
//
//   node module_play.mjs MODULE GLUE OPTIONS PAIRS UPDATES SOURCE
import {createRequire} from "node:module";
import {readFileSync} from "node:fs";

const [file, glue, options, pairs, updates, source] = process.argv.slice(2);
const {openModule} = createRequire(import.meta.url)(glue);
const {call} = await openModule(readFileSync(file));
const show = value => console.log(JSON.stringify(value));

const play = call("open", options, readFileSync(pairs, "utf8"), null, null, 0);
for (let i = 0; i < Number(updates); i++) {
  const {loss, gradient_norm} = call("step", play, 1);
  show([loss, gradient_norm]);
}
show(call("align", play, source, null, null, null));
show(call("translate", play, source, "--beam 3", null));
const saved = call("save", play, 0);
let sum = 0;
for (const byte of saved) sum = (sum * 31 + byte) % 4294967291;
show([saved.length, sum]);
call("close", play);
