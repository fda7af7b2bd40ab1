"""Keywords from the declaration: signatures, docstrings, and words about those that nobody
declared.
"""

import difflib
import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from saddlescope.declaration import Parameter
from saddlescope.errors import UnknownSetting


def refuse_unknown(given: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse keywords that are not known, with the nearest that is."""
    known = list(known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            near += [one for one in known if one in name.split("_")]
            hint = f"did you mean `{near[0]}`? " if near else ""
            raise UnknownSetting(
                f"unknown setting `{name}` in {where}; {hint}known: {', '.join(known)}"
            )


def signature(
    parameters: Iterable[Parameter],
    leading: Iterable[inspect.Parameter] = (),
    extra: Mapping[str, tuple[Any, str]] | None = None,
) -> inspect.Signature:
    """A signature with a keyword for each setting; ``extra`` are keywords with their defaults and
    types.
    """
    kind = inspect.Parameter.KEYWORD_ONLY
    keywords = [
        inspect.Parameter(
            parameter.name,
            kind,
            default=inspect.Parameter.empty
            if parameter.presence == "required" and parameter.when is None
            else parameter.default,
            annotation=parameter.annotation,
        )
        for parameter in parameters
    ]
    for name, (default, annotation) in (extra or {}).items():
        keywords.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
    # Python wants those without defaults first only among positional ones; keywords may come in any
    # order.
    return inspect.Signature([*leading, *keywords])


def describe(parameters: Iterable[Parameter]) -> str:
    """The part of a docstring that explains settings."""
    return "Parameters\n----------\n" + "\n".join(one.describe() for one in parameters)
