"""The dropout masks of a dump. o are the settings of the model."""

import torch

from . import demand
from .encoder import part_of, ways


def places(o, settings):
    """Where these settings apply dropout: each place, and whether its mask has a row per source word,
    target word, word that a decoder-only model reads ("joined"), or sentence."""
    everywhere = settings.get("dropout", 0)

    def probability(name):
        own = settings.get(f"dropout-{name}", -1)
        return everywhere if own < 0 else own

    found = {}
    sides = {"target": "joined"} if o.model == "decoder" else {"source": "source", "target": "target"}
    for side, rows in sides.items():
        found |= {f"{side}.words": rows} if settings.get("word-dropout", 0) > 0 else {}
        found |= {f"{side}.E": rows} if probability("embeddings") > 0 else {}
    if o.model != "recurrent":
        sublayers = {"encoder": ("source", ("self", "feedforward")),
                     "decoder": ("target", ("self", *(() if o.merged else ("cross",)), "feedforward"))}
        if o.model == "decoder":
            sublayers = {"decoder": ("joined", ("self", "feedforward"))}
        return found | {f"{stack}.{layer}.{name}": side for stack, (side, names) in sublayers.items()
                        for layer in range(1, o.layers + 1) for name in names if everywhere > 0}
    cells = [part_of(layer, way) for layer in range(1, o.layers + 1) for way in ways(o)]
    upper = [f"decoder.{layer}" for layer in range(2, o.decoder_layers + 1)]
    cells += ["decoder", *(["decoder.second"] if o.decoder == "cgru" else []), *upper]
    found |= {part: "sentence" for part in cells if settings.get("dropout-state", 0) > 0}
    if settings.get("dropout-layers", 0) > 0:
        found |= {f"encoder.{layer}.x": "source" for layer in range(2, o.layers + 1) if ways(o)}
        found |= {f"{part}.x": "target" for part in upper}
    noisy = o.attention == "monotonic" and settings.get("monotonic-noise", 1) > 0
    if o.attends and (noisy or o.attention == "hard"):
        found["attention"] = "target"  # no mask: what is added to the scores, or decides the draws
    found |= {"annotations": "source"} if probability("annotations") > 0 else {}
    return found | ({"readout": "target"} if probability("readout") > 0 and not o.points else {})


def masks_of(o, settings, arrays, pairs):
    """For each pair its masks by the place, rows of 0 or 1 / (1 - p). Removes them from the arrays."""
    cut = [{} for _ in pairs]
    count_of = {"source": lambda source, target: len(source), "target": lambda source, target: len(target),
                "joined": lambda source, target: len(source) + len(target) - 1, "sentence": lambda source, target: 1}
    for place, kind in places(o, settings).items():
        counts = [count_of[kind](*pair) for pair in pairs]
        array = arrays.pop(f"mask.{place}", ())
        demand(len(array) == sum(counts), f"mask.{place}: {len(array)} rows, not {sum(counts)}")
        for own, rows in zip(cut, torch.tensor(array).split(counts), strict=True):
            own[place] = rows
    return cut
