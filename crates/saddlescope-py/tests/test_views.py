"""Numbers are views of where the native part keeps them: no copies, no writing, and they outlive
the run.
"""

import gc
import weakref

import numpy as np
import pytest

import saddlescope as ss


@pytest.fixture(scope="module")
def run() -> ss.Run:
    return ss.LinearAttention(heads=2).flow(until=50.0, snapshots=[10.0, 20.0])


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def test_the_same_numbers_are_in_the_same_place(run: ss.Run) -> None:
    for name in ("loss", "head.0.value", "head.1.key"):
        first, second = run[name], run[name]
        assert first is not second
        assert address(first) == address(second)
        assert not first.flags.owndata
        assert first.base is not None
    assert address(run.time) != address(run.loss)


def test_nobody_writes_to_them(run: ss.Run) -> None:
    for array in (run.time, run.step, run.loss, run["head.0.key"], *run.end.values()):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


def test_types_and_shapes(run: ss.Run) -> None:
    assert run.time.dtype == run.loss.dtype == np.float64
    assert run.step.dtype == np.uint64
    assert run["head.0.key"].shape == (len(run), 1, 4)
    assert run.observables["head.0.key"] == (1, 4)
    assert np.array_equal(run["head.0.key[0,2]"], run["head.0.key"][:, 0, 2])
    assert np.shares_memory(run["head.0.key[0,2]"], run["head.0.key"])


def test_views_outlive_the_run() -> None:
    run = ss.LinearAttention(heads=2).flow(until=50.0)
    gone = weakref.ref(run)
    loss, copy = run.loss, run.loss.copy()
    key = run.end["head.0.key"]
    kept = key.copy()
    del run
    gc.collect()
    assert gone() is None
    # Room that was freed would be taken by these.
    others = [ss.LinearAttention(heads=2).flow(until=50.0, seed=seed) for seed in range(20)]
    assert len(others) == 20
    assert np.array_equal(loss, copy)
    assert np.array_equal(key, kept)


def test_parameters_lie_in_their_blocks(run: ss.Run) -> None:
    # What is recorded of a block at the end is the block at the end.
    for name, value in run.end.items():
        assert run.blocks[name] == value.shape
        assert np.array_equal(run[name][-1], value)
        assert np.array_equal(run[name][0], run.start[name])
    assert [snapshot.time for snapshot in run.snapshots] == [10.0, 20.0]
    assert run.snapshots[0].blocks["head.1.key"].shape == (1, 4)
    # Both blocks are parts of one vector.
    blocks = list(run.end.values())
    assert address(blocks[1]) == address(blocks[0]) + 8 * blocks[0].size


def test_a_name_that_was_not_recorded(run: ss.Run) -> None:
    for name in ("head.9.value", "loss[0]", "head.0.key[0,9]", "head.0.key[x]"):
        with pytest.raises(ss.NotRecorded, match="recorded are time, loss"):
            run[name]
    assert "loss" in run
    assert "head.9.value" not in run
