"""Values as they stand in an experiment file."""

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def render(value: Any) -> str:
    """A value as TOML: numbers, switches, texts, lists (NumPy arrays too) and tables."""
    match value:
        case bool() | np.bool_():
            return "true" if value else "false"
        case int() | np.integer():
            return str(int(value))
        case float() | np.floating():
            return repr(float(value))
        case str():
            return _quoted(value)
        case os.PathLike():
            # A run can then be gone back to from elsewhere.
            return _quoted(os.path.abspath(value))
        case np.ndarray():
            return render(value.tolist())
        case Mapping():
            entries = (f"{_quoted(str(key))} = {render(item)}" for key, item in value.items())
            return "{ " + ", ".join(entries) + " }"
        case Iterable():
            return "[" + ", ".join(render(item) for item in value) + "]"
    raise TypeError(f"a setting cannot be {value!r}: {type(value).__name__} has no form in a file")


def section(header: str, settings: Mapping[str, Any]) -> str:
    """A section of a file; settings that are ``None`` are not given."""
    given = ((name, value) for name, value in settings.items() if value is not None)
    lines = [header, *(f"{name} = {render(value)}" for name, value in given)]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for the control character that TOML wants escaped as well.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
