# Reads the results of processors, a CSV file each, for page.awk and plot.awk.
#
# `p` is the processor at hand. A figure is named by its key; ratios are made within one run only. `run_read` is
# the run of the figure that was read last.

function key(part, scale, threads, attention, who, quantity) {
    return p FS part FS scale FS threads FS attention FS who FS quantity
}
function get(k) {
    if (!(k in value)) return ""
    run_read = run[k]
    return value[k]
}
function ratio(a, b) {
    if (!(a in value) || !(b in value) || run[a] != run[b] || !value[b]) return ""
    return get(a) / get(b)
}
function larger(a, b) { return !(b in value) || (a in value && value[a] >= value[b]) ? a : b }

function trained(who) { return key("speed", scale, threads, attention, who, "words_per_second") }
function best_trained() { # the fastest of PyTorch's configurations
    return larger(larger(trained("tuned"), trained("split")), larger(trained("stock"), trained("default")))
}
function in_bf16(who) { return key("bf16", scale, threads, "additive", who, "words_per_second") }
function has_bf16(    k) { # measured, and not by the emulation
    k = in_bf16("ours")
    return k in value && about[p, run[k], "bf16"] != "emulated"
}
function translated(search, who) { return key("decode", scale, threads, search, who, "sentences_per_second") }
function best_translated() { return larger(translated("greedy", "tuned-" batch), translated("greedy", "split-" batch)) }

function group(x,    text) { # 36804.2 is 36,804
    text = sprintf("%.0f", x)
    while (match(text, /[0-9][0-9][0-9][0-9](,|$)/)) text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
    return text
}
function whole(x) { return x == "" ? "" : group(x) }
function show(x, digits) { return x == "" ? "" : sprintf("%." digits "f", x) }
function times(x) { return x == "" ? "" : sprintf("%.2f x", x) }
function percent(x) { return x == "" ? "" : sprintf("%.0f %%", 100 * x) }

# Names of processors, their runs in the order of the rows, and what each run has measured.
function note_run(name) {
    if (!((p, name) in run_number)) {
        run_number[p, name] = ++run_count[p]
        run_name[p, run_count[p]] = name
    }
    return run_number[p, name]
}

function note_part(r, text) {
    if (!((p, r, $1) in scales_of)) parts_of[p, r] = parts_of[p, r] (parts_of[p, r] == "" ? "" : " ") $1
    if (index(" " scales_of[p, r, $1] " ", " " text " ")) return
    scales_of[p, r, $1] = scales_of[p, r, $1] (scales_of[p, r, $1] == "" ? "" : " ") text
}

BEGIN {
    FS = ","
    split("tiny toy course paper", scale_name, " ")
    split("additive dot", score_name, " ")
}
FNR == 1 {
    p = ++processors
    next
}
{ r = note_run($11 ", " $12) }
$1 == "about" {
    if ($6 == "processor") name[p] = $7
    gsub(/;/, ",", $7)
    about[p, r, $6] = $7
    next
}
{
    k = p FS $1 FS $2 FS $3 FS $4 FS $5 FS $6
    value[k] = $7
    run[k] = r
    if ($3 > most_threads) most_threads = $3
    if ($3 > most_of[$1]) most_of[$1] = $3
    if ($10 > rounds[p, r]) rounds[p, r] = $10
    if ($2 != "all" && $2 != "none") note_part(r, $2)
    if ($1 == "growth" && !(($2, $3, $5) in varied)) {
        varied[$2, $3, $5]
        if (!($2 in place)) place[$2] = ++places
        variation[++variations] = $2 " " $3 " " $5
    }
}
