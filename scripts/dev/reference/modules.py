"""The Transformer from PyTorch's own modules, all sentences in one padded batch."""

from functools import partial

import torch
from torch import nn
from torch.nn.utils.stateless import functional_call

from .model import BOS
from .position import positioned
from .transformer import EPSILON, Transformer

PAD = -100


def fits(o):
    """Whether PyTorch has this model: keys and values of the embedding size divided by the heads."""
    size = o.embed // o.heads
    return (o.model == "transformer" and not o.copy and o.attention == "scaled-dot" and o.window == "none"
            and o.normalizer == "softmax" and o.positions in ("none", "sinusoidal", "learned")
            and o.embed == o.attn == o.heads * size and o.value_size in (0, size)
            and o.kv_heads == o.heads and o.attention_gate == "none" and not o.smeared_keys and not o.exclusive
            and not o.hybrid and not o.latent and not o.merged)


def padded(rows, value=0):
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=value)


def attention(p, part, name):
    """Our projections as one of PyTorch's parameters; its biases, which we do not have, are 0."""
    projections = torch.cat([p[f"{part}.{W}"] for W in ("W_q", "W_k", "W_v")])
    W_o = p[f"{part}.W_o"]
    return {f"{name}.in_proj_weight": projections, f"{name}.in_proj_bias": projections.new_zeros(len(projections)),
            f"{name}.out_proj.weight": W_o, f"{name}.out_proj.bias": W_o.new_zeros(len(W_o))}


def norm(p, part, name):
    return {f"{name}.weight": p[f"{part}.g"], f"{name}.bias": p[f"{part}.b"]}


def layer(p, part, attentions):
    """attentions: PyTorch's name of each of ours"""
    parameters = {}
    for number, (own, name) in enumerate(attentions.items(), 1):
        parameters |= attention(p, f"{part}.{own}", name)
        parameters |= norm(p, f"{part}.{own}.norm", f"norm{number}")
    part = f"{part}.feedforward"
    parameters |= norm(p, f"{part}.norm", f"norm{len(attentions) + 1}")
    for number in (1, 2):
        parameters |= {f"linear{number}.weight": p[f"{part}.W_{number}"],
                       f"linear{number}.bias": p[f"{part}.b_{number}"]}
    return parameters


class Modules(Transformer):
    def run(self, p, name, kind, stack, attentions, *inputs, **masks):
        o = self.o
        last = nn.LayerNorm(o.embed, EPSILON, dtype=torch.float64) if o.norm == "pre" else None
        module = stack(kind(o.embed, o.heads, o.ffn, dropout=0, activation="relu", batch_first=True,
                            layer_norm_eps=EPSILON, norm_first=o.norm == "pre", dtype=torch.float64),
                       o.layers, last)
        parameters = norm(p, f"{name}.norm", "norm") if last else {}
        for k in range(o.layers):
            own = layer(p, f"{name}.{k + 1}", attentions)
            parameters |= {f"layers.{k}.{key}": value for key, value in own.items()}
        assert set(parameters) == {key for key, _ in module.named_parameters()}
        return functional_call(module, parameters, inputs, masks)

    def embedded(self, p, side, E, sentences):
        """[sentences, words, m], 0 after a sentence's end, and the padding mask"""
        scaled = [nn.functional.embedding(torch.tensor(ids), E) * self.o.embed ** 0.5 for ids in sentences]
        X = padded([torch.stack(positioned(p, self.o, side, list(x))) for x in scaled])
        return X, padded([torch.zeros(len(ids), dtype=torch.bool) for ids in sentences], True)

    def loss(self, p, pairs):
        source, target = zip(*pairs)
        x, padding = self.embedded(p, "source", p[self.source_E], source)
        y, target_padding = self.embedded(p, "target", p["target.E"], [[BOS, *ids[:-1]] for ids in target])
        encoder = partial(nn.TransformerEncoder, enable_nested_tensor=False)
        memory = self.run(p, "encoder", nn.TransformerEncoderLayer, encoder, {"self": "self_attn"}, x,
                          src_key_padding_mask=padding)
        future = torch.ones(y.shape[1], y.shape[1], dtype=torch.bool).triu(1)
        t = self.run(p, "decoder", nn.TransformerDecoderLayer, nn.TransformerDecoder,
                     {"self": "self_attn", "cross": "multihead_attn"}, y, memory, tgt_mask=future,
                     tgt_key_padding_mask=target_padding, memory_key_padding_mask=padding)
        logits = nn.functional.linear(t, p[self.W_o], p["readout.b_y"])
        wanted = padded([torch.tensor(ids) for ids in target], PAD)
        return nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD,
                                           label_smoothing=self.o.label_smoothing,
                                           reduction="sum") / len(pairs)
