# The same seed gives the same model files, whatever the number of threads, the language of the
# surroundings and the folder they are written to: four kinds of models, compared by SHA-256.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 200 >mono.tsv
options="--train mono.tsv --embed 8 --hidden 8 --attn 4 --maxout 4 --shards 8 --batch 64 --steps 25 \
    --valid-every 10 --max-time 0 --patience 0 --dropout 0.1 --seed 5"

# Languages whose numbers have a comma, whose capital i has a dot, and that write from the right; words are sorted as in C,
# since nothing compares them otherwise and localedef takes most of its time for their order.
grep -rnw 'strcoll\|strxfrm' "$root/src" && fail "words are compared by their language"
languages="C POSIX"
for language in de_DE tr_TR ar_EG; do
    for category in IDENTIFICATION CTYPE COLLATE TIME NUMERIC MONETARY MESSAGES PAPER NAME ADDRESS TELEPHONE MEASUREMENT; do
        from=$language
        [ $category != COLLATE ] || from=POSIX
        printf 'LC_%s\ncopy "%s"\nEND LC_%s\n' $category $from $category
    done >$language.source
    localedef -i ./$language.source -f UTF-8 "$scratch/$language.UTF-8" 2>log && languages+=" $language.UTF-8" ||
        lacks "localedef, or its sources of $language (locales),"
done
export LOCPATH=$scratch

sums() { # FOLDER
    sha256sum <"$1/best.safetensors" && sha256sum <"$1/last.safetensors"
}

good=0 cases=0
# same_model WHAT FOLDER COMMAND...: trains into the folder and compares with the first of its kind.
same_model() {
    local what=$1 folder=$2
    shift 2
    "$@" $options $kind --out "$folder" 2>err || fail "$what: $(cat err)"
    cases=$((cases + 1))
    if [ "$(sums "$folder")" = "$first" ]; then
        good=$((good + 1))
    else
        fail "$kind: $what: another model"
    fi
}

for kind in "--decoder bahdanau" "--decoder luong --attention general --cell lstm --input-feeding" \
    "--decoder cgru --optimizer adam --word-dropout 0.1" \
    "--model transformer --heads 2 --layers 1 --label-smoothing 0.1"; do
    rm -rf one again threads lang deep
    mkdir -p threads lang deep/er
    "$softalign" train $options $kind --out one --threads 1 2>err || fail "train: $(cat err)"
    first=$(sums one)
    same_model "once more" again "$softalign" train --threads 1
    for threads in 2 4 8; do
        same_model "$threads threads" threads/$threads "$softalign" train --threads $threads
    done
    for language in $languages; do
        same_model "$language" lang/$language env -u LC_ALL LANG=$language LC_ALL=$language \
            "$softalign" train --threads 2
    done
    same_model "no language" lang/none env -i LOCPATH="$LOCPATH" \
        ${OPENBLAS_CORETYPE+OPENBLAS_CORETYPE="$OPENBLAS_CORETYPE"} "$softalign" train --threads 2
    same_model "another folder" "deep/ü = 'x' &" "$softalign" train --threads 3
    same_model "a folder by its whole path" "$PWD/deep/er/one" "$softalign" train --threads 2
done

# A flavor of OpenBLAS that threads cannot share, where one is installed: one thread, and a note.
for flavor in /usr/lib/*/openblas-{serial,openmp}; do
    [ -e "$flavor/libopenblas.so.0" ] || continue
    for threads in 1 4; do
        rm -rf flavor-$threads
        LD_LIBRARY_PATH=$flavor "$softalign" train --train mono.tsv --embed 200 --hidden 300 --shards 4 \
            --batch 64 --steps 5 --out flavor-$threads --threads $threads 2>err || fail "train: $(cat err)"
    done
    grep -q '^note: one thread is used' err || fail "${flavor##*/}: no note: $(cat err)"
    same "${flavor##*/}" "$(sums flavor-1)" "$(sums flavor-4)"
done
echo "same models: $good/$cases"
# Without --shards the number of cores changes nothing.
if has taskset; then
    default="--train mono.tsv --embed 8 --hidden 8 --attn 4 --maxout 4 --steps 10 --max-time 0"
    "$softalign" train $default --out cores 2>/dev/null
    taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" "$softalign" train $default --out core 2>/dev/null
    cmp cores/best.safetensors core/best.safetensors || fail "one core makes another model"
fi
"$softalign" train $options --out few --threads 9 2>err
grep -q ' weights, 8 shards, 9 threads (updates use 8: see --shards)$' err || fail "idle threads: $(cat err)"

finish
