# softalign-mpi: the bits of one process at any number of them; stops, kills and refusals.
. tests/support/cli.sh
. "$root/tests/support/mpi.sh"

train() { # COUNT ARGUMENT...
    mpi "$1" train "${@:2}" || fail "mpirun -n $1 softalign-mpi train ${*:2}: $(cat err)"
}

"$softalign" corpus mono --pairs 260 >mono.tsv
head -n 2 mono.tsv >watched.tsv
# 60,000 weights: several blocks. Hard attention keeps a baseline, the loss of all shards.
options="--train mono.tsv --attention hard --embed 32 --hidden 48 --attn 8 --maxout 16 --shards 5 --dropout 0.1 \
    --valid-every 5 --max-time 0 --patience 0 --clip 0.5"

# ---- The same bits ------------------------------------------------------------------------------

"$softalign" train $options --steps 12 --threads 1 --out whole --snapshots watched.tsv 2>err || fail "train: $(cat err)"
[ "$(sed -n 's/^model: \([0-9]*\) weights.*/\1/p' err)" -gt 40000 ] || fail "too small for two blocks: $(cat err)"
for count in 1 2 3 4 7; do
    for threads in 1 2; do
        [ $((count + threads)) -lt 9 ] || continue
        rm -rf parts
        train $count $options --steps 12 --threads $threads --out parts --snapshots watched.tsv --html parts.html
        for file in last best; do
            cmp whole/$file.safetensors parts/$file.safetensors || fail "$count processes, $threads threads: another $file"
        done
        diff -r whole/film parts/film >/dev/null || fail "$count processes: another film"
        grep -q "5 shards, $count process.* on 1 host, each with $threads thread" err || fail "$count: $(cat err)"
        [ "$(grep -c '^ended (steps) after 12 steps' err)" -eq 1 ] || fail "$count processes: $(cat err)"
        [ -s parts.html ] || fail "$count processes write no page"
    done
done
# log.csv without times and speed
cut -d, -f1,2,5,7- whole/log.csv >expected
cut -d, -f1,2,5,7- parts/log.csv | diff expected - >/dev/null || fail "another log"

# More processes than shards, small batches with fewer shards yet, penalties, means, a Transformer.
other="--model transformer --train mono.tsv --embed 16 --ffn 16 --layers 1 --heads 2 --shards 3 --weight-decay 0.01 \
    --batch-tokens 90 --valid-every 4 --average 2 --criterion chrf --max-time 0 --patience 0"
"$softalign" train $other --steps 9 --out solo 2>err || fail "train: $(cat err)"
train 4 $other --steps 9 --out four
for file in last best average; do
    cmp solo/$file.safetensors four/$file.safetensors || fail "the Transformer has another $file"
done

# Other random draws, other arithmetic: one process of three has a single shard.
for more in "--tokenizer bpe --bpe-merges 40 --tie two-way" "--precision bf16 --word-dropout 0.1 --dropout-state 0.1" \
    "--model decoder --prefix full --ffn 16 --heads 2" "--attention general --optimizer sgd --guided-alignment 0.3" "--decoder cgru --cell-norm --label-smoothing 0.1 --optimizer adadelta --dropout 0.1"; do
    rm -rf solo three
    "$softalign" train --train mono.tsv --embed 16 --hidden 16 --attn 8 --maxout 16 --shards 4 --valid-every 4 --max-time 0 \
        --patience 0 --steps 8 --threads 1 $more --out solo 2>err || fail "train $more: $(cat err)"
    train 3 --train mono.tsv --embed 16 --hidden 16 --attn 8 --maxout 16 --shards 4 --valid-every 4 --max-time 0 \
        --patience 0 --steps 8 $more --out three
    for file in last best; do
        cmp solo/$file.safetensors three/$file.safetensors || fail "$more: another $file"
    done
done

# ---- Stops --------------------------------------------------------------------------------------

