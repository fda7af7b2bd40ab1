"""Figures of runs with matplotlib: what was recorded, theory dashed beside it, stages shaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from saddlescope.extras import need
from saddlescope.recorded import fits

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

    from saddlescope.one_run import Run

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
    """Draw columns of runs; see :meth:`saddlescope.one_run.Run.plot`."""
    if x not in ("time", "step"):
        raise ValueError(f"`x` is {x!r}, but must be 'time' or 'step'")
    axes, figure = _axes(ax)
    patterns = [y] if isinstance(y, str) else list(y)
    logarithmic = ("xy" if log else "") if isinstance(log, bool) else log
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
    _scales(axes, lines, x, logarithmic)
    axes.set_xlabel(x)
    axes.set_ylabel(names[0] if len(names) == 1 else "")
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    if 1 < len(labels) <= _MOST_NAMED:
        axes.legend(handles, labels, fontsize="small", framealpha=0.85, edgecolor="none")
    return figure


def _axes(
    ax: matplotlib.axes.Axes | None,
) -> tuple[matplotlib.axes.Axes, matplotlib.figure.Figure]:
    matplotlib = need("matplotlib", "plot")
    plt = need("matplotlib.pyplot", "plot")

    if ax is None:
        figure, axes = plt.subplots(figsize=(6.4, 3.9), layout="constrained")
        # A notebook shows the figure that a cell comes to; left open, it would be shown twice.
        plt.close(figure)
        return axes, figure
    whole: Any = ax.figure
    while isinstance(whole, matplotlib.figure.SubFigure):
        whole = whole.figure
    return ax, whole


def _x(run: Run, x: str) -> NDArray[Any]:
    return run.time if x == "time" else run.step


def _chosen(run: Run, patterns: Sequence[str]) -> Iterable[tuple[str, NDArray[np.float64]]]:
    """The columns that fit: names, patterns of names, and single numbers of them."""
    found: dict[str, NDArray[np.float64]] = {}
    for pattern in patterns:
        fitting = [name for name in run if fits(pattern, name)]
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
        style: dict[str, Any] = {"color": "0.35", "ls": (0, (4, 3)), "lw": 1.0, "zorder": 2}
        if prediction.kind == "levels":
            for level in prediction.values:
                axes.axhline(level, label=label, **style)
                label = "_"
        elif (
            prediction.kind == "curve"
            and prediction.time is not None
            and x == "time"
            # Not every rule has the flow's time, of which theory speaks.
            and all(ending["flow_time"] for ending in run.endings)
        ):
            axes.plot(prediction.time, prediction.values, label=label, **style)
            label = "_"


def _stages(axes: matplotlib.axes.Axes, run: Run) -> None:
    """Plateaus as bands."""
    for number, row in enumerate(run.stages):
        shade = "0.93" if number % 2 else "0.96"
        axes.axvspan(row["from"], row["to"], color=shade, lw=0, zorder=0)


def _scales(
    axes: matplotlib.axes.Axes,
    lines: Sequence[tuple[Run, str, NDArray[np.float64]]],
    x: str,
    logarithmic: str,
) -> None:
    """Logarithmic axes as asked for, with limits that what was recorded sets, not theory."""
    level = _levels(lines) if "y" in logarithmic else lines
    windows = [_window(_x(run, x), data) for run, _, data in level]
    windows = [window for window in windows if window[0] < window[1]]
    if "x" in logarithmic and windows:
        axes.set_xscale("log")
        axes.set_xlim(min(low for low, _ in windows), max(high for _, high in windows))
    elif lines and len(lines[0][0]):
        axes.set_xlim(0.0, max(float(_x(run, x)[-1]) for run, _, _ in lines))
    values = [data[np.isfinite(data)] for _, _, data in lines]
    values = [one for one in values if len(one)]
    if "y" in logarithmic:
        positive = [one[one > 0] for one in values if (one > 0).any()]
        axes.set_yscale("log")
        if positive:
            low, high = min(one.min() for one in positive), max(one.max() for one in positive)
            axes.set_ylim(low / 2.0, 2.0 * high)
    elif values:
        low, high = min(float(one.min()) for one in values), max(float(one.max()) for one in values)
        room = 0.05 * (high - low or 1.0)
        axes.set_ylim(low - room, high + room)


def _levels(
    lines: Sequence[tuple[Run, str, NDArray[np.float64]]],
) -> list[tuple[Run, str, NDArray[np.float64]]]:
    """The same lines as a logarithmic axis shows them."""
    return [
        (run, name, np.log(np.where(data > 0, data, np.nanmin(data[data > 0], initial=1.0))))
        for run, name, data in lines
    ]


def _window(at: NDArray[Any], data: NDArray[np.float64]) -> tuple[float, float]:
    """The stretch of log time in which something happens: most of it lies before and after."""
    after = at > 0
    at, data = at[after].astype(float), data[after]
    if not len(at):
        return 1.0, 1.0
    moved = np.abs(data - data[0]) > 0.02 * (np.ptp(data) or 1.0)
    left = np.abs(data - data[-1]) > 0.02 * (np.ptp(data) or 1.0)
    begins = at[np.argmax(moved)] if moved.any() else at[0]
    ends = at[len(left) - 1 - np.argmax(left[::-1])] if left.any() else at[-1]
    return max(at[0], begins / 10.0), min(1.25 * at[-1], 4.0 * ends)
