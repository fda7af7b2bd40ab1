# ruff: noqa
# Written by `python -m saddlescope.stubs` from the declaration of the settings.
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NotRequired, Self, TypedDict, Unpack, overload
from typing import dataclass_transform

from saddlescope.types import Numbers, Tensor
from saddlescope.declaration import Parameter

__all__ = ["Adam", "AdamW", "Flow", "GD", "Momentum", "Nesterov", "Reduced", "SGD", "Stage"]

class Stage:
    kind: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    fixed: ClassVar[Mapping[str, Any]]
    settings: dict[str, Any]
    @classmethod
    def _known(cls) -> list[str]: ...
    def but(self, **settings: Any) -> Self: ...
    def to_toml(self, header: str = ...) -> str: ...

class FlowKeywords(TypedDict, total=False):
    method: Literal["auto", "dop853", "radau", "bdf"] | None
    rtol: float | None
    atol: float | None
    until: float | Literal["converged"] | None
    max_steps: int | None
    freeze: Sequence[str] | None
    rates: Mapping[str, float] | None
    stop_below_loss: float | None
    stop_below_gradient: float | None
    stop_converged: bool | None
    stop_parameter: str | os.PathLike[str] | None
    stop_value: float | None
    stop_on: str | os.PathLike[str] | None
    stop_every: int | None
    stop_patience: int | None
    stop_threshold: float | None

class StepKeywords(TypedDict, total=False):
    rate: float | None
    steps: int | None
    schedule: Literal["constant", "cosine", "plateau"] | None
    schedule_floor: float | None
    schedule_factor: float | None
    schedule_patience: int | None
    schedule_threshold: float | None
    schedule_minimum: float | None
    clip: float | None
    freeze: Sequence[str] | None
    rates: Mapping[str, float] | None
    stop_below_loss: float | None
    stop_below_gradient: float | None
    stop_converged: bool | None
    stop_parameter: str | os.PathLike[str] | None
    stop_value: float | None
    stop_on: str | os.PathLike[str] | None
    stop_every: int | None
    stop_patience: int | None
    stop_threshold: float | None

class GD(Stage):
    def __init__(self, lr: float | None = None, **settings: Unpack[StepKeywords]) -> None: ...

class SGD(Stage):
    def __init__(self, lr: float | None = None, **settings: Unpack[StepKeywords]) -> None: ...

class Adam(Stage):
    def __init__(
        self, lr: float | None = None,
        *,
        beta1: float | None = ...,
        beta2: float | None = ...,
        epsilon: float | None = ...,
        **settings: Unpack[StepKeywords],
    ) -> None: ...

class AdamW(Stage):
    def __init__(
        self, lr: float | None = None,
        *,
        beta1: float | None = ...,
        beta2: float | None = ...,
        epsilon: float | None = ...,
        weight_decay: float | None = ...,
        **settings: Unpack[StepKeywords],
    ) -> None: ...

class Flow(Stage):
    def __init__(self, **settings: Unpack[FlowKeywords]) -> None: ...

class Momentum(Stage):
    def __init__(
        self, lr: float | None = None,
        *,
        momentum: float | None = ...,
        dampening: float | None = ...,
        **settings: Unpack[StepKeywords],
    ) -> None: ...

class Nesterov(Stage):
    def __init__(
        self, lr: float | None = None,
        *,
        momentum: float | None = ...,
        **settings: Unpack[StepKeywords],
    ) -> None: ...

class Reduced(Stage):
    def __init__(
        self,
        *,
        theory: str | os.PathLike[str] | None = ...,
        **settings: Unpack[FlowKeywords],
    ) -> None: ...
