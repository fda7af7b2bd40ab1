"""Opens a run's folder with the tools of others and compares it with what the program prints.

    python tests/python/open_run.py FOLDER [PRINTED.json]

FOLDER is a run's folder. PRINTED.json is what `saddlescope run ... --json` printed for the same
experiment; without it, the readers are compared with each other only. Exits 1 with a message on the
first thing that does not agree.
"""

import json
import math
import sys
import tomllib
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
from safetensors import safe_open
from safetensors.numpy import load_file


def check(holds, message):
    if not holds:
        sys.exit(f"open_run: {message}")


def same(a, b):
    """Equal bits, whatever the bits mean."""
    a, b = (np.ascontiguousarray(np.asarray(x, dtype=np.float64)) for x in (a, b))
    return a.shape == b.shape and (a.view(np.uint64) == b.view(np.uint64)).all()


def numbers(nested):
    """Nested lists of JSON as an array; null stands for what is not finite."""
    return np.array(nested, dtype=object).astype(np.float64)


def element_names(name, shape):
    if not shape:
        return [name]
    return [f"{name}[{','.join(map(str, place))}]" for place in np.ndindex(*shape)]


def trajectory(folder, run):
    """The table as pandas sees it, the same in every reader, and the shapes of its series."""
    parts = sorted((folder / "trajectory").glob("part-*.parquet"))
    check(len(parts) == 1, f"a finished run has one part, not {len(parts)}")
    path = str(parts[0])
    table = pd.read_parquet(path)
    others = {
        "pyarrow": pq.read_table(path).to_pandas(),
        "polars": pl.read_parquet(path).to_pandas(),
        "duckdb": duckdb.sql(f"select * from '{path}'").df(),
    }
    for reader, other in others.items():
        check(list(other.columns) == list(table.columns), f"{reader} sees other columns")
        check(len(other) == len(table), f"{reader} sees other rows")
        for name in table.columns:
            check(same(table[name], other[name]), f"{reader} reads other numbers in {name}")
    check(str(table["step"].dtype) == "int64", f"step is {table['step'].dtype}")
    check(table["time"].is_monotonic_increasing, "time runs backwards")
    notes = {k.decode(): v.decode() for k, v in pq.read_schema(path).metadata.items()}
    check(notes["saddlescope.hash"] == run["hash"], "the part belongs to another run")
    series = {s["name"]: s["shape"] for s in json.loads(notes["saddlescope.series"])}
    columns = [c for name, shape in series.items() for c in element_names(name, shape)]
    check(list(table.columns) == ["time", "step", *columns], "columns are not named by element")
    return table, series


def snapshots(folder, run):
    """All snapshots: names, shapes, and their instants."""
    loaded = {}
    for path in sorted((folder / "snapshots").glob("*.safetensors")):
        arrays = load_file(path)
        with safe_open(path, "numpy") as file:
            notes = file.metadata()
        check(notes["hash"] == run["hash"], f"{path.name} belongs to another run")
        check(all(a.dtype == np.float64 for a in arrays.values()), f"{path.name} is not F64")
        loaded[path.stem] = (float(notes["time"]), int(notes["step"]), arrays)
    check({"start", "end"} <= loaded.keys(), f"snapshots are {sorted(loaded)}")
    shapes = {n: {k: v.shape for k, v in arrays.items()} for n, (_, _, arrays) in loaded.items()}
    check(all(s == shapes["start"] for s in shapes.values()), "snapshots differ in their blocks")
    check(loaded["start"][0] == 0.0, "the start is not at time 0")
    return loaded


def compare(printed, run, table, series, states, stages):
    """The folder against what the program printed."""
    seen = printed["trajectory"]
    check(set(seen) == {"time", "step", *series}, f"series are {sorted(series)}")
    check(same(numbers(seen["time"]), table["time"]), "times differ")
    check(list(seen["step"]) == list(table["step"]), "steps differ")
    for name, shape in series.items():
        told = numbers(seen[name])
        check(told.shape == (len(table), *shape), f"{name} has shape {told.shape}")
        stored = table[element_names(name, shape)].to_numpy().reshape(told.shape)
        finite = np.isfinite(told)
        check(same(told[finite], stored[finite]), f"{name} differs")
    time, step, arrays = states["end"]
    last = printed["phases"][-1]
    check((time, step) == (last["time"], last["step"]), "the end is another instant")
    check(len(printed["final"]) == sum(a.size for a in arrays.values()), "the end has other sizes")
    told = sorted(printed["final"])
    stored = sorted(x for a in arrays.values() for x in a.ravel().tolist())
    check(same(told, stored), "the parameters at the end differ")
    check(printed["version"] == run["version"] and printed["simd"] == run["simd"], "other program")
    check(printed["crossings"] == stages["crossings"], "crossings differ")
    check(printed["invariants"] == stages["invariants"], "invariants differ")
    for name in printed.keys() & stages.keys():
        check(printed[name] == stages[name], f"{name} differs")


folder = Path(sys.argv[1])
document = tomllib.loads((folder / "run.toml").read_text())
run = document["run"]
check(run["state"] == "finished", f"the run is {run['state']}")
for name in run["files"]:
    check((folder / name).is_file(), f"{name} is missing")
stages = json.loads((folder / "stages.json").read_text())
table, series = trajectory(folder, run)
states = snapshots(folder, run)
for name in set(series) & set(states["end"][2]):
    last = table[element_names(name, series[name])].iloc[-1].to_numpy()
    check(same(last, states["end"][2][name].ravel()), f"{name} ends elsewhere")
if len(sys.argv) > 2:
    printed = json.loads(Path(sys.argv[2]).read_text())
    compare(printed, run, table, series, states, stages)
parameters = sum(math.prod(a.shape) for a in states["end"][2].values())
print(
    f"open_run: {len(table)} rows, {len(series)} series, {len(states)} snapshots of "
    f"{parameters} parameters: pandas, pyarrow, polars, duckdb and safetensors agree"
)
