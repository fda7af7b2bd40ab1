# ruff: noqa
# Written by `python -m saddlescope.stubs` from the declaration of the settings.
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NotRequired, Self, TypedDict, Unpack, overload

from saddlescope.declaration import Parameter
from saddlescope.types import Numbers, Tensor

__all__ = ["Start", "start", "random_start", "aligned_start", "given_start", "simplex_start", "equal_start", "stage_one_start", "zero_start", "uniform_start", "orthogonal_start", "layers_start", "normal_start", "checkpoint_start", "offshoot_start"]

class Start:
    kind: str
    seed: int | None
    settings: dict[str, Any]
    def __init__(self, kind: str, seed: int | None = None, **settings: Any) -> None: ...
    def to_toml(self) -> str: ...

def start(kind: str, *, seed: int | None = None, **settings: Any) -> Start: ...
def kinds() -> dict[str, list[tuple[str, str, tuple[Parameter, ...]]]]: ...

def random_start(
    *,
    scale: float | None = ...,
    spread: float | None = ...,
    noise: float | None = ...,
    value_scale: float | None = ...,
    seed: int | None = None,
) -> Start: ...

def aligned_start(*, value: float | None = ..., seed: int | None = None) -> Start: ...

def given_start(
    *,
    value: Numbers | None = ...,
    key: Tensor | None = ...,
    query: Tensor | None = ...,
    beta: Numbers | None = ...,
    scale: float | None = ...,
    w: Tensor | None = ...,
    noise: float | None = ...,
    p_tilde: float | None = ...,
    p: float | None = ...,
    g: float | None = ...,
    w_q: float | Numbers | None = ...,
    w_k: float | Numbers | None = ...,
    h: float | None = ...,
    z: Tensor | None = ...,
    y: Tensor | None = ...,
    v: Tensor | None = ...,
    s: Tensor | None = ...,
    values: Tensor | None = ...,
    scores: Tensor | None = ...,
    seed: int | None = None,
) -> Start: ...

def simplex_start(
    *,
    size: float | None = ...,
    noise: float | None = ...,
    seed: int | None = None,
) -> Start: ...

def equal_start(
    *,
    scale: float | None = ...,
    noise: float | None = ...,
    seed: int | None = None,
) -> Start: ...

def stage_one_start(
    *,
    scale: float | None = ...,
    noise: float | None = ...,
    seed: int | None = None,
) -> Start: ...

def zero_start(*, noise: float | None = ..., seed: int | None = None) -> Start: ...

def uniform_start(
    *,
    scale: float | None = ...,
    slope: float | None = ...,
    tables: float | None = ...,
    factors: Mapping[str, float] | None = ...,
    seed: int | None = None,
) -> Start: ...

def orthogonal_start(
    *,
    scale: float | None = ...,
    value_scale: float | None = ...,
    seed: int | None = None,
) -> Start: ...

def layers_start(
    *,
    scale: float | None = ...,
    slope: float | None = ...,
    factors: Mapping[str, float] | None = ...,
    tables: float | None = ...,
    seed: int | None = None,
) -> Start: ...

def normal_start(
    *,
    scale: float | None = ...,
    slope: float | None = ...,
    factors: Mapping[str, float] | None = ...,
    tables: float | None = ...,
    seed: int | None = None,
) -> Start: ...

def checkpoint_start(
    *,
    file: str | os.PathLike[str] | None = ...,
    slope: float | None = ...,
    tables: float | None = ...,
    factors: Mapping[str, float] | None = ...,
    seed: int | None = None,
) -> Start: ...

def offshoot_start(*, epsilon: float | None = ..., seed: int | None = None) -> Start: ...
