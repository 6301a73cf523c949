#!/usr/bin/env python3
"""Attention by PyTorch, in double: what `softalign attend` must find.

  attend_golden.py FILE    writes tests/golden/attend.json: tables, and the weights and outputs that
                           torch.nn.MultiheadAttention, or the formula written out, makes of them

Needs torch (Debian: python3-torch). Neither softalign nor its tests need it.
"""

import json
import math
import sys

import torch

torch.set_default_dtype(torch.float64)


def plain(tensor):
    return tensor.detach().tolist()


def case(name, weights, outputs, attention="scaled-dot", heads=1, causal=False, positions="none",
         **tables):
    return {"name": name, "attention": attention, "heads": heads, "causal": causal,
            "positions": positions,
            "tables": {key.replace("_", "-"): plain(value) for key, value in tables.items()},
            "weights": plain(weights), "outputs": plain(outputs)}


def softmax(scores, causal=False):
    if causal:
        unseen = torch.ones_like(scores).triu(1).bool()
        scores = scores.masked_fill(unseen, -math.inf)
    return torch.softmax(scores, -1)


# ---- Formulas written out --------------------------------------------------------------------------

def look_up():
    q, k, v = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 3)
    alpha = softmax(q @ k.T / math.sqrt(4))
    return case("look-up", alpha[None], alpha @ v, query=q, keys=k, values=v)


def causal_self():
    x = torch.randn(5, 3)
    alpha = softmax(x @ x.T / math.sqrt(3), causal=True)
    return case("causal self-attention", alpha[None], alpha @ x, causal=True, self=x)


def causal_queries(count, keys):
    """The upper left triangle, more or fewer queries than keys."""
    q, k, v = torch.randn(count, 2), torch.randn(keys, 2), torch.randn(keys, 2)
    alpha = softmax(q @ k.T / math.sqrt(2), causal=True)
    return case(f"{count} causal queries of {keys} keys", alpha[None], alpha @ v, causal=True,
                query=q, keys=k, values=v)


def positions():
    raw = torch.randn(4, 5)
    pe = torch.zeros(4, 5)
    for t in range(4):
        for k in range(5):
            angle = t / 10000 ** (2 * (k // 2) / 5)
            pe[t, k] = math.cos(angle) if k % 2 else math.sin(angle)
    x = raw + pe
    alpha = softmax(x @ x.T / math.sqrt(5))
    return case("positions", alpha[None], alpha @ x, positions="sinusoidal", self=raw)


def dot():
    q, k, v, W = torch.randn(2, 3), torch.randn(4, 5), torch.randn(4, 2), torch.randn(3, 5)
    alpha = softmax(q @ (k @ W.T).T)
    tables = {"query": q, "keys": k, "values": v, "project_keys": W}
    return [case(name, alpha[None], alpha @ v, attention=name, **tables)
            for name in ("dot", "general")]


def additive(name, heads, given):
    q, k, v = torch.randn(3, 4), torch.randn(5, 6), torch.randn(5, 8)
    W, U = torch.randn(8, 4), torch.randn(8, 6)
    v_a = torch.randn(8) if given else torch.ones(8)
    size, alphas, outputs = 8 // heads, [], []
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        e = torch.empty(3, 5)
        for i in range(3):
            for j in range(5):
                e[i, j] = v_a[part] @ torch.tanh(W[part] @ q[i] + U[part] @ k[j])
        alphas.append(softmax(e))
        outputs.append(alphas[-1] @ v[:, part])
    tables = {"vector": v_a[None]} if given else {}
    return case(f"{name}, {heads} heads", torch.stack(alphas), torch.cat(outputs, 1), name, heads,
                query=q, keys=k, values=v, project_query=W, project_keys=U, **tables)


def location(keys):
    """Places for four keys: a fifth one is out of sight."""
    q, v, W = torch.randn(3, 2), torch.randn(keys, 2), torch.randn(4, 2)
    alpha = torch.zeros(3, keys)
    seen = min(4, keys)
    alpha[:, :seen] = softmax((q @ W.T)[:, :seen])
    return case(f"location, {keys} keys", alpha[None], alpha @ v, "location", query=q, values=v,
                project_query=W)


def uniform():
    q, v = torch.randn(2, 3), torch.randn(4, 2)
    return case("uniform", torch.full((1, 2, 4), 0.25), v.mean(0).expand(2, 2), "uniform", query=q,
                values=v)


# ---- PyTorch's own ---------------------------------------------------------------------------------

def multihead(heads, causal=False, **widths):
    layer = torch.nn.MultiheadAttention(8, heads, batch_first=True, **widths)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    q = torch.randn(4 if causal else 3, 8)
    k, v = (q, q) if causal else (torch.randn(4, widths.get("kdim", 8)),
                                  torch.randn(4, widths.get("vdim", 8)))
    mask = torch.ones(4, 4).triu(1).bool() if causal else None
    outputs, weights = layer(q[None], k[None], v[None], attn_mask=mask, average_attn_weights=False)
    if widths:
        maps = layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight
    else:
        maps = layer.in_proj_weight.chunk(3)
    biases = layer.in_proj_bias[None].chunk(3, 1)
    tables = {"project_output": layer.out_proj.weight, "bias_output": layer.out_proj.bias[:, None]}
    for name, W, b in zip(("query", "keys", "values"), maps, biases):
        tables["project_" + name], tables["bias_" + name] = W, b
    tables.update({"self": q} if causal else {"query": q, "keys": k, "values": v})
    name = f"MultiheadAttention, {heads} heads" + (", causal" if causal else "")
    return case(name + "".join(f", {key} {value}" for key, value in widths.items()), weights[0],
                outputs[0], heads=heads, causal=causal, **tables)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    torch.manual_seed(20170612)
    cases = [look_up(), causal_self(), causal_queries(2, 5), causal_queries(5, 2), positions(),
             *dot(), additive("additive", 1, True), additive("concat", 2, True),
             additive("additive", 4, False), location(3), location(5), uniform(), multihead(1),
             multihead(2), multihead(4), multihead(2, causal=True), multihead(2, kdim=5, vdim=7)]
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("[\n" + ",\n".join(json.dumps(each) for each in cases) + "\n]\n")


if __name__ == "__main__":
    main()
