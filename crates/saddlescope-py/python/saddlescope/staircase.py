"""Stages: the plateaus of a loss and the jumps between them, in any series, log or trajectory of
checkpoints.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from saddlescope import _native, of_json
from saddlescope.errors import SettingsError
from saddlescope.logs import read_log

__all__ = ["Jump", "Moved", "Plateau", "Stages", "stages"]


@dataclass(frozen=True)
class Plateau:
    """A stretch in which the loss hardly moves: from 9/10 of the jump before it to 1/10 of the jump
    behind it.
    """

    height: float
    height_error: float
    start: float
    end: float
    rows: int


@dataclass(frozen=True)
class Moved:
    """How far a tensor moved across a jump (Euclidean length), and its part of all movement."""

    name: str
    change: float
    share: float


@dataclass(frozen=True)
class Jump:
    """The way from one plateau to the next: ``time`` where it is half done, ``duration`` from 1/10
    to 9/10.
    """

    time: float
    time_error: float
    duration: float
    duration_error: float
    change: float
    moved: list[Moved] = field(default_factory=list)


@dataclass(frozen=True)
class Stages:
    """Plateaus and jumps: ``jumps[m]`` leads from ``plateaus[m]`` to ``plateaus[m + 1]``."""

    plateaus: list[Plateau]
    jumps: list[Jump]
    begins_flat: bool
    ends_flat: bool
    noise: float
    notes: list[str]
    text: str

    def __repr__(self) -> str:
        return self.text + "".join(f"({note})\n" for note in self.notes)

    def __len__(self) -> int:
        return len(self.plateaus)

    @property
    def heights(self) -> npt.NDArray[np.float64]:
        """Heights of the plateaus."""
        return np.array([plateau.height for plateau in self.plateaus])

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """Times of the jumps."""
        return np.array([jump.time for jump in self.jumps])

    def to_dicts(self) -> list[dict[str, Any]]:
        """A row per plateau with the jump behind it."""
        rows = []
        for place, plateau in enumerate(self.plateaus):
            jump = self.jumps[place] if place < len(self.jumps) else None
            rows.append(
                {
                    "plateau": place + 1,
                    "height": plateau.height,
                    "from": plateau.start,
                    "to": plateau.end,
                    "jump": None if jump is None else jump.time,
                    "takes": None if jump is None else jump.duration,
                    "moved": None if jump is None or not jump.moved else jump.moved[0].name,
                }
            )
        return rows


@runtime_checkable
class LossOverTime(Protocol):
    """Anything with a loss over time: a log, or a run."""

    @property
    def time(self) -> npt.NDArray[np.float64]: ...
    @property
    def loss(self) -> npt.NDArray[np.float64]: ...


def stages(
    source: str | os.PathLike[str] | LossOverTime | npt.ArrayLike,
    values: npt.ArrayLike | None = None,
    *,
    time: str | None = None,
    loss: str | None = None,
    least_drop: float = 0.01,
    least_stay: float = 1.0,
    least_rows: int = 4,
    significance: float = 5.0,
) -> Stages:
    """The stages of a series, a log, or a trajectory of checkpoints.

    ``stages(times, losses)`` looks at two arrays, ``stages(run)`` at a run or a log.
    ``stages("log.jsonl", time="step", loss="train.loss")`` reads a log (see :func:`read_log`).
    ``stages("checkpoints.toml")`` reads a list of safetensors files (see :func:`read_checkpoints`)
    and says which tensors moved at each jump.

    ``least_drop`` is the smallest jump as a part of the whole range, ``least_stay`` the shortest
    plateau in durations of the jumps beside it, ``least_rows`` the fewest rows of a plateau,
    ``significance`` the smallest jump in standard errors. All lengths are compared on log time, so
    times must be >= 0 and increase.
    """
    options = {
        "least_drop": least_drop,
        "least_stay": least_stay,
        "least_rows": least_rows,
        "significance": significance,
    }
    if isinstance(source, (str, os.PathLike)):
        if values is not None:
            raise SettingsError(
                "values are given beside a file: expected stages(times, losses) or stages(path)"
            )
        path = Path(source)
        if path.suffix == ".toml":
            found, text, notes = _native.checkpoint_stages(path, time, loss, options)
            return _read(found, text, notes)
        log = read_log(path, time=time, loss=loss)
        found, text = _native.stages(log.time.tolist(), log.loss.tolist(), options)
        return _read(found, text, log.notes)
    if isinstance(source, LossOverTime):
        recorded = source
        source, values = recorded.time, recorded.loss
    if values is None:
        raise SettingsError("values are missing: expected stages(times, losses) or stages(path)")
    if time is not None or loss is not None:
        raise SettingsError("time and loss name columns of a log, but arrays are given")
    times = np.asarray(source, dtype=np.float64).ravel().tolist()
    losses = np.asarray(values, dtype=np.float64).ravel().tolist()
    found, text = _native.stages(times, losses, options)
    return _read(found, text, [])


def _read(found: str, text: str, notes: list[str]) -> Stages:
    """Stages as the native part writes them."""
    facts = json.loads(found)
    plateaus = [
        of_json.read(Plateau, one, start=one["from"], end=one["to"]) for one in facts["plateaus"]
    ]
    jumps = [
        of_json.read(Jump, one, moved=[of_json.read(Moved, moved) for moved in one["moved"]])
        for one in facts["transitions"]
    ]
    own = {"plateaus": plateaus, "jumps": jumps, "notes": list(notes), "text": text}
    return of_json.read(Stages, facts, **own)
