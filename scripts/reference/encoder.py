"""From the source words to their annotations. o are the settings."""

from types import SimpleNamespace

import torch

from .cells import cell, cell_shapes, zero_state
from .position import position_shapes, positioned


def part_of(layer, way):
    return f"encoder.{way}" if layer == 1 else f"encoder.{layer}.{way}"


def ways(o):
    return {"bi": ("forward", "backward"), "uni": ("forward",), "none": ()}[o.encoder]


def encoder_shapes(o):
    shapes = position_shapes(o, "source")
    for layer in range(1, o.layers + 1):
        for way in ways(o):
            width = o.embed if layer == 1 else o.annotation
            shapes |= cell_shapes(o.cell, part_of(layer, way), o.hidden, width, 0)
    return shapes


def reading_order(o, length):
    """The place in the sentence of each word that is read; the end mark is always the last."""
    words = list(range(length - 1))
    return (words[::-1] if o.reverse_source else words) + [length - 1]


def read_one_way(p, o, part, inputs):
    state, states = zero_state(o.hidden), []
    for x in inputs:
        state = cell(p, o, part, x, None, state)
        states.append(state)
    return states


def encode(p, o, E, source):
    """The annotations H of the top layer, row j that of word j, whatever the order of reading;
    forward_S, a state with its memory, and backward_1."""
    order = reading_order(o, len(source))
    h = positioned(p, o, "source", [E[source[j]] for j in order])
    result = SimpleNamespace(forward_S=None, backward_1=None)
    for layer in range(1, o.layers + 1):
        halves = []
        for way in ways(o):
            turned = h[::-1] if way == "backward" else h
            states = read_one_way(p, o, part_of(layer, way), turned)
            if way == "forward":
                result.forward_S = states[-1]
            else:
                result.backward_1 = states[-1][0]
                states = states[::-1]
            halves.append([s for s, memory in states])
        if halves:
            h = [torch.cat(both) for both in zip(*halves)]
    result.H = torch.stack([h[order.index(j)] for j in range(len(source))])
    return result


def ends(o, encoded):
    """[forward_S ; backward_1], without a backward layer forward_S, without any layer mean_j h_j"""
    if o.encoder == "none":
        return encoded.H.mean(0)
    if o.encoder == "uni":
        return encoded.forward_S[0]
    return torch.cat([encoded.forward_S[0], encoded.backward_1])
