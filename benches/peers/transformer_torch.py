"""The standard transformer in PyTorch, as functions of a dictionary of parameters."""

import math
import os

import torch
from torch.nn import functional as F


class Model:
    def __init__(self, task, late=False, sdpa=False, bits=False):
        self.task, self.late, self.sdpa = task, late, sdpa
        self.drop = sixteen_bits if bits else F.dropout
        place = torch.arange(task.length, dtype=torch.float32)
        self.distance = place[:, None] - place[None, :]
        self.mask = torch.zeros_like(self.distance).masked_fill(self.distance < 0, -math.inf)
        self.place = place

    def last(self, theta, tokens, p):
        """What the unembedding sees: the positions that count, as rows."""
        task = self.task
        d, skip = task.width, task.skip
        x = F.embedding(tokens, theta["embed"]) * task.embedding_factor
        if task.positions == "learned":
            x = x + theta["positions"][: tokens.shape[1]]
        x = self.dropped(x, p)
        for n in range(task.blocks):
            block = lambda name: theta[f"{n}.{name}"]
            first = skip if self.late and n == task.blocks - 1 else 0
            y = F.layer_norm(x, (d,), *block("norm1"))
            weights, bias = block("qkv"), block("qkv_bias")
            if first:
                q = y[:, first:] @ weights[:, :d] + bias[:d]
                k, v = (y @ weights[:, d:] + bias[d:]).split(d, -1)
            else:
                q, k, v = (y @ weights + bias).split(d, -1)
            x = x[:, first:] + self.dropped(self.attention(q, k, v, block, p) @ block("out") + block("out_bias"), p)
            y = F.layer_norm(x, (d,), *block("norm2")) @ block("up") + block("up_bias")
            y = F.relu(y) if task.activation == "relu" else F.gelu(y, approximate="tanh")
            x = x + self.dropped(self.dropped(y, p) @ block("down") + block("down_bias"), p)
        if x.shape[1] > task.length - skip:
            x = x[:, skip:]
        return F.layer_norm(x, (d,), *theta["norm"]).reshape(-1, d)

    def dropped(self, x, p):
        return self.drop(x, p) if p > 0 else x

    def attention(self, q, k, v, block, p):
        task = self.task
        heads = lambda x: x.view(*x.shape[:2], task.heads, task.head).transpose(1, 2)
        q, k, v = heads(q), heads(k), heads(v)
        asked, scale = q.shape[2], 1 / math.sqrt(task.head)
        if self.sdpa:
            if task.positions == "alibi":
                # -slope (i - j) differs from slope j by what the softmax does not see.
                by_key = (block("slopes")[:, None] * self.place / scale)[None, :, :, None].expand(*k.shape[:3], 1)
                q, k = torch.cat([q, torch.ones_like(q[..., :1])], -1), torch.cat([k, by_key], -1)
            mask = self.mask[-asked:] if asked < k.shape[2] else None
            z = F.scaled_dot_product_attention(q, k, v, mask, p, is_causal=mask is None, scale=scale)
        else:
            bias = self.mask
            if task.positions == "alibi":
                bias = bias - block("slopes")[:, None, None] * self.distance
            shares = torch.softmax((q * scale) @ k.transpose(2, 3) + bias[..., -asked:, :], -1)
            z = self.dropped(shares, p) @ v
        return z.transpose(1, 2).flatten(2)

    def loss(self, theta, tokens, p):
        """Sum over positions that count."""
        targets = tokens[:, self.task.skip + 1 :].reshape(-1)
        logits = self.last(theta, tokens[:, :-1], p) @ theta["unembed"] + theta["unembed_bias"]
        return F.cross_entropy(logits, targets, reduction="sum")


