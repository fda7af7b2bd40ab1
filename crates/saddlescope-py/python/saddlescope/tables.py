"""Small tables: read by people as text and HTML, by programs as columns, rows and data frames."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from saddlescope.extras import need

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Table"]


class Table:
    """Named columns of equal length; what is missing is ``None``.

    ``table["height"]`` is a column as a NumPy array, ``table[0]`` a row as a dictionary.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], caption: str = "") -> None:
        self._columns = {name: list(values) for name, values in columns.items()}
        lengths = {len(values) for values in self._columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns of a table are equally long, not {sorted(lengths)}")
        self.caption = caption

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], caption: str = "") -> Table:
        """A table from rows, with every column that any row has."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        return cls({name: [row.get(name) for row in rows] for name in names}, caption)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[row] for row in range(len(self)))

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    def __getitem__(self, key: str | int) -> NDArray[Any] | dict[str, Any]:
        if isinstance(key, str):
            return _array(self._column(key))
        return {name: values[key] for name, values in self._columns.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._columns == other._columns

    __hash__ = None  # type: ignore[assignment]

    def select(self, *names: str) -> Table:
        """The table with these columns only, in this order."""
        return Table({name: self._column(name) for name in names}, self.caption)

    def _column(self, name: str) -> list[Any]:
        if name not in self._columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(self._columns)}")
        return self._columns[name]

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows."""
        return list(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas data frame."""
        return need("pandas", "pandas").DataFrame(self._columns)

    def to_polars(self) -> polars.DataFrame:
        """A polars data frame."""
        return need("polars", "polars").DataFrame(self._columns, strict=False)

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table."""
        return need("pyarrow", "arrow").table(self._columns)

    def __repr__(self) -> str:
        names = list(self._columns)
        cells = [[_text(value) for value in self._columns[name]] for name in names]
        numeric = [_is_numeric(self._columns[name]) for name in names]
        widths = [
            max(len(text) for text in (name, *column))
            for name, column in zip(names, cells, strict=True)
        ]

        def line(texts: Sequence[str]) -> str:
            places = zip(texts, widths, numeric, strict=True)
            parts = (text.rjust(w) if right else text.ljust(w) for text, w, right in places)
            return "  ".join(parts).rstrip()

        rows = [line([column[row] for column in cells]) for row in range(len(self))]
        return "\n".join([*([self.caption] if self.caption else []), line(names), *rows])

    def _repr_html_(self) -> str:
        names = list(self._columns)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = ""
        for row in self:
            cells = (f"<td>{html.escape(_text(row[name]))}</td>" for name in names)
            body += f"<tr>{''.join(cells)}</tr>"
        caption = f"<caption>{html.escape(self.caption)}</caption>" if self.caption else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _is_numeric(values: Sequence[Any]) -> bool:
    given = [value for value in values if value is not None]
    return bool(given) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in given
    )


def _array(values: Sequence[Any]) -> NDArray[Any]:
    if _is_numeric(values):
        if all(isinstance(value, int) for value in values):
            return np.array(values)
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    if values and all(isinstance(value, bool) for value in values):
        return np.array(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _text(value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool | int | str):
        return str(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(_text(one) for one in value)
    return str(value)
