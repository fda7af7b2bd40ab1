"""What can go wrong, in the same words as on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saddlescope.model_run import ModelRun
    from saddlescope.one_run import Run

__all__ = [
    "InternalError",
    "NotRecorded",
    "RunFailed",
    "SaddlescopeError",
    "SettingsError",
    "StoreError",
    "UnknownSetting",
]


class SaddlescopeError(Exception):
    """Any error of the package."""


class SettingsError(SaddlescopeError, ValueError):
    """Something was asked for that cannot be: a value out of range, an unknown name, a file that is
    wrong.
    """


class UnknownSetting(SettingsError, TypeError):
    """A keyword that nobody declared; the message says which is near."""


class NotRecorded(SaddlescopeError, KeyError):
    """A name under which nothing was recorded."""

    def __str__(self) -> str:
        # Those of keys are printed in quotes, which hides line breaks.
        return str(self.args[0]) if self.args else ""


class RunFailed(SaddlescopeError, RuntimeError):
    """A computation that came to nothing; ``run`` is what it had recorded, if anything."""

    run: Run | ModelRun | None = None


class StoreError(SaddlescopeError, OSError):
    """Files and folders that cannot be read or written, or that hold other runs."""


class InternalError(SaddlescopeError, RuntimeError):
    """The package itself is wrong; please report it."""
