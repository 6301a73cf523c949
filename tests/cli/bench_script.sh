# scripts/bench at a tiny size: it measures, resumes, reports and publishes, and everybody trains on the
# same batches. Nothing is asked about speed.
. tests/support/cli.sh
tools=$(dirname "$softalign")/scripts/dev/bench

bench() {
    COMMAND=$softalign TOOLS=$tools OUT=$scratch/out PYTHON=$scratch/no-python MULTI30K= \
        PROCESSOR="A Processor (Made up)" PUBLISHED=$scratch/published \
        "$root/scripts/bench" "$@" 2>err
}
options="--scales tiny --only speed,memory,start,decode,align,growth --rounds 1 --threads 1"

bench --scales huge && fail "an unknown scale is taken"
bench --only speed --rounds 0 && fail "no rounds are taken"
bench --quick --publish && fail "quick figures are published"

bench $options >report || fail "bench: $(cat err)"
grep -q '^bench: 0:[0-9]* speed 1 tiny 1 dot ours$' err || fail "it does not say what it measures: $(cat err)"
grep -q 'no PyTorch' err || fail "it does not say that PyTorch is missing"
grep -q failed err && fail "a measurement: $(cat err)"
cmp -s report out/results.md || fail "what is printed is not what is written"
grep -q '^| TINY | additive | 1 | [0-9]' report || fail "no row of training: $(cat report)"
grep -q '^- \*\*A Processor (Made up)\*\*, [0-9]* cores' report || fail "where it was measured is missing: $(cat report)"

# figure WHO QUANTITY: its median, of training with the additive score
figure() {
    sed -n "s/^speed,tiny,1,additive,$1,$2,\([^,]*\),.*/\1/p" out/results.csv
}
for row in speed,all,1,none,peak,gflops speed,tiny,1,additive,ours,words_per_second \
    memory,tiny,1,additive,ours,megabytes speed,tiny,1,dot,ours,flop_per_word \
    start,none,1,none,help,seconds start,tiny,1,additive,load,seconds \
    decode,tiny,1,greedy,ours-64,sentences_per_second decode,tiny,1,beam-5,ours-1,sentences_per_second \
    growth,vocabulary,1,additive,500,words_per_second growth,batch,1,additive,1,words_per_second \
    growth,length,1,additive,10,words_per_second \
    align,tiny,1,additive,ours,pairs_per_second; do
    grep -qE "^$row,[0-9.e+-]*[1-9]" out/results.csv || fail "no $row: $(cat out/results.csv)"
done

# The corpus has the vocabulary that was asked for, and all have learned from the same words.
same "words of the vocabularies, batches" "63 73 6" "$(head -n 1 out/data/batches-tiny)"
words=$(awk 'NF == 1 { batch++ } NF > 3 && batch > 2 { sum += $2 } END { print sum }' out/data/batches-tiny)
same "words that softalign learned from" "$words" "$(figure ours words)"
for python in python3 /usr/bin/python3; do
    $python -c 'import torch' 2>/dev/null || continue
    peer=$(OMP_NUM_THREADS=1 $python "$root/scripts/dev/bench/torch_peer.py" out/data/batches-tiny \
        --sizes 8 8 8 4 --warm 2 2>&1) || fail "torch_peer.py: $peer"
    same "words that PyTorch learned from" "$words" "${peer%% *}"
    break
done

before=$(cat out/records.tsv)
bench $options >report || fail "bench once more: $(cat err)"
same "what was measured again" "" "$(grep '^bench: [0-9]*:' err)"
same "records" "$before" "$(cat out/records.tsv)"

