"""Experiments carried out: seeds, variations, folders, progress, and what becomes of failures."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from saddlescope import _native, processes, toml
from saddlescope.errors import RunFailed, SettingsError, StoreError
from saddlescope.one_run import Run
from saddlescope.progress import Progress, bar
from saddlescope.runs import Runs
from saddlescope.starts import Start


@dataclass(frozen=True)
class Options:
    """How something is run, whatever it is."""

    start: Start | None = None
    seed: int | None = None
    seeds: int | Iterable[int] | None = None
    vary: Mapping[str, Any] | None = None
    evaluate: Sequence[Mapping[str, Any]] | None = None
    out: str | os.PathLike[str] | None = None
    force: bool = False
    name: str | None = None
    progress: Progress = None

    def __post_init__(self) -> None:
        if self.start is not None and not isinstance(self.start, Start):
            raise TypeError(
                f"`start` is {self.start!r}, but must be one such as ss.random_start(scale=1e-3)"
            )
        own = None if self.start is None else self.start.seed
        if own is not None and self.seed is not None and own != self.seed:
            raise SettingsError(
                f"`seed` is {self.seed}, but the start has seed={own}: a run has one seed for "
                "start, data and batches"
            )
        if own is not None and isinstance(self.seeds, Iterable):
            raise SettingsError(
                f"`seeds` says which seeds there are, but the start has seed={own}: leave that out"
            )

    def first_seed(self) -> int | None:
        """The seed that the file has."""
        own = None if self.start is None else self.start.seed
        return own if self.seed is None else self.seed

    def several(self) -> bool:
        """Whether several runs were asked for, even if there is but one."""
        return self.seeds is not None or bool(self.vary)

    def plan(self, title: str, text: str) -> _native.Plan:
        """The plan of the first stretch of seeds."""
        return _native.Plan(title, text, changed(vary=self.vary, seeds=stretches(self.seeds)[0]))


def execute(title: str, text: str, options: Options) -> Run | Runs:
    """Carry out the experiment that ``text`` describes."""
    all_seeds = stretches(options.seeds)
    if len(all_seeds) > 1 and options.out is not None:
        raise SettingsError(
            f"`seeds` has gaps ({', '.join(str(one) for one in all_seeds)}), but a folder keeps "
            "seeds that follow each other: keep each stretch in a folder of its own"
        )
    carried = []
    for stretch in all_seeds:
        plan = _native.Plan(title, text, changed(vary=options.vary, seeds=stretch))
        carried.append(carry_out(plan, title, options.out, options.force, options.progress))
    return results(carried, several=options.several())


def carry_out(
    plan: _native.Plan,
    title: str,
    out: str | os.PathLike[str] | None,
    force: bool,
    progress: Progress,
) -> _native.PlanResult:
    """Run a plan, with a bar."""
    processes.enter()
    folder = None if out is None else os.fspath(out)
    with bar(json.loads(plan.facts())["name"] or title, progress) as told:
        return plan.run(folder, force, told)


def results(carried: Sequence[_native.PlanResult], *, several: bool) -> Run | Runs:
    """What plans came to: one run, or several. Failures are raised where nothing else is there to
    show.
    """
    runs = Runs(carried)
    if not several and len(carried) == 1 and len(carried[0].runs) == 1:
        blame(runs, runs[0] if len(runs) else None)
        return runs[0]
    if len(runs) == 0:
        blame(runs, None)
    elif runs.failures:
        first = runs.failures[0]
        count = f"{len(runs.failures)} of {sum(len(one.runs) for one in carried)} runs failed"
        warnings.warn(
            f"{count}; {first['run']}: {first['reason']} (all are in `.failures`)", stacklevel=4
        )
    return runs


def blame(runs: Runs, run: Run | None) -> None:
    """Raise what made a run fail, if anything did."""
    for failure in runs.failures:
        kinds = {"settings": SettingsError, "folder": StoreError}
        error = kinds.get(failure["blame"], RunFailed)(failure["reason"])
        if isinstance(error, RunFailed):
            error.run = run
        raise error


def stretches(seeds: int | Iterable[int] | None) -> list[str | None]:
    """Seeds as the plan reads them: how many, or stretches that follow each other."""
    if seeds is None:
        return [None]
    if isinstance(seeds, int | np.integer):
        return [str(int(seeds))]
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise SettingsError(f"`seeds` is {seeds!r}, but must be a count, a range or a list")
    found: list[list[int]] = []
    seen: set[int] = set()
    for given in seeds:
        if not isinstance(given, int | np.integer) or int(given) in seen:
            raise SettingsError(
                f"`seeds` has {given!r}, but seeds are whole numbers, each of them once"
            )
        seed = int(given)
        seen.add(seed)
        if found and seed == found[-1][1] + 1:
            found[-1][1] = seed
        else:
            found.append([seed, seed])
    if not found:
        raise SettingsError("`seeds` is empty, but at least one seed is needed")
    return [f"{first}..{last}" for first, last in found]


def changed(
    size: str = "quick",
    set: Mapping[str, Any] | None = None,
    vary: Mapping[str, Any] | None = None,
    seeds: str | None = None,
) -> dict[str, Any]:
    """What is changed about an experiment, as on the command line; what is varied are lists, or
    words such as ``"0.01..1:log8"``.
    """

    def values(value: Any) -> str:
        return value if isinstance(value, str) else toml.render(value)

    return {
        "size": size,
        "set": [f"{key}={toml.render(value)}" for key, value in (set or {}).items()],
        "vary": [f"{key}={values(value)}" for key, value in (vary or {}).items()],
        "seeds": seeds,
    }
