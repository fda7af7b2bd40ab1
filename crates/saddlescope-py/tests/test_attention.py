"""Python goes on while something runs: Ctrl-C is heard, threads run, progress is told."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import saddlescope as ss

LONG = """
import time
import saddlescope as ss
print("ready", flush=True)
system = ss.LinearAttention(heads=4, eigenvalues=[0.4, 0.3, 0.2, 0.1])
try:
    system.train(ss.SGD(lr=1e-4), steps={steps}, batch=500, observables=["loss"], {more})
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
    # The interpreter is whole: something else can be run.
    print(len(ss.LinearAttention().flow(until=1.0)) > 1, flush=True)
"""


def after_a_while() -> bool:
    time.sleep(0.5)
    return True


def interrupted(more: str, steps: int, ripe: Callable[[], bool] = after_a_while) -> float:
    """Seconds from Ctrl-C, pressed once all is ripe for it, to the exception."""
    text = LONG.format(more=more, steps=steps)
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        while not ripe():
            time.sleep(0.01)
        assert child.poll() is None
        sent = time.time()
        child.send_signal(signal.SIGINT)
        word, when = child.stdout.readline().split()
        assert word == "interrupted"
        assert child.stdout.readline() == "True\n"
        assert child.wait(10) == 0
        return float(when) - sent


def test_control_c_is_heard_where_nothing_can_be_stopped() -> None:
    text = """
import time
import saddlescope as ss
print("ready", flush=True)
try:
    ss.check()
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        after_a_while()
        sent = time.time()
        child.send_signal(signal.SIGINT)
        word, when = child.stdout.readline().split()
        assert word == "interrupted"
        assert float(when) - sent < 1.0


def test_control_c_is_heard_at_once() -> None:
    assert interrupted("", 100_000_000) < 1.0
    assert interrupted("seeds=range(6)", 100_000_000) < 1.0


def test_what_was_interrupted_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    folder, steps = tmp_path / "kept", 400

    def first_is_done() -> bool:
        return any(folder.glob("runs/*/snapshots/end.safetensors"))

    interrupted(f"seeds=range(12), out={str(folder)!r}", steps, first_is_done)
    partial = ss.read_run(folder)
    assert isinstance(partial, ss.Runs)
    done = [run.seed for run in partial if run.ended == "end"]
    assert 0 < len(done) < 12
    assert {run.ended for run in partial} <= {"end", "interrupted"}
    assert repr(partial).startswith("<") and all(repr(run) for run in partial)
    system = ss.LinearAttention(heads=4, eigenvalues=[0.4, 0.3, 0.2, 0.1])
    how = {"steps": steps, "batch": 500, "observables": ["loss"], "seeds": range(12)}
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
    done = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    ss.LinearAttention().train(ss.SGD(lr=1e-3), steps=400, batch=500, observables=["loss"])
    took = time.monotonic() - began
    during = counted
    done.set()
    thread.join()
    # A thread that had to wait for the lock would count once or twice.
    assert during > 20 * took


def test_runs_of_several_threads_do_not_disturb_each_other() -> None:
    found: dict[int, bytes] = {}

    def run(seed: int) -> None:
        found[seed] = ss.LinearAttention().flow(seed=seed, until=400.0).loss.tobytes()

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
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
        [sys.executable, "-c", FORK], capture_output=True, text=True, timeout=20, check=True
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
