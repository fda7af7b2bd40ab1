"""JAX beside Saddlescope: descent on the exact loss of associative recall.

The loss of the simplified model after relabelling: with A^h = softmax(w^h) and M[h, i] = beta_h^2 A^h_i it
is (1 - 1/R)(1 - s), where s = exp(sum_h M[h, h]) / sum over permutations of exp(sum_h M[h, sigma_h]). The
start is the one that Saddlescope wrote. Timed is the whole training in one compiled loop, float64, after a
first run that compiles it; the error is the distance of the final parameters from Saddlescope's.

    associative_recall_gd.py INPUTS usual    the sum over the k! permutations (a gather, or a product with
                                             a matrix of zeros and ones), jax.grad, jit and scan
    associative_recall_gd.py INPUTS subsets  the sum by the recursion over subsets, written out
    associative_recall_gd.py INPUTS tuned    both, slopes by hand too, unrolled loops, XLA on one thread
    associative_recall_gd.py INPUTS search   every combination under these flags (long)
"""

import functools
import itertools
import sys

from side import PACKAGES, QUICK, inputs, one_thread, serve

if {"tuned", "search"} & set(sys.argv):
    one_thread()

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def table(order, heads):
    """Where the first `heads` tokens go, for all permutations; the identity comes first."""
    return np.array(list(itertools.permutations(range(order))), dtype=np.int32)[:, :heads]


def matrix(theta):
    """M[h, i] = beta_h^2 softmax(w^h)_i from rows (beta, w)."""
    return theta[:, :1] ** 2 * jax.nn.softmax(theta[:, 1:], axis=1)


def share_by_gather(order, heads):
    sigma, rows = jnp.asarray(table(order, heads)), jnp.arange(heads)

    def share(m):
        return jax.nn.softmax(m[rows, sigma].sum(1))[0]

    return share


def zeros_and_ones(order, heads):
    """The gather as a matrix, by which M is multiplied."""
    sigma = table(order, heads)
    return jnp.asarray(np.eye(order)[sigma].reshape(len(sigma), -1))


def share_by_product(order, heads):
    places = zeros_and_ones(order, heads)

    def share(m):
        return jax.nn.softmax(places @ m.reshape(-1))[0]

    return share


def share_by_subsets(order, heads):
    """The permanent of exp(M) by the recursion over subsets, written out as scalars."""
    orders = float(np.prod(range(1, order - heads + 1)))

    def share(m):
        raised = jnp.exp(m - m.max(1, keepdims=True))
        ways = {0: 1.0}
        for h in range(heads):
            after = {}
            for taken, way in ways.items():
                for lag in range(order):
                    if not taken >> lag & 1:
                        term = way * raised[h, lag]
                        key = taken | 1 << lag
                        after[key] = after[key] + term if key in after else term
            ways = after
        straight = functools.reduce(lambda a, b: a * b, [raised[h, h] for h in range(heads)])
        return straight / (orders * sum(ways.values()))

    return share


SHARES = {"gather": share_by_gather, "product": share_by_product, "subsets": share_by_subsets}


def slope_autodiff(given, share):
    guess = 1 - 1 / given["responses"]
    return jax.grad(lambda theta: guess * (1 - share(matrix(theta))))


def slope_by_hand(given, _share):
    """dL/dM = (1 - 1/R) s (P - I), P the marginals of the softmax over permutations."""
    order, heads, guess = given["order"], given["heads"], 1 - 1 / given["responses"]
    places = zeros_and_ones(order, heads)

    def slope(theta):
        beta, attention = theta[:, :1], jax.nn.softmax(theta[:, 1:], axis=1)
        s = jax.nn.softmax(places @ (beta**2 * attention).reshape(-1))
        delta = guess * s[0] * ((s @ places) - places[0]).reshape(heads, order)
        mean = (attention * delta).sum(1, keepdims=True)
        return jnp.concatenate([2 * beta * mean, beta**2 * attention * (delta - mean)], axis=1)

    return slope


SLOPES = {"autodiff": slope_autodiff, "by hand": slope_by_hand}
USUAL = [("gather", "autodiff", 1), ("product", "autodiff", 1)]
SUBSETS = [("subsets", "autodiff", 1)]
TUNED = [
    ("product", "autodiff", 8),
    ("subsets", "autodiff", 1),
    ("subsets", "autodiff", 2),
    ("product", "by hand", 4),
    ("product", "by hand", 8),
]
SEARCH = [(w, s, u) for w in SHARES for s in SLOPES for u in (1, 2, 4, 8, 16) if s == "autodiff" or w == "product"]


def make_run(slope, steps, rate, mu, unroll):
    def step(state, _):
        theta, velocity = state
        velocity = mu * velocity + slope(theta)
        return (theta - rate * velocity, velocity), None

    def plain(theta, _):
        return theta - rate * slope(theta), None

    if mu == 0:
        return jax.jit(lambda theta: jax.lax.scan(plain, theta, None, steps, unroll=unroll)[0])
    return jax.jit(lambda theta: jax.lax.scan(step, (theta, 0 * theta), None, steps, unroll=unroll)[0][0])


def cases(given, settings, repeats):
    heads = given["heads"]
    start = jnp.asarray(given["start"]).reshape(heads, -1)
    for model in given["models"]:
        mu, truth = model["momentum"], np.asarray(model["end"])
        for way, gradient, unroll in settings:
            slope = SLOPES[gradient](given, SHARES[way](given["order"], heads))
            run = make_run(slope, given["steps"], given["rate"] * (1 - mu), mu, unroll)
            end = np.asarray(run(start)).reshape(-1)
            error = float(np.abs(end - truth).max() / np.abs(truth).max())
            timed = functools.partial(lambda run, start: jax.block_until_ready(run(start)), run, start)
            loop = "scan" if unroll == 1 else f"scan unroll {unroll}"
            yield model["case"], f"{way}, {gradient}; {loop}", error, repeats, timed


if __name__ == "__main__":
    settings = {"usual": USUAL, "subsets": SUBSETS, "tuned": TUNED, "search": SEARCH}[sys.argv[2]]
    serve(list(cases(inputs(sys.argv[1]), settings, 1 if QUICK else 3)), PACKAGES["jax"])
