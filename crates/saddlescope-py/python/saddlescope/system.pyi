# ruff: noqa
# Written by `python -m saddlescope.stubs` from the declaration of the settings.
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NotRequired, Self, TypedDict, Unpack, overload
from typing import dataclass_transform

from saddlescope.types import Numbers, Tensor
from saddlescope.declaration import SystemSchema
from saddlescope.dynamics import FlowKeywords, Stage, StepKeywords
from saddlescope.progress import Progress
from saddlescope.one_run import Run
from saddlescope.runs import Runs
from saddlescope.starts import Start
from saddlescope.tables import Table

__all__ = ["System"]

_SAMPLING: tuple[str, ...]

class RunKeywords(TypedDict, total=False):
    sampling: Literal["adaptive", "log", "linear", "listed", "every"] | None
    points: int | None
    first: float | None
    times: Numbers | None
    stride: int | None
    observables: Sequence[str] | None
    crossings: Literal["theory"] | Numbers | None
    snapshots: Numbers | None
    start: Start | None
    seed: int | None
    evaluate: Sequence[Mapping[str, Any]] | None
    out: str | os.PathLike[str] | None
    force: bool
    name: str | None
    progress: Progress

class TrainKeywords(StepKeywords, RunKeywords, total=False):
    lr: float | None
    loss: str | None
    batch: int | None
    sequences: int | None
    precision: Literal["single", "double"] | None

class OneRun(RunKeywords):
    seeds: NotRequired[None]
    vary: NotRequired[None]

class OneFlow(FlowKeywords, OneRun): ...
class OneTrain(TrainKeywords, OneRun): ...

class SeedsRun(RunKeywords):
    seeds: int | Iterable[int]
    vary: NotRequired[Mapping[str, Any] | None]

class SeedsFlow(FlowKeywords, SeedsRun): ...
class SeedsTrain(TrainKeywords, SeedsRun): ...

class VariedRun(RunKeywords):
    seeds: NotRequired[None]
    vary: Mapping[str, Any]

class VariedFlow(FlowKeywords, VariedRun): ...
class VariedTrain(TrainKeywords, VariedRun): ...

def setting(*, alias: str) -> Any: ...

@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(setting,)
)
class System:
    name: ClassVar[str]
    schema: ClassVar[SystemSchema]
    settings: dict[str, Any]
    @property
    def but(self) -> type[Self]: ...
    @overload
    def flow(self, **keywords: Unpack[OneFlow]) -> Run: ...
    @overload
    def flow(self, **keywords: Unpack[SeedsFlow]) -> Runs: ...
    @overload
    def flow(self, **keywords: Unpack[VariedFlow]) -> Runs: ...
    @overload
    def reduced(self, theory: str | None = None, **keywords: Unpack[OneFlow]) -> Run: ...
    @overload
    def reduced(self, theory: str | None = None, **keywords: Unpack[SeedsFlow]) -> Runs: ...
    @overload
    def reduced(self, theory: str | None = None, **keywords: Unpack[VariedFlow]) -> Runs: ...
    @overload
    def train(self, optimiser: Stage, **keywords: Unpack[OneTrain]) -> Run: ...
    @overload
    def train(self, optimiser: Stage, **keywords: Unpack[SeedsTrain]) -> Runs: ...
    @overload
    def train(self, optimiser: Stage, **keywords: Unpack[VariedTrain]) -> Runs: ...
    @overload
    def run(self, stages: Stage | Sequence[Stage], **keywords: Unpack[OneRun]) -> Run: ...
    @overload
    def run(self, stages: Stage | Sequence[Stage], **keywords: Unpack[SeedsRun]) -> Runs: ...
    @overload
    def run(self, stages: Stage | Sequence[Stage], **keywords: Unpack[VariedRun]) -> Runs: ...
    def observables(self, start: Start | None = None, seed: int = 0) -> Table: ...
    def to_toml(
        self, stages: Stage | Sequence[Stage] | None = None, **keywords: Any
    ) -> str: ...
