"""Stubs for type checkers, written from the declaration: ``python -m saddlescope.stubs`` renews
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from saddlescope import dynamics, starts
from saddlescope.declaration import Parameter, class_name, declared, unique
from saddlescope.dynamics import Stage
from saddlescope.system import _SAMPLING, System

__all__ = ["stubs"]

_HEAD = """\
# ruff: noqa
# Written by `python -m saddlescope.stubs` from the declaration of the settings.
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, overload

"""

_OPTIONS = (
    "start: Start | None = None",
    "seed: int | None = None",
    "{seeds}",
    "{vary}",
    "out: str | os.PathLike[str] | None = None",
    "force: bool = False",
    "name: str | None = None",
    "progress: Progress = None",
)

_SAMPLED = {
    "loss": "str",
    "batch": "int",
    "sequences": "int",
    "precision": 'Literal["single", "double"]',
}

_SEVERAL = (
    ("seeds: None = None", "vary: None = None", "Run"),
    ("seeds: int | Iterable[int]", "vary: Mapping[str, Any] | None = None", "Runs"),
    ("seeds: None = None", "*", "Runs"),
)


def stubs() -> dict[str, str]:
    """The stub files, by name."""
    return {
        "dynamics.pyi": _dynamics(),
        "starts.pyi": _start(),
        "system.pyi": _system(),
        "worlds.pyi": _systems(),
    }


def _keyword(parameter: Parameter, required: bool = True) -> str:
    must = parameter.presence == "required" and parameter.when is None
    if must and required:
        return f"{parameter.name}: {parameter.annotation}"
    optional = "" if parameter.annotation.endswith("| None") else " | None"
    return f"{parameter.name}: {parameter.annotation}{optional} = ..."


def _function(name: str, leading: Iterable[str], keywords: Iterable[str], gives: str) -> str:
    lines = "".join(f"    {one},\n" for one in (*leading, "*", *keywords))
    return f"def {name}(\n{lines}) -> {gives}: ...\n"


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())


def _dynamics() -> str:
    text = _HEAD + "from saddlescope.declaration import Parameter\n"
    text += "from saddlescope.types import Numbers, Tensor\n\n"
    text += f"__all__ = {sorted(dynamics.__all__)!r}\n\n".replace("'", '"')
    text += "class Stage:\n"
    text += "    kind: ClassVar[str]\n    parameters: ClassVar[tuple[Parameter, ...]]\n"
    text += "    fixed: ClassVar[Mapping[str, Any]]\n    settings: dict[str, Any]\n"
    text += "    @classmethod\n    def _known(cls) -> list[str]: ...\n"
    text += "    def but(self, **settings: Any) -> Self: ...\n"
    text += "    def to_toml(self, header: str = ...) -> str: ...\n"
    for name in dynamics.__all__:
        stage = getattr(dynamics, name)
        if stage is Stage:
            continue
        own = [one for one in stage.parameters if one.name not in stage.fixed]
        optimiser = any(one.name == "rate" for one in own)
        leading = ["self", *(["lr: float | None = None"] if optimiser else [])]
        made = _function("__init__", leading, [_keyword(one, False) for one in own], "None")
        text += f"\nclass {name}(Stage):\n{_indented(made)}"
    return text


def _start() -> str:
    text = _HEAD + "from saddlescope.declaration import Parameter\n"
    text += "from saddlescope.types import Numbers, Tensor\n\n"
    text += f"__all__ = {starts.__all__!r}\n\n".replace("'", '"')
    text += "class Start:\n    kind: str\n    seed: int | None\n    settings: dict[str, Any]\n"
    text += (
        "    def __init__(self, kind: str, seed: int | None = None, **settings: Any) -> None: ...\n"
    )
    text += "    def to_toml(self) -> str: ...\n\n"
    text += "def start(kind: str, *, seed: int | None = None, **settings: Any) -> Start: ...\n"
    text += "def kinds() -> dict[str, list[tuple[str, str, tuple[Parameter, ...]]]]: ...\n"
    for kind, systems in starts.kinds().items():
        parameters = unique(one for _, _, own in systems for one in own)
        keywords = [_keyword(one, False) for one in parameters]
        name = kind.replace("-", "_") + "_start"
        text += "\n" + _function(name, (), [*keywords, "seed: int | None = None"], "Start")
    return text


def _methods(parameters: list[Parameter], name: str, leading: list[str], more: list[str]) -> str:
    keywords = [_keyword(one, False) for one in parameters] + more
    text = ""
    for seeds, vary, gives in _SEVERAL:
        vary = "vary: Mapping[str, Any]" if vary == "*" else vary
        options = [one.format(seeds=seeds, vary=vary) for one in _OPTIONS]
        text += "@overload\n" + _function(name, leading, [*keywords, *options], gives)
    return _indented(text)


def _system() -> str:
    text = _HEAD + "from saddlescope.declaration import SystemSchema\n"
    text += "from saddlescope.dynamics import Stage\n"
    text += "from saddlescope.progress import Progress\n"
    text += "from saddlescope.one_run import Run\nfrom saddlescope.runs import Runs\n"
    text += "from saddlescope.starts import Start\nfrom saddlescope.tables import Table\n"
    text += "from saddlescope.types import Numbers, Tensor\n\n"
    text += '__all__ = ["System"]\n\n_SAMPLING: tuple[str, ...]\n\n'
    text += "class System:\n    name: ClassVar[str]\n    schema: ClassVar[SystemSchema]\n"
    text += "    settings: dict[str, Any]\n"
    record = list(declared().record.parameters)
    kind = declared().dynamics.kind
    reduced = [one for one in kind("reduced").parameters if one.name != "theory"]
    # An optimiser's own settings belong to its class; here stand those that all have.
    shared = list(kind("sgd").parameters)
    sampling = [f"{name}: {_SAMPLED[name]} | None = ..." for name in _SAMPLING]
    text += _methods([*kind("flow").parameters, *record], "flow", ["self"], [])
    theory = ["self", "theory: str | None = None"]
    text += _methods([*reduced, *record], "reduced", theory, [])
    rate = ["lr: float | None = ...", *sampling]
    text += _methods([*shared, *record], "train", ["self", "optimiser: Stage"], rate)
    text += _methods(record, "run", ["self", "stages: Stage | Sequence[Stage]"], [])
    text += "    def observables(self, start: Start | None = None, seed: int = 0) -> Table: ...\n"
    text += "    def to_toml(\n        self, stages: Stage | Sequence[Stage] | None = None, "
    text += "**keywords: Any\n    ) -> str: ...\n"
    return text


def _systems() -> str:
    names = [class_name(system.name) for system in declared().systems]
    text = _HEAD + "from saddlescope.system import System as System\n"
    text += "from saddlescope.types import Numbers, Tensor\n\n"
    text += f"__all__ = {['System', *names]!r}\n".replace("'", '"')
    for system in declared().systems:
        parameters = system.system.parameters
        keywords = [_keyword(one) for one in parameters]
        free = [_keyword(one, False) for one in parameters]
        text += f"\nclass {class_name(system.name)}(System):\n"
        text += _indented(_function("__init__", ["self"], keywords, "None"))
        text += _indented(_function("but", ["self"], free, "Self"))
        text += "".join(_attributes(parameters))
    return text


def _attributes(parameters: Iterable[Parameter]) -> Iterator[str]:
    # Where a setting is called like a method (the text that a transformer trains on), the method
    # goes
    # before.
    for one in (one for one in parameters if not hasattr(System, one.name)):
        yield f"    @property\n    def {one.name}(self) -> {one.annotation}: ...\n"


if __name__ == "__main__":
    folder = Path(__file__).parent
    for file, text in stubs().items():
        (folder / file).write_text(text, encoding="utf-8")
