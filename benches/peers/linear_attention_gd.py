"""JAX beside Saddlescope: full-batch gradient descent of linear attention on sufficient statistics.

P = 5000 sequences of N = 31 context pairs give once and for all S = E[z z^T], B = E[y z] and
E[y^2], with z = vec(beta x^T). One epoch is then one step on
L = E[y^2] - 2 <B, Theta> + <Theta, S Theta>, Theta = sum over heads i and ranks r of v_i k_ir q_ir^T.
Timed: 10,001 epochs with step 0.02 in one compiled loop, per epoch, best of 5 after warm-up.
"""

import argparse
import itertools
import json
import os
import platform
import subprocess
import sys
import time

SEQUENCES, CONTEXT, EPOCHS, STEP = 5000, 31, 10_001, 0.02
START_SIZE, SEED = 0.1, 7
SHAPES = [(4, 5, 1), (8, 9, 1), (8, 9, 2), (8, 9, 4), (8, 9, 8)]  # dimension, heads, rank

# --xla_cpu_use_thunk_runtime=false is accepted by jaxlib 0.10 but says that it does nothing any more.
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"
FLAGS = {
    "default flags": "",
    "one thread": ONE_THREAD,
    "one thread, plain scheduler": f"{ONE_THREAD} --xla_cpu_enable_concurrency_optimized_scheduler=false",
    "one thread, fast math": f"{ONE_THREAD} --xla_cpu_enable_fast_math=true",
    "one thread, wide vectors": f"{ONE_THREAD} --xla_cpu_prefer_vector_width=512",
}
GRADIENTS = ["autodiff", "by hand", "by hand, sums"]
LOOPS = ["scan", "scan unroll 4", "scan unroll 16", "fori_loop"]
TYPES = ["float64", "float32"]

PLAIN = ("default flags", "autodiff", "scan", "float64")
# A short list for the default run; which of them is best depends on the shape, and --search tries all.
TUNED = [
    ("one thread", "autodiff", "scan unroll 16", "float64"),
    ("one thread", "by hand", "scan unroll 4", "float64"),
    ("one thread", "by hand", "scan unroll 16", "float64"),
    ("one thread", "by hand, sums", "scan unroll 4", "float64"),
    ("one thread", "by hand, sums", "scan unroll 16", "float64"),
    ("one thread", "by hand", "scan unroll 16", "float32"),
    ("one thread", "by hand, sums", "scan unroll 4", "float32"),
]

def eigenvalues(np, dimension):
    """.4, .3, .2, .1 for four components, else proportional to 1/d; the trace is 1."""
    raw = np.arange(4.0, 0.0, -1.0) if dimension == 4 else 1 / np.arange(1.0, dimension + 1)
    return raw / raw.sum()


def statistics(np, dimension):
    """S as (D, D, D, D), B as (D, D) and E[y^2] of one drawn set of sequences."""
    rng = np.random.default_rng(SEED)
    scale = np.sqrt(eigenvalues(np, dimension))
    context = rng.normal(size=(SEQUENCES, CONTEXT, dimension)) * scale
    query = rng.normal(size=(SEQUENCES, dimension)) * scale
    task = rng.normal(size=(SEQUENCES, dimension))
    beta = np.einsum("pnd,pne,pe->pd", context, context, task, optimize=True) / CONTEXT
    y = (task * query).sum(1)
    z = (beta[:, :, None] * query[:, None, :]).reshape(SEQUENCES, -1)
    s = (z.T @ z / SEQUENCES).reshape((dimension,) * 4)
    return s, (y @ z / SEQUENCES).reshape(dimension, dimension), float(y @ y / SEQUENCES)


def start(np, dimension, heads, rank):
    """Values (H), keys and queries (H, R, D)."""
    rng = np.random.default_rng(SEED + 1)
    shapes = [(heads,), (heads, rank, dimension), (heads, rank, dimension)]
    return tuple(START_SIZE * rng.normal(size=shape) for shape in shapes)


def make_loss(jnp, s, b, eyy):
    def loss(weights):
        v, k, q = weights
        theta = jnp.einsum("h,hra,hrb->ab", v, k, q)
        return eyy - 2 * jnp.sum(b * theta) + jnp.einsum("ab,abcd,cd->", theta, s, theta)

    return loss


def epoch_autodiff(jax, jnp, s, b, eyy):
    gradient = jax.grad(make_loss(jnp, s, b, eyy))

    def epoch(weights):
        return jax.tree.map(lambda w, g: w - STEP * g, weights, gradient(weights))

    return epoch


