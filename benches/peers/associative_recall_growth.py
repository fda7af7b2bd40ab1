"""JAX beside Saddlescope: one exact gradient of associative recall as the sum over all k! permutations.

Prints one line of JSON, a line of the figure: microseconds of the loss with its gradient (float64, jit,
value_and_grad, after compiling) over the order k, with k - 1 heads. It ends where a gradient takes too long.

    associative_recall_growth.py [--quick]
"""

import json
import time

from side import QUICK

import jax
import jax.numpy as jnp
import numpy as np
from associative_recall_gd import matrix, share_by_gather

RESPONSES = 4
CALLS = 64


def seconds(order, repeats):
    heads = order - 1
    share = share_by_gather(order, heads)
    theta = jnp.asarray(np.random.default_rng(0).normal(size=(heads, order + 1)) / 2)

    def loss(theta):
        return (1 - 1 / RESPONSES) * (1 - share(matrix(theta)))

    # Many gradients in one call, each a little away from the last: a call alone costs microseconds.
    calls = CALLS if order < 7 else 4

    @jax.jit
    def run(theta):
        def step(theta, _):
            value, slope = jax.value_and_grad(loss)(theta)
            return theta - 1e-9 * slope, value

        return jax.lax.scan(step, theta, None, calls)

    jax.block_until_ready(run(theta))
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(run(theta))
        best = min(best, (time.perf_counter() - begin) / calls)
    return best


if __name__ == "__main__":
    orders = list(range(2, 8 if QUICK else 10))
    costs = [1e6 * seconds(order, 3 if QUICK else 8) for order in orders]
    series = {"label": "JAX, over all $k!$ permutations", "x": orders, "y": costs}
    print(json.dumps({"versions": {"jax": jax.__version__}, "series": [series]}), flush=True)
