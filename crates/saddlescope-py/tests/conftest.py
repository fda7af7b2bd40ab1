"""What tests share: the program itself, which the package is compared with."""

import _thread
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

ROOT = Path(__file__).parents[3]

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def program() -> Command:
    """Runs the program that cargo builds, with these arguments."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = target / "release" / "saddlescope"
    assert path.exists(), f"{path} is not there: cargo build --release makes it"

    def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(path), *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)

    return run


@contextmanager
def interrupted_by(watch: Callable[[], object]) -> Iterator[None]:
    """What is done here hears Ctrl-C, from a thread in which `watch` has come to its end."""
    thread = Thread(target=lambda: (watch(), _thread.interrupt_main()))
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        yield
    thread.join()


def in_threads(works: Iterable[Callable[[], object]]) -> None:
    """Does all of it side by side."""
    threads = [Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
