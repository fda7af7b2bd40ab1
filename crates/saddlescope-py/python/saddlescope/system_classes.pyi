# ruff: noqa
# Written by `python -m saddlescope.stubs` from the declaration of the settings.
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, Self, TypedDict, Unpack, overload

from saddlescope.system import System as System
from saddlescope.types import Numbers, Tensor

__all__ = ["System", "LinearAttention", "AssociativeRecall", "NgramToInduction", "ScanAndSnap", "SparseMarkov", "Transformer"]

class LinearAttentionKeywords(TypedDict, total=False):
    eigenvalues: Numbers | None
    eigenvectors: Literal["identity", "random"] | Tensor | None
    context: int | None
    lengths: Literal["fixed", "varying"] | None
    heads: int | None
    rank: int | None
    attention: Literal["linear", "softmax", "full"] | None
    loss: Literal["population", "empirical", "minibatch", "online"] | None
    sequences: int | None
    batch: int | None
    precision: Literal["single", "double"] | None
    tau: float | None

class LinearAttention(System):
    def __init__(self, **settings: Unpack[LinearAttentionKeywords]) -> None: ...
    def but(self, **settings: Unpack[LinearAttentionKeywords]) -> Self: ...
    eigenvalues: Final[Numbers | None]
    eigenvectors: Final[Literal["identity", "random"] | Tensor | None]
    context: Final[int | None]
    lengths: Final[Literal["fixed", "varying"] | None]
    heads: Final[int | None]
    rank: Final[int | None]
    attention: Final[Literal["linear", "softmax", "full"] | None]
    loss: Final[Literal["population", "empirical", "minibatch", "online"] | None]
    sequences: Final[int | None]
    batch: Final[int | None]
    precision: Final[Literal["single", "double"] | None]
    tau: Final[float | None]

class AssociativeRecallKeywords(TypedDict, total=False):
    order: int | None
    responses: int | None
    heads: int | None
    gain: float | None
    objective: Literal["dot-product", "cross-entropy"] | None
    window: Literal["order", "all"] | None
    second: Literal["strengths", "matrices"] | None
    last: Literal["solution", "heads"] | None
    softmax: Literal["responses", "all"] | None
    loss: Literal["population", "empirical", "online"] | None
    sequences: int | None
    batch: int | None

class AssociativeRecall(System):
    def __init__(self, **settings: Unpack[AssociativeRecallKeywords]) -> None: ...
    def but(self, **settings: Unpack[AssociativeRecallKeywords]) -> Self: ...
    order: Final[int | None]
    responses: Final[int | None]
    heads: Final[int | None]
    gain: Final[float | None]
    objective: Final[Literal["dot-product", "cross-entropy"] | None]
    window: Final[Literal["order", "all"] | None]
    second: Final[Literal["strengths", "matrices"] | None]
    last: Final[Literal["solution", "heads"] | None]
    softmax: Final[Literal["responses", "all"] | None]
    loss: Final[Literal["population", "empirical", "online"] | None]
    sequences: Final[int | None]
    batch: Final[int | None]

class NgramToInductionKeywords(TypedDict, total=False):
    length: int | None
    alpha_star: float | None
    w_star: float | None
    dimension: int | None
    tokens: Literal["gaussian", "boolean"] | None
    attention: Literal["exponential", "softmax"] | None
    first: Literal["previous", "trained"] | None
    coupling: Literal["untied", "tied"] | None
    parts: Literal["both", "4-gram", "induction"] | None
    reduction: Literal["sum", "mean"] | None
    model: Literal["parameters", "matrices"] | None
    loss: Literal["population", "empirical", "online"] | None
    sequences: int | None
    batch: int | None

class NgramToInduction(System):
    def __init__(self, **settings: Unpack[NgramToInductionKeywords]) -> None: ...
    def but(self, **settings: Unpack[NgramToInductionKeywords]) -> Self: ...
    length: Final[int | None]
    alpha_star: Final[float | None]
    w_star: Final[float | None]
    dimension: Final[int | None]
    tokens: Final[Literal["gaussian", "boolean"] | None]
    attention: Final[Literal["exponential", "softmax"] | None]
    first: Final[Literal["previous", "trained"] | None]
    coupling: Final[Literal["untied", "tied"] | None]
    parts: Final[Literal["both", "4-gram", "induction"] | None]
    reduction: Final[Literal["sum", "mean"] | None]
    model: Final[Literal["parameters", "matrices"] | None]
    loss: Final[Literal["population", "empirical", "online"] | None]
    sequences: Final[int | None]
    batch: Final[int | None]

class ScanAndSnapKeywords(TypedDict, total=False):
    task: Literal["synthetic", "given"] | None
    queries: int | None
    next_per_query: int | None
    psi: Numbers | None
    common: int | None
    common_weight: float | None
    distinct: int | None
    distinct_weights: Numbers | None
    ids: Literal["own", "shared"] | None
    vocabulary: int | None
    probabilities: Tensor | None
    query: Numbers | None
    next: Numbers | None
    model: Literal["pairwise", "embedding"] | None
    dimension: int | None
    normalised: Literal["weights", "embedding"] | None
    eta_y: float | None
    eta_z: float | None
    outputs: Literal["all", "used"] | None
    heads: int | None
    residual: bool | None
    c0: float | None
    loss: Literal["population", "empirical", "online"] | None
    length: int | None
    batch: int | None
    sequences: int | None

