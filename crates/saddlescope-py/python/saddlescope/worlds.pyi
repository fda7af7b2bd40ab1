# ruff: noqa
# Written by `python -m saddlescope.stubs` from the declaration of the settings.
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, overload

from saddlescope.system import System as System
from saddlescope.types import Numbers, Tensor

__all__ = ["System", "LinearAttention", "AssociativeRecall", "NgramToInduction", "ScanAndSnap", "SparseMarkov", "Transformer"]

class LinearAttention(System):
    def __init__(
        self,
        *,
        eigenvalues: Numbers | None = ...,
        eigenvectors: Literal["identity", "random"] | Tensor | None = ...,
        context: int | None = ...,
        lengths: Literal["fixed", "varying"] | None = ...,
        heads: int | None = ...,
        rank: int | None = ...,
        attention: Literal["linear", "softmax", "full"] | None = ...,
        loss: Literal["population", "empirical", "minibatch", "online"] | None = ...,
        sequences: int | None = ...,
        batch: int | None = ...,
        precision: Literal["single", "double"] | None = ...,
        tau: float | None = ...,
    ) -> None: ...
    def but(
        self,
        *,
        eigenvalues: Numbers | None = ...,
        eigenvectors: Literal["identity", "random"] | Tensor | None = ...,
        context: int | None = ...,
        lengths: Literal["fixed", "varying"] | None = ...,
        heads: int | None = ...,
        rank: int | None = ...,
        attention: Literal["linear", "softmax", "full"] | None = ...,
        loss: Literal["population", "empirical", "minibatch", "online"] | None = ...,
        sequences: int | None = ...,
        batch: int | None = ...,
        precision: Literal["single", "double"] | None = ...,
        tau: float | None = ...,
    ) -> Self: ...
    @property
    def eigenvalues(self) -> Numbers | None: ...
    @property
    def eigenvectors(self) -> Literal["identity", "random"] | Tensor | None: ...
    @property
    def context(self) -> int | None: ...
    @property
    def lengths(self) -> Literal["fixed", "varying"] | None: ...
    @property
    def heads(self) -> int | None: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def attention(self) -> Literal["linear", "softmax", "full"] | None: ...
    @property
    def loss(self) -> Literal["population", "empirical", "minibatch", "online"] | None: ...
    @property
    def sequences(self) -> int | None: ...
    @property
    def batch(self) -> int | None: ...
    @property
    def precision(self) -> Literal["single", "double"] | None: ...
    @property
    def tau(self) -> float | None: ...

class AssociativeRecall(System):
    def __init__(
        self,
        *,
        order: int | None = ...,
        responses: int | None = ...,
        heads: int | None = ...,
        gain: float | None = ...,
        objective: Literal["dot-product", "cross-entropy"] | None = ...,
        window: Literal["order", "all"] | None = ...,
        second: Literal["strengths", "matrices"] | None = ...,
        last: Literal["solution", "heads"] | None = ...,
        softmax: Literal["responses", "all"] | None = ...,
        loss: Literal["population", "empirical", "online"] | None = ...,
        sequences: int | None = ...,
        batch: int | None = ...,
    ) -> None: ...
    def but(
        self,
        *,
        order: int | None = ...,
        responses: int | None = ...,
        heads: int | None = ...,
        gain: float | None = ...,
        objective: Literal["dot-product", "cross-entropy"] | None = ...,
        window: Literal["order", "all"] | None = ...,
        second: Literal["strengths", "matrices"] | None = ...,
        last: Literal["solution", "heads"] | None = ...,
        softmax: Literal["responses", "all"] | None = ...,
        loss: Literal["population", "empirical", "online"] | None = ...,
        sequences: int | None = ...,
        batch: int | None = ...,
    ) -> Self: ...
    @property
    def order(self) -> int | None: ...
    @property
    def responses(self) -> int | None: ...
    @property
    def heads(self) -> int | None: ...
    @property
    def gain(self) -> float | None: ...
    @property
    def objective(self) -> Literal["dot-product", "cross-entropy"] | None: ...
    @property
    def window(self) -> Literal["order", "all"] | None: ...
    @property
    def second(self) -> Literal["strengths", "matrices"] | None: ...
    @property
    def last(self) -> Literal["solution", "heads"] | None: ...
    @property
    def softmax(self) -> Literal["responses", "all"] | None: ...
    @property
    def loss(self) -> Literal["population", "empirical", "online"] | None: ...
    @property
    def sequences(self) -> int | None: ...
    @property
    def batch(self) -> int | None: ...

