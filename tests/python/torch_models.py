"""softalign.torch against the library: log-probabilities, attention weights, greedy search and refusals of small models
with random settings. Prints how many agree."""
import itertools
import sys

import softalign
import torch

TOLERANCE = 1e-5
PAIRS = [(" ".join(source), " ".join(reversed(source)))
         for source in itertools.permutations("abcd", 3)] + [("a a zork d", "b c"), ("c", "d a b a b")]
BASE = dict(steps=6, lr=0.05, embed=8, hidden=6, attn=12, maxout=5, ffn=7, threads=1, tokenizer="space", batch=8, max_time=0)

RECURRENT = [dict(cell=cell, decoder=decoder, attention=attention)
             for cell in ("gru", "lstm", "rnn") for decoder in ("bahdanau", "luong")
             for attention in ("additive", "dot", "scaled-dot", "general", "concat")]
RECURRENT += [dict(reset="after"), dict(reset="sum", decoder="luong"), dict(reset="sum"), dict(update="old", heads=3),
              dict(encoder="uni", layers=2, decoder_init="mean"), dict(layers=2, decoder_layers=3, readout_state="current"),
              dict(decoder="luong", input_feeding=True, heads=2, value_size=5), dict(decoder_init="last", readout_state="current"),
              dict(decoder="luong", layers=2, decoder_layers=2, cell="lstm", decoder_init="copy", tie="none"),
              dict(positions="sinusoidal"), dict(positions="learned", encoder="uni", cell="lstm")]
STACKS = [dict(model=model, tie="three-way", attention=attention, heads=heads, norm=norm, positions=positions, layers=layers)
          for model in ("transformer", "decoder")
          for attention, heads, norm, positions, layers in (
              ("scaled-dot", 2, "pre", "sinusoidal", 2), ("additive", 1, "post", "learned", 1), ("dot", 4, "pre", "none", 1),
              ("general", 2, "post", "sinusoidal", 2), ("concat", 3, "pre", "learned", 1))]
STACKS += [dict(model="decoder", tie="three-way", prefix="full", positions="sinusoidal"), dict(model="transformer", value_size=3, heads=2),
           dict(model="transformer", tie="two-way")]
REFUSED = [(dict(normalizer="sparsemax"), "softalign.torch does not compute --normalizer sparsemax, only softmax"),
           (dict(attention="gaussian"), "does not compute --attention gaussian, only additive, concat, dot, scaled-dot, general"),
           (dict(decoder="fixed"), "does not compute --decoder fixed, only bahdanau, luong"),
           (dict(cell_norm=True), "does not compute --cell-norm True, only False"),
           (dict(model="transformer", positions="alibi"), "does not compute --positions alibi, only none, sinusoidal, learned"),
           (dict(model="transformer", heads=4, kv_heads=2), "does not compute --kv-heads 2, only 0, 4")]


def trained(settings, number):
    return softalign.train(PAIRS, "m", valid=PAIRS[:3], seed=number + 1, overwrite=True, **{**BASE, **settings}).load(1)


def close(found, expected, what):
    expected = torch.tensor(expected)
    assert found.shape == expected.shape, (what, found.shape, expected.shape)
    worst = (found - expected).abs().max().item()
    assert worst <= TOLERANCE * max(1, expected.abs().max().item()), (what, worst)


def compare(model, settings):
    module = softalign.torch.load(model.path)
    for (source, target), given in zip(PAIRS[-4:], model.align(PAIRS[-4:])):
        ids, words = module.ids(source.split()), module.ids(target.split(), "target")
        log_p, weights = module(ids, words)
        close(log_p.exp().sum(1), [1.0] * len(words), settings)
        close(log_p[range(len(words)), words], given.token_log_probabilities, settings)
        close(weights, given.head_weights, settings)
    for source, _ in PAIRS[-4:]:
        found = module.greedy(module.ids(source.split()))
        assert module.tokens(found) == model.translate(source, weights=True).target, settings
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    assert set(before) == set(model.weights()), settings
    module(ids, words)[0][range(len(words)), words].sum().backward()
    assert all(leaf.grad is not None for leaf in module.parameters()), settings


compared = RECURRENT + STACKS
assert len(compared) >= 40
for number, settings in enumerate(compared):
    compare(trained(settings, number), settings)
for settings, text in REFUSED:
    model = trained({**settings, "steps": 1}, 0)
    try:
        softalign.torch.load(model.path)
    except softalign.Error as error:
        assert text in str(error) and error.code == softalign.Code.USAGE, error
    else:
        sys.exit(f"{settings} is not refused")
print(f"{len(compared)} models agree to {TOLERANCE}, {len(REFUSED)} are refused")
