"""The settings that choose a model: the names, what they may be, and what a missing one means."""

from types import SimpleNamespace

from . import demand

CHOICES = {  # the first is the default
    "model": ("recurrent", "transformer", "decoder"),
    "attention": ("additive", "scaled-dot", "dot", "general", "raw-dot", "concat", "location",
                  "uniform", "gaussian", "cosine", "qk-norm", "linear", "monotonic", "graves",
                  "location-aware", "differential", "hard", "retnet", "gla", "deltanet", "gated-deltanet", "kda"),
    "normalizer": ("softmax", "null", "sparsemax", "entmax", "null-key", "sink", "ssmax", "stick-breaking", "softpick",
                   "sigmoid", "selective"),
    "attention-gate": ("none", "headwise", "elementwise"),
    "coverage": ("none", "linguistic", "loss"),
    "decoder": ("bahdanau", "fixed", "fixed-init", "luong", "cgru", "pointer"),
    "cell": ("gru", "lstm", "rnn"),
    "update": ("new", "old"),
    "reset": ("before", "after", "sum"),
    "decoder-init": ("auto", "backward", "mean", "last", "copy"),
    "readout-state": ("auto", "previous", "current"),
    "encoder": ("bi", "uni", "none"),
    "positions": ("none", "sinusoidal", "learned", "t5", "alibi", "rope", "shaw", "forgetting"),
    "window": ("none", "local-m", "local-p", "sliding"),
    "head-projection": ("full", "split"),
    "norm": ("pre", "post"),
    "prefix": ("causal", "full"),
    "guided-at": ("output", "input"),
    "tie": ("none", "two-way", "three-way"),
}
DELTA = ("retnet", "gla", "deltanet", "gated-deltanet", "kda")  # a memory that is rewritten
DEFAULTS = {  # None: there is none
    **{name: choices[0] for name, choices in CHOICES.items()},
    **dict.fromkeys(("input-feeding", "reverse-source", "cell-norm", "copy",
                     "smeared-keys", "exclusive", "merged"), False),
    **dict.fromkeys(("embed", "hidden", "attn", "maxout")),
    **dict.fromkeys(("layers", "decoder-layers", "heads", "coverage-weight", "reinforce-weight"), 1),
    **dict.fromkeys(("kv-heads", "latent", "value-size", "label-smoothing", "guided-alignment", "hybrid"), 0),
    "ffn": 256,
    "window-size": 10,
    "max-len": 50,
    "shaw-distance": 16,
    "location-filters": 10,
    "location-width": 7,
    "entmax-alpha": 1.5,  # or "learned"
    "max-fertility": 2,
    "entropy-weight": 0.1,
}
EARLIER = {"start": "decoder-init", "readout": "readout-state", "values": "value-size"}  # in older dumps
EARLIER_WINDOWS = {"monotone": "local-m", "predictive": "local-p"}


def complete(settings):
    """The settings of the model as attributes; those of other parts, such as the tokenizer, are ignored.
    softalign itself refuses what does not go together."""
    settings = {EARLIER.get(name, name): value for name, value in settings.items()}
    if "window" in settings:
        settings["window"] = EARLIER_WINDOWS.get(settings["window"], settings["window"])
    o = SimpleNamespace()
    for name, default in DEFAULTS.items():
        value = settings.get(name, default)
        demand(value is not None, f"settings: no {name}")
        demand(value in CHOICES.get(name, [value]), f"settings: {name} is {value!r}, which is unknown")
        setattr(o, name.replace("-", "_"), value)
    o.max_positions = o.max_len + 1  # of the location score and learned positions; EOS has one
    if o.model == "decoder":
        o.max_positions += o.max_len
    o.kv_heads = o.kv_heads or o.heads
    o.attends = o.model != "recurrent" or o.decoder in ("bahdanau", "luong", "cgru", "pointer")
    o.points = o.model == "recurrent" and o.decoder == "pointer"  # there is no read-out
    return o


def value_of(word):
    """What the settings of a dump hold for the text of an option."""
    try:
        return int(word) if word.isdecimal() else float(word)
    except ValueError:
        return {"true": True, "false": False}.get(word, word)
