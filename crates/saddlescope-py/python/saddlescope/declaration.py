"""The settings as the native part declares them: one declaration behind files, classes, help and
checks.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from saddlescope import _native, of_json


@dataclass(frozen=True)
class Parameter:
    """One declared setting."""

    name: str
    type: Any
    """What sort of value: a word, a word with its details, or a list of alternatives."""
    phrase: str
    """What is wanted, in words that follow "must be"."""
    words: tuple[tuple[str, str], ...]
    """The words of a choice, each with its meaning."""
    presence: str
    """``required``, ``optional`` (no value when it is not given) or ``default``."""
    literal: str
    """The default, or an example, as in a TOML file."""
    value: Any
    about: str
    unit: str
    when: Mapping[str, Any] | None
    """Under which condition it counts: ``phrase``, the setting ``on`` and its ``words``."""

    @property
    def default(self) -> Any:
        """The declared default; ``None`` where there is none."""
        return self.value if self.presence == "default" else None

    @property
    def annotation(self) -> str:
        """The type in Python's words."""
        kind = _annotation(self.type)
        return kind if self.presence == "required" and self.when is None else f"{kind} | None"

    def describe(self) -> str:
        """Meaning, kind, default and condition, as lines of a docstring."""
        unit = f" ({self.unit})" if self.unit else ""
        what = {
            "required": "required",
            "optional": "not given by default",
            "default": f"default {self.literal}",
        }[self.presence]
        when = f", counts with {self.when['phrase']}" if self.when else ""
        lines = [f"{self.name} : {self.phrase}, {what}{when}", f"    {self.about}{unit}."]
        lines += [f"    ``{word}``: {about}." for word, about in self.words]
        return "\n".join(lines)


@dataclass(frozen=True)
class Kind:
    """One kind of a section, with all its settings: its own, then those that all kinds share."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Section:
    """Settings that belong together: one table of a file."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    default_kind: str | None
    kinds: tuple[Kind, ...]

    def kind(self, name: str) -> Kind:
        """The kind of that name."""
        return next(kind for kind in self.kinds if kind.name == name)


@dataclass(frozen=True)
class SystemSchema:
    """What a system declares about itself."""

    name: str
    title: str
    about: str
    system: Section
    start: Section


@dataclass(frozen=True)
class Declaration:
    """Everything that is declared."""

    systems: tuple[SystemSchema, ...]
    experiment: Section
    dynamics: Section
    record: Section


@cache
def declared() -> Declaration:
    """Everything that is declared, read once."""
    data = json.loads(_native.schemas())

    def sections(of: Mapping[str, Any], *names: str) -> dict[str, Section]:
        return {name: _section(of[name]) for name in names}

    systems = tuple(
        of_json.read(SystemSchema, system, **sections(system, "system", "start"))
        for system in data["systems"]
    )
    return Declaration(systems, **sections(data, "experiment", "dynamics", "record"))


def class_name(system: str) -> str:
    """The class of a system: ``LinearAttention`` of ``linear-attention``."""
    return "".join(part.capitalize() for part in system.split("-"))


def unique(parameters: Iterable[Parameter]) -> list[Parameter]:
    """The first setting of each name."""
    found: dict[str, Parameter] = {}
    for parameter in parameters:
        found.setdefault(parameter.name, parameter)
    return list(found.values())


def _section(data: Mapping[str, Any]) -> Section:
    shared = tuple(map(_parameter, data["parameters"]))
    kinds = tuple(
        of_json.read(Kind, kind, parameters=(*map(_parameter, kind["parameters"]), *shared))
        for kind in data["kinds"]
    )
    return of_json.read(Section, data, parameters=shared, default_kind=data["kind"], kinds=kinds)


def _parameter(data: Mapping[str, Any]) -> Parameter:
    # Ends of ranges and stretches of sliders are for pages.
    words = tuple((word, about) for word, about in data["words"])
    return of_json.read(Parameter, data, words=words)


_PLAIN = {
    "integer": "int",
    "number": "float",
    "switch": "bool",
    "text": "str | os.PathLike[str]",
    "texts": "Sequence[str]",
    "numbers": "Numbers",
    "lists": "Sequence[Numbers]",
    "table": "Mapping[str, float]",
}


def _annotation(kind: Any) -> str:
    if isinstance(kind, list):
        return " | ".join(_annotation(one) for one in kind)
    if isinstance(kind, str):
        return _PLAIN[kind]
    if "choice" in kind:
        return "Literal[" + ", ".join(json.dumps(word) for word in kind["choice"]) + "]"
    return "Tensor"
