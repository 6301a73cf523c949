"""Models of softalign in PyTorch: softalign.torch.load("best.safetensors") is a torch.nn.Module.

    module = softalign.torch.load("best.safetensors")
    source = module.ids(["the", "small", "cat", "is", "here", "."])
    target = module.greedy(source)
    log_p, weights = module(source, target)
    (-log_p[range(len(target)), target].sum()).backward()

It computes recurrent models, Transformers and decoder-only models, sentence by sentence, by the equations
of softalign-model(5), whose names its parameters have. What it does not compute, it refuses by name."""
import json
import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

import softalign
import torch
from torch import Tensor, nn

UNK, EOS, BOS = 0, 1, 2
EPSILON = 1e-5  # of the layer norm
GATES = {"gru": ("_z", "_r", ""), "lstm": ("_i", "_f", "_o", ""), "rnn": ("",)}
AUTO_INIT = {"bahdanau": "backward", "luong": "copy"}
State = Tuple[Tensor, Optional[Tensor]]  # of a cell, and the LSTM's memory

COMPUTED: Dict[str, Tuple[Any, ...]] = {  # by all families, and by recurrent models
    "attention": ("additive", "concat", "dot", "scaled-dot", "general"), "normalizer": ("softmax",),
    "attention_gate": ("none",), "window": ("none",), "smeared_keys": (False,), "exclusive": (False,), "merged": (False,), "hybrid": (0,), "latent": (0,), "copy": (False,),
    "positions": ("none", "sinusoidal", "learned"), "head_projection": ("full",)}
RECURRENT: Dict[str, Tuple[Any, ...]] = {
    "decoder": ("bahdanau", "luong"), "encoder": ("bi", "uni"), "reverse_source": (False,), "cell_norm": (False,),
    "coverage": ("none",)}


def load(path: Any) -> "Module":
    """Reads a model file as a Module. softalign.Error: it cannot be read, or is none that Module computes."""
    return Module(softalign.load(path))


