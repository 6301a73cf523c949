# From what scripts/bench measured to its tables: Markdown on standard output, every figure in `csv`.
#
#   awk -v facts=FILE -v csv=FILE -f report.awk records.tsv
#
# A record is PART ROUND SCALE THREADS ATTENTION WHO QUANTITY VALUE.

function median(list, count,    i, j, x, sorted) {
    for (i = 1; i <= count; i++) {
        x = list[i] + 0
        for (j = i; j > 1 && sorted[j - 1] > x; j--) sorted[j] = sorted[j - 1]
        sorted[j] = x
    }
    lowest = sorted[1]
    highest = sorted[count]
    return (sorted[int((count + 1) / 2)] + sorted[int(count / 2) + 1]) / 2
}

# The median of a figure, "" when it was not measured.
function get(part, scale, threads, attention, who, quantity,    key) {
    key = part " " scale " " threads " " attention " " who " " quantity
    return key in found ? found[key] : ""
}

function ratio(a, b) { return a == "" || b == "" || b == 0 ? "" : a / b }
function larger(a, b) { return a == "" || (b != "" && b > a) ? b : a }
function show(x, digits) { return x == "" ? "-" : sprintf("%." digits "f", x) }
function times(x) { return x == "" ? "-" : sprintf("%.2f x", x) }
function percent(x) { return x == "" ? "-" : sprintf("%.0f %%", 100 * x) }

function speed(scale, threads, attention, who) {
    return get("speed", scale, threads, attention, who, "words_per_second")
}
function pytorch(scale, threads, attention) { # the fastest of its configurations
    return larger(larger(speed(scale, threads, attention, "tuned"), speed(scale, threads, attention, "split")),
                  larger(speed(scale, threads, attention, "stock"), speed(scale, threads, attention, "default")))
}

# ---- Tables ---------------------------------------------------------------------------------------

function heading(text, head,    i, cells) {
    print "\n## " text "\n"
    if (head == "") return
    print head
    cells = gsub(/\|/, "|", head)
    for (i = 1; i < cells; i++) printf "|---"
    print "|"
}

function speed_row(scale, threads, attention,    ours, best, floor, stock, gflops, peak) {
    ours = speed(scale, threads, attention, "ours")
    if (ours == "") return
    floor = speed(scale, threads, attention, "floor")
    stock = speed(scale, threads, attention, "stock")
    best = pytorch(scale, threads, attention)
    gflops = get("speed", scale, threads, attention, "floor", "flop_per_word")
    if (gflops != "") gflops *= ours / 1e9
    peak = get("speed", "all", threads, "none", "peak", "gflops")
    print "| " toupper(scale) " | " attention " | " threads " | " show(ours, 0) " | " show(gflops, 1) " | " \
        percent(ratio(gflops, peak)) " | " show(floor, 0) " | " percent(ratio(ours, floor)) " | " \
        show(best, 0) " | " times(ratio(ours, best)) " | " show(stock, 0) " | " times(ratio(ours, stock)) " | " \
        show(get("memory", scale, threads, attention, "ours", "megabytes"), 0) " | " \
        show(get("speed", scale, threads, attention, "stock", "megabytes"), 0) " |"
}

function speed_table(    i, j, k) {
    if (!("speed" in parts)) return
    heading("Training", "| scale | score | threads | words/s | GFLOP/s | of sgemm's peak | floor, words/s | of the floor " \
        "| best PyTorch | softalign to it | stock PyTorch | softalign to it | peak MB | PyTorch's |")
    for (i = 1; i <= scales; i++)
        for (j = 1; j <= 2; j++)
            for (k = 1; k <= most; k++)
                speed_row(scale_name[i], k, j == 1 ? "additive" : "dot")
    print ""
    for (k = 1; k <= most; k++)
        if (get("speed", "all", k, "none", "peak", "gflops") != "")
            print "sgemm's peak, " k " thread(s): " show(get("speed", "all", k, "none", "peak", "gflops"), 0) " GFLOP/s."
    for (i = 1; i <= scales; i++)
        if (speed(scale_name[i], most, "additive", "default") != "")
            print "PyTorch without settings, additive, " toupper(scale_name[i]) ": " \
                show(speed(scale_name[i], most, "additive", "default"), 0) " words/s (softalign to it " \
                times(ratio(speed(scale_name[i], most, "additive", "ours"), speed(scale_name[i], most, "additive", "default"))) ")."
}

