"""JAX beside Saddlescope: full-batch gradient descent of linear attention on sufficient statistics.

The statistics S = E[z z^T], B = E[y z] and E[y^2] with z = vec(beta x^T), and the starts, are those that
Saddlescope wrote. One epoch is one step on L = E[y^2] - 2 <B, Theta> + <Theta, S Theta>,
Theta = sum over heads i and ranks r of v_i k_ir q_ir^T. Timed is the whole training in one compiled loop,
after a first run that compiles it.

    linear_attention_gd.py INPUTS usual    the loss, jax.grad, jit and scan, as anybody writes it
    linear_attention_gd.py INPUTS tuned    gradients by hand, unrolled loops, XLA on one thread
    linear_attention_gd.py INPUTS search   every combination under these flags (long)
"""

import functools
import itertools
import sys

from side import PACKAGES, QUICK, inputs, one_thread, serve

if sys.argv[2] != "usual":
    one_thread()

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

LOOPS = ["scan", "scan unroll 4", "scan unroll 16", "fori_loop"]
USUAL = [("autodiff", "scan")]
# What --search finds best, depending on the shape.
TUNED = [
    ("autodiff", "scan unroll 16"),
    ("by hand", "scan unroll 4"),
    ("by hand", "scan unroll 16"),
    ("by hand, sums", "scan unroll 4"),
    ("by hand, sums", "scan unroll 16"),
]


def make_loss(np, s, b, square):
    def loss(weights):
        v, k, q = weights
        theta = np.einsum("h,hra,hrb->ab", v, k, q)
        return square - 2 * np.sum(b * theta) + np.einsum("ab,abcd,cd->", theta, s, theta)

    return loss


def epoch_autodiff(s, b, square, rate):
    gradient = jax.grad(make_loss(jnp, s, b, square))

    def epoch(weights):
        return jax.tree.map(lambda w, g: w - rate * g, weights, gradient(weights))

    return epoch


def scaled_statistics(s, b, rate):
    """The statistics as a matrix and a vector, with the factor 2 * rate in them, and the dimension."""
    dimension = b.shape[0]
    return 2 * rate * s.reshape(dimension**2, dimension**2), 2 * rate * b.reshape(-1), dimension


def epoch_by_hand(s, b, _square, rate):
    """The same step in few operations."""
    s, b, dimension = scaled_statistics(s, b, rate)

    def epoch(weights):
        v, k, q = weights
        heads, rank, _ = k.shape
        k, q, per_slot = (a.reshape(heads * rank, -1) for a in (k, q, jnp.repeat(v, rank)))
        push = (b - s @ ((per_slot * k).T @ q).reshape(-1)).reshape(dimension, dimension)
        to_k, to_q = q @ push.T, k @ push
        to_v = (k * to_k).reshape(heads, -1).sum(1)
        k, q = k + per_slot * to_k, q + per_slot * to_q
        return v + to_v, k.reshape(heads, rank, -1), q.reshape(heads, rank, -1)

    return epoch


def epoch_by_hand_sums(s, b, _square, rate):
    """The same again, products as broadcast sums, which XLA can fuse with their neighbours."""
    dimension = b.shape[0]
    s, b = 2 * rate * s.reshape(dimension**2, dimension**2), 2 * rate * b.reshape(-1)

    def epoch(weights):
        v, k, q = weights
        vk = v[:, None, None] * k
        theta = (vk[:, :, :, None] * q[:, :, None, :]).sum((0, 1)).reshape(-1)
        push = (b - (s * theta).sum(1)).reshape(dimension, dimension)
        to_k = (push * q[:, :, None, :]).sum(3)
        to_q = (push * k[:, :, :, None]).sum(2)
        return v + (k * to_k).sum((1, 2)), k + v[:, None, None] * to_k, q + v[:, None, None] * to_q

    return epoch


EPOCH_MAKERS = {"autodiff": epoch_autodiff, "by hand": epoch_by_hand, "by hand, sums": epoch_by_hand_sums}


def make_run(epoch, loop, epochs):
    if loop == "fori_loop":
        return jax.jit(lambda weights: jax.lax.fori_loop(0, epochs, lambda _, w: epoch(w), weights))
    unroll = int(loop.rpartition(" ")[2]) if "unroll" in loop else 1

    def run(weights):
        return jax.lax.scan(lambda w, _: (epoch(w), None), weights, None, epochs, unroll=unroll)[0]

    return jax.jit(run)


def unpack(start, heads, rank, dimension):
    """Values (H), keys and queries (H, R, D) from heads that lie one after the other."""
    rows = np.asarray(start).reshape(heads, -1)
    keys, queries = np.split(rows[:, 1:], 2, axis=1)
    return rows[:, 0], keys.reshape(heads, rank, dimension), queries.reshape(heads, rank, dimension)


def cases(given, settings, repeats):
    d, heads = given["dimension"], given["heads"]
    s = np.asarray(given["second"]).reshape(d, d, d, d)
    b = np.asarray(given["cross"]).reshape(d, d)
    square, rate = given["square"], given["rate"]
    for model in given["models"]:
        start = tuple(map(jnp.asarray, unpack(model["start"], heads, model["rank"], d)))
        for gradient, loop in settings:
            epoch = EPOCH_MAKERS[gradient](jnp.asarray(s), jnp.asarray(b), square, rate)
            run = make_run(epoch, loop, given["epochs"])
            final = tuple(map(np.asarray, jax.block_until_ready(run(start))))
            error = abs(float(make_loss(np, s, b, square)(final)) / model["final_loss"] - 1)
            timed = functools.partial(lambda run, start: jax.block_until_ready(run(start)), run, start)
            yield model["case"], f"{gradient}; {loop}", error, repeats, timed


if __name__ == "__main__":
    every = list(itertools.product(EPOCH_MAKERS, LOOPS))
    settings = {"usual": USUAL, "tuned": TUNED, "search": every}[sys.argv[2]]
    serve(list(cases(inputs(sys.argv[1]), settings, 1 if QUICK else 2)), PACKAGES["jax"])
