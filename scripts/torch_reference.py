#!/usr/bin/env python3
"""The model once more, in PyTorch and in double, to compare softalign's own gradients with.

Written from the papers' equations, sentence by sentence, and from no other code of the project.

  torch_reference.py DUMP           compares the loss and every gradient in a file made by
                                    `softalign gradcheck --dump DUMP`; exit code 1 when one differs
  torch_reference.py --golden FILE  makes a tiny model and a batch and writes them, with loss and
      [--attention NAME]            gradients, as a dump: the files of tests/golden

Needs numpy and torch (Debian: python3-numpy, python3-torch). softalign itself needs neither.
"""

import argparse
import json
import struct
import sys
import zlib

try:
    import numpy
    import torch
except ModuleNotFoundError as missing:
    sys.exit(f"torch_reference.py: the Python package '{missing.name}' is missing "
             f"(Debian: apt-get install python3-{missing.name})")

START, END = 2, 1
TOLERANCE = 1e-9


# ---- The container: safetensors with a checksum ---------------------------------------------------

TYPES = {"F64": "<f8", "I64": "<i8", "F32": "<f4", "I32": "<i4", "U8": "|u1"}


class Damaged(Exception):
    """A file that is not what it should be."""


def demand(condition, text):
    if not condition:
        raise Damaged(text)


def unique(pairs):
    demand(len(dict(pairs)) == len(pairs), "duplicate key in the header")
    return dict(pairs)