function bf16_table(    i, k, ours, peer) {
    if (!("bf16" in parts)) return
    heading("Training in bf16", "| scale | threads | words/s | to float32 | PyTorch in bf16 | softalign to it | to the best PyTorch in float32 |")
    for (i = 1; i <= scales; i++)
        for (k = 1; k <= most; k++) {
            ours = get("bf16", scale_name[i], k, "additive", "ours", "words_per_second")
            peer = get("bf16", scale_name[i], k, "additive", "tuned", "words_per_second")
            if (ours != "")
                print "| " toupper(scale_name[i]) " | " k " | " show(ours, 0) " | " \
                    times(ratio(ours, speed(scale_name[i], k, "additive", "ours"))) " | " show(peer, 0) " | " \
                    times(ratio(ours, peer)) " | " times(ratio(ours, pytorch(scale_name[i], k, "additive"))) " |"
        }
}

function decode_table(    i, k, b, best, ours, who) {
    if (!("decode" in parts)) return
    heading("Translating", "| scale | threads | batch | greedy, sentences/s | best PyTorch, greedy | softalign to it | beam 5, sentences/s |")
    for (i = 1; i <= scales; i++)
        for (k = 1; k <= most; k++)
            for (b = 1; b <= 64; b += 63) {
                ours = get("decode", scale_name[i], k, "greedy", "ours-" b, "sentences_per_second")
                best = larger(get("decode", scale_name[i], k, "greedy", "tuned-" b, "sentences_per_second"),
                              get("decode", scale_name[i], k, "greedy", "split-" b, "sentences_per_second"))
                if (ours != "")
                    print "| " toupper(scale_name[i]) " | " k " | " b " | " show(ours, 1) " | " show(best, 1) " | " \
                        times(ratio(ours, best)) " | " \
                        show(get("decode", scale_name[i], k, "beam-5", "ours-" b, "sentences_per_second"), 1) " |"
            }
}

function align_table(    i, k, rate) {
    if (!("align" in parts)) return
    heading("Aligning a corpus", "| scale | threads | pairs/s | 29,000 pairs |")
    for (i = 1; i <= scales; i++)
        for (k = 1; k <= most; k++) {
            rate = get("align", scale_name[i], k, "additive", "ours", "pairs_per_second")
            if (rate != "") print "| " toupper(scale_name[i]) " | " k " | " show(rate, 0) " | " show(29000 / rate, 1) " s |"
        }
}

function start_table(    i, s) {
    if (!("start" in parts)) return
    heading("Starting", "| what | time |")
    print "| `softalign --help` | " show(1000 * get("start", "none", 1, "none", "help", "seconds"), 0) " ms |"
    for (i = 1; i <= scales; i++) {
        s = scale_name[i]
        if (get("start", s, 1, "additive", "load", "seconds") == "") continue
        print "| loading a " toupper(s) " model (`translate` of nothing) | " \
            show(1000 * get("start", s, 1, "additive", "load", "seconds"), 0) " ms |"
        print "| start to first update at " toupper(s) ", reading the whole corpus | " \
            show(get("start", s, most, "additive", "first", "first_update"), 2) " s |"
        print "| the same, validated on 8 pairs, saved and ended | " \
            show(get("start", s, most, "additive", "first", "whole_run"), 2) " s |"
        if (get("speed", s, most, "additive", "tuned", "first_update") != "")
            print "| PyTorch to its first update at " toupper(s) ", batches read ready-made | " \
                show(get("speed", s, most, "additive", "tuned", "first_update"), 2) " s |"
    }
}

