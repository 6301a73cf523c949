# The page of results: every processor's figures beside the others'.
#
#   awk -v causes=FILE -f results.awk -f page.awk PROCESSOR.csv...

# ---- Tables: cells are put where they belong, and columns and rows that nobody fills are left out -----

function begin(title) {
    heading = title
    rows = columns = 0
    delete column
    delete text_at
    delete filled
}
function row(labels) { label[++rows] = labels }
function put(measure, text,    c) {
    if (!((p, measure) in column)) column[p, measure] = ++columns
    c = column[p, measure]
    if (text == "") return
    text_at[rows, c] = text
    filled[rows]
    filled["column", c]
}
function cells(r,    i, c, line) {
    for (p = 1; p <= processors; p++)
        for (i = 1; i <= columns; i++)
            if (((p, i) in order) && (("column", c = order[p, i]) in filled))
                line = line " | " (r ? ((r, c) in text_at ? text_at[r, c] : "-") : title_of[c])
    return line
}
function head(    k, part, count) { # the processor's name in the first of its columns
    delete order
    delete count
    for (k in column) {
        split(k, part, SUBSEP)
        order[part[1], column[k]] = column[k]
        title_of[column[k]] = part[2]
    }
    for (p = 1; p <= processors; p++)
        for (k = 1; k <= columns; k++)
            if (((p, k) in order) && (("column", k) in filled)) {
                title_of[k] = name[p] (title_of[k] == "" ? "" : ": " title_of[k])
                break
            }
}
function end(labels,    r, line) {
    head()
    line = cells(0)
    if (line == "") return 0
    printf "\n## %s\n\n| %s%s |\n|", heading, labels, line
    r = gsub(/\|/, "|", labels) + 1
    while (r--) printf "---|"
    r = gsub(/ \| /, "", line)
    while (r--) printf "---:|"
    print ""
    for (r = 1; r <= rows; r++)
        if (r in filled) print "| " label[r] cells(r) " |"
    return 1
}

# ---- What was measured ------------------------------------------------------------------------------

function training(    i, j) {
    begin("Training, words/s")
    for (i = 1; i in scale_name; i++)
        for (j = 1; j <= 2; j++)
            for (threads = 1; threads <= most_threads; threads++) {
                scale = scale_name[i]
                attention = score_name[j]
                row(toupper(scale) " | " attention " | " threads)
                for (p = 1; p <= processors; p++) {
                    put("softalign", whole(get(trained("ours"))))
                    put("to the best PyTorch", times(ratio(trained("ours"), best_trained())))
                }
            }
    end("scale | score | threads")
}

function peers(    i, j, work, peak) {
    begin("Peers in training, words/s")
    for (i = 1; i in scale_name; i++)
        for (j = 1; j <= 2; j++)
            for (threads = 1; threads <= most_threads; threads++) {
                scale = scale_name[i]
                attention = score_name[j]
                row(toupper(scale) " | " attention " | " threads)
                for (p = 1; p <= processors; p++) {
                    put("best PyTorch", whole(get(best_trained())))
                    put("stock", whole(get(trained("stock"))))
                    put("no settings", whole(get(trained("default"))))
                    work = get(trained("ours")) * get(key("speed", scale, threads, attention, "ours", "flop_per_word")) / 1e9
                    peak = key("speed", "all", threads, "none", "peak", "gflops")
                    put("softalign's GFLOP/s", work ? show(work, 1) : "")
                    put("of sgemm's peak", work && run[peak] == run[trained("ours")] ? percent(work / get(peak)) : "")
                }
            }
    end("scale | score | threads")
}

function bf16(    i) {
    begin("Training in bf16, words/s")
    attention = "additive"
    for (i = 1; i in scale_name; i++)
        for (threads = 1; threads <= most_threads; threads++) {
            scale = scale_name[i]
            row(toupper(scale) " | " threads)
            for (p = 1; p <= processors; p++) {
                put("softalign", whole(get(in_bf16("ours"))) (in_bf16("ours") in value && !has_bf16() ? ", emulated" : ""))
                put("to float32", times(ratio(in_bf16("ours"), trained("ours"))))
                put("PyTorch in bf16", whole(get(in_bf16("tuned"))))
                put("to it", times(ratio(in_bf16("ours"), in_bf16("tuned"))))
                put("to the best in float32", times(ratio(in_bf16("ours"), best_trained())))
            }
        }
    if (end("scale | threads")) return
    print "\n## " heading "\n\nNot measured: the processors above have no AVX512_BF16, or were measured before softalign knew bf16."
}

