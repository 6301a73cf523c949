"""Attention on numbers, in double: what `softalign attend` must find. Tables, and the weights and outputs that
torch.nn.MultiheadAttention, or the formula written out, makes of them."""

import json
import math

import torch

from .attention import SCORES, rows
from .position import sinusoidal


def drawn(**shapes):
    return {name: torch.randn(shape) for name, shape in shapes.items()}


def case(name, tables, weights, outputs, attention="scaled-dot", heads=1, causal=False, positions="none"):
    tables = {key.replace("_", "-"): value.tolist() for key, value in tables.items()}
    return {"name": name, "attention": attention, "heads": heads, "causal": causal, "positions": positions,
            "tables": tables, "weights": weights.tolist(), "outputs": outputs.tolist()}


def formula(name, tables, attention="scaled-dot", heads=1, causal=False, positions="none"):
    """What the tables lack: projections are 1, v_a is full of ones. Causal is the upper left triangle, with more
    or fewer queries than keys."""
    x = tables.get("self")
    if positions == "sinusoidal":
        x = torch.stack([row + sinusoidal(t, len(row)) for t, row in enumerate(x)])
    Q, V = tables.get("query", x), tables.get("values", x)
    H = tables.get("keys", V)
    W_a = tables.get("project_query", torch.eye(Q.shape[1]))
    U_a = tables.get("project_keys", torch.eye(H.shape[1]))
    if attention == "general":
        W_a = U_a
    w = {"W_a": W_a, "U_a": U_a, "v_a": tables.get("vector", torch.ones(1, len(W_a)))[0]}
    alphas = []
    for k in range(heads):
        own = {letter: rows(matrix, k, heads) for letter, matrix in w.items()}
        e = torch.stack([SCORES[attention](own, q, H) for q in Q])
        if causal:
            e = e.masked_fill(torch.ones_like(e).triu(1).bool(), -math.inf)
        alphas.append(torch.softmax(e, -1))
    outputs = [alpha @ own for alpha, own in zip(alphas, V.chunk(heads, 1))]
    return case(name, tables, torch.stack(alphas), torch.cat(outputs, 1), attention, heads, causal, positions)


def formulas():
    yield formula("look-up", drawn(query=(3, 4), keys=(5, 4), values=(5, 3)))
    yield formula("causal self-attention", drawn(self=(5, 3)), causal=True)
    for count, keys in ((2, 5), (5, 2)):
        tables = drawn(query=(count, 2), keys=(keys, 2), values=(keys, 2))
        yield formula(f"{count} causal queries of {keys} keys", tables, causal=True)
    yield formula("positions", drawn(self=(4, 5)), positions="sinusoidal")
    tables = drawn(query=(2, 3), keys=(4, 5), values=(4, 2), project_keys=(3, 5))
    for name in ("dot", "general"):
        yield formula(name, tables, name)
    v_a = {"vector": (1, 8)}
    for name, heads, given in (("additive", 1, v_a), ("concat", 2, v_a), ("additive", 4, {})):
        tables = drawn(query=(3, 4), keys=(5, 6), values=(5, 8), project_query=(8, 4), project_keys=(8, 6), **given)
        yield formula(f"{name}, {heads} heads", tables, name, heads)
    for keys in (3, 5):  # places for four keys: a fifth one is out of sight
        yield formula(f"location, {keys} keys", drawn(query=(3, 2), values=(keys, 2), project_query=(4, 2)), "location")
    yield formula("uniform", drawn(query=(2, 3), values=(4, 2)), "uniform")


def multihead(heads, causal=False, **widths):
    """PyTorch's own"""
    layer = torch.nn.MultiheadAttention(8, heads, batch_first=True, **widths)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    q = torch.randn(4 if causal else 3, 8)
    k, v = (q, q) if causal else (torch.randn(4, widths.get("kdim", 8)),
                                  torch.randn(4, widths.get("vdim", 8)))
    mask = torch.ones(4, 4).triu(1).bool() if causal else None
    outputs, weights = layer(q[None], k[None], v[None], attn_mask=mask, average_attn_weights=False)
    own = layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight
    maps = own if widths else layer.in_proj_weight.chunk(3)
    biases = layer.in_proj_bias[None].chunk(3, 1)
    tables = {"project_output": layer.out_proj.weight, "bias_output": layer.out_proj.bias[:, None]}
    for name, W, b in zip(("query", "keys", "values"), maps, biases):
        tables |= {f"project_{name}": W, f"bias_{name}": b}
    tables |= {"self": q} if causal else {"query": q, "keys": k, "values": v}
    name = f"MultiheadAttention, {heads} heads" + (", causal" if causal else "")
    name += "".join(f", {key} {value}" for key, value in widths.items())
    return case(name, tables, weights[0], outputs[0], heads=heads, causal=causal)


def write(path):
    """tests/golden/attend.json"""
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(20170612)
    cases = [*formulas(), multihead(1), multihead(2), multihead(4), multihead(2, causal=True),
             multihead(2, kdim=5, vdim=7)]
    with open(path, "w", encoding="ascii") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")
    return True