function growth_table(    i, list, words) {
    if (!("growth" in parts)) return
    heading("How cost grows", "| what varies | value | threads | words/s | peak MB |")
    for (i = 1; i <= grown; i++) {
        split(growing[i], list, " ")
        words = get("growth", list[1], list[2], "additive", list[3], "words_per_second")
        print "| " list[1] " | " (list[1] == "threads" ? list[2] : list[3]) " | " list[2] " | " show(words, 0) " | " \
            show(get("growth", list[1], list[2], "additive", list[3], "megabytes"), 0) " |"
    }
    print "\nElse: hidden, embedding and alignment 128, maxout 64, batch 32 (threads: 64), additive, one thread."
    print "Lengths and vocabularies are of generated corpora."
}

function tutorial_table(    ours, peer) {
    if (!("tutorial" in parts)) return
    heading("The work of the best-known tutorial", "| 75,000 sentences at hidden 256 | seconds | training loss per word, last 5,000 |")
    print "| softalign, batches of 32, " most " thread(s) | " \
        show(get("tutorial", "course", most, "additive", "ours", "seconds"), 0) " | " \
        show(get("tutorial", "course", most, "additive", "ours", "train_loss"), 3) " |"
    print "| the tutorial's structure in PyTorch, a sentence at a time, 1 thread, CPU time | " \
        show(get("tutorial", "course", 1, "own", "pytorch", "seconds"), 0) " | " \
        show(get("tutorial", "course", 1, "own", "pytorch", "train_loss"), 3) " |"
    print "\nThe tutorial feeds half of its sentences with the model's own words, which costs it loss. An earlier version of its"
    print "page prints 0.543 for its last 5,000 sentences, after 25 minutes and 20 seconds on a machine that it does not name;"
    print "softalign had that after " show(get("tutorial", "course", most, "additive", "ours", "reached"), 0) " s."
    print "\n`softalign train --train PAIRS --tokenizer space --embed 256 --hidden 256 --attn 256 --maxout 128" \
        " --batch 32 --epochs 0 --max-time 0 --steps 2340 --valid-every 156`"
}

# ---- Goals ----------------------------------------------------------------------------------------

function goal(text, value, wanted, unit, at_most,    met) {
    if (value == "") return
    if (!shown++) heading("Goals", "| goal | measured | wanted | met |")
    met = at_most ? value <= wanted : value >= wanted
    print "| " text " | " (unit == "%" ? percent(value) : show(value, value < 0.1 ? 3 : 2) unit) " | " \
        (at_most ? "at most " : "at least ") (unit == "%" ? percent(wanted) : wanted unit) " | " (met ? "yes" : "**no**") " |"
}

