"""Sweeps: one table of as many members as it takes, on all cores, or on a Ray cluster."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from saddlescope import _native
from saddlescope.declaration import declared
from saddlescope.dynamics import Flow, Stage
from saddlescope.errors import SettingsError, StoreError
from saddlescope.execute import changed, results, stretches
from saddlescope.keywords import refuse_unknown
from saddlescope.one_run import Run
from saddlescope.progress import Progress, bar
from saddlescope.system import System
from saddlescope.tables import Table

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure
    import pandas
    import polars
    import pyarrow

__all__ = ["Sweep", "merge", "read_sweep", "sweep"]

Design = Literal["grid", "random", "latin-hypercube"]

_NAMED = 1000
"""Failed members that are listed with their reasons."""


class Sweep:
    """A sweep whose members are over: one table, a row for each.

    ``sweep["end.loss"]`` is a column as a NumPy array (what is missing is NaN, or ``None`` among
    texts); ``to_polars``, ``to_pandas`` and ``to_arrow`` give all of them, ``scan`` lets polars
    read only what it needs.
    """

    def __init__(self, native: _native.Sweep, folder: Path, place: Any = None) -> None:
        self._native = native
        # A folder that is nobody's goes with the last who can see it.
        self._place = place
        self.folder = folder
        self.table = folder / "table.parquet"
        self.members: int = native.members
        """How many members it has."""
        self.varied: list[str] = native.varied
        """What is varied, by its dotted keys."""
        self.columns: list[str] = _native.sweep_heads(os.fspath(self.table))
        """Names of the table's columns."""
        self.fits: list[dict[str, Any]] = _fits(native, folder)
        """The laws that the file asks for, fitted, each with its interval and theory's."""
        found = json.loads(_native.sweep_failures(os.fspath(self.table), _NAMED))
        self.failed: int = found["failed"]
        """How many members failed."""
        self.failures = Table.of_rows(found["failures"])
        """The first thousand of them, each with its reason."""

    def __len__(self) -> int:
        return self.members

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.columns)}")
        column = _native.sweep_column(os.fspath(self.table), name)
        if isinstance(column, list):
            whole = bool(column) and all(isinstance(cell, int) for cell in column)
            return np.array(column, dtype=np.int64 if whole else object)
        return np.asarray(column)

    def scan(self) -> polars.LazyFrame:
        """The table for polars, read as far as it is needed."""
        import polars

        return polars.scan_parquet(self.table)

    def to_polars(self) -> polars.DataFrame:
        """The table as a frame of polars."""
        return self.scan().collect()

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a frame of pandas."""
        import pandas

        return pandas.read_parquet(self.table)

    def to_arrow(self) -> pyarrow.Table:
        """The table as Arrow's."""
        import pyarrow.parquet

        return pyarrow.parquet.read_table(self.table)

    def member(self, number: int) -> dict[str, Any]:
        """A member: its seed, its varied settings, and the experiment that it is, as a file."""
        found: dict[str, Any] = json.loads(self._native.member(number))
        return found

    def run(self, number: int, *, progress: Progress = None) -> Run:
        """Run a member again, to look at all of it; the table has its numbers, to the bit."""
        member = self.member(number)
        plan = _native.Plan(member["label"], member["experiment"])
        with bar(member["label"], progress) as told:
            found = results([plan.run(None, False, told)], several=False)
        assert isinstance(found, Run)
        return found

    def plot(
        self,
        x: str | None = None,
        y: str | None = None,
        value: str = "stages",
        *,
        log: str | None = None,
        ax: matplotlib.axes.Axes | None = None,
    ) -> matplotlib.figure.Figure:
        """Draw ``value`` over one varied setting, or over two as a phase diagram, with matplotlib.

        ``x`` and ``y`` are the first two varied settings where none are named. ``log`` names the
        logarithmic ones of ``x``, ``y`` and ``v`` (the value); without it, settings that span more
        than a factor of 30 are. Over one setting medians are drawn, with the middle half of the
        members; in the cells of a phase diagram, means.
        """
        from saddlescope.sweep_plot import plot

        if x is None and y is not None:
            raise SettingsError(f"`y` is {y!r}, but `x` is not named")
        names = [x, y] if x is not None else [*self.varied[:2], None, None][:2]
        return plot(self, names[0], names[1], value, log, ax)

    def _repr_svg_(self) -> str | None:
        figure = self.folder / "figure.svg"
        return figure.read_text(encoding="utf-8") if figure.exists() else None

    def __repr__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        over = ", ".join(self.varied) or "seeds"
        what = f"sweep of {self._native.system} over {over}"
        return f"<{what}: {self.members} members{failed}, {self.table}>"


