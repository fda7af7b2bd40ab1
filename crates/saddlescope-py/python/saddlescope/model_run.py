"""What a flow or a descent of one's own model has come to."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from saddlescope import staircase
from saddlescope.errors import NotRecorded, RunFailed, SettingsError
from saddlescope.layout import Layout, Parameters, Reals
from saddlescope.recorded import fact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from saddlescope._native import Walk

__all__ = ["ModelRun"]


class ModelRun:
    """A flow or descent of one's own model: numbers over time, as NumPy views that cannot be
    written to.

    ``run["name"]`` is a block of parameters (rows first) or an observable; ``run.time``,
    ``run.loss``, ``run.gradient_norm`` and ``run.theta`` (flat, rows first) are always there,
    ``run.theta`` unless it was not kept.
    """

    def __init__(self, walk: Walk, layout: Layout, observables: Sequence[str]) -> None:
        self._walk = walk
        self._facts: dict[str, Any] = json.loads(walk.facts())
        self._observables = list(observables)
        self.layout = layout
        self.time: Reals = np.asarray(walk.time())
        self.loss: Reals = np.asarray(walk.rows("loss"))
        self.gradient_norm: Reals = np.asarray(walk.rows("gradient.norm"))
        self.step: npt.NDArray[np.uint64] = np.asarray(walk.steps())

    def __repr__(self) -> str:
        work = self.work
        return (
            f"ModelRun({self.layout.size} parameters, {len(self)} rows to {self.time[-1]:.6g}, "
            f"loss {self.loss[-1]:.6g}, ended by {self.ended}, "
            f"{work['calls']} calls in {self.seconds:.3g} s)"
        )

    def __len__(self) -> int:
        return len(self.time)

    @property
    def names(self) -> list[str]:
        """What ``run[...]`` knows: blocks of parameters, and observables."""
        return [leaf.name for leaf in self.layout.leaves] + self._observables

    def __getitem__(self, name: str) -> Reals:
        if name in self._observables:
            return np.asarray(self._walk.rows(f"own.{name}"))
        if any(leaf.name == name for leaf in self.layout.leaves):
            return self.layout.blocks(self.theta)[name]
        raise NotRecorded(f"there is no `{name}`; there are {', '.join(self.names)}")

    @property
    def theta(self) -> Reals:
        """All parameters, flat, a row per instant."""
        try:
            return np.asarray(self._walk.rows("theta"))
        except RuntimeError:
            raise SettingsError("parameters were not kept: run with keep_theta=True") from None

    def at(self, row: int) -> Parameters:
        """The parameters of one row, in the structure of ``theta0``."""
        return self.layout.unflatten(np.array(self.theta[row]))

    @property
    def end(self) -> Parameters:
        """The parameters at the end, in the structure of ``theta0``."""
        return self.layout.unflatten(np.array(self.end_flat))

    @property
    def end_flat(self) -> Reals:
        """The parameters at the end in one flat vector."""
        if self.ended == "failure":
            return np.asarray(self.theta[-1])
        return np.asarray(self._walk.end())

    ended: str = fact(
        "ended", str, "What ended it: ``time``, ``steps``, ``loss``, ``gradient`` or ``failure``."
    )
    stiff_from: float | None = fact(
        "stiff_from", float, 'When ``method="auto"`` went over to the stiff solver, if it did.'
    )
    work: dict[str, int] = fact(
        "work", dict, "What it cost: steps, and calls of the function among others."
    )
    seconds: float = fact("seconds", float, "How long it took.")

    @property
    def crossings(self) -> dict[float, float | None]:
        """When the loss first came to the levels that were watched, as exact as the solver is."""
        return {one["level"]: one["time"] for one in self._facts["crossings"]}

    @cached_property
    def stages(self) -> staircase.Stages:
        """Plateaus and jumps of the loss."""
        return staircase.stages(self.time, self.loss)

    def column_names(self) -> list[str]:
        """Names of all numbers of a row: ``W1[0,2]``."""
        return [
            leaf.name + (f"[{','.join(map(str, place))}]" if leaf.shape else "")
            for leaf in self.layout.leaves
            for place in np.ndindex(leaf.shape)
        ]

    def to_pandas(self) -> Any:
        """Time, step, loss, gradient norm and observables that are single numbers, as a pandas
        frame.
        """
        import pandas

        columns = {
            "time": self.time,
            "step": self.step,
            "loss": self.loss,
            "gradient.norm": self.gradient_norm,
        }
        columns |= {name: self[name] for name in self._observables if self[name].ndim == 1}
        return pandas.DataFrame(columns)

    def plot(
        self,
        y: str | Callable[[ModelRun], npt.ArrayLike] = "loss",
        *,
        ax: Axes | None = None,
        levels: npt.ArrayLike = (),
        log_time: bool = True,
        stages: bool = True,
    ) -> Axes:
        """The loss (or a block, or an observable) over time with matplotlib; ``levels`` are dashed
        lines of theory.

        Plateaus that were found are shaded where the loss is drawn.
        """
        import matplotlib.pyplot as plt

        from saddlescope.plot import COLOURS

        if ax is None:
            ax = plt.subplots(figsize=(6.0, 3.6), layout="constrained")[1]
        own = {"loss": self.loss, "gradient_norm": self.gradient_norm}
        if callable(y):
            values, label = np.asarray(y(self)), ""
        else:
            values, label = own[y] if y in own else self[y], y
        if y == "loss" and stages:
            try:
                found = self.stages.plateaus
            except SettingsError:
                found = []
            for plateau in found:
                ax.axvspan(plateau.start, plateau.end, color="0.92", lw=0)
        for level in np.atleast_1d(np.asarray(levels, dtype=np.float64)):
            ax.axhline(float(level), color="0.4", lw=0.8, ls="--")
        for place, line in enumerate(values.reshape(len(self), -1).T):
            ax.plot(self.time, line, color=COLOURS[place % len(COLOURS)], lw=1.4)
        if log_time and self.time[-1] > 0:
            positive = self.time[self.time > 0]
            ax.set_xscale("log")
            ax.set_xlim(float(positive[0]), float(positive[-1]))
        ax.set_xlabel("time")
        ax.set_ylabel(label)
        return ax


def finished(walk: Walk, layout: Layout, observables: Sequence[str]) -> ModelRun:
    """The run, or an error that brings what was recorded until then."""
    run = ModelRun(walk, layout, observables)
    failure = run._facts["error"]
    if failure is not None:
        error = RunFailed(failure)
        error.run = run if len(run) else None
        raise error
    return run
