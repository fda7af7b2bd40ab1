"""Models of one's own: functions of their parameters, as the instruments call them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from saddlescope.errors import SettingsError
from saddlescope.layout import Layout, Parameters, Reals

#: From parameters to loss and gradient.
ValueAndGrad: TypeAlias = Callable[..., tuple[Any, Parameters]]

#: From parameters and a direction to the Hessian times the direction.
HessianProduct: TypeAlias = Callable[[Parameters, Parameters], Parameters]


class PrecisionWarning(UserWarning):
    """Parameters have fewer digits than the tolerances ask for."""


class Model:
    """A loss with its gradient, and Hessian products where there are any.

    ``evaluate(flat, step)`` gives the loss and the flat gradient at a flat vector, ``product(flat,
    direction)`` the Hessian times a direction. Made by :func:`from_torch`, :func:`from_jax`, or
    from a function by the instruments.
    """

    def __init__(
        self,
        layout: Layout,
        theta: Reals,
        evaluate: Callable[[Reals, int], tuple[float, Reals]],
        product: Callable[[Reals, Reals], Reals] | None = None,
        restore: Callable[[], None] | None = None,
    ) -> None:
        self.layout = layout
        self.theta = theta
        self.evaluate = evaluate
        self.product = product
        self.restore = restore or (lambda: None)

    def __repr__(self) -> str:
        product = "" if self.product is None else ", with Hessian products"
        return f"Model({self.layout.size} parameters{product})"

    def value_and_grad(self, theta: Parameters) -> tuple[float, Parameters]:
        """The loss and its gradient at a structure like the first one, or at a flat vector."""
        loss, gradient = self.evaluate(self.layout.flatten(theta), 0)
        return loss, self.layout.unflatten(gradient)

    @contextmanager
    def functions(
        self, rates: Mapping[str, float] | None = None
    ) -> Iterator[tuple[Any, Any, list[tuple[str, list[int], float]]]]:
        """What the native part calls, with vectors as bytes, and the blocks with their rates; at
        the end the model is as it was.
        """
        product = self.product

        def evaluate(theta: bytearray, step: int) -> tuple[float, Reals]:
            return self.evaluate(np.frombuffer(theta), step)

        def along(theta: bytearray, direction: bytearray) -> Reals:
            assert product is not None
            return product(np.frombuffer(theta), np.frombuffer(direction))

        parts = self._parts(dict(rates or {}))
        try:
            yield evaluate, None if product is None else along, parts
        finally:
            self.restore()

    def _parts(self, rates: dict[str, float]) -> list[tuple[str, list[int], float]]:
        parts = []
        for leaf in self.layout.leaves:
            rate = float(rates.pop(leaf.name, 1.0))
            if not (rate >= 0.0 and np.isfinite(rate)):
                raise SettingsError(f"the rate of `{leaf.name}` is {rate}, expected a number >= 0")
            parts.append((leaf.name, list(leaf.shape), rate))
        if rates:
            names = ", ".join(leaf.name for leaf in self.layout.leaves)
            raise SettingsError(f"rates name `{next(iter(rates))}`; the blocks are {names}")
        return parts


def as_model(
    model: Model | ValueAndGrad,
    theta: Parameters | None,
    hvp: HessianProduct | None = None,
    steps: bool = False,
) -> tuple[Model, Reals]:
    """The model, and where it starts. ``steps`` says whether the function wants the number of the
    step as well.
    """
    if isinstance(model, Model):
        if hvp is not None:
            raise SettingsError("hvp is given twice: the model brings its own")
        return model, model.theta if theta is None else model.layout.flatten(theta, "theta0")
    if not callable(model):
        raise SettingsError(
            "expected a function that gives loss and gradient, or a Model, "
            f"not {type(model).__name__}"
        )
    if theta is None:
        raise SettingsError("theta0 is missing: where should it start?")
    if hasattr(theta, "named_parameters"):
        # A module of PyTorch stands for its parameters by name.
        theta = dict(theta.named_parameters())
    layout = Layout(theta)
    unflatten = layout.unflatten

    def evaluate(flat: Reals, step: int) -> tuple[float, Reals]:
        answer = model(unflatten(flat), step) if steps else model(unflatten(flat))
        try:
            loss, gradient = answer
        except (TypeError, ValueError):
            raise SettingsError(
                f"value_and_grad gave {type(answer).__name__}, expected a pair (loss, gradient)"
            ) from None
        return _number(loss), layout.flatten(gradient, "the gradient")

    def product(flat: Reals, direction: Reals) -> Reals:
        assert hvp is not None
        answer = hvp(unflatten(flat), unflatten(direction))
        return layout.flatten(answer, "the Hessian product")

    made = Model(layout, layout.flatten(theta), evaluate, None if hvp is None else product)
    return made, made.theta


def checked_tolerances(
    layout: Layout, rtol: float | None, atol: float | None
) -> tuple[float, float]:
    """Tolerances that the digits of the parameters allow; a warning where they were asked for and
    do not.
    """
    if not layout.is_single:
        return (1e-8 if rtol is None else rtol), (1e-10 if atol is None else atol)
    if (rtol is not None and rtol < 1e-5) or (atol is not None and atol < 1e-7):
        warnings.warn(
            f"rtol={rtol} and atol={atol} ask for more digits than single precision has: the "
            "solver takes needlessly many steps, or gets stuck; use float64 parameters, or "
            "rtol >= 1e-5 and atol >= 1e-7",
            PrecisionWarning,
            stacklevel=4,
        )
    return (1e-4 if rtol is None else rtol), (1e-6 if atol is None else atol)


def _number(loss: Any) -> float:
    if getattr(loss, "requires_grad", False):
        loss = loss.detach()
    try:
        return float(loss)
    except (TypeError, ValueError) as error:
        raise SettingsError(
            f"the loss is {type(loss).__name__}, expected one number: {error}"
        ) from None
