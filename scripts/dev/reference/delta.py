"""Memories of one matrix that every word rewrites: RetNet (Sun et al. 2023), gated linear attention (Yang et al. 2024),
DeltaNet (Schlag et al. 2021), gated DeltaNet (Yang et al. 2025) and KDA (Kimi Team 2025). w are the weights of one attention, o the settings."""

import torch
from torch.nn.functional import logsigmoid, silu

def unit(x):
    """x / |x| of SiLU"""
    return silu(x) / torch.sqrt((silu(x) ** 2).sum(-1, keepdim=True) + 1e-6)


def delta(w, o, k, W_q, W_k, q, H, seen):
    """What head k reads of unit values: S_j = D_j S_{j-1} + beta_j k_j (v_j - S' k_j)', o = S_n' q, or without what
    it subtracts"""
    g, G, writes = k // (o.heads // o.kv_heads), o.kv_heads, o.attention not in ("retnet", "gla")
    keys, q = unit(H @ W_k.T), unit(W_q @ q)
    u = H @ w["W_d"].T + w["b_d"] if "W_d" in w else None
    decays, S = u[:, G * writes:] if u is not None else None, torch.zeros(len(q), len(H), dtype=torch.float64)
    for j in range(len(H)):
        if not seen[j]:
            continue
        if o.attention == "gla":
            S = torch.exp(logsigmoid(decays[j]).chunk(G)[g] / 16)[:, None] * S
        elif o.attention == "gated-deltanet":
            S = torch.sigmoid(decays[j, g]) * S
        elif o.attention == "kda":
            S = torch.sigmoid(decays[j].chunk(G)[g])[:, None] * S
        elif o.attention == "retnet":
            S = (1 - 2. ** (-5 - g)) * S
        value = torch.eye(len(H), dtype=torch.float64)[j]
        if writes:
            value = torch.sigmoid(u[j, g]) * (value - S.T @ keys[j])
        S = S + torch.outer(keys[j], value)
    return S.T @ q
