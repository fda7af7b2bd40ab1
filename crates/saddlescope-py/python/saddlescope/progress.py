"""Bars for long work: in terminals and notebooks; silent where nobody looks."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

Progress: TypeAlias = bool | Callable[[float, int, int, int], object] | None
"""``None``: a bar where somebody can see it; ``True``, ``False``: always, never; or a function that
is told the part that is done, and how many pieces are over, failed and there are.
"""

_Callback: TypeAlias = Callable[[float, int, int, int], object]

_PATIENCE = 0.4
"""Seconds that work may take without a bar."""


@contextmanager
def bar(what: str, wanted: Progress) -> Iterator[_Callback | None]:
    """What the native part tells its progress to, for as long as the work takes."""
    if callable(wanted):
        yield wanted
        return
    shown: _Bar | None = None
    if wanted is not False:
        if _in_notebook():
            shown = _NotebookBar(what)
        elif wanted or sys.stderr.isatty():
            shown = _Bar(what)
    try:
        yield shown
    finally:
        if shown is not None:
            shown.close()


def _in_notebook() -> bool:
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Bar:
    """A line of a terminal that is written over."""

    width = 30

    def __init__(self, what: str) -> None:
        self.what = what
        self.began = time.monotonic()
        self.drawn = False

    def __call__(self, fraction: float, over: int, failed: int, total: int) -> None:
        elapsed = time.monotonic() - self.began
        if elapsed >= _PATIENCE:
            self.draw(fraction, self.words(fraction, over, failed, total, elapsed))
            self.drawn = True

    def words(self, fraction: float, over: int, failed: int, total: int, elapsed: float) -> str:
        left = elapsed * (1.0 - fraction) / fraction if fraction > 0.0 else float("nan")
        parts = [f"{100.0 * fraction:3.0f} %"]
        if total > 1:
            parts.append(f"{over} of {total}" + (f", {failed} failed" if failed else ""))
        parts.append(_clock(elapsed))
        if left == left and fraction < 1.0:
            parts.append(f"{_clock(left)} left")
        return "  ".join(parts)

    def draw(self, fraction: float, words: str) -> None:
        full = round(self.width * fraction)
        line = f"{self.what}  {'█' * full}{'░' * (self.width - full)}  {words}"
        # A line that is too long for the terminal could not be written over.
        shown = line[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(f"\r\x1b[2K{shown}")
        sys.stderr.flush()

    def close(self) -> None:
        if self.drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


class _NotebookBar(_Bar):
    """An element of a notebook that is renewed, and gone at the end."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.handle: Any = None

    def draw(self, fraction: float, words: str) -> None:
        from IPython.display import HTML, display

        html = HTML(
            f'<label>{self.what} <progress value="{fraction:.4f}" max="1" style="width: 20em">'
            f"</progress> {words}</label>"
        )
        if self.handle is None:
            self.handle = display(html, display_id=True)
        else:
            self.handle.update(html)

    def close(self) -> None:
        if self.handle is not None:
            from IPython.display import HTML

            self.handle.update(HTML(""))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
