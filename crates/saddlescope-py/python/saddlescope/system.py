"""A system: one paper's setting with its parameters, ready to flow and to be trained."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from saddlescope import _native, toml
from saddlescope.declaration import Kind, SystemSchema, declared
from saddlescope.dynamics import SGD, Flow, Reduced, Stage
from saddlescope.errors import SettingsError
from saddlescope.execute import Options, execute
from saddlescope.keywords import describe, refuse_unknown, signature
from saddlescope.one_run import Run
from saddlescope.recorded import fits
from saddlescope.runs import Runs
from saddlescope.starts import Start
from saddlescope.tables import Table

__all__ = ["System"]

_SAMPLING = ("loss", "batch", "sequences", "precision")
"""Settings of systems that say what a step of training sees: keywords of :meth:`System.train`, too.
"""


class System:
    """One paper's setting. Its settings are keywords, each with the name, default and checks of the
    experiment file.
    """

    name: ClassVar[str]
    schema: ClassVar[SystemSchema]

    def __init__(self, **settings: Any) -> None:
        refuse_unknown(settings, self._known(), type(self).__name__)
        self.settings = {name: value for name, value in settings.items() if value is not None}
        # Wrong values are refused here, not when something runs.
        _native.Plan(self._title(), self._toml())

    @classmethod
    def _known(cls) -> list[str]:
        return [parameter.name for parameter in cls.schema.system.parameters]

    def _title(self) -> str:
        return f"{type(self).__name__}(...)"

    def _toml(self) -> str:
        return toml.section("[system]", {"name": self.name, **self.settings})

    def __getattr__(self, name: str) -> Any:
        for parameter in type(self).schema.system.parameters:
            if parameter.name == name:
                return self.settings.get(name, parameter.default)
        raise AttributeError(f"{type(self).__name__} has no setting and no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._toml() == getattr(other, "_toml")()  # noqa: B009

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__name__}({settings})"

    def but(self, **settings: Any) -> Self:
        """The same system with other settings; ``None`` goes back to the default."""
        return type(self)(**{**self.settings, **settings})

    def flow(self, **keywords: Any) -> Run | Runs:
        """Run the exact gradient flow, integrated with controlled error."""
        return self._run(Flow, {}, keywords, "flow")

    def reduced(self, theory: str | None = None, **keywords: Any) -> Run | Runs:
        """Run a reduced theory of the system in its place; its first one when none is named."""
        return self._run(Reduced, {"theory": theory}, keywords, "reduced")

    def train(self, optimiser: Stage, **keywords: Any) -> Run | Runs:
        """Train with an optimiser: ``system.train(ss.Adam(lr=1e-3), steps=20_000, batch=1000)``.

        What a step sees (``loss``, ``batch``, ``sequences``, ``precision``) may be given here as
        well; a ``batch`` for a loss that draws none asks for fresh sequences in each step
        (``loss="online"``).
        """
        if not isinstance(optimiser, Stage):
            raise TypeError(
                f"`optimiser` is {optimiser!r}, but must be one such as ss.Adam(lr=1e-3)"
            )
        own = {name: keywords.pop(name) for name in _SAMPLING if name in keywords}
        refuse_unknown(own, self._known(), type(self).__name__)
        system = self.but(**self._sampled(own)) if own else self
        return system._run(type(optimiser), optimiser.settings, keywords, "train")

    def run(self, stages: Stage | Sequence[Stage], **keywords: Any) -> Run | Runs:
        """Run several stages one after the other: ``system.run([ss.Flow(until=50), ss.Adam(lr=1e-3,
        steps=100)])``.
        """
        stages = [stages] if isinstance(stages, Stage) else list(stages)
        known = [*_RECORD, *_OPTIONS]
        refuse_unknown(keywords, known, f"{type(self).__name__}.run")
        return self._go(stages, keywords)

    def observables(self, start: Start | None = None, seed: int = 0) -> Table:
        """What its runs can record, with the shape of each, and whether they do when nothing else
        is asked for.
        """
        options = Options(start=start, seed=seed)

        def of(stage: Stage) -> tuple[list[tuple[str, list[int]]], list[str]]:
            return _native.Plan(self._title(), self._text([stage], {}, options)).observables()

        try:
            names, usual = of(Flow())
        except SettingsError:
            # Losses that draw batches have no flow.
            names, usual = of(SGD(lr=1.0, steps=1))
        return Table(
            {
                "observable": [name for name, _ in names],
                "shape": [list(shape) for _, shape in names],
                "usual": [any(fits(pattern, name) for pattern in usual) for name, _ in names],
            }
        )

    def to_toml(self, stages: Stage | Sequence[Stage] | None = None, **keywords: Any) -> str:
        """The experiment file that a run with these stages and keywords is."""
        stages = [Flow()] if stages is None else stages
        stages = [stages] if isinstance(stages, Stage) else list(stages)
        record, options = _split(keywords)
        return self._text(stages, record, options)

    def _sampled(self, own: dict[str, Any]) -> dict[str, Any]:
        """A batch chooses a loss that draws one, where nobody chose."""
        when = next(
            (one.when for one in self.schema.system.parameters if one.name == "batch"), None
        )
        wants = own.get("batch") is not None and when is not None and when["on"] == "loss"
        if wants and when is not None and not {"loss"} & {*own, *self.settings}:
            words = when["words"] or []
            if self.loss not in words and "online" in words:
                return {**own, "loss": "online"}
        return own

    def _run(
        self, kind: type[Stage], settings: Mapping[str, Any], keywords: dict[str, Any], name: str
    ) -> Run | Runs:
        moving = [*kind._known(), *(["lr"] if "rate" in kind._known() else [])]
        known = [*moving, *_RECORD, *_OPTIONS]
        if name == "train":
            known += [one for one in _SAMPLING if one in self._known()]
        refuse_unknown(keywords, known, f"{type(self).__name__}.{name}")
        own = {one: keywords.pop(one) for one in moving if one in keywords}
        if own.get("lr") is not None:
            settings = {one: value for one, value in settings.items() if one != "rate"}
        return self._go([kind(**{**settings, **own})], keywords)

    def _go(self, stages: Sequence[Stage], keywords: dict[str, Any]) -> Run | Runs:
        record, options = _split(keywords)
        text = self._text(stages, record, options)
        if record.get("observables") is None:
            plan = options.plan(self._title(), text)
            _, usual = plan.observables()
            text = self._text(stages, {**record, "observables": usual}, options)
        return execute(self._title(), text, options)

    def _text(self, stages: Sequence[Stage], record: Mapping[str, Any], options: Options) -> str:
        top = {"name": options.name, "seed": options.first_seed(), "evaluate": options.evaluate}
        parts = [toml.section("", top).lstrip()]
        parts.append(self._toml())
        if options.start is not None:
            parts.append(options.start.to_toml())
        header = "[dynamics]" if len(stages) == 1 else "[[dynamics]]"
        parts += [stage.to_toml(header) for stage in stages]
        if any(value is not None for value in record.values()):
            parts.append(toml.section("[record]", record))
        return "\n".join(parts)


def _split(keywords: Mapping[str, Any]) -> tuple[dict[str, Any], Options]:
    record = {name: value for name, value in keywords.items() if name in _RECORD}
    options = {name: value for name, value in keywords.items() if name in _OPTIONS}
    return record, Options(**options)


_RECORD = tuple(parameter.name for parameter in declared().record.parameters)
_OPTIONS = tuple(inspect.signature(Options).parameters)


def _document(method: Any, leading: Sequence[str], stage: Kind | None, sampling: bool) -> None:
    """Give a method the signature that its keywords are declared with, and explain them."""
    moving = [] if stage is None else [one for one in stage.parameters if one.name not in leading]
    parameters = [*moving, *declared().record.parameters]
    old = inspect.signature(method)
    kept = [one for one in old.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    options = inspect.signature(Options).parameters.values()
    extra = {one.name: (one.default, str(one.annotation)) for one in options}
    if sampling:
        extra = dict.fromkeys(_SAMPLING, (None, "Any")) | extra
    keywords = signature(parameters, kept, extra)
    free = [
        # Observables have a default of their own here: see below.
        one.replace(default=None)
        if one.kind is inspect.Parameter.KEYWORD_ONLY
        and (one.default is inspect.Parameter.empty or one.name == "observables")
        else one
        for one in keywords.parameters.values()
    ]
    method.__signature__ = keywords.replace(
        parameters=free, return_annotation=old.return_annotation
    )
    method.__doc__ = f"{inspect.getdoc(method)}\n\n{describe(parameters)}\n{_ABOUT_OPTIONS}"


_ABOUT_OPTIONS = """\
start : Start
    Where the parameters start: ``ss.random_start(scale=1e-3)`` and others; the system's own where
    it is not given.
