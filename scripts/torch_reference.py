#!/usr/bin/env python3
"""The models in PyTorch, in double, to compare softalign's gradients with.

Written from the equations, sentence by sentence, and from no other code of the project; one file
for each part in scripts/reference.

  torch_reference.py DUMP           compares the loss and every gradient in a file made by
                                    `softalign gradcheck --dump DUMP`; exit code 1 when one differs
  torch_reference.py --golden FILE  makes a tiny model and a batch and writes them, with loss and
      [--set NAME=VALUE]...         gradients, as a dump; NAME is an option of softalign without
                                    dashes, as in decoder=cgru
  torch_reference.py --goldens DIR  makes those of tests/golden again, and the attend.json of attend_golden.py

Needs numpy and torch (Debian: python3-numpy, python3-torch). softalign itself needs neither.
"""

import argparse
import json
import sys

try:
    import numpy
    import torch
except ModuleNotFoundError as missing:
    sys.exit(f"torch_reference.py: the Python package '{missing.name}' is missing "
             f"(Debian: apt-get install python3-{missing.name})")

sys.dont_write_bytecode = True  # leaves no folder behind in the sources
from reference import Damaged, attend_golden, demand
from reference.container import read_container, write_container
from reference.masks import masks_of
from reference.modules import Modules, fits
from reference.recurrent import Recurrent
from reference.settings import complete, parse
from reference.transformer import Transformer

EOS = 1
TOLERANCE = 1e-9
FAMILIES = {"recurrent": Recurrent, "transformer": Transformer}


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
    """The loss and its derivative by every parameter, as numpy arrays; 0 for one it does not reach."""
    p = {name: torch.tensor(value, requires_grad=True) for name, value in weights.items()}
    loss = model.loss(p, pairs)
    loss.backward()
    return loss.item(), {name: numpy.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy()
                         for name, leaf in p.items()}


def difference(a, b):
    """||a-b|| over the larger of the norms; 0 when both are zero, not a number when one has such."""
    largest = numpy.maximum(numpy.linalg.norm(a), numpy.linalg.norm(b))
    return float(numpy.linalg.norm(numpy.subtract(a, b)) / largest) if largest else 0.0


def differences(path):
    """The settings of a dump, as text, and (name, shape, difference) of the loss and every gradient;
    where PyTorch's own modules can build the model, a second time with these, marked (nn)."""
    metadata, arrays = read_container(path)
    settings = json.loads(metadata["settings"])
    o = complete(settings)
    pairs = list(zip(sentences(arrays, "source"), sentences(arrays, "target"), strict=True))
    masks = masks_of(o, settings, arrays, pairs)
    links = links_of(o, arrays, pairs)
    model = FAMILIES[o.model](o, masks, links, extended_of(o, arrays))
    demand({model.source_E, "target.E"} <= set(arrays), "no embeddings")
    wanted = model.shapes(len(arrays[model.source_E]), len(arrays["target.E"]))
    expected = {"loss", "source.len", "source.ids", "target.len", "target.ids", *wanted}
    expected |= {f"gradient.{name}" for name in wanted}
    demand(set(arrays) == expected, f"missing or unknown: {sorted(set(arrays) ^ expected)}")
    for name, shape in wanted.items():
        demand(arrays[name].shape == arrays[f"gradient.{name}"].shape == shape, f"{name}: not {shape}")
    rows = []
    for other, mark in (model, ""), *([(Modules(o), " (nn)")] if fits(o) and not any(masks) and not links else []):
        loss, found = gradients(other, {name: arrays[name] for name in wanted}, pairs)
        rows.append((f"loss{mark}", (1,), difference([loss], arrays["loss"])))
        rows += [(name + mark, wanted[name], difference(found[name], arrays[f"gradient.{name}"]))
                 for name in wanted]
    return metadata["settings"], rows


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
    return torch.autograd.gradcheck(lambda *moved: model.loss(dict(zip(weights, moved)), pairs), leaves,
                                    atol=1e-6, fast_mode=True, raise_exception=False)


def drawn(model, pairs, random):
    """Weights, and the loss and gradients at them; drawn again while the loss is near a jump or kink."""
    while True:
        weights = {name: random.normal(0, 0.7, shape) for name, shape in model.shapes(7, 9).items()}
        loss, found = gradients(model, weights, pairs)
        if model.margin > 0.02:
            return weights, loss, found


def golden(path, chosen):
    """All sizes differ, the lengths are ragged and in no order, one word is unknown."""
    settings = {"attention": "additive", "embed": 3, "hidden": 4, "attn": 5, "maxout": 3, **chosen}
    source, target = [[4, 0, EOS], [3, 5, 6, 4, EOS], [5, EOS]], [[8, 3, 3, EOS], [7, EOS], [5, 0, EOS]]
    o, random = complete(settings), numpy.random.RandomState(2015)
    model = FAMILIES[o.model](o)
    pairs = list(zip(source, target))
    weights, loss, found = drawn(model, pairs, random)
    arrays = {**weights, **{f"gradient.{name}": value for name, value in found.items()}}
    arrays["loss"] = numpy.array([loss])
    for side, batch in (("source", source), ("target", target)):
        arrays[f"{side}.len"] = numpy.array([len(ids) for ids in batch], "<i4")
        arrays[f"{side}.ids"] = numpy.array(sum(batch, []), "<i4")
    write_container(path, {"settings": json.dumps(settings)}, arrays)
    good = confirmed(model, weights, pairs)
    print(f"{path}: loss {loss:.12g}{'' if good else '; its gradients DIFFER from central differences'}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", nargs="?")
    parser.add_argument("--golden", metavar="FILE")
    parser.add_argument("--goldens", metavar="DIR")
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[])
    options = parser.parse_args()
    if sum(map(bool, (options.dump, options.golden, options.goldens))) != 1:
        parser.error("expected one of DUMP, --golden FILE and --goldens DIR")
    if options.set and not options.golden:
        parser.error("--set goes with --golden")
    try:
        if options.dump:
            good = compare(options.dump)
        elif options.golden:
            good = golden(options.golden, parse(options.set))
        else:
            with open(f"{sys.path[0]}/reference/goldens.tsv", encoding="ascii") as file:
                rows = [line.rstrip("\n").split("\t") for line in file]
            attend_golden.write(f"{options.goldens}/attend.json")
            good = all([golden(f"{options.goldens}/{name}.safetensors", parse(text.split())) for name, text in rows])
    except (Damaged, OSError, ValueError, KeyError) as problem:
        sys.exit(f"torch_reference.py: {options.dump or options.golden or options.goldens}: {problem}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
