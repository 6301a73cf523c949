# The plot of README.md: words per second in training, softalign beside its peers, at three sizes, on the
# processor that was measured last at all of them.
#
#   awk -f results.awk -f svg.awk -f plot.awk PROCESSOR.csv... >speed.svg

# Where the figure of one of the four that are shown is, of a size in the order of `scale_name`.
function key_at(size, threads, i) {
    at["SCALE"] = scale_name[size]
    at["THREADS"] = threads
    at["SCORE"] = "additive"
    if (i == 2 && !in_hardware()) return ""
    return key_of(i == 1 ? "ours" : i == 2 ? "bf16" : i == 3 ? "best" : "untuned")
}
function color(i, threads) { return threads == 1 ? (i <= 2 ? "#7fb0e0" : "#c4c9ce") : (i <= 2 ? "#1f5fa8" : "#767d84") }

function date_of(k) { return substr(run_name[p, run[k]], index(run_name[p, run[k]], ", ") + 2) }

function shown_date(    date, size, k) { # when the oldest of the three sizes was measured; "" if one is missing
    for (size = 2; size <= 4; size++) {
        if (!(key_at(size, 2, 1) in value) || !((k = key_at(size, 1, 1)) in value)) return ""
        if (date == "" || date_of(k) < date) date = date_of(k)
    }
    return date
}

function choose(    best, chosen) {
    for (p = 1; p <= processors; p++)
        if (shown_date() > best) {
            best = shown_date()
            chosen = p
        }
    p = chosen
}

function panel(x, title, size,    i, threads, k, longest, y) {
    text_at(x, 50, 13, "start", "#24292f", title, bold())
    for (i = 1; i <= 4; i++)
        for (threads = 1; threads <= 2; threads++)
            if ((k = key_at(size, threads, i)) in value && value[k] > longest) longest = value[k]
    y = 62
    for (i = 1; i <= 4; i++) {
        if (!(i in named)) continue
        for (threads = 1; threads <= 2; threads++) {
            if ((k = key_at(size, threads, i)) in value) {
                box(x, y, 150 * value[k] / longest, 14, color(i, threads))
                text_at(x + 150 * value[k] / longest + 4, y + 11.5, 12, "start", "#24292f", group(value[k]))
            } else
                text_at(x + 4, y + 11.5, 12, "start", "#57606a", "not measured")
            y += 16
        }
        y += 12
    }
}

function name_peers(    i, size, threads, label) {
    split("softalign;softalign, bf16;PyTorch, tuned;PyTorch, untuned", label, ";")
    for (i = 1; i <= 4; i++)
        for (size = 2; size <= 4; size++)
            for (threads = 1; threads <= 2; threads++)
                if (key_at(size, threads, i) in value) named[i] = label[i]
}

function commits(    size, list, found, where) {
    for (size = 2; size <= 4; size++) {
        where = run_name[p, run[key_at(size, 1, 1)]]
        if (!index(list, where)) list = list (list == "" ? "" : "; ") where
    }
    return list
}

END {
    choose()
    if (!p) exit 1
    name_peers()
    for (i in named) height += 44
    height += 106
    begin_picture(height, "Words per second in training: softalign and PyTorch on " name[p], \
        "Training, target words per second; longer is faster")
    for (threads = 1; threads <= 2; threads++) {
        box(485 + 100 * threads, 13, 14, 14, color(1, threads))
        text_at(503 + 100 * threads, 24.5, 12, "start", "#24292f", threads == 1 ? "one thread" : "two threads")
    }
    y = 82
    for (i = 1; i <= 4; i++)
        if (i in named) {
            text_at(150, y, 13, "end", "#24292f", named[i], i <= 2 ? bold() : "")
            y += 44
        }
    split("hidden 64, batch 32;hidden 256, batch 64;hidden 1000, batch 80", title, ";")
    for (i = 1; i <= 3; i++) panel(162 + 224 * (i - 1), title[i], i + 1)
    text_at(14, height - 31, 12, "start", "#57606a", \
        name[p] ", " about[p, run[key_at(4, 1, 1)], "system"] "; softalign " commits())
    text_at(14, height - 14, 12, "start", "#57606a", \
        "RNNsearch on Multi30k, additive attention; each size has a scale of its own; medians of scripts/bench")
    print "</svg>"
}
