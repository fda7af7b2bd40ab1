"""Sweeps on a real Ray cluster of several nodes: the same table, whoever dies."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import saddlescope as ss
from saddlescope import _native, on_ray, ray_tasks
from saddlescope.execute import changed

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

TEXT = """
name = "quick"
[system]
name = "linear-attention"
eigenvalues = [0.4, 0.3, 0.2, 0.1]
heads = 4
[start]
scale = 0.001
[dynamics]
kind = "gd"
rate = 0.01
steps = 3000
[vary]
start.scale = "1e-4..0.1:log12"
system.rank = [1, 2]
"""
"""A member takes a few hundredths of a second, so that there is time to kill somebody."""


GIVE_UP = 600.0
"""Seconds after which a test that hangs is given up."""

QUICK_TO_NOTICE = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 1000,
    "health_check_failure_threshold": 20,
    "worker_register_timeout_seconds": int(GIVE_UP),
}
"""A cluster that sees when a node is gone, and takes no busy one for gone."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of one core each, and the driver's own without any."""
    head = {"num_cpus": 0, "_system_config": QUICK_TO_NOTICE}
    made = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
    for _ in range(2):
        made.add_node(num_cpus=1, object_store_memory=80 << 20)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> ss.Sweep:
    """The sweep on this machine alone."""
    folder = tmp_path_factory.mktemp("here")
    sweep = claimed(folder)
    sweep.run(str(folder), 0, sweep.members, 2)
    return ss.read_sweep(folder)


def claimed(folder: Path, seeds: int = 4) -> _native.Sweep:
    sweep = _native.Sweep("quick", TEXT, changed(seeds=str(seeds)))
    sweep.claim(str(folder), False)
    return sweep


def same_bits(one: ss.Sweep, other: ss.Sweep) -> None:
    assert one.columns == other.columns
    for name in one.columns:
        if name != "seconds":
            a, b = one[name], other[name]
            equal = list(a) == list(b) if a.dtype == object else a.tobytes() == b.tobytes()
            assert equal, name
    assert np.all(one["seconds"] > 0.0)


def busy(node: int | None = None) -> list[int]:
    """Processes that run members now: all of them, or those that one node has started."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                title = (place / "cmdline").read_bytes()
                parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if title.startswith(b"ray::saddlescope_members") and node in (None, parent):
                found.append(int(place.name))
    return found


def signalled(processes: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to those of the processes that are there."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


@contextlib.contextmanager
def halted(node: int | None) -> Iterator[list[int]]:
    """Busy processes, halted in the middle of their members."""
    found = busy(node)
    signalled(found, signal.SIGSTOP)
    try:
        # A process may have come to its end just before it was halted.
        yield [process for process in busy(node) if process in found]
    finally:
        signalled(found, signal.SIGCONT)


def in_the_middle(
    folder: Path, act: Callable[[list[int]], object], node: int | None = None
) -> Thread:
    """Do something with busy workers as soon as some parts are committed."""

    def watch() -> None:
        began = time.monotonic()
        while time.monotonic() < began + GIVE_UP:
            if len(list((folder / "parts").glob("*.parquet"))) > 6:
                with halted(node) as workers:
                    if workers:
                        act(workers)
                        return
            time.sleep(0.01)

    thread = Thread(target=watch)
    thread.start()
    return thread


def test_the_table_has_the_bits_of_one_machine(
    cluster: Any, here: ss.Sweep, tmp_path: Path
) -> None:
    sweep = claimed(tmp_path)
    stands: list[tuple[float, int, int, int]] = []
    done = on_ray.carry_out(sweep, tmp_path, progress=lambda *stand: stands.append(stand))
    assert (done.ran, done.failed, done.lost) == (sweep.members, 0, [])
    assert len(done.workers) == 2, "both nodes took part"
    assert stands[-1] == (1.0, sweep.members, 0, sweep.members)
    same_bits(ss.read_sweep(tmp_path), here)
    assert not list(tmp_path.glob(".ray-*"))
    again = on_ray.carry_out(sweep, tmp_path)
    assert (again.ran, again.before) == (0, sweep.members)


def test_a_worker_that_is_killed_is_replaced(cluster: Any, here: ss.Sweep, tmp_path: Path) -> None:
    sweep = claimed(tmp_path)
    thread = in_the_middle(tmp_path, lambda workers: signalled(workers[:1], signal.SIGKILL))
    done = on_ray.carry_out(sweep, tmp_path)
    thread.join()
    assert len(done.lost) == 1 and "WorkerCrashedError" in done.lost[0]
    assert done.ran == sweep.members
    same_bits(ss.read_sweep(tmp_path), here)


def test_a_folder_that_workers_do_not_see_is_told(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = claimed(tmp_path)
    real = ray_tasks.task
    elsewhere = str(tmp_path / "elsewhere")
    monkeypatch.setattr(ray_tasks, "task", lambda ray, fixed: real(ray, (elsewhere, *fixed[1:])))
    with pytest.raises(ss.StoreError, match=r"worker .*:\d+ does not see .*elsewhere"):
        on_ray.carry_out(sweep, tmp_path)


@pytest.mark.full
def test_a_node_that_is_lost_leaves_its_members_to_others(
    cluster: Any, here: ss.Sweep, tmp_path: Path
) -> None:
    sweep = claimed(tmp_path)
    node = next(iter(cluster.worker_nodes))
    raylet = node.all_processes["raylet"][0].process.pid
    # As a power cut does it: the node and its workers at once.
    thread = in_the_middle(
        tmp_path, lambda workers: signalled([raylet, *workers], signal.SIGKILL), raylet
    )
    done = on_ray.carry_out(sweep, tmp_path)
    thread.join()
    assert done.lost, "a task of the node was under way"
    assert done.ran == sweep.members
    same_bits(ss.read_sweep(tmp_path), here)


@pytest.mark.full
def test_the_command_starts_a_cluster_and_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    sweep = claimed(tmp_path, seeds=400)
    command = [sys.executable, "-m", "saddlescope.on_ray", str(tmp_path), "--workers", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    thread = in_the_middle(tmp_path, lambda _: process.send_signal(signal.SIGINT))
    _, words = process.communicate(timeout=GIVE_UP)
    thread.join()
    assert process.returncode == 130 and "keeps what is done" in words, words
    left = sum(end - first for first, end in sweep.missing(str(tmp_path), 0, sweep.members))
    assert 0 < left < sweep.members
    began = time.monotonic()
    while busy() and time.monotonic() < began + GIVE_UP:
        time.sleep(0.1)
    assert not busy()


def test_wrong_addresses_and_folders_are_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "saddlescope.on_ray"]
    nothing = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, timeout=GIVE_UP
    )
    assert nothing.returncode == 2 and "holds no sweep" in nothing.stderr
    claimed(tmp_path)
    nobody = [*command, str(tmp_path), "--address", "127.0.0.1:1"]
    away = subprocess.run(nobody, capture_output=True, text=True, timeout=GIVE_UP)
    assert away.returncode == 2 and "nobody answers at '127.0.0.1:1'" in away.stderr, away.stderr
