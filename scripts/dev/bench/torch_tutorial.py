#!/usr/bin/env python3
"""The work of the best-known PyTorch translation tutorial, in its structure: a sentence at a time, a
word at a time, GRU(256) on both sides, attention as a softmax of [word; state] over ten places, SGD
at 0.01, dropout 0.1, half of the sentences fed with the right words and half with the model's own.

  torch_tutorial.py PAIRS ITERATIONS

PAIRS: source TAB target, words between spaces, at most nine a side. Prints "SECONDS LOSS WORDS": of
all iterations; SECONDS is the processor's time, so that other work on the machine does not count
against it; LOSS is the mean loss per target word of the last fifteenth of them, as the tutorial
prints it every 5,000 of 75,000."""

import random
import sys
import time

import torch
from torch import nn
from torch.nn import functional

PLACES, SIZE, START, END = 10, 256, 0, 1


class Side(nn.Module):
    """A word at a time from a state to the next one."""

    def __init__(self, words):
        super().__init__()
        self.E, self.cell = nn.Embedding(words, SIZE), nn.GRU(SIZE, SIZE)

    def forward(self, word, state):
        return self.cell(self.E(word).view(1, 1, -1), state)


class Decoder(Side):
    def __init__(self, words):
        super().__init__(words)
        self.look, self.join = nn.Linear(2 * SIZE, PLACES), nn.Linear(2 * SIZE, SIZE)
        self.out, self.dropout = nn.Linear(SIZE, words), nn.Dropout(0.1)

    def forward(self, word, state, annotations):
        y = self.dropout(self.E(word).view(1, -1))
        alpha = functional.softmax(self.look(torch.cat([y, state[0]], 1)), 1)
        x = functional.relu(self.join(torch.cat([y, alpha @ annotations], 1)))
        out, state = self.cell(x[None], state)
        return functional.log_softmax(self.out(out[0]), 1), state


def iteration(encoder, decoder, sgd, source, target):
    """The loss per target word."""
    sgd.zero_grad()
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
    sgd.step()
    return loss.item() / len(target)


def encoded(text, numbers):
    ids = [numbers.setdefault(word, len(numbers) + 2) for word in text.split()]
    return torch.tensor(ids[:PLACES - 1] + [END])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    iterations = int(sys.argv[2])
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random.seed(1)
    numbers = {}, {}
    with open(sys.argv[1], encoding="utf-8") as file:
        pairs = [list(map(encoded, line.rstrip("\n").split("\t"), numbers)) for line in file]
    encoder, decoder = (kind(len(known) + 2) for kind, known in zip((Side, Decoder), numbers))
    sgd = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)
    begin, words, losses = time.process_time(), 0, []
    for _ in range(iterations):
        source, target = random.choice(pairs)
        losses.append(iteration(encoder, decoder, sgd, source, target))
        words += len(target)
    last = losses[-max(1, iterations // 15):]
    print(f"{time.process_time() - begin:.2f} {sum(last) / len(last):.4f} {words}")


if __name__ == "__main__":
    main()
