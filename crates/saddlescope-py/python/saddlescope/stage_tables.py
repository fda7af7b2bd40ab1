"""Stages, jumps and certificates as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddlescope.tables import Table

_MOST_NAMED = 3
"""Movers that a table names, one of each family."""


def stage_table(found: Mapping[str, Any], theory: NDArray[np.float64], note: str = "") -> Table:
    """Plateaus with their heights and times, theory's nearest level, and what was learned on the
    way to each.

    ``jumps_at`` is when the jump away from the plateau is half done, ``takes`` how long that jump
    lasts.
    """
    plateaus: Sequence[Mapping[str, Any]] = found.get("plateaus", [])
    jumps: Sequence[Mapping[str, Any]] = found.get("transitions", [])
    heights = [plateau["height"] for plateau in plateaus]
    exact = [jump["time"] if jump["exact"] is None else jump["exact"] for jump in jumps]
    missing = [None] * (len(plateaus) - len(jumps))
    learned = ["", *(_movers(jump["moved"]) for jump in jumps)]
    return Table(
        {
            "plateau": list(range(1, len(plateaus) + 1)),
            "height": heights,
            "from": [plateau["from"] for plateau in plateaus],
            "to": [plateau["to"] for plateau in plateaus],
            "theory": [_nearest(height, theory) for height in heights],
            "learned": learned[: len(plateaus)],
            "jumps_at": [*exact, *missing][: len(plateaus)],
            "takes": [*(jump["duration"] for jump in jumps), *missing][: len(plateaus)],
        },
        caption=f"no stages: {note}" if note else "",
    )


def _nearest(height: float, theory: NDArray[np.float64]) -> float | None:
    return float(theory[np.argmin(np.abs(theory - height))]) if len(theory) else None


def _movers(moved: Sequence[Mapping[str, Any]]) -> str:
    """Of each family the one that moves most; the first few."""
    first: dict[str, str] = {}
    for one in moved:
        first.setdefault(one["family"], one["name"])
    return ", ".join(list(first.values())[:_MOST_NAMED])


def certificate_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Certificates: where, of what kind, the counts of curvatures, and how the flow leaves.

    ``index`` counts negative curvatures, ``zero`` those that vanish (``symmetry`` of them by a
    symmetry), ``distance`` is how far the stationary point is, ``residual`` the gradient that is
    left there. ``rate`` is that of an exponential escape; ``law`` and ``flow`` are its times by
    that law and in the flow itself.
    """
    rows = []
    for one in found:
        counts, point = one["counts"] or {}, one["point"] or {}
        curvature, near = one["curvature"] or {}, one["near"] or {}
        escape, departure = one["escape"] or {}, one["departure"] or {}
        rows.append(
            {
                "where": one["where"],
                "time": one["time"],
                "near": one["saddle"] or near.get("saddle"),
                "kind": one["kind"],
                "loss": point.get("loss", one["loss"]),
                "index": counts.get("negative"),
                "zero": counts.get("zero"),
                "symmetry": counts.get("symmetry"),
                "positive": counts.get("positive"),
                "lowest": curvature.get("lowest"),
                "highest": curvature.get("highest"),
                "distance": point.get("distance"),
                "residual": point.get("residual"),
                "rate": escape.get("law", {}).get("rate"),
                "law": departure.get("predicted"),
                "flow": departure.get("measured"),
                "doubt": one["doubt"],
            }
        )
    return Table.of_rows(rows)


def side_by_side_table(cases: Sequence[Mapping[str, Any]]) -> Table:
    """Jumps over seeds: how many runs have each, medians and ranges; a row per jump and case."""
    rows = []
    for case in cases:
        aligned = case["aligned"]
        heights = [plateau["height"]["median"] for plateau in aligned["plateaus"]]
        for jump in aligned["transitions"]:
            time = jump["time"]
            owners = (f"{one['name']} {100 * one['part']:.0f} %" for one in jump["owners"])
            rows.append(
                {
                    **({"arm": case["arm"]} if case["arm"] else {}),
                    **({"first run": case["label"]} if len(cases) > 1 else {}),
                    "jump": f"{jump['from']} to {jump['to']}",
                    "runs": jump["runs"],
                    "of": aligned["runs"],
                    "from_height": heights[jump["from"] - 1],
                    "to_height": heights[jump["to"] - 1],
                    "time": time["median"],
                    "earliest": time["low"],
                    "latest": time["high"],
                    "takes": jump["duration"]["median"],
                    "learned": ", ".join(owners),
                }
            )
    return Table.of_rows(rows)
