"""The same bits as the program: equal hashes, equal trajectories, equal ends."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from conftest import Command
from safetensors.numpy import load_file

import saddlescope as ss

CASES = {
    "flow": lambda **more: ss.LinearAttention(eigenvalues=[0.6, 0.4], heads=2).flow(
        start=ss.random_start(scale=0.01, seed=3), snapshots=[100.0], **more
    ),
    "reduced": lambda **more: ss.LinearAttention(heads=4).reduced(
        until=500.0, start=ss.aligned_start(value=0.02), **more
    ),
    "adam": lambda **more: ss.LinearAttention(eigenvalues=[0.6, 0.4]).train(
        ss.Adam(lr=1e-3), steps=40, batch=64, seed=5, **more
    ),
    "recall": lambda **more: ss.AssociativeRecall().flow(until=2000.0, **more),
    "transformer": lambda **more: ss.Transformer(length=8, batch=4).train(
        ss.AdamW(lr=1e-3, weight_decay=0.1), steps=6, **more
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_bits_as_the_program(case: str, program: Command, tmp_path: Path) -> None:
    run = CASES[case](name=case)
    (tmp_path / "case.toml").write_text(run.experiment, encoding="utf-8")
    done = program("run", "case.toml", "--out", "kept", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "kept" / run.system / case
    theirs = ss.read_run(folder)
    assert isinstance(theirs, ss.Run)
    assert theirs.hash == run.hash
    assert theirs.experiment == run.experiment
    # Once through our reading, and once through somebody else's.
    table = pq.read_table(folder / "trajectory")
    assert table.column_names == list(run.columns())
    for name, mine in run.columns().items():
        assert mine.tobytes() == theirs.columns()[name].tobytes()
        assert mine.tobytes() == table[name].to_numpy().tobytes()
    end = load_file(folder / "snapshots" / "end.safetensors")
    for name, block in run.end.items():
        assert block.tobytes() == end[name].astype(np.float64).tobytes()


def test_threads_and_seeds_change_nothing() -> None:
    system = ss.LinearAttention(heads=2)
    together = system.flow(seeds=range(3, 7), until=400.0)
    for run in together:
        alone = system.flow(seed=run.seed, until=400.0)
        assert isinstance(alone, ss.Run)
        assert alone.hash == run.hash
        assert alone.loss.tobytes() == run.loss.tobytes()


def test_what_is_kept_is_what_was_run(tmp_path: Path) -> None:
    system = ss.LinearAttention(heads=2)
    folder = tmp_path / "runs"
    run = system.flow(until=300.0, snapshots=[5.0], out=folder)
    again = ss.read_run(folder)
    assert isinstance(run, ss.Run) and isinstance(again, ss.Run)
    assert again.hash == run.hash
    assert again.folder == run.folder == folder
    assert again.stages == run.stages
    assert again.crossings == run.crossings
    assert again.outcomes == run.outcomes
    assert again.ended == run.ended
    assert np.array_equal(again.theory, run.theory)
    for name in run:
        assert again[name].tobytes() == run[name].tobytes()
    mine, theirs = run.snapshots[0], again.snapshots[0]
    assert (mine.time, mine.step) == (theirs.time, theirs.step)
    assert all(np.array_equal(theirs.blocks[name], block) for name, block in mine.blocks.items())
    # A second time it is read, not run; something else is refused.
    assert system.flow(until=300.0, snapshots=[5.0], out=folder).seconds == run.seconds
    with pytest.raises(ss.StoreError, match="another plan"):
        system.flow(until=301.0, out=folder)
    assert system.flow(until=301.0, out=folder, force=True).time[-1] == 301.0
