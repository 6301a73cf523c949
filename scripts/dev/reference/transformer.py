"""The Transformer of Vaswani et al. (2017), sentence by sentence. o are the settings, X and H have a row
for each word."""

from types import SimpleNamespace

import torch

from .attention import Past, attend, weights_of
from .model import BOS, Model
from .position import Place, positioned

EPSILON = 1e-5  # of the layer norm


def layernorm(p, part, X):
    """g . (x - mean) / sqrt(variance + epsilon) + b, over the numbers of each word"""
    centered = X - X.mean(1, keepdim=True)
    variance = (centered ** 2).mean(1, keepdim=True)
    return p[f"{part}.g"] * centered / torch.sqrt(variance + EPSILON) + p[f"{part}.b"]


def settings_at(o, part):
    """Of a hybrid stack, every N-th layer and cross-attention: scaled dot products with all words."""
    _, layer, kind = part.split(".")
    if not o.hybrid or (kind == "self" and int(layer) % o.hybrid):
        return o
    return SimpleNamespace(**{**vars(o), "attention": "scaled-dot", "window": "none"})


class Transformer(Model):
    prefix = 0  # the first words, which all queries of a causal attention see

    def residual(self, p, part, X, f):
        """post: LN(x + f(x)), pre: x + f(LN(x))"""
        if self.o.norm == "post":
            return layernorm(p, f"{part}.norm", X + self.drop(part, f(X)))
        return X + self.drop(part, f(layernorm(p, f"{part}.norm", X)))

    def attention(self, p, part, Q, H, causal=False, before=0):
        """Query i attends to H, if causal to its first i rows alone; queries count from the rows before them."""
        o = settings_at(self.o, part)
        w, found = weights_of(p, o, part), []
        past = [Past() for _ in range(o.heads)]
        side = "target" if part.startswith("decoder") else "source"
        place = Place(p, o, side, part, causal and not self.prefix) if part.endswith(".self") else None
        for i, q in enumerate(Q, before + 1):
            seen = H[:max(i, self.prefix)] if causal else H
            found.append(attend(w, o, q, seen, i, past, place))
        if place is None or self.o.model == "decoder" or before:
            self.past = [[alpha[:before or None] for alpha in head] for head in past]
        return torch.stack(found)

    def feedforward(self, p, part, X):
        """W_2 max(0, W_1 x + b_1) + b_2"""
        inner = X @ p[f"{part}.W_1"].T + p[f"{part}.b_1"]
        return inner.clamp(min=0) @ p[f"{part}.W_2"].T + p[f"{part}.b_2"]

    def layer(self, p, part, X, memory=None):
        """Self-attention, then, with a memory, causal, attention to it, then the network."""
        causal = memory is not None
        if causal and self.o.merged:  # one attention to both (T5Gemma 2, 2025)
            X = self.residual(p, f"{part}.self", X, lambda x: self.attention(
                p, f"{part}.self", x, torch.cat([memory, x]), causal, len(memory)))
        else:
            X = self.residual(p, f"{part}.self", X,
                              lambda x: self.attention(p, f"{part}.self", x, x, causal))
        if causal and not self.o.merged:
            X = self.residual(p, f"{part}.cross", X,
                              lambda x: self.attention(p, f"{part}.cross", x, memory))
        return self.residual(p, f"{part}.feedforward", X,
                             lambda x: self.feedforward(p, f"{part}.feedforward", x))

    def stack(self, p, name, side, E, words, memory=None):
        """All layers over sqrt(m) E y + PE; with norm pre a last norm."""
        scaled = self.drop(f"{side}.words", self.o.embed ** 0.5 * E[words])
        X = self.drop(f"{side}.E", torch.stack(positioned(p, self.o, side, list(scaled))))
        for layer in range(1, self.o.layers + 1):
            X = self.layer(p, f"{name}.{layer}", X, memory)
        return layernorm(p, f"{name}.norm", X) if self.o.norm == "pre" else X

    def outputs(self, p, source, target):
        """The decoder's last vector for every word of the target."""
        memory = self.stack(p, "encoder", "source", p[self.source_E], source)
        t = self.stack(p, "decoder", "target", p["target.E"], [BOS, *target[:-1]], memory)
        if self.o.copy:
            self.gates = [self.gate(p, w_s=t_i) for t_i in t]
        return t


class DecoderOnly(Transformer):
    """One causal stack over x_1 .. x_S y_1 .. y_{T-1} (Radford et al. 2018); x_S is EOS, and row S + i - 1
    predicts y_i. With a full prefix all rows see x_1 .. x_S."""

    def layer(self, p, part, X, memory=None):
        X = self.residual(p, f"{part}.self", X, lambda x: self.attention(p, f"{part}.self", x, x, causal=True))
        return self.residual(p, f"{part}.feedforward", X,
                             lambda x: self.feedforward(p, f"{part}.feedforward", x))

    def outputs(self, p, source, target):
        S = len(source)
        self.prefix = S if self.o.prefix == "full" else 0
        t = self.stack(p, "decoder", "target", p["target.E"], [*source, *target[:-1]])
        self.past = [[alpha[:S] for alpha in head[S - 1:]] for head in self.past]  # of the source
        return t[S - 1:]
