"""From the source words to their annotations. o are the settings."""

from types import SimpleNamespace

import torch

from .cells import cell, zero_state
from .position import positioned


def part_of(layer, way):
    return f"encoder.{way}" if layer == 1 else f"encoder.{layer}.{way}"


def ways(o):
    return {"bi": ("forward", "backward"), "uni": ("forward",), "none": ()}[o.encoder]


def reading_order(o, length):
    """The place in the sentence of each word that is read; EOS is always the last."""
    words = list(range(length - 1))
    return (words[::-1] if o.reverse_source else words) + [length - 1]


def read_one_way(p, o, part, inputs, d):
    """d: the mask of the state that U is applied to, the same at every word"""
    state, states = zero_state(o.hidden), []
    for x in inputs:
        state = cell(p, o, part, x, None, state, d)
        states.append(state)
    return states


def encode(p, o, E, source, drop, mask):
    """The annotations H of the top layer, row j that of word j, whatever the order of reading;
    forward_S, a state with its memory, and backward_1; `last` holds forward_S of every layer. drop and
    mask: dropout (Model.drop, the mask of a cell's state); the words' masks are in the order of reading."""
    order = reading_order(o, len(source))
    words = drop("source.words", torch.stack([E[source[j]] for j in order]))
    h = list(drop("source.E", torch.stack(positioned(p, o, "source", list(words)))))
    last = []
    for layer in range(1, o.layers + 1):
        halves = []
        if layer > 1 and ways(o):
            h = list(drop(f"encoder.{layer}.x", torch.stack(h)))
        for way in ways(o):
            inputs = h[::-1] if way == "backward" else h
            part = part_of(layer, way)
            states = read_one_way(p, o, part, inputs, mask(part))
            if way == "forward":
                last.append(states[-1])
            else:
                states = states[::-1]
            halves.append([s for s, memory in states])
        if halves:
            h = [torch.cat(both) for both in zip(*halves)]
    H = drop("annotations", torch.stack([h[order.index(j)] for j in range(len(source))]))
    if last:  # what others see of the last states is part of the annotations
        last[-1] = H[order[-1], :o.hidden], last[-1][1]
    return SimpleNamespace(H=H, last=last, forward_S=last[-1] if last else None, backward_1=H[order[0], o.hidden:])


def ends(o, encoded):
    """[forward_S ; backward_1], where backward_1 is empty without a backward layer; without any layer mean_j h_j"""
    return torch.cat([encoded.forward_S[0], encoded.backward_1]) if encoded.last else encoded.H.mean(0)
