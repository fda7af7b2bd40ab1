"""The tasks of a sweep on Ray: how members are dealt out, and what becomes of workers that die."""

import contextlib
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from saddlescope import _native
from saddlescope.errors import RunFailed, StoreError

_TASK = 3.0
"""Seconds that a task should take: a thousand times of what Ray needs for it."""

_GROWTH = 8
"""How many times larger than the largest so far a task may be: one quick member is no law."""

_SHARE = 3
"""Tasks that each worker should still have before it, so that all end together."""

DEATHS = 3
"""How many workers one member may take with it."""

_LOSSES = 20
"""How many workers in a row may be lost without any member coming to its end."""

_GRACE = 20.0
"""Seconds that workers have to commit what is done, once somebody stops the sweep."""

_NAMED = 100
"""Failed members that are named one by one."""

Stretch: TypeAlias = tuple[int, int]
"""Members from the first number to the one before the second."""

ProgressCallback: TypeAlias = Callable[[float, int, int, int], object]
"""Is told the part that is done, and how many members are over, failed and there are."""


@dataclass
class RaySweepResult:
    """What was done on Ray."""

    ran: int = 0
    """Members that ran now."""
    before: int = 0
    """Members that had run before."""
    failed: int = 0
    """Members that failed now; the table says why."""
    failures: list[dict[str, Any]] = field(default_factory=list)
    """The first hundred of those, each with the reason."""
    tasks: int = 0
    """Tasks that came to their end."""
    lost: list[str] = field(default_factory=list)
    """Why tasks did not, one entry for each."""
    workers: set[str] = field(default_factory=set)
    """The processes that ran members, as ``host:pid``."""
    seconds: float = 0.0
    """How long it took, the start of a cluster not counted."""


def count(stretches: Iterable[Stretch]) -> int:
    """How many members there are in stretches."""
    return sum(end - first for first, end in stretches)


def run_stretch(
    place: str, digest: str, token: str, version: str, stretch: Stretch
) -> dict[str, Any]:
    """On a worker: run a stretch of members and commit their rows, until the token goes.

    Whatever is wrong with the worker is its answer, under ``trouble``.
    """
    here = f"{os.uname().nodename}:{os.getpid()}"
    trouble = ""
    if version != _native.__version__:
        trouble = (
            f"has saddlescope {_native.__version__}, but the sweep is run by {version}: install "
            "that version on every node"
        )
    elif not os.path.exists(file := os.path.join(place, token)):
        trouble = (
            f"does not see {place}: a sweep on Ray needs a folder that every node sees under "
            "the same path, such as one of a network file system (`out`, or --out)"
        )
    elif _opened(place, digest).hash != digest:
        trouble = f"reads another sweep in {place} than the one that is run"
    if trouble:
        return {"worker": here, "trouble": trouble}
    began = time.perf_counter()
    done = json.loads(_opened(place, digest).run(place, *stretch, 1, token=file))
    return {**done, "worker": here, "seconds": time.perf_counter() - began}


@lru_cache(maxsize=4)
def _opened(place: str, digest: str) -> _native.Sweep:
    """The sweep of a folder, read once in each worker, and again where it holds another one."""
    return _native.Sweep.of_folder(place)


def task(ray: Any, fixed: tuple[str, str, str, str]) -> Callable[[Stretch], Any]:
    """What runs a stretch of members somewhere in the cluster."""

    def saddlescope_members(stretch: Stretch) -> dict[str, Any]:
        # Ray sends this function itself, so that it can say what a node lacks.
        import os as system

        # A task has one core; bits do not hang on it.
        system.environ.setdefault("RAYON_NUM_THREADS", "1")
        try:
            from saddlescope.ray_tasks import run_stretch as run
        except ImportError as error:
            here = f"{system.uname().nodename}:{system.getpid()}"
            trouble = f"cannot import saddlescope ({error}): install it on every node"
            return {"worker": here, "trouble": trouble}
        return run(*fixed, stretch)

    # Ray's own retries know nothing of rows that are there, nor of a member that kills its workers.
    remote = ray.remote(num_cpus=1, max_retries=0)(saddlescope_members)
    return lambda stretch: remote.remote(stretch)


