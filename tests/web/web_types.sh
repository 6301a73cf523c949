#!/bin/bash
# The types of the npm package: its README's program passes, and calls that are wrong do not.
. tests/support/cli.sh
need node
tsc=${SOFTALIGN_PACKAGES:-$root/build/packages}/node_modules/typescript/bin/tsc
[ -e "$tsc" ] || {
    echo "npm's typescript is missing (scripts/setup --tests): skipped"
    exit 77
}
mkdir -p node_modules/softalign
cp "$root"/scripts/node/{index.d.ts,package.json} node_modules/softalign
blocks js "$root/scripts/node/README.md" >right.mts
cat >wrong.mts <<'WRONG'
import { load, train } from "softalign";
const model = await load(new Uint8Array(1));
// @ts-expect-error
train({ en: "a" });
// @ts-expect-error
train([["a", 1]]);
// @ts-expect-error
model.translate(["a"]);
// @ts-expect-error
model.translate("a").words;
const rows: number[][] = model.align("a", "b").weights;
// @ts-expect-error
train([["a", "b"]], { progress: (moment) => moment.losses });
WRONG
node "$tsc" --noEmit --strict --target es2022 --lib es2022,dom --module nodenext --moduleResolution nodenext right.mts wrong.mts >out 2>&1 ||
    fail "$(cat out)"
finish
