"""The model of Bahdanau, Cho and Bengio (2015) from Model.weights(), in few lines: to start from.

    xp, p = numpy, model.weights()
    xp, p = torch, model.to_torch()   # after p[name].requires_grad_(), loss(...).backward() has the gradients

Vectors are rows here, so a weight [out, in] is transposed: x @ W.T. softalign-model(5) has the equations of the
other models, and the ids of words: 0 unknown, 1 </s>, 2 <s>, then the words of the vocabulary in order."""
EOS, BOS = 1, 2


def sigmoid(xp, x):
    return 1 / (1 + xp.exp(-x))


def softmax(xp, x):
    e = xp.exp(x - x.max())
    return e / e.sum()


def gru(xp, p, part, x, s, c=None):
    """s_i of x, s_{i-1} and c, with z and r: A.1.1."""
    def inner(gate, s):
        total = x @ p[f"{part}.W{gate}"].T + s @ p[f"{part}.U{gate}"].T + p[f"{part}.b{gate}"]
        return total if c is None else total + c @ p[f"{part}.C{gate}"].T
    z, r = sigmoid(xp, inner("_z", s)), sigmoid(xp, inner("_r", s))
    return (1 - z) * s + z * xp.tanh(inner("", r * s))


def encode(xp, p, source):
    """The annotations h_j [S, 2n], and backward_1."""
    start = p["encoder.forward.b"] * 0
    forward, backward = [start], [start]
    for token in source:
        forward.append(gru(xp, p, "encoder.forward", p["source.E"][token], forward[-1]))
    for token in reversed(source):
        backward.append(gru(xp, p, "encoder.backward", p["source.E"][token], backward[-1]))
    return xp.stack([xp.hstack([f, b]) for f, b in zip(forward[1:], backward[:0:-1])]), backward[-1]


def loss(xp, p, source, target):
    """- sum of log p(y_i), and the weights alpha of every step; both ids end in EOS."""
    h, backward_1 = encode(xp, p, source)
    s = xp.tanh(backward_1 @ p["decoder.W_s"].T + p["decoder.b_s"])
    total, alphas, before = 0, [], BOS
    for token in target:
        e = xp.tanh(s @ p["attention.W_a"].T + h @ p["attention.U_a"].T) @ p["attention.v_a"]
        alpha = softmax(xp, e)
        c, y = alpha @ h, p["target.E"][before]
        o = s @ p["readout.U_o"].T + y @ p["readout.V_o"].T + c @ p["readout.C_o"].T + p["readout.b_o"]
        t = xp.maximum(o[0::2], o[1::2])
        total = total - xp.log(softmax(xp, t @ p["readout.W_o"].T + p["readout.b_y"])[token])
        s, before = gru(xp, p, "decoder", y, s, c), token
        alphas.append(alpha)
    return total, alphas