def read_container(path):
    """The metadata and the arrays of a file, without its checksum."""
    with open(path, "rb") as file:
        whole = file.read()
    demand(len(whole) > 8, "truncated")
    (length,) = struct.unpack("<Q", whole[:8])
    demand(length <= len(whole) - 8 and whole[8:9] == b"{", "no header")
    header = json.loads(whole[8:8 + length].decode("utf-8"), object_pairs_hook=unique)
    metadata = header.pop("__metadata__", {})
    demand(metadata.get("format") == "softalign" and metadata.get("version") == "1", "not softalign's")
    data, at, arrays = whole[8 + length:], 0, {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        kind = numpy.dtype(TYPES[entry["dtype"]])
        count = int(numpy.prod(entry["shape"], dtype=object))
        demand(begin == at and end - begin == count * kind.itemsize, f"{name}: data_offsets")
        demand((8 + length + begin) % kind.itemsize == 0, f"{name}: not aligned")
        arrays[name] = numpy.frombuffer(data[begin:end], kind).reshape(entry["shape"])
        at = end
    demand(at == len(data) and [*header][-1:] == ["checksum"], "the end is not the checksum")
    demand(arrays.pop("checksum").tobytes() == struct.pack("<I", zlib.crc32(whole[:-4])), "checksum")
    return metadata, arrays


def write_container(path, metadata, arrays):
    names = {numpy.dtype(code): name for name, code in TYPES.items()}
    header, data = {"__metadata__": {"format": "softalign", "version": "1", **metadata}}, b""
    ordered = sorted(arrays.items(), key=lambda item: list(names).index(item[1].dtype))
    for name, array in [*ordered, ("checksum", numpy.zeros(4, "u1"))]:
        place = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": names[array.dtype], "shape": array.shape, "data_offsets": place}
        data += array.tobytes()
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    whole = struct.pack("<Q", len(text)) + text + data[:-4]
    with open(path, "wb") as file:
        file.write(whole + struct.pack("<I", zlib.crc32(whole)))


# ---- Scores: e_ij from the query s_{i-1} and all annotations H [S, 2n] ----------------------------

def additive(p, s, H):
    """e_j = v_a' tanh(W_a s + U_a h_j)"""
    return torch.tanh(p["attention.W_a"] @ s + H @ p["attention.U_a"].T) @ p["attention.v_a"]


def concat(p, s, H):
    """e_j = v_a' tanh(W [s ; h_j]), with W = [W_a U_a]: additive, written as Luong et al. do"""
    W = torch.cat([p["attention.W_a"], p["attention.U_a"]], 1)
    joined = torch.cat([s.expand(len(H), -1), H], 1)
    return torch.tanh(joined @ W.T) @ p["attention.v_a"]


def dot(p, s, H):
    """e_j = q'k_j, q = W_a s, k_j = U_a h_j"""
    return (H @ p["attention.U_a"].T) @ (p["attention.W_a"] @ s)


def scaled_dot(p, s, H):
    """e_j = q'k_j / sqrt(n'), n' the length of q"""
    return dot(p, s, H) / len(p["attention.W_a"]) ** 0.5


def general(p, s, H):
    """e_j = s' W_a h_j"""
    return s @ p["attention.W_a"] @ H.T


def location(p, s, H):
    """e = W_a s, its first S numbers; positions that W_a has no row for get weight 0"""
    e = torch.full((len(H),), -torch.inf, dtype=torch.float64)
    seen = min(len(H), len(p["attention.W_a"]))
    e[:seen] = (p["attention.W_a"] @ s)[:seen]
    return e


def uniform(p, s, H):
    """e_j = 0"""
    return torch.zeros(len(H), dtype=torch.float64)


SCORES = {"additive": additive, "scaled-dot": scaled_dot, "dot": dot, "general": general,
          "concat": concat, "location": location, "uniform": uniform}


def score_shapes(attention, n, a, places):
    mapped = {"attention.W_a": (a, n), "attention.U_a": (a, 2 * n)}
    return {
        "additive": {**mapped, "attention.v_a": (a,)},
        "concat": {**mapped, "attention.v_a": (a,)},
        "scaled-dot": mapped,
        "dot": mapped,
        "general": {"attention.W_a": (n, 2 * n)},
        "location": {"attention.W_a": (places, n)},
        "uniform": {},
    }[attention]


# ---- The gated hidden unit ------------------------------------------------------------------------

def gated_shapes(prefix, m, n, context=0):
    shapes = {}
    for gate in ("_z", "_r", ""):
        shapes |= {f"{prefix}.W{gate}": (n, m), f"{prefix}.U{gate}": (n, n), f"{prefix}.b{gate}": (n,)}
        if context:
            shapes[f"{prefix}.C{gate}"] = (n, context)
    return shapes


def gated_unit(p, prefix, x, h, c=None):
    """h' = (1-z) . h + z . h~, h~ = tanh(W x + U[r . h] + C c + b): z is the share of the new state,
    and r acts before U."""
    def total(gate, state):
        a = p[f"{prefix}.W{gate}"] @ x + p[f"{prefix}.U{gate}"] @ state + p[f"{prefix}.b{gate}"]
        return a if c is None else a + p[f"{prefix}.C{gate}"] @ c

    z, r = torch.sigmoid(total("_z", h)), torch.sigmoid(total("_r", h))
    return (1 - z) * h + z * torch.tanh(total("", r * h))


# ---- RNNsearch (Bahdanau, Cho, Bengio 2015) -------------------------------------------------------

class Rnnsearch:
    def __init__(self, settings):
        self.m, self.n, self.a, self.l = (settings[k] for k in ("embed", "hidden", "attn", "maxout"))
        self.attention = settings["attention"]
        self.places = settings.get("max-len", 50) + 1  # of the location score: the end mark is one

    def shapes(self, source_words, target_words):
        m, n, l = self.m, self.n, self.l
        return {
            "source.E": (source_words, m),
            **gated_shapes("encoder.forward", m, n),
            **gated_shapes("encoder.backward", m, n),
            **score_shapes(self.attention, n, self.a, self.places),
            "decoder.W_s": (n, n), "decoder.b_s": (n,),
            "target.E": (target_words, m),
            **gated_shapes("decoder", m, n, context=2 * n),
            "readout.U_o": (2 * l, n), "readout.V_o": (2 * l, m), "readout.C_o": (2 * l, 2 * n),
            "readout.b_o": (2 * l,), "readout.W_o": (target_words, l), "readout.b_y": (target_words,),
        }

    def read_one_way(self, p, prefix, words):
        h, states = torch.zeros(self.n, dtype=torch.float64), []
        for x in words:
            h = gated_unit(p, prefix, x, h)
            states.append(h)
        return states

    def encode(self, p, source):
        """The annotations h_j = [forward_j ; backward_j], and backward_1."""
        words = [p["source.E"][word] for word in source]
        forward = self.read_one_way(p, "encoder.forward", words)
        backward = self.read_one_way(p, "encoder.backward", words[::-1])[::-1]
        return torch.cat([torch.stack(forward), torch.stack(backward)], 1), backward[0]

    def negative_log_probability(self, p, source, target):
        H, backward_1 = self.encode(p, source)
        s = torch.tanh(p["decoder.W_s"] @ backward_1 + p["decoder.b_s"])
        total, previous = 0, START
        for word in target:
            y = p["target.E"][previous]
            alpha = torch.softmax(SCORES[self.attention](p, s, H), 0)
            c = alpha @ H
            t = p["readout.U_o"] @ s + p["readout.V_o"] @ y + p["readout.C_o"] @ c + p["readout.b_o"]
            t = torch.maximum(t[0::2], t[1::2])
            total = total - torch.log_softmax(p["readout.W_o"] @ t + p["readout.b_y"], 0)[word]
            s, previous = gated_unit(p, "decoder", y, s, c), word
        return total

    def loss(self, p, pairs):
        return sum(self.negative_log_probability(p, *pair) for pair in pairs) / len(pairs)


# ---- Comparing ------------------------------------------------------------------------------------

def sentences(arrays, side):
    ends = numpy.cumsum(arrays[f"{side}.len"])
    demand(ends[-1] == len(arrays[f"{side}.ids"]), f"{side}.len does not add up to {side}.ids")
    cut = [part.tolist() for part in numpy.split(arrays[f"{side}.ids"], ends[:-1])]
    demand(all(ids and ids[-1] == END for ids in cut), f"{side}.ids: a sentence without its end mark")
    return cut


def gradients(model, weights, pairs):
    """The loss and its derivative by every parameter, as numpy arrays."""
    p = {name: torch.tensor(value, requires_grad=True) for name, value in weights.items()}
    loss = model.loss(p, pairs)
    loss.backward()
    return loss.item(), {name: leaf.grad.numpy() for name, leaf in p.items()}


def difference(a, b):
    """||a-b|| over the larger of the norms; 0 when both are zero."""
    largest = max(numpy.linalg.norm(a), numpy.linalg.norm(b))
    return float(numpy.linalg.norm(numpy.subtract(a, b)) / largest) if largest else 0.0


def compare(path):
    metadata, arrays = read_container(path)
    model = Rnnsearch(json.loads(metadata["settings"]))
    pairs = list(zip(sentences(arrays, "source"), sentences(arrays, "target"), strict=True))
    wanted = model.shapes(len(arrays["source.E"]), len(arrays["target.E"]))
    expected = {"loss", "source.len", "source.ids", "target.len", "target.ids", *wanted}
    expected |= {f"gradient.{name}" for name in wanted}
    demand(set(arrays) == expected, f"missing or unknown: {sorted(set(arrays) ^ expected)}")
    for name, shape in wanted.items():
        demand(arrays[name].shape == arrays[f"gradient.{name}"].shape == shape, f"{name}: not {shape}")
    loss, ours = gradients(model, {name: arrays[name] for name in wanted}, pairs)
    rows = [("loss", (1,), difference([loss], arrays["loss"]))]
    rows += [(name, wanted[name], difference(ours[name], arrays[f"gradient.{name}"])) for name in wanted]
    for name, shape, worst in rows:
        sizes = " x ".join(map(str, shape))
        print(f"{name:24} {sizes:>12} {worst:10.2e}{'' if worst <= TOLERANCE else '  DIFFERS'}")
    good = all(worst <= TOLERANCE for *_, worst in rows)
    print(f"{metadata['settings']}\n{'agree' if good else 'DIFFER'}: worst {max(r[-1] for r in rows):.2e}, "
          f"at most {TOLERANCE:.0e} allowed")
    return good


# ---- Golden numbers -------------------------------------------------------------------------------

def spot_check(model, weights, pairs, found, random):
    """The worst error of autograd against fourth-order differences, over one element of every tensor."""
    worst, step = 0.0, 1e-3
    for name, value in weights.items():
        place = tuple(random.randint(size) for size in value.shape)
        row = {"source.E": pairs[0][0][0], "target.E": START}.get(name)  # of a word that occurs
        if row is not None:
            place = (row, place[1])

        def loss_at(shift):
            moved = value.copy()
            moved[place] += shift
            return model.loss({k: torch.tensor(v) for k, v in {**weights, name: moved}.items()}, pairs).item()

        near, far = (loss_at(h) - loss_at(-h) for h in (step, 2 * step))
        numeric = (8 * near - far) / (12 * step)
        worst = max(worst, abs(numeric - found[name][place]) / max(1e-3, abs(numeric)))
    return worst


def golden(path, attention):
    """Sizes that are all different, ragged lengths in no order, an unknown word."""
    settings = {"attention": attention, "embed": 3, "hidden": 4, "attn": 5, "maxout": 3}
    source, target = [[4, 0, END], [3, 5, 6, 4, END], [5, END]], [[8, 3, 3, END], [7, END], [5, 0, END]]
    model, random = Rnnsearch(settings), numpy.random.RandomState(2015)
    pairs = list(zip(source, target))
    weights = {name: random.normal(0, 0.7, shape) for name, shape in model.shapes(7, 9).items()}
    loss, found = gradients(model, weights, pairs)
    worst = spot_check(model, weights, pairs, found, random)
    arrays = {**weights, **{f"gradient.{name}": value for name, value in found.items()}}
    arrays["loss"] = numpy.array([loss])
    for side, batch in (("source", source), ("target", target)):
        arrays[f"{side}.len"] = numpy.array([len(ids) for ids in batch], "<i4")
        arrays[f"{side}.ids"] = numpy.array(sum(batch, []), "<i4")
    write_container(path, {"settings": json.dumps(settings)}, arrays)
    print(f"{path}: loss {loss:.12g}; worst error against central differences {worst:.1e}")
    return worst < 1e-8


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", nargs="?")
    parser.add_argument("--golden", metavar="FILE")
    parser.add_argument("--attention", choices=SCORES, default="additive")
    options = parser.parse_args()
    if bool(options.dump) == bool(options.golden):
        parser.error("expected either DUMP or --golden FILE")
    try:
        good = golden(options.golden, options.attention) if options.golden else compare(options.dump)
    except (Damaged, OSError, ValueError, KeyError) as problem:
        sys.exit(f"torch_reference.py: {options.dump or options.golden}: {problem}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
