# Wrong usage: each gives exit code 2 and one clear line, and help is never far.
. tests/support/cli.sh

"$softalign" help >list
for word in '' -h --help; do
    # shellcheck disable=SC2086
    expect 0 "" $word
    cmp out list || fail "softalign $word is not the list of commands"
done
expect 0 "" help train
cp out list
expect 0 "" train -h
cmp out list || fail "softalign train -h is not its help"
same "options before the text of train" 10 "$(sed '/^Trains/q' list | grep -c '^  --')"
same "options that the help of train lists twice" "" "$(grep -o '^  --[a-z0-9-]*' list | sort | uniq -d)"
expect 2 "unknown command 'trian' (did you mean 'train'?); 'softalign help' lists all" trian
expect 2 "unknown command 'frobnicate'; 'softalign help' lists all" frobnicate
expect 2 "unknown command '--frobnicate'; 'softalign help' lists all" --frobnicate
expect 2 "unknown command ''; 'softalign help' lists all" ''

# Options.
expect 2 "train: unknown option '--hiden' (did you mean '--hidden'?)" train --hiden 3
expect 2 "train: unknown option '--hiden=3' (did you mean '--hidden'?)" train --hiden=3
expect 2 "train: unknown option '-e'" train -e 3
expect 2 "train: unknown option '--a\\x1B[2Jb'" train $'--a\e[2Jb'
for word in batch-size:batch vocab-size:vocab hidden-size:hidden learning-rate:lr clip-norm:clip max_grad_norm:clip \
    per_device_train_batch_size:batch dim-emb:embed save-dir:out max-update:steps word-min-count:min-freq; do
    expect 2 "train: unknown option '--${word%:*}' (did you mean '--${word#*:}'?)" train --${word%:*} 3
done
expect 2 "train: unknown option '-rnn_size' (did you mean '--hidden'?)" train -rnn_size 3
expect 2 "translate: unknown option '--beam-size' (did you mean '--beam'?)" translate m --beam-size 3
expect 2 "translate: there is no '--verbose': 'softalign --version' prints the versions, the shell's 'time' the cost" translate m --verbose
expect 2 "explain: unknown option '- un roi.' (a text that begins with a dash goes after --)" explain m "- un roi."
expect 2 "train: there is no '--teacher-forcing-ratio': training always reads the reference words, a ratio of 1" train --teacher-forcing-ratio 1
expect 2 "train: unknown option '--save' (did you mean '--out'?)" train --save x
expect 2 "--csv -: expected a folder" align m p --csv -
expect 2 "--lr is given twice" train --lr 1 --lr 1
expect 2 "--lr needs a value (X)" train --lr
expect 2 "--train needs a value (PAIRS)" train --train --out x
expect 2 "--out: the DIR is empty" train --out ''
expect 2 "train: --train PAIRS is missing: softalign train --train PAIRS --out DIR" train --out x
expect 2 "train: --out DIR is missing: softalign train --train PAIRS --out DIR" train --train x.tsv
expect 2 "train: 'x.tsv' is one argument too many; pairs go after --train" train x.tsv
expect 2 "unknown preset 'bahdanau' (did you mean 'bahdanau2015'?); 'softalign help train' lists all" train --preset bahdanau
expect 2 "an argument is missing: softalign translate MODEL [MODEL.safetensors ...] [FILE]" translate
expect 2 "translate: 'b' is neither a model (.safetensors) nor the last argument" translate a b c
expect 2 "align: 'c' is one argument too many" align a b c
expect 2 "an argument is missing: softalign align MODEL PAIRS" align m
expect 2 "an argument is missing: softalign eval MODEL PAIRS" eval m
expect 2 "an argument is missing: softalign score HYPOTHESES REFERENCES..." score h
expect 2 "an argument is missing: softalign inspect MODEL" inspect
expect 2 "a corpus has either a task or a grammar: softalign corpus TASK, or softalign corpus --grammar FILE" corpus
expect 2 "unknown task 'mon' (did you mean 'mono'?); 'softalign help corpus' lists all" corpus mon
expect 2 "--nbest 3 needs --beam 3 or more" translate m --nbest 3
expect 2 "no backward term is called 'gru.nothing'" gradcheck --break gru.nothing
expect 2 "no backward term is called 'gru.rset' (did you mean 'gru.reset'?)" gradcheck --break gru.rset

