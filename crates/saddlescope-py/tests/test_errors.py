"""Errors have the words of the command line, and are exceptions that Python people expect."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command

import saddlescope as ss
from saddlescope import _native

WRONG = {
    "a value out of range": (ss.LinearAttention, {"heads": 0}),
    "a value of another type": (ss.LinearAttention, {"eigenvalues": "many"}),
    "a word that is none": (ss.LinearAttention, {"attention": "sofmax"}),
    "a setting without effect": (ss.LinearAttention, {"batch": 5}),
    "two errors": (ss.SparseMarkov, {"heads": 0, "ratio": -1.0}),
    "a number that is none": (ss.LinearAttention, {"tau": float("nan")}),
}


@pytest.mark.parametrize("case", WRONG)
def test_the_same_words_as_the_program(case: str, program: Command, tmp_path: Path) -> None:
    system_class, settings = WRONG[case]
    with pytest.raises(ss.SettingsError) as caught:
        system_class(**settings)
    assert isinstance(caught.value, ValueError)
    # The same file under the name that errors give it here.
    name = f"{system_class.__name__}(...)"
    system = object.__new__(system_class)
    system.settings = settings
    (tmp_path / name).write_text(system._toml(), encoding="utf-8")
    done = program("run", name, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"error: {caught.value}\n"


SYSTEM = ss.LinearAttention()

WORDS: list[tuple[type[Exception], str, Callable[[], object]]] = [
    # Unknown keywords, with the nearest.
    (TypeError, "`heads`", lambda: ss.LinearAttention(head=4)),
    (ss.SettingsError, "`heads`", lambda: ss.LinearAttention(head=4)),
    (ss.UnknownSetting, "`until`", lambda: SYSTEM.flow(untill=4)),
    (ss.UnknownSetting, "`steps`", lambda: SYSTEM.train(ss.GD(lr=1.0), step=4)),
    (ss.UnknownSetting, "`rate`", lambda: ss.Adam(learning_rate=1.0)),
    (ss.UnknownSetting, "`scale`", lambda: ss.random_start(scal=1.0)),
    (ss.UnknownSetting, "known: ", lambda: SYSTEM.train(ss.GD(lr=1.0), steps=1, beta1=0.5)),
    # Things of another kind.
    (TypeError, "ss.Adam(lr=1e-3)", lambda: SYSTEM.train("adam", steps=1)),
    (TypeError, "ss.random_start", lambda: SYSTEM.flow(start="random")),
    (TypeError, "has no form in a file", lambda: ss.LinearAttention(heads=object())),
    # Seeds that cannot be.
    (ss.SettingsError, "one seed", lambda: SYSTEM.flow(start=ss.random_start(seed=1), seed=2)),
    (ss.SettingsError, "empty", lambda: SYSTEM.flow(seeds=[])),
    (ss.SettingsError, "gaps", lambda: SYSTEM.flow(seeds=[1, 3], out="nowhere")),
    (ss.SettingsError, "-1", lambda: SYSTEM.flow(seed=-1)),
    # Names of experiments, systems and claims.
    (ss.SettingsError, "linear-attention/fig1", lambda: ss.run("linear-attention/fig")),
    (ss.SettingsError, "linear-attention/fig", lambda: ss.reproduce("linear-attention/fig")),
    (ss.SettingsError, "`linear-attention`", lambda: ss.schema("linear-atention")),
    (ss.SettingsError, "the systems are", lambda: ss.cite("linear")),
    (ss.SettingsError, "near it", lambda: ss.check("linear-attention/eq-24")),
    (ss.SettingsError, "nowhere.json", lambda: ss.verify("nowhere.json")),
    (ss.StoreError, "no runs", lambda: ss.read_run("/")),
    # What a system refuses; errors show the setting.
    (ss.SettingsError, "(...):", lambda: SYSTEM.flow(observables=["los"])),
    (ss.SettingsError, "(...):", lambda: SYSTEM.train(ss.SGD(lr=0.1), steps=5)),
    (ss.SettingsError, "(...):", lambda: ss.Transformer().flow()),
    (ss.SettingsError, "(...):", lambda: SYSTEM.reduced("scalar-low")),
    (ss.SettingsError, "(...):", lambda: SYSTEM.flow(start=ss.zero_start())),
    (ss.SettingsError, "(...):", lambda: ss.LinearAttention(eigenvectors=[[1.0]]).flow()),
    (ss.SettingsError, "(...):", lambda: SYSTEM.train(ss.GD(lr=0.1))),
    # A plan is checked without running.
    (
        ss.SettingsError,
        "did you mean `rank`",
        lambda: _native.Plan("x", '[system]\nname = "linear-attention"\nrnk = 1\n'),
    ),
]


@pytest.mark.parametrize(("error", "words", "wrong"), WORDS, ids=[words for _, words, _ in WORDS])
def test_words_for_what_is_wrong(
    error: type[Exception], words: str, wrong: Callable[[], object]
) -> None:
    with pytest.raises(error, match=re.escape(words)):
        wrong()


def test_a_run_that_fails_says_why_and_what_it_had() -> None:
    with pytest.raises(ss.RunFailed, match="taken 10 steps") as caught:
        ss.LinearAttention().flow(until=1e3, max_steps=10)
    assert isinstance(caught.value, RuntimeError)
    assert caught.value.run is not None
    assert len(caught.value.run) > 1
    assert caught.value.run.ended == "failed"


def test_failures_of_some_runs_are_reported_and_the_others_kept() -> None:
    with pytest.warns(UserWarning, match="1 of 2 runs failed"):
        runs = ss.LinearAttention().flow(until=1e3, vary={"dynamics.max_steps": [10, 100000]})
    assert [run.ended for run in runs] == ["failed", "end"]
    (failure,) = runs.failures
    assert "taken 10 steps" in failure["reason"]
    assert failure["blame"] == "run"


def test_an_error_of_a_callback_stops_the_work() -> None:
    class Enough(Exception):
        pass

    def told(*_: object) -> None:
        raise Enough

    with pytest.raises(Enough):
        ss.LinearAttention().train(
            ss.SGD(lr=1e-3), steps=10_000_000, batch=100, progress=told, observables=["loss"]
        )


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    run = ss.LinearAttention().flow(until=1.0)
    for name, extra, wants in (
        ("matplotlib", "plot", run.plot),
        ("pandas", "pandas", run.to_pandas),
        ("polars", "polars", run.stages.to_polars),
        ("pyarrow", "arrow", run.to_arrow),
    ):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ModuleNotFoundError, match=rf"pip install 'saddlescope\[{extra}\]'"):
            wants()
