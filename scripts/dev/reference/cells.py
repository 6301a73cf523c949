"""Recurrent cells. A state is the pair (s, memory); only the LSTM has a memory. o are the settings."""

import torch

EPSILON = 1e-5  # of the layer norm
SUFFIXES = {"gru": ("_z", "_r", ""), "lstm": ("_i", "_f", "_o", ""), "rnn": ("",)}


def layernorm(p, names, parts):
    """g . (x - mean) / sqrt(variance + epsilon) + b of the parts by the names of what is normalized,
    mean and variance those of all parts together"""
    x = torch.cat(parts)
    inverse = 1 / torch.sqrt(((x - x.mean()) ** 2).mean() + EPSILON)
    return {name: p[f"{name}.norm.g"] * (part - x.mean()) * inverse + p[f"{name}.norm.b"]
            for name, part in zip(names, parts, strict=True)}


class Terms:
    """W x, C c, U s and b of one cell, each by the gate; the term of an input that is None is 0. U
    is applied to d . s, the masked state. With --cell-norm each term is normalized, together
    with the same of the other gates; a GRU's candidate stands alone."""

    def __init__(self, o, p, part, x, c, d):
        self.o, self.p, self.part, self.x, self.c, self.d = o, p, part, x, c, d

    def times(self, letter, gate, vector):
        if vector is None:
            return 0
        name = f"{self.part}.{letter}{gate}"
        if not self.o.cell_norm:
            return self.p[name] @ vector
        together = SUFFIXES[self.o.cell]
        if self.o.cell == "gru":
            together = ("_z", "_r") if gate else ("",)
        names = [f"{self.part}.{letter}{other}" for other in together]
        return layernorm(self.p, names, [self.p[other] @ vector for other in names])[name]

    def W(self, gate=""):
        return self.times("W", gate, self.x)

    def C(self, gate=""):
        return self.times("C", gate, self.c)

    def U(self, s, gate=""):
        return self.times("U", gate, self.d * s)

    def b(self, gate=""):
        return self.p[f"{self.part}.b{gate}"]

    def total(self, s, gate=""):
        """W x + U s' + b + C c"""
        return self.W(gate) + self.U(s, gate) + self.b(gate) + self.C(gate)


# ---- The GRU's candidate, before tanh; `decoder.second` has no x, and b is then inside with U s' ------

def reset_before(v, s, r):
    """W x + U [r . s'] + b + C c"""
    return v.total(r * s)


def reset_after(v, s, r):
    """W x + b + C c + r . (U s'), without x: C c + r . (U s' + b)"""
    if v.x is None:
        return v.C() + r * (v.U(s) + v.b())
    return v.W() + v.b() + v.C() + r * v.U(s)


def reset_sum(v, s, r):
    """W x + b + r . (U s' + C c), without x: r . (U s' + C c + b)"""
    if v.x is None:
        return r * (v.U(s) + v.C() + v.b())
    return v.W() + v.b() + r * (v.U(s) + v.C())


RESETS = {"before": reset_before, "after": reset_after, "sum": reset_sum}


# ---- The cells ------------------------------------------------------------------------------------

def gru(o, v, state):
    """z, r = sigma(W x + U s' + C c + b), each with its own;
    update new: s = (1-z) . s' + z . s~, update old: s = z . s' + (1-z) . s~"""
    s, _ = state
    z, r = torch.sigmoid(v.total(s, "_z")), torch.sigmoid(v.total(s, "_r"))
    reset = "before" if o.reset == "sum" and v.part.startswith("encoder.") else o.reset
    candidate = torch.tanh(RESETS[reset](v, s, r))
    if o.update == "new":
        return (1 - z) * s + z * candidate, None
    return z * s + (1 - z) * candidate, None


def lstm(o, v, state):
    """i, f, o = sigma(W x + U s' + C c + b), each with its own, g = tanh(W x + U s' + C c + b),
    m = f . m' + i . g, s = o . tanh(m), or with --cell-norm o . tanh(LN(m))"""
    s, memory = state
    i, f, out = (torch.sigmoid(v.total(s, gate)) for gate in ("_i", "_f", "_o"))
    memory = f * memory + i * torch.tanh(v.total(s))
    name = f"{v.part}.m"
    seen = layernorm(v.p, [name], [memory])[name] if o.cell_norm else memory
    return out * torch.tanh(seen), memory


def rnn(o, v, state):
    """s = tanh(W x + U s' + C c + b)"""
    return torch.tanh(v.total(state[0])), None


CELLS = {"gru": gru, "lstm": lstm, "rnn": rnn}


def cell(p, o, part, x, c, state, d=1):
    """The state after the input x and the context c; None: the cell has no such input."""
    return CELLS[o.cell](o, Terms(o, p, part, x, c, d), state)


def zero_state(n):
    return torch.zeros(n, dtype=torch.float64), torch.zeros(n, dtype=torch.float64)
