"""Types of settings."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

Numbers: TypeAlias = Sequence[float] | NDArray[Any]
"""A list of numbers, or a vector."""

Tensor: TypeAlias = Sequence[Any] | NDArray[Any]
"""Numbers in lists of equally long lists, or an array."""
