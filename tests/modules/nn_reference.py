#!/usr/bin/env python3
"""Writes tests/modules/data/nn_reference.safetensors: what PyTorch says of every layer and loss of nn, in f64.

    python3 tests/modules/nn_reference.py      # Debian: python3-torch; the file there was made with 1.13.1

A name is that of the layer, then `p.…` for a parameter in Covec's arrangement, `x…` for an input, `y…` for a result, and `g.p.…`
or `g.x…` for the gradient of sum(result * c), where c = sin(0, 1, 2, …) in the result's shape.
"""

import json
import math
import pathlib

import numpy
import torch
from torch import nn
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
torch.manual_seed(16)
entries = {}


def leaf(*shape, spread=0.7):
    return (spread * torch.randn(*shape)).requires_grad_()


def weigh(result):
    return (result * torch.sin(torch.arange(result.numel(), dtype=torch.float64)).reshape(result.shape)).sum()


def record(name, result, **leaves):
    """Stores leaves, result and the gradients by the leaves of floats."""
    floats = {key: value for key, value in leaves.items() if value.requires_grad}
    gradients = torch.autograd.grad(weigh(result), floats.values())
    for key, value in leaves.items():
        entries[f"{name}.{key.replace('__', '.')}"] = value.detach().numpy()
    for key, value in zip(floats, gradients):
        entries[f"{name}.g.{key.replace('__', '.')}"] = value.numpy()
    entries[f"{name}.y"] = result.detach().numpy()


def store(name, value):
    entries[name] = value.detach().numpy()


def convolutions():
    w, b, x = leaf(4, 3, 3), leaf(4), leaf(2, 3, 9)
    record("conv1d", F.conv1d(x, w, b, stride=2, padding=1), p__w=w, p__b=b, x=x)
    w, b, x = leaf(4, 1, 3, 2), leaf(4), leaf(2, 2, 6, 5)
    record("conv2d", F.conv2d(x, w, b, stride=(2, 1), padding=(1, 0), groups=2), p__w=w, p__b=b, x=x)
    x = leaf(2, 3, 9)
    record("max_pool1d", F.max_pool1d(x, 3, 2, 1), x=x)
    record("avg_pool1d", F.avg_pool1d(x, 2), x=x)


def norms():
    x, scale, shift = leaf(2, 3, 6), leaf(6), leaf(6)
    record("layer_norm", F.layer_norm(x, (6,), scale, shift), p__scale=scale, p__shift=shift, x=x)
    rms = x / torch.sqrt((x**2).mean(-1, keepdim=True) + 1e-5) * scale
    record("rms_norm", rms, p__scale=scale, x=x)
    x, scale, shift = leaf(2, 6, 3, 2), leaf(6), leaf(6)
    record("group_norm", F.group_norm(x, 3, scale, shift), p__scale=scale, p__shift=shift, x=x)
    for name, x in (("batch_norm", leaf(5, 6)), ("batch_norm_images", leaf(2, 6, 3, 2))):
        mean, variance = torch.randn(6) * 0.3, torch.rand(6) + 0.5
        store(f"{name}.state.mean", mean.clone())
        store(f"{name}.state.variance", variance.clone())
        store(f"{name}.y_evaluated", F.batch_norm(x, mean, variance, scale, shift, training=False))
        result = F.batch_norm(x, mean, variance, scale, shift, training=True, momentum=0.1)
        record(name, result, p__scale=scale, p__shift=shift, x=x)
        store(f"{name}.new.mean", mean)
        store(f"{name}.new.variance", variance)


