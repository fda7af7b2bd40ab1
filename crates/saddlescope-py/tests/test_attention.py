"""Python goes on while something runs: Ctrl-C is heard, threads run, progress is told."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

import pytest
from conftest import in_threads, interrupted_by

import saddlescope as ss

GIVE_UP = 600.0
"""Seconds after which a test that hangs is given up."""

HEARS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
"""Jobs in the background of a shell begin with Ctrl-C ignored, and so do their children."""

TRAINING = """
import signal
import saddlescope as ss

def told(fraction, over, failed, total):
    {told}

system = ss.LinearAttention(heads=4, eigenvalues=[0.4, 0.3, 0.2, 0.1])
more = dict({more})
try:
    system.train(ss.SGD(lr=1e-4), batch=500, observables=["loss"], progress=told, **more)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    # The interpreter is whole: something else can be run.
    print(len(ss.LinearAttention().flow(until=1.0)) > 1, flush=True)
"""

CHECKING = """
import saddlescope as ss

try:
    ss.check(progress=lambda *stand: print("running", flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@contextmanager
def started(text: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A child that runs a text, and what it prints. It hears Ctrl-C even if the tests do not."""
    text = HEARS + text
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        give_up = threading.Timer(GIVE_UP, child.kill)
        give_up.start()
        try:
            yield child, child.stdout
        finally:
            give_up.cancel()


def interrupted_outside(text: str) -> list[str]:
    """What a child prints after Ctrl-C, pressed as soon as it says that it is running."""
    with started(text) as (child, printed):
        assert printed.readline() == "running\n"
        child.send_signal(signal.SIGINT)
        rest = [line for line in printed if line != "running\n"]
        assert child.wait(GIVE_UP) == 0
        return rest


def test_control_c_is_heard_where_nothing_can_be_stopped() -> None:
    assert interrupted_outside(CHECKING) == ["interrupted\n"]


def test_control_c_is_heard() -> None:
    # Without it, they would run for hours.
    for more in ["steps=1_000_000_000", "steps=1_000_000_000, seeds=range(6)"]:
        text = TRAINING.format(told='print("running", flush=True)', more=more)
        assert interrupted_outside(text) == ["interrupted\n", "True\n"]


def test_what_was_interrupted_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    folder, steps, seeds = tmp_path / "kept", 400, 8
    more = f"steps={steps}, seeds=range({seeds}), out={str(folder)!r}"
    text = TRAINING.format(told="if over > 0: signal.raise_signal(signal.SIGINT)", more=more)
    with started(text) as (_, printed):
        assert list(printed) == ["interrupted\n", "True\n"]
    partial = ss.read_run(folder)
    assert isinstance(partial, ss.Runs)
    done = [run.seed for run in partial if run.ended == "end"]
    assert 0 < len(done) < seeds
    assert {run.ended for run in partial} <= {"end", "interrupted"}
    assert repr(partial).startswith("<") and all(repr(run) for run in partial)
    system = ss.LinearAttention(heads=4, eigenvalues=[0.4, 0.3, 0.2, 0.1])
    how = {"steps": steps, "batch": 500, "observables": ["loss"], "seeds": range(seeds)}
    resumed = system.train(ss.SGD(lr=1e-4), out=folder, **how)
    whole = system.train(ss.SGD(lr=1e-4), **how)
    for mine, theirs in zip(resumed, whole, strict=True):
        assert mine.step[-1] == steps
        assert mine.hash == theirs.hash
        assert mine.loss.tobytes() == theirs.loss.tobytes()
    # Those that were done were read: their times are still the old ones.
    old = {run.seed: run.seconds for run in partial}
    assert all(run.seconds == old[run.seed] for run in resumed if run.seed in done)


def test_other_threads_go_on() -> None:
    running = threading.Event()

    def count() -> None:
        running.wait()
        # A thread that had to wait for the lock would never come to the end.
        for _ in range(1000):
            time.sleep(0)

    with interrupted_by(count):
        ss.LinearAttention().train(
            ss.SGD(lr=1e-9),
            steps=1_000_000_000,
            batch=500,
            observables=["loss"],
            progress=lambda *stand: running.set(),
        )


def test_runs_of_several_threads_do_not_disturb_each_other() -> None:
    found: dict[int, bytes] = {}

    def run(seed: int) -> None:
        found[seed] = ss.LinearAttention().flow(seed=seed, until=400.0).loss.tobytes()

    in_threads([partial(run, seed) for seed in range(4)])
    for seed in range(4):
        assert ss.LinearAttention().flow(seed=seed, until=400.0).loss.tobytes() == found[seed]


FORK = """
import multiprocessing, pickle
import saddlescope as ss

def end(system):
    return float(system.flow(until=10.0).loss[-1])

if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    system = ss.LinearAttention(heads=2)
    assert pickle.loads(pickle.dumps(system)) == system
    with fork.Pool(1) as pool:
        before = pool.map(end, [system])
    assert before == [end(system)]
    with fork.Pool(1) as pool:
        try:
            pool.map(end, [system])
        except ss.SaddlescopeError as error:
            print(error)
"""


def test_forks() -> None:
    # A child of a process that has only imported the package runs; others say why they cannot.
    done = subprocess.run(
        [sys.executable, "-c", FORK], capture_output=True, text=True, timeout=GIVE_UP, check=True
    )
    assert "get_context('spawn')" in done.stdout


def test_progress_is_told() -> None:
    told: list[tuple[float, int, int, int]] = []
    ss.LinearAttention().train(
        ss.SGD(lr=1e-3),
        steps=300,
        batch=500,
        seeds=3,
        observables=["loss"],
        progress=lambda *stand: told.append(stand),
    )
    fractions = [fraction for fraction, *_ in told]
    assert fractions == sorted(fractions)
    assert told[-1] == (1.0, 3, 0, 3)


def test_bars_are_drawn_where_asked_for(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saddlescope.progress._PATIENCE", 0.0)
    system = ss.LinearAttention()
    how = {"steps": 500, "batch": 500, "observables": ["loss"]}
    system.train(ss.SGD(lr=1e-3), **how)
    assert capfd.readouterr().err == "", "nobody looks"
    system.train(ss.SGD(lr=1e-3), name="a bar", progress=True, **how)
    drawn = capfd.readouterr().err
    assert "a bar" in drawn and "%" in drawn and drawn.endswith("\x1b[2K")
