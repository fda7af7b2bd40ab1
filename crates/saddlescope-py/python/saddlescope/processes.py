"""Processes that were forked: threads do not go along, so what needs them would wait for ever."""

import os

from saddlescope.errors import SaddlescopeError

_used = False
_orphaned = False


def enter() -> None:
    """Called before anything runs: refuses where the threads stayed behind in another process."""
    global _used
    if _orphaned:
        raise SaddlescopeError(
            "this process was forked from one that had run something, whose threads stayed behind: "
            "start processes afresh, with multiprocessing.get_context('spawn')"
        )
    _used = True


def _in_child() -> None:
    global _orphaned
    _orphaned = _used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
