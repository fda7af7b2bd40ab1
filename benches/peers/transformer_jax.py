"""The standard transformer in JAX, as functions of a dictionary of parameters."""

import math

import jax
import jax.numpy as jnp
import numpy as np


class Model:
    def __init__(self, task, late=False, bits=False):
        self.task, self.late, self.bits = task, late, bits
        place = np.arange(task.length, dtype=np.float32)
        self.distance = place[:, None] - place[None, :]
        self.mask = np.where(self.distance < 0, np.float32(-1e30), np.float32(0))

    def dropped(self, x, p, keys):
        if p == 0:
            return x
        key = next(keys)
        if self.bits:
            kept = jax.random.bits(key, x.shape, jnp.uint16) >= jnp.uint16(round(p * 65536))
        else:
            kept = jax.random.bernoulli(key, 1 - p, x.shape)
        return jnp.where(kept, x / (1 - p), 0)

    def last(self, theta, tokens, p, key):
        """What the unembedding sees: the positions that count, as rows."""
        task = self.task
        d, skip = task.width, task.skip
        keys = iter(jax.random.split(key, 1 + 4 * task.blocks)) if p > 0 else None
        x = theta["embed"][tokens] * task.embedding_factor
        if task.positions == "learned":
            x = x + theta["positions"][: tokens.shape[1]]
        x = self.dropped(x, p, keys)
        for n in range(task.blocks):
            block = lambda name: theta[f"{n}.{name}"]
            first = skip if self.late and n == task.blocks - 1 else 0
            y = norm(x, block("norm1"))
            weights, bias = block("qkv"), block("qkv_bias")
            if first:
                q = y[:, first:] @ weights[:, :d] + bias[:d]
                k, v = jnp.split(y @ weights[:, d:] + bias[d:], 2, -1)
            else:
                q, k, v = jnp.split(y @ weights + bias, 3, -1)
            z = self.attention(q, k, v, block, p, keys)
            x = x[:, first:] + self.dropped(z @ block("out") + block("out_bias"), p, keys)
            y = norm(x, block("norm2")) @ block("up") + block("up_bias")
            y = jax.nn.relu(y) if task.activation == "relu" else jax.nn.gelu(y, approximate=True)
            x = x + self.dropped(self.dropped(y, p, keys) @ block("down") + block("down_bias"), p, keys)
        if x.shape[1] > task.length - skip:
            x = x[:, skip:]
        return norm(x, theta["norm"]).reshape(-1, d)

    def attention(self, q, k, v, block, p, keys):
        task = self.task
        heads = lambda x: x.reshape(*x.shape[:2], task.heads, task.head).transpose(0, 2, 1, 3)
        q, k, v = heads(q), heads(k), heads(v)
        bias = self.mask
        if task.positions == "alibi":
            bias = bias - block("slopes")[:, None, None] * self.distance
        scores = jnp.einsum("bhie,bhje->bhij", q / math.sqrt(task.head), k) + bias[..., -q.shape[2] :, :]
        shares = self.dropped(jax.nn.softmax(scores, -1), p, keys)
        z = jnp.einsum("bhij,bhje->bhie", shares, v)
        return z.transpose(0, 2, 1, 3).reshape(z.shape[0], z.shape[2], task.width)

    def loss(self, theta, tokens, p, key):
        """Sum over positions that count."""
        targets = tokens[:, self.task.skip + 1 :].reshape(-1)
        logits = self.last(theta, tokens[:, :-1], p, key) @ theta["unembed"] + theta["unembed_bias"]
        own = jnp.take_along_axis(logits, targets[:, None], 1)[:, 0]
        return (jax.nn.logsumexp(logits, -1) - own).sum()


def norm(x, weights):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * weights[0] + weights[1]


