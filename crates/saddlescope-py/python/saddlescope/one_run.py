"""One run: its numbers as NumPy views, its stages and saddles, and what theory says beside it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from saddlescope.figure import Figure
from saddlescope.recorded import Recorded, fact
from saddlescope.stage_tables import certificate_table, stage_table
from saddlescope.tables import Table

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

__all__ = ["Prediction", "Run", "Snapshot"]


@dataclass(frozen=True)
class Prediction:
    """What theory says about something that was recorded."""

    name: str
    label: str
    """How a legend calls it."""
    of: str
    """What it speaks of: an observable, a column of the table of runs, or ``time``."""
    kind: Literal["levels", "curve", "matrix", "number", "instants"]
    values: NDArray[np.float64]
    time: NDArray[np.float64] | None = None
    """The times of a curve."""


@dataclass(frozen=True)
class Snapshot:
    """All parameters at one instant, by the names of their blocks."""

    time: float
    step: int
    blocks: Mapping[str, NDArray[np.float64]]


class Run(Recorded):
    """One run, in memory or from its folder.

    ``run["head.0.value"]`` is what was recorded, a row for each of ``run.time``: a view of the
    numbers where the native part keeps them, read-only and without a copy. Views outlive the run.
    """

    # What it came to.

    system: str = fact("system", str, "The name of the system.")
    name: str | None = fact("name", str, "The name of the experiment, if it has one.")
    label: str = fact("label", str, "What it is called among the runs of its experiment.")
    seed: int = fact("seed", int, "The seed of start, data and batches.")
    hash: str = fact("hash", str, "The hash of what was asked for: equal hashes have equal bits.")
    experiment: str = fact(
        "experiment", str, "The experiment as a TOML file, every default filled in."
    )
    folder: Path | None = fact("folder", Path, "Where it is kept, if it is.")
    failure: str | None = fact("error", str, "Why the run failed, if it did.")
    seconds: float = fact("seconds", float, "How long it took.")
    outcomes: dict[str, float | str] = fact(
        "outcomes", dict, "What its system says that it came to, in words and numbers."
    )

    @cached_property
    def varied(self) -> dict[str, Any]:
        """What was varied, with the values that it has here."""
        text = "\n".join(
            f"{json.dumps(key)} = {value}" for key, value in self._facts["varied"].items()
        )
        return tomllib.loads(text)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All settings, as nested dictionaries."""
        return tomllib.loads(self.experiment)

    @property
    def ended(self) -> str:
        """Why it ended: ``converged``, ``end``, ``interrupted``, a setting that stops, or
        ``failed``.
        """
        endings = self._facts["phases"]
        if self.failure:
            return "failed"
        # A folder whose run has come to no end yet.
        return str(endings[-1]["ended"]) if endings else "interrupted"

    @property
    def endings(self) -> Table:
        """How each phase of the dynamics ended, and where."""
        rows = [dict(row) for row in self._facts["phases"]]
        for row in rows:
            row.update(row.pop("work") or {})
            best = row.pop("best", None) or {}
            row.update({f"best.{name}": value for name, value in best.items()})
        return Table.of_rows(rows)

    @property
    def invariants(self) -> Table:
        """Quantities that the exact flow keeps, at both ends, and by how much they drifted."""
        rows = self._facts["invariants"]
        return Table.of_rows([{**row, "drift": row["end"] - row["start"]} for row in rows])

    # Parameters.

    @cached_property
    def blocks(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the parameters' blocks."""
        return {name: tuple(shape) for name, shape in self._facts["blocks"]}

    @cached_property
    def start(self) -> dict[str, NDArray[np.float64]]:
        """All parameters at the start, by block."""
        return self._by_block(np.asarray(self._native.start()))

    @cached_property
    def end(self) -> dict[str, NDArray[np.float64]]:
        """All parameters at the end, by block: views of one vector."""
        state = self._native.end()
        return {} if state is None else self._by_block(np.asarray(state))

    @cached_property
    def snapshots(self) -> list[Snapshot]:
        """All parameters at the times that ``snapshots=[...]`` asked for, and where what ``stop_on``
        names was least.
        """
        return [
            Snapshot(time, step, self._by_block(np.asarray(state)))
            for time, step, state in self._native.snapshots()
        ]

    def _by_block(self, state: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        found, at = {}, 0
        for name, shape in self.blocks.items():
            size = int(np.prod(shape, dtype=int))
            found[name] = state[at : at + size].reshape(shape)
            at += size
        return found

    # Theory, and instruments.

    @cached_property
    def theory(self) -> NDArray[np.float64]:
        """The losses of the plateaus that theory predicts, highest first."""
        return np.array(self._facts["theory"]["plateaus"], dtype=float)

    @cached_property
    def predictions(self) -> dict[str, list[Prediction]]:
        """What theory says about this run, by name."""
        found: dict[str, list[Prediction]] = {}
        for one in self._facts["predictions"]:
            kind, value = one["says"]["kind"], one["says"]["value"]
            time = np.array(value["time"], dtype=float) if kind == "curve" else None
            if kind == "curve":
                values = np.array(value["value"], dtype=float)
            elif kind == "matrix":
                values = np.array(value["values"], dtype=float).reshape(value["shape"])
            else:
                values = np.atleast_1d(np.array(value, dtype=float))
            made = Prediction(one["name"], one["label"], one["of"], kind, values, time)
            found.setdefault(made.name, []).append(made)
        return found

    @property
    def crossings(self) -> Table:
        """Loss levels that were watched for, half way between theory's plateaus, and when each was
        first crossed.
        """
        rows = self._facts["crossings"]
        return Table({name: [row[name] for row in rows] for name in ("level", "time")})

    @cached_property
    def stages(self) -> Table:
        """The stages of the loss: plateaus, and what was learned in the jump that led to each."""
        if self._facts["stages"] is None:
            return stage_table({}, self.theory, str(self._facts["no_stages"]))
        return stage_table(self._facts["stages"], self.theory)

    def find_stages(
        self,
        column: str = "loss",
        *,
        least_drop: float = 0.01,
        least_stay: float = 1.0,
        least_rows: int = 4,
        significance: float = 5.0,
    ) -> Table:
        """The stages of a recorded column, which may rise or fall: ``run.find_stages("loss.ih")``.

        ``least_drop``: smallest jump, as a part of the column's whole range; ``least_stay``: shortest
        plateau, in durations of the jumps beside it on log time; ``least_rows``: fewest rows of a
        plateau; ``significance``: smallest jump, in standard errors.
        """
        options = {
            "least_drop": least_drop,
            "least_stay": least_stay,
            "least_rows": least_rows,
            "significance": significance,
        }
        theory = self.theory if column == "loss" else self.theory[:0]
        return stage_table(json.loads(self._native.stages(column, options)), theory)

    def saddles(
        self,
        at: Literal["slowest", "snapshots", "known"] = "slowest",
        *,
        scale: float = 1.0,
    ) -> Table:
        """Certificates of the stationary points that the run comes by.

        They are certified at the start, the slowest points between jumps and the end
        (``"slowest"``: the run is run again), at what was kept (``"snapshots"``), or at those that
        theory knows (``"known"``). ``scale`` is a length that counts as one step in the parameters.
        """
        if at not in ("slowest", "snapshots", "known"):
            raise ValueError(f"`at` is {at!r}, but must be one of 'slowest', 'snapshots', 'known'")
        return certificate_table(json.loads(self._native.saddles(at, scale)))

    def guard(self) -> Table:
        """Run again with other last bits and tighter tolerances: which jumps stand, and which does
        rounding decide?
        """
        return Table.of_rows(json.loads(self._native.guard()))

    def attribute(self, *, draws: int = 8) -> Table:
        """Of training: by how much step size, noise, data and theory each move every jump, against
        the exact flow.

        Noise is averaged over so many draws of the batches. Shifts are in the time of the flow.
        """
        found = json.loads(self._native.attribute(draws))
        rows = []
        for jump in found["jumps"]:
            row = {name: jump[name] for name in ("level", "flow", "training")}
            for share in jump["shares"]:
                row[share["cause"]] = share["shift"]
            rows.append(row)
        return Table.of_rows(rows)

    # Pictures.

    def plot(
        self,
        y: str | list[str] = "loss",
        *,
        x: Literal["time", "step"] = "time",
        log: bool | Literal["x", "y", "xy", ""] = "x",
        ax: matplotlib.axes.Axes | None = None,
        theory: bool = True,
        stages: bool = True,
    ) -> matplotlib.figure.Figure:
        """A matplotlib figure: what was recorded, theory dashed beside it, stages shaded.

        ``y`` are names or patterns (``"head.*.value"``); ``log`` says which axes are logarithmic.
        """
        from saddlescope.plot import plot

        return plot([self], y, x=x, log=log, ax=ax, theory=theory, stages=stages)

    def figure(self, path: str | Path | None = None) -> Figure:
        """The laboratory's own figure; written as SVG, PNG or PDF where a path is given."""
        return Figure(self._native.figure()).saved(path)

    def __repr__(self) -> str:
        end = f"{self.ended} at time {self.time[-1]:.6g}" if len(self) else self.ended
        loss = f", loss {self.loss[-1]:.6g}" if len(self) and "loss" in self else ""
        return f"<Run of {self.system}, seed {self.seed}: {end}{loss}, {len(self)} rows>"
