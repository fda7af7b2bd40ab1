"""Models of PyTorch and JAX: a loss is enough, gradients and Hessian products come from the
library.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from saddlescope.errors import SettingsError
from saddlescope.layout import Layout, Parameters, Reals
from saddlescope.models import Model, PrecisionWarning

__all__ = ["from_jax", "from_torch"]


def from_torch(module: Any, loss: Callable[[Any], Any]) -> Model:
    """A ``torch.nn.Module`` with the loss ``loss(module)``, a tensor with one entry.

    Parameters that require gradients are those that move; their names are those of
    ``module.named_parameters()``. The module is used in place, and has its own parameters again
    when an instrument is done. The loss must be the same function at every call (fixed data, no
    dropout), as flows and certificates need it. Use ``module.double()``: in single precision
    tolerances are limited to about 1e-5.

    >>> model = ss.from_torch(network.double(), lambda net: ((net(x) - y) ** 2).mean())
    >>> run = ss.flow(model, until=100.0)
    """
    torch: Any = import_module("torch")

    named = {name: value for name, value in module.named_parameters() if value.requires_grad}
    if not named:
        raise SettingsError("the module has no parameters that require gradients")
    parameters = list(named.values())
    layout = Layout(named)
    _warn_if_single(layout, "module.double()")

    def put(flat: Reals) -> None:
        with torch.no_grad():
            for leaf, parameter in zip(layout.leaves, parameters, strict=True):
                parameter.copy_(torch.from_numpy(flat[leaf.part].reshape(leaf.shape)))

    def value() -> Any:
        found = loss(module)
        if not isinstance(found, torch.Tensor) or found.numel() != 1:
            raise SettingsError(
                f"loss(module) gave {type(found).__name__}, expected a tensor with one entry"
            )
        return found

    def flat(tensors: Any) -> Reals:
        out = np.zeros(layout.size)
        for leaf, tensor in zip(layout.leaves, tensors, strict=True):
            # A parameter that the loss does not depend on has no gradient.
            if tensor is not None:
                out[leaf.part] = tensor.detach().cpu().double().numpy().ravel()
        return out

    def evaluate(theta: Reals, _step: int) -> tuple[float, Reals]:
        put(theta)
        with torch.enable_grad():
            found = value()
            slopes = torch.autograd.grad(found, parameters, allow_unused=True)
        return float(found.detach()), flat(slopes)

    def product(theta: Reals, direction: Reals) -> Reals:
        put(theta)
        with torch.enable_grad():
            slopes = torch.autograd.grad(value(), parameters, create_graph=True, allow_unused=True)
            along: Any = 0.0
            for leaf, slope in zip(layout.leaves, slopes, strict=True):
                if slope is not None:
                    block = torch.from_numpy(direction[leaf.part].reshape(leaf.shape))
                    along = along + (slope * block.to(slope)).sum()
            if not isinstance(along, torch.Tensor) or not along.requires_grad:
                return np.zeros(layout.size)
            products = torch.autograd.grad(along, parameters, allow_unused=True)
        return flat(products)

    start = layout.flatten(named)
    return Model(layout, start, evaluate, product, lambda: put(start))


def from_jax(loss: Callable[[Any], Any], params: Parameters) -> Model:
    """A function ``loss(params)`` of JAX, a scalar, at any pytree of parameters. It is compiled.

    With ``jax.config.update("jax_enable_x64", True)`` (before arrays are made) it is computed in
    double precision, as flows and certificates want it.

    >>> model = ss.from_jax(lambda p: jnp.mean((x @ p["w"] - y) ** 2), {"w": jnp.zeros(3)})
    >>> run = ss.flow(model, until=100.0)
    """
    jax: Any = import_module("jax")
    layout = _Pytree(params)
    flat, unravel = layout.first, layout.unravel
    _warn_if_single(layout, 'jax.config.update("jax_enable_x64", True)')
    dtype = flat.dtype

    def of_flat(theta: Any) -> Any:
        return loss(unravel(theta))

    both = jax.jit(jax.value_and_grad(of_flat))
    along = jax.jit(lambda theta, direction: jax.jvp(jax.grad(of_flat), (theta,), (direction,))[1])

    def evaluate(theta: Reals, _step: int) -> tuple[float, Reals]:
        value, slope = both(theta.astype(dtype, copy=False))
        return float(value), np.asarray(slope, dtype=np.float64)

    def product(theta: Reals, direction: Reals) -> Reals:
        found = along(theta.astype(dtype, copy=False), direction.astype(dtype, copy=False))
        return np.asarray(found, dtype=np.float64)

    return Model(layout, np.asarray(flat, dtype=np.float64), evaluate, product)


class _Pytree(Layout):
    """The layout of a pytree, whatever classes it is made of: JAX takes it apart and puts it
    together.
    """

    def __init__(self, params: Parameters) -> None:
        jax: Any = import_module("jax")
        self._ravel: Any = import_module("jax.flatten_util").ravel_pytree
        self.first: Any
        self.unravel: Any
        self.first, self.unravel = self._ravel(params)
        found = jax.tree_util.tree_flatten_with_path(params)[0]
        super().__init__({".".join(map(_key, path)) or "theta": leaf for path, leaf in found})

    def flatten(self, theta: Parameters, what: str = "theta") -> Reals:
        if not (isinstance(theta, np.ndarray) and theta.shape == (self.size,)):
            theta = self._ravel(theta)[0]
        if np.shape(theta) != (self.size,):
            raise SettingsError(f"{what} has {np.size(theta)} numbers, expected {self.size}")
        return super().flatten(theta, what)

    def unflatten(self, flat: Reals) -> Parameters:
        return self.unravel(flat.astype(self.first.dtype, copy=False))


def _key(key: Any) -> str:
    """The name of one step on the way into a pytree."""
    for attribute in ("key", "idx", "name"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


def _warn_if_single(layout: Layout, remedy: str) -> None:
    if layout.is_single:
        warnings.warn(
            "the parameters have single precision or less: tolerances start at 1e-5 there; "
            f"{remedy} gives more digits",
            PrecisionWarning,
            stacklevel=3,
        )