def sweep(
    what: System | str | os.PathLike[str],
    dynamics: Stage | Sequence[Stage] | None = None,
    *,
    vary: Mapping[str, Any] | None = None,
    design: Design | None = None,
    members: int | None = None,
    design_seed: int | None = None,
    seeds: int | Iterable[int] | None = None,
    observables: Sequence[str] | None = None,
    stages: bool | None = None,
    theory: bool | None = None,
    tolerance: float | None = None,
    keep: Literal["none", "all"] | Sequence[int] | None = None,
    claims: Sequence[str] | None = None,
    set: Mapping[str, Any] | None = None,
    size: Literal["quick", "paper"] = "quick",
    out: str | os.PathLike[str] | None = None,
    on: Literal["here", "ray"] = "here",
    address: str | None = None,
    workers: int | None = None,
    force: bool = False,
    progress: Progress = None,
    **keywords: Any,
) -> Sweep:
    """Run many members and put what they come to into one table.

        ss.sweep(system, vary={"start.scale": "1e-4..1:log20", "system.rank": [1, 2]}, seeds=8)
        ss.sweep(system, vary={"start.scale": "1e-4..1:log"}, design="random", members=500)

    ``what`` is a system, with how it moves and the keywords of its ``run`` (``start=``, settings of
    the record); or the name of a shipped experiment or of a system, or a file. ``vary`` has lists,
    ranges with a count, and, for ``random`` and ``latin-hypercube`` designs with ``members``,
    ranges without (``"0..1"``, ``"0.01..1:log"``). ``observables`` are recorded columns whose
    values at the end the table has. In the folder ``out`` an interrupted sweep goes on, and what
    is done is not done twice; without it, the table lives as long as the result does.

    ``on="ray"`` runs members on a Ray cluster: the one at ``address``, or one that is started on
    this machine; ``out`` must be a folder that all its nodes see.
    """
    settings = {
        "design": design,
        "members": members,
        "seed": design_seed,
        "observables": None if observables is None else list(observables),
        "stages": stages,
        "theory": theory,
        "tolerance": tolerance,
        "keep": keep if keep is None or isinstance(keep, str) else [float(one) for one in keep],
    }
    own = {f"sweep.{name}": value for name, value in settings.items() if value is not None}
    own |= {} if claims is None else {"claims": list(claims)}
    stretch = stretches(seeds)
    if len(stretch) > 1:
        raise SettingsError("`seeds` has gaps, but the seeds of a sweep follow each other")
    options = changed(size, {**own, **(set or {})}, vary, stretch[0])
    if isinstance(what, System):
        if dynamics is None:
            # How a flow goes may be said here, as in `system.flow`.
            flow = {name: keywords.pop(name) for name in Flow._known() if name in keywords}
            dynamics = Flow(**flow)
        refuse_unknown(keywords, [*_recorded(), "start", "seed", "name", "evaluate"], "sweep")
        text = what.to_toml(dynamics, **keywords)
        native = _native.Sweep(f"{type(what).__name__}(...)", text, options)
    else:
        if dynamics is not None or keywords:
            raise SettingsError(
                "an experiment has its own dynamics and start: change them with `set`"
            )
        native = _native.Sweep(os.fspath(what), None, options)
    place = tempfile.TemporaryDirectory(prefix="saddlescope-") if out is None else None
    folder = Path(place.name if place is not None else os.fspath(out or ""))
    native.claim(os.fspath(folder), force)
    _carry_out(native, folder, on, address, workers, progress)
    native.merge(os.fspath(folder))
    found = Sweep(native, folder, place)
    if found.failed:
        first = found.failures[0]
        warnings.warn(
            f"{found.failed} of {found.members} members failed; member {first['member']}: "
            f"{first['reason']} (`.failures` lists them)",
            stacklevel=2,
        )
    return found


def _recorded() -> list[str]:
    return [parameter.name for parameter in declared().record.parameters]


def _fits(native: _native.Sweep, folder: Path) -> list[dict[str, Any]]:
    """The laws of a sweep, and its figure drawn; of a folder that can only be read, what it has."""
    try:
        found: list[dict[str, Any]] = json.loads(native.draw(os.fspath(folder)))
    except StoreError:
        kept = folder / "fits.json"
        found = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else []
    return found


def _carry_out(
    native: _native.Sweep,
    folder: Path,
    on: str,
    address: str | None,
    workers: int | None,
    progress: Progress,
) -> None:
    if on == "ray":
        from saddlescope import on_ray

        on_ray.carry_out(native, folder, address=address, workers=workers, progress=progress)
        return
    if on != "here":
        raise SettingsError(f"`on` is {on!r}, but must be 'here' or 'ray'")
    with bar(native.name or native.system, progress) as told:
        native.run(os.fspath(folder), 0, native.members, workers or 0, told)


def read_sweep(folder: str | os.PathLike[str]) -> Sweep:
    """The sweep that a folder holds; its members must be over."""
    place = Path(folder)
    native = _native.Sweep.of_folder(os.fspath(place))
    native.merge(os.fspath(place))
    return Sweep(native, place)


def merge(*folders: str | os.PathLike[str]) -> Sweep:
    """Make one table, in the first folder, of the parts of a sweep that several machines ran."""
    if not folders:
        raise SettingsError("`merge` needs a folder")
    first, *others = [os.fspath(folder) for folder in folders]
    native = _native.Sweep.of_folder(first)
    native.merge(first, others)
    return Sweep(native, Path(first))