rm -rf parts
train 3 $options --steps 4 --out parts
train 2 $options --steps 7 --resume --out parts --threads 2
"$softalign" train $options --steps 9 --resume --out parts 2>err || fail "resume alone: $(cat err)"
train 4 $options --steps 12 --resume --out parts
cmp whole/last.safetensors parts/last.safetensors || fail "resumed on other counts, it ends elsewhere"

rm -rf parts
train 2 ${options/--max-time 0/--max-time 1} --epochs 1000 --out parts
grep -q '^ended (time) after' err || fail "--max-time: $(cat err)"
[ "$(tr -dc '\r' <err | wc -c)" -eq 0 ] || fail "progress in a file has carriage returns"

# begin: an endless training in the background, past its first validation; $job is mpirun.
begin() {
    rm -rf parts
    mpirun --oversubscribe -q -n 3 "$mpi" train $options --epochs 100000 --out parts >out 2>err </dev/null &
    job=$!
    for _ in $(seq 600); do
        [ ! -e parts/last.safetensors ] || return
        sleep 0.1
    done
    fail "no validation: $(cat err)"
}

# ended HOW: what parts holds is a whole training, which goes on to the bits of one never disturbed.
ended() {
    local steps
    steps=$(tail -n 1 parts/log.csv | cut -d, -f2)
    steps=$((steps + 6)) # a stop may come up to the next validation
    [ -e "whole.$steps" ] || "$softalign" train $options --steps $steps --out "whole.$steps" 2>err || fail "train: $(cat err)"
    train 2 $options --steps $steps --resume --out parts
    cmp "whole.$steps/last.safetensors" parts/last.safetensors || fail "$1: the resumed training ends elsewhere"
}

begin
kill -TERM "$(pgrep -P "$job" | tail -n 1)"
wait "$job"
same "SIGTERM" 143 $?
[ "$(grep -c '^ended (stopped) after' err)" -eq 1 ] || fail "SIGTERM: $(cat err)"
ended SIGTERM

for i in 1 2 3 4 5; do
    begin
    sleep 0.$((RANDOM % 5))
    kill -KILL "$(pgrep -P "$job" | shuf -n 1)"
    wait "$job"
    same "SIGKILL" 137 $?
    ended "SIGKILL $i"
done

# The example for Slurm, without Slurm: a second job resumes.
for steps in 6 12; do
    rm -f err
    PATH=$(dirname "$mpi"):$PATH SLURM_CPUS_PER_TASK=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        bash "$root/scripts/softalign-mpi.sbatch" train $options --steps $steps --out job >out 2>err </dev/null ||
        fail "softalign-mpi.sbatch: $(cat err)"
done
grep -q 'with 1 thread, resumed$' err || fail "softalign-mpi.sbatch does not resume: $(cat err)"
cmp whole/last.safetensors job/last.safetensors || fail "softalign-mpi.sbatch trains another model"

# ---- Refusals -----------------------------------------------------------------------------------

refused 3 6 "'parts' holds a training (last.safetensors): --resume continues it, --overwrite replaces it" train $options --out parts
refused 3 4 "cannot open 'none.tsv': No such file or directory" train --train none.tsv --out none
refused 2 2 "train: unknown option '--trian' (did you mean '--train'?)" train --trian mono.tsv
refused 2 2 "unknown command 'translate'; 'softalign-mpi help' lists all" translate whole/best.safetensors
refused 2 2 "'-': standard input does not reach all processes: write it to a file" train --train - --out none
refused 2 4 "cannot create 'mono.tsv/none': Not a directory" train $options --out mono.tsv/none
SLURM_PROCID=1 SLURM_NTASKS=4 "$mpi" train $options --out none 2>err
same "a bare srun" 2 $?
same "a bare srun, not the first process" "" "$(cat err)"
SLURM_PROCID=0 SLURM_NTASKS=4 "$mpi" train $options --out none 2>err
same "a bare srun" 2 $?
same "a bare srun" "softalign-mpi: Slurm has 4 tasks here, but this process is not connected to the others: start it by \
'mpirun softalign-mpi ...' or 'srun --mpi=pmix softalign-mpi ...'" "$(cat err)"
[ ! -e none ] || fail "a refused training made its folder"

