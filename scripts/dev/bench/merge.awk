# A processor's older figures and those of a new run: what was measured again, part by part, size by size and
# for each number of threads, replaces the older figures whole, since ratios hold within one run only. The rest
# stays, with its own commit and date.
#
#   awk -f merge.awk NEW.csv OLD.csv NEW.csv

function group() { return $1 FS $2 FS $3 }
function run() { return $11 FS $12 }

BEGIN { FS = "," }
FNR == 1 { file++ }
FNR == 1 && file == 1 { print }
FNR == 1 { next }
file == 1 {
    if ($1 != "about") again[group()]
    runs[run()]
    next
}
file == 2 && $1 == "about" {
    if (!(run() in runs)) about[++facts] = $0
    next
}
file == 2 && !(group() in again) {
    kept[++rows] = $0
    remaining[run()]
}
file == 3 && FNR == 2 {
    for (i = 1; i <= facts; i++) {
        split(about[i], field)
        if ((field[11] FS field[12]) in remaining) print about[i]
    }
    for (i = 1; i <= rows; i++) print kept[i]
}
file == 3 { print }
