# shellcheck shell=bash disable=SC2034,SC2046,SC2154,SC2207
# How scripts/bench measures each thing. Sourced by it: its options, $out, $command, $tools and $python are
# set. A function run_WHAT sets `figures`, a list of QUANTITY VALUE.

# ---- Scales -----------------------------------------------------------------------------------------

sizes_of() { # SCALE: m n n' l, pairs of a batch
    case $1 in
    tiny) echo 8 8 8 4 8 ;;
    toy) echo 64 64 64 32 32 ;;
    course) echo 256 256 256 128 64 ;;
    paper) echo 620 1000 1000 500 80 ;;
    esac
}
# Updates that count; updates before them that warm up the peers, no more than those; updates after
# which softalign's peak of memory is read, long sentences having been met by then.
updates_of() { # SCALE
    case $1-$quick in
    tiny-*) echo 4 2 8 ;;
    toy-yes) echo 60 10 200 ;;
    toy-no) echo 150 20 907 ;;
    course-yes) echo 10 2 20 ;;
    course-no) echo 20 3 200 ;;
    paper-yes) echo 1 1 2 ;;
    paper-no) echo 5 1 20 ;;
    esac
}

# ---- Corpora --------------------------------------------------------------------------------------

train=$out/data/train.tsv valid=$out/data/valid.tsv few=$out/data/few.tsv
text=(--tokenizer space --min-freq 2 --max-len 250) # longer than any of them

generate() { python3 scripts/dev/bench/corpus.py "$@"; } # --NAME VALUE...

multi30k() { # SPLIT
    local language file
    for language in en fr; do
        file=$data/$1.lc.norm.tok.$language
        [ -e "$file" ] || file=$file.gz
        [ -e "$file" ] || fail "$data has no $1.lc.norm.tok.$language, plain or .gz"
        gzip -dcf "$file" >"$out/data/$1.$language"
    done
    paste "$out/data/$1.en" "$out/data/$1.fr"
}

make_corpora() {
    [ ! -s "$few" ] || return 0
    local pairs=29000 source=5917 target=6478
    if [ -n "$data" ]; then
        multi30k train >"$train"
        multi30k val >"$valid"
    else
        [ "$scales" = tiny ] && pairs=400 source=60 target=70
        generate --pairs $pairs --source-words $source --target-words $target >"$train"
        generate --pairs $((pairs / 29 + 14)) --source-words $source --target-words $target --seed 2 >"$valid"
    fi
    head -n 8 "$valid" >"$few"
}

# Makes a file of what a command writes, once, and whole or not at all.
make_once() { # FILE COMMAND...
    [ -s "$1" ] || { "${@:2}" >"$1.new" && mv "$1.new" "$1"; }
}

batches_of() { # SCALE: the file of batches
    local file=$out/data/batches-$1
    set -- $(sizes_of "$1") $(updates_of "$1")
    make_once "$file" "$tools/batches" "$train" $(($6 - $7)) $(($6 + $7)) "${text[@]}" --batch "$5" || return
    echo "$file"
}

# ---- Measuring one thing --------------------------------------------------------------------------

