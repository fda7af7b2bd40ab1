"""Stubs for type checkers, written from the declaration: ``python -m saddlescope.stubs`` renews
them.
"""

from collections.abc import Iterable
from pathlib import Path

from saddlescope import dynamics, starts
from saddlescope.declaration import Parameter, class_name, declared, unique
from saddlescope.dynamics import Flow, Reduced, Stage
from saddlescope.system import _SAMPLING, System

_HEAD = """\
# ruff: noqa
# Written by `python -m saddlescope.stubs` from the declaration of the settings.
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NotRequired, Self, TypedDict, Unpack, overload
from typing import dataclass_transform

from saddlescope.types import Numbers, Tensor
"""

_OPTIONS = (
    "start: Start | None",
    "seed: int | None",
    "evaluate: Sequence[Mapping[str, Any]] | None",
    "out: str | os.PathLike[str] | None",
    "force: bool",
    "name: str | None",
    "progress: Progress",
)

_SAMPLED = {
    "loss": "str",
    "batch": "int",
    "sequences": "int",
    "precision": 'Literal["single", "double"]',
}

_RUNS = {
    "One": ("seeds: NotRequired[None]", "vary: NotRequired[None]"),
    "Seeds": ("seeds: int | Iterable[int]", "vary: NotRequired[Mapping[str, Any] | None]"),
    "Varied": ("seeds: NotRequired[None]", "vary: Mapping[str, Any]"),
}
"""What makes several runs of one."""


def stubs() -> dict[str, str]:
    """The stub files, by name."""
    return {
        "dynamics.pyi": _dynamics(),
        "starts.pyi": _start(),
        "system.pyi": _system(),
        "system_classes.pyi": _systems(),
    }


def _field(parameter: Parameter) -> str:
    """A keyword that may be left out, as a field of a dictionary."""
    optional = "" if parameter.annotation.endswith("| None") else " | None"
    return f"{parameter.name}: {parameter.annotation}{optional}"


def _keywords(name: str, fields: Iterable[str], bases: str = "TypedDict, total=False") -> str:
    """A group of keywords, which functions unpack."""
    lines = "".join(f"    {one}\n" for one in fields)
    return f"class {name}({bases}):\n{lines}\n" if lines else f"class {name}({bases}): ...\n"


def _function(name: str, arguments: Iterable[str], gives: str) -> str:
    arguments = list(arguments)
    line = f"def {name}({', '.join(arguments)}) -> {gives}: ...\n"
    if len(line) <= 100:
        return line
    lines = "".join(f"    {one},\n" for one in arguments)
    return f"def {name}(\n{lines}) -> {gives}: ...\n"


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())


def _dynamics() -> str:
    text = _HEAD + "from saddlescope.declaration import Parameter\n\n"
    text += f"__all__ = {sorted(dynamics.__all__)!r}\n\n".replace("'", '"')
    text += "class Stage:\n"
    text += "    kind: ClassVar[str]\n    parameters: ClassVar[tuple[Parameter, ...]]\n"
    text += "    fixed: ClassVar[Mapping[str, Any]]\n    settings: dict[str, Any]\n"
    text += "    @classmethod\n    def _known(cls) -> list[str]: ...\n"
    text += "    def but(self, **settings: Any) -> Self: ...\n"
    text += "    def to_toml(self, header: str = ...) -> str: ...\n"
    text += "\n" + _keywords("FlowKeywords", map(_field, _shared(Flow, Reduced)))
    text += _keywords("StepKeywords", map(_field, _shared(*_optimisers())))
    for name in dynamics.__all__:
        stage = getattr(dynamics, name)
        if stage is Stage:
            continue
        steps = stage in _optimisers()
        shared = _shared(*_optimisers()) if steps else _shared(Flow, Reduced)
        own = [one for one in stage.parameters if one not in shared and one.name not in stage.fixed]
        arguments = [
            *(["self, lr: float | None = None"] if steps else ["self"]),
            *(["*"] if own else []),
            *(f"{_field(one)} = ..." for one in own),
            f"**settings: Unpack[{'Step' if steps else 'Flow'}Keywords]",
        ]
        text += f"class {name}(Stage):\n{_indented(_function('__init__', arguments, 'None'))}\n"
    return text.rstrip("\n") + "\n"


def _optimisers() -> list[type[Stage]]:
    all_of_them = (getattr(dynamics, name) for name in dynamics.__all__)
    return [one for one in all_of_them if one is not Stage and "rate" in one._known()]


def _shared(*stages: type[Stage]) -> list[Parameter]:
    """The settings that several stages have alike."""
    first, *others = stages
    return [one for one in first.parameters if all(one in other.parameters for other in others)]


