"""Scaling laws through anybody's numbers, with intervals over seeds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from saddlescope import _native, of_json
from saddlescope.errors import SettingsError

__all__ = ["Estimate", "ScalingLaw", "fit_scaling"]

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error and 95 % interval over seeds; none where there is a single
    seed.
    """

    value: float
    error: float | None
    interval: tuple[float, float] | None

    def __repr__(self) -> str:
        if self.interval is None:
            return f"{self.value:.4g}"
        return f"{self.value:.4g} [{self.interval[0]:.4g}, {self.interval[1]:.4g}]"

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class ScalingLaw:
    """A fitted law. ``bend`` is by how much the slope changes over the range of x when a parabola
    is fitted: an interval that leaves out 0 says that the law is not straight. ``other`` is the law
    that fits less well, for ``law="auto"``.
    """

    law: str
    form: str
    slope: Estimate
    prefactor: Estimate
    offset: Estimate | None
    bend: Estimate | None
    spread: float
    points: int
    missing: int
    seeds: int
    range: tuple[float, float]
    left_out_error: float | None
    other: ScalingLaw | None = None

    def __repr__(self) -> str:
        offset = "" if self.offset is None else f", y0 = {self.offset!r}"
        name = "b" if self.law == "log" else "a"
        numbers = f"{name} = {self.slope!r}, C = {self.prefactor!r}{offset}"
        return f"{self.form}: {numbers} ({self.points} points)"

    def __call__(self, x: npt.ArrayLike) -> Reals:
        """The law at x."""
        at = np.asarray(x, dtype=np.float64)
        if self.law == "log":
            return np.asarray(self.prefactor.value + self.slope.value * np.log(at))
        offset = 0.0 if self.offset is None else self.offset.value
        return np.asarray(offset + self.prefactor.value * at**self.slope.value)


def fit_scaling(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    seeds: npt.ArrayLike | None = None,
    law: Literal["power", "offset", "log", "auto"] = "power",
    resamples: int = 2000,
    key: int = 0,
) -> ScalingLaw:
    """Fits ``y = C x^a`` (``power``), ``y = y0 + C x^a`` (``offset``) or ``y = C + b ln x``
    (``log``).

    Every pair is a run. Runs of one seed stay together in the bootstrap that intervals come from;
    without ``seeds`` every run has its own. ``auto`` fits a power law and a logarithmic one, and
    gives the one that is closer at values of x that were left out. Values of y that are not finite
    count as missing.
    """
    xs, ys = (np.asarray(values, dtype=np.float64).ravel() for values in (x, y))
    if len(xs) != len(ys):
        raise SettingsError(f"there are {len(xs)} x, but {len(ys)} y")
    if seeds is None:
        numbers = np.arange(len(xs))
    else:
        given = np.asarray(seeds).ravel()
        if len(given) != len(xs):
            raise SettingsError(f"there are {len(xs)} x, but {len(given)} seeds")
        numbers = np.unique(given, return_inverse=True)[1]
    points = list(zip(xs.tolist(), ys.tolist(), numbers.tolist(), strict=True))
    found = json.loads(_native.fit_scaling(points, law, resamples, key))
    other = _law(found[1], None) if len(found) > 1 else None
    return _law(found[0], other)


def _estimate(found: dict[str, Any]) -> Estimate:
    return of_json.read(Estimate, found, interval=found["interval"] and tuple(found["interval"]))


def _law(found: dict[str, Any], other: ScalingLaw | None) -> ScalingLaw:
    names = ("slope", "prefactor", "offset", "bend")
    estimates = {name: found[name] and _estimate(found[name]) for name in names}
    return of_json.read(ScalingLaw, found, **estimates, range=tuple(found["range"]), other=other)
