"""Libraries that are not needed but for some things, and what to install when they are missing."""

import importlib
from typing import Any


def need(module: str, extra: str) -> Any:
    """The module, or an error that says what installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"this needs {module}, which is not installed: pip install 'saddlescope[{extra}]'",
            name=error.name,
        ) from error