# A training of a number of updates or seconds. Leaves the rows of its log in `rows`, as UPDATING WORDS SECONDS
# LOSS, and the seconds and megabytes of the whole in `took`.
train_for() { # STEPS SECONDS THREADS OPTION...
    local steps=$1 seconds=$2 workers=$3
    shift 3
    rm -rf "$out/run" # of a training that was interrupted
    timed "$command" train --out "$out/run" --epochs 0 --patience 0 --steps "$steps" \
        --max-time "$seconds" --threads "$workers" --shards "$workers" "$@" >"$out/log" 2>&1 || return
    rows=($(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["updating"], $at["words"], $at["seconds"], $at["train_loss"] }' "$out/run/log.csv"))
    rm -r "$out/run"
}

timed() { # COMMAND...
    "$tools/timed" "$out/took" "$@" || return
    took=($(cat "$out/took"))
}

divide() { # A B
    awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'
}

dimensions() { # m n n' l [BATCH]
    printf '%s ' --embed "$1" --hidden "$2" --attn "$3" --maxout "$4" ${5:+--batch "$5"}
}

score_of() { # additive|dot: as softalign calls it
    [ "$1" = dot ] && echo scaled-dot || echo "$1"
}

# Twice as many updates, of which the first half warms up: the row that the log has in the middle is taken away
# from the last one.
run_updates() { # UPDATES THREADS OPTION...
    local updates=$1 workers=$2
    shift 2
    train_for $((2 * updates)) 0 "$workers" "${text[@]}" --valid "$few" --valid-every "$updates" "$@" || return
    figures=(words $((rows[5] - rows[1])) words_per_second
        "$(divide $((rows[5] - rows[1])) "$(awk "BEGIN { print ${rows[4]} - ${rows[0]} }")")"
        megabytes "${took[1]}")
}

run_ours() { # SCALE THREADS ATTENTION [PRECISION]
    local score workers=$2 precision=${4:-float32}
    score=$(score_of "$3")
    set -- $(sizes_of "$1") $(updates_of "$1")
    run_updates "$6" "$workers" --train "$train" $(dimensions "$1" "$2" "$3" "$4" "$5") --attention "$score" \
        --precision "$precision"
}

# With the operations for a target word of the batches that count: those of the matrix products and of the attention
# sums, forward and backward, 2 and 4 for each multiply-add; what page.py compares with the peak.
run_counted() { # SCALE THREADS ATTENTION
    local file updates
    run_ours "$@" && file=$(batches_of "$1") || return
    updates=($(updates_of "$1"))
    figures+=(flop_per_word "$(awk -v sizes="$(sizes_of "$1")" -v warm="${updates[1]}" '
        NR == 1 {
            split(sizes, of, " ")
            m = of[1]
            n = of[2]
            attention = of[3]
            source = 6 * n * (m + n) + 2 * n * attention
            target = 3 * n * (m + 3 * n) + n * attention + of[4] * (2 * (m + 3 * n) + $2)
        }
        NF == 1 { batch++ }
        NF > 3 && batch > warm {
            words += $2
            sum += $1 * source + $2 * target + $1 * $2 * (attention + 2 * n) + n * n
        }
        END { print 6 * sum / words }' "$file")")
}

# The sum of the speeds of runs with one thread each, at the same time: what as many threads of one run could reach.
run_side_by_side() { # SCALE RUNS
    local i running=() good=yes
    rm -rf "$out"/side-*
    for ((i = 1; i <= $2; i++)); do
        mkdir -p "$out/side-$i"
        (out=$out/side-$i && run_ours "$1" 1 additive && printf '%s %s\n' "${figures[@]}" >"$out/figures") &
        running+=($!)
    done
    for i in "${running[@]}"; do wait "$i" || good=no; done
    cat "$out"/side-*/log >"$out/log"
    [ $good = yes ] &&
        figures=($(cat "$out"/side-*/figures | awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }'))
    rm -r "$out"/side-*
    [ $good = yes ]
}

run_memory() { # SCALE THREADS
    local workers=$2
    set -- $(sizes_of "$1") $(updates_of "$1")
    train_for "$8" 0 "$workers" "${text[@]}" --train "$train" --valid "$few" \
        $(dimensions "$1" "$2" "$3" "$4" "$5") || return
    figures=(megabytes "${took[1]}")
}

run_peak() { # - THREADS
    local found
    found=($("$tools/peak" "$2")) || return
    figures=(gflops "${found[0]}")
}

# PyTorch with its number of threads set in the three places that need it ("stock"); with everything that makes
# it faster too: ATen's AVX-512, tcmalloc and OpenBLAS' OpenMP build ("tuned", for two thread pools on the same
# cores are slower than one) or PyTorch's threads alone ("split"); or without settings ("default").
torch() { # CONFIGURATION THREADS ARGUMENT...
    local configuration=$1 workers=$2 own=() variables=()
    shift 2
    if [ "$configuration" = default ]; then
        variables=(-u OMP_NUM_THREADS -u OPENBLAS_NUM_THREADS)
    else
        own=(--threads "$workers")
        variables=(OMP_NUM_THREADS="$workers" OPENBLAS_NUM_THREADS="$workers")
    fi
    case $configuration in
    tuned) variables+=(${openmp:+LD_LIBRARY_PATH=$openmp}) ;;&
    split) variables+=(OPENBLAS_NUM_THREADS=1) ;;&
    tuned | split) variables+=(${capability:+ATEN_CPU_CAPABILITY=$capability} ${tcmalloc:+LD_PRELOAD=$tcmalloc}) ;;
    esac
    timed env "${variables[@]}" "$python" scripts/dev/bench/torch_peer.py \
        "$@" "${own[@]}" 2>"$out/log"
}

run_torch() { # SCALE THREADS ATTENTION CONFIGURATION [--bf16]
    local file sizes updates found
    file=$(batches_of "$1")
    sizes=($(sizes_of "$1")) updates=($(updates_of "$1"))
    found=($(torch "$4" "$2" "$file" --sizes "${sizes[@]:0:4}" --attention "$3" --warm "${updates[1]}" ${5:-})) || return
    took=($(cat "$out/took"))
    figures=(words_per_second "$(divide "${found[0]}" "${found[1]}")" words "${found[0]}"
        first_update "${found[4]}" megabytes "${took[1]}")
}

