"""How parameters move: exact flows, reduced theories and optimisers, one class for each kind that
is declared.
"""

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from saddlescope import toml
from saddlescope.declaration import Kind, Parameter, declared
from saddlescope.keywords import describe, refuse_unknown, signature

__all__ = ["GD", "SGD", "Adam", "AdamW", "Flow", "Momentum", "Nesterov", "Reduced", "Stage"]


class Stage:
    """One stage of a run: how the parameters move, and which of them."""

    kind: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    fixed: ClassVar[Mapping[str, Any]] = {}
    """Settings that the class itself decides."""

    def __init__(self, lr: float | None = None, **settings: Any) -> None:
        if lr is not None:
            if settings.get("rate") is not None:
                raise TypeError("`lr` and `rate` are the same setting: give one of them")
            settings["rate"] = lr
        refuse_unknown(settings, self._known(), type(self).__name__)
        self.settings = {name: value for name, value in settings.items() if value is not None}

    @classmethod
    def _known(cls) -> list[str]:
        return [one.name for one in cls.parameters if one.name not in cls.fixed]

    def but(self, **settings: Any) -> Self:
        """The same stage with other settings."""
        return type(self)(**{**self.settings, **settings})

    def to_toml(self, header: str = "[dynamics]") -> str:
        """The stage as a section of a file."""
        return toml.section(header, {"kind": self.kind, **self.settings, **self.fixed})

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__name__}({settings})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.settings == getattr(other, "settings", None)

    __hash__ = None  # type: ignore[assignment]


def _stage(name: str, kind: Kind, fixed: Mapping[str, Any] | None = None) -> type[Stage]:
    fixed = fixed or {}
    own = [one for one in kind.parameters if one.name not in fixed]
    optimiser = any(one.name == "rate" for one in own)
    place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    lr = inspect.Parameter("lr", place, default=None, annotation="float | None")
    alias = "\n\n``lr`` is another name of ``rate``." if optimiser else ""
    keywords = signature(own, [lr] if optimiser else [])
    # The rate has two names, and steps may be given where the stage is run.
    free = [
        one.replace(default=None) if one.name in ("rate", "steps", "stop_value") else one
        for one in keywords.parameters.values()
    ]
    about = kind.about[0].upper() + kind.about[1:]
    return type(
        name,
        (Stage,),
        {
            "__module__": __name__,
            "__doc__": f"{about}.{alias}\n\n{describe(own)}",
            "__signature__": keywords.replace(parameters=free),
            "kind": kind.name,
            "parameters": kind.parameters,
            "fixed": fixed,
        },
    )


_kind = declared().dynamics.kind

Flow = _stage("Flow", _kind("flow"))
Reduced = _stage("Reduced", _kind("reduced"))
GD = _stage("GD", _kind("gd"))
SGD = _stage("SGD", _kind("sgd"))
Momentum = _stage("Momentum", _kind("momentum"), {"nesterov": False})
Nesterov = _stage("Nesterov", _kind("momentum"), {"nesterov": True, "dampening": 0.0})
Adam = _stage("Adam", _kind("adam"))
AdamW = _stage("AdamW", _kind("adamw"))