class NgramToInduction(System):
    def __init__(
        self,
        *,
        length: int | None = ...,
        alpha_star: float | None = ...,
        w_star: float | None = ...,
        dimension: int | None = ...,
        tokens: Literal["gaussian", "boolean"] | None = ...,
        attention: Literal["exponential", "softmax"] | None = ...,
        first: Literal["previous", "trained"] | None = ...,
        coupling: Literal["untied", "tied"] | None = ...,
        parts: Literal["both", "4-gram", "induction"] | None = ...,
        reduction: Literal["sum", "mean"] | None = ...,
        model: Literal["parameters", "matrices"] | None = ...,
        loss: Literal["population", "empirical", "online"] | None = ...,
        sequences: int | None = ...,
        batch: int | None = ...,
    ) -> None: ...
    def but(
        self,
        *,
        length: int | None = ...,
        alpha_star: float | None = ...,
        w_star: float | None = ...,
        dimension: int | None = ...,
        tokens: Literal["gaussian", "boolean"] | None = ...,
        attention: Literal["exponential", "softmax"] | None = ...,
        first: Literal["previous", "trained"] | None = ...,
        coupling: Literal["untied", "tied"] | None = ...,
        parts: Literal["both", "4-gram", "induction"] | None = ...,
        reduction: Literal["sum", "mean"] | None = ...,
        model: Literal["parameters", "matrices"] | None = ...,
        loss: Literal["population", "empirical", "online"] | None = ...,
        sequences: int | None = ...,
        batch: int | None = ...,
    ) -> Self: ...
    @property
    def length(self) -> int | None: ...
    @property
    def alpha_star(self) -> float | None: ...
    @property
    def w_star(self) -> float | None: ...
    @property
    def dimension(self) -> int | None: ...
    @property
    def tokens(self) -> Literal["gaussian", "boolean"] | None: ...
    @property
    def attention(self) -> Literal["exponential", "softmax"] | None: ...
    @property
    def first(self) -> Literal["previous", "trained"] | None: ...
    @property
    def coupling(self) -> Literal["untied", "tied"] | None: ...
    @property
    def parts(self) -> Literal["both", "4-gram", "induction"] | None: ...
    @property
    def reduction(self) -> Literal["sum", "mean"] | None: ...
    @property
    def model(self) -> Literal["parameters", "matrices"] | None: ...
    @property
    def loss(self) -> Literal["population", "empirical", "online"] | None: ...
    @property
    def sequences(self) -> int | None: ...
    @property
    def batch(self) -> int | None: ...

