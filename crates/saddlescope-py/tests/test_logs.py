"""Logs and checkpoints that other people's libraries have written."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import saddlescope as ss

LOGS = Path(__file__).parents[2] / "saddlescope-lab" / "tests" / "logs"


def loss(step: float) -> float:
    """The loss of all files there."""
    return 1.0 - 0.75 / (1.0 + math.exp((20 - step) / 0.5))


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("trainer_state.json", 1e-15),
        ("parquet/pandas.parquet", 1e-15),
        ("checkpoints/log.csv", 1e-15),
        ("torch", 1e-7),
        ("tensorboardX/events.out.tfevents.1700000000.example", 1e-7),
    ],
)
def test_logs_of_every_format_are_one_loss(name: str, tolerance: float) -> None:
    log = ss.read_log(LOGS / name)
    assert log.time.tolist() == list(range(60))
    assert np.abs(log.loss - [loss(step) for step in range(60)]).max() <= tolerance
    assert not log.loss.flags.writeable and not log.loss.flags.owndata
    found = ss.stages(LOGS / name)
    assert found.heights == pytest.approx([1.0, 0.25], abs=1e-3)
    assert found.times == pytest.approx([20.0], abs=0.3)
    assert ss.stages(log).times.tolist() == found.times.tolist()


def test_lines_of_json_have_keys_inside_keys(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    rows = [{"step": step, "train": {"loss": loss(step)}} for step in range(60)]
    rows.insert(7, {"step": 7, "eval": 3.0})
    rows[30]["train"] = {"loss": math.nan}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"step": 60, "tra')
    log = ss.read_log(path, time="step", loss="train.loss")
    assert (len(log), log.skipped) == (59, 1)
    assert log.notes == ["its last line is cut short and left out"]
    assert "`train.loss` over `step`, 59 rows" in repr(log)
    with pytest.raises(ss.SettingsError, match=r"did you mean `train\.loss`\?"):
        ss.read_log(path, loss="train.los")
    path.write_text('{"a": 1}\n{"a": 2}\n')
    with pytest.raises(ss.SettingsError, match="name it with time="):
        ss.read_log(path)
    with pytest.raises(ss.StoreError, match="cannot read"):
        ss.read_log(tmp_path / "nowhere.csv")


def test_checkpoints_say_which_tensors_moved() -> None:
    manifest = LOGS / "checkpoints" / "checkpoints.toml"
    found = ss.stages(manifest)
    (jump,) = found.jumps
    assert jump.moved[0].name == "layers.1.weight"
    assert jump.moved[0].change == pytest.approx(4 * math.sqrt(12), rel=1e-6)
    assert sum(one.share for one in jump.moved) == pytest.approx(1.0)
    assert "layers.1.weight" in repr(found) and "positions" in repr(found)
    all_of_them = ss.read_checkpoints(manifest)
    assert all_of_them.steps.tolist() == [0, 10, 20, 30, 40, 50]
    # Against the format's own library.
    safetensors = pytest.importorskip("safetensors", reason="pip install safetensors")
    files = (LOGS / "checkpoints" / f"step-{step}.safetensors" for step in (0, 50))
    first, last = (safetensors.safe_open(file, framework="np") for file in files)
    for name in ("layers.0.weight", "layers.1.weight", "head"):
        lengths = all_of_them.tensors[name]
        a, b = (np.asarray(file.get_tensor(name), dtype=np.float64) for file in (first, last))
        assert lengths.norm[-1] == pytest.approx(np.linalg.norm(b), rel=1e-14)
        assert lengths.from_start[-1] == pytest.approx(np.linalg.norm(b - a), rel=1e-14)


def test_two_arrays_have_stages() -> None:
    times = np.arange(200.0)
    found = ss.stages(times, [loss(time) for time in times])
    assert found.times == pytest.approx([20.0], abs=0.1)
    assert found.to_dicts()[0]["plateau"] == 1
    with pytest.raises(ss.SettingsError, match="values are missing"):
        ss.stages(times)
    with pytest.raises(ss.SettingsError, match="too short"):
        ss.stages([1.0, 2.0], [3.0, 4.0])


def test_a_law_is_found_with_an_interval_that_holds_it() -> None:
    generator = np.random.default_rng(1)
    x = np.repeat(np.geomspace(1, 100, 8), 6)
    seeds = np.tile(np.arange(6), 8)
    y = 3.0 * x**-0.5 * np.exp(0.05 * generator.standard_normal(len(x)))
    found = ss.fit_scaling(x, y, seeds=seeds)
    # Ordinary least squares of the logarithms, by another library.
    slope, intercept = np.polyfit(np.log(x), np.log(y), 1)
    assert found.slope.value == pytest.approx(slope, rel=1e-10)
    assert found.prefactor.value == pytest.approx(math.exp(intercept), rel=1e-10)
    assert found.slope.interval is not None
    assert found.slope.interval[0] < -0.5 < found.slope.interval[1]
    assert found(4.0) == pytest.approx(math.exp(intercept) * 4.0**slope)
    better = ss.fit_scaling(x, y, seeds=seeds, law="auto")
    assert better.law == "power" and better.other is not None and better.other.law == "log"
    with pytest.raises(ss.SettingsError, match="law is `cubic`"):
        ss.fit_scaling(x, y, law="cubic")  # type: ignore[arg-type]
    with pytest.raises(ss.SettingsError, match="different values of x"):
        ss.fit_scaling([1.0, 1.0], [2.0, 3.0])
