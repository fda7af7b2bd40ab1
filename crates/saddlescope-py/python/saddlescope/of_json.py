"""Dataclasses from the JSON of the native part."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")


def read(kind: type[T], data: Mapping[str, Any], **own: Any) -> T:
    """The entries that a dataclass has fields for; ``own`` are those that are not as they stand."""
    names = [field.name for field in fields(kind) if field.name not in own]  # type: ignore[arg-type]
    return kind(**{name: data[name] for name in names}, **own)
