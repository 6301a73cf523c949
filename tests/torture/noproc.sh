#!/bin/bash
# Commands in a mount namespace without /proc, as in a bare chroot: what they write is what they write with it.
#
#   tests/torture/noproc.sh SOFTALIGN
set -uo pipefail
softalign=$(realpath "$1")
export LC_ALL=C
if ! unshare --mount true 2>/dev/null; then
    echo "without /proc: no mount namespaces here: skipped"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir with without
cat >bare <<'END'
#!/bin/bash
umount -l /proc && [ ! -e /proc/self ] && exec "$@"
END
chmod +x bare

"$softalign" corpus mono --pairs 200 >mono.tsv
cut -f 1 mono.tsv >source.txt
good=0 cases=0
check() { # ARGUMENT...: DIR is the folder of the outputs
    local code=0
    cases=$((cases + 1))
    "$softalign" "${@//DIR/with}" >with/out 2>with/err </dev/null || code=$?
    unshare --mount ./bare "$softalign" "${@//DIR/without}" >without/out 2>without/err </dev/null
    if [ $? -eq $code ] && cmp -s with/out without/out; then
        good=$((good + 1))
    else
        echo "softalign $*: $(tail -n 1 without/err)"
    fi
}
tiny=(--embed 8 --hidden 8 --attn 8 --maxout 4 --shards 2 --steps 20 --valid-every 10 --max-time 0)
check --version
check corpus mono --pairs 10
check train --train mono.tsv --out DIR/recurrent "${tiny[@]}" --threads 2
check train --train mono.tsv --out DIR/transformer "${tiny[@]}" --threads 2 --model transformer --ffn 8 --heads 2
for model in recurrent transformer; do
    check translate DIR/$model/best.safetensors source.txt --threads 2 --beam 3
    check align DIR/$model/best.safetensors mono.tsv --threads 2 --pharaoh - --csv DIR/csv
    check eval DIR/$model/best.safetensors mono.tsv --threads 2
    check inspect DIR/$model/best.safetensors
done
check explain DIR/recurrent/best.safetensors "the king finds a queen ."
check gradcheck --embed 2 --hidden 2 --attn 2 --maxout 2 --batch 2
cases=$((cases + 1))
if diff -r with without -x log.csv -x err -x out -x .lock; then good=$((good + 1)); fi
echo "without /proc: $good/$cases"
[ $good -eq $cases ]
