# What corpora/LESSONS.md says to type for examples of introductory articles: every row of its tables runs and
# prints the numbers of its last column, every solution's commands print numbers that were computed elsewhere, and
# a Transformer that has learned `context` gives the articles' words the sense of their context.
. tests/support/cli.sh

lessons="$PWD/the lessons" stories=$root/corpora/stories
mkdir "$lessons" bin
ln -s "$softalign" bin/softalign
PATH=$PWD/bin:$PATH
updates() { echo "--steps $1 --epochs 0 --patience 0 --max-time 0 --shards 2"; }
export lessons stories
export -f updates

# commands: the blocks of commands in a text.
commands() { awk '/^```/ { inside = $0 == "```sh" && !inside; next } inside'; }
page() { awk '/^## / { inside = /^## (01b|Introductory)/ } inside' "$root/corpora/LESSONS.md"; }

# digits: every number with ten of its digits, so that the last ones may differ between machines.
digits() {
    awk -F , -v OFS=, '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9.]+(e-?[0-9]+)?$/) $i = sprintf("%.10g", $i); print }'
}

page | commands >run
{ bash -euo pipefail run || fail "the blocks of commands end with $?: $(tail -n 3 err)"; } 2>err | digits >out

# How often they print which line.
while read -r times line; do
    same "times that the solutions print $line" "$times" "$(grep -cxF -e "$line" out)"
done <<'LINES'
1 anna,1500.251555
1 lea,3.5,3.5,3.5
1 warm,46.25940381,4.710236396
2 the,0.7989726093,0.6545782875,0.6934119017
2 animal,0.9840850331,0.1332601301,0.898530452
2 was,0.9577188404,0.1567270253,0.9275523123
2 tired,0.9525741268,0.7565681421,0.3255288225
2 the,2.146962799,4.371592825,-0.1165008424
2 animal,2.015875615,5.562291874,-2.295810966
2 was,2.041998178,5.62564693,-2.312475861
2 tired,2.034671091,3.207263544,1.293117959
3 the,0.5428000955,0.7619191465,1.042921137
3 animal,0.2396315581,1.520736884,0.4218398326
3 was,0.5,1.140457476,0.5393137865
4 tired,0.1900969819,1,1.498057003
1 variance 4
1 variance 1
1 30
1 7
2 25.5
LINES
for line in "nous voulons acheter de la pomme cette semaine pour le gâteau." \
    "nous voulons acheter apple cette semaine pour les actionnaires."; do
    grep -qxF "$line" out || fail "no translation is '$line'"
done

# Each printed matrix has the error that the solution says, and no other.
cd "$lessons/articles" || exit 1
weights() { softalign attend "$@" | sed '1,/# weights/d;/^$/,$d' | awk -F , -v OFS=, '
    NR > 1 { for (i = 2; i <= NF; i++) $i = sprintf("%.3f", $i) } { print }'; }
transposed() { awk -F , '{ for (i = 1; i <= NF; i++) cell[NR, i] = $i } END {
    for (i = 1; i <= NF; i++) for (k = 1; k <= NR; k++) printf "%s%s", cell[k, i], k < NR ? "," : "\n" }'; }
same "edition a" "$(weights --self words.csv)" "$(cat printed-a.csv)"
same "edition c" "$(weights --self words.csv --causal --attention raw-dot)" "$(cat printed-c.csv)"
same "edition d" "$(weights --self words.csv --causal | transposed)" "$(cat printed-d.csv)"
same "edition b" "tired,0.348,0.193,0.360,1.000" "$(tail -n 1 printed-b.csv)"

# The rows of the tables: a command and the numbers that it prints, in backquotes.
rows=0
while IFS= read -r row; do
    IFS='`' read -ra cells <<<"$row"
    case ${cells[1]} in
    scripts/lessons/*) [ -x "$root/${cells[1]%% *}" ] || fail "there is no ${cells[1]}" && continue ;;
    esac
    rows=$((rows + 1))
    bash -euo pipefail -c "${cells[1]}" >out 2>err || fail "${cells[1]}: $(cat err)"
    for ((i = 3; i < ${#cells[@]}; i += 2)); do
        [[ ${cells[i]} =~ ^[0-9] ]] || continue
        grep -qF -e "${cells[i]}" out || fail "${cells[1]} does not print ${cells[i]}"
    done
done < <(page | grep '^| .*`')
[ $rows -ge 17 ] || fail "only $rows rows have a command"

finish
