#!/usr/bin/env python3
"""The models in PyTorch, in double, to compare softalign's gradients with.

Written from the equations, sentence by sentence, not from any other code of the project; one file
for each part in scripts/dev/reference.

  torch_reference.py DUMP           compares the loss and every gradient in a file made by
                                    `softalign gradcheck --dump DUMP`; exit code 1 when one differs
  torch_reference.py --golden DUMP  puts PyTorch's loss and gradients into it, which is how those of
                                    tests/golden were made
  torch_reference.py --attend FILE  makes tests/golden/attend.json again

Needs numpy and torch (Debian: python3-numpy, python3-torch). softalign itself needs neither.
"""

import argparse
import json
import sys

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump")
    parser.add_argument("--golden", action="store_true")
    parser.add_argument("--attend", action="store_true")
    options = parser.parse_args()

try:
    import numpy
    import torch
except ModuleNotFoundError as missing:
    sys.exit(f"torch_reference.py: the Python package '{missing.name}' is missing "
             f"(Debian: apt-get install python3-{missing.name})")

sys.dont_write_bytecode = True  # leaves no folder behind in the sources
from reference import Damaged, attend_golden, demand
from reference.attention import whole
from reference.container import read_container, write_container
from reference.masks import masks_of
from reference.modules import Modules, fits
from reference.recurrent import Recurrent
from reference.settings import complete
from reference.transformer import DecoderOnly, Transformer

EOS = 1
TOLERANCE = 1e-9
FAMILIES = {"recurrent": Recurrent, "transformer": Transformer, "decoder": DecoderOnly}


# ---- Comparing ------------------------------------------------------------------------------------

def sentences(arrays, side):
    ends = numpy.cumsum(arrays[f"{side}.len"])
    demand(ends[-1] == len(arrays[f"{side}.ids"]), f"{side}.len does not add up to {side}.ids")
    cut = [part.tolist() for part in numpy.split(arrays[f"{side}.ids"], ends[:-1])]
    demand(all(ids and ids[-1] == EOS for ids in cut), f"{side}.ids: a sentence without EOS")
    return cut


def links_of(o, arrays, pairs):
    """The rows (pair, target, source, possible) of `links` by pair. Removes it from the arrays."""
    if not o.guided_alignment:
        return None
    rows = arrays.pop("links", numpy.zeros((0, 4), int)).tolist()
    return [[row[1:] for row in rows if row[0] == i] for i in range(len(pairs))]


def extended_of(o, arrays):
    """The extended ids of the sides of every pair. Removes them from the arrays."""
    if not o.copy:
        return None
    sides = []
    for side in "source", "target":
        ids = arrays.pop(f"{side}.extended")
        sides.append(numpy.split(ids, numpy.cumsum(arrays[f"{side}.len"])[:-1]))
    return [(source.tolist(), target.tolist()) for source, target in zip(*sides, strict=True)]


def gradients(model, weights, pairs):
    """The loss and its derivative with respect to every parameter, as numpy arrays; 0 where uniform weights need no query."""
    p = {name: torch.tensor(value, requires_grad=True) for name, value in weights.items()}
    loss = model.loss(whole(p, model.o), pairs)
    loss.backward()
    unused = [name for name, leaf in p.items() if leaf.grad is None]
    demand(not unused or model.o.attention == "uniform", f"the model does not have {unused}")
    return loss.item(), {name: numpy.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy()
                         for name, leaf in p.items()}


def difference(a, b):
    """||a-b|| over the larger of the norms; 0 when both are zero, not a number when one has such."""
    largest = numpy.maximum(numpy.linalg.norm(a), numpy.linalg.norm(b))
    return float(numpy.linalg.norm(numpy.subtract(a, b)) / largest) if largest else 0.0


def read_dump(path):
    """The settings as text, all arrays and those of the weights, the pairs, and the models that PyTorch can make of it: ours
    and, where they fit, its own modules, marked (nn)."""
    metadata, arrays = read_container(path)
    settings = json.loads(metadata["settings"])
    o = complete(settings)
    pairs = list(zip(sentences(arrays, "source"), sentences(arrays, "target"), strict=True))
    masks = masks_of(o, settings, arrays, pairs)
    links = links_of(o, arrays, pairs)
    models = {"": FAMILIES[o.model](o, masks, links, extended_of(o, arrays))}
    if fits(o) and not any(masks) and not links:
        models[" (nn)"] = Modules(o)
    weights = {name: array for name, array in arrays.items() if f"gradient.{name}" in arrays}
    expected = {"loss", "source.len", "source.ids", "target.len", "target.ids", *weights}
    expected |= {f"gradient.{name}" for name in weights}
    demand(set(arrays) == expected, f"missing or unknown: {sorted(set(arrays) ^ expected)}")
    for name, array in weights.items():
        demand(array.shape == arrays[f"gradient.{name}"].shape, f"{name}: another shape than its gradient's")
    return metadata["settings"], arrays, weights, pairs, models


def differences(path):
    """The settings of a dump, as text, and (name, shape, difference) of the loss and every gradient."""
    settings, arrays, weights, pairs, models = read_dump(path)
    rows = []
    for mark, model in models.items():
        loss, found = gradients(model, weights, pairs)
        rows.append((f"loss{mark}", (1,), difference([loss], arrays["loss"])))
        rows += [(name + mark, gradient.shape, difference(gradient, arrays[f"gradient.{name}"]))
                 for name, gradient in found.items()]
    return settings, rows


def worst_of(rows):
    """The largest difference; not a number when one is none."""
    return float(numpy.max([row[-1] for row in rows]))


def compare(path):
    settings, rows = differences(path)
    for name, shape, worst in rows:
        sizes = " x ".join(map(str, shape))
        print(f"{name:32} {sizes:>12} {worst:10.2e}{'' if worst <= TOLERANCE else '  DIFFERS'}")
    good = worst_of(rows) <= TOLERANCE
    print(f"{settings}\n{'agree' if good else 'DIFFER'}: worst {worst_of(rows):.2e}, "
          f"at most {TOLERANCE:.0e} allowed")
    return good


# ---- Golden numbers -------------------------------------------------------------------------------

def confirmed(model, weights, pairs):
    """Whether autograd agrees with central differences, in a random direction of every tensor."""
    leaves = [torch.tensor(value, requires_grad=True) for value in weights.values()]
    return torch.autograd.gradcheck(lambda *moved: model.loss(whole(dict(zip(weights, moved)), model.o), pairs), leaves,
                                    atol=1e-6, fast_mode=True, raise_exception=False)


def golden(path):
    _, _, weights, pairs, models = read_dump(path)
    loss, found = gradients(models[""], weights, pairs)
    metadata, arrays = read_container(path)
    arrays |= {f"gradient.{name}": value for name, value in found.items()}
    arrays["loss"] = numpy.array([loss])
    write_container(path, metadata, arrays)
    good = confirmed(models[""], weights, pairs)
    print(f"{path}: loss {loss:.12g}{'' if good else '; its gradients DIFFER from central differences'}")
    return good


def main():
    task = attend_golden.write if options.attend else golden if options.golden else compare
    try:
        good = task(options.dump)
    except (Damaged, OSError, ValueError, KeyError) as problem:
        sys.exit(f"torch_reference.py: {options.dump}: {problem}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
