"""Models of one's own: parameters of any shape as one flat vector, and functions of them as the
instruments call them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from saddlescope.errors import SettingsError

__all__ = ["Layout", "Model", "Parameters", "PrecisionWarning", "as_model"]

Reals: TypeAlias = npt.NDArray[np.float64]

#: An array of NumPy, PyTorch or JAX, a dict, list or tuple (nested at will) of such arrays, or a
#: module of PyTorch, which stands for the dict of its parameters.
Parameters: TypeAlias = Any


class PrecisionWarning(UserWarning):
    """Parameters have fewer digits than the tolerances ask for."""


@dataclass(frozen=True)
class Leaf:
    """An array among the parameters: a block with a name."""

    name: str
    shape: tuple[int, ...]
    kind: str
    dtype: Any
    device: Any
    start: int

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def part(self) -> slice:
        """Where they lie in the flat vector."""
        return slice(self.start, self.start + self.size)

    def of(self, flat: Reals) -> Any:
        """The block of a flat vector, as an array of the library and the type that it came from."""
        if self.shape == flat.shape and self.dtype == np.float64 and self.kind == "numpy":
            return flat
        block = flat[self.part].reshape(self.shape)
        if self.kind == "torch":
            torch: Any = sys.modules["torch"]
            return torch.as_tensor(block).to(dtype=self.dtype, device=self.device)
        if self.kind == "jax":
            jax: Any = sys.modules["jax"]
            return jax.numpy.asarray(block, dtype=self.dtype)
        return block if self.dtype == np.float64 else block.astype(self.dtype)


class Layout:
    """How parameters lie in one flat vector of doubles, and back."""

    def __init__(self, theta: Parameters) -> None:
        self._tree, found = _take_apart(theta)
        leaves: list[Leaf] = []
        start = 0
        for name, array in found:
            kind = _kind(array)
            if kind is None:
                raise SettingsError(
                    f"parameter `{name}` is {type(array).__name__}, expected an array of reals"
                )
            shape = tuple(int(extent) for extent in np.shape(array))
            dtype = array.dtype if kind != "numpy" else np.asarray(array).dtype
            if kind == "numpy" and dtype not in (np.float32, np.float16):
                dtype = np.dtype(np.float64)
            leaf = Leaf(name, shape, kind, dtype, getattr(array, "device", None), start)
            leaves.append(leaf)
            start += leaf.size
        if start == 0:
            raise SettingsError(
                "theta has no parameters: expected an array, or a dict or list of arrays"
            )
        self.leaves = leaves
        self.size = start

    def __repr__(self) -> str:
        blocks = ", ".join(f"{leaf.name} {list(leaf.shape)}" for leaf in self.leaves)
        return f"Layout({self.size} parameters: {blocks})"

    @property
    def is_single(self) -> bool:
        """Whether an array has digits of single precision or fewer."""
        return any(not str(leaf.dtype).endswith("float64") for leaf in self.leaves)

    def flatten(self, theta: Parameters, what: str = "theta") -> Reals:
        """All numbers of a structure like the first one, or of a flat array, as one vector of
        doubles.
        """
        if type(theta) is np.ndarray and theta.dtype == np.float64 and theta.shape == (self.size,):
            return theta
        if _kind(theta) is not None and np.shape(theta) == (self.size,):
            return _doubles(theta)
        _, found = _take_apart(theta)
        if len(found) != len(self.leaves):
            raise SettingsError(
                f"{what} has {len(found)} arrays, expected {len(self.leaves)}: "
                + ", ".join(leaf.name for leaf in self.leaves)
            )
        flat = np.empty(self.size)
        for leaf, (name, array) in zip(self.leaves, found, strict=True):
            if np.shape(array) != leaf.shape:
                raise SettingsError(
                    f"{what} has shape {list(np.shape(array))} at `{name}`, "
                    f"expected {list(leaf.shape)} (`{leaf.name}`)"
                )
            flat[leaf.part] = _doubles(array)
        return flat

    def unflatten(self, flat: Reals) -> Parameters:
        """A structure like the first one with the numbers of a flat vector."""
        if self._tree is None:
            return self.leaves[0].of(flat)
        return _put_together(self._tree, iter([leaf.of(flat) for leaf in self.leaves]))

    def blocks(self, flat: Reals) -> dict[str, Reals]:
        """The blocks of a flat vector (or of rows of such) by name, without copies."""
        rows = flat.shape[:-1]
        return {leaf.name: flat[..., leaf.part].reshape(rows + leaf.shape) for leaf in self.leaves}


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

    # What the native part calls: vectors come as bytes.

    def _evaluate(self, theta: bytearray, step: int) -> tuple[float, Reals]:
        return self.evaluate(np.frombuffer(theta), step)

    def _product(self, theta: bytearray, direction: bytearray) -> Reals:
        assert self.product is not None
        return self.product(np.frombuffer(theta), np.frombuffer(direction))

    def _parts(
        self, rates: Mapping[str, float] | None = None
    ) -> list[tuple[str, list[int], float]]:
        """Blocks with their rates, as the native part wants them."""
        rates = dict(rates or {})
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
    model: Model | Callable[..., tuple[Any, Parameters]],
    theta: Parameters | None,
    hvp: Callable[[Parameters, Parameters], Parameters] | None = None,
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


def _kind(array: Any) -> str | None:
    """The library that an array belongs to; none where it is no array of real numbers."""
    if type(array) is np.ndarray:
        return "numpy" if array.dtype.kind in "fiu" else None
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return "torch" if array.is_floating_point() else None
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(array, jax.Array):
        return "jax" if jax.numpy.issubdtype(array.dtype, jax.numpy.floating) else None
    if isinstance(array, (np.ndarray, np.generic, float, int)) and not isinstance(array, bool):
        return "numpy" if np.asarray(array).dtype.kind in "fiu" else None
    return None


def _doubles(array: Any) -> Reals:
    """The numbers of an array in a row."""
    if _kind(array) == "torch":
        array = (
            array.detach().cpu().numpy()
            if array.dtype.itemsize >= 4
            else array.detach().cpu().double().numpy()
        )
    return np.ascontiguousarray(array, dtype=np.float64).ravel()


# A structure is a leaf (None), or the class of a container, its keys and what lies inside.
_Tree: TypeAlias = Any


def _take_apart(theta: Parameters) -> tuple[_Tree, list[tuple[str, Any]]]:
    """The shape of a structure, and its arrays with their names."""
    found: list[tuple[str, Any]] = []

    def walk(name: str, value: Any) -> _Tree:
        inner = (lambda key: f"{name}.{key}") if name else str
        if isinstance(value, Mapping):
            return dict, list(value), [walk(inner(key), item) for key, item in value.items()]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            keys: Sequence[str] = value._fields
            items = [walk(inner(key), item) for key, item in zip(keys, value, strict=True)]
            return type(value), None, items
        if isinstance(value, (list, tuple)):
            items = [walk(inner(place), item) for place, item in enumerate(value)]
            return type(value), None, items
        found.append((name or "theta", value))
        return None

    return walk("", theta), found


def _put_together(tree: _Tree, arrays: Iterator[Any]) -> Any:
    if tree is None:
        return next(arrays)
    kind, keys, inside = tree
    items = [_put_together(one, arrays) for one in inside]
    if kind is dict:
        return dict(zip(keys, items, strict=True))
    return kind(*items) if hasattr(kind, "_fields") else kind(items)