class ScanAndSnap(System):
    def __init__(
        self,
        *,
        task: Literal["synthetic", "given"] | None = ...,
        queries: int | None = ...,
        next_per_query: int | None = ...,
        psi: Numbers | None = ...,
        common: int | None = ...,
        common_weight: float | None = ...,
        distinct: int | None = ...,
        distinct_weights: Numbers | None = ...,
        ids: Literal["own", "shared"] | None = ...,
        vocabulary: int | None = ...,
        probabilities: Tensor | None = ...,
        query: Numbers | None = ...,
        next: Numbers | None = ...,
        model: Literal["pairwise", "embedding"] | None = ...,
        dimension: int | None = ...,
        normalised: Literal["weights", "embedding"] | None = ...,
        eta_y: float | None = ...,
        eta_z: float | None = ...,
        outputs: Literal["all", "used"] | None = ...,
        heads: int | None = ...,
        residual: bool | None = ...,
        c0: float | None = ...,
        loss: Literal["population", "empirical", "online"] | None = ...,
        length: int | None = ...,
        contexts: Literal["counts", "tokens"] | None = ...,
        batch: int | None = ...,
        sequences: int | None = ...,
    ) -> None: ...
    def but(
        self,
        *,
        task: Literal["synthetic", "given"] | None = ...,
        queries: int | None = ...,
        next_per_query: int | None = ...,
        psi: Numbers | None = ...,
        common: int | None = ...,
        common_weight: float | None = ...,
        distinct: int | None = ...,
        distinct_weights: Numbers | None = ...,
        ids: Literal["own", "shared"] | None = ...,
        vocabulary: int | None = ...,
        probabilities: Tensor | None = ...,
        query: Numbers | None = ...,
        next: Numbers | None = ...,
        model: Literal["pairwise", "embedding"] | None = ...,
        dimension: int | None = ...,
        normalised: Literal["weights", "embedding"] | None = ...,
        eta_y: float | None = ...,
        eta_z: float | None = ...,
        outputs: Literal["all", "used"] | None = ...,
        heads: int | None = ...,
        residual: bool | None = ...,
        c0: float | None = ...,
        loss: Literal["population", "empirical", "online"] | None = ...,
        length: int | None = ...,
        contexts: Literal["counts", "tokens"] | None = ...,
        batch: int | None = ...,
        sequences: int | None = ...,
    ) -> Self: ...
    @property
    def task(self) -> Literal["synthetic", "given"] | None: ...
    @property
    def queries(self) -> int | None: ...
    @property
    def next_per_query(self) -> int | None: ...
    @property
    def psi(self) -> Numbers | None: ...
    @property
    def common(self) -> int | None: ...
    @property
    def common_weight(self) -> float | None: ...
    @property
    def distinct(self) -> int | None: ...
    @property
    def distinct_weights(self) -> Numbers | None: ...
    @property
    def ids(self) -> Literal["own", "shared"] | None: ...
    @property
    def vocabulary(self) -> int | None: ...
    @property
    def probabilities(self) -> Tensor | None: ...
    @property
    def query(self) -> Numbers | None: ...
    @property
    def next(self) -> Numbers | None: ...
    @property
    def model(self) -> Literal["pairwise", "embedding"] | None: ...
    @property
    def dimension(self) -> int | None: ...
    @property
    def normalised(self) -> Literal["weights", "embedding"] | None: ...
    @property
    def eta_y(self) -> float | None: ...
    @property
    def eta_z(self) -> float | None: ...
    @property
    def outputs(self) -> Literal["all", "used"] | None: ...
    @property
    def heads(self) -> int | None: ...
    @property
    def residual(self) -> bool | None: ...
    @property
    def c0(self) -> float | None: ...
    @property
    def loss(self) -> Literal["population", "empirical", "online"] | None: ...
    @property
    def length(self) -> int | None: ...
    @property
    def contexts(self) -> Literal["counts", "tokens"] | None: ...
    @property
    def batch(self) -> int | None: ...
    @property
    def sequences(self) -> int | None: ...

