#!/usr/bin/env python3
"""RNNsearch as a good PyTorch user writes it, trained on softalign's own batches, or translating.

  torch_peer.py BATCHES --sizes m n n' l [--attention additive|dot] [--bf16] [--threads N] --warm N
  torch_peer.py BATCHES --sizes m n n' l [--threads N] --greedy N --steps FILE --words K K

BATCHES is what the tool `batches` wrote. Training prints "WORDS SECONDS FIRST-LOSS LAST-LOSS
START": target words and seconds of the batches after the first --warm ones, losses per word, seconds
from the start of this script to the end of the first update. With --greedy the sources of BATCHES are
translated N at a time by a model for vocabularies of K words; each line of --steps has a source's
length and how many words a source of it gets. Prints "SENTENCES SECONDS WORDS".

What differs from softalign, in PyTorch's favour or neutral: torch.nn.GRU resets after U (one product a
step where the paper's gate needs two), the read-out sees the state after the word, not before. The
encoder runs on packed sequences, the keys are made once, read-out and loss stand outside the loop.
"""

import argparse
import time
from itertools import islice

BEGIN = time.perf_counter()

import torch
from torch import nn
from torch.nn.utils import rnn

END, START, PAD = 1, 2, 0  # the unknown word stands for padding too: what it gets is never read


class Model(nn.Module):
    def __init__(self, source_words, target_words, m, n, p, l, attention):
        super().__init__()
        self.n, self.attention, self.root = n, attention, p ** 0.5
        self.source, self.target = nn.Embedding(source_words, m), nn.Embedding(target_words, m)
        self.encoder = nn.GRU(m, n, batch_first=True, bidirectional=True)
        self.start, self.U_a, self.W_a = nn.Linear(n, n), nn.Linear(2 * n, p), nn.Linear(n, p, bias=False)
        self.v_a = nn.Linear(p, 1, bias=False)
        self.cell = nn.GRUCell(m + 2 * n, n)
        self.readout, self.words = nn.Linear(3 * n + m, 2 * l), nn.Linear(l, target_words)

    def read(self, ids, lengths):
        """The first state; annotations, their keys and what hides padding; the lengths fall."""
        packed = rnn.pack_padded_sequence(self.source(ids), lengths, batch_first=True)
        h, _ = rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        hidden = (torch.arange(ids.shape[1]) >= lengths[:, None])[:, None]
        return torch.tanh(self.start(h[:, 0, self.n:])), (h, self.U_a(h), hidden)

    def look(self, s, h, keys, hidden):
        q = self.W_a(s)[:, None]
        if self.attention == "additive":
            e = self.v_a(torch.tanh(q + keys)).transpose(1, 2)
        else:
            e = torch.bmm(q, keys.transpose(1, 2)) / self.root
        alpha = torch.softmax(e.masked_fill(hidden, -torch.inf), 2)
        return torch.bmm(alpha, h)[:, 0]

    def step(self, s, y, annotations):
        c = self.look(s, *annotations)
        return self.cell(torch.cat([y, c], 1), s), c

    def predict(self, s, y, c):
        t = self.readout(torch.cat([s, y, c], -1))
        return self.words(t.unflatten(-1, (-1, 2)).amax(-1))

    def forward(self, ids, lengths, previous):
        s, annotations = self.read(ids, lengths)
        y, states, contexts = self.target(previous), [], []
        for word in y.unbind(1):
            s, c = self.step(s, word, annotations)
            states.append(s)
            contexts.append(c)
        return self.predict(torch.stack(states, 1), y, torch.stack(contexts, 1))

    def greedy(self, ids, lengths, steps):
        s, annotations = self.read(ids, lengths)
        word, found = torch.full((len(ids),), START), []
        for _ in range(steps):
            y = self.target(word)
            s, c = self.step(s, y, annotations)
            word = self.predict(s, y, c).argmax(1)
            found.append(word)
        return torch.stack(found, 1)


def read_batches(path):
    """The sizes of the vocabularies, and lists of pairs of word lists."""
    with open(path, encoding="ascii") as file:
        rows = (list(map(int, line.split())) for line in file)
        source_words, target_words, count = next(rows)
        batches = []
        for _ in range(count):
            (size,) = next(rows)
            batches.append([(ids[:source], ids[source:]) for source, _, *ids in islice(rows, size)])
    return source_words, target_words, batches


def padded(sentences):
    return rnn.pad_sequence([torch.tensor(ids) for ids in sentences], batch_first=True, padding_value=PAD)


def update(model, adam, pairs, bf16):
    pairs = sorted(pairs, key=lambda pair: -len(pair[0]))
    sources, targets = zip(*pairs)
    lengths = torch.tensor([len(ids) for ids in sources])
    spans = torch.tensor([len(ids) for ids in targets])
    wanted = padded(targets)
    wanted[torch.arange(wanted.shape[1]) >= spans[:, None]] = -100  # padding has no loss
    adam.zero_grad(set_to_none=True)
    with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
        logits = model(padded(sources), lengths, padded([[START, *ids[:-1]] for ids in targets]))
    loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), wanted.flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1)
    adam.step()
    return int(spans.sum()), loss.item()


def train(model, batches, warm, bf16):
    adam = torch.optim.Adam(model.parameters(), lr=0.002)
    words, begin, losses, start = 0, 0, [], 0
    for i, pairs in enumerate(batches):
        if i == warm:
            begin, words = time.perf_counter(), 0
        count, loss = update(model, adam, pairs, bf16)
        words += count
        losses.append(loss)
        start = start or time.perf_counter() - BEGIN
    print(words, f"{time.perf_counter() - begin:.5f} {losses[0]:.4f} {losses[-1]:.4f} {start:.3f}")


@torch.no_grad()
def translate(model, sentences, size, steps):
    """Sentences of one length meet, as softalign sorts them, too; steps: by the source's length."""
    model.eval()
    order = sorted(range(len(sentences)), key=lambda i: -len(sentences[i]))
    model.greedy(padded([sentences[order[0]]]), torch.tensor([len(sentences[order[0]])]), 3)
    begin = time.perf_counter()
    for at in range(0, len(order), size):
        block = order[at:at + size]
        sources = [sentences[i] for i in block]
        lengths = torch.tensor([len(ids) for ids in sources])
        model.greedy(padded(sources), lengths, max(steps[len(ids)] for ids in sources))
    print(len(sentences), f"{time.perf_counter() - begin:.5f}", sum(steps[len(ids)] for ids in sentences))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches")
    parser.add_argument("--sizes", type=int, nargs=4, required=True)
    parser.add_argument("--attention", choices=("additive", "dot"), default="additive")
    parser.add_argument("--bf16", action="store_true", help="products in bf16, as torch.autocast chooses them")
    parser.add_argument("--threads", type=int, help="PyTorch's own; as it comes if not given")
    parser.add_argument("--warm", type=int, default=1)
    parser.add_argument("--greedy", type=int)
    parser.add_argument("--steps")
    parser.add_argument("--words", type=int, nargs=2)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    source_words, target_words, batches = read_batches(options.batches)
    model = Model(*(options.words or (source_words, target_words)), *options.sizes, options.attention)
    if options.greedy:
        with open(options.steps, encoding="ascii") as file:
            steps = dict(map(int, line.split()) for line in file)
        translate(model, [pair[0] for pairs in batches for pair in pairs], options.greedy, steps)
    else:
        train(model, batches, options.warm, options.bf16)


if __name__ == "__main__":
    main()