def in_rows(model, size):
    """The loss with some rows of logits at a time, and its gradient by hand."""

    def totals(x, weights, bias, targets):
        def body(total, piece):
            rows, targets = piece
            logs = jax.nn.log_softmax(rows @ weights + bias, -1)
            loss = -jnp.take_along_axis(logs, targets[:, None], 1).sum()
            slopes = jnp.exp(logs).at[jnp.arange(size), targets].add(-1)
            sums = (loss, rows.T @ slopes, slopes.sum(0))
            return jax.tree.map(jnp.add, total, sums), slopes @ weights.T

        nothing = (jnp.float32(0), jnp.zeros_like(weights), jnp.zeros_like(bias))
        pieces = (x.reshape(-1, size, x.shape[1]), targets.reshape(-1, size))
        (loss, by_weights, by_bias), by_rows = jax.lax.scan(body, nothing, pieces)
        return loss, (by_rows.reshape(x.shape), by_weights, by_bias)

    @jax.custom_vjp
    def sums(x, weights, bias, targets):
        return totals(x, weights, bias, targets)[0]

    sums.defvjp(totals, lambda kept, slope: (*(part * slope for part in kept), None))

    def loss(theta, tokens, p, key):
        targets = tokens[:, model.task.skip + 1 :].reshape(-1)
        return sums(model.last(theta, tokens[:, :-1], p, key), theta["unembed"], theta["unembed_bias"], targets)

    return loss


def ways(task, tuned, quick):
    """(name, one step, loss and gradient at the start)."""
    # The generator that XLA has built in, several times as fast as JAX's own.
    jax.config.update("jax_default_prng_impl", "rbg")
    model = lambda **how: Model(task, **how)
    losses, whole = {}, task.batch
    add = lambda name, loss, piece=whole: losses.setdefault(name, (loss, piece))
    if not tuned:
        add("plain", model().loss)
    elif task.vocabulary > 1000:
        for size in (64, 160, 640):
            add(f"rows of {size}", in_rows(model(), size))
        add("pieces of 8", model().loss, 8)
    else:
        add("late", model(late=True).loss)
        for piece in (60, 200):
            add(f"late, 16 bits, pieces of {piece}", model(late=True, bits=True).loss, piece)
    tokens = jnp.asarray(task.tokens)
    for name, (loss, piece) in losses.items():
        yield name, *way(task, tokens, loss, piece)


def way(task, tokens, loss, piece):
    rule = task.rule

    def slopes(theta, tokens, p, key):
        if piece == task.batch:
            value, gradient = jax.value_and_grad(loss)(theta, tokens, p, key)
        else:
            pieces = tokens.reshape(-1, piece, tokens.shape[1])
            keys = jax.random.split(key, len(pieces))
            add = lambda total, of: (jax.tree.map(jnp.add, total, jax.value_and_grad(loss)(theta, of[0], p, of[1])), None)
            nothing = (jnp.float32(0), jax.tree.map(jnp.zeros_like, theta))
            value, gradient = jax.lax.scan(add, nothing, (pieces, keys))[0]
        return jax.tree.map(lambda part: part / task.counted, (value, gradient))

    def step(state, tokens):
        theta, m, s, count, key = state
        key, own = jax.random.split(key)
        _, gradient = slopes(theta, tokens, task.dropout, own)
        if rule["bound"] is not None:
            size = jnp.sqrt(sum((part**2).sum() for part in gradient.values()))
            factor = jnp.minimum(1.0, rule["bound"] / (size + 1e-6))
            gradient = jax.tree.map(lambda part: part * factor, gradient)
        count, rate = count + 1, rule["rate"]
        if rule["name"] == "sgd":
            return jax.tree.map(lambda t, g: t - rate * g, theta, gradient), m, s, count, key
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
        s = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, s, gradient)
        by_m, by_s = 1 - 0.9**count, 1 - 0.999**count
        move = lambda t, m, s: t * (1 - rate * rule["decay"]) - rate * (m / by_m) / (jnp.sqrt(s / by_s) + 1e-8)
        return jax.tree.map(move, theta, m, s), m, s, count, key

    step = jax.jit(step, donate_argnums=0)
    fresh = lambda: {name: jnp.array(part) for name, part in task.start().items()}
    moments = lambda: {name: jnp.zeros_like(part) for name, part in fresh().items()} if rule["name"] == "adamw" else {}
    state = []

    def run():
        if not state:
            state.append((fresh(), moments(), moments(), jnp.float32(0), jax.random.key(0)))
        state[0] = jax.block_until_ready(step(state[0], tokens))

    def check():
        value, gradient = jax.jit(slopes, static_argnums=2)(fresh(), tokens, 0.0, jax.random.key(0))
        return float(value), {name: np.asarray(part) for name, part in gradient.items()}

    return run, check
