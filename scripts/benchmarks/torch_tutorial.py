#!/usr/bin/env python3
"""The work of the best-known PyTorch translation tutorial, in its structure: a sentence at a time, a
word at a time, GRU(256) on both sides, attention as a softmax of [word; state] over ten places, SGD
at 0.01, dropout 0.1, half of the sentences fed with the right words and half with the model's own.

  torch_tutorial.py PAIRS [--iterations 75000] [--threads N]

PAIRS: source TAB target, words between spaces, at most nine a side. Prints "SECONDS LOSS WORDS": of
all iterations; SECONDS is the processor's time, so that other work on the machine does not count
against it; LOSS is the mean loss per target word of the last fifteenth of them, as the tutorial
prints it every 5,000 of 75,000."""

import argparse
import random
import time

import torch
from torch import nn
from torch.nn import functional

PLACES, SIZE, START, END = 10, 256, 0, 1


class Side:
    def __init__(self):
        self.number = {}

    def encode(self, text):
        ids = [self.number.setdefault(word, len(self.number) + 2) for word in text.split()]
        return torch.tensor(ids[:PLACES - 1] + [END])


class Encoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.E, self.cell = nn.Embedding(words, SIZE), nn.GRU(SIZE, SIZE)

    def forward(self, word, state):
        return self.cell(self.E(word).view(1, 1, -1), state)


class Decoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.E, self.cell = nn.Embedding(words, SIZE), nn.GRU(SIZE, SIZE)
        self.look, self.join = nn.Linear(2 * SIZE, PLACES), nn.Linear(2 * SIZE, SIZE)
        self.out, self.dropout = nn.Linear(SIZE, words), nn.Dropout(0.1)

    def forward(self, word, state, annotations):
        y = self.dropout(self.E(word).view(1, -1))
        alpha = functional.softmax(self.look(torch.cat([y, state[0]], 1)), 1)
        x = functional.relu(self.join(torch.cat([y, alpha @ annotations], 1)))
        out, state = self.cell(x[None], state)
        return functional.log_softmax(self.out(out[0]), 1), state


def iteration(encoder, decoder, optimizers, source, target):
    """The loss per target word."""
    for each in optimizers:
        each.zero_grad()
    state, annotations = torch.zeros(1, 1, SIZE), torch.zeros(PLACES, SIZE)
    for j, word in enumerate(source):
        out, state = encoder(word, state)
        annotations[j] = out[0, 0]
    word, loss, forced = torch.tensor(START), 0, random.random() < 0.5
    for right in target:
        log_p, state = decoder(word, state, annotations)
        loss = loss + functional.nll_loss(log_p, right[None])
        word = right if forced else log_p.argmax(1)[0].detach()
        if not forced and word.item() == END:
            break
    loss.backward()
    for each in optimizers:
        each.step()
    return loss.item() / len(target)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs")
    parser.add_argument("--iterations", type=int, default=75000)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    random.seed(1)
    sides = Side(), Side()
    with open(options.pairs, encoding="utf-8") as file:
        pairs = [[side.encode(text) for side, text in zip(sides, line.rstrip("\n").split("\t"))]
                 for line in file]
    encoder, decoder = (kind(len(side.number) + 2) for kind, side in zip((Encoder, Decoder), sides))
    optimizers = [torch.optim.SGD(part.parameters(), lr=0.01) for part in (encoder, decoder)]
    begin, words, losses = time.process_time(), 0, []
    for _ in range(options.iterations):
        source, target = random.choice(pairs)
        losses.append(iteration(encoder, decoder, optimizers, source, target))
        words += len(target)
    last = losses[-max(1, options.iterations // 15):]
    print(f"{time.process_time() - begin:.2f} {sum(last) / len(last):.4f} {words}")


if __name__ == "__main__":
    main()