def recurrent():
    """PyTorch has gates in rows, and two biases, of which the first is what is compared (the GRU's second counts for the candidate)."""
    for name, layer, gates in (("rnn", torch.rnn_tanh, 1), ("lstm", torch.lstm, 4), ("gru", torch.gru, 3)):
        wx, wh, b, x = leaf(3, gates * 4), leaf(4, gates * 4), leaf(gates * 4), leaf(2, 5, 3)
        h = leaf(2, 4)
        second = torch.zeros(gates * 4)
        leaves = {"p__wx": wx, "p__wh": wh, "p__b": b, "x": x, "h": h}
        if name == "gru":
            leaves["p__bh"] = leaf(4)
            second = torch.cat((torch.zeros(8), leaves["p__bh"]))
        start = h[None]
        if name == "lstm":
            leaves["c"] = leaf(2, 4)
            start = (h[None], leaves["c"][None])
        settings = (True, 1, 0.0, False, False, True)  # biases, layers, dropout, training, two directions, batch first
        y, *last = layer(x, start, (wx.T, wh.T, b, second), *settings)
        record(name, torch.cat((y.flatten(), *(s.flatten() for s in last))), **leaves)
        zeros = torch.zeros_like(h)[None]
        y, *_ = layer(x, (zeros, zeros) if name == "lstm" else zeros, (wx.T, wh.T, b, second), *settings)
        store(f"{name}.y_from_zeros", y)


