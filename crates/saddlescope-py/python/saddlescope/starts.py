"""Where parameters start: one function for each kind of start that any system declares."""

from typing import Any

from saddlescope import toml
from saddlescope.declaration import Parameter, class_name, declared, unique
from saddlescope.keywords import describe, refuse_unknown, signature

__all__ = ["Start", "start"]


class Start:
    """A kind of start with its settings; ``seed`` is that of the whole run."""

    def __init__(self, kind: str, seed: int | None = None, **settings: Any) -> None:
        self.kind = kind
        self.seed = seed
        self.settings = {name: value for name, value in settings.items() if value is not None}

    def to_toml(self) -> str:
        """The start as a section of a file."""
        return toml.section("[start]", {"kind": self.kind, **self.settings})

    def __repr__(self) -> str:
        given = {**self.settings, **({} if self.seed is None else {"seed": self.seed})}
        settings = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"{_function_name(self.kind)}({settings})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Start):
            return NotImplemented
        mine = (self.kind, self.seed, self.settings)
        return mine == (other.kind, other.seed, other.settings)

    __hash__ = None  # type: ignore[assignment]


def start(kind: str, *, seed: int | None = None, **settings: Any) -> Start:
    """A start of that kind, for systems with kinds of their own; the settings are checked when it
    runs.
    """
    return Start(kind, seed, **settings)


def _function_name(kind: str) -> str:
    return kind.replace("-", "_") + "_start"


def kinds() -> dict[str, list[tuple[str, str, tuple[Parameter, ...]]]]:
    """Every kind of start, with the systems that have it: class, meaning and settings."""
    found: dict[str, list[tuple[str, str, tuple[Parameter, ...]]]] = {}
    for system in declared().systems:
        for kind in system.start.kinds:
            entry = (class_name(system.name), kind.about, kind.parameters)
            found.setdefault(kind.name, []).append(entry)
    return found


def _make(kind: str, systems: list[tuple[str, str, tuple[Parameter, ...]]]) -> Any:
    parameters = unique(one for _, _, own in systems for one in own)
    known = [one.name for one in parameters]
    name = _function_name(kind)

    def make(*, seed: int | None = None, **settings: Any) -> Start:
        refuse_unknown(settings, known, name)
        return Start(kind, seed, **settings)

    make.__name__ = make.__qualname__ = name
    parts = [f'The start ``"{kind}"``.']
    for system, about, own in systems:
        settings = "\n\n" + describe(own) if own else ""
        parts.append(f"{system}: {about}.{settings}")
    parts.append("``seed`` is the seed of the whole run: start, data and batches.")
    make.__doc__ = "\n\n".join(parts)
    # Systems have defaults of their own: what is not given is theirs.
    bare = signature(parameters, extra={"seed": (None, "int | None")})
    make.__signature__ = bare.replace(  # type: ignore[attr-defined]
        parameters=[one.replace(default=None) for one in bare.parameters.values()]
    )
    return make


for _kind, _systems in kinds().items():
    globals()[_function_name(_kind)] = _make(_kind, _systems)
    __all__.append(_function_name(_kind))
