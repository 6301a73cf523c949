# Of a corpus `sense` with planted links, and the long table of one layer of an encoder's weights: a
# line for each head, "layer L, head H TAB the mean weight from the word of two senses to the word
# that decides its sense", and one for weights that are all alike.
BEGIN {
    FS = "\t"
    split("bank light monitor duck apple bat nail match", names, " ")
    for (i in names) two_senses[names[i]]
}

FNR == NR { # the link that is only possible, where the sure one comes from a word of two senses
    count = split($3, links, " ")
    for (i = 1; i <= count; i++) {
        split(links[i], ends, /[-p]/)
        if (links[i] ~ /p/) decides[FNR, ends[2], ++deciding[FNR, ends[2]]] = ends[1]
        else pairs[FNR, ++sure[FNR]] = ends[1] " " ends[2]
    }
    next
}

{ gsub(/","/, "comma") }
FNR == 1 {
    FS = ","
    $0 = $0
    for (i = 1; i <= NF; i++) at[$i] = i
    next
}

{ # t looks at s
    sentence = $at["sentence"]
    s = $at["s"]
    weight[sentence, $at["head"], $at["t"], s] = $at["weight"]
    word[sentence, s] = $at["source"]
    if (s + 0 >= width[sentence]) width[sentence] = s + 1
    if ($at["head"] > heads) heads = $at["head"] + 0
}

END {
    for (sentence in width)
        for (i = 1; i <= sure[sentence]; i++) {
            split(pairs[sentence, i], ends, " ")
            if (!(word[sentence, ends[1]] in two_senses)) continue
            for (k = 1; k <= deciding[sentence, ends[2]]; k++) {
                for (head = 1; head <= heads; head++)
                    sum[head] += weight[sentence, head, ends[1], decides[sentence, ends[2], k]]
                alike += 1 / width[sentence]
                n++
            }
        }
    for (head = 1; head <= heads; head++)
        printf "layer %d, head %d\t%.4f\n", layer, head, sum[head] / n
    printf "layer %d, all alike\t%.4f\n", layer, alike / n
}
