# ruff: noqa
# Written by `python -m saddlescope.stubs` from the declaration of the settings.
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NotRequired, Self, TypedDict, Unpack, overload
from typing import dataclass_transform

from saddlescope.types import Numbers, Tensor
from saddlescope.declaration import Parameter

__all__ = ["Start", "start", "random_start", "aligned_start", "saddle_start", "given_start", "specialised_start", "plateau_start", "simplex_start", "equal_start", "stage_one_start", "zero_start", "uniform_start", "orthogonal_start", "layers_start", "normal_start", "checkpoint_start", "offshoot_start"]

class Start:
    kind: str
    seed: int | None
    settings: dict[str, Any]
    def __init__(self, kind: str, seed: int | None = None, **settings: Any) -> None: ...
    def to_toml(self) -> str: ...

def start(kind: str, *, seed: int | None = None, **settings: Any) -> Start: ...
def kinds() -> dict[str, list[tuple[str, str, tuple[Parameter, ...]]]]: ...

class Seeded(TypedDict, total=False):
    seed: int | None

class RandomKeywords(Seeded, total=False):
    key_y: float | None
    noise: float | None
    scale: float | None
    spread: float | None
    value_scale: float | None
    value_x: float | None
    variance: Literal["matrix", "entry"] | None

class AlignedKeywords(Seeded, total=False):
    value: float | None

class SaddleKeywords(Seeded, total=False):
    learned: Numbers | None
    scale: float | None

class GivenKeywords(Seeded, total=False):
    beta: Numbers | None
    g: float | None
    h: float | None
    key: Tensor | None
    noise: float | None
    p: float | None
    p_tilde: float | None
    query: Tensor | None
    s: Tensor | None
    scale: float | None
    scores: Tensor | None
    v: Tensor | None
    value: Numbers | None
    values: Tensor | None
    w: Tensor | None
    w_k: float | Numbers | None
    w_q: float | Numbers | None
    y: Tensor | None
    z: Tensor | None

class SpecialisedKeywords(Seeded, total=False):
    beta: Numbers | None
    lags: Numbers | None
    noise: float | None
    scale: float | None
    weight: float | None

class PlateauKeywords(Seeded, total=False):
    learned: int | None
    noise: float | None
    scale: float | None
    shift: float | None
    strength: float | None
    weight: float | None

class SimplexKeywords(Seeded, total=False):
    noise: float | None
    size: float | None

class EqualKeywords(Seeded, total=False):
    noise: float | None
    scale: float | None

class ZeroKeywords(Seeded, total=False):
    noise: float | None

class UniformKeywords(Seeded, total=False):
    factors: Mapping[str, float] | None
    scale: float | None
    slope: float | None
    tables: float | None

class OrthogonalKeywords(Seeded, total=False):
    scale: float | None
    value_scale: float | None

class CheckpointKeywords(Seeded, total=False):
    factors: Mapping[str, float] | None
    file: str | os.PathLike[str] | None
    slope: float | None
    tables: float | None

class OffshootKeywords(Seeded, total=False):
    epsilon: float | None

def random_start(**settings: Unpack[RandomKeywords]) -> Start: ...
def aligned_start(**settings: Unpack[AlignedKeywords]) -> Start: ...
def saddle_start(**settings: Unpack[SaddleKeywords]) -> Start: ...
def given_start(**settings: Unpack[GivenKeywords]) -> Start: ...
def specialised_start(**settings: Unpack[SpecialisedKeywords]) -> Start: ...
def plateau_start(**settings: Unpack[PlateauKeywords]) -> Start: ...
def simplex_start(**settings: Unpack[SimplexKeywords]) -> Start: ...
def equal_start(**settings: Unpack[EqualKeywords]) -> Start: ...
def stage_one_start(**settings: Unpack[EqualKeywords]) -> Start: ...
def zero_start(**settings: Unpack[ZeroKeywords]) -> Start: ...
def uniform_start(**settings: Unpack[UniformKeywords]) -> Start: ...
def orthogonal_start(**settings: Unpack[OrthogonalKeywords]) -> Start: ...
def layers_start(**settings: Unpack[UniformKeywords]) -> Start: ...
def normal_start(**settings: Unpack[UniformKeywords]) -> Start: ...
def checkpoint_start(**settings: Unpack[CheckpointKeywords]) -> Start: ...
def offshoot_start(**settings: Unpack[OffshootKeywords]) -> Start: ...
