"""The instruments on models of one's own: gradient flow, training rules, invariants."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from saddlescope import _native
from saddlescope.dynamics import Stage
from saddlescope.errors import SettingsError
from saddlescope.layout import Parameters, Reals
from saddlescope.model_run import ModelRun, finished
from saddlescope.models import (
    HessianProduct,
    Model,
    ValueAndGrad,
    as_model,
    checked_tolerances,
)

__all__ = ["Drift", "descent", "flow", "invariant_drift"]

Quantity = Callable[[Parameters], Any]


def flow(
    value_and_grad: Model | ValueAndGrad,
    theta0: Parameters | None = None,
    *,
    until: float | None = None,
    stop_below_loss: float | None = None,
    stop_below_gradient: float | None = None,
    rates: Mapping[str, float] | None = None,
    method: Literal["auto", "dop853", "radau", "bdf"] = "auto",
    rtol: float | None = None,
    atol: float | None = None,
    max_steps: int = 1_000_000,
    times: npt.ArrayLike | None = None,
    samples: int = 400,
    observables: Mapping[str, Quantity] | None = None,
    crossings: npt.ArrayLike = (),
    keep_theta: bool = True,
    hvp: HessianProduct | None = None,
) -> ModelRun:
    """Gradient flow ``d theta/dt = -rate * dL/d theta`` from ``theta0`` at time 0.

    ``value_and_grad(theta)`` gives the loss and its gradient, in the structure of ``theta0``: an
    array of NumPy, PyTorch or JAX, or a dict, list or tuple of such arrays, which then are blocks
    with names. A :class:`Model` of :func:`from_torch` or :func:`from_jax` brings both.

    It ends at the time ``until``, or earlier where the loss (or the norm of the gradient) is at
    most ``stop_below_loss`` (``stop_below_gradient``). ``method="auto"`` is DOP853 (order 8), then
    Radau IIA (order 9) once the flow is stiff. Tolerances are 1e-8 and 1e-10 in double precision,
    1e-4 and 1e-6 in single. ``rates`` multiply the speed of blocks; 0 freezes one.

    Rows are denser where more happens, at most ``samples``; or they are at ``times``, and at start
    and end. ``observables`` are functions of theta that are recorded; ``crossings`` are levels
    whose first crossing by the loss is found exactly. ``hvp(theta, direction)`` gives Hessian
    products, which stiff flows use; differences of gradients take its place.
    """
    model, start = as_model(value_and_grad, theta0, hvp)
    if method == "bdf":
        warnings.warn('method="bdf" is read as "radau", which has taken its place', stacklevel=2)
    if until is None and stop_below_loss is None and stop_below_gradient is None:
        raise SettingsError(
            "the flow has no end: give until, stop_below_loss or stop_below_gradient"
        )
    tolerances = checked_tolerances(model.layout, rtol, atol)
    options = {
        "until": float("inf") if until is None else float(until),
        "method": method,
        "rtol": tolerances[0],
        "atol": tolerances[1],
        "max_steps": max_steps,
        "loss_below": stop_below_loss,
        "gradient_below": stop_below_gradient,
        "crossings": np.asarray(crossings, dtype=np.float64).ravel().tolist(),
    }
    record, names = _record(model, start, times, None, samples, observables, keep_theta)
    with model.functions(rates) as functions:
        walk = _native.flow(functions, start, options, record)
    run = finished(walk, model.layout, names)
    if len(run.loss) > 1 and run.loss[-1] > run.loss[0] + 1e-6 * abs(run.loss[0]):
        warnings.warn(
            f"the loss rises, from {run.loss[0]:.6g} to {run.loss[-1]:.6g}, which it cannot along "
            "its gradient flow: is the gradient the loss's own, with its sign?",
            stacklevel=2,
        )
    return run


def descent(
    value_and_grad: Model | ValueAndGrad,
    theta0: Parameters | None,
    rule: Stage,
    *,
    steps: int,
    stop_below_loss: float | None = None,
    every: int | None = None,
    samples: int = 400,
    observables: Mapping[str, Quantity] | None = None,
    keep_theta: bool = True,
    batches: bool = False,
) -> ModelRun:
    """Training by a rule (``ss.GD``, ``ss.Momentum``, ``ss.Nesterov``, ``ss.Adam``, ``ss.AdamW``)
    for ``steps`` steps.

    The rules have the update order of PyTorch's. Time is that of the gradient flow where the rule
    follows it (GD and its momenta), else one per step. With ``batches=True`` the function is called
    as ``value_and_grad(theta, step)`` and draws its own batches. Rows are at ``every`` so many
    steps, or at most ``samples``, denser where more happens; for noisy losses give ``every``.
    """
    model, start = as_model(value_and_grad, theta0, steps=batches)
    if steps < 0:
        raise SettingsError(f"steps is {steps}, expected a number >= 0")
    record, names = _record(model, start, None, every, samples, observables, keep_theta)
    numbers = _rule(rule)
    with model.functions() as functions:
        walk = _native.descent(functions, start, numbers, steps, stop_below_loss, record)
    return finished(walk, model.layout, names)


@dataclass(frozen=True)
class Drift:
    """A quantity along a run: its values, change from start to end, and largest distance from the
    start (norms, where it is an array).
    """

    name: str
    values: Reals
    drift: float
    most: float

    def __repr__(self) -> str:
        return f"{self.name}: drift {self.drift:.3g}, at most {self.most:.3g}"


def invariant_drift(
    quantities: Quantity | Mapping[str, Quantity], run: ModelRun | Sequence[Parameters]
) -> dict[str, Drift]:
    """How far quantities that should be conserved move along a run, or a list of parameters."""
    named = {"invariant": quantities} if callable(quantities) else dict(quantities)
    thetas = [run.at(row) for row in range(len(run))] if isinstance(run, ModelRun) else list(run)
    if not thetas:
        raise SettingsError("there are no parameters to look at")
    drifts = {}
    for name, quantity in named.items():
        values = np.stack([_real(quantity(theta), name) for theta in thetas])
        away = np.linalg.norm((values - values[0]).reshape(len(values), -1), axis=1)
        drifts[name] = Drift(name, values, float(away[-1]), float(away.max()))
    return drifts


def _real(value: Any, name: str) -> Reals:
    """A number or an array of any library, as doubles."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    try:
        return np.asarray(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise SettingsError(
            f"`{name}` gave {type(value).__name__}, expected numbers: {error}"
        ) from None


def _record(
    model: Model,
    start: Reals,
    times: npt.ArrayLike | None,
    every: int | None,
    samples: int,
    observables: Mapping[str, Quantity] | None,
    keep_theta: bool,
) -> tuple[dict[str, Any], list[str]]:
    """What is recorded, for the native part. Shapes of observables are those at the start."""
    if samples < 4:
        raise SettingsError(f"samples is {samples}, expected 4 or more")
    if every is not None and every < 1:
        raise SettingsError(f"every is {every}, expected 1 or more")
    blocks = {leaf.name for leaf in model.layout.leaves}
    quantities = []
    for name, function in (observables or {}).items():
        if name in blocks:
            raise SettingsError(f"an observable is called `{name}`, as a block of parameters is")
        shape = list(_real(function(model.layout.unflatten(start.copy())), name).shape)
        if 0 in shape:
            raise SettingsError(f"the observable `{name}` has shape {shape}, which holds nothing")
        quantities.append((name, shape, _observed(model, name, function)))
    record = {
        "times": None if times is None else np.asarray(times, dtype=np.float64).ravel().tolist(),
        "every": every,
        "samples": samples,
        "keep_theta": keep_theta,
        "observables": quantities,
    }
    return record, list(observables or {})


def _observed(model: Model, name: str, function: Quantity) -> Callable[[bytearray], Reals]:
    return lambda raw: _real(function(model.layout.unflatten(np.frombuffer(raw))), name).ravel()


#: What a rule can have; what is not given is as the declaration of optimisers says.
_RULE = (
    "rate",
    "momentum",
    "dampening",
    "nesterov",
    "beta1",
    "beta2",
    "epsilon",
    "weight_decay",
)


def _rule(rule: Stage) -> dict[str, Any]:
    """A rule of the package with what is given of its numbers."""
    if not isinstance(rule, Stage) or rule.kind in ("flow", "reduced"):
        raise SettingsError(f"the rule is {rule!r}, expected one such as ss.Adam(lr=1e-3)")
    given = {**rule.settings, **rule.fixed}
    unknown = [key for key in given if key not in _RULE]
    if unknown:
        raise SettingsError(f"`{unknown[0]}` of {rule!r} means nothing to a model of one's own")
    if given.get("rate") is None:
        raise SettingsError(f"{rule!r} has no rate: give lr")
    return {"kind": rule.kind, **{name: given.get(name) for name in _RULE}}