function scaled(what) { return key("scaling", scale, threads, "additive", what, "words_per_second") }

function scaling(    i, one) {
    begin("Threads of one run beside runs with one thread, words/s")
    for (i = 1; i in scale_name; i++)
        for (threads = 2; threads <= most_threads; threads++) {
            scale = scale_name[i]
            row(toupper(scale) " | " threads)
            one = threads
            for (p = 1; p <= processors; p++) {
                threads = 1
                put("one thread", whole(get(scaled("threads"))))
                threads = one
                put("as many runs side by side", whole(get(scaled("runs"))))
                put("threads of one run", whole(get(scaled("threads"))))
                put("of the runs", percent(ratio(scaled("threads"), scaled("runs"))))
            }
        }
    end("scale | threads")
}

function memory(    i) {
    begin("Peak memory, one thread, MB")
    for (i = 1; i in scale_name; i++) {
        row(toupper(scale_name[i]))
        for (p = 1; p <= processors; p++) {
            put("softalign", whole(get(key("memory", scale_name[i], 1, "additive", "ours", "megabytes"))))
            put("stock PyTorch", whole(get(key("speed", scale_name[i], 1, "additive", "stock", "megabytes"))))
        }
    }
    end("scale")
}

function opening(what) { return key("start", what, 1, "additive", "load", "seconds") }
function milliseconds(k) { return show(k in value ? 1000 * value[k] : "", 0) (k in value ? " ms" : "") }
function seconds(k) { return show(get(k), 2) (k in value ? " s" : "") }
function first_update(quantity) { return key("start", scale, threads, "additive", "first", quantity) }

function starting(    i) {
    begin("Start-up")
    threads = most_of["start"]
    row("`softalign --help`")
    for (p = 1; p <= processors; p++) put("", milliseconds(key("start", "none", 1, "none", "help", "seconds")))
    for (i = 1; i in scale_name; i++) {
        scale = scale_name[i]
        row("opening a model, " toupper(scale) " (`translate` with no input)")
        for (p = 1; p <= processors; p++) put("", milliseconds(opening(scale)))
        row("start to first update, " toupper(scale) ", the whole corpus read")
        for (p = 1; p <= processors; p++) put("", seconds(first_update("first_update")))
        row("the same, with validation on 8 pairs, saving and exit, " toupper(scale))
        for (p = 1; p <= processors; p++) put("", seconds(first_update("whole_run")))
        row("PyTorch to its first update, " toupper(scale) ", batches read ready-made")
        for (p = 1; p <= processors; p++) put("", seconds(key("speed", scale, threads, "additive", "tuned", "first_update")))
    }
    end("what")
}

function translating(    i) {
    begin("Translating, sentences/s")
    for (i = 1; i in scale_name; i++)
        for (threads = 1; threads <= most_threads; threads++)
            for (batch = 1; batch <= 64; batch += 63) {
                scale = scale_name[i]
                row(toupper(scale) " | " threads " | " batch)
                for (p = 1; p <= processors; p++) {
                    put("greedy", show(get(translated("greedy", "ours-" batch)), 1))
                    put("to the best PyTorch", times(ratio(translated("greedy", "ours-" batch), best_translated())))
                    put("beam 5", show(get(translated("beam-5", "ours-" batch)), 1))
                    put("time relative to greedy", times(ratio(translated("greedy", "ours-" batch), translated("beam-5", "ours-" batch))))
                }
            }
    end("scale | threads | batch")
}

function aligning(    i) {
    begin("Aligning a corpus, pairs/s")
    for (i = 1; i in scale_name; i++)
        for (threads = 1; threads <= most_threads; threads++) {
            row(toupper(scale_name[i]) " | " threads)
            for (p = 1; p <= processors; p++)
                put("", whole(get(key("align", scale_name[i], threads, "additive", "ours", "pairs_per_second"))))
        }
    end("scale | threads")
}

function sort_variations(    i, j, a, b) { # what varies as it comes, its values in their order
    for (i = 2; i <= variations; i++)
        for (j = i; j > 1; j--) {
            split(variation[j - 1], a, " ")
            split(variation[j], b, " ")
            if (place[a[1]] < place[b[1]] || (a[1] == b[1] && a[3] + 0 <= b[3] + 0)) break
            a[0] = variation[j]
            variation[j] = variation[j - 1]
            variation[j - 1] = a[0]
        }
}

