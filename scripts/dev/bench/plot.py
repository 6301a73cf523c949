"""The plot of README.md: words per second in training, softalign and its peers, at three sizes, on the processor that
was measured last at all of them."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "pictures"))
from svg import BOLD, Picture

from results import SCALES, group

SIZES = {"toy": "hidden 64, batch 32", "course": "hidden 256, batch 64", "paper": "hidden 1000, batch 80"}
PEERS = {"ours": "softalign", "bf16": "softalign, bf16", "best": "PyTorch, tuned", "untuned": "PyTorch, untuned"}
assert list(SIZES) == SCALES[1:]


def color(who, threads):
    ours = who in ("ours", "bf16")
    return ("#7fb0e0" if ours else "#c4c9ce") if threads == 1 else ("#1f5fa8" if ours else "#767d84")


def figures_of(results, processor):
    """{(size, threads, who): (words per second, run)} of those that were measured."""
    found = {}
    for size in SIZES:
        for threads in (1, 2):
            results.at.update(SCALE=size, THREADS=str(threads), SCORE="additive")
            for who in PEERS:
                key = results.key_of(processor, who)
                if key in processor.values and (who != "bf16" or results.in_hardware(processor)):
                    found[size, threads, who] = processor.values[key]
    return found


def oldest(found):
    """When the oldest of the three sizes was measured; "" if one is missing."""
    if not all((size, threads, "ours") in found for size in SIZES for threads in (1, 2)):
        return ""
    return min(found[size, 1, "ours"][1].name.split(", ", 1)[1] for size in SIZES)


def draw_size(picture, x, size, found, shown):
    picture.text(x, 50, 13, "start", "#24292f", SIZES[size], BOLD)
    longest = max(value for key, (value, _) in found.items() if key[0] == size)
    y = 62
    for who in shown:
        for threads in (1, 2):
            value, _ = found.get((size, threads, who), (None, None))
            if value is None:
                picture.text(x + 4, y + 11.5, 12, "start", "#57606a", "not measured")
            else:
                picture.box(x, y, 150 * value / longest, 14, color(who, threads))
                picture.text(x + 150 * value / longest + 4, y + 11.5, 12, "start", "#24292f", group(value))
            y += 16
        y += 12


def plot(results):
    """The picture, or None if no processor has all three sizes."""
    every = [(figures_of(results, processor), processor) for processor in results.processors]
    found, processor = max(every, key=lambda one: oldest(one[0]), default=({}, None))
    if not oldest(found):
        return None
    shown = [who for who in PEERS if any(key[2] == who for key in found)]
    height = 44 * len(shown) + 106
    picture = Picture(height, f"Words per second in training: softalign and PyTorch on {processor.name}",
                      "Training, target words per second; longer is faster")
    for threads, text in ((1, "one thread"), (2, "two threads")):
        picture.box(485 + 100 * threads, 13, 14, 14, color("ours", threads))
        picture.text(503 + 100 * threads, 24.5, 12, "start", "#24292f", text)
    for at, who in enumerate(shown):
        picture.text(150, 82 + 44 * at, 13, "end", "#24292f", PEERS[who], BOLD if who in ("ours", "bf16") else "")
    for at, size in enumerate(SIZES):
        draw_size(picture, 162 + 224 * at, size, found, shown)
    commits = "; ".join(dict.fromkeys(found[size, 1, "ours"][1].name for size in SIZES))
    system = found["paper", 1, "ours"][1].about["system"]
    picture.text(14, height - 31, 12, "start", "#57606a", f"{processor.name}, {system}; softalign {commits}")
    picture.text(14, height - 14, 12, "start", "#57606a",
                 "RNNsearch on Multi30k, additive attention; each size has a scale of its own; medians of scripts/bench")
    return str(picture)
