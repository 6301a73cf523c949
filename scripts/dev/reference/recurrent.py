"""Recurrent models: decoders and read-outs. o are the settings, s a state (s, memory) of cells.py."""

from functools import partial

import torch

from .attention import attend, coverage_loss, weights_of
from .cells import cell
from . import demand
from .encoder import encode, ends
from .model import BOS, Model

MAXOUT = ("bahdanau", "fixed", "fixed-init")  # the decoders whose read-out is a maxout, not a tanh


def layers(o):
    """The decoder's layers by their tensors' prefix."""
    return ["decoder", *(f"decoder.{layer}" for layer in range(2, o.decoder_layers + 1))]


# ---- s_0 ------------------------------------------------------------------------------------------

AUTO_INIT = {"bahdanau": "backward", "fixed": "context", "fixed-init": "last", "luong": "copy",
              "cgru": "mean", "pointer": "copy"}


def init_rule(o):
    """mean without an encoder, unless s_0 comes from the fixed context."""
    rule = AUTO_INIT[o.decoder] if o.decoder_init == "auto" else o.decoder_init
    return "mean" if o.encoder == "none" and rule != "context" else rule


def initial_states(p, o, encoded, c):
    """Of every layer. copy: forward_S with its memory, of the encoder's layer of the same number;
    else s_0 = tanh(W_s b + b_s), the memory 0, with b
    backward: backward_1 (without a backward layer forward_S), last: [forward_S ; backward_1],
    mean: mean_j h_j, context: c"""
    rule = init_rule(o)
    if rule == "copy":
        return encoded.last[-o.decoder_layers:]
    if rule == "backward":
        b = encoded.backward_1 if o.encoder == "bi" else encoded.forward_S[0]
    else:
        b = {"last": ends(o, encoded), "mean": encoded.H.mean(0), "context": c}[rule]
    states = [torch.tanh(p[f"{part}.W_s"] @ b + p[f"{part}.b_s"]) for part in layers(o)]
    return [(s, torch.zeros_like(s)) for s in states]


# ---- One step: the context c_i and the state s_i -------------------------------------------------------

# `above` makes the states of the layers above the first, and what the last one passes on.

def bahdanau(step, above, attention, x, s):
    """c_i = attend(s_{i-1}), fixed: the sentence's one context; s_i = cell(x_i, c_i, s_{i-1}); the layers above read
    c_i, too"""
    c = attention(s[0])
    s = step("decoder", x, c, s)
    return c, s, *above(s, c)


def fixed_init(step, above, attention, x, s):
    """s_i = cell(x_i, s_{i-1})"""
    s = step("decoder", x, None, s)
    return None, s, *above(s, None)


def luong(step, above, attention, x, s):
    """s_i = cell(x_i, s_{i-1}), c_i = attend(s_i), with several layers from what the last passes on"""
    s = step("decoder", x, None, s)
    upper, y = above(s, None)
    return attention(y), s, upper, y


def cgru(step, above, attention, x, s):
    """s'_i = cell(x_i, s_{i-1}), c_i = attend(s'_i), s_i = second cell(c_i, s'_i)"""
    s = step("decoder", x, None, s)
    c = attention(s[0])
    s = step("decoder.second", None, c, s)
    return c, s, *above(s, None)


DECODERS = {"bahdanau": bahdanau, "fixed": bahdanau, "fixed-init": fixed_init, "luong": luong, "cgru": cgru,
            "pointer": luong}


def sentence_context(p, o, encoded):
    """fixed: c = tanh(V [forward_S ; backward_1] + b_V)"""
    if o.decoder != "fixed":
        return None
    return torch.tanh(p["decoder.V"] @ ends(o, encoded) + p["decoder.b_V"])


# ---- The read-out ---------------------------------------------------------------------------------

def readout_total(p, s, y, c):
    """t~_i = U_o s + V_o y_{i-1} + C_o c_i + b_o; luong without V_o, fixed-init without C_o"""
    inputs = {"U_o": s, "V_o": y, "C_o": c}
    terms = [p[f"readout.{name}"] @ x for name, x in inputs.items() if f"readout.{name}" in p]
    return sum(terms) + p["readout.b_o"]


def readout_units(o, total):
    """t_i = max of adjacent pairs of t~_i, or tanh t~_i (luong, cgru)"""
    return torch.maximum(total[0::2], total[1::2]) if o.decoder in MAXOUT else torch.tanh(total)


def reads_previous(o):
    """Whether the read-out gets s_{i-1} instead of s_i."""
    return o.readout_state == "previous" or (o.readout_state == "auto" and o.decoder == "bahdanau")


# ---- The whole ------------------------------------------------------------------------------------

class Recurrent(Model):
    def attend(self, p, H, i, q):
        w = weights_of(p, self.o, "attention")
        noise = self.own["attention"][i - 1] if "attention" in self.own else 0
        noise = noise[:len(H)] if self.o.attention == "monotonic" and "attention" in self.own else noise
        return attend(w, self.o, q, H, i, self.past, noise=noise)

    def sentence_loss(self, p, source, target, extended=None):
        """With the coverage loss, the mean over heads; and with what the draws of hard attention add, where log p of
        the sentence is a constant (Xu et al. 2015, section 4.1) and the baseline is 0."""
        o = self.o
        loss = super().sentence_loss(p, source, target, extended)
        if o.attention == "hard":
            demand(o.label_smoothing == 0, "hard attention with label smoothing")
            log_p, entropy = (sum(getattr(past, name) for past in self.past) for name in ("log_p", "entropy"))
            loss = loss + o.reinforce_weight * loss.detach() * log_p - o.entropy_weight * entropy
        if o.coverage != "loss":
            return loss
        for past in self.past:
            loss = loss + o.coverage_weight * coverage_loss(past) / o.heads
        return loss

    def step(self, p, part, x, c, s):
        return cell(p, self.o, part, x, c, s, self.mask(part))

    def above(self, p, i, before, s, c):
        """y^1_i = s_i; s^l_i = cell(y^{l-1}_i, c, s^l_{i-1}); y^l_i = s^l_i"""
        states, y = [], s[0]
        for number, (part, own) in enumerate(zip(layers(self.o)[1:], before, strict=True), 2):
            states.append(self.step(p, part, self.mask(f"{part}.x", i - 1) * y, c, own))
            y = states[-1][0]
        return states, y

    def outputs(self, p, source, target):
        """t_i for every word of the target"""
        o = self.o
        encoded = encode(p, o, p[self.source_E], source, self.drop, self.mask)
        fixed_c = sentence_context(p, o, encoded)
        s, *upper = initial_states(p, o, encoded, fixed_c)
        t = [torch.zeros(o.maxout, dtype=torch.float64)]
        words = self.drop("target.words", p["target.E"][[BOS, *target[:-1]]])
        for i, y in enumerate(self.drop("target.E", words), 1):
            x = torch.cat([y, t[-1]]) if o.input_feeding else y
            before = [s, *upper][-1][0]
            step, above = partial(self.step, p), partial(self.above, p, i, upper)
            attention = partial(self.attend, p, encoded.H, i) if o.attends else lambda q: fixed_c
            c, s, upper, last = DECODERS[o.decoder](step, above, attention, x, s)
            u = before if reads_previous(o) else last
            if o.points:
                continue
            if o.copy:
                self.gates.append(self.gate(p, w_h=c, w_s=u, w_x=y))
            t.append(self.mask("readout", i - 1) * readout_units(o, readout_total(p, u, y, c)))
        return t[1:]
