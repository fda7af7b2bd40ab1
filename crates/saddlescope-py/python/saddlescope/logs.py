"""Logs and checkpoints of other people: CSV, Parquet, JSON, TensorBoard, safetensors."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from saddlescope import _native, of_json

__all__ = ["Checkpoints", "Log", "TensorLengths", "read_checkpoints", "read_log"]

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Log:
    """A loss over time, as a file has it. Values that are not finite are left out; ``skipped``
    counts them.
    """

    time: Reals
    loss: Reals
    time_name: str
    loss_name: str
    skipped: int
    notes: list[str]

    def __repr__(self) -> str:
        notes = "".join(f" ({note})" for note in self.notes)
        return f"Log(`{self.loss_name}` over `{self.time_name}`, {len(self.time)} rows){notes}"

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class TensorLengths:
    """Euclidean lengths of one tensor at every checkpoint: of itself, and of its way from the start
    and from the one before.
    """

    name: str
    shape: tuple[int, ...]
    norm: Reals
    from_start: Reals
    from_before: Reals


@dataclass(frozen=True)
class Checkpoints:
    """A trajectory of checkpoints: steps, files, the loss where it is known, and the lengths of all
    tensors.
    """

    steps: Reals
    files: list[Path]
    loss_time: Reals
    loss: Reals
    tensors: dict[str, TensorLengths]
    notes: list[str]

    def __repr__(self) -> str:
        return f"Checkpoints({len(self.steps)} of {len(self.tensors)} tensors)"

    def __len__(self) -> int:
        return len(self.steps)


def read_log(
    path: str | os.PathLike[str], *, time: str | None = None, loss: str | None = None
) -> Log:
    """Two columns of a log: CSV, Parquet, JSON (an object per line, a list, or a trainer's
    ``log_history``), a TensorBoard event file, or a folder of such.

    ``time`` and ``loss`` name columns, keys (``train.loss`` is ``{"train": {"loss": ...}}``) or
    tags; without them they are guessed. TensorBoard has the times ``step`` and ``wall_time``
    (seconds since the first event).
    """
    times, losses, facts = _native.read_log(Path(path), time, loss)
    return Log(np.asarray(times), np.asarray(losses), **json.loads(facts))


def read_checkpoints(
    manifest: str | os.PathLike[str], *, time: str | None = None, loss: str | None = None
) -> Checkpoints:
    """A trajectory of safetensors files, listed in a TOML file.

    .. code-block:: toml

        loss = "log.csv"                  # a log in any format; optional
        files = "step-*.safetensors"      # the star is the step; or one by one:

        [[checkpoint]]
        step = 0
        file = "start.safetensors"
        loss = 2.31                       # where no log is named

    Tensors of F64, F32, F16 and BF16 count. All files must have the same names and shapes. They are
    read in small pieces, however large they are.
    """
    known = json.loads(_native.read_checkpoints(Path(manifest), time, loss))

    def reals(values: list[float | None]) -> Reals:
        return np.array(values, dtype=np.float64)

    tensors = {}
    for one in known["tensors"]:
        lengths = {name: reals(one[name]) for name in ("norm", "from_start", "from_before")}
        shape = tuple(one["shape"])
        tensors[one["name"]] = of_json.read(TensorLengths, one, shape=shape, **lengths)
    return Checkpoints(
        reals(known["steps"]),
        [Path(file) for file in known["files"]],
        reals(known["loss"]["time"]),
        reals(known["loss"]["value"]),
        tensors,
        known["notes"],
    )