class SparseMarkov(System):
    def __init__(
        self,
        *,
        model: Literal["regression", "minimal", "transformer"] | None = ...,
        heads: int | None = ...,
        features: int | None = ...,
        ratio: float | None = ...,
        base: float | None = ...,
        strengths: Numbers | None = ...,
        matrices: Tensor | None = ...,
        data_seed: int | None = ...,
        positions: int | None = ...,
        places: Numbers | None = ...,
        coordinates: Literal["features", "matrices"] | None = ...,
        dimension: int | None = ...,
        vocabulary: int | None = ...,
        length: int | None = ...,
        group_size: int | None = ...,
        groups: Sequence[Numbers] | None = ...,
        alpha: Sequence[Numbers] | None = ...,
        order: int | None = ...,
        layers: int | None = ...,
        window: int | None = ...,
        loss: Literal["empirical", "online"] | None = ...,
        sequences: int | None = ...,
        batch: int | None = ...,
        test_sequences: int | None = ...,
        precision: Literal["single", "double"] | None = ...,
        contexts: Numbers | None = ...,
        context_steps: int | None = ...,
        context_rate: float | None = ...,
        width: int | None = ...,
        blocks: int | None = ...,
        feedforward: int | None = ...,
        activation: Literal["gelu", "relu"] | None = ...,
        norm: Literal["before", "after", "none"] | None = ...,
        encoding: Literal["learned", "sinusoidal", "alibi", "none"] | None = ...,
        dropout: float | None = ...,
        embedding_factor: Literal["one", "root"] | None = ...,
        tied: bool | None = ...,
        biases: bool | None = ...,
    ) -> None: ...
    def but(
        self,
        *,
        model: Literal["regression", "minimal", "transformer"] | None = ...,
        heads: int | None = ...,
        features: int | None = ...,
        ratio: float | None = ...,
        base: float | None = ...,
        strengths: Numbers | None = ...,
        matrices: Tensor | None = ...,
        data_seed: int | None = ...,
        positions: int | None = ...,
        places: Numbers | None = ...,
        coordinates: Literal["features", "matrices"] | None = ...,
        dimension: int | None = ...,
        vocabulary: int | None = ...,
        length: int | None = ...,
        group_size: int | None = ...,
        groups: Sequence[Numbers] | None = ...,
        alpha: Sequence[Numbers] | None = ...,
        order: int | None = ...,
        layers: int | None = ...,
        window: int | None = ...,
        loss: Literal["empirical", "online"] | None = ...,
        sequences: int | None = ...,
        batch: int | None = ...,
        test_sequences: int | None = ...,
        precision: Literal["single", "double"] | None = ...,
        contexts: Numbers | None = ...,
        context_steps: int | None = ...,
        context_rate: float | None = ...,
        width: int | None = ...,
        blocks: int | None = ...,
        feedforward: int | None = ...,
        activation: Literal["gelu", "relu"] | None = ...,
        norm: Literal["before", "after", "none"] | None = ...,
        encoding: Literal["learned", "sinusoidal", "alibi", "none"] | None = ...,
        dropout: float | None = ...,
        embedding_factor: Literal["one", "root"] | None = ...,
        tied: bool | None = ...,
        biases: bool | None = ...,
    ) -> Self: ...
    @property
    def model(self) -> Literal["regression", "minimal", "transformer"] | None: ...
    @property
    def heads(self) -> int | None: ...
    @property
    def features(self) -> int | None: ...
    @property
    def ratio(self) -> float | None: ...
    @property
    def base(self) -> float | None: ...
    @property
    def strengths(self) -> Numbers | None: ...
    @property
    def matrices(self) -> Tensor | None: ...
    @property
    def data_seed(self) -> int | None: ...
    @property
    def positions(self) -> int | None: ...
    @property
    def places(self) -> Numbers | None: ...
    @property
    def coordinates(self) -> Literal["features", "matrices"] | None: ...
    @property
    def dimension(self) -> int | None: ...
    @property
    def vocabulary(self) -> int | None: ...
    @property
    def length(self) -> int | None: ...
    @property
    def group_size(self) -> int | None: ...
    @property
    def groups(self) -> Sequence[Numbers] | None: ...
    @property
    def alpha(self) -> Sequence[Numbers] | None: ...
    @property
    def order(self) -> int | None: ...
    @property
    def layers(self) -> int | None: ...
    @property
    def window(self) -> int | None: ...
    @property
    def loss(self) -> Literal["empirical", "online"] | None: ...
    @property
    def sequences(self) -> int | None: ...
    @property
    def batch(self) -> int | None: ...
    @property
    def test_sequences(self) -> int | None: ...
    @property
    def precision(self) -> Literal["single", "double"] | None: ...
    @property
    def contexts(self) -> Numbers | None: ...
    @property
    def context_steps(self) -> int | None: ...
    @property
    def context_rate(self) -> float | None: ...
    @property
    def width(self) -> int | None: ...
    @property
    def blocks(self) -> int | None: ...
    @property
    def feedforward(self) -> int | None: ...
    @property
    def activation(self) -> Literal["gelu", "relu"] | None: ...
    @property
    def norm(self) -> Literal["before", "after", "none"] | None: ...
    @property
    def encoding(self) -> Literal["learned", "sinusoidal", "alibi", "none"] | None: ...
    @property
    def dropout(self) -> float | None: ...
    @property
    def embedding_factor(self) -> Literal["one", "root"] | None: ...
    @property
    def tied(self) -> bool | None: ...
    @property
    def biases(self) -> bool | None: ...