# Processes that were not started alike.
head -n 120 mono.tsv >some.tsv
tac some.tsv >backwards.tsv
cut -f 1,2 some.tsv >two.tsv
cut -f 3 some.tsv >links.txt
sed 's/^0-0/0-1/' links.txt >other.txt
both="train --out unequal --embed 4 --hidden 4 --attn 4 --maxout 4 --shards 2 --steps 4 --valid-every 2"
unequal "" "$both --train some.tsv --snapshots watched.tsv" "$both --train ./some.tsv --threads 2"
unequal "other training pairs or alignments than the rest" "$both --train some.tsv" "$both --train backwards.tsv"
unequal "other validation pairs than the rest" "$both --train some.tsv --valid mono.tsv" "$both --train some.tsv --valid some.tsv"
unequal "other training pairs or alignments than the rest" "$both --train two.tsv --guided-alignment 1 --alignments links.txt" \
    "$both --train two.tsv --guided-alignment 1 --alignments other.txt"
for option in "--seed 2" "--dropout 0.5" "--shards 3" "--steps 3"; do
    unequal "another ${option% *} than the rest" "$both --train some.tsv" "$(sed "s/ ${option% *} [0-9]*//" <<<"$both") --train some.tsv $option"
done
unequal "another command than the rest" "$both --train some.tsv" "help train"
refused 2 2 "there is no 'softalign-mpi compare' any more: 'softalign compare' joins runs that several machines have trained" compare --train some.tsv
unequal "'-': standard input does not reach all processes: write it to a file" "$both --train some.tsv" "$both --train -"
unequal "train: unknown option '--trian' (did you mean '--train'?)" "$both --train some.tsv" "$both --trian some.tsv"
"$softalign" ${both/unequal/mine} --train some.tsv 2>err || fail "train: $(cat err)"
cp -r mine yours
rm yours/best.safetensors
unequal "another training to be resumed than the rest" "${both/unequal/mine} --train some.tsv --resume" "${both/unequal/yours} --train some.tsv --resume"
"$softalign" ${both/unequal/yours} --lr 0.1 --train some.tsv --overwrite 2>err || fail "train: $(cat err)"
unequal "another --lr than the rest" "${both/unequal/mine} --train some.tsv --resume" "${both/unequal/yours} --train some.tsv --resume"

# Kernels of two kinds, where OpenBLAS has them.
case $("$softalign" --version) in
*DYNAMIC_ARCH*SkylakeX* | *DYNAMIC_ARCH*Cooperlake* | *DYNAMIC_ARCH*SapphireRapids*)
    mpirun --oversubscribe -q -n 1 "$mpi" train $options --out none : \
        -n 1 -x OPENBLAS_CORETYPE=Haswell "$mpi" train $options --out none >out 2>err </dev/null
    same "two kinds of kernels" 2 $?
    grep -q "^softalign-mpi: process 0 on '.*; .*, fused, .*) and process 1 on '.*; Haswell, fused, .*) would not compute the same bits" err ||
        fail "two kinds of kernels: $(cat err)"
    ;;
esac

# Another build of the program.
flip=$(dirname "$softalign")/tests/mpi_bit_flip
mpirun --oversubscribe -q -n 1 "$mpi" train $options --out none : -n 1 "$flip" train $options --out none >out 2>err </dev/null
same "two programs" 2 $?
grep -q "would not compute the same bits" err || fail "two programs: $(cat err)"

# A process whose memory fails.
rm -rf parts
mpirun --oversubscribe -q -n 3 "$flip" train $options --steps 12 --out parts >out 2>err </dev/null
same "a flipped bit" 1 $?
grep -q "^softalign-mpi: process 2 on '.*' has other weights than the rest after update 10: " err || fail "a flipped bit: $(cat err)"
"$softalign" train $options --steps 12 --resume --out parts 2>err || fail "resume: $(cat err)"
cmp whole/last.safetensors parts/last.safetensors || fail "a flipped bit came into the saved training"

"$mpi" help >out 2>err || fail "help: $(cat err)"
same "the commands" "train help" "$(echo $(sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p' out))"
finish
