"""Hessians of models of one's own, and certificates of stationary points that states are near."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from saddlescope import _native
from saddlescope.layout import Parameters, Reals
from saddlescope.models import HessianProduct, Model, ValueAndGrad, as_model

__all__ = ["Certificate", "hessian", "saddle"]


def hessian(
    value_and_grad: Model | ValueAndGrad,
    theta: Parameters | None = None,
    *,
    hvp: HessianProduct | None = None,
) -> Reals:
    """The Hessian at ``theta``, a symmetric matrix over the flat parameters.

    Column by column from Hessian products, or from central differences of gradients (with errors of
    about 1e-8 of the gradient's scale).
    """
    model, at = as_model(value_and_grad, theta, hvp)
    with model.functions() as functions:
        return np.asarray(_native.hessian(functions, at))


@dataclass(frozen=True)
class Certificate:
    """What a state is near: the nearest stationary point, its curvatures, and how the flow leaves
    it.

    ``kind`` is ``non-degenerate`` (a saddle with negative curvature), ``degenerate of order p``
    (the loss falls at a higher order), ``minimum`` (also ``minimum, k flat``), ``at infinity``,
    ``none`` or ``inconclusive``; ``doubt`` says why it is not clear. ``index`` counts negative
    curvatures, ``flat`` zero ones, ``symmetric`` those among them that ``symmetries`` explain.
    ``spectrum`` is that of the Hessian at the point, ascending. ``escape_rate`` is the rate of the
    fastest way out along ``escape_direction``, for saddles of order 2; ``escape_time`` are times of
    one escape that the law predicts and the flow has taken.
    """

    kind: str
    doubt: str | None
    loss: float
    gradient_norm: float
    point: Parameters | None
    point_flat: Reals | None
    point_loss: float | None
    residual: float | None
    distance: float | None
    index: int | None
    flat: int | None
    symmetric: int | None
    positive: int | None
    threshold: float | None
    spectrum: Reals | None
    escape_rate: float | None
    escape_direction: Reals | None
    escape_time: tuple[float, float | None] | None
    facts: dict[str, Any]

    def __repr__(self) -> str:
        if self.point is None:
            return f"Certificate({self.kind}: {self.doubt or 'no stationary point is near'})"
        doubt = f", but {self.doubt}" if self.doubt else ""
        return (
            f"Certificate({self.kind}: loss {self.point_loss:.6g}, {self.distance:.2g} away, "
            f"gradient {self.residual:.1e} there, index {self.index}, {self.flat} flat, "
            f"{self.positive} positive{doubt})"
        )


def saddle(
    value_and_grad: Model | ValueAndGrad,
    theta: Parameters | None = None,
    *,
    scale: float = 1.0,
    reach: float = 1.0,
    measure: bool = True,
    rates: Mapping[str, float] | None = None,
    symmetries: Callable[[Parameters], Sequence[Parameters]] | None = None,
    hvp: HessianProduct | None = None,
) -> Certificate:
    """Certifies the stationary point that ``theta`` is near.

    ``scale`` is a length that counts as one step in the parameters, ``reach`` how far away a point
    may be to count as near. ``symmetries(theta)`` gives directions along which continuous
    symmetries move theta: zero curvatures along them are told from others. ``measure`` also follows
    one escape in the flow itself. The whole Hessian is used: for up to a few thousand parameters.
    """
    model, at = as_model(value_and_grad, theta, hvp)
    layout = model.layout

    def directions(raw: bytearray) -> list[Reals]:
        assert symmetries is not None
        found = symmetries(layout.unflatten(np.frombuffer(raw)))
        return [layout.flatten(one, "a symmetry") for one in found]

    options = {
        "scale": float(scale),
        "reach": float(reach),
        "measure": measure,
        "symmetries": None if symmetries is None else directions,
    }
    with model.functions(rates) as functions:
        found = json.loads(_native.certificate(functions, at, options))
    point, counts, escape = found["point"], found["counts"], found["escape"]
    state = None if point is None else np.array(point["state"])
    spectrum = None
    if state is not None and counts is not None:
        with model.functions() as functions:
            spectrum = np.linalg.eigvalsh(np.asarray(_native.hessian(functions, state)))
    point, counts = point or {}, counts or {}
    law = {} if escape is None else escape["law"]
    left = found["departure"]
    return Certificate(
        kind=found["kind"],
        doubt=found["doubt"],
        loss=found["loss"],
        gradient_norm=found["gradient"],
        point=None if state is None else layout.unflatten(state.copy()),
        point_flat=state,
        point_loss=point.get("loss"),
        residual=point.get("residual"),
        distance=point.get("distance"),
        index=counts.get("negative"),
        flat=counts.get("zero"),
        symmetric=counts.get("symmetry"),
        positive=counts.get("positive"),
        threshold=counts.get("threshold"),
        spectrum=spectrum,
        escape_rate=law.get("rate"),
        escape_direction=None if escape is None else np.array(escape["direction"]),
        escape_time=None if left is None else (left["predicted"], left["measured"]),
        facts=found,
    )
