"""What a run recorded: NumPy views, columns and data frames."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saddlescope import _native
from saddlescope.errors import NotRecorded
from saddlescope.extras import need

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def fits(pattern: str, name: str) -> bool:
    """Whether a recorded name fits a pattern, in which ``*`` stands for one part between dots."""
    parts, wanted = name.split("."), pattern.split(".")
    return len(parts) == len(wanted) and all(
        want in ("*", part) for want, part in zip(wanted, parts, strict=True)
    )


def fact(name: str, kind: Callable[[Any], Any], about: str) -> Any:
    """A property: what the native part says of a run under a name, or ``None`` where nothing."""

    def read(run: Any) -> Any:
        value = run._facts.get(name)
        return None if value is None else kind(value)

    return property(read, doc=about)


class Recorded:
    """Rows over time, an array for each observable: views of the numbers where they lie."""

    def __init__(self, native: _native.Run) -> None:
        self._native = native

    @cached_property
    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(self._native.facts())
        return facts

    @cached_property
    def time(self) -> NDArray[np.float64]:
        """The recorded times on the system's clock."""
        return np.asarray(self._native.rows("time"))

    @cached_property
    def step(self) -> NDArray[np.uint64]:
        """The step of the solver or optimiser at each recorded time."""
        return np.asarray(self._native.steps())

    @property
    def loss(self) -> NDArray[np.float64]:
        """The loss at each recorded time."""
        return self["loss"]

    @cached_property
    def observables(self) -> dict[str, tuple[int, ...]]:
        """Names of what was recorded, with the shape of one row (empty for a single number)."""
        return {name: tuple(shape) for name, shape in self._facts["series"]}

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """What was recorded under a name, or under the name of one of its numbers:
        ``head.0.key[0,1]``.
        """
        if name == "time":
            return self.time
        if name in self.observables:
            return np.asarray(self._native.rows(name))
        stem, bracket, place = name.partition("[")
        if bracket and stem in self.observables and place.endswith("]"):
            try:
                index: tuple[Any, ...] = tuple(int(part) for part in place[:-1].split(","))
                column: NDArray[np.float64] = self[stem][(slice(None), *index)]
                return column
            except (ValueError, IndexError):
                pass
        raise NotRecorded(
            f"{name!r} was not recorded; recorded are time, {', '.join(self.observables)} "
            "(`observables=[...]` of the run decides)"
        )

    def __contains__(self, name: object) -> bool:
        return name == "time" or name in self.observables

    def __iter__(self) -> Iterator[str]:
        return iter(self.observables)

    def __len__(self) -> int:
        return len(self.time)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every number of a row as a column: ``time``, ``step``, and ``head.0.key[0,1]`` for an
        entry; all are views.
        """
        found: dict[str, NDArray[Any]] = {"time": self.time, "step": self.step}
        for name, shape in self.observables.items():
            data = self[name]
            if shape:
                for place in np.ndindex(*shape):
                    element = f"{name}[{','.join(str(part) for part in place)}]"
                    found[element] = data[(slice(None), *place)]
            else:
                found[name] = data
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas data frame with a column for every number."""
        return need("pandas", "pandas").DataFrame(self.columns(), copy=False)

    def to_polars(self) -> polars.DataFrame:
        """A polars data frame with a column for every number."""
        return need("polars", "polars").DataFrame(self.columns())

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table with a column for every number; single numbers are shared, not copied."""
        pyarrow = need("pyarrow", "arrow")
        return pyarrow.table({name: pyarrow.array(data) for name, data in self.columns().items()})
