"""Parameters of any shape as one flat vector of doubles, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from saddlescope.errors import SettingsError

Reals: TypeAlias = npt.NDArray[np.float64]

#: An array of NumPy, PyTorch or JAX, a dict, list or tuple (nested at will) of such arrays, or a
#: module of PyTorch, which stands for the dict of its parameters.
Parameters: TypeAlias = Any


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
        array = array.detach().cpu()
        array = (array if array.dtype.itemsize >= 4 else array.double()).numpy()
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