def _words(path: str, side: str) -> List[str]:
    """The vocabulary of a side in a model file, from id 3 on."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        begin, end = header[f"{side}.words"]["data_offsets"]
        file.seek(8 + size + begin)
        return file.read(end - begin).decode().split("\n")[:-1]


class Module(nn.Module):
    """A model of softalign. Sentences are token ids that end in EOS, in a list or a tensor [S]."""

    def __init__(self, model: "softalign.Model"):
        super().__init__()
        self.settings = o = model.settings
        if model.path.startswith("builtin:"):
            raise softalign.Error(softalign.Code.USAGE, f"'{model.path}' is no file: train a model or copy its file")
        computed = {**COMPUTED, **(RECURRENT if o["model"] == "recurrent" else {}), "kv_heads": (0, o["heads"])}
        for name, values in computed.items():
            if o[name] not in values:
                raise softalign.Error(softalign.Code.USAGE, f"softalign.torch does not compute --{name.replace('_', '-')} "
                                      f"{o[name]}, only {', '.join(map(str, values))}")
        for name, tensor in model.to_torch().items():
            *path, own = name.split(".")
            place: nn.Module = self
            for part in path:  # not add_module(), which refuses "forward"
                place = place._modules.setdefault(part, nn.Module())  # type: ignore[assignment]
            place.register_parameter(own, nn.Parameter(tensor))
        self._texts = {side: _words(model.path, side) for side in ("source", "target")}
        self._ids = {side: {word: i for i, word in enumerate(words, 3)} for side, words in self._texts.items()}

    # ---- Words ----

    def ids(self, tokens: Sequence[str], side: str = "source") -> List[int]:
        """The ids of a sentence's tokens, then EOS. Alignment and Translation have the tokens of a text."""
        return [self._ids[side].get(token, UNK) for token in tokens] + [EOS]

    def tokens(self, ids: Sequence[int], side: str = "target") -> List[str]:
        return [["<unk>", "</s>", "<s>"][i] if i < 3 else self._texts[side][i - 3] for i in map(int, ids)]

    # ---- Attention ----

    def _attend(self, p: Dict[str, Tensor], part: str, Q: Tensor, H: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        """The contexts [T, A] of queries [T, n], and the weights [heads, T, S] of annotations [S, A].
        mask [T, S]: minus infinity where a query does not see."""
        kind, heads = self.settings["attention"], self.settings["heads"]
        W_a, U_a, W_c = (p.get(f"{part}.{old}", p.get(f"{part}.{new}"))
                         for old, new in (("W_a", "W_q"), ("U_a", "W_k"), ("W_c", "W_o")))
        if kind == "general":  # q . (W_a[k] h_j); a Transformer calls it W_k
            keys = (H @ (p[f"{part}.W_k"] if W_a is None else W_a).T).view(len(H), heads, -1)
            e = torch.einsum("tn,shn->hts", Q, keys)
        else:
            queries, keys = (Q @ W_a.T).view(len(Q), heads, -1), (H @ U_a.T).view(len(H), heads, -1)
            if kind in ("additive", "concat"):
                units = torch.tanh(queries[:, None] + keys) * p[f"{part}.v_a"].view(heads, -1)
                e = units.sum(3).permute(2, 0, 1)
            else:
                e = torch.einsum("thd,shd->hts", queries, keys)
            if kind == "scaled-dot":
                e = e / math.sqrt(keys.shape[2])
        alpha = torch.softmax(e if mask is None else e + mask, 2)
        if f"{part}.W_v" not in p:
            return alpha[0] @ H, alpha
        values = (H @ p[f"{part}.W_v"].T).view(len(H), heads, -1)
        return torch.einsum("hts,shd->thd", alpha, values).flatten(1) @ W_c.T, alpha

    def _positioned(self, p: Dict[str, Tensor], side: str, X: Tensor) -> Tensor:
        """x_t + PE_t, t = 0, 1, ...; learned ones beyond the last row have that row"""
        T, m = X.shape
        if self.settings["positions"] == "learned":
            P = p[f"{side}.P"]
            return X + P[torch.arange(T).clamp(max=len(P) - 1)]
        if self.settings["positions"] == "none":
            return X
        k = torch.arange(m, dtype=torch.float64)
        angle = torch.arange(T, dtype=torch.float64)[:, None] / 10000 ** ((k - k % 2) / m)
        return X + torch.where(k % 2 == 0, torch.sin(angle), torch.cos(angle)).to(X)

    # ---- Recurrent models ----

    def _cell(self, p: Dict[str, Tensor], part: str, x: Tensor, c: Optional[Tensor], state: State) -> State:
        kind, (s, memory) = self.settings["cell"], state

        def inner(gate: str) -> Tensor:
            total = p[f"{part}.W{gate}"] @ x + p[f"{part}.b{gate}"]
            return total if c is None else total + p[f"{part}.C{gate}"] @ c

        totals = {gate: inner(gate) + p[f"{part}.U{gate}"] @ s for gate in GATES[kind] if gate or kind != "gru"}
        if kind == "rnn":
            return torch.tanh(totals[""]), None
        if kind == "lstm":
            memory = torch.sigmoid(totals["_f"]) * memory + torch.sigmoid(totals["_i"]) * torch.tanh(totals[""])
            return torch.sigmoid(totals["_o"]) * torch.tanh(memory), memory
        z, r = torch.sigmoid(totals["_z"]), torch.sigmoid(totals["_r"])
        reset, U = self.settings["reset"], p[f"{part}.U"]
        if reset == "before" or part.startswith("encoder.") and reset == "sum":
            candidate = torch.tanh(inner("") + U @ (r * s))
        elif reset == "after" or c is None:
            candidate = torch.tanh(inner("") + r * (U @ s))
        else:
            candidate = torch.tanh(p[f"{part}.W"] @ x + p[f"{part}.b"] + r * (U @ s + p[f"{part}.C"] @ c))
        return ((1 - z) * s + z * candidate if self.settings["update"] == "new" else z * s + (1 - z) * candidate), None

    def _encode(self, p: Dict[str, Tensor], source: Sequence[int]) -> Tuple[Tensor, List[State]]:
        """The annotations [S, A], and the last forward state of each layer."""
        n, h, last = self.settings["hidden"], self._positioned(p, "source", self._embedded(p, "source", source)), []
        for layer in range(1, self.settings["layers"] + 1):
            part, halves = "encoder" if layer == 1 else f"encoder.{layer}", []
            for way in ("forward", "backward")[:1 + (self.settings["encoder"] == "bi")]:
                state, states = (h.new_zeros(n), h.new_zeros(n)), []
                for x in h.flip(0) if way == "backward" else h:
                    state = self._cell(p, f"{part}.{way}", x, None, state)
                    states.append(state[0])
                if way == "forward":
                    last.append(state)
                halves.append(torch.stack(states[::-1] if way == "backward" else states))
            h = torch.cat(halves, 1)
        return h, last

    def _initial(self, p: Dict[str, Tensor], parts: List[str], H: Tensor, last: List[State]) -> List[State]:
        n, rule = self.settings["hidden"], self.settings["decoder_init"]
        rule = AUTO_INIT[self.settings["decoder"]] if rule == "auto" else rule
        if rule == "copy":
            return last[-len(parts):]
        both = self.settings["encoder"] == "bi"
        v = {"backward": H[0, n:] if both else H[-1], "mean": H.mean(0), "last": torch.cat([H[-1, :n], H[0, n:]])}[rule]
        states = [torch.tanh(p[f"{part}.W_s"] @ v + p[f"{part}.b_s"]) for part in parts]
        return [(s, torch.zeros_like(s)) for s in states]

    def _recurrent(self, p: Dict[str, Tensor], source: Sequence[int], read: Sequence[int]) -> Tuple[Tensor, Tensor]:
        o = self.settings
        parts = ["decoder", *(f"decoder.{layer}" for layer in range(2, o["decoder_layers"] + 1))]
        H, last = self._encode(p, source)
        states = self._initial(p, parts, H, last)
        luong = o["decoder"] == "luong"
        t, units, rows = H.new_zeros(o["maxout"]), [], []
        for word in self._embedded(p, "target", read):
            x = torch.cat([word, t]) if o["input_feeding"] else word
            before, c = states[-1][0], None
            if not luong:
                c, alpha = self._attend(p, "attention", states[0][0][None], H)
                c = c[0]
            y, states, given = x, [], states
            for part, state in zip(parts, given):
                states.append(self._cell(p, part, y, c, state))
                y = states[-1][0]
            if luong:
                c, alpha = self._attend(p, "attention", y[None], H)
                c = c[0]
            previous = o["readout_state"] == "previous" or (o["readout_state"] == "auto" and not luong)
            total = p["readout.U_o"] @ (before if previous else y) + p["readout.C_o"] @ c + p["readout.b_o"]
            if luong:
                t = torch.tanh(total)
            else:
                total = total + p["readout.V_o"] @ word
                t = torch.maximum(total[0::2], total[1::2])
            units.append(t)
            rows.append(alpha)
        return torch.stack(units), torch.cat(rows, 1)[None]

    # ---- Transformers ----

    def _norm(self, p: Dict[str, Tensor], part: str, X: Tensor) -> Tensor:
        return nn.functional.layer_norm(X, X.shape[1:], p[f"{part}.norm.g"], p[f"{part}.norm.b"], EPSILON)

    def _residual(self, p: Dict[str, Tensor], part: str, X: Tensor, f: Any) -> Tensor:
        """post: LN(x + f(x)), pre: x + f(LN(x))"""
        if self.settings["norm"] == "post":
            return self._norm(p, part, X + f(X))
        return X + f(self._norm(p, part, X))

    def _stack(self, p: Dict[str, Tensor], name: str, X: Tensor, mask: Optional[Tensor] = None,
               memory: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        """The last vectors, and the weights [layers, heads, T, S] of the cross-attention; without memory,
        of the self-attention."""
        found = []

        def attend(part: str, H: Optional[Tensor] = None, mask: Optional[Tensor] = None) -> Any:
            def f(x: Tensor) -> Tensor:
                c, alpha = self._attend(p, part, x, x if H is None else H, mask)
                if memory is None or H is not None:
                    found.append(alpha)
                return c
            return f

        for layer in range(1, self.settings["layers"] + 1):
            part = f"{name}.{layer}"
            X = self._residual(p, f"{part}.self", X, attend(f"{part}.self", mask=mask))
            if memory is not None:
                X = self._residual(p, f"{part}.cross", X, attend(f"{part}.cross", memory))
            own = f"{part}.feedforward"
            X = self._residual(p, own, X, lambda x: torch.relu(x @ p[f"{own}.W_1"].T + p[f"{own}.b_1"])
                               @ p[f"{own}.W_2"].T + p[f"{own}.b_2"])
        return (self._norm(p, name, X) if self.settings["norm"] == "pre" else X), torch.stack(found)

    def _transformer(self, p: Dict[str, Tensor], source: Sequence[int], read: Sequence[int]) -> Tuple[Tensor, Tensor]:
        def embedded(side: str, words: Sequence[int]) -> Tensor:
            return self._positioned(p, side, self.settings["embed"] ** 0.5 * self._embedded(p, side, words))

        def future(words: int, prefix: int = 0) -> Tensor:
            mask = torch.full((words, words), -math.inf).triu(1)
            mask[:, :prefix] = 0
            return mask.to(p["target.E"])

        if self.settings["model"] == "transformer":
            memory, _ = self._stack(p, "encoder", embedded("source", source))
            return self._stack(p, "decoder", embedded("target", read), future(len(read)), memory)
        S, words = len(source), [*source, *read[1:]]
        mask = future(len(words), S if self.settings["prefix"] == "full" else 0)
        t, alpha = self._stack(p, "decoder", embedded("target", words), mask)
        return t[S - 1:], alpha[:, :, S - 1:, :S]

    # ---- All ----

    def _embedded(self, p: Dict[str, Tensor], side: str, ids: Sequence[int]) -> Tensor:
        return p["target.E" if self.settings["tie"] == "three-way" else f"{side}.E"][ids]

    def forward(self, source: Any, target: Any) -> Tuple[Tensor, Tensor]:
        """log p of every word at every position of the target, given the target before it [T, words]; and the
        attention weights [layers, heads, T, S], a recurrent model's in one layer."""
        p = dict(self.named_parameters())
        source, read = [int(i) for i in source], [BOS, *map(int, target)][:-1]
        t, weights = (self._recurrent if self.settings["model"] == "recurrent" else self._transformer)(p, source, read)
        W_o = p["readout.W_o" if self.settings["tie"] == "none" else "target.E"]
        return torch.log_softmax(t @ W_o.T + p["readout.b_y"], 1), weights

    @torch.no_grad()
    def greedy(self, source: Any, max_ratio: float = 3) -> List[int]:
        """The ids of the greedy translation, at most max_ratio times as long as the source, plus 10."""
        found: List[int] = []
        while EOS not in found and len(found) < max_ratio * len(source) + 10:
            log_p = self(source, [*found, EOS])[0][-1]
            log_p[BOS] = -math.inf
            found.append(int(log_p.argmax()))
        return found
