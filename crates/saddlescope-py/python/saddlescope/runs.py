"""Several runs of one experiment: seeds, variations and arms, with their table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from saddlescope import _native
from saddlescope.figure import Figure
from saddlescope.one_run import Run
from saddlescope.stage_tables import side_by_side_table
from saddlescope.tables import Table

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

__all__ = ["Runs"]


class Runs(Sequence[Run]):
    """The runs that were carried out, in the order of their plan; those that came to nothing are in
    ``failures``.
    """

    def __init__(self, carried: Sequence[_native.PlanResult]) -> None:
        self._carried = list(carried)
        self._facts = [json.loads(one.facts()) for one in carried]
        self._runs = [Run(run) for one in carried for run in one.runs if run is not None]

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> list[Run]: ...
    def __getitem__(self, index: int | slice) -> Run | list[Run]:
        return self._runs[index]

    @cached_property
    def table(self) -> Table:
        """The table of runs: what was varied, seeds, losses, crossings, stages and outcomes."""
        return Table.of_rows([row for facts in self._facts for row in facts["table"]])

    @property
    def fits(self) -> list[dict[str, Any]]:
        """Laws fitted to the table, where the experiment asks for them."""
        return [fit for facts in self._facts for fit in facts["fits"]]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Runs that failed: ``run``, ``reason``, and whether ``settings``, ``folder`` or ``run``
        are to ``blame``.
        """
        return [failure for facts in self._facts for failure in facts["failures"]]

    @property
    def hash(self) -> str:
        """The hash of all that was asked for, of the first stretch of seeds."""
        return str(self._facts[0]["hash"])

    @property
    def stages(self) -> Table:
        """Jumps side by side: heights, times over seeds, and what was learned in how many runs."""
        return side_by_side_table(
            [case for one in self._carried for case in json.loads(one.stages())]
        )

    def plot(
        self,
        y: str | list[str] = "loss",
        *,
        x: Literal["time", "step"] = "time",
        log: bool | Literal["x", "y", "xy", ""] = "x",
        ax: matplotlib.axes.Axes | None = None,
        theory: bool = True,
    ) -> matplotlib.figure.Figure:
        """A matplotlib figure: a line for each run, theory dashed beside them."""
        from saddlescope.plot import plot

        return plot(self._runs, y, x=x, log=log, ax=ax, theory=theory, stages=False)

    def figure(self, path: str | Path | None = None) -> Figure:
        """The laboratory's own figure of all runs; written as SVG, PNG or PDF where a path is
        given.
        """
        return Figure(self._carried[0].figure()).saved(path)

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        system = self._runs[0].system if self._runs else "nothing"
        return f"<{len(self)} Runs of {system}{failed}>\n{self.table!r}"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()