# How long a model learns before it translates: softalign multiplies equal rows once, so a model that knows
# nothing, and repeats one word in all sentences, would be too fast. At PAPER two epochs would take too long.
lessons_of() { # SCALE
    case $1-$quick in
    tiny-*) echo --epochs 1 --max-time 0 ;;
    *-yes) echo --epochs 0 --max-time 15 ;;
    paper-no) echo --steps 40 --epochs 0 --max-time 0 ;;
    *) echo --epochs 2 --max-time 0 ;;
    esac
}

model_of() { # SCALE
    local folder=$out/model-$1
    if [ ! -d "$folder" ]; then
        rm -rf "$folder.new"
        "$command" train --train "$train" --valid "$few" "${text[@]}" $(dimensions $(sizes_of "$1")) \
            $(lessons_of "$1") --threads "$most" --out "$folder.new" 2>"$out/log" || return
        rm -f "$folder.new/last.safetensors"
        mv "$folder.new" "$folder"
    fi
    echo "$folder/best.safetensors"
}

# Sentences of the validation text, fewer where they take long; more, of the training text, where a batch of
# many takes little.
sentences_of() { # SCALE BATCH
    case $1-$quick-$2 in
    paper-yes-*) head -n 32 "$valid" ;;
    course-yes-64) head -n 1024 "$train" ;;
    paper-no-* | course-yes-*) head -n 256 "$valid" ;;
    *-no-64) head -n 4096 "$train" ;;
    *) cat "$valid" ;;
    esac
}

# Every translation is made as long as --max-ratio lets it become, about as long as Multi30k's.
run_translate() { # SCALE THREADS BATCH BEAM
    local model
    model=$(model_of "$1") || return
    sentences_of "$1" "$3" | cut -f 1 >"$out/sources"
    timed "$command" translate "$model" "$out/sources" --threads "$2" --batch "$3" \
        --beam "$4" --max-ratio 0.35 --min-length 100000 >"$out/translations" 2>"$out/log" || return
    paste "$out/sources" "$out/translations" | sort -u |
        awk -F '\t' '{ print split($1, s, " ") + 1, split($2, t, " ") }' >"$out/data/lengths-$1"
    figures=(sentences_per_second "$(divide "$(wc -l <"$out/sources")" "${took[0]}")"
        words "$(wc -w <"$out/translations")")
}

# The same sentences, and as many words for each as softalign wrote.
run_torch_translate() { # SCALE THREADS BATCH CONFIGURATION
    local sizes found words
    sizes=($(sizes_of "$1"))
    sentences_of "$1" "$3" >"$out/pairs.tsv"
    "$tools/batches" "$out/pairs.tsv" 0 1 --tokenizer space --max-len 1000 --batch "$(wc -l <"$out/pairs.tsv")" \
        >"$out/sentences" 2>"$out/log" || return
    words=($(head -n 1 "$(batches_of "$1")"))
    found=($(torch "$4" "$2" "$out/sentences" --sizes "${sizes[@]:0:4}" --greedy "$3" \
        --steps "$out/data/lengths-$1" --words "${words[0]}" "${words[1]}")) || return
    figures=(sentences_per_second "$(divide "${found[0]}" "${found[1]}")" words "${found[2]}")
}

run_align() { # SCALE THREADS
    local model
    model=$(model_of "$1") || return
    sentences_of "$1" 1 >"$out/pairs.tsv"
    timed "$command" align "$model" "$out/pairs.tsv" --threads "$2" \
        --pharaoh "$out/links" 2>"$out/log" || return
    figures=(pairs_per_second "$(divide "$(wc -l <"$out/pairs.tsv")" "${took[0]}")")
}

# The second of two runs: program and files are in the system's cache by then.
timed_again() { # COMMAND...
    "$@" >"$out/log" 2>&1 && timed "$@" >"$out/log" 2>&1
}

run_help() {
    timed_again "$command" --help || return
    figures=(seconds "${took[0]}")
}

run_load() { # SCALE
    local model
    model=$(model_of "$1") || return
    timed_again "$command" translate "$model" /dev/null || return
    figures=(seconds "${took[0]}" megabytes "${took[1]}")
}

run_first() { # SCALE
    train_for 1 0 "$most" "${text[@]}" --train "$train" --valid "$few" $(dimensions $(sizes_of "$1")) || return
    figures=(first_update "${rows[2]}" whole_run "${took[0]}")
}