# Published: beside another processor's figures; what an older run measured stays, with its commit, unless it was
# measured again; no ratio mixes two runs.
mkdir published
sed 's/A Processor/Another/; s/,[^,]*,[^,]*$/,0ther00,2126-01-01/' out/results.csv >published/another.csv
{
    head -n 1 out/results.csv
    printf '%s,0lder00,2126-01-02\n' about,all,0,none,run,processor,'A Processor (Made up),,,' \
        speed,tiny,1,additive,ours,words_per_second,1,1,1,1 speed,toy,1,additive,ours,words_per_second,10,9,11,3 \
        speed,toy,1,additive,tuned,words_per_second,4,4,4,3 speed,toy,1,additive,stock,words_per_second,3,3,3,3 \
        speed,toy,2,additive,ours,words_per_second,10,9,11,3
    echo speed,toy,2,additive,tuned,words_per_second,5,5,5,3,0ldest0,2126-01-01
    echo about,all,0,none,run,processor,Nobody,,,,g0ne000,2026-01-01
} >published/a-processor-made-up.csv
bench $options --publish >report || fail "bench --publish: $(cat err)"
published=published/a-processor-made-up.csv
same "rows replaced" 0 "$(grep -cE '^speed,tiny,.*,0lder00|,g0ne000,' $published)"
same "rows kept" 6 "$(grep -cE ',0lder00,|,0ldest0,' $published)"
[ "$(grep -vcE ',0lder00,|,0ldest0,' $published)" -eq "$(wc -l <out/results.csv)" ] || fail "not all is published"
page=published/RESULTS.md
grep -qE '^\| TINY \| additive \| 1 \| [0-9,]+ \|.* \| [0-9,]+ \| [0-9.]+ \|' $page || fail "not side by side: $(cat $page)"
grep -q '^| TOY | additive | 1 | 10 | 4 | 2.50 x |' $page || fail "ratio of one run: $(cat $page)"
grep -q '^| TOY | additive | 2 | 10 | 5 | - |' $page || fail "ratio of two runs: $(cat $page)"
missed='^| training TOY to the best PyTorch, 1 thread | at least 3.5 x | \*\*missed: 2.50 x\*\* | not measured |'
grep -q "$missed A Processor (Made up): No cause is written down |$" $page || fail "no miss: $(cat $page)"
printf 'training TOY\tA Processor (Made up), 0lder00\tToo warm\n' >published/misses.tsv
"$root/scripts/dev/bench/page.py" published || fail page.py
grep -q "$missed A Processor (Made up): Too warm |$" $page || fail "no cause: $(cat $page)"
# A processor that was measured before kernels changed for the last time is only named.
sed 's/A Processor/An old one/; s/,[^,]*,[^,]*$/,0ld0000,2026-01-01/' out/results.csv >published/old.csv
"$root/scripts/dev/bench/page.py" published || fail page.py
grep -q '^- Not shown, .*: An old one (Made up), 2026-01-01\.$' $page || fail "not hidden: $(cat $page)"
same "lines about what is hidden" 1 "$(grep -c 'An old one' $page)"
rm published/old.csv
bench $options --publish >report || fail "bench --publish again: $(cat err)"
[ "$(wc -l <$published)" -eq $(($(wc -l <out/results.csv) + 6)) ] || fail "publishing twice adds rows"

# Not where a measurement failed; what an interrupted run left is in nobody's way.
mkdir broken
ln -s "$tools"/* broken
ln -sf /bin/false broken/timed
before=$(cat $published)
tools=$scratch/broken bench $options --only align --rounds 2 --publish >report && fail "a failed measurement is a success"
grep -q 'measurements that failed: 1; nothing is published' err || fail "it does not say why nothing is published: $(cat err)"
same "published figures" "$before" "$(cat $published)"
mkdir -p out/run out/side-1
touch out/run/best.safetensors out/side-1/best.safetensors

bench $options --quick --only start >report || fail "bench --quick: $(cat err)"
grep -q ' speed ' out/records.tsv && fail "records of other options are kept"
grep failed err && fail "a measurement after an interrupted one: $(cat err)"
bench --scales tiny --only scaling --rounds 1 --threads 1,2 >report || fail "bench --only scaling: $(cat err)"
grep -qE '^\| TINY \| 2( \| [0-9,]+){3} \| [0-9]+ % \|$' report || fail "no row of scaling: $(cat report)"

# What is missed by less than is shown is shown with one more digit.
mkdir close
{
    head -n 1 out/results.csv
    printf '%s,0lder00,2126-01-02\n' about,all,0,none,run,processor,'A Processor,,,' \
        scaling,toy,2,additive,threads,words_per_second,948,948,948,3 \
        scaling,toy,2,additive,runs,words_per_second,1000,1000,1000,3
} >close/a-processor.csv
"$root/scripts/dev/bench/page.py" close || fail page.py
grep -q '| at least 95 % | \*\*missed: 94.8 %\*\* | No cause' close/RESULTS.md || fail "94.8 %: $(grep '95 %' close/RESULTS.md)"

# A wrong file of pairs ends it before anything is measured.
bench --scales tiny --only align,tutorial --rounds 3 --threads 1 --tatoeba nowhere >report && fail "no pairs are taken"
same "no file of pairs" "bench: --tatoeba: corpus-tatoeba: cannot open 'nowhere'" "$(tail -n 1 err)"
finish
