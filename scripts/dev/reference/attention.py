"""Scores, positions in them, normalizers, heads and windows. q is the query, H the annotations, a row each;
o are the settings, w the weights of one attention."""

import math
from types import SimpleNamespace

import torch

from .delta import delta
from .differential import Half, head_norm, lambda_init, lambda_of
from .settings import DELTA


def rows(W, k, heads):
    """The rows of head k = 0, 1, .."""
    size = len(W) // heads
    return W[k * size:(k + 1) * size]


def shared_rows(W, k, o):
    """Those of the key/value head that serves head k: one after another, each serves heads / kv_heads"""
    return rows(W, k // (o.heads // o.kv_heads), o.kv_heads)


def own_weights(w, o, k):
    """What the score of head k reads"""
    shared = "W_a" if o.attention == "general" else "U_a"
    return {name: shared_rows(w[name], k, o) if name == shared else rows(w[name], k, o.heads)
            for name in ("W_a", "U_a", "v_a", "log_h", "b", "g", "k_0", "b_a", "r", "W_f") if name in w}


def key_matrix(o):
    """The weight that makes keys of annotations; None: they are keys"""
    return {"general": "W_a", "raw-dot": None}.get(o.attention, "U_a")


def of_keys(own, o, keys):
    """The weights of one head with which the score takes keys for annotations"""
    name = key_matrix(o)
    return {**own, name: torch.eye(keys.shape[1], dtype=torch.float64)} if name else own


# ---- Scores: e_j from the query and all annotations; w has one head's rows of the weights -----------

def additive(w, q, H):
    """e_j = v_a' tanh(W_a q + U_a h_j)"""
    return torch.tanh(w["W_a"] @ q + H @ w["U_a"].T) @ w["v_a"]


def concat(w, q, H):
    """e_j = v_a' tanh(W [q ; h_j]), with W = [W_a U_a]: additive, written as Luong et al. do"""
    W = torch.cat([w["W_a"], w["U_a"]], 1)
    joined = torch.cat([q.expand(len(H), -1), H], 1)
    return torch.tanh(joined @ W.T) @ w["v_a"]


def dot(w, q, H):
    """e_j = (W_a q)' (U_a h_j)"""
    return (H @ w["U_a"].T) @ (w["W_a"] @ q)


def scaled_dot(w, q, H):
    """e_j = (W_a q)' (U_a h_j) / sqrt(the length of W_a q)"""
    return dot(w, q, H) / len(w["W_a"]) ** 0.5


def general(w, q, H):
    """e_j = q' W_a h_j"""
    return q @ w["W_a"] @ H.T


def raw_dot(w, q, H):
    """e_j = q'h_j, of equal sizes"""
    return H @ q


def gaussian(w, q, H):
    """e_j = -|W_a q - U_a h_j|^2 / (2 h^2)"""
    return -((w["W_a"] @ q - H @ w["U_a"].T) ** 2).sum(1) / (2 * torch.exp(w["log_h"]) ** 2)


def cosines(w, q, H):
    query, keys = w["W_a"] @ q, H @ w["U_a"].T
    return keys @ query / (keys.norm(dim=1) * query.norm())


def cosine(w, q, H):
    """e_j = beta cos(W_a q, U_a h_j), beta = log(1 + e^b)"""
    return torch.log1p(torch.exp(w["b"])) * cosines(w, q, H)


def qk_norm(w, q, H):
    """e_j = g cos(W_a q, U_a h_j)"""
    return w["g"] * cosines(w, q, H)


def linear(w, q, H):
    """e_j = log phi(W_a q)' phi(U_a h_j), phi(x) = elu(x) + 1: Katharopoulos et al. (2020)"""
    phi = torch.nn.functional.elu
    return torch.log((phi(H @ w["U_a"].T) + 1) @ (phi(w["W_a"] @ q) + 1))


def monotonic(w, q, H):
    """e_j = g v_a' / |v_a| tanh(W_a q + U_a h_j + b_a) + r (Raffel et al. 2017, section 2.4)"""
    t = torch.tanh(w["W_a"] @ q + H @ w["U_a"].T + w["b_a"])
    return w["g"] * (t @ (w["v_a"] / w["v_a"].norm())) + w["r"]


def location(w, q, H):
    """e = W_a q, its first S numbers; positions that W_a has no row for get weight 0"""
    e = torch.full((len(H),), -torch.inf, dtype=torch.float64)
    seen = min(len(H), len(w["W_a"]))
    e[:seen] = (w["W_a"] @ q)[:seen]
    return e


def uniform(w, q, H):
    """e_j = 0"""
    return torch.zeros(len(H), dtype=torch.float64)


def location_aware(w, q, H, past):
    """e_j = v_a' tanh(W_a q + U_a h_j + W_f f_j + b_a), f = F * alpha of the step before, which for the
    first step is (1, 0, .., 0); a convolution turns the filters round (Chorowski et al. 2015, equations 8, 9)"""
    before = past[-1] if past else torch.eye(len(H), dtype=torch.float64)[0]
    f = torch.conv1d(before[None, None], w["F"].flip(1)[:, None], padding=w["F"].shape[1] // 2)[0]
    return torch.tanh(w["W_a"] @ q + H @ w["U_a"].T + f.T @ w["W_f"].T + w["b_a"]) @ w["v_a"]


SCORES = {"additive": additive, "scaled-dot": scaled_dot, "dot": dot, "general": general,
          "raw-dot": raw_dot, "concat": concat, "location": location, "uniform": uniform,
          "gaussian": gaussian, "cosine": cosine, "qk-norm": qk_norm, "linear": linear,
          "monotonic": monotonic, "hard": additive}


def graves(w, q, H, kappa):
    """e_j = sum_k a_k exp(-b_k (kappa_k - j)^2), kappa_k moved on by exp of its step; the weights, and
    kappa"""
    log_a, log_b, step = (w["W_a"] @ q + w["b_a"]).reshape(3, -1)
    kappa = kappa + torch.exp(step)
    j = torch.arange(1, len(H) + 1, dtype=torch.float64)
    return torch.exp(log_a) @ torch.exp(-torch.exp(log_b)[:, None] * (kappa[:, None] - j) ** 2), kappa


# ---- Normalizers: the weights p of the scores z --------------------------------------------------------

def null(z, e_0):
    """The softmax with one more score, e_0, whose weight nobody gets"""
    return torch.softmax(torch.cat([e_0, z]), 0)[1:]


def sparsemax(z, alpha):
    """Algorithm 1 of Martins and Astudillo 2016: p = [z - tau]_+"""
    ordered, _ = torch.sort(z, descending=True)
    sums = torch.cumsum(ordered, 0)
    k = max(k for k in range(1, len(z) + 1) if 1 + k * ordered[k - 1] > sums[k - 1])
    return torch.clamp(z - (sums[k - 1] - 1) / k, min=0)


def entmax(z, alpha):
    """p = [(alpha - 1) z - tau]_+^(1 / (alpha - 1)): tau by bisection, and one step of Newton's method from
    there, which moves it no further but has its derivative (implicit function theorem)."""
    x = (alpha - 1) * z

    def p_of(tau):
        above = x - tau
        return torch.where(above > 0, torch.where(above > 0, above, 1.) ** (1 / (alpha - 1)), 0.)

    with torch.no_grad():
        low, high = x.max() - 1, x.max()
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if p_of(middle).sum() > 1 else (low, middle)
        tau = (low + high) / 2
        p = p_of(tau)
        slope = (p[p > 0] ** (2 - alpha)).sum() / (alpha - 1)
    return p_of(tau + (p_of(tau).sum() - 1) / slope)


def ssmax(z, scale):
    """n^(scale z_j) / sum_k n^(scale z_k) of n scores (Nakanishi 2025)"""
    powers = torch.tensor(float(len(z)), dtype=torch.float64) ** (scale * z)
    return powers / powers.sum()


def stick_breaking(z, number):
    """Each word before the last takes the share sigma(z) of what those behind it have left (Tan et al. 2024)"""
    beta = torch.sigmoid(z[:-1])
    left = torch.cumprod((1 - beta).flip(0), 0).flip(0)
    return torch.cat([beta * torch.cat([left[1:], z.new_ones(1)])[:len(beta)], z.new_zeros(1)])


def softpick(z, number):
    """max(0, e^z - 1) / sum |e^z - 1| (Zuhri et al. 2025)"""
    x = torch.exp(z) - 1
    return torch.relu(x) / (x.abs().sum() + 1e-8)


def sigmoid(z, number):
    """sigma(z + shift - log n) of n scores (Ramapuram et al. 2024)"""
    return torch.sigmoid(z + number - math.log(len(z)))


LEARNED = {"sink", "scale", "shift"}
NORMALIZERS = {"softmax": lambda z, alpha: torch.softmax(z, 0), "sparsemax": sparsemax, "entmax": entmax,
               "null": lambda z, alpha: null(z, z.new_zeros(1)), "null-key": null, "sink": null, "ssmax": ssmax,
               "stick-breaking": stick_breaking, "softpick": softpick, "sigmoid": sigmoid,
               "selective": lambda z, alpha: torch.softmax(z, 0)}


def number_of(w, o, k):
    """The number of head k's normalizer: what it learns, or entmax's alpha, 1 + sigma(a_k) where it is learned"""
    for name in LEARNED & w.keys():
        return w[name][k:k + 1]
    return 1 + torch.sigmoid(w["a"][k]) if "a" in w else o.entmax_alpha


def null_score(w, o, k, q):
    """e_0, the score of the learned null key"""
    own, score = own_weights(w, o, k), SCORES.get(o.attention, additive)
    key = own["k_0"][None]
    return score(of_keys(own, o, key), q, key)


def normalized(w, o, k, q, e, seen):
    """The weights of the scores e where `seen`, 0 elsewhere"""
    if o.attention == "graves":  # its scores are the weights
        return e * seen
    p = torch.zeros(len(e), dtype=torch.float64)
    other = null_score(w, o, k, q) if o.normalizer == "null-key" else number_of(w, o, k)
    return p.masked_scatter(seen, NORMALIZERS[o.normalizer](e[seen], other))


def whole(p, o):
    """The parameters with split projections made whole: zeros outside of the blocks of the heads"""
    split = ("W_q", "W_k", "W_v") if o.head_projection == "split" else ()
    return {name: torch.block_diag(*W.chunk(o.heads)) if name.endswith(split) else W for name, W in p.items()}


NAMES_2017 = {"W_q": "W_a", "W_k": "U_a", "W_o": "W_c"}


def weights_of(p, o, part):
    """The weights of one attention under the names of Bahdanau et al. (2015); in the files a Transformer uses the
    names of its paper, and the one matrix of `general` projects the keys. And lambda_init of its layer"""
    names = {**NAMES_2017, "W_k": "W_a"} if o.attention == "general" else NAMES_2017
    own = {name.removeprefix(f"{part}."): weight for name, weight in p.items() if name.rpartition(".")[0] == part}
    if "W_dkv" in own:  # k_j = W_uk c_j, v_j = W_uv c_j, c_j = W_dkv h_j (DeepSeek-AI 2024)
        own |= {"W_k": own["W_uk"] @ own["W_dkv"], "W_v": own["W_uv"] @ own["W_dkv"]}
    return lambda_init(o, part) | {names.get(name, name): weight for name, weight in own.items()}


# ---- Windows --------------------------------------------------------------------------------------

def window_distances(w, o, q, S, i):
    """|j - p_i| for j = 1 .. S; local-m: p_i = min(i, S'), local-p: p_i = S' sigma(v_p' tanh(W_p q)),
    S' the positions that can have a weight"""
    seen = min(S, o.max_positions) if o.attention == "location" else S
    if o.window in ("local-m", "sliding"):
        center = min(i, seen)
    else:
        center = seen * torch.sigmoid(w["v_p"] @ torch.tanh(w["W_p"] @ q))
    return torch.abs(torch.arange(1, S + 1, dtype=torch.float64) - center)


# ---- Attending ------------------------------------------------------------------------------------

def coverage(w, o, H, past):
    """C_j = sum of the weights alpha_j in past / Phi_j, Phi_j = N sigma(U_f' h_j) or 1"""
    fertility = o.max_fertility * torch.sigmoid(H @ w["U_f"]) if "U_f" in w else 1
    return sum(past, torch.zeros(len(H), dtype=torch.float64)) / fertility


def moved(own, o, H, a):
    """Weights and annotations whose keys are U_a h_j + a_j"""
    name = key_matrix(o)
    keys = (H @ own[name].T if name else H) + a
    return of_keys(own, o, keys), keys


def coverage_loss(past):
    """sum_j min(alpha_j, C_j) of every row of one head"""
    return sum(torch.minimum(past[t], sum(past[:t])).sum() for t in range(1, len(past)))


def smeared(keys, a):
    """k~_j = s k_j + (1 - s) k_{j-1}, k~_1 = k_1, s = sigma(a) (Olsson et al. 2022)"""
    s = torch.sigmoid(a)
    return torch.cat([keys[:1], s * keys[1:] + (1 - s) * keys[:-1]])


def scores(w, o, k, q, H, i, place, past):
    """e_j of head k, as its score says; place (position.Place) is where the words stand, or None; past are
    the head's weights of the steps before"""
    own, annotations = own_weights(w, o, k), H
    if place and o.positions == "rope":
        q, H = place.rotated(own, o.attention, q, H, i)
        H = smeared(H, w["smear"][k]) if "smear" in w else H
        return SCORES[o.attention](of_keys({**own, "W_a": torch.eye(len(q), dtype=torch.float64)}, o, H), q, H)
    if place and o.positions == "shaw":
        own, H = moved(own, o, H, place.added("K", i, len(H)))
    if "smear" in w:
        name = key_matrix(o)
        H = smeared(H @ own[name].T if name else H, w["smear"][k])
        own = of_keys(own, o, H)
    if "w_c" in w:
        own, H = moved(own, o, H, torch.outer(coverage(w, o, annotations, past), rows(w["w_c"], k, o.heads)))
    if o.attention == "location-aware":
        return location_aware({**own, "F": w["F"]}, q, H, past)
    e = SCORES[o.attention](own, q, H)
    if not place:
        return e
    hidden = place.hidden(k, i, e) if o.normalizer == "selective" and place.causal else 0
    return e + place.bias(k, i, len(H), annotations) - hidden


class Past(list):
    """A head's weights of the steps before, where Graves' window stands, and what hard attention has drawn:
    the sums of log p(s) and of the entropy"""
    kappa, log_p, entropy = 0, 0, 0

    def graves(self, w, o, k, q, H):
        own = {name: rows(w[name], k, o.heads) for name in ("W_a", "b_a")}
        e, self.kappa = graves(own, q, H, self.kappa)
        return e


def drawn(p, u, past):
    """1 at the first word up to which the probabilities sum to more than u (Xu et al. 2015, section 4.1)"""
    s = int((torch.cumsum(p, 0) <= u).sum())
    past.log_p = past.log_p + torch.log(p[s])
    past.entropy = past.entropy - (p[p > 0] * torch.log(p[p > 0])).sum()
    return torch.eye(len(p), dtype=torch.float64)[s]


def selected(e, past):
    """alpha_j = p_j q_j, q_j = (1 - p_{j-1}) q_{j-1} + the weight of word j in the step before, which for
    the first step is (1, 0, .., 0) (Raffel et al. 2017, section 2.3)"""
    p, alpha, q = torch.sigmoid(e), [], 0
    before = past[-1] if past else torch.eye(len(e), dtype=torch.float64)[0]
    for j in range(len(e)):
        q = q + before[j]
        alpha.append(p[j] * q)
        q = (1 - p[j]) * q
    return torch.stack(alpha)


def difference(w, o, k, q, H, i, place):
    """A_1 - lambda A_2 (Ye et al. 2024, equation 1): each map is scaled dot-product attention with half of the
    head's queries and keys"""
    one = SimpleNamespace(**{**vars(o), "attention": "scaled-dot", "heads": 1, "kv_heads": 1})
    maps = []
    for m in (0, 1):
        half = {name: rows(matrix, m, 2) for name, matrix in own_weights(w, o, k).items()}
        half |= {name: w[name] for name in ("W_p", "v_p") if name in w}
        half |= {name: w[name][k:k + 1] for name in ("a", "smear", *LEARNED) if name in w}
        maps.append(weights(half, one, 0, q, H, i, place and Half(place, k, m)))
    return maps[0] - lambda_of(w) * maps[1]


def windowed(w, o, q, i, place, seen, weights_of_seen):
    """Weights of the words that are seen and in the window, |j - p_i| <= D, 0 elsewhere;
    local-p: each weight times exp(-(j - p_i)^2 / (2 (D/2)^2)) after that"""
    if o.window == "none" or (o.window == "sliding" and not place):
        return weights_of_seen(seen)
    distance = window_distances(w, o, q, len(seen), i)
    alpha = weights_of_seen((distance <= o.window_size) & seen)
    if o.window != "local-p":
        return alpha
    return alpha * torch.exp(-distance ** 2 / (2 * (o.window_size / 2) ** 2))


def weights(w, o, k, q, H, i, place=None, past=(), noise=0):
    """alpha^k = pi(e) of the words that are seen"""
    if o.attention == "differential":
        return difference(w, o, k, q, H, i, place)
    if o.attention in DELTA:
        seen = place.bias(k, i, len(H), H) > -torch.inf if place else torch.ones(len(H), dtype=torch.bool)
        return windowed(w, o, q, i, place, seen,
                        lambda seen: delta(w, o, k, rows(w["W_a"], k, o.heads), shared_rows(w["U_a"], k, o), q, H, seen))
    e = past.graves(w, o, k, q, H) if o.attention == "graves" else scores(w, o, k, q, H, i, place, past)
    if o.attention == "monotonic":
        return selected(e + noise, past)
    return windowed(w, o, q, i, place, e > -torch.inf, lambda seen: normalized(w, o, k, q, e, seen))


def exclusive(y, v):
    """y - p v, p = y'v / v'v: without what points along the word's own value (Zhai 2026)"""
    return y - (y @ v) / (v @ v + 1e-6) * v


def attend(w, o, q, H, i, past, place=None, noise=0):
    """One head: c = sum_j alpha_j h_j;
    more, and in a Transformer: o_k = sum_j alpha^k_j W_v^k h_j, c = W_c [o_1 ; .. ; o_H].
    i = 1, 2, .. is the position of the query. past: every head's weights of the steps before, to which
    those of this step are appended. noise is added to the scores of monotonic attention,
    or decides what hard attention draws, a number for each head."""
    alpha = [weights(w, o, k, q, H, i, place, past[k], noise) for k in range(o.heads)]
    if o.attention == "hard":
        alpha = [drawn(*own) for own in zip(alpha, noise, past, strict=True)]
    for before, row in zip(past, alpha, strict=True):
        before.append(row)
    gates = torch.sigmoid(w["W_g"] @ q) if "W_g" in w else None
    if "W_v" not in w:
        return alpha[0] @ H * (1 if gates is None else gates)
    added = place.added("V", i, len(H)) if place else 0
    values = [H @ shared_rows(w["W_v"], k, o).T for k in range(o.heads)]
    heads = [alpha[k] @ (values[k] + added) for k in range(o.heads)]
    if o.exclusive and place:
        heads = [exclusive(y, values[k][i - 1]) for k, y in enumerate(heads)]
    heads = [head_norm(w, o, y) for y in heads]
    if gates is not None:  # o_i = g_i c_i, g_i = sigma(W_g s_i) (Qiu et al. 2025)
        heads = [rows(gates, k, o.heads) * c for k, c in enumerate(heads)]
    return w["W_c"] @ torch.cat(heads)