function grown(f, who) { return key("growth", f[1], f[2], "additive", who, "words_per_second") }

function growing(    i, f) {
    sort_variations()
    begin("How cost grows, words/s")
    for (i = 1; i <= variations; i++) {
        split(variation[i], f, " ")
        row(f[1] " | " (f[1] == "threads" ? f[2] : f[3]) " | " f[2])
        for (p = 1; p <= processors; p++) {
            put("softalign", whole(get(grown(f, f[3]))))
            put("peak MB", whole(get(key("growth", f[1], f[2], "additive", f[3], "megabytes"))))
        }
    }
    if (!end("what varies | value | threads")) return
    print "\nOtherwise: hidden, embedding and alignment 128, maxout 64, batch 32 (threads: 64), additive, one thread. Lengths and"
    print "vocabularies are of generated corpora."
}

function tutorial_of(who, quantity) {
    return who == "ours" ? key("tutorial", "course", most_of["tutorial"], "additive", who, quantity) : \
        key("tutorial", "course", 1, "own", who, quantity)
}

function tutorial() {
    begin("The work of the best-known tutorial: 75,000 sentences at hidden 256")
    row("softalign, batches of 32, " most_of["tutorial"] " threads: seconds")
    for (p = 1; p <= processors; p++) put("", show(get(tutorial_of("ours", "seconds")), 0))
    row("... training loss per word, last 5,000 sentences")
    for (p = 1; p <= processors; p++) put("", show(get(tutorial_of("ours", "train_loss")), 3))
    row("... seconds to the loss that an earlier version of its page prints, 0.543")
    for (p = 1; p <= processors; p++) put("", show(get(tutorial_of("ours", "reached")), 0))
    row("its structure in PyTorch, a sentence at a time, 1 thread: seconds of CPU time")
    for (p = 1; p <= processors; p++) put("", whole(get(tutorial_of("pytorch", "seconds"))))
    row("... training loss per word, last 5,000 sentences")
    for (p = 1; p <= processors; p++) put("", show(get(tutorial_of("pytorch", "train_loss")), 3))
    if (!end("what")) return
    print "\nIn half of its sentences the tutorial feeds back the model's own words, which raises its loss. An earlier version of its"
    print "page prints 0.543 for its last 5,000 sentences, after 25 minutes and 20 seconds on a machine that it does not name."
}

# ---- Goals ------------------------------------------------------------------------------------------

function wanted(text, number, unit_name, is_limit, extra) {
    goal = text
    want = number
    unit = unit_name
    limit = is_limit
    row(text " | " (limit ? "at most " : "at least ") in_unit(number) extra)
}
function in_unit(x) { return unit == "%" ? percent(x) : sprintf(unit == "ms" || unit == "MB" ? "%.0f %s" : unit == "x" ? "%.3g %s" : "%.2f %s", x, unit) }
function judge(x,    met, text) { # of processor `p`
    if (x == "") return
    met = limit ? x <= want : x >= want
    text = unit == "x" ? times(x) : in_unit(x)
    if (!met && text + 0 == in_unit(want) + 0) text = unit == "%" ? show(100 * x, 1) " %" : show(x, 3) " " unit
    put("", met ? text : "**missed: " text "**")
    if (!met) missed[++misses] = goal "\t" name[p] "\t" text "\t" run_name[p, run_read]
}