def sixteen_bits(x, p):
    """Dropout whose masks cost 16 random bits an entry."""
    words = torch.empty((x.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    kept = words.view(torch.int16)[: x.numel()].view(x.shape) >= round(p * 65536) - 32768
    return x * kept * (1 / (1 - p))


def rows_by_hand(rows, weights, bias, targets):
    """Loss of some rows, and what it asks of rows, weights and bias."""
    logs = torch.log_softmax(torch.addmm(bias, rows, weights), -1)
    loss = -logs.gather(1, targets[:, None]).sum()
    slopes = logs.exp_()
    slopes.scatter_add_(1, targets[:, None], torch.full((len(rows), 1), -1.0))
    return loss, slopes @ weights.T, rows.T @ slopes, slopes.sum(0)


class InRows(torch.autograd.Function):
    """The loss with some rows of logits at a time."""

    @staticmethod
    def forward(ctx, x, weights, bias, targets, size, body):
        by_rows, by_weights, by_bias = torch.empty_like(x), torch.zeros_like(weights), torch.zeros_like(bias)
        total = torch.zeros(())
        for begin in range(0, len(x), size):
            piece = slice(begin, begin + size)
            loss, by_rows[piece], of_weights, of_bias = body(x[piece], weights, bias, targets[piece])
            by_weights += of_weights
            by_bias += of_bias
            total += loss
        ctx.save_for_backward(by_rows, by_weights, by_bias)
        return total

    @staticmethod
    def backward(ctx, slope):
        return *(part.mul_(slope) for part in ctx.saved_tensors), None, None, None


def in_rows(model, size, compiled):
    last = torch.compile(model.last) if compiled else model.last
    body = torch.compile(rows_by_hand) if compiled else rows_by_hand

    def loss(theta, tokens, p):
        targets = tokens[:, model.task.skip + 1 :].reshape(-1)
        return InRows.apply(last(theta, tokens[:, :-1], p), theta["unembed"], theta["unembed_bias"], targets, size, body)

    return loss


def ways(task, tuned, quick):
    """(name, one step, loss and gradient at the start)."""
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch._dynamo.config.cache_size_limit = 64
    model = lambda **how: Model(task, **how)
    losses, whole = {}, task.batch
    add = lambda name, loss, piece=whole: losses.setdefault(name, (loss, piece))
    wide = task.vocabulary > 1000
    if not tuned:
        add("plain, eager", model().loss)
        add("sdpa, eager", model(sdpa=True).loss)
        add("plain, compiled", torch.compile(model().loss))
        if not quick:
            add("sdpa, compiled", torch.compile(model(sdpa=True).loss))
    elif wide:
        for size in (64, 160, 640):
            add(f"rows of {size}, eager", in_rows(model(), size, False))
            add(f"rows of {size}, compiled", in_rows(model(), size, True))
        for piece in (4, 8):
            add(f"pieces of {piece}, compiled", torch.compile(model().loss), piece)
    else:
        add("late, eager", model(late=True).loss)
        add("late, 16 bits, eager", model(late=True, bits=True).loss)
        add("late, compiled", torch.compile(model(late=True).loss))
        for piece in (20, 60, 200):
            add(f"late, pieces of {piece}, eager", model(late=True).loss, piece)
            add(f"late, 16 bits, pieces of {piece}, eager", model(late=True, bits=True).loss, piece)
            add(f"late, pieces of {piece}, compiled", torch.compile(model(late=True).loss), piece)
    tokens = torch.tensor(task.tokens, dtype=torch.int64)
    for name, (loss, piece) in losses.items():
        yield name, *way(task, tokens, loss, piece)


def way(task, tokens, loss, piece):
    fresh = lambda: {name: torch.tensor(part, requires_grad=True) for name, part in task.start().items()}
    theta, rule, pieces = fresh(), task.rule, tokens.split(piece)
    leaves = list(theta.values())
    if rule["name"] == "adamw":
        optimiser = torch.optim.AdamW(leaves, rule["rate"], weight_decay=rule["decay"], fused=True)
    else:
        optimiser = torch.optim.SGD(leaves, rule["rate"], fused=True)

    def slopes(theta, p):
        value = 0.0
        for part in pieces:
            mean = loss(theta, part, p) / task.counted
            mean.backward()
            value += mean.detach()
        return value

    def run():
        optimiser.zero_grad()
        slopes(theta, task.dropout)
        if rule["bound"] is not None:
            torch.nn.utils.clip_grad_norm_(leaves, rule["bound"])
        optimiser.step()

    def check():
        point = fresh()
        value = slopes(point, 0.0)
        return value.item(), {name: leaf.grad.numpy() for name, leaf in point.items()}

    return run, check
