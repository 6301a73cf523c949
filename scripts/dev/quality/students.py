"""Which attribution teaches a student most: students.py COMMAND FOLDER [CORPUS...]

After Nourbakhsh et al. (2026), but the student gets the links of the training pairs alone, and nothing at test time. A
Transformer learns each toy corpus; each method of `attribute` makes links of the first 1,000 of its pairs; RNNsearch of a
quarter of its size learns these pairs with the links (--guided-alignment 1), three seeds. Prints the AER of the links
against the planted ones, which no real corpus has, BLEU and AER of the students on unseen pairs (means), and Spearman's
rank correlation of the links' AER with the students' BLEU, of each seed. What is there stays."""
import json
import os
import random
import subprocess
import sys

COMMAND, FOLDER = sys.argv[1:3]
CORPORA = sys.argv[3:] or ["reorder", "phrases", "agree"]
METHODS = ["attention", "norms", "value-zeroing", "rollout", "integrated-gradients", "input-x-gradient", "gradient", "occlusion"]
CONTROLS = ["planted", "hmm", "uniform", "shuffled"]
SEEDS, UPDATES = (1, 2, 3), (100, 200, 300, 1000)
PAIRS = 1000


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True).stdout


def made(path, *arguments):
    """Runs a command that writes a file or folder, unless it is there."""
    if not os.path.exists(path):
        part = path + ".part"
        subprocess.run(["rm", "-rf", part], check=True)
        run(*(part if argument is made else argument for argument in arguments))
        os.rename(part, path)
    return path


def train(path, pairs, valid, steps, *options):
    return made(path, "train", "--train", pairs, "--valid", valid, "--out", made, "--epochs", "0", "--max-time", "0", "--patience",
                "0", "--shards", "2", "--threads", "1", "--steps", str(steps), "--valid-every", "100", "--keep", "10", *options)


def planted(lines):
    """Planted links, the same on other source words, and links to all of them, line by line."""
    draw, of = random.Random(1), {"planted": [], "shuffled": [], "uniform": []}
    for source, target, links in lines:
        sure = [link.split("-") for link in links.split() if "-" in link]
        to = list(range(1 + max(int(i) for i, _ in sure)))
        draw.shuffle(to)
        of["planted"].append(sure)
        of["shuffled"].append([(to[int(i)], j) for i, j in sure])
        of["uniform"].append([(i, j) for i in range(len(to)) for j in sorted({int(j) for _, j in sure})])
    return {name: "".join(" ".join(f"{i}-{j}" for i, j in line) + "\n" for line in all) for name, all in of.items()}


def links_of(teacher, pairs, lines, folder):
    paths = {name: os.path.join(folder, name + ".links") for name in METHODS + CONTROLS}
    for method in METHODS:
        made(paths[method], "attribute", teacher, pairs, "--method", method, "--steps", "8", "--pharaoh", made)
    made(paths["hmm"], "align-words", pairs, "--pharaoh", made)
    for name, text in planted(lines).items():
        with open(paths[name], "w", encoding="utf-8") as file:
            file.write(text)
    return paths


def aer_of(path, lines):
    """The alignment error rate of links (Och and Ney 2003)."""
    found = sure = right = 0
    with open(path, encoding="utf-8") as file:
        for line, (_, _, gold) in zip(file, lines):
            mine = set(line.split())
            certain = {link for link in gold.split() if "-" in link}
            possible = certain | {link.replace("p", "-") for link in gold.split()}
            found, sure = found + len(mine), sure + len(certain)
            right += len(mine & certain) + len(mine & possible)
    return 1 - right / (found + sure)


def ranks(values):
    """From 1; equal values share the mean of theirs."""
    return [(sum(other < value for other in values) + sum(other <= value for other in values) + 1) / 2 for value in values]


def spearman(one, other):
    a, b = ranks(one), ranks(other)
    mean = (len(a) + 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    return product / (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5


def corpus_of(corpus):
    folder = os.path.join(FOLDER, "students", corpus)
    os.makedirs(folder, exist_ok=True)
    path = {name: os.path.join(folder, name + ".tsv") for name in ("all", "pairs", "valid", "test")}
    lines = run("corpus", corpus, "--pairs", "8200").splitlines(True)
    for name, part in ("all", lines[:8000]), ("pairs", lines[:PAIRS]), ("valid", lines[8000:]):
        with open(path[name], "w", encoding="utf-8") as file:
            file.writelines(part)
    with open(path["test"], "w", encoding="utf-8") as file:
        file.write(run("corpus", corpus, "--pairs", "500", "--split", "test"))
    return folder, path, [line.rstrip("\n").split("\t") for line in lines[:PAIRS]]


def measure(corpus):
    folder, path, lines = corpus_of(corpus)
    teacher = train(os.path.join(folder, "teacher"), path["all"], path["valid"], 2000, "--model", "transformer") + "/best.safetensors"
    reached = json.loads(run("eval", teacher, path["test"], "--json"))
    print(f"\n`{corpus}`, teacher: BLEU {reached['bleu']:.1f}, AER {reached['aer']:.2f}\n")
    links = links_of(teacher, path["pairs"], lines, folder)
    scores = {}
    for name in METHODS + CONTROLS + ["none"]:
        guided = ["--guided-alignment", "1", "--alignments", links[name]] if name in links else []
        for seed in SEEDS:
            student = train(os.path.join(folder, f"{name}-s{seed}"), path["pairs"], path["valid"], max(UPDATES), "--seed", str(seed),
                            "--hidden", "32", "--embed", "32", "--attn", "32", "--maxout", "32", *guided)
            for updates in UPDATES:
                out = f"{student}/eval-{updates}.json"
                if not os.path.exists(out):
                    text = run("eval", f"{student}/checkpoints/{updates:08}.safetensors", path["test"], "--json")
                    with open(out, "w", encoding="utf-8") as file:
                        file.write(text)
                with open(out, encoding="utf-8") as file:
                    scores[name, seed, updates] = json.load(file)
    report(links, {name: aer_of(links[name], lines) for name in links}, scores)


def report(links, aer, scores):
    print("| links | their AER |" + "".join(f" BLEU, {updates} |" for updates in UPDATES) + " AER, 300 |\n|---|" + "---:|" * 6)
    for name in sorted(links, key=aer.get) + ["none"]:
        row = [sum(scores[name, seed, updates]["bleu"] for seed in SEEDS) / len(SEEDS) for updates in UPDATES]
        mine = sum(scores[name, seed, 300]["aer"] for seed in SEEDS) / len(SEEDS)
        print(f"| {name} | {aer[name] if name in aer else float('nan'):.2f} |" + "".join(f" {x:.1f} |" for x in row) + f" {mine:.2f} |")
    for title, names in ("methods", METHODS), ("and controls", METHODS + CONTROLS):
        for updates in UPDATES:
            print(f"Spearman, {title}, {updates} updates:", ", ".join(f"{spearman([aer[name] for name in names], [scores[name, seed, updates]['bleu'] for name in names]):.2f}" for seed in SEEDS))


for corpus in CORPORA:
    measure(corpus)
