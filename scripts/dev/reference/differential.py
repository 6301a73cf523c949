"""Differential attention (Ye et al. 2024): what its two maps read, lambda and the norm of its heads. w are the weights of
one attention, o the settings."""

import math

import torch


def lambda_init(o, part):
    """Of the layer in the name of the part, counted from 1"""
    if o.attention != "differential":
        return {}
    return {"lambda_init": 0.8 - 0.6 * math.exp(-0.3 * (int(part.split(".")[1]) - 1))}


class Half:
    """Where words stand, for one of two maps of head k"""

    def __init__(self, place, k, m):
        self.place, self.k, self.m, self.rotated = place, k, m, place.rotated

    def bias(self, _, i, S, H):
        return self.place.bias(self.k, i, S, H)

    def added(self, name, i, S):
        a = self.place.added(name, i, S)
        return a[:, :a.shape[1] // 2] if self.m == 0 else a[:, a.shape[1] // 2:]


def lambda_of(w):
    products = [w[f"lambda_q{m}"] @ w[f"lambda_k{m}"] for m in (1, 2)]
    return torch.exp(products[0]) - torch.exp(products[1]) + w["lambda_init"]


def head_norm(w, o, x):
    """(1 - lambda_init) RMSNorm(x), of a head's output"""
    if o.attention != "differential":
        return x
    return (1 - w["lambda_init"]) * w["head_norm"] * x / torch.sqrt((x ** 2).mean() + 1e-5)