def attentions():
    q, k, v = leaf(2, 3, 4), leaf(2, 5, 4), leaf(2, 5, 6)
    allowed = torch.rand(2, 3, 5) < 0.6
    allowed[:, :, 0] = True
    plain = torch.softmax(q @ k.transpose(1, 2) / 2, -1) @ v
    record("attention", plain, q=q, k=k, v=v)
    masked = torch.softmax((q @ k.transpose(1, 2) / 2).masked_fill(~allowed, -math.inf), -1) @ v
    record("attention_masked", masked, q=q, k=k, v=v, mask=allowed)

    width, heads = 6, 2
    parts = {f"p__{part}__w": leaf(width, heads, width // heads) for part in "qkv"}
    parts |= {f"p__{part}__b": leaf(heads, width // heads) for part in "qkv"}
    parts |= {"p__out__w": leaf(heads, width // heads, width), "p__out__b": leaf(width)}
    layer = nn.MultiheadAttention(width, heads, batch_first=True)

    def apply(x, memory, mask):
        flat = [parts[f"p__{part}__w"].reshape(width, width).T for part in "qkv"]
        weights = {
            "in_proj_weight": torch.cat(flat),
            "in_proj_bias": torch.cat([parts[f"p__{part}__b"].flatten() for part in "qkv"]),
            "out_proj.weight": parts["p__out__w"].reshape(width, width).T,
            "out_proj.bias": parts["p__out__b"],
        }
        blocked = (~mask).repeat_interleave(heads, 0) if mask is not None else None
        arguments = {"attn_mask": blocked, "need_weights": True}
        return torch.nn.utils.stateless.functional_call(layer, weights, (x, memory, memory), arguments)[0]

    x, memory = leaf(2, 4, width), leaf(2, 5, width)
    causal = torch.tril(torch.ones(4, 4, dtype=torch.bool))
    padded = (torch.arange(4) < torch.tensor([4, 2])[:, None])[:, None, :]
    record("heads", apply(x, x, None), x=x, **parts)
    record("heads_masked", apply(x, x, causal & padded), x=x, lengths=torch.tensor([4, 2]), **parts)
    record("heads_across", apply(x, memory, None), x=x, memory=memory, **parts)


def block():
    width, heads, hidden = 6, 2, 10
    torch_block = nn.TransformerEncoderLayer(width, heads, hidden, 0.0, "gelu", batch_first=True, norm_first=True)
    parts, weights = {}, {}
    for number in (1, 2):
        scale, shift = leaf(width), leaf(width)
        parts |= {f"p__norm{number}__scale": scale, f"p__norm{number}__shift": shift}
        weights |= {f"norm{number}.weight": scale, f"norm{number}.bias": shift}
    flat, biases = [], []
    for part in "qkv":
        w, b = leaf(width, heads, width // heads), leaf(heads, width // heads)
        parts |= {f"p__attention__{part}__w": w, f"p__attention__{part}__b": b}
        flat.append(w.reshape(width, width).T)
        biases.append(b.flatten())
    w, b = leaf(heads, width // heads, width), leaf(width)
    parts |= {"p__attention__out__w": w, "p__attention__out__b": b}
    weights |= {"self_attn.in_proj_weight": torch.cat(flat), "self_attn.in_proj_bias": torch.cat(biases)}
    weights |= {"self_attn.out_proj.weight": w.reshape(width, width).T, "self_attn.out_proj.bias": b}
    for name, number, inputs, outputs in (("up", 1, width, hidden), ("down", 2, hidden, width)):
        w, b = leaf(inputs, outputs), leaf(outputs)
        parts |= {f"p__{name}__w": w, f"p__{name}__b": b}
        weights |= {f"linear{number}.weight": w.T, f"linear{number}.bias": b}
    x = leaf(2, 4, width)
    blocked = ~torch.tril(torch.ones(4, 4, dtype=torch.bool))
    result = torch.nn.utils.stateless.functional_call(torch_block, weights, (x,), {"src_mask": blocked})
    record("block", result, x=x, **parts)


def losses():
    logits, labels = leaf(5, 4, spread=2), torch.tensor([3, 0, 2, 2, 1])
    record("cross_entropy", F.cross_entropy(logits, labels), x=logits, labels=labels)
    record("cross_entropy_smooth", F.cross_entropy(logits, labels, label_smoothing=0.1), x=logits, labels=labels)
    padded = torch.tensor([3, -1, 2, -1, 1])
    both = F.cross_entropy(logits, padded, label_smoothing=0.1, ignore_index=-1)
    record("cross_entropy_ignore", F.cross_entropy(logits, padded, ignore_index=-1), x=logits, labels=padded)
    record("cross_entropy_both", both, x=logits, labels=padded)
    x, t = leaf(3, 4, spread=3), torch.rand(3, 4)
    record("binary", F.binary_cross_entropy_with_logits(x, t), x=x, t=t)
    weighted = F.binary_cross_entropy_with_logits(x, t, pos_weight=torch.tensor(3.0))
    record("binary_weighted", weighted, x=x, t=t)
    t = (t > 0.5).to(torch.float64)
    p, each = torch.sigmoid(x), F.binary_cross_entropy_with_logits(x, t, reduction="none")
    truth = p * t + (1 - p) * (1 - t)  # as torchvision.ops.sigmoid_focal_loss has it
    focal = (0.25 * t + 0.75 * (1 - t)) * each * (1 - truth) ** 2
    record("focal", focal.mean(), x=x, t=t)
    x, t = leaf(3, 4, spread=2), leaf(3, 4)
    record("huber", F.huber_loss(x, t, delta=0.8), x=x, t=t)
    record("mae", F.l1_loss(x, t), x=x, t=t)
    record("cosine_similarity", F.cosine_similarity(x, t, dim=-1), x=x, t=t)


def activations():
    x = leaf(3, 6, spread=3)
    named = {
        "leaky_relu": F.leaky_relu, "elu": F.elu, "selu": F.selu, "silu": F.silu, "mish": F.mish,
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "hard_swish": F.hardswish, "glu": F.glu,
    }
    for name, function in named.items():
        record(name, function(x), x=x)


def save(path):
    """Covec reads .safetensors: the length of the header, the header in JSON, the numbers."""
    kinds = {"float64": "F64", "int64": "I64", "bool": "BOOL"}
    header, data = {}, b""
    for name, array in entries.items():
        raw = numpy.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": kinds[str(array.dtype)], "shape": array.shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


for part in (convolutions, norms, recurrent, attentions, block, losses, activations):
    part()
save(pathlib.Path(__file__).parent / "data" / "nn_reference.safetensors")
print(len(entries), "tensors")
