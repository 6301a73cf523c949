"""What the models of both families share: the loss of a batch, sentence by sentence, and dropout."""

import torch

from .attention import Past

BOS = 2


def objective(o, logits, word):
    """(1 - epsilon) log p(word) + epsilon / K sum_k log p(k), p = softmax(logits)"""
    log_p = torch.log_softmax(logits, 0)
    return (1 - o.label_smoothing) * log_p[word] + o.label_smoothing * log_p.mean()


def extended_objective(o, logits, word, alpha, gate, source):
    """(1 - epsilon) log P(word) + epsilon / K sum_k log p(k), P over the extended vocabulary;
    gate: p_gen; alpha, source: the weight of each source token, and its extended id"""
    p = torch.softmax(logits, 0)
    generated = 1 - (1 - gate) * alpha.sum()  # p_gen, but for what the weights lack
    same = [own for own, j in zip(alpha, source, strict=True) if j == word]
    copied = sum(same).clamp(min=1e-30) if same else 0  # outside a window weights are 0
    P = generated * (p[word] if word < len(p) else 0) + (1 - gate) * copied
    return (1 - o.label_smoothing) * torch.log(P) + o.label_smoothing * torch.log(p).mean()


def pointer_objective(word, alpha, source):
    """log P(word), P = sum_j alpha_j over x_j = word (Vinyals et al. 2015), at least 1e-30"""
    P = sum((own for own, j in zip(alpha, source, strict=True) if j == word), torch.zeros((), dtype=torch.float64))
    return torch.log(P.clamp(min=1e-30))


def target_distribution(links, t, S):
    """A_t: uniform over the sure links (target, source, possible) of word t or, if it has none, over
    the possible ones; None without any."""
    own = {kind: {s for target, s, possible in links if target == t and possible == kind} for kind in (0, 1)}
    chosen = sorted(own[0] or own[1])
    if not chosen:
        return None
    A = torch.zeros(S, dtype=torch.float64)
    A[chosen] = 1 / len(chosen)
    return A


class Model:
    def __init__(self, o, masks=None, links=None, extended=None):
        """masks: for each pair its dropout masks (masks.py), or None; links: for each pair its gold
        alignment, for guided alignment, or None; extended: for each pair the extended ids of both
        sides, for copying, or None"""
        self.o, self.masks, self.links, self.extended = o, masks, links, extended
        self.own = {}  # the masks of the current pair
        self.past, self.gates = [], []  # every head's weights in the last cross-attention, and p_gen, word by word
        self.source_E = "target.E" if o.tie == "three-way" else "source.E"
        self.W_o = "readout.W_o" if o.tie == "none" else "target.E"

    def drop(self, place, X):
        """Multiplies every row by its mask."""
        return X * self.own[place] if place in self.own else X

    def mask(self, place, row=0):
        """The mask of one row; of the state that a cell's U is applied to, the only one."""
        return self.own[place][row] if place in self.own else 1

    def gate(self, p, **vectors):
        """p_gen = sigma(the sum of w . x over these vectors + b)"""
        return torch.sigmoid(sum((p[f"copy.{name}"] @ x)[0] for name, x in vectors.items()) + p["copy.b"][0])

    def sentence_loss(self, p, source, target, extended=None):
        """- sum_i objective(y_i)"""
        self.past, self.gates = [Past() for _ in range(self.o.heads)], []
        t = self.outputs(p, source, target)
        logits = [p[self.W_o] @ t_i + p["readout.b_y"] for t_i in t]
        if not self.o.copy:
            return -sum(objective(self.o, *own) for own in zip(logits, target, strict=True))
        source, target = extended
        alphas = [sum(heads) / self.o.heads for heads in zip(*self.past, strict=True)]
        if self.o.points:
            return -sum(pointer_objective(*own, source) for own in zip(target, alphas, strict=True))
        words = zip(logits, target, alphas, self.gates, strict=True)
        return -sum(extended_objective(self.o, *own, source) for own in words)

    def guided_loss(self, links):
        """- sum_t sum_s A_ts log alpha_ts, of the first head, merged alpha_ts / sum_s alpha_ts; a word without
        links, that of no word"""
        total, read = 0, self.o.guided_at == "input"
        for t, alpha in enumerate(self.past[0][read:]):
            A = target_distribution(links, t, len(alpha))
            if A is not None:
                share = alpha.sum() if self.o.merged else 1
                total = total - (A[A > 0] * torch.log(alpha[A > 0] / share)).sum()
            elif self.o.normalizer in ("null", "null-key", "sink", "stick-breaking") and t + 1 < len(self.past[0]):
                total = total - torch.log(1 - alpha.sum())
        return total

    def loss(self, p, pairs):
        """The sum over all words, divided by the sentences."""
        total = 0
        for i, pair in enumerate(pairs):
            self.own = self.masks[i] if self.masks else {}
            total = total + self.sentence_loss(p, *pair, self.extended[i] if self.extended else None)
            if self.links:
                total = total + self.o.guided_alignment * self.guided_loss(self.links[i])
        return total / len(pairs)
