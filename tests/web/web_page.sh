# The playground in a real browser: it opens from the disk in silence, learns after one click, does what it
# says by mouse and by keyboard, and what is pasted, dropped or linked stays text.
. tests/support/cli.sh
need "$chromium" node
build_playground
cmp playground.html <(sed 's/<html data-papers/<html/' playground/index.html) || fail "the folder has another page"
for stop in 1 2 3 4 5 6 7 8; do
    grep -q "<a href=\"index.html#stop=$stop\">" playground/first-steps.html && grep -q '<p class="question">[A-Z].*?</p>' playground/stop-$stop.html ||
        fail "no link to stop $stop, or no question to hand out"
    for language in de fr; do
        grep -q "<html lang=\"$language\">" playground/stop-$stop-$language.html &&
            grep -q "<a href=\"index.html#language=$language&amp;stop=$stop\">" playground/stop-$stop-$language.html ||
            fail "no hand-out of stop $stop in $language"
    done
    lesson=$(sed -n 's/.*<code>scripts\/lessons\/\(.*\)<.code>.*/\1/p' playground/stop-$stop.html)
    grep -qE "^\| .$lesson. .*[| ]$stop(,.*)? \|$" "$root/corpora/LESSONS.md" || fail "lesson $lesson does not name its stop $stop"
done

# ---- Files that are too large or damaged, and texts that would like to be more

for i in $(seq 3000); do echo "The rain had stopped, and nobody in the house had noticed."; done >novel.txt
head -c 1000000 /dev/zero | tr '\0' a >endless.txt
yes "$(printf 'a\tb')" | head -n 1000000 >million.tsv
for i in $(seq 50); do printf 'a\tb\xff\xfe\n'; done >broken.tsv
printf 'a\tb\nc\td\n' >few.tsv
payload_pairs >bad.tsv
"$softalign" corpus reorder --pairs 300 >pairs.tsv
"$softalign" train --train pairs.tsv --out made --embed 8 --hidden 8 --attn 4 --maxout 4 --steps 3 >out 2>err ||
    fail "train: $(cat err)"
"$softalign" train --train bad.tsv --tokenizer space --min-freq 1 --out evil --embed 8 --hidden 8 --attn 4 --maxout 4 --steps 1 >out 2>err ||
    fail "train: $(cat err)"
head -c 3000 made/best.safetensors >damaged.safetensors

node "$root/tests/web/page.js" playground.html . || fail "page.js"
finish
