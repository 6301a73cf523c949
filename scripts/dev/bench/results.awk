# Reads the results of processors, a CSV file each, and tables.tsv (-v tables=FILE), for page.awk and plot.awk.
#
# `p` is the processor at hand, at["SCALE"] and others are the row at hand. `run_read` is the run of the figure that
# was evaluated last.

function larger(a, b) { return !(b in value) || (a in value && value[a] >= value[b]) ? a : b }

# Where the figure stands that is called NAME, or is PART,SCALE,THREADS,SCORE,WHO,QUANTITY itself.
function key_of(name,    part, who, i, k) {
    if (name in figure) name = figure[name]
    for (i in at) gsub(i, at[i], name)
    split(name, part, ",")
    if (part[3] == "MOST") part[3] = most_of[part[1]]
    for (i = split(part[5], who, "|"); i; i--)
        k = larger(p FS part[1] FS part[2] FS part[3] FS part[4] FS who[i] FS part[6], k)
    return k
}

# The value of "FIGURE / FIGURE * NUMBER ...", or "" where one is missing or was measured in another run.
function evaluate(text,    token, count, i, k, x, y) {
    run_read = ""
    count = split(text, token, " ")
    for (i = 1; i <= count; i += 2) {
        y = token[i]
        if (y !~ /^[0-9]/) {
            k = key_of(y)
            if (!(k in value) || (run_read != "" && run[k] != run_read)) return ""
            y = value[k]
            run_read = run[k]
        }
        if (i == 1) x = y
        else if (token[i - 1] == "*") x *= y
        else if (y + 0 == 0) return ""
        else x /= y
    }
    return x
}

function in_hardware(    k) { # bf16 was measured, and not by the emulation
    k = key_of("bf16")
    return k in value && about[p, run[k], "bf16"] != "emulated"
}

function group(x,    text) { # 36804.2 is 36,804
    text = sprintf("%.0f", x)
    while (match(text, /[0-9][0-9][0-9][0-9](,|$)/)) text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
    return text
}

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
    while ((getline line <tables) > 0) {
        split(line, field, "\t")
        if (field[1] == "figure") figure[field[2]] = field[3]
    }
    close(tables)
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
