"""Figures as the laboratory draws them; notebooks show them as they are."""

import os
from typing import Self

from saddlescope import _native

__all__ = ["Figure"]


class Figure:
    """A figure, drawn: the same bytes on every machine."""

    def __init__(self, native: _native.Figure) -> None:
        self._native = native

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as SVG, PNG or PDF, by the ending of the path."""
        self._native.save(os.fspath(path))

    def saved(self, path: str | os.PathLike[str] | None) -> Self:
        """The figure itself, written where a path is given."""
        if path is not None:
            self.save(path)
        return self

    def svg(self) -> str:
        """The figure as SVG."""
        return self._native.svg()

    def _repr_svg_(self) -> str:
        return self.svg()
