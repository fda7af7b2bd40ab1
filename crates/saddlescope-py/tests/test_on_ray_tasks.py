"""How a sweep on Ray deals out members, and what dead workers leave: on a made-up cluster."""

import os
import re
from collections import deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from saddlescope import on_ray, ray_tasks
from saddlescope.errors import RunFailed, SettingsError, StoreError
from saddlescope.ray_tasks import RaySweep, run_stretch


class RayError(Exception):
    pass


class RayTaskError(RayError):
    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


class MadeUpSweep:
    """Members of which some kill whoever runs them. Rows are committed in twos."""

    name, system, hash = "made up", "none", "hash"

    def __init__(self, members: int, seconds: float, deadly: set[int] | None = None) -> None:
        self.members = members
        self.seconds = seconds
        self.deadly = deadly or set()
        self.rows: list[int] = []
        self.runs: list[int] = []

    def missing(self, _folder: str, first: int, end: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for member in sorted(set(range(first, end)) - set(self.rows)):
            if found and found[-1][1] == member:
                found[-1] = (found[-1][0], member + 1)
            else:
                found.append((member, member + 1))
        return found

    def carry_out(self, first: int, end: int) -> dict[str, Any]:
        batch: list[int] = []
        missing = sorted(set(range(first, end)) - set(self.rows))
        for member in missing:
            self.runs.append(member)
            if member in self.deadly:
                raise RayError("the worker died\nat once")
            batch.append(member)
            if len(batch) == 2:
                self.rows += batch
                batch = []
        self.rows += batch
        ran, before = len(missing), end - first - len(missing)
        told = {"ran": ran, "before": before, "failed": 0, "failures": [], "stopped": False}
        return {**told, "worker": "host:1", "seconds": ran * self.seconds}


class MadeUpRay:
    """One task after the other, in their order."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self, sweep: MadeUpSweep, cores: int = 2) -> None:
        self.sweep = sweep
        self.cores = cores
        self.sizes: list[int] = []
        self.most = 0
        self.flying: deque[Any] = deque()

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cores)}

    def submit(self, stretch: tuple[int, int]) -> Any:
        task = (len(self.sizes), stretch)
        self.sizes.append(stretch[1] - stretch[0])
        self.flying.append(task)
        self.most = max(self.most, len(self.flying))
        return task

    def wait(
        self, tasks: list[Any], num_returns: int, timeout: float
    ) -> tuple[list[Any], list[Any]]:
        return [self.flying.popleft() for _ in range(num_returns)], []

    def get(self, task: Any) -> dict[str, Any]:
        return self.sweep.carry_out(*task[1])


def running(
    sweep: MadeUpSweep,
    ray: MadeUpRay,
    monkeypatch: pytest.MonkeyPatch,
    workers: int | None = None,
    place: str = "",
) -> RaySweep:
    monkeypatch.setattr(ray_tasks, "task", lambda _ray, _fixed: ray.submit)
    missing = deque(sweep.missing("", 0, sweep.members))
    return RaySweep(ray, sweep, place, "token", missing, workers)  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [0.001, 0.1, 10.0])
def test_tasks_take_seconds_and_get_smaller_towards_the_end(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = MadeUpSweep(20_000 if seconds < 1 else 40, seconds)
    ray = MadeUpRay(sweep)
    told: list[tuple[float, int, int, int]] = []
    one = running(sweep, ray, monkeypatch)
    one.work(lambda *stand: told.append(stand))
    assert sorted(sweep.rows) == list(range(sweep.members)) == sorted(sweep.runs)
    assert one.result.ran == sweep.members
    assert ray.sizes[:4] == [1, 1, 1, 1], "nothing is known of members before some have run"
    largest = max(1, round(3.0 / seconds))
    assert max(ray.sizes) <= largest
    assert all(size <= 8 * max(ray.sizes[: place or 1]) for place, size in enumerate(ray.sizes))
    assert ray.sizes[-1] == 1 and ray.most == 4, "two tasks for each core"
    assert max(ray.sizes) == largest or seconds == 0.001
    assert len(ray.sizes) < 0.2 * sweep.members or seconds > 1
    assert told[-1] == (1.0, sweep.members, 0, sweep.members)
    assert [stand[1] for stand in told] == sorted(stand[1] for stand in told)


def test_workers_are_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = MadeUpSweep(50, 10.0)
    ray = MadeUpRay(sweep, cores=64)
    running(sweep, ray, monkeypatch, workers=3).work(None)
    assert ray.most == 3 and len(sweep.runs) == 50


def test_a_member_that_kills_its_workers_is_found_and_all_others_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sweep = MadeUpSweep(3000, 0.01, deadly={1234, 2999})
    one = running(sweep, MadeUpRay(sweep), monkeypatch)
    one.work(None)
    assert sorted(one.killers) == [1234, 2999]
    assert sorted(sweep.rows) == [m for m in range(3000) if m not in sweep.deadly]
    assert one.result.ran == 2998
    assert sweep.runs.count(1234) >= 3 and len(one.result.lost) < 40
    assert one.result.lost[0].endswith("RayError: the worker died")
    # Rows that were there are not made again: only what a lost batch had begun.
    assert len(sweep.runs) < 3000 + 2 * len(one.result.lost)


def test_a_cluster_that_kills_everybody_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = MadeUpSweep(500, 0.01, deadly=set(range(500)))
    with pytest.raises(RunFailed, match="21 workers in a row died"):
        running(sweep, MadeUpRay(sweep), monkeypatch).work(None)


def test_errors_of_the_package_come_through(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.touch()
    sweep = MadeUpSweep(5, 0.01)
    ray = MadeUpRay(sweep)

    def full(_task: Any) -> None:
        raise RayTaskError(StoreError("cannot write: the disk is full"))

    monkeypatch.setattr(ray, "get", full)
    with pytest.raises(StoreError, match="the disk is full"):
        running(sweep, ray, monkeypatch, place=str(tmp_path)).work(None)
    assert not token.exists(), "workers were told to stop"
    assert not ray.flying, "what was under way was waited for"


def test_a_worker_says_what_is_wrong_with_it(tmp_path: Any) -> None:
    version = ray_tasks._native.__version__
    other = run_stretch(str(tmp_path), "", "token", "0.0.0", (0, 1))
    assert f"has saddlescope {version}, but the sweep is run by 0.0.0" in other["trouble"]
    unseen = run_stretch(str(tmp_path), "", "token", version, (0, 1))
    assert f"does not see {tmp_path}" in unseen["trouble"]
    assert re.fullmatch(rf"{re.escape(os.uname().nodename)}:\d+", unseen["worker"])


def test_ray_that_is_not_there_is_told_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(SettingsError, match=r"pip install 'saddlescope\[ray\]'"):
        on_ray._ray()