function goals(    i, k, s, best, in_float, small, most) {
    begin("Goals")
    attention = "additive"
    split("toy course paper", s, " ")
    split("3.5 2.0 1.45 5 2.2 1.6", in_float, " ")
    split("0 2.6 2.2 0 3 2.4", small, " ")
    split("50 190 950", most, " ")
    for (i = 1; i <= 3; i++) {
        scale = s[i]
        for (threads = 1; threads <= 2; threads++) {
            k = 3 * threads - 3 + i
            wanted("training " toupper(scale) " to the best PyTorch, " thread_word(), in_float[k], "x", 0, i != 2 ? "" : \
                " (" (threads == 1 ? 1.7 : 1.9) " x where PyTorch's products run at 85 % of the peak we see)")
            for (p = 1; p <= processors; p++) judge(ratio(trained("ours"), best_trained()))
            if (small[k] == 0) continue
            wanted("the same in bf16, " toupper(scale) ", " thread_word(), small[k], "x")
            for (p = 1; p <= processors; p++) if (has_bf16()) judge(ratio(in_bf16("ours"), best_trained()))
        }
        wanted("training " toupper(scale) ", two threads relative to two runs with one side by side", 0.95, "%")
        threads = 2
        for (p = 1; p <= processors; p++) judge(ratio(scaled("threads"), scaled("runs")))
        wanted("peak memory, " toupper(scale) ", 1 thread", most[i], "MB", 1)
        for (p = 1; p <= processors; p++) judge(get(key("memory", scale, 1, "additive", "ours", "megabytes")))
    }
    wanted("opening a PAPER model", 25, "ms", 1)
    for (p = 1; p <= processors; p++) judge(opening("paper") in value ? 1000 * get(opening("paper")) : "")
    scale = "toy"
    threads = most_of["start"]
    wanted("start to first update, TOY", 0.2, "s", 1)
    for (p = 1; p <= processors; p++) judge(get(first_update("first_update")))
    scale = "course"
    batch = 64
    for (threads = 1; threads <= 2; threads++) {
        wanted("greedy, COURSE, batch 64, to the best PyTorch, " thread_word(), threads == 1 ? 1.8 : 2.2, "x")
        for (p = 1; p <= processors; p++) judge(ratio(translated("greedy", "ours-64"), best_translated()))
        wanted("beam 5, COURSE, batch 64, time relative to greedy, " thread_word(), 3, "x", 1)
        for (p = 1; p <= processors; p++) judge(ratio(translated("greedy", "ours-64"), translated("beam-5", "ours-64")))
    }
    if (end("goal | wanted")) name_causes()
}
function thread_word() { return threads == 1 ? "1 thread" : threads " threads" }

# A line of `causes` is GOAL, WHERE and CAUSE: a goal may be named by how it begins; WHERE is a processor, one of
# its runs (PROCESSOR, COMMIT) or * for all. The first line that fits counts.
function cause_of(f,    i) {
    for (i = 1; i <= known; i++)
        if (substr(f[1], 1, length(cause_goal[i])) == cause_goal[i] && (cause_at[i] == "*" || index(f[2] ", " f[4] ",", cause_at[i] ",") == 1))
            return cause[i]
    return "No cause is written down"
}
function read_causes(    line, f) {
    while ((getline line <causes) > 0)
        if (split(line, f, "\t") == 3 && line !~ /^#/) {
            cause_goal[++known] = f[1]
            cause_at[known] = f[2]
            cause[known] = f[3]
        }
}
function name_causes(    i, f, text, texts, order_of, list, last) {
    read_causes()
    for (i = 1; i <= misses; i++) {
        split(missed[i], f, "\t")
        text = cause_of(f)
        if (!(text in list)) order_of[++texts] = text
        list[text] = list[text] (last[text] == f[1] ? "; " : "\n  - " f[1] ": ") f[2] " " f[3]
        last[text] = f[1]
    }
    if (misses) print "\nWhat was missed, by cause:\n"
    for (i = 1; i <= texts; i++) print "- " order_of[i] ":" list[order_of[i]]
}

# ---- Where it was measured --------------------------------------------------------------------------

function measured_in(r,    i, j, list, text, sizes) {
    split(parts_of[p, r], list, " ")
    for (i = 1; i in list; i++) {
        sizes = toupper(scales_of[p, r, list[i]])
        gsub(/ /, ", ", sizes)
        text = text (text == "" ? "" : ", ") list[i] (list[i] == "growth" || list[i] == "tutorial" ? "" : " (" sizes ")")
    }
    return text
}

function origins(    r) {
    print "\n## Where and when\n"
    for (p = 1; p <= processors; p++)
        for (r = 1; r <= run_count[p]; r++) {
            print "- **" name[p] "**, " about[p, r, "system"] ". softalign " run_name[p, r] ", " rounds[p, r] \
                (rounds[p, r] == 1 ? " round: " : " rounds: ") measured_in(r) "."
            print "  " about[p, r, "blas"] ". " about[p, r, "pytorch"] "."
            print "  " about[p, r, "corpus"] ". Other programs were running when " about[p, r, "disturbed"] " measurements began."
        }
}

END {
    origins()
    goals()
    training()
    peers()
    bf16()
    scaling()
    memory()
    starting()
    translating()
    aligning()
    growing()
    tutorial()
}
