"""Where a word stands. o are the settings."""

import math

import torch

BUCKETS, FARTHEST = 32, 128  # of T5


def bucket(distance, causal):
    """T5's bucket of a key that stands `distance` words after the query (Raffel et al. 2020, section 2.1)"""
    buckets = BUCKETS if causal else BUCKETS // 2
    offset = buckets if not causal and distance > 0 else 0
    away = max(-distance, 0) if causal else abs(distance)
    exact = buckets // 2
    if away < exact:
        return offset + away
    part = math.log2(away / exact) / math.log2(FARTHEST / exact)
    return offset + min(exact + int(part * (buckets - exact)), buckets - 1)


def slopes(heads):
    """ALiBi's, as the code of its authors computes them"""
    power = 2 ** int(math.log2(heads))
    start = 2 ** (-8 / power)
    own = [start ** (k + 1) for k in range(power)]
    return own if power == heads else own + slopes(2 * power)[0::2][:heads - power]


class Place:
    """Where the words of a self-attention stand: i = 1, 2, .. is the query's position. p are the weights."""

    def __init__(self, p, o, side, part, causal):
        self.o, self.causal, self.first = o, causal, []
        self.B = p.get(f"{side}.B")
        self.gates = p.get(f"{part}.W_f"), p.get(f"{part}.b_f")
        self.vectors = {name: p.get(f"{part}.a_{name}") for name in "KV"}

    def bias(self, k, i, S, H):
        if self.o.positions == "t5":
            return torch.stack([self.B[k, bucket(j - (i - 1), self.causal)] for j in range(S)])
        if self.o.positions == "forgetting":
            # b_ij = sum of log f_l, l = j + 1 .. i, or i + 1 .. j behind the query (Lin et al. 2025)
            log_f = torch.log(torch.sigmoid(H @ self.gates[0][k] + self.gates[1][k]))
            return torch.stack([log_f[min(i, j + 1):max(i, j + 1)].sum() for j in range(S)])
        distances = torch.tensor([abs(j - (i - 1)) for j in range(S)], dtype=torch.float64)
        return -slopes(self.o.heads)[k] * distances if self.o.positions == "alibi" else 0 * distances

    def hidden(self, k, i, e):
        """F_ij = sum of max(0, e^1_lj) of head 1, l = j + 1 .. i - 1, j > 1 (Leviathan et al. 2024)"""
        if k == 0:
            self.first.append(torch.relu(e))
        F = torch.zeros(len(e), dtype=torch.float64)
        for l, row in enumerate(self.first[:i - 1], 1):
            F = F + torch.nn.functional.pad(row[1:l - 1], (1, len(e) - max(l - 1, 1)))
        return F

    def added(self, name, i, S):
        """Shaw's a^K_ij or a^V_ij for j = 1 .. S: the row of clip(j - i, k); 0 with other positions"""
        if self.o.positions != "shaw":
            return 0
        k = self.o.shaw_distance
        return self.vectors[name][[max(-k, min(k, j - i)) + k for j in range(1, S + 1)]]

    def rotated(self, w, name, q, H, i):
        """RoPE: R_i W_a q and R_j U_a h_j, as complex numbers, pairs of neighbors being one; of general q and W_a h_j"""
        keys = H @ (w["W_a"] if name == "general" else w["U_a"]).T
        query = q if name == "general" else w["W_a"] @ q
        d = len(query)
        theta = 10000 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        turned = [torch.view_as_complex(x.reshape(-1, 2)) * torch.polar(torch.ones(d // 2, dtype=torch.float64), t * theta)
                  for t, x in [(i - 1, query), *enumerate(keys)]]
        real = torch.view_as_real(torch.stack(turned)).reshape(-1, d)
        return real[0], real[1:]


def sinusoidal(t, m):
    """PE_t[2i] = sin(t / 10000^(2i/m)), PE_t[2i+1] = cos(t / 10000^(2i/m))"""
    k = torch.arange(m, dtype=torch.float64)
    angle = t / 10000 ** ((k - k % 2) / m)
    return torch.where(k % 2 == 0, torch.sin(angle), torch.cos(angle))


def positioned(p, o, side, words):
    """x_t + PE_t, t = 0, 1, ..; learned: PE_t is row t of P, beyond its end the last row"""
    if o.positions not in ("sinusoidal", "learned"):
        return words
    if o.positions == "sinusoidal":
        return [x + sinusoidal(t, o.embed) for t, x in enumerate(words)]
    return [x + p[f"{side}.P"][min(t, o.max_positions - 1)] for t, x in enumerate(words)]
