"""Change points by `ruptures` on the staircases that the bench `stages` writes.

As a good user would: log time, values resampled to an even grid, a penalty in units of the noise, which
is estimated from differences, close change points taken as one jump. All settings of the grid below are
tried, and each method keeps those that do best on this very set (by F1): tuned in the peer's favour.

usage: stages.py FOLDER      prints {"rows": [{"method", "settings", "jumps", "seconds_per_series"}]}
"""

import csv
import itertools
import json
import pathlib
import sys
import time

import numpy as np
import ruptures as rpt

GRID = 400

# KernelCPD with a linear kernel is Pelt with the cost l2, in C.
METHODS = [
    (
        "Pelt l2",
        lambda least: rpt.KernelCPD(kernel="linear", min_size=least),
        [16, 32, 64, 128, 256, 512, 1024],
    ),
    (
        "Pelt rbf",
        lambda least: rpt.KernelCPD(kernel="rbf", min_size=least),
        [0.5, 1, 1.5, 2, 3, 4, 8],
    ),
    ("Binseg l2", lambda least: rpt.Binseg(model="l2", min_size=least, jump=1), [128, 512]),
]


def resampled(path):
    with open(path) as file:
        rows = [(float(row["time"]), float(row["value"])) for row in csv.DictReader(file)]
    times, values = np.array(rows).T
    keep = times > 0
    x, y = np.log(times[keep]), values[keep]
    grid = np.linspace(x[0], x[-1], GRID)
    # Medians where a cell holds several rows, lines between neighbours where it holds none.
    cell = np.clip(np.searchsorted(grid, x, side="right") - 1, 0, GRID - 1)
    out = np.interp(grid, x, y)
    for index in np.unique(cell):
        out[index] = np.median(y[cell == index])
    # On lines the noise is too small by far: only cells that hold rows tell of it.
    steps = np.diff(out[np.unique(cell)])
    sigma = 1.4826 * np.median(np.abs(steps)) / np.sqrt(2)
    return grid, out, max(sigma, 1e-3 * np.ptp(out))


def merged(grid, points, gap):
    """Change points closer than `gap` cells are one jump, at their middle."""
    points = np.array(points, dtype=int)
    groups = np.split(points, np.flatnonzero(np.diff(points) > gap) + 1)
    return [float(np.exp(np.mean(grid[group] - 0.5 * (grid[1] - grid[0])))) for group in groups if len(group)]


def score(truths, found, firsts, lasts):
    """Counts (there, found, right), as the bench counts them."""
    there = all_found = right = 0
    for truth, times, first, last in zip(truths, found, firsts, lasts):
        fixed = np.log([first] + truth["jumps"] + [last])
        free = list(np.log(times))
        for m in range(len(truth["jumps"])):
            room = min(fixed[m + 1] - fixed[m], fixed[m + 2] - fixed[m + 1])
            near = [t for t in free if abs(t - fixed[m + 1]) <= 0.25 * room]
            if near:
                free.remove(min(near, key=lambda t: abs(t - fixed[m + 1])))
                right += 1
        there += len(truth["jumps"])
        all_found += len(times)
    return 2 * right / max(1, there + all_found)


folder = pathlib.Path(sys.argv[1])
truths = json.loads((folder / "truth.json").read_text())
series = [resampled(folder / f"series-{i:04}.csv") for i in range(len(truths))]
firsts = [np.exp(grid[0]) for grid, _, _ in series]
lasts = [np.exp(grid[-1]) for grid, _, _ in series]
rows = []
for name, make, strengths in METHODS:
    best = (-1.0, None, None, None)
    for strength, least in itertools.product(strengths, [3, 6] if len(strengths) > 2 else [3]):
        began = time.perf_counter()
        points = []
        for _, y, sigma in series:
            unit = 1.0 if "rbf" in name else sigma**2
            method = make(least).fit(y.reshape(-1, 1))
            points.append(method.predict(pen=strength * unit * np.log(GRID))[:-1])
        seconds = (time.perf_counter() - began) / len(series)
        for gap in [0, 2, 4, 6, 8, 12, 20]:
            found = [merged(grid, p, gap) for (grid, _, _), p in zip(series, points)]
            f1 = score(truths, found, firsts, lasts)
            if f1 > best[0]:
                settings = {"penalty": strength, "min_size": least, "gap": gap}
                best = (f1, settings, found, seconds)
    rows.append({
        "method": f"ruptures {name}",
        "settings": best[1],
        "jumps": best[2],
        "seconds_per_series": best[3],
    })
print(json.dumps({"rows": rows}))
