# align's tables in R, pandas, LibreOffice and Excel: the recipes of the manual on words that repeat and words that look
# like something else.
. tests/support/cli.sh
printf 'the cat NA the =1 007\tle chat null le "x;y" 3.5\nthé cat\tle chat\n' >pairs.tsv
printf '0-0 3-3\n0-0 1-1\n' | paste pairs.tsv - >gold.tsv
mark=$'\xef\xbb\xbf'
tables() { "$softalign" align-words gold.tsv --model 1 --tokenizer space --csv matrices --tidy attention.csv "$@" 2>err || fail "align-words $*: $(cat err)"; }

# For spreadsheets: a byte order mark; with semicolons every word in quotes and decimal commas.
tables
cp matrices/0001.csv plain.csv
cp attention.csv plain.tidy.csv
tables --spreadsheet
diff matrices/0001.csv <(printf %s "$mark" && cat plain.csv) || fail "--csv --spreadsheet"
sed "1s/^$mark//" attention.csv | diff - <(sed "s/,=1,/,'=1,/" plain.tidy.csv) || fail "--tidy --spreadsheet"
head -c 3 attention.csv | cmp - <(printf %s "$mark") || fail "no byte order mark: $(head -n 1 attention.csv)"
tables --spreadsheet --semicolons
if has python3; then
    python3 - <<'END' || fail "semicolons"
import csv
def rows(path, **how):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, **how))
def number(cell):
    try:
        return float(cell)
    except ValueError:
        return None
first, other = rows("plain.csv"), rows("matrices/0001.csv", delimiter=";")
assert first[0] == other[0] and "x;y" in [row[0].strip('"') for row in other], other
for one, two in zip(first[1:], other[1:], strict=True):
    assert one[0] == two[0] and [number(cell) for cell in one[1:]] == [number(cell.replace(",", ".")) for cell in two[1:]]
first, other = rows("plain.tidy.csv"), rows("attention.csv", delimiter=";")
assert first[0] == other[0]
for one, two in zip(first[1:], other[1:], strict=True):
    for name, a, b in zip(first[0], one, two, strict=True):
        assert a == (b.lstrip("'") if name in ("target", "source", "id") else b.replace(",", ".")), (name, a, b)
END
fi
grep -q '"3.5";0,' matrices/0001.csv || fail "a word that is a number has changed: $(cat matrices/0001.csv)"
expect 2 "--spreadsheet needs --csv or --tidy" align-words gold.tsv --spreadsheet --pharaoh -
expect 2 "--semicolons needs --spreadsheet" align-words gold.tsv --semicolons --csv matrices

there() {
    command -v "$1" >/dev/null || {
        echo "$1 is not installed: its recipe is skipped"
        skipped=77
        return 1
    }
}

# recipe WORD: the example of the manual that has it.
recipe() {
    awk -v word="$1" '/^```/ { if (on && index(text, word)) printf "%s", text; on = !on; text = ""; next } on { text = text $0 "\n" }' \
        "$root/scripts/dev/manual/softalign-align.1.md"
}
tables
words='le chat null le "x;y" 3.5 </s>' columns="the cat NA the '=1 007 </s>"
if there Rscript; then
    { recipe 'read.csv("matrices' && echo 'cat(rownames(weights), "\n"); cat(colnames(weights), "\n")
        stopifnot(abs(weights[1, 1] - weights[1, 4]) < 1e-9, is.numeric(weights))'; } >heatmap.R
    Rscript --vanilla heatmap.R >out 2>err || fail "R: $(cat err)"
    same "words in R" "$words $columns" "$(sed 's/ *$//' out | xargs -d '\n')"
    { recipe 'tapply(' && echo 'stopifnot(nrow(table) == 58, table$source[3] == "NA")'; } >tidy.R
    Rscript --vanilla tidy.R >out 2>err || fail "R, long table: $(cat err)"
    same "mean weight in R" "$(awk -F , '$10 == 1 { sum += $7; n++ } END { printf "%.5f", sum / n }' plain.tidy.csv)" \
        "$(awk 'NR == 2 { printf "%.5f", $1 }' out)"
fi
for python in python3 /usr/bin/python3 ""; do
    "$python" -c "import pandas" 2>/dev/null && break
done
if [ "$python" ]; then
    { recipe 'pandas.read_csv("matrices' && echo 'print(*weights.index); print(*weights.columns)
assert abs(weights.iloc[0, 0] - weights.iloc[0, 3]) < 1e-9'; } >heatmap.py
    $python heatmap.py >out 2>err || fail "pandas: $(cat err)"
    same "words in pandas" "$words $columns" "$(xargs -d '\n' <out)"
    { recipe 'pandas.read_csv("attention' && echo 'assert len(table) == 58 and table.source[2] == "NA"'; } >tidy.py
    $python tidy.py >out 2>err || fail "pandas, long table: $(cat err)"
else
    there pandas
fi
if has python3 && there soffice; then
    recipe 'soffice' | sed -n "/^soffice/s|^soffice|& -env:UserInstallation=file://$scratch/office|p" >convert.sh
    sh convert.sh >out 2>err || fail "LibreOffice: $(cat err)"
    python3 - <<'END' || fail "LibreOffice"
import re, zipfile
content = zipfile.ZipFile("0001.ods").read("content.xml").decode()
cells = re.findall(r'<table:table-cell[^>]*?(?:/>|>(?:<text:p>(.*?)</text:p>)?</table:table-cell>)', content)
cells = [cell.replace("&apos;", "'") for cell in cells]
assert cells[1:8] == ["the", "cat", "NA", "the", "'=1", "7", "</s>".replace("<", "&lt;").replace(">", "&gt;")], cells[:9]
first = float(open("plain.csv").read().split("\n")[1].split(",")[1])
assert re.search(r'<text:p>le</text:p></table:table-cell><table:table-cell[^>]*office:value="([^"]*)"', content)[1][:8] == str(first)[:8]
END
fi
finish
