"""Where a word stands. o are the settings."""

import torch


def position_shapes(o, side):
    return {f"{side}.P": (o.max_positions, o.embed)} if o.positions == "learned" else {}


def sinusoidal(t, m):
    """PE_t[2i] = sin(t / 10000^(2i/m)), PE_t[2i+1] = cos(t / 10000^(2i/m))"""
    k = torch.arange(m, dtype=torch.float64)
    angle = t / 10000 ** ((k - k % 2) / m)
    return torch.where(k % 2 == 0, torch.sin(angle), torch.cos(angle))


def positioned(p, o, side, words):
    """x_t + PE_t, t = 0, 1, ..; learned: PE_t is row t of P, beyond its end the last row"""
    if o.positions == "none":
        return words
    if o.positions == "sinusoidal":
        return [x + sinusoidal(t, o.embed) for t, x in enumerate(words)]
    return [x + p[f"{side}.P"][min(t, o.max_positions - 1)] for t, x in enumerate(words)]
