# The trained models that the program holds: listed, used by every command in place of a file, and what
# scripts/dev/models makes of their table.
. tests/support/cli.sh

"$softalign" models >listed || fail "models"
"$softalign" models --json >json || fail "models --json"
same "models" "$(grep -v '^#' "$root/corpora/models/models.tsv" | cut -f 1-3 | tr -s '\t' ' ')" \
    "$(sed -E 's/^builtin:(\S+) +[0-9]+ kB  (.*\S) {2,}(.*)$/\1 \2 \3/; s/^builtin:(\S+) +[0-9]+ kB  /\1 /' listed | tr -s ' ')"
python3 -c 'import json, sys; [each["made"] for each in json.load(sys.stdin)["models"]]' <json || fail "--json is not JSON"
[ "$(cat "$root"/corpora/models/*.safetensors | wc -c)" -le 6000000 ] || fail "the models have more than 6 MB"
[ "$(wc -c <"$root/corpora/models/phrases.safetensors")" -le 250000 ] || fail "phrases has more than 250 kB"

# One by name and as a file, in every command that takes a MODEL.
"$softalign" corpus phrases --pairs 4 --split test >pairs.tsv
cut -f 1 pairs.tsv >text
cp "$root/corpora/models/phrases.safetensors" file.safetensors
while read -r command arguments; do
    # shellcheck disable=SC2086
    for model in builtin:phrases file.safetensors; do
        "$softalign" $command $model $arguments >"$model.out" 2>err || fail "$command: $(cat err)"
    done
    cmp builtin:phrases.out file.safetensors.out || fail "$command gives something else by name"
done <<'COMMANDS'
translate text
align pairs.tsv
eval pairs.tsv --json
inspect
annotations pairs.tsv
attribute pairs.tsv --method occlusion
prove pairs.tsv --json
explain dog
COMMANDS
"$softalign" translate builtin:phrases builtin:phrases text >twice || fail "an ensemble by names"
"$softalign" translate builtin:phrases text | cmp - twice || fail "a model twice translates otherwise"
"$softalign" train --train pairs.tsv --init-from builtin:phrases --out more --steps 1 2>err || fail "--init-from: $(cat err)"
expect 4 "cannot open 'builtin:phrase': 'softalign models' lists the names (did you mean 'phrases'?)" \
    translate builtin:phrase text

# (clang, which counts branches, makes sums with other last bits than gcc.)
[[ $softalign = */build/coverage/* ]] ||
    SOFTALIGN=$softalign "$root/scripts/dev/models" --check phrases-untrained phrases-halfway >out || fail "$(cat out)"
finish
