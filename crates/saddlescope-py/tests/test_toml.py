"""Values arrive in the program as they are in Python."""

import math
import tomllib
from pathlib import Path

import numpy as np
import pytest

import saddlescope as ss
from saddlescope import toml

VALUES = [
    0,
    -3,
    2**62,
    True,
    0.1,
    -0.0,
    1e-300,
    5e-324,
    1.7976931348623157e308,
    1e16,
    123456789.123456789,
    math.inf,
    "plain",
    'with "quotes", \\ and \n lines \t \x7f \x01 é 文',
    [],
    [1, 2.5, [3.0]],
    {"head.*.value": 0.5, "a b": 1.0},
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_survive(value: object) -> None:
    back = tomllib.loads(f"x = {toml.render(value)}")["x"]
    assert back == value
    assert type(back) is type(value)
    if isinstance(value, float):
        assert math.copysign(1.0, back) == math.copysign(1.0, value)


def test_numpy_is_read_like_lists() -> None:
    assert toml.render(np.float64(0.1)) == "0.1"
    assert toml.render(np.float32(0.5)) == "0.5"
    assert toml.render(np.int32(4)) == "4"
    assert toml.render(np.bool_(True)) == "true"
    assert toml.render(np.array([[1.0, 2.0], [3.0, 4.0]])) == "[[1.0, 2.0], [3.0, 4.0]]"
    assert toml.render(range(3)) == toml.render((0, 1, 2)) == "[0, 1, 2]"
    with pytest.raises(TypeError, match="complex"):
        toml.render(1j)


def test_the_last_bit_arrives() -> None:
    eigenvalues = np.random.default_rng(0).uniform(0.1, 1.0, 5)
    system = ss.LinearAttention(eigenvalues=eigenvalues, heads=np.int64(2))
    run = system.flow(until=np.float64(1.0) / 3)
    assert run.settings["system"]["eigenvalues"] == eigenvalues.tolist()
    assert run.settings["dynamics"]["until"] == 1.0 / 3
    assert run.time[-1] == 1.0 / 3


def test_given_weights_are_where_the_run_starts() -> None:
    rng = np.random.default_rng(1)
    value, key, query = rng.normal(size=2), rng.normal(size=(2, 1, 4)), rng.normal(size=(2, 1, 4))
    start = ss.given_start(value=value, key=key, query=query)
    run = ss.LinearAttention(heads=2).flow(start=start, until=0.1)
    for head in range(2):
        assert run.start[f"head.{head}.value"] == value[head]
        assert np.array_equal(run.start[f"head.{head}.key"], key[head])
        assert np.array_equal(run["head.1.query"][0], query[1])


def test_paths_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.txt").write_text("one two three\n" * 50, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    system = ss.Transformer(train=Path("text.txt"), valid=Path("text.txt"), length=4, batch=2)
    run = system.train(ss.AdamW(lr=1e-3), steps=2)
    assert run.settings["system"]["train"] == str(tmp_path / "text.txt")