class ScanAndSnap(System):
    def __init__(self, **settings: Unpack[ScanAndSnapKeywords]) -> None: ...
    def but(self, **settings: Unpack[ScanAndSnapKeywords]) -> Self: ...
    task: Final[Literal["synthetic", "given"] | None]
    queries: Final[int | None]
    next_per_query: Final[int | None]
    psi: Final[Numbers | None]
    common: Final[int | None]
    common_weight: Final[float | None]
    distinct: Final[int | None]
    distinct_weights: Final[Numbers | None]
    ids: Final[Literal["own", "shared"] | None]
    vocabulary: Final[int | None]
    probabilities: Final[Tensor | None]
    query: Final[Numbers | None]
    next: Final[Numbers | None]
    model: Final[Literal["pairwise", "embedding"] | None]
    dimension: Final[int | None]
    normalised: Final[Literal["weights", "embedding"] | None]
    eta_y: Final[float | None]
    eta_z: Final[float | None]
    outputs: Final[Literal["all", "used"] | None]
    heads: Final[int | None]
    residual: Final[bool | None]
    c0: Final[float | None]
    loss: Final[Literal["population", "empirical", "online"] | None]
    length: Final[int | None]
    batch: Final[int | None]
    sequences: Final[int | None]

class SparseMarkovKeywords(TypedDict, total=False):
    model: Literal["regression", "minimal", "transformer"] | None
    heads: int | None
    features: int | None
    ratio: float | None
    base: float | None
    strengths: Numbers | None
    matrices: Tensor | None
    data_seed: int | None
    positions: int | None
    places: Numbers | None
    vocabulary: int | None
    length: int | None
    group_size: int | None
    groups: Sequence[Numbers] | None
    alpha: Sequence[Numbers] | None
    order: int | None
    layers: int | None
    window: int | None
    loss: Literal["empirical", "online"] | None
    sequences: int | None
    batch: int | None
    test_sequences: int | None
    precision: Literal["single", "double"] | None
    contexts: Numbers | None
    context_steps: int | None
    context_rate: float | None
    width: int | None
    blocks: int | None
    feedforward: int | None
    activation: Literal["gelu", "relu"] | None
    norm: Literal["before", "after", "none"] | None
    encoding: Literal["learned", "sinusoidal", "alibi", "none"] | None
    dropout: float | None
    embedding_factor: Literal["one", "root"] | None
    tied: bool | None
    biases: bool | None

class SparseMarkov(System):
    def __init__(self, **settings: Unpack[SparseMarkovKeywords]) -> None: ...
    def but(self, **settings: Unpack[SparseMarkovKeywords]) -> Self: ...
    model: Final[Literal["regression", "minimal", "transformer"] | None]
    heads: Final[int | None]
    features: Final[int | None]
    ratio: Final[float | None]
    base: Final[float | None]
    strengths: Final[Numbers | None]
    matrices: Final[Tensor | None]
    data_seed: Final[int | None]
    positions: Final[int | None]
    places: Final[Numbers | None]
    vocabulary: Final[int | None]
    length: Final[int | None]
    group_size: Final[int | None]
    groups: Final[Sequence[Numbers] | None]
    alpha: Final[Sequence[Numbers] | None]
    order: Final[int | None]
    layers: Final[int | None]
    window: Final[int | None]
    loss: Final[Literal["empirical", "online"] | None]
    sequences: Final[int | None]
    batch: Final[int | None]
    test_sequences: Final[int | None]
    precision: Final[Literal["single", "double"] | None]
    contexts: Final[Numbers | None]
    context_steps: Final[int | None]
    context_rate: Final[float | None]
    width: Final[int | None]
    blocks: Final[int | None]
    feedforward: Final[int | None]
    activation: Final[Literal["gelu", "relu"] | None]
    norm: Final[Literal["before", "after", "none"] | None]
    encoding: Final[Literal["learned", "sinusoidal", "alibi", "none"] | None]
    dropout: Final[float | None]
    embedding_factor: Final[Literal["one", "root"] | None]
    tied: Final[bool | None]
    biases: Final[bool | None]

class TransformerKeywords(TypedDict, total=False):
    train: str | os.PathLike[str] | None
    valid: str | os.PathLike[str] | None
    tokens: Literal["words", "basic-english"] | None
    vocabulary: int | None
    length: int | None
    batch: int | None
    order: Literal["shuffled", "streams"] | None
    valid_sequences: int | None
    heads: int | None
    skip: int | None
    maps: int | None
    precision: Literal["single", "double"] | None
    width: int | None
    blocks: int | None
    feedforward: int | None
    activation: Literal["gelu", "relu"] | None
    norm: Literal["before", "after", "none"] | None
    encoding: Literal["learned", "sinusoidal", "alibi", "none"] | None
    dropout: float | None
    embedding_factor: Literal["one", "root"] | None
    tied: bool | None
    biases: bool | None

class Transformer(System):
    def __init__(self, **settings: Unpack[TransformerKeywords]) -> None: ...
    def but(self, **settings: Unpack[TransformerKeywords]) -> Self: ...
    valid: Final[str | os.PathLike[str] | None]
    tokens: Final[Literal["words", "basic-english"] | None]
    vocabulary: Final[int | None]
    length: Final[int | None]
    batch: Final[int | None]
    order: Final[Literal["shuffled", "streams"] | None]
    valid_sequences: Final[int | None]
    heads: Final[int | None]
    skip: Final[int | None]
    maps: Final[int | None]
    precision: Final[Literal["single", "double"] | None]
    width: Final[int | None]
    blocks: Final[int | None]
    feedforward: Final[int | None]
    activation: Final[Literal["gelu", "relu"] | None]
    norm: Final[Literal["before", "after", "none"] | None]
    encoding: Final[Literal["learned", "sinusoidal", "alibi", "none"] | None]
    dropout: Final[float | None]
    embedding_factor: Final[Literal["one", "root"] | None]
    tied: Final[bool | None]
    biases: Final[bool | None]
