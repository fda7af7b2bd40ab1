"""What a sweep costs beside its members: overhead, members per second here and on Ray, tables.

    pip install ".[all,ray]" && python benches/sweeps.py [--members 1000000] [--no-ray]

Prints one line per measurement; ratios of one run are what counts on a noisy machine.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import saddlescope as ss


def system() -> ss.System:
    return ss.LinearAttention(eigenvalues=[0.7, 0.3], heads=2)


def swept(folder: Path, members: int, steps: int, workers: int, on: str = "here") -> ss.Sweep:
    """A sweep of descents of so many steps, from starts that are drawn."""
    return ss.sweep(
        system(),
        ss.GD(lr=0.01, steps=steps),
        vary={"start.scale": "0.001..0.1:log"},
        design="random",
        members=members,
        points=20,
        theory=False,
        out=folder,
        workers=workers,
        on=on,  # type: ignore[arg-type]
        progress=False,
    )


def timed(members: int, steps: int, workers: int, on: str = "here") -> tuple[float, float]:
    """Seconds that a sweep takes, and seconds that its members take by themselves."""
    with tempfile.TemporaryDirectory() as place:
        began = time.perf_counter()
        found = swept(Path(place) / "sweep", members, steps, workers, on)
        took = time.perf_counter() - began
        return took, float(found["seconds"].sum())


def overhead() -> None:
    members = 20_000
    took, inside = min(timed(members, 1, 1) for _ in range(3))
    print(
        f"a member of one step: {1e6 * took / members:.0f} us, "
        f"of which the run itself takes {1e6 * inside / members:.0f} us"
    )


def rates(on: str) -> None:
    for steps, members in ((300, 60_000), (60_000, 1200)):
        lines = []
        for workers in (1, 2):
            took, inside = min(timed(members, steps, workers, on) for _ in range(2))
            lines.append((workers, members / took, inside / (took * workers)))
        words = (f"{w} workers {rate:.0f}/s ({100 * busy:.0f} % busy)" for w, rate, busy in lines)
        each = ", ".join(words)
        scaling = lines[1][1] / lines[0][1]
        print(f"{on}: members of {steps} steps: {each}; two workers are {scaling:.2f} x one")


def on_ray() -> None:
    """On a cluster that is there: its start is told apart, as workers that have imported us are."""
    import ray

    began = time.perf_counter()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    up = time.perf_counter()
    timed(2, 1, 2, "ray")
    print(
        f"ray: the cluster starts in {up - began:.1f} s, "
        f"its first two members take {time.perf_counter() - up:.1f} s"
    )
    rates("ray")
    ray.shutdown()


def million(members: int) -> None:
    """Each part in a process of its own, whose largest memory is then known."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "sweep"
        for what in ("write", "read"):
            command = [sys.executable, __file__, "--part", what, str(folder), str(members)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            print(done.stdout, end="")


def part(what: str, folder: Path, members: int) -> None:
    began = time.perf_counter()
    if what == "write":
        swept(folder, members, 1, len(os.sched_getaffinity(0)))
        size = (folder / "table.parquet").stat().st_size
        words = f"{members} members run and written ({size / 1e6:.0f} MB)"
    else:
        found = ss.read_sweep(folder)
        rows = 0
        for name in found.columns:
            rows = len(found[name])
        words = f"{rows} members read back, column by column"
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{words}: {took:.1f} s, at most {peak:.0f} MB of memory")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, default=1_000_000, help="of the large table")
    parser.add_argument("--no-ray", action="store_true")
    parser.add_argument("--part", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        what, folder, members = given.part
        part(what, Path(folder), int(members))
        return
    overhead()
    rates("here")
    if not given.no_ray:
        on_ray()
    million(given.members)


if __name__ == "__main__":
    main()
