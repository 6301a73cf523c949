# Habits that all commands share: --quiet, what was written where, pipes and environments,
# the shortest call, names that are nearly right, and the command line that trains a model again.
. tests/support/cli.sh
train_tiny
PATH=$(dirname "$softalign"):$PATH
model=tiny/best.safetensors
cut -f 1 tiny.tsv >source.txt
cut -f 2 tiny.tsv >target.txt
printf '1,0\n0,1\n' >values.csv
printf '0.5,0.5\n1,0\n' >weights.csv
printf 'a cat\tun chat\n' >values.tsv
softalign train --train tiny.tsv --out film --embed 8 --hidden 8 --attn 4 --maxout 4 --steps 4 --snapshots values.tsv \
    --quiet >out 2>err || fail "train: $(cat err)"
same "train --quiet" "" "$(cat out err)"

# Every command, and whether it writes a file called `new` or into a folder called `new`.
cat >calls <<CALLS
corpus mono --pairs 5
train --train tiny.tsv --out new --embed 4 --hidden 4 --attn 4 --maxout 4 --steps 2
translate $model source.txt
align $model tiny.tsv --limit 2 --csv new
eval $model tiny.tsv --per-sentence new
score target.txt target.txt
compare --train tiny.tsv --test tiny.tsv --models fixed,bahdanau --out new --embed 4 --hidden 4 --steps 2
attend --given-weights weights.csv --values values.csv --weights new
explain $model a.cat
attribute $model tiny.tsv --method gradient --limit 2 --csv new
annotations $model tiny.tsv --html new
gradcheck --attention dot --embed 3 --hidden 3 --dump new
prove $model values.tsv
inspect $model
models
bpe learn source.txt --merges 9
clean tiny.tsv --out new
film film --html new
average $model $model --out new
align-words tiny.tsv --limit 1 --lexicon new
help
CALLS
same "commands" "$(softalign help | sed -n '/^Commands:$/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p' | sort)" "$(cut -d ' ' -f 1 calls | sort)"
timeless() { # results without the seconds and speeds in them
    sed -E 's/[0-9.]+ s\b//g; s/[0-9.]+ words\/s//; /^(fixed|bahdanau) /s/ .*//' "$@"
}
while read -r call; do
    for way in "" --quiet; do
        rm -rf new
        softalign $call $way >"out$way" 2>"err$way" </dev/null || fail "softalign $call $way: $(cat "err$way")"
        [[ $call != *\ new* || -e new ]] || fail "softalign $call $way wrote nothing"
    done
    same "$call --quiet" "" "$(cat err--quiet)"
    cmp -s <(timeless out) <(timeless out--quiet) || fail "softalign $call prints something else with --quiet"
    [[ $call != *\ new* ]] || grep -qE '^wrote (.*, )?new(/|$|,)' err || fail "softalign $call does not say what it wrote: $(cat err)"
    ! grep -q $'[\e\r]' out err || fail "softalign $call writes terminal codes into a pipe"
    softalign ${call%% *} --help | grep -q '^  --quiet ' || fail "${call%% *} --help does not name --quiet"
done <calls
expect 4 "cannot open 'none': No such file or directory" inspect none --quiet

# Neither the environment nor files of the user change what is said or printed.
for call in "align $model tiny.tsv --limit 2" "help train" "eval $model tiny.tsv"; do
    softalign $call >out 2>err
    mkdir -p home/.config/softalign
    echo '--beam 7' | tee home/.softalignrc home/.config/softalign/config home/.config/softalign.conf >/dev/null
    for environment in "-u COLUMNS -u TERM" "COLUMNS=20 LINES=2 TERM=xterm-256color COLORTERM=truecolor" "NO_COLOR=1" \
        "CI=true GITHUB_ACTIONS=true" "HOME=$PWD/home XDG_CONFIG_HOME=$PWD/home/.config" "-i"; do
        env $environment "$softalign" $call >out2 2>err2
        cmp -s out out2 && cmp -s err err2 || fail "softalign $call differs with env $environment"
    done
done
! grep -qaE '\.config/|softalignrc|XDG_' "$softalign" || fail "the program names configuration files"

# Only a terminal that understands them gets control sequences.
for environment in "TERM=xterm" "TERM=dumb" "-u TERM"; do
    rm -rf seen
    script -qec "env $environment '$softalign' train --train tiny.tsv --out seen --steps 20 --embed 4 --hidden 4" /dev/null >screen </dev/null
    grep -q 'ended (steps)' screen || fail "train in a terminal: $(cat screen)"
    same "a terminal with $environment has control sequences" "$([ "$environment" != TERM=xterm ] || echo yes)" \
        "$(! grep -q $'\e' screen || echo yes)"
done

# A reader that goes away.
for call in --help "help train" "corpus mono --pairs 100000" "inspect $model"; do
    softalign $call 2>err | head -n 1 >out
    same "'softalign $call | head' says" "" "$(cat err)"
    [ -s out ] || fail "'softalign $call | head' shows nothing"
done

# What is missing is answered with the shortest call, what is misspelled with the nearest name.
expect 2 "train: --train PAIRS is missing: softalign train --train PAIRS --out DIR" train
expect 2 "compare: --train PAIRS is missing: softalign compare --train PAIRS --test PAIRS --models LIST --out DIR" compare
expect 2 "average: --out FILE is missing: softalign average MODEL MODEL ... --out FILE" average $model $model
for call in $(softalign help | sed -n '/^Commands:$/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p'); do
    softalign $call >out 2>err </dev/null && continue # gradcheck and help need nothing
    grep -qE "(softalign $call|is missing)" err || fail "softalign $call: $(cat err)"
    softalign $call --quiett >out 2>err
    grep -qF "$call: unknown option '--quiett' (did you mean '--quiet'?)" err || fail "softalign $call --quiett: $(cat err)"
done
hint() { # MEANT ARGUMENT...
    softalign "${@:2}" >out 2>err </dev/null
    same "exit code of ${*:2}" 2 $?
    grep -qF "(did you mean '$1'?)" err || fail "softalign ${*:2}: $(cat err)"
}
hint translate tranlsate
hint --hidden train --hiden 3
hint vaswani2017 train --preset vaswany2017
hint reorder corpus reoder
hint scaled-dot gradcheck --attention scaled-dott
hint adam train --optimizer adm
hint uniform eval $model tiny.tsv --force-attention unifrom
hint encoder align $model tiny.tsv --site encodr
hint gradient attribute $model tiny.tsv --method occlusion,gradiant
hint mean align $model tiny.tsv --head meen
hint gru.reset gradcheck --break gru.rest
hint translate help translat
hint bahdanau compare --train tiny.tsv --test tiny.tsv --out new --models bahdanu

finish