seed : int
    Seed of start, data and batches; also that of ``start``.
seeds : int or ints
    How many seeds, or which: several runs, on all cores.
vary : mapping
    Settings by their dotted keys, each with its values, as a list or in words: every combination is
    run.
evaluate : list of mappings
    Other losses of the same parameters, recorded along the run: ``[{"name": "longer", "system":
    {"context": 1000}}, {"name": "held-out", "fresh": True}]`` gives ``run["evaluate.longer.loss"]``
    and the other.
out : path
    The folder in which runs are kept. Interrupted ones go on there, finished ones are not run
    twice.
force : bool
    Whether runs that are there are replaced.
name : str
    What the experiment is called.
progress : bool or function
    A bar where somebody can see it; ``True``, ``False``: always, never. A function is told the part
    that is done, and
    how many runs are over, failed and there are.

What is recorded when ``observables`` is not given: loss and gradient, what the system's own figure
draws, and all
parameters and single numbers of its own where there are few; ``system.observables()`` shows
them."""

_document(System.flow, (), declared().dynamics.kind("flow"), sampling=False)
_document(System.reduced, ("theory",), declared().dynamics.kind("reduced"), sampling=False)
_document(System.train, (), declared().dynamics.kind("adamw"), sampling=True)
_document(System.run, (), None, sampling=False)
