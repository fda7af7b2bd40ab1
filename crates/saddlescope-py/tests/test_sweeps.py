"""Sweeps from Python: the table of the program, designs, failures, and folders that go on."""

from pathlib import Path

import numpy as np
import pytest
from conftest import Command

import saddlescope as ss

SYSTEM = ss.LinearAttention(eigenvalues=[0.7, 0.3], heads=2)
VARY = {"start.scale": "0.05..0.2:log3", "system.heads": [1, 2]}


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> ss.Sweep:
    folder = tmp_path_factory.mktemp("sweep") / "grid"
    return ss.sweep(SYSTEM, ss.Flow(until=200.0), vary=VARY, seeds=2, points=40, out=folder)


def test_a_table_of_all_members(sweep: ss.Sweep) -> None:
    assert (sweep.members, len(sweep), sweep.failed) == (12, 12, 0)
    assert sweep.varied == ["start.scale", "system.heads"]
    assert np.array_equal(sweep["member"], np.arange(12))
    assert np.array_equal(sweep["seed"], np.tile([0, 1], 6))
    assert sweep["seed"].dtype == np.int64
    assert set(sweep["ended"]) == {"end"}
    frames = sweep.to_polars(), sweep.to_pandas()
    for frame in frames:
        assert list(frame.columns) == sweep.columns
        assert np.array_equal(np.asarray(frame["end.loss"]), sweep["end.loss"])
    assert sweep.to_arrow().num_rows == 12
    assert (sweep.folder / "figure.svg").read_text().startswith("<svg")
    with pytest.raises(KeyError, match=r"end\.loss"):
        sweep["nothing"]


def test_rows_are_runs(sweep: ss.Sweep) -> None:
    for number in (0, 7, 11):
        run = sweep.run(number)
        assert run.loss[-1] == sweep["end.loss"][number]
        assert run.seed == sweep["seed"][number]
    member = sweep.member(7)
    assert member["varied"]["system.heads"] == "2"
    with pytest.raises(ss.SettingsError, match="no member 12"):
        sweep.member(12)


def test_the_program_makes_the_same_table(
    sweep: ss.Sweep, program: Command, tmp_path: Path
) -> None:
    done = program("sweep", str(sweep.folder / "sweep.toml"), "--out", "there", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    other = ss.read_sweep(next(tmp_path.glob("there/*/*")))
    assert other.columns == sweep.columns
    for name in other.columns:
        if name != "seconds":
            assert np.array_equal(
                other[name], sweep[name], equal_nan=other[name].dtype != object
            ), name


def test_what_is_done_is_not_done_twice(sweep: ss.Sweep) -> None:
    before = sweep.table.stat().st_mtime_ns
    again = ss.sweep(SYSTEM, ss.Flow(until=200.0), vary=VARY, seeds=2, points=40, out=sweep.folder)
    assert again.table.stat().st_mtime_ns == before
    with pytest.raises(ss.StoreError, match="another sweep"):
        ss.sweep(SYSTEM, ss.Flow(until=100.0), vary=VARY, out=sweep.folder)


def test_designs_draw() -> None:
    found = ss.sweep(
        SYSTEM,
        ss.GD(lr=0.01, steps=5),
        vary={"start.scale": "0.001..1:log", "system.heads": [1, 2]},
        design="latin-hypercube",
        members=50,
    )
    place = np.log(found["start.scale"] / 0.001) / np.log(1000.0)
    assert np.array_equal(np.sort((50 * place).astype(int)), np.arange(50))
    assert (found["system.heads"] == 1).sum() == 25
    assert found.folder.exists()
    figure = found.plot(log="xv", value="end.loss")
    assert figure.axes
    folder = found.folder
    del found, figure
    assert not folder.exists(), "a folder that is nobody's goes"


def test_failures_are_told() -> None:
    with pytest.warns(UserWarning, match="1 of 2 members failed; member 1"):
        found = ss.sweep(SYSTEM, ss.GD(lr=0.01, steps=50), vary={"dynamics.rate": [0.01, 1000.0]})
    assert found.failed == 1
    assert found.failures[0]["member"] == 1
    assert found["ended"][1] == "failed"


def test_words_for_what_is_wrong() -> None:
    with pytest.raises(ss.SettingsError, match="nothing is varied"):
        ss.sweep(SYSTEM, ss.Flow(until=1.0))
    with pytest.raises(ss.SettingsError, match="members"):
        ss.sweep(SYSTEM, ss.Flow(until=1.0), vary={"start.scale": "0.1..1"}, design="random")
    with pytest.raises(ss.SettingsError, match="gaps"):
        ss.sweep(SYSTEM, ss.Flow(until=1.0), seeds=[1, 5])
    with pytest.raises(ss.SettingsError, match="no file, no experiment and no system"):
        ss.sweep("linear-attention/fig99")
    with pytest.raises(ss.SettingsError, match="'here' or 'ray'"):
        ss.sweep(SYSTEM, ss.Flow(until=1.0), seeds=2, on="there")  # type: ignore[arg-type]
    with pytest.raises(ss.SettingsError, match="bogus"):
        ss.sweep(SYSTEM, ss.Flow(until=1.0), seeds=2, bogus=1)
    with pytest.raises(ss.SettingsError, match="`x` is not named"):
        ss.sweep(SYSTEM, until=1.0, seeds=2).plot(y="seed")
    with pytest.raises(ss.StoreError, match="holds no sweep"):
        ss.read_sweep("/tmp")
