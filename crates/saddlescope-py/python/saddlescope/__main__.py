"""``python -m saddlescope`` is the command line."""

from saddlescope.command import main

main()
