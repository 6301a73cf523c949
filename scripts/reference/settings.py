"""The settings that choose a model: the names, what they may be, and what a missing one means."""

from types import SimpleNamespace

from . import demand

CHOICES = {  # the first is the default
    "model": ("recurrent", "transformer"),
    "attention": ("additive", "scaled-dot", "dot", "general", "raw-dot", "concat", "location",
                  "uniform", "gaussian", "cosine", "qk-norm", "linear", "monotonic", "graves",
                  "location-aware", "differential", "hard"),
    "normalizer": ("softmax", "null", "sparsemax", "entmax", "null-key"),
    "coverage": ("none", "linguistic", "loss"),
    "decoder": ("bahdanau", "fixed", "fixed-init", "luong", "cgru"),
    "cell": ("gru", "lstm", "rnn"),
    "update": ("new", "old"),
    "reset": ("before", "after", "sum"),
    "decoder-init": ("auto", "backward", "mean", "last", "copy"),
    "readout-state": ("auto", "previous", "current"),
    "encoder": ("bi", "uni", "none"),
    "positions": ("none", "sinusoidal", "learned", "t5", "alibi", "rope", "shaw"),
    "window": ("none", "local-m", "local-p", "sliding"),
    "norm": ("pre", "post"),
    "tie": ("none", "two-way", "three-way"),
}
SWITCHES = ("input-feeding", "reverse-source", "cell-norm", "decoder-residual", "copy")
NUMBERS = {  # the default (None: there is none) and the least
    "embed": (None, 1), "hidden": (None, 1), "attn": (None, 1), "maxout": (None, 1),
    "ffn": (256, 1), "layers": (1, 1), "decoder-layers": (1, 1), "heads": (1, 1), "kv-heads": (0, 0), "value-size": (0, 0), "window-size": (10, 1), "max-len": (50, 1),
    "shaw-distance": (16, 1),
    "location-filters": (10, 1), "location-width": (7, 1),
}
ALPHA = "entmax-alpha"  # a number from 1.01 to 2, or learned; 1.5 is the default
POSITIVE = {"max-fertility": 2}  # numbers above 0, and their defaults
FRACTIONS = ("label-smoothing",)  # 0 is the default, here and in the next line
WEIGHTS = ("guided-alignment", "l2")
OWN_WEIGHTS = {"coverage-weight": 1, "reinforce-weight": 1, "entropy-weight": 0.1}  # and their defaults
NAMES = (*CHOICES, *SWITCHES, *NUMBERS, *POSITIVE, *FRACTIONS, *WEIGHTS, *OWN_WEIGHTS, ALPHA)
EARLIER = {"start": "decoder-init", "readout": "readout-state", "values": "value-size"}  # in older dumps
EARLIER_WINDOWS = {"monotone": "local-m", "predictive": "local-p"}
CUT_BY_HEADS = ("additive", "concat", "dot", "scaled-dot", "gaussian", "cosine", "qk-norm", "linear",
                "location-aware", "differential", "hard")  # the scores whose attn is divided among the heads


def complete(settings):
    """The settings of the model as attributes, checked; those of other parts, such as the tokenizer,
    are ignored."""
    settings = {EARLIER.get(name, name): value for name, value in settings.items()}
    if "window" in settings:
        settings["window"] = EARLIER_WINDOWS.get(settings["window"], settings["window"])

    def value_of(name, default):
        demand(name in settings or default is not None, f"settings: no {name}")
        return settings.get(name, default)

    all_of_them = {}
    for name, allowed in CHOICES.items():
        value = all_of_them[name] = value_of(name, allowed[0])
        demand(value in allowed, f"settings: {name} is {value!r}, not one of {', '.join(allowed)}")
    for name in SWITCHES:
        value = all_of_them[name] = value_of(name, False)
        demand(isinstance(value, bool), f"settings: {name} is {value!r}, not true or false")
    for name, (default, least) in NUMBERS.items():
        value = all_of_them[name] = value_of(name, default)
        demand(type(value) is int and value >= least,
               f"settings: {name} is {value!r}, not a whole number of at least {least}")
    for name, default in POSITIVE.items():
        value = all_of_them[name] = value_of(name, default)
        demand(isinstance(value, (int, float)) and value > 0,
               f"settings: {name} is {value!r}, not above 0")
    for name in FRACTIONS:
        value = all_of_them[name] = value_of(name, 0)
        demand(type(value) in (int, float) and 0 <= value < 1,
               f"settings: {name} is {value!r}, not a number of at least 0 and less than 1")
    for name in (*WEIGHTS, *OWN_WEIGHTS):
        value = all_of_them[name] = value_of(name, OWN_WEIGHTS.get(name, 0))
        demand(type(value) in (int, float) and value >= 0, f"settings: {name} is {value!r}, not a weight")
    alpha = all_of_them[ALPHA] = value_of(ALPHA, 1.5)
    demand(alpha == "learned" or type(alpha) in (int, float) and 1.01 <= alpha <= 2,
           f"settings: {ALPHA} is {alpha!r}, neither learned nor a number from 1.01 to 2")
    o = SimpleNamespace(**{name.replace("-", "_"): value for name, value in all_of_them.items()})
    transformer = o.model == "transformer"
    o.state = o.embed if transformer else o.hidden
    o.annotation = {"bi": 2 * o.hidden, "uni": o.hidden, "none": o.embed}[o.encoder]
    if transformer:
        o.annotation = o.embed
    o.max_positions = o.max_len + 1  # of the location score and learned positions; EOS has one
    o.value_size = o.value_size or max(1, o.annotation // o.heads)
    o.kv_heads = o.kv_heads or o.heads
    demand(o.heads % o.kv_heads == 0, f"settings: {o.kv_heads} key/value heads do not divide {o.heads} heads")
    o.projects_values = transformer or o.heads > 1
    o.attends = transformer or o.decoder in ("bahdanau", "luong", "cgru")
    demand(not o.attends or o.attention not in CUT_BY_HEADS or o.attn % o.heads == 0,
           f"settings: attn {o.attn} is not a multiple of heads {o.heads}")
    demand(o.attends or not o.copy, "settings: copy without attention")
    demand(transformer or o.tie == "none" or o.maxout == o.embed,
           f"settings: a tied embedding of size {o.embed} does not fit maxout {o.maxout}")
    return o


def parse(assignments):
    """The settings in a list of NAME=VALUE."""
    settings = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        demand(equals and name in NAMES, f"no such setting: {text}")
        if name in SWITCHES:
            value = {"true": True, "false": False}.get(value, value)
        elif name in NUMBERS and value.isdecimal():
            value = int(value)
        elif name in (*POSITIVE, *FRACTIONS, *WEIGHTS, *OWN_WEIGHTS) or name == ALPHA and value != "learned":
            value = float(value)
        settings[name] = value
    return settings