# Lists of models, and what a comparison needs.
expect 2 "compare: --train PAIRS is missing: softalign compare --train PAIRS --test PAIRS --models LIST --out DIR" compare
expect 2 "compare: --test PAIRS is missing: softalign compare --train PAIRS --test PAIRS --models LIST --out DIR" compare --train x
expect 2 "compare: --models LIST is missing: softalign compare --train PAIRS --test PAIRS --models LIST --out DIR" compare --train x --test x
expect 2 "compare: --out DIR is missing: softalign compare --train PAIRS --test PAIRS --models LIST --out DIR" compare --train x --test x --models fixed
list() { # MESSAGE LIST [OPTION...]
    expect 2 "--models: $1" compare --train x --test x --out x --models "${@:2}"
}
refusal() { # OPTION VALUE: what `train` says of it
    "$softalign" train --$1 "$2" 2>&1 | sed 's/^softalign: //'
}
list "'fixd': $(refusal decoder fixd)" fixd
list "'luong:generall': $(refusal attention generall)" luong:generall
list "'': $(refusal decoder '')" fixed,
list "'fixed:additive': this decoder has no attention to choose" bahdanau,fixed:additive
list "'luong:dot:0': --heads '0': expected a whole number from 1 to 64" luong:dot:0
list "'luong:dot:3': --heads 3 does not divide --attn 4" luong:dot:3 --attn 4
form="expected decoder[:attention[:heads]][:option=value ...], with transformer or decoder as a decoder"
list "'luong:dot:1:1': $form" luong:dot:1:1
list "'fixed:dropout=0.1:additive': $form" fixed:dropout=0.1:additive
list "'fixed:dropout=1': $(refusal dropout 1)" fixed:dropout=1
list "'luong:dropuot=0.1': unknown option 'dropuot' (did you mean 'dropout'?)" luong:dropuot=0.1
list "'fixed:dropout=0': the same model as 'fixed'" fixed,fixed:dropout=0
for option in seed=2 batch=9 tokenizer=char steps=7; do
    list "'fixed:$option': --${option%=*} applies to all models: give it once, as an option" fixed:$option
done
list "'bahdanau:additive': the same model as 'bahdanau'" bahdanau,bahdanau:additive
expect 2 "--models: the LIST is empty" compare --models ''
expect 2 "compare: every run reads the pairs again, which standard input cannot provide: write them to a file" \
    compare --train - --test x --models fixed --out x
expect 2 "--seeds 3: too many from --seed 9007199254740990 on" \
    compare --train x --test x --models fixed --out x --seed 9007199254740990 --seeds 3

# Values.
for value in nan inf 1e999 -1 0x1p3 1,5 12abc ' 1' '1 '; do
    expect 2 "--lr '$value': expected a number from 0 to 1000000000" train --lr "$value"
done
expect 2 "--lr '': expected a number from 0 to 1000000000" train --lr=
for value in 99999999999 0 -1 1.5 8193 ''; do
    expect 2 "--hidden '$value': expected a whole number from 1 to 8192" train "--hidden=$value"
done
expect 2 "--batch '0': expected a whole number from 1 to 65536" train --batch 0
expect 2 "--beam '0': expected a whole number from 1 to 1000" translate m --beam 0
expect 2 "--threads '100000': expected a whole number from 0 to 256" train --threads 100000
expect 2 "--seed '18446744073709551616': expected a whole number from 0 to 9007199254740991" \
    train --seed 18446744073709551616
expect 2 "--dropout '1': expected a number from 0 to 0.9" train --dropout 1
expect 2 "--attention 'product': expected additive, scaled-dot, dot, general, raw-dot, concat, location, uniform, gaussian, cosine, qk-norm, linear, monotonic, graves, location-aware, differential, hard, retnet, gla, deltanet, gated-deltanet or kda" train --attention product
expect 2 "--optimizer 'adamm': expected adadelta, adam or sgd (did you mean 'adam'?)" \
    train --optimizer adamm
