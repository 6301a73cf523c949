"""Of a corpus `sense` with planted links, and the long table of one layer of an encoder's weights: a line for each head,
"layer L, head H TAB the mean weight from the word of two senses to the word that decides its sense", and one for weights
that are all alike: deciding.py LAYER PAIRS TABLE"""
import csv
import re
import sys

TWO_SENSES = set("bank light monitor duck apple bat nail match".split())
layer, pairs, table = sys.argv[1:]
weight, word, heads = {}, {}, 0
with open(table, encoding="utf-8", newline="") as file:
    for row in csv.DictReader(file):  # t looks at s
        weight[row["sentence"], int(row["head"]), row["t"], row["s"]] = float(row["weight"])
        word[row["sentence"], row["s"]] = row["source"]
        heads = max(heads, int(row["head"]))
lengths = {}
for sentence, s in word:
    lengths[sentence] = max(lengths.get(sentence, 0), int(s) + 1)

total, alike, count = [0.0] * (heads + 1), 0.0, 0
with open(pairs, encoding="utf-8") as file:
    for number, line in enumerate(file, 1):
        sentence = str(number)
        if sentence not in lengths:
            continue
        sure, possible = [], []
        for link in line.rstrip("\n").split("\t")[2].split():
            (possible if "p" in link else sure).append(re.split("[-p]", link))
        # What is linked as possible to the same target word decides the sense.
        for source, target in sure:
            if word[sentence, source] not in TWO_SENSES:
                continue
            for deciding in (s for s, t in possible if t == target):
                for head in range(1, heads + 1):
                    total[head] += weight[sentence, head, source, deciding]
                alike += 1 / lengths[sentence]
                count += 1
for head in range(1, heads + 1):
    print(f"layer {layer}, head {head}\t{total[head] / count:.4f}")
print(f"layer {layer}, all alike\t{alike / count:.4f}")
