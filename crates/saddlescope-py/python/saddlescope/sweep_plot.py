"""Sweeps drawn with matplotlib: a value over one varied setting, or over two as a phase diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saddlescope.errors import SettingsError

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

    from saddlescope.sweeps import Sweep

_MOST_MARKS = 2000
"""Members that are drawn one by one, where they lie on no grid."""


def plot(
    sweep: Sweep,
    x: str | None,
    y: str | None,
    value: str,
    log: str | None,
    ax: matplotlib.axes.Axes | None,
) -> matplotlib.figure.Figure:
    """Draw ``value`` over ``x``, or over ``x`` and ``y``; see :meth:`saddlescope.Sweep.plot`."""
    import matplotlib.pyplot as plt

    if x is None:
        raise SettingsError("nothing is varied but seeds: name a column to draw over")
    if ax is None:
        _, ax = plt.subplots(figsize=(5.2, 3.8), layout="constrained")
    across, values = _numbers(sweep, x), _numbers(sweep, value)
    upward = None if y is None else _numbers(sweep, y)
    log = _wide(across, upward) if log is None else log
    there = np.isfinite(across) & np.isfinite(values)
    there &= True if upward is None else np.isfinite(upward)
    if not there.any():
        raise SettingsError(f"no member has a number in `{value}` where it could be drawn")
    across, values = across[there], values[there]
    if upward is None or y is None:
        _curve(ax, across, values)
        ax.set_ylabel(value)
        _scale(ax, log, {"x": "x", "y": "v"})
    else:
        _map(ax, (across, upward[there], values), value, log)
        ax.set_ylabel(y)
        _scale(ax, log, {"x": "x", "y": "y"})
    ax.set_xlabel(x)
    figure = ax.get_figure()
    assert figure is not None
    return figure  # type: ignore[return-value]


def _wide(x: NDArray[np.float64], y: NDArray[np.float64] | None) -> str:
    """The axes that span so much that they are better logarithmic."""
    signs = ""
    for sign, places in (("x", x), ("y", y)):
        if places is not None and np.nanmin(places) > 0.0:
            signs += sign if np.nanmax(places) > 30.0 * np.nanmin(places) else ""
    return signs


def _numbers(sweep: Sweep, name: str) -> NDArray[np.float64]:
    column = sweep[name]
    if column.dtype == object:
        raise SettingsError(f"column `{name}` holds texts, but numbers are drawn")
    return np.asarray(column, dtype=np.float64)


def _scale(ax: matplotlib.axes.Axes, log: str, axes: dict[str, str]) -> None:
    for axis, sign in axes.items():
        if sign in log:
            getattr(ax, f"set_{axis}scale")("log")


def _curve(ax: matplotlib.axes.Axes, x: NDArray[np.float64], v: NDArray[np.float64]) -> None:
    """Medians with the middle half of the members."""
    places = np.unique(x)
    if len(places) > 200:
        ax.plot(x, v, ".", ms=3, alpha=0.5, color="#0072B2")
        return
    groups = [v[(x == place) & np.isfinite(v)] for place in places]
    kept = [(place, group) for place, group in zip(places, groups, strict=True) if len(group)]
    low, middle, high = np.array([np.percentile(g, [25, 50, 75]) for _, g in kept]).T
    at = [place for place, _ in kept]
    ax.fill_between(at, low, high, color="#0072B2", alpha=0.2, lw=0)
    ax.plot(at, middle, "o-", ms=4, color="#0072B2")


def _map(
    ax: matplotlib.axes.Axes,
    data: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    label: str,
    log: str,
) -> None:
    from matplotlib.colors import LogNorm, Normalize

    x, y, v = data
    finite = v[np.isfinite(v)]
    positive = finite[finite > 0]
    logarithmic = "v" in log and len(positive) > 0
    norm: Any = LogNorm(positive.min(), positive.max()) if logarithmic else Normalize()
    columns, rows = np.unique(x), np.unique(y)
    if len(columns) * len(rows) <= len(x):
        total = np.zeros((len(rows), len(columns)))
        count = np.zeros_like(total)
        good = np.isfinite(v)
        place = (np.searchsorted(rows, y[good]), np.searchsorted(columns, x[good]))
        np.add.at(total, place, v[good])
        np.add.at(count, place, 1.0)
        cells = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
        edges = _edges(columns, "x" in log), _edges(rows, "y" in log)
        drawn: Any = ax.pcolormesh(*edges, cells, norm=norm, cmap="viridis", rasterized=True)
        ax.set_facecolor("0.85")
    elif len(x) <= _MOST_MARKS:
        drawn = ax.scatter(x, y, c=v, norm=norm, cmap="viridis", s=14)
    else:
        drawn = ax.hexbin(
            x,
            y,
            C=v,
            gridsize=32,
            norm=norm,
            cmap="viridis",
            xscale="log" if "x" in log else "linear",
            yscale="log" if "y" in log else "linear",
        )
    ax.figure.colorbar(drawn, ax=ax, label=label)


def _edges(places: NDArray[np.float64], log: bool) -> NDArray[np.float64]:
    """Half way between neighbours, in the units of the axis."""
    at = np.log(places) if log else places
    if len(at) == 1:
        edges = np.array([at[0] - 0.5, at[0] + 0.5])
    else:
        middle = 0.5 * (at[1:] + at[:-1])
        edges = np.concatenate(
            [[at[0] - (middle[0] - at[0])], middle, [at[-1] + (at[-1] - middle[-1])]]
        )
    return np.exp(edges) if log else edges
