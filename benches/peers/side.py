"""The peers' side of `cargo xtask bench`: measures its cases whenever it is asked to.

A peer says in one line of JSON which versions it runs on, then answers each line on its standard input
with one line of JSON. So both sides can take turns in one run. After the first turn, ways that are more
than twice as slow as a more accurate one are left out: they could not be the fastest at any error.
"""

import ctypes
import functools
import gc
import importlib
import json
import os
import platform
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
QUICK = "--quick" in sys.argv


def one_thread():
    """XLA reads its flags once, when it is imported. Many threads only get in each other's way at small sizes."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"


def one_core():
    """Holds the process, and all libraries that are imported from now on, to one core."""
    for library in ("OMP", "MKL", "OPENBLAS"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    one_thread()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main(ways):
    """Serves cases, packages and notes, which the way that the second argument names makes of the inputs in the first."""
    serve(*ways[sys.argv[2]](inputs(sys.argv[1])))


# What a library runs on.
PACKAGES = {"numpy": ["numpy"], "torch": ["torch", "numpy"], "jax": ["jax", "jaxlib", "numpy"]}


def serve(cases, packages, notes=None):
    """cases: (case, variant, error, repeats, run); a run may return the seconds that it stands for."""
    versions = {"python": platform.python_version()}
    versions |= {name: importlib.import_module(name).__version__ for name in packages}
    print(json.dumps({"versions": versions, "notes": notes or []}), flush=True)
    for _ in sys.stdin:
        results = []
        for case, variant, error, repeats, run in cases:
            best = float("inf")
            for _ in range(repeats):
                begin = time.perf_counter()
                seconds = run()
                elapsed = time.perf_counter() - begin
                best = min(best, seconds if isinstance(seconds, float) else elapsed)
            results.append({"case": case, "variant": variant, "seconds": best, "error": error})
        print(json.dumps({"results": results}), flush=True)
        cases = [case for case, result in zip(cases, results) if not is_hopeless(result, results)]


def is_hopeless(result, results):
    def beats(other):
        same = other["case"] == result["case"] and None not in (other["error"], result["error"])
        return same and other["error"] <= result["error"] and 2 * other["seconds"] < result["seconds"]

    return any(beats(other) for other in results)


def scaled(run, factor, measured=1):
    """A run whose time, of `measured` times, stands for one that takes `factor` times as long."""

    def timed():
        begin = time.perf_counter()
        for _ in range(measured):
            run()
        return (time.perf_counter() - begin) * factor / measured

    return timed


def at_tolerances(case, name, solve, tolerances, error, repeats):
    """Cases of a solver: `solve(rtol)` is timed, and its result has that error."""
    for rtol in tolerances:
        run = functools.partial(solve, rtol)
        yield case, f"{name}, rtol {rtol:.0e}", error(run()), repeats, run


def by_diffrax(case, names, tolerances, rate, horizon, start, atol_per_rtol, error, repeats, many=False):
    """Solvers of diffrax in float64, compiled: from a start to its end, or from `many` starts to all ends."""
    import diffrax
    import jax

    cases, notes = [], []
    for name in names:
        # With the controller that diffrax advises.
        def solve(y, rtol, solver=getattr(diffrax, name)()):
            control = diffrax.PIDController(rtol=rtol, atol=rtol * atol_per_rtol)
            return diffrax.diffeqsolve(
                diffrax.ODETerm(rate), solver, 0.0, horizon, 0.1, y,
                stepsize_controller=control, max_steps=10_000_000, saveat=diffrax.SaveAt(t1=True),
            ).ys[0]  # fmt: skip

        begin = time.perf_counter()
        solved = jax.jit(jax.vmap(solve, in_axes=(0, None)) if many else solve).lower(start, 1e-6).compile()
        notes.append(f"diffrax {name}: compiled in {time.perf_counter() - begin:.1f} s, not counted")
        end = lambda rtol, solved=solved: jax.block_until_ready(solved(start, rtol))
        cases += at_tolerances(case, name, end, tolerances, error, repeats)
    return cases, ["numpy", "jax", "diffrax"], notes


def agreement(points, evaluate, batches, most):
    """The largest difference of losses and slopes from ours, in standard errors; `evaluate(theta)` draws a batch."""
    import numpy as np

    worst = 0.0
    for point in points:
        total, squares = 0.0, 0.0
        for _ in range(batches):
            found = np.array(evaluate(np.array(point["theta"], dtype=np.float32)), dtype=np.float64)
            total, squares = total + found, squares + found**2
        mean = total / batches
        spread = np.sqrt(np.maximum(squares / batches - mean**2, 0) / (batches - 1))
        error = np.hypot(spread, point["errors"]) + 1e-7
        worst = max(worst, float(np.abs((mean - point["means"]) / error).max()))
    if worst > most:
        raise SystemExit(f"loss or slopes are {worst:.1f} standard errors from ours")
    return f"loss and {len(mean) - 1} slopes at most {worst:.1f} standard errors from ours, over {batches} batches"


def inputs(path):
    with open(path) as file:
        return json.load(file)


def memory(run):
    """How far memory goes up and down again in a run, in MB."""
    gc.collect()
    # What was freed goes back first, or it would hide what is asked for.
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = peak()
    run()
    return peak() - before


def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) / 1000
