"""Figures of runs with matplotlib: what was recorded, theory dashed beside it, stages shaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

    from saddlescope.run import Run

__all__ = ["plot"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, which nearly everybody can tell apart."""

_MOST_NAMED = 10
"""Lines that a legend names."""


def plot(
    runs: Sequence[Run],
    y: str | Iterable[str],
    *,
    x: Literal["time", "step"] = "time",
    log: bool | Literal["x", "y", "xy", ""] = "x",
    ax: matplotlib.axes.Axes | None = None,
    theory: bool = True,
    stages: bool = True,
) -> matplotlib.figure.Figure:
    """Draw columns of runs; see :meth:`saddlescope.run.Run.plot`."""
    if x not in ("time", "step"):
        raise ValueError(f"`x` is {x!r}, but must be 'time' or 'step'")
    axes, figure = _axes(ax)
    patterns = [y] if isinstance(y, str) else list(y)
    logarithmic = {True: "xy", False: ""}.get(log, log) if isinstance(log, bool) else log
    lines = [(run, name, data) for run in runs for name, data in _chosen(run, patterns)]
    names = list(dict.fromkeys(name for _, name, _ in lines))
    for number, (run, name, data) in enumerate(lines):
        which = names.index(name) if len(names) > 1 else number
        label = name if len(runs) == 1 else run.label
        if len(names) > 1 and len(runs) > 1:
            label = name if run is runs[0] else "_"
        faint = 0.55 if len(runs) > 8 else 1.0
        colour = COLOURS[which % len(COLOURS)]
        axes.plot(_x(run, x), data, color=colour, lw=1.6, label=label, alpha=faint, zorder=3)
    if runs and theory:
        _theory(axes, runs[0], names, x)
    if runs and stages and x == "time" and names == ["loss"]:
        _stages(axes, runs[0])
    _scales(axes, runs, lines, x, logarithmic)
    axes.set_xlabel(x)
    axes.set_ylabel(names[0] if len(names) == 1 else "")
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    if 1 < len(labels) <= _MOST_NAMED:
        axes.legend(handles, labels, frameon=False, fontsize="small")
    return figure


def _axes(
    ax: matplotlib.axes.Axes | None,
) -> tuple[matplotlib.axes.Axes, matplotlib.figure.Figure]:
    import matplotlib.pyplot as plt

    if ax is None:
        figure, axes = plt.subplots(figsize=(6.4, 3.9), layout="constrained")
        # A notebook shows the figure that a cell comes to; left open, it would be shown twice.
        plt.close(figure)
        return axes, figure
    figure = ax.get_figure(root=True) if "root" in _arguments(ax.get_figure) else ax.get_figure()
    assert figure is not None
    return ax, figure  # type: ignore[return-value]


def _arguments(function: Any) -> Iterable[str]:
    import inspect

    return inspect.signature(function).parameters


def _x(run: Run, x: str) -> NDArray[Any]:
    return run.time if x == "time" else run.step


def _chosen(run: Run, patterns: Sequence[str]) -> Iterable[tuple[str, NDArray[np.float64]]]:
    """The columns that fit: names, patterns of names, and single numbers of them."""
    from saddlescope.system import _fits

    found: dict[str, NDArray[np.float64]] = {}
    for pattern in patterns:
        fitting = [name for name in run if _fits(pattern, name)]
        if not fitting:
            # An entry such as head.0.key[0,1], or an error that says what there is.
            found.setdefault(pattern, run[pattern])
        for name in fitting:
            data = run[name]
            for place in np.ndindex(*data.shape[1:]):
                element = f"[{','.join(str(part) for part in place)}]" if place else ""
                found.setdefault(name + element, data[(slice(None), *place)])
    return found.items()


def _theory(axes: matplotlib.axes.Axes, run: Run, names: Sequence[str], x: str) -> None:
    """Levels and curves that theory has of what is drawn."""
    label = "theory"
    for prediction in (one for group in run.predictions.values() for one in group):
        if prediction.of not in names:
            continue
        style = {"color": "0.35", "ls": (0, (4, 3)), "lw": 1.0, "zorder": 2}
        if prediction.kind == "levels":
            for level in prediction.values:
                axes.axhline(level, label=label, **style)
                label = "_"
        elif prediction.kind == "curve" and prediction.time is not None and x == "time":
            axes.plot(prediction.time, prediction.values, label=label, **style)
            label = "_"


def _stages(axes: matplotlib.axes.Axes, run: Run) -> None:
    """Plateaus as bands."""
    for number, row in enumerate(run.stages):
        shade = "0.93" if number % 2 else "0.96"
        axes.axvspan(row["from"], row["to"], color=shade, lw=0, zorder=0)


def _scales(
    axes: matplotlib.axes.Axes,
    runs: Sequence[Run],
    lines: Sequence[tuple[Run, str, NDArray[np.float64]]],
    x: str,
    logarithmic: str,
) -> None:
    """Logarithmic axes as asked for. On log time the start, at 0, has no place, and theory's curves set no limits."""
    after = [one[one > 0] for one in (_x(run, x) for run in runs)]
    after = [one for one in after if len(one)]
    if "x" in logarithmic and after:
        axes.set_xscale("log")
        first = min(float(one[0]) for one in after)
        last = max(float(one[-1]) for one in after)
        # Most of log time lies before anything happens.
        axes.set_xlim(max(first, last * 1e-5), last)
    if "y" in logarithmic:
        axes.set_yscale("log")
    elif lines:
        low = min(float(np.nanmin(data)) for _, _, data in lines if len(data))
        high = max(float(np.nanmax(data)) for _, _, data in lines if len(data))
        room = 0.05 * (high - low or 1.0)
        axes.set_ylim(low - room, high + room)