def epoch_by_hand(jax, jnp, s, b, eyy):
    """The same step in few operations; the factor 2 * STEP sits in the statistics."""
    dimension = b.shape[0]
    s, b = 2 * STEP * s.reshape(dimension**2, dimension**2), 2 * STEP * b.reshape(-1)

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


def epoch_by_hand_sums(jax, jnp, s, b, eyy):
    """The same again, products as broadcast sums, which XLA can fuse with their neighbours."""
    dimension = b.shape[0]
    s, b = 2 * STEP * s.reshape(dimension**2, dimension**2), 2 * STEP * b.reshape(-1)

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


def make_run(jax, epoch, loop):
    if loop == "fori_loop":
        return jax.jit(lambda weights: jax.lax.fori_loop(0, EPOCHS, lambda _, w: epoch(w), weights))
    unroll = int(loop.rpartition(" ")[2]) if "unroll" in loop else 1

    def run(weights):
        return jax.lax.scan(lambda w, _: (epoch(w), None), weights, None, EPOCHS, unroll=unroll)[0]

    return jax.jit(run)


def measure(jax, shape, gradient, loop, dtype, repeats):
    import numpy as np

    jnp = jax.numpy
    dimension, heads, rank = shape
    s, b, eyy = statistics(np, dimension)
    weights = tuple(jnp.asarray(w, dtype) for w in start(np, dimension, heads, rank))
    epoch = EPOCH_MAKERS[gradient](jax, jnp, jnp.asarray(s, dtype), jnp.asarray(b, dtype), eyy)
    run = make_run(jax, epoch, loop)
    final = jax.block_until_ready(run(weights))
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(run(weights))
        best = min(best, time.perf_counter() - begin)
    final = tuple(np.asarray(w, "float64") for w in final)
    return best / EPOCHS * 1e6, float(make_loss(np, s, b, eyy)(final))


def variant_name(flags, gradient, loop, dtype):
    return f"{gradient}; {loop}; {dtype}; {flags}"


def worker(jobs, repeats):
    """Runs jobs under the XLA_FLAGS of this process, which are read only once."""
    import jax

    jax.config.update("jax_enable_x64", True)
    for flags, shape, gradient, loop, dtype in jobs:
        microseconds, loss = measure(jax, shape, gradient, loop, dtype, repeats)
        row = dict(zip(("dimension", "heads", "rank"), shape))
        row |= {"variant": variant_name(flags, gradient, loop, dtype), "microseconds_per_epoch": microseconds}
        print(json.dumps(row | {"final_loss": loss}), flush=True)


def run_under(flags, jobs, repeats):
    """The rows of the jobs in a process of its own; a flag this XLA does not know gives none."""
    environment = os.environ | {"XLA_FLAGS": FLAGS[flags], "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, __file__, "--repeats", str(repeats)]
    command += ["--worker", json.dumps([(flags, *job) for job in jobs])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(f"skipped {flags!r}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}", file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def mark_rows(rows):
    """Marks per shape the plain row and the fastest in float64, the type that Saddlescope uses."""
    best = {}
    for row in rows:
        row |= {"plain": row["variant"] == variant_name(*PLAIN), "best": False}
        shape = row["dimension"], row["heads"], row["rank"]
        faster = shape not in best or row["microseconds_per_epoch"] < best[shape]["microseconds_per_epoch"]
        if "float64" in row["variant"] and faster:
            best[shape] = row
    for row in best.values():
        row["best"] = True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", action="store_true", help="every combination, under every set of flags (long)")
    parser.add_argument("--repeats", type=int, default=5, help="runs per row, of which the best counts (default 5)")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        worker(json.loads(arguments.worker), arguments.repeats)
        return
    settings = [PLAIN, *TUNED]
    if arguments.search:
        settings = list(itertools.product(FLAGS, GRADIENTS, LOOPS, TYPES))
    rows = []
    for flags in FLAGS:
        jobs = [(shape, *setting[1:]) for shape in SHAPES for setting in settings if setting[0] == flags]
        rows += run_under(flags, jobs, arguments.repeats) if jobs else []
    mark_rows(rows)
    import jax, jaxlib, numpy

    versions = {"python": platform.python_version(), "numpy": numpy.__version__}
    versions |= {"jax": jax.__version__, "jaxlib": jaxlib.__version__}
    print(json.dumps({"versions": versions, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