def _start() -> str:
    text = _HEAD + "from saddlescope.declaration import Parameter\n\n"
    text += f"__all__ = {starts.__all__!r}\n\n".replace("'", '"')
    text += "class Start:\n    kind: str\n    seed: int | None\n    settings: dict[str, Any]\n"
    text += (
        "    def __init__(self, kind: str, seed: int | None = None, **settings: Any) -> None: ...\n"
    )
    text += "    def to_toml(self) -> str: ...\n\n"
    text += "def start(kind: str, *, seed: int | None = None, **settings: Any) -> Start: ...\n"
    text += "def kinds() -> dict[str, list[tuple[str, str, tuple[Parameter, ...]]]]: ...\n"
    text += "\n" + _keywords("Seeded", ["seed: int | None"])
    # Kinds with the same settings share a group, called after the first of them.
    groups: dict[tuple[str, ...], str] = {}
    functions = ""
    for kind, systems in starts.kinds().items():
        fields = tuple(sorted(map(_field, unique(one for _, _, own in systems for one in own))))
        group = groups.setdefault(fields, f"{class_name(kind)}Keywords")
        name = kind.replace("-", "_") + "_start"
        functions += _function(name, [f"**settings: Unpack[{group}]"], "Start")
    return (
        text
        + "".join(_keywords(name, fields, "Seeded, total=False") for fields, name in groups.items())
        + functions
    )


def _methods(name: str, leading: str, keywords: str) -> str:
    text = ""
    for runs in _RUNS:
        arguments = [leading, f"**keywords: Unpack[{runs}{keywords}]"]
        text += "@overload\n" + _function(name, arguments, "Run" if runs == "One" else "Runs")
    return _indented(text)


def _system() -> str:
    text = _HEAD + "from saddlescope.declaration import SystemSchema\n"
    text += "from saddlescope.dynamics import FlowKeywords, Stage, StepKeywords\n"
    text += "from saddlescope.progress import Progress\n"
    text += "from saddlescope.one_run import Run\nfrom saddlescope.runs import Runs\n"
    text += "from saddlescope.starts import Start\nfrom saddlescope.tables import Table\n\n"
    text += '__all__ = ["System"]\n\n_SAMPLING: tuple[str, ...]\n\n'
    sampling = [f"{name}: {_SAMPLED[name]} | None" for name in _SAMPLING]
    text += _keywords("RunKeywords", [*map(_field, declared().record.parameters), *_OPTIONS])
    # An optimiser's own settings belong to its class; here stand those that all have.
    train = ["lr: float | None", *sampling]
    text += _keywords("TrainKeywords", train, "StepKeywords, RunKeywords, total=False")
    for runs, fields in _RUNS.items():
        text += _keywords(f"{runs}Run", fields, "RunKeywords")
        text += _keywords(f"{runs}Flow", (), f"FlowKeywords, {runs}Run")
        text += _keywords(f"{runs}Train", (), f"TrainKeywords, {runs}Run") + "\n"
    text += "def setting(*, alias: str) -> Any: ...\n\n"
    text += "@dataclass_transform(\n    kw_only_default=True, frozen_default=True, "
    text += "field_specifiers=(setting,)\n)\n"
    text += "class System:\n    name: ClassVar[str]\n    schema: ClassVar[SystemSchema]\n"
    text += "    settings: dict[str, Any]\n"
    # Called like the class itself, with the same keywords.
    text += "    @property\n    def but(self) -> type[Self]: ...\n"
    text += _methods("flow", "self", "Flow")
    text += _methods("reduced", "self, theory: str | None = None", "Flow")
    text += _methods("train", "self, optimiser: Stage", "Train")
    text += _methods("run", "self, stages: Stage | Sequence[Stage]", "Run")
    text += "    def observables(self, start: Start | None = None, seed: int = 0) -> Table: ...\n"
    text += "    def to_toml(\n        self, stages: Stage | Sequence[Stage] | None = None, "
    text += "**keywords: Any\n    ) -> str: ...\n"
    return text


def _systems() -> str:
    names = [class_name(system.name) for system in declared().systems]
    text = _HEAD + "from saddlescope.system import System as System, setting\n\n"
    text += f"__all__ = {['System', *names]!r}\n".replace("'", '"')
    for system in declared().systems:
        text += f"\nclass {class_name(system.name)}(System):\n"
        text += "".join(f"    {_attribute(one)}\n" for one in system.system.parameters)
    return text


def _attribute(parameter: Parameter) -> str:
    """A setting as a field: a keyword of the class, and an attribute that is read."""
    if not hasattr(System, parameter.name):
        return f"{_field(parameter)} = ..."
    # Where a setting is called like a method (the text that a transformer trains on), the method
    # goes before.
    return f'_{_field(parameter)} = setting(alias="{parameter.name}")'


if __name__ == "__main__":
    folder = Path(__file__).parent
    for file, text in stubs().items():
        (folder / file).write_text(text, encoding="utf-8")
