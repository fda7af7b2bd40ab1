"""Sweeps on Ray: members on all nodes of a cluster, rows as parts in a folder that all nodes see.

A task runs a stretch of members and commits their rows itself; nothing but a few numbers goes
through Ray. So a worker or a node may die at any instant: what it had committed stays, and its
missing members go to others. The table has the bits of one that was made on one machine; only its
column ``seconds`` differs.

``python -m saddlescope.on_ray FOLDER`` carries out the sweep that a folder holds;
``saddlescope sweep --on ray`` calls it.
"""

import argparse
import contextlib
import logging
import os
import secrets
import socket
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from saddlescope import _native
from saddlescope.errors import RunFailed, SettingsError, StoreError
from saddlescope.progress import Progress, bar
from saddlescope.ray_tasks import DEATHS, ProgressCallback, RaySweep, RaySweepResult, count


def carry_out(
    sweep: _native.Sweep,
    folder: str | os.PathLike[str],
    *,
    address: str | None = None,
    workers: int | None = None,
    progress: Progress = None,
) -> RaySweepResult:
    """Run the members of ``sweep`` that have no row in ``folder`` yet, on a Ray cluster.

    ``address`` is that of a running cluster (``"auto"``: the one of this machine,
    ``"ray://host:10001"``); without it a cluster is used that the caller has connected to, or one
    is started on this machine and stopped at the end. ``workers`` is how many members run at once:
    all cores of the cluster without it. ``folder`` has to be one that every node sees under the
    same path.
    """
    place = os.path.abspath(os.fspath(folder))
    missing = sweep.missing(place, 0, sweep.members)
    if not missing:
        return RaySweepResult(before=sweep.members)
    if workers is not None and workers < 1:
        raise SettingsError(f"`workers` is {workers}, but must be 1 or more")
    ray = _ray()
    with _cluster(ray, address, workers), _token(place) as token:
        running = RaySweep(ray, sweep, place, token, deque(missing), workers)
        running.result.before = sweep.members - count(missing)
        with bar(f"{sweep.name or sweep.system} on Ray", progress) as told:
            running.work(told)
    if running.killers:
        raise RunFailed(_killers(running.killers, running.result.lost))
    return running.result


def _ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise SettingsError(
            f"a sweep on Ray needs Ray, which is not there ({error}): pip install "
            "'saddlescope[ray]'"
        ) from None
    return ray


@contextlib.contextmanager
def _cluster(ray: Any, address: str | None, workers: int | None) -> Iterator[None]:
    """A connection to a cluster; one that was there before stays."""
    if ray.is_initialized():
        if address is not None:
            raise SettingsError(
                f"`address` is {address!r}, but this program is connected to a Ray cluster "
                "already: leave it out to use that one, or call ray.shutdown() before"
            )
        yield
        return
    if address is not None:
        _knock(address)
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        # A cluster of this machine for one sweep: no dashboard, and hardly anything to store.
        options |= {
            "include_dashboard": False,
            "object_store_memory": 100 << 20,
            "num_cpus": workers,
        }
    try:
        ray.init(address=address or "local", **options)
    except (ConnectionError, RuntimeError, ValueError) as error:
        where = "on this machine" if address is None else f"at {address!r}"
        raise SettingsError(f"there is no Ray cluster {where}: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Whether anybody answers at an address: Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=10.0).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise SettingsError(
            f"nobody answers at {address!r} ({why}): `ray status` there says whether a cluster runs"
        ) from error


@contextlib.contextmanager
def _token(place: str) -> Iterator[str]:
    """The name of a file in the folder by which workers know that they see the same one."""
    file = Path(place) / f".ray-{secrets.token_hex(8)}"
    try:
        file.touch()
    except OSError as error:
        raise StoreError(f"cannot write into {place}: {error.strerror}") from error
    try:
        yield file.name
    finally:
        file.unlink(missing_ok=True)


def _killers(members: list[int], lost: list[str]) -> str:
    some = ", ".join(str(member) for member in sorted(members)[:10])
    more = ", ..." if len(members) > 10 else ""
    what = "member took" if len(members) == 1 else "members each took"
    return (
        f"{len(members)} {what} {DEATHS} workers with it ({some}{more}), as running out of memory "
        "does; all others are done and kept, and `saddlescope sweep` without --on ray runs what is "
        f"left; the last loss: {lost[-1]}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Carry out the sweep that a folder holds; the exit code says how it went."""
    parser = argparse.ArgumentParser(
        prog="python -m saddlescope.on_ray",
        description="Run what is missing of the sweep that a folder holds, on a Ray cluster.",
    )
    parser.add_argument("folder", help="the folder of the sweep, which all nodes see")
    parser.add_argument("--address", help="of a running cluster; without it, one is started here")
    parser.add_argument(
        "--workers", type=int, help="members that run at once; all cores without it"
    )
    given = parser.parse_args(arguments)
    try:
        done = carry_out(
            _native.Sweep.of_folder(given.folder),
            given.folder,
            address=given.address,
            workers=given.workers,
            progress=None if sys.stderr.isatty() else _lines(),
        )
    except KeyboardInterrupt:
        print(f"interrupted; {given.folder} keeps what is done", file=sys.stderr)
        return 130
    except (SettingsError, StoreError, RunFailed) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1 if isinstance(error, RunFailed) else 2
    if done.ran:
        words = f"{done.ran} members on {len(done.workers)} workers of Ray in {done.seconds:.1f} s"
        lost = f"; {len(done.lost)} lost their worker, and went to others" if done.lost else ""
        print(f"{words}, {done.tasks} tasks{lost}", file=sys.stderr)
    return 0


def _lines(every: float = 10.0) -> ProgressCallback:
    """Progress for logs: a line now and then."""
    began = last = time.monotonic()

    def tell(fraction: float, over: int, failed: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= every and fraction > 0.0:
            last = now
            left = (now - began) * (1.0 - fraction) / fraction
            words = f"{over} of {total} members, {failed} failed, {left:.0f} s left"
            print(words, file=sys.stderr, flush=True)

    return tell


if __name__ == "__main__":
    raise SystemExit(main())
