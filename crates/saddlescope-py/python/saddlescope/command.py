"""The script ``saddlescope``: the whole command line."""

from __future__ import annotations

import sys

from saddlescope import _native

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of this process, and end with its exit code."""
    sys.exit(_native.command(["saddlescope", *sys.argv[1:]]))