# ---- How cost grows -------------------------------------------------------------------------------

generated() { # NAME --NAME VALUE...: a corpus of its own, made once
    local file=$out/data/$1.tsv
    shift
    make_once "$file" generate --pairs 4000 --source-words 2000 --target-words 2000 "$@"
    echo "$file"
}

grid() { # VALUES VALUES-WHEN-QUICK
    if [ "$scales" = tiny ]; then
        echo "${2%% *}"
    elif [ "$quick" = yes ]; then
        echo "$2"
    else
        echo "$1"
    fi
}

run_grown() { run_updates "$3" "$2" "${@:4}"; } # WHAT THREADS UPDATES OPTION...

grown() { # WHAT THREADS VALUE UPDATES --train FILE $(dimensions ...): that many updates, fewer when quick
    local scale=$1 workers=$2 count=$4
    [ "$quick" = yes ] && count=$((count / 5))
    [ "$scales" = tiny ] && count=1
    measure additive "$3" run_grown $((count + 2)) "${@:5}"
}

# One thing is varied, all else is this: hidden 128 (m and n' as much, l half), batch 32.
growth() {
    local n file middle
    middle=($(dimensions 128 128 128 64)) # and train's default batch, 32
    for n in $(grid "32 64 128 256 512 1024" "64 256 512"); do
        grown hidden 1 "$n" $((400000 / (n * n) + 20480 / n)) --train "$train" \
            $(dimensions "$n" "$n" "$n" $((n / 2)) 32)
    done
    for n in $(grid "5 10 20 40 100 200" "10 40"); do
        file=$(generated "length-$n" --words "$n")
        grown length 1 "$n" $((900 / n)) --train "$file" "${middle[@]}"
    done
    for n in $(grid "1 4 16 32 64 128" "1 32"); do
        grown batch 1 "$n" $((400 / n + 20)) --train "$train" "${middle[@]}" --batch "$n"
    done
    for n in $(grid "500 2000 8000 32000 100000" "500 8000"); do
        file=$(generated "words-$n" --pairs $((n < 50000 ? 8000 : 20000)) --source-words "$n" --target-words "$n")
        grown vocabulary 1 "$n" $((n < 50000 ? 45 : 9)) --train "$file" "${middle[@]}"
    done
    for n in $(seq "$(nproc)"); do
        grown threads "$n" "$n" 45 --train "$train" "${middle[@]}" --batch 64
    done
}

# ---- The tutorial's work --------------------------------------------------------------------------

# French to English, marks apart from the words.
tutorial_pairs() { # FILE
    awk -F '\t' '{ gsub(/[.!?]/, " &"); print $2 "\t" $1 }' "$1"
}

run_tutorial_torch() {
    local found
    found=($(env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$python" scripts/dev/bench/torch_tutorial.py \
        "$out/data/tutorial.tsv" "$presentations" 2>"$out/log")) || return
    figures=(seconds "${found[0]}" train_loss "${found[1]}")
}

# As many presentations; train_loss is that of the last fifteenth of them, as the peer's. `reached`: when a
# fifteenth first had the loss that an earlier version of the tutorial's page prints for its last one.
run_tutorial() {
    local every=$((presentations / 32 / 15))
    train_for $((every * 15)) 0 "$most" --train "$out/data/tutorial.tsv" --valid "$out/data/tutorial-valid.tsv" \
        --tokenizer space $(dimensions 256 256 256 128 32) --valid-every "$every" || return
    figures=(seconds "${took[0]}" train_loss "${rows[-1]}"
        reached "$(printf '%s %s %s %s\n' "${rows[@]}" | awk '$4 <= 0.543 { print $3; exit }')")
}

make_tutorial() {
    [ -n "$tatoeba" ] && [ ! -s "$out/data/tutorial-valid.tsv" ] || return 0
    scripts/dev/corpus-tatoeba "$tatoeba" "$out/data/tatoeba" --tutorial 2>"$out/log" ||
        fail "--tatoeba: $(tail -n 1 "$out/log")"
    tutorial_pairs "$out/data/tatoeba/train.tsv" >"$out/data/tutorial.tsv"
    head -n 100 "$out/data/tatoeba/valid.tsv" | tutorial_pairs - >"$out/data/tutorial-valid.tsv"
}

tutorial() {
    presentations=75000
    [ -n "$tatoeba" ] || { say "tutorial: no --tatoeba FILE: left out" && return; }
    round=1 scale=course workers=$most measure additive ours run_tutorial
    [ -z "$python" ] || round=1 scale=course workers=1 measure own pytorch run_tutorial_torch
}
