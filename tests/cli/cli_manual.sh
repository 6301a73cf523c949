# The manual pages that the build makes: every command has one, every option is in its page, every
# public function in softalign(3), and mandoc and groff read all of them without a warning.
. tests/support/cli.sh
manual=$(dirname "$softalign")/man
[ -f "$manual/man1/softalign.1" ] || fail "the build made no manual pages"

# plain FILE: the page as text without any markup, roff's escapes undone.
plain() {
    sed -E 's/\\f[A-Z]//g; s/\\([-e&])/\1/g; s/\\\(aq/'\''/g; s/^\.(SS|SH|TP|IP) *//' "$1"
}

commands=$("$softalign" help | sed -n '/^Commands:$/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 15 ] || fail "commands: $commands"
options=0
for command in $commands; do
    page=$manual/man1/softalign-$command.1
    [ -f "$page" ] || { fail "no page of $command" && continue; }
    python3 "$root/scripts/dev/manual/markdown.py" "$softalign" "$command" >source
    same "the page's source" "# softalign-$command 1" "$(head -n 1 source)"
    plain "$page" >text
    "$softalign" help "$command" | sed -n 's/^  \(--[a-z][a-z0-9-]*\).*/\1/p' >offered
    options=$((options + $(wc -l <offered)))
    sed -n 's/^\(--[^ ]*\).*/\1/p' text >described
    for option in $(grep -vxF -f described offered); do fail "softalign-$command(1) says nothing of $option"; done
    grep -qF "softalign-$command" <(plain "$manual/man1/softalign.1") || fail "softalign(1) does not name $command"
done

# The rows of the history bear the names and years of the rows of equations and options.
cat "$manual"/man1/softalign-{train,attend}.1 | plain /dev/stdin | tr -s '\n ' ' ' >cited
rows=$root/scripts/lessons/history.tsv
while IFS=$'\t' read -r year name _; do
    who=$(sed -n 's/.*(\([A-Z][a-z]*\).*/\1/p' <<<"$name")
    [ -z "$who" ] || grep -qE "$who[^;)]{0,40}$year" cited || fail "$rows: no row of the manual cites $who $year"
done <"$rows"
# The formulas of scores, normalizers and positions there are the program's own, which say more: with q and k for their maps and
# without indices, their signs stand in the same order in it.
python3 "$root/scripts/dev/manual/markdown.py" "$softalign" train >options
awk -F '\t' '
    function plain(text) {
        gsub(/phi\(W_a s\)/, "phi(q)", text)
        gsub(/phi\(U_a h_j\)/, "phi(k)", text)
        gsub(/\(W_a s\)|W_a s/, "q", text)
        gsub(/\(U_a h_j\)|U_a h_j/, "k", text)
        gsub(/_(ij|i|j|k)/, "", text)
        return tolower(text)
    }
    # Whether the signs of the one are signs of the other, in this order.
    function follows(one, other,    place) {
        while (match(one, /[a-z]+|[0-9]+|[^ ]/)) {
            place = index(other, substr(one, RSTART, RLENGTH))
            if (!place) return 0
            other = substr(other, place + RLENGTH)
            one = substr(one, RSTART + RLENGTH)
        }
        return 1
    }
    FNR == NR && /^### / { part = match($0, /--[a-z]+/) ? substr($0, RSTART + 2, RLENGTH - 2) : "" }
    FNR == NR && /^`/ { name = substr($0, 2, length($0) - 2) }
    FNR == NR && /^: / { formula[part, name] = substr($0, 3) }
    FNR == NR { next }
    {
        part = match($3, /(normalizer|positions)=/) ? substr($3, RSTART, RLENGTH - 1) : "attention"
        name = part == "attention" ? $3 : substr($3, RSTART + RLENGTH)
        sub(/^[a-z]+:/, "", name)
        if (!((part, name) in formula)) next
        known++
        if (!follows(plain($4), plain(formula[part, name]))) print $3 ": " $4 ", in the program: " formula[part, name]
    }
    END { if (known < 20) print "only " known " formulas were looked for" }' options "$rows" >wrong
[ ! -s wrong ] || fail "$rows: $(cat wrong)"
for file in $(cut -f 8 "$rows") $(cut -f 7 "$rows" | sed 's/^/scripts\/lessons\//'); do
    [ -f "$root/$file" ] || fail "$rows: there is no $file"
done

# No document speaks of an option that does not exist.
for command in $commands; do "$softalign" help "$command"; done | grep -oE '^  --[a-z][a-z0-9-]*' | tr -d ' ' >known
printf '%s\n' --help --version --name --install --build --quick --only --long --seconds --short --no-answers --missed --report \
    --test-dir --preset --cflags --libs --static --data --language --root --no-install-recommends --merge --playground --pyodide --package --upgrade --tests --browsers --mpi --mca --map-by --bind-to --enable-recovery --prefix --try --twice --container --tutorial --final --state --work --publish --headless --convert-to --infilter --again --sanitized >>known
(cd "$root" && grep -oE '(^|[^a-zA-Z0-9/_-])--[a-z][a-z0-9-]*' README.md corpora/*.md scripts/dev/manual/*.md \
    scripts/dev/{bench/README,quality/QUALITY,quality/SEARCH}.md tests/README.md src/*/*.md) |
    sed 's/:[^-]*--/: --/' >named
sed 's/\\-/-/g' "$root/scripts/dev/manual/softalign-model.5" | grep -oE '(^|[^a-z-])--[a-z][a-z0-9-]*' |
    sed 's/^[^-]*--/softalign-model.5: --/' >>named
(cd "$root" && grep -rhE --include='*.[ch]' '"[^"]*\{[a-z][a-z0-9_]*\}' src | grep -vE '\{(table|tabular)\}' | grep -oE '\{[a-z][a-z0-9_]*\}') |
    tr _ - | sed 's/{\(.*\)}/setting: --\1/' >>named
[ "$(wc -l <named)" -ge 200 ] || fail "only $(wc -l <named) options are named in documents"
awk 'FNR == NR { known[$0]; next } !($2 in known)' known <(sort -u named) >unknown
[ ! -s unknown ] || fail "options that do not exist: $(cat unknown)"

[ $options -ge 250 ] || fail "only $options options were looked for"

functions=$(sed -n 's/^[a-z].*[ *]\(sa_[a-z0-9_]*\)(.*/\1/p' "$root"/include/softalign.h "$root"/include/softalign/*.h)
[ "$(wc -w <<<"$functions")" -ge 80 ] || fail "functions: $functions"
plain "$manual/man3/softalign.3" | grep -oE '[A-Za-z0-9_]+' >words
for name in $(tr ' ' '\n' <<<"$functions" | grep -vxF -f words); do fail "softalign(3) does not name $name"; done

# Every tensor of a model is in softalign-model(5). In its lists W* stands for the matrices
# of all gates, and "prefix.W_1, b_1" for two names.
page=$manual/man5/softalign-model.5
plain "$page" | sed -n '/^TENSORS$/,/^FORWARD PASS$/p' | grep -oE '^[a-zA-Z.0-9_]+\.[A-Za-z_0-9]+[*]?((,|;) [a-zA-Z_0-9.*]+)*' |
    awk '{ gsub(/[,;]/, "")
           for (i = 1; i <= NF; i++) {
               name = $i ~ /[.]/ ? $i : prefix $i
               prefix = name
               sub(/[^.]*$/, "", prefix)
               print name
           } }' >documented
[ "$(wc -l <documented)" -ge 50 ] || fail "softalign-model(5) lists $(wc -l <documented) tensors"
"$softalign" corpus mono --pairs 60 >tiny.tsv
sizes="--embed 4 --hidden 4 --attn 4 --maxout 4 --ffn 4 --steps 1 --layers 2 --heads 2"
tensors() { # OPTION...: of such a model, numbers of layers and gates made general
    case $* in *--positions*) ;; *) set -- "$@" --positions learned ;; esac
    "$softalign" train --train tiny.tsv --out tiny --overwrite $sizes "$@" 2>/dev/null || echo "train $*"
    "$softalign" inspect tiny/last.safetensors --json >tiny.json
    sed -n 's/.*"name": "\([^"]*\)".*/\1/p' tiny.json
}
for model in '--cell gru --window local-p --decoder-layers 2' '--decoder cgru --cell lstm --cell-norm --input-feeding --average 2' \
    '--decoder fixed --cell rnn' '--tokenizer bpe --attention location' \
    '--model transformer --window local-p' '--model transformer --norm post --attention general' \
    '--model transformer --positions shaw' '--model transformer --attention differential'; do
    tensors $model
done | sort -u | sed -E 's/^(encoder|decoder)\.[0-9]+\.(self|cross)/ATTENTION/
    s/^(encoder|decoder)\.[0-9]+\.feedforward/encoder.1.feedforward/
    s/^encoder\.[0-9]+\.(forward|backward)/encoder.2.\1/
    /^(encoder|decoder)\..*\.norm\.[gb]$/s/.*\.([WUC](_[zrifo])?|m)\.norm/cell.norm/
    /^(encoder|decoder)\.(2\.)?(forward|backward|second|)\.?[WUCb](_[zrifo])?$/s/[WUCb](_[zrifo])?$/&*/
    s/(_[zrifo])?\*$/*/' | sort -u >used
[ "$(wc -l <used)" -ge 60 ] || fail "models have only $(wc -l <used) kinds of tensors"
plain "$page" | grep -owE '(optimizer|training|average)\.[a-z]+|(source|target)\.(words|merges|spaces)|checksum' >>documented
grep -vxF -f documented used | grep -vE '^cell\.norm\.[gb]$' >unknown
[ ! -s unknown ] || fail "softalign-model(5) does not list $(cat unknown)"

cmake --install "$(dirname "$softalign")" --prefix "$PWD/installed" >log 2>&1 || fail "$(tail -n 3 log)"
for page in man1/softalign.1 man1/softalign-train.1 man3/softalign.3 man5/softalign-model.5; do
    cmp "$manual/$page" "installed/share/man/$page" || fail "$page is not installed"
done

if has mandoc; then
    mandoc -Tlint "$manual"/man?/* >log 2>&1
    [ ! -s log ] || fail "mandoc: $(head log)"
fi
if command -v groff >/dev/null; then # as man calls it
    for page in "$manual"/man?/*; do
        groff -K utf-8 -t -mandoc -ww -rLL=80n -Tutf8 "$page" 2>log >shown
        [ ! -s log ] || fail "groff: ${page##*/}: $(head log)"
        [ "$(wc -l <shown)" -ge 20 ] || fail "groff shows $(wc -l <shown) lines of ${page##*/}"
    done
else
    lacks groff
fi
finish
