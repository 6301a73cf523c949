# The plot of README.md: words per second in training, softalign beside its peers, at three sizes, on the
# processor that was measured last at all of them.
#
#   awk -f results.awk -f svg.awk -f plot.awk PROCESSOR.csv... >speed.svg

# Who is shown: a name, and where its figure of `scale` with `threads` is.
function peer(i) {
    if (i == 1) return trained("ours")
    if (i == 2) return has_bf16() ? in_bf16("ours") : ""
    if (i == 3) return best_trained()
    return larger(trained("stock"), trained("default"))
}
function color(i) { return threads == 1 ? (i <= 2 ? "#7fb0e0" : "#c4c9ce") : (i <= 2 ? "#1f5fa8" : "#767d84") }

function shown_date(    date, i) { # when the oldest of the three sizes was measured; "" if one is missing
    attention = "additive"
    for (i = 2; i <= 4; i++) {
        scale = scale_name[i]
        for (threads = 2; threads >= 1; threads--)
            if (!(trained("ours") in value)) return ""
        threads = 1
        if (date == "" || when(trained("ours")) < date) date = when(trained("ours"))
    }
    return date
}
function when(k) { return substr(run_name[p, run[k]], index(run_name[p, run[k]], ", ") + 2) }

function choose(    best, chosen) {
    for (p = 1; p <= processors; p++)
        if (shown_date() > best) {
            best = shown_date()
            chosen = p
        }
    p = chosen
}

function panel(x, title,    i, longest, y, length_of) {
    longest = 0
    text_at(x, 50, 13, "start", "#24292f", title, bold())
    for (i = 1; i <= 4; i++)
        for (threads = 1; threads <= 2; threads++)
            if (get(peer(i)) + 0 > longest) longest = get(peer(i)) + 0
    y = 62
    for (i = 1; i <= 4; i++) {
        if (!(i in named)) continue
        for (threads = 1; threads <= 2; threads++) {
            if (peer(i) in value) {
                length_of = 150 * get(peer(i)) / longest
                box(x, y, length_of, 14, color(i))
                text_at(x + length_of + 4, y + 11.5, 12, "start", "#24292f", group(get(peer(i))))
            } else
                text_at(x + 4, y + 11.5, 12, "start", "#57606a", "not measured")
            y += 16
        }
        y += 12
    }
}

function name_peers(    i, k, label) {
    split("softalign;softalign, bf16;PyTorch, tuned;PyTorch, untuned", label, ";")
    for (i = 1; i <= 4; i++)
        for (k = 2; k <= 4; k++)
            for (threads = 1; threads <= 2; threads++) {
                scale = scale_name[k]
                if (peer(i) in value) named[i] = label[i]
            }
}

function commits(    k, list, found, words) {
    threads = 1
    for (k = 2; k <= 4; k++) {
        scale = scale_name[k]
        split(run_name[p, run[trained("ours")]], words, ", ")
        if (!(words[1] in found)) list = list (list == "" ? "" : "; ") words[1] ", " words[2]
        found[words[1]]
    }
    return list
}

END {
    choose()
    if (!p) exit 1
    name_peers()
    for (i = 1; i <= 4; i++) if (i in named) height += 44
    height += 106
    begin_picture(height, "Words per second in training: softalign and PyTorch on " name[p], \
        "Training, target words per second; longer is faster")
    threads = 1
    box(585, 13, 14, 14, color(1))
    text_at(603, 24.5, 12, "start", "#24292f", "one thread")
    threads = 2
    box(685, 13, 14, 14, color(1))
    text_at(703, 24.5, 12, "start", "#24292f", "two threads")
    y = 82
    for (i = 1; i <= 4; i++)
        if (i in named) {
            text_at(150, y, 13, "end", "#24292f", named[i], i <= 2 ? bold() : "")
            y += 44
        }
    split("hidden 64, batch 32;hidden 256, batch 64;hidden 1000, batch 80", size, ";")
    for (i = 1; i <= 3; i++) {
        scale = scale_name[i + 1]
        panel(162 + 224 * (i - 1), size[i])
    }
    threads = 1
    text_at(14, height - 31, 12, "start", "#57606a", name[p] ", " about[p, run[trained("ours")], "system"] "; softalign " commits())
    text_at(14, height - 14, 12, "start", "#57606a", \
        "RNNsearch on Multi30k, additive attention; each size has a scale of its own; medians of scripts/bench")
    print "</svg>"
}