@dataclass
class RaySweep:
    """A sweep under way: what is to do, what runs, what was done."""

    ray: Any
    sweep: _native.Sweep
    place: str
    token: str
    missing: deque[Stretch]
    limit: int | None
    result: RaySweepResult = field(default_factory=RaySweepResult)
    killers: list[int] = field(default_factory=list)
    deaths: dict[int, int] = field(default_factory=dict)
    flying: dict[Any, Stretch] = field(default_factory=dict)
    largest: int = 0
    timed: int = 0
    took: float = 0.0
    losses: int = 0
    slots: int = 1
    counted: float = float("-inf")

    def __post_init__(self) -> None:
        self.total = count(self.missing)
        fixed = (self.place, self.sweep.hash, self.token, _native.__version__)
        self.submit = task(self.ray, fixed)

    def work(self, told: ProgressCallback | None) -> None:
        """Run all that is missing; on Ctrl-C, and on errors, what is done stays done."""
        began = time.monotonic()
        try:
            while self.missing or self.flying:
                self._fill()
                ready, _ = self.ray.wait(list(self.flying), num_returns=1, timeout=0.25)
                for one in ready:
                    self._take(one, self.flying.pop(one))
                if told is not None:
                    over = self.total - count(self.missing) - count(self.flying.values())
                    told(over / self.total, over, self.result.failed, self.total)
        except BaseException:
            self._stop()
            raise
        finally:
            self.result.seconds = time.monotonic() - began

    def _fill(self) -> None:
        """Keep every worker busy, and a task waiting for each."""
        now = time.monotonic()
        if now - self.counted > 2.0:
            # Nodes come and go.
            cores = int(self.ray.cluster_resources().get("CPU", 1))
            self.slots = max(1, cores if self.limit is None else min(cores, self.limit))
            self.counted = now
        most = self.limit if self.limit is not None else 2 * self.slots
        while self.missing and len(self.flying) < most:
            wanted = self._size()
            first, end = self.missing.popleft()
            size = min(wanted, end - first)
            if first + size < end:
                self.missing.appendleft((first + size, end))
            self.flying[self.submit((first, first + size))] = (first, first + size)

    def _size(self) -> int:
        """How many members the next task should have."""
        if self.timed == 0:
            return 1
        enough = int(_TASK * self.timed / max(self.took, 1e-9))
        fair = count(self.missing) // (_SHARE * self.slots)
        return max(1, min(enough, fair, _GROWTH * self.largest))

    def _take(self, one: Any, stretch: Stretch) -> None:
        """What became of a task: rows, or members that go to others."""
        errors = self.ray.exceptions
        try:
            done = self.ray.get(one)
        except errors.RayTaskError as error:
            # The package's own words: a full disk, a folder that cannot be written.
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except errors.RayError as error:
            self._lose(stretch, error)
            return
        if "trouble" in done:
            raise StoreError(f"the worker {done['worker']} {done['trouble']}")
        self.losses = 0
        carried = self.result
        carried.tasks += 1
        carried.workers.add(done["worker"])
        carried.ran += done["ran"]
        carried.failed += done["failed"]
        carried.failures += done["failures"][: _NAMED - len(carried.failures)]
        self.largest = max(self.largest, done["ran"])
        self.timed += done["ran"]
        self.took += done["seconds"]
        if done["stopped"]:
            # Somebody told the worker to end, as clusters do before they take a node away.
            self._again(self.sweep.missing(self.place, *stretch), cautious=False)

    def _lose(self, stretch: Stretch, error: Exception) -> None:
        """A worker died: only members whose rows are not there go to others."""
        words = str(error).strip().splitlines()
        reason = f"{type(error).__name__}: {words[0] if words else 'no words'}"
        self.result.lost.append(f"members {stretch[0]} to {stretch[1] - 1}: {reason}")
        missing = self.sweep.missing(self.place, *stretch)
        self.result.ran += stretch[1] - stretch[0] - count(missing)
        self.losses += 1
        # A node takes all its workers with it at once.
        if self.losses > max(_LOSSES, 3 * self.slots):
            raise RunFailed(
                f"{self.losses} workers in a row died before any member was over: {reason}"
            )
        if not missing:
            return
        # Members run in their order: the first that is missing is the first to be suspected.
        first, end = missing[0]
        self.deaths[first] = self.deaths.get(first, 0) + 1
        if self.deaths[first] >= DEATHS:
            self.killers.append(first)
            missing = [one for one in [(first + 1, end), *missing[1:]] if one[0] < one[1]]
        self._again(missing, cautious=True)

    def _again(self, missing: list[Stretch], *, cautious: bool) -> None:
        """Put members back; the first of a stretch alone where it may have killed its worker."""
        for first, end in reversed(missing):
            if cautious and end - first > 1:
                self.missing.appendleft((first + 1, end))
                self.missing.appendleft((first, first + 1))
            else:
                self.missing.appendleft((first, end))

    def _stop(self) -> None:
        """Ask all workers to stop, and wait until they have committed what is done.

        Workers stop when the token goes. Ray's own ``cancel`` may abort the driver: a task that
        ends in the same instant fails a check inside Ray.
        """
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.place, self.token))
        with contextlib.suppress(Exception, KeyboardInterrupt):
            self.ray.wait(list(self.flying), num_returns=len(self.flying), timeout=_GRACE)