function goals(    i, k, s, name) {
    split("toy course paper", name, " ")
    split("2.8 1.6 1.3 4.5 1.9 1.4", against, " ")
    split("10 5", stock, " ")
    split("60 200 1000", memory, " ")
    for (i = 1; i <= 3; i++) {
        s = name[i]
        for (k = 1; k <= 2; k++) {
            goal("training " toupper(s) " against the best PyTorch, " k " thread(s)",
                 ratio(speed(s, k, "additive", "ours"), pytorch(s, k, "additive")), against[3 * k - 3 + i], " x")
            goal("training " toupper(s) " against the floor, " k " thread(s)",
                 ratio(speed(s, k, "additive", "ours"), speed(s, k, "additive", "floor")), 0.85, "%")
            goal("training " toupper(s) ", scaled dot against additive, " k " thread(s)",
                 ratio(speed(s, k, "dot", "ours"), speed(s, k, "additive", "ours")), 1, " x")
        }
        if (i <= 2)
            goal("training " toupper(s) " against stock PyTorch, 2 threads",
                 ratio(speed(s, 2, "additive", "ours"), speed(s, 2, "additive", "stock")), stock[i], " x")
        goal("training " toupper(s) ", two threads against one",
             ratio(speed(s, 2, "additive", "ours"), speed(s, 1, "additive", "ours")), 1.7, " x")
        goal("peak memory at " toupper(s) ", 1 thread", get("memory", s, 1, "additive", "ours", "megabytes"), memory[i], " MB", 1)
    }
    goal("start to first update at TOY", get("start", "toy", most, "additive", "first", "first_update"), 0.2, " s", 1)
    goal("`--help`", get("start", "none", 1, "none", "help", "seconds"), 0.02, " s", 1)
    for (i = 1; i <= 3; i++)
        goal("loading a " toupper(name[i]) " model", get("start", name[i], 1, "additive", "load", "seconds"), 0.02, " s", 1)
    for (k = 1; k <= 2; k++)
        for (i = 1; i <= 64; i += 63)
            goal("greedy at COURSE, batch " i ", against the best PyTorch, " k " thread(s)",
                 ratio(get("decode", "course", k, "greedy", "ours-" i, "sentences_per_second"),
                       larger(get("decode", "course", k, "greedy", "tuned-" i, "sentences_per_second"),
                              get("decode", "course", k, "greedy", "split-" i, "sentences_per_second"))),
                 i == 64 && k == 2 ? 2 : 1.5, " x")
    goal("the tutorial's work, " most " thread(s)", get("tutorial", "course", most, "additive", "ours", "seconds"), 120, " s", 1)
    goal("to the training loss that the tutorial's page prints", \
         get("tutorial", "course", most, "additive", "ours", "reached"), 120, " s", 1)
    goal("its training loss, the tutorial's less ours",
         get("tutorial", "course", 1, "own", "pytorch", "train_loss") == "" ? "" : \
         get("tutorial", "course", 1, "own", "pytorch", "train_loss") - \
         get("tutorial", "course", most, "additive", "ours", "train_loss"), 0, "")
}

# ---- Reading --------------------------------------------------------------------------------------

/^#/ { next }
{
    key = $1 " " $3 " " $4 " " $5 " " $6 " " $7
    if (!(key in number)) order[++keys] = key
    value[key, ++number[key]] = $8
    parts[$1]
    if ($7 == "others") measured++
    if ($7 == "others" && $8 > 0) disturbed++
    if ($4 > most) most = $4
    if ($1 == "growth" && !(($3, $4, $6) in seen)) {
        seen[$3, $4, $6]
        growing[++grown] = $3 " " $4 " " $6
    }
}

END {
    scales = split("tiny toy course paper", scale_name, " ")
    print "part,scale,threads,attention,who,quantity,median,lowest,highest,rounds" >csv
    for (i = 1; i <= keys; i++) {
        key = order[i]
        for (j = 1; j <= number[key]; j++) list[j] = value[key, j]
        found[key] = median(list, number[key])
        row = key
        gsub(/ /, ",", row)
        print row "," found[key] "," lowest "," highest "," number[key] >csv
    }
    print "# How fast it is\n\nMade by `scripts/bench`; medians, everything measured alternately in one run.\n"
    while ((getline line <facts) > 0) print line
    if (disturbed)
        printf "\n**Other programs were running when %d of the %d measurements began: do not rely on these figures.**\n", \
            disturbed, measured
    print "\nWords are target tokens, EOS included, padding not counted; everyone trains on the same batches."
    print "Scales (embedding, hidden, alignment, maxout, batch): TOY 64 64 64 32 32, COURSE 256 256 256 128 64,"
    print "PAPER 620 1000 1000 500 80. GFLOP/s counts the matrix products and the attention sums, 2 operations for a"
    print "multiply-add. Updates that warm up are left out for all. Memory is the peak of the whole process, for"
    print "softalign of a longer training that has seen long sentences. PyTorch's GRU resets after U, one product a"
    print "step where the paper's reset before U, which softalign and the floor compute, needs two; its readout reads"
    print "the state after the word. Translations are forced to the same lengths for both, about Multi30k's; softalign's"
    print "times hold starting, loading, reading and writing, PyTorch's only the search."
    speed_table()
    bf16_table()
    start_table()
    decode_table()
    align_table()
    growth_table()
    tutorial_table()
    goals()
}
