"""The script ``saddlescope``, and ``python -m saddlescope``: the whole command line."""

import os
import sys

from saddlescope import _native


def main() -> None:
    """Run the command with the arguments of this process, and end with its exit code."""
    # Sweeps on Ray are run by the Python that has this package.
    os.environ.setdefault("SADDLESCOPE_PYTHON", sys.executable)
    sys.exit(_native.command(["saddlescope", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
