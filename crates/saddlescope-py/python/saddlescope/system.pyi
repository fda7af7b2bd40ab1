# ruff: noqa
# Written by `python -m saddlescope.stubs` from the declaration of the settings.
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, Self, TypedDict, Unpack, overload

from saddlescope.declaration import SystemSchema
from saddlescope.dynamics import FlowKeywords, Stage, StepKeywords
from saddlescope.progress import Progress
from saddlescope.one_run import Run
from saddlescope.runs import Runs
from saddlescope.starts import Start
from saddlescope.tables import Table
from saddlescope.types import Numbers, Tensor

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
    out: str | os.PathLike[str] | None
    force: bool
    name: str | None
    progress: Progress

class FlowRunKeywords(FlowKeywords, RunKeywords, total=False):
    pass

class TrainKeywords(StepKeywords, RunKeywords, total=False):
    lr: float | None
    loss: str | None
    batch: int | None
    sequences: int | None
    precision: Literal["single", "double"] | None

class System:
    name: ClassVar[str]
    schema: ClassVar[SystemSchema]
    settings: dict[str, Any]
    @overload
    def flow(
        self,
        *,
        seeds: None = None, vary: None = None,
        **keywords: Unpack[FlowRunKeywords],
    ) -> Run: ...
    @overload
    def flow(
        self,
        *,
        seeds: int | Iterable[int], vary: Mapping[str, Any] | None = None,
        **keywords: Unpack[FlowRunKeywords],
    ) -> Runs: ...
    @overload
    def flow(
        self,
        *,
        seeds: None = None, vary: Mapping[str, Any],
        **keywords: Unpack[FlowRunKeywords],
    ) -> Runs: ...
    @overload
    def reduced(
        self, theory: str | None = None,
        *,
        seeds: None = None, vary: None = None,
        **keywords: Unpack[FlowRunKeywords],
    ) -> Run: ...
    @overload
    def reduced(
        self, theory: str | None = None,
        *,
        seeds: int | Iterable[int], vary: Mapping[str, Any] | None = None,
        **keywords: Unpack[FlowRunKeywords],
    ) -> Runs: ...
    @overload
    def reduced(
        self, theory: str | None = None,
        *,
        seeds: None = None, vary: Mapping[str, Any],
        **keywords: Unpack[FlowRunKeywords],
    ) -> Runs: ...
    @overload
    def train(
        self, optimiser: Stage,
        *,
        seeds: None = None, vary: None = None,
        **keywords: Unpack[TrainKeywords],
    ) -> Run: ...
    @overload
    def train(
        self, optimiser: Stage,
        *,
        seeds: int | Iterable[int], vary: Mapping[str, Any] | None = None,
        **keywords: Unpack[TrainKeywords],
    ) -> Runs: ...
    @overload
    def train(
        self, optimiser: Stage,
        *,
        seeds: None = None, vary: Mapping[str, Any],
        **keywords: Unpack[TrainKeywords],
    ) -> Runs: ...
    @overload
    def run(
        self, stages: Stage | Sequence[Stage],
        *,
        seeds: None = None, vary: None = None,
        **keywords: Unpack[RunKeywords],
    ) -> Run: ...
    @overload
    def run(
        self, stages: Stage | Sequence[Stage],
        *,
        seeds: int | Iterable[int], vary: Mapping[str, Any] | None = None,
        **keywords: Unpack[RunKeywords],
    ) -> Runs: ...
    @overload
    def run(
        self, stages: Stage | Sequence[Stage],
        *,
        seeds: None = None, vary: Mapping[str, Any],
        **keywords: Unpack[RunKeywords],
    ) -> Runs: ...
    def observables(self, start: Start | None = None, seed: int = 0) -> Table: ...
    def to_toml(
        self, stages: Stage | Sequence[Stage] | None = None, **keywords: Any
    ) -> str: ...