class Transformer(System):
    def __init__(
        self,
        *,
        train: str | os.PathLike[str] | None = ...,
        valid: str | os.PathLike[str] | None = ...,
        tokens: Literal["words", "basic-english"] | None = ...,
        vocabulary: int | None = ...,
        length: int | None = ...,
        batch: int | None = ...,
        order: Literal["shuffled", "streams"] | None = ...,
        valid_sequences: int | None = ...,
        heads: int | None = ...,
        skip: int | None = ...,
        maps: int | None = ...,
        precision: Literal["single", "double"] | None = ...,
        width: int | None = ...,
        blocks: int | None = ...,
        feedforward: int | None = ...,
        activation: Literal["gelu", "relu"] | None = ...,
        norm: Literal["before", "after", "none"] | None = ...,
        encoding: Literal["learned", "sinusoidal", "alibi", "none"] | None = ...,
        dropout: float | None = ...,
        embedding_factor: Literal["one", "root"] | None = ...,
        tied: bool | None = ...,
        biases: bool | None = ...,
    ) -> None: ...
    def but(
        self,
        *,
        train: str | os.PathLike[str] | None = ...,
        valid: str | os.PathLike[str] | None = ...,
        tokens: Literal["words", "basic-english"] | None = ...,
        vocabulary: int | None = ...,
        length: int | None = ...,
        batch: int | None = ...,
        order: Literal["shuffled", "streams"] | None = ...,
        valid_sequences: int | None = ...,
        heads: int | None = ...,
        skip: int | None = ...,
        maps: int | None = ...,
        precision: Literal["single", "double"] | None = ...,
        width: int | None = ...,
        blocks: int | None = ...,
        feedforward: int | None = ...,
        activation: Literal["gelu", "relu"] | None = ...,
        norm: Literal["before", "after", "none"] | None = ...,
        encoding: Literal["learned", "sinusoidal", "alibi", "none"] | None = ...,
        dropout: float | None = ...,
        embedding_factor: Literal["one", "root"] | None = ...,
        tied: bool | None = ...,
        biases: bool | None = ...,
    ) -> Self: ...
    @property
    def valid(self) -> str | os.PathLike[str] | None: ...
    @property
    def tokens(self) -> Literal["words", "basic-english"] | None: ...
    @property
    def vocabulary(self) -> int | None: ...
    @property
    def length(self) -> int | None: ...
    @property
    def batch(self) -> int | None: ...
    @property
    def order(self) -> Literal["shuffled", "streams"] | None: ...
    @property
    def valid_sequences(self) -> int | None: ...
    @property
    def heads(self) -> int | None: ...
    @property
    def skip(self) -> int | None: ...
    @property
    def maps(self) -> int | None: ...
    @property
    def precision(self) -> Literal["single", "double"] | None: ...
    @property
    def width(self) -> int | None: ...
    @property
    def blocks(self) -> int | None: ...
    @property
    def feedforward(self) -> int | None: ...
    @property
    def activation(self) -> Literal["gelu", "relu"] | None: ...
    @property
    def norm(self) -> Literal["before", "after", "none"] | None: ...
    @property
    def encoding(self) -> Literal["learned", "sinusoidal", "alibi", "none"] | None: ...
    @property
    def dropout(self) -> float | None: ...
    @property
    def embedding_factor(self) -> Literal["one", "root"] | None: ...
    @property
    def tied(self) -> bool | None: ...
    @property
    def biases(self) -> bool | None: ...