expect 2 "--lowercase 'maybe': expected yes or no" train --lowercase=maybe
expect 2 "--split 'tests': expected train, valid or test (did you mean 'test'?)" \
    corpus mono --split tests

expect 2 "attend: unknown option '--matrix'" attend --matrix 1 # which never had such an option

# Help: every command's, by both ways, and none of it on standard error.
expect 0 "" help
expect 0 "" --help
same "softalign --help" "$("$softalign" help)" "$(cat out)"
for command in corpus train translate align eval score compare attend explain attribute annotations gradcheck prove inspect bpe align-words clean \
    film average help; do
    expect 0 "" help $command
    grep -q "^Usage: softalign $command" out || fail "help $command shows no usage"
    grep -q "^Example:" out || fail "help $command shows no example"
    [ -z "$(awk 'length > 80' out)" ] || fail "help $command is wider than 80 columns"
    "$softalign" help | grep -q "^  $command " || fail "help does not list $command"
    cp out before
    expect 0 "" $command --help
    cmp -s before out || fail "$command --help differs from help $command"
done
expect 0 "" --version
sed -n 1p out | grep -qE '^softalign [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version says '$(cat out)'"
version=$(sed -n '1s/softalign //p' out)
for place in "CMakeLists.txt:project(softalign VERSION $version " "scripts/python/softalign.py:__version__ = \"$version\"" \
    "CHANGELOG.md:## $version" "scripts/dev/debian/changelog:softalign ($version) "; do
    grep -qF -- "${place#*:}" "$root/${place%%:*}" || fail "${place%%:*} has another version than $version"
done
same "the version in the header" "$version" "$(sed -n 's/^#define SA_VERSION_[MP].* //p' "$root/include/softalign.h" | paste -s -d .)"

# Which OpenBLAS works, with which kernels; and that another library has taken its place.
sed -n 2p out | grep -q '^OpenBLAS [0-9]' || fail "--version names no OpenBLAS: $(cat out)"
sed -n 3p out | grep -q '^products by .*openblas' || fail "--version does not say where it is: $(cat out)"
[ "$(uname -m)" = x86_64 ] && export OPENBLAS_CORETYPE=Prescott
expect 0 "" --version
[ "$(uname -m)" = x86_64 ] && { grep -q Prescott out || fail "another core is not shown: $(cat out)"; }
unset OPENBLAS_CORETYPE
if [ "$(uname -m)" = x86_64 ] && ! grep -qw fma4 /proc/cpuinfo; then # Bulldozer's instructions
    OPENBLAS_CORETYPE=Bulldozer expect 2 "illegal instruction: OPENBLAS_CORETYPE selects kernels that \
this processor cannot run" gradcheck
fi
if [ "$(nproc)" -gt 1 ]; then # OpenBLAS may not start its threads
    # shellcheck disable=SC2046
    $([ "$(id -u)" -ne 0 ] || echo setpriv --reuid=65534 --clear-groups) bash -c 'ulimit -u 1; exec "$@"' - "$softalign" --version >out 2>err
    same "without threads" 7 $?
    grep -q '^softalign: OpenBLAS cannot start its threads (see ulimit -u)' err || fail "without threads: $(cat err)"
fi
if has cc; then
    echo 'void cblas_sgemm(void) {}' | cc -shared -fPIC -x c - -o other.so
    LD_PRELOAD=$PWD/other.so "$softalign" --version >out
    grep -q "^products by $PWD/other.so$" out || fail "another library's products are not noticed: $(cat out)"
fi

# A program without a name.
(exec -a '' "$softalign") >out 2>err
same "without a name" 0 $?

# A corpus is written while it is made: for its first line nobody waits for the rest.
timeout 20 "$softalign" corpus mono --pairs 1000000 2>err | head -n 1 >first
same "exit codes of a pipe that is closed" "5 0" "${PIPESTATUS[*]}"
same "its message" "" "$(cat err)"
same "the first line" "$("$softalign" corpus mono --pairs 1)" "$(cat first)"

finish
