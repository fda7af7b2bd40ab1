"""The notebook runs from its first cell to its last."""

import os
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

LONG = {"bring-your-own-model"}
"""Notebooks that take long."""

BOOKS = [
    pytest.param(path, marks=[pytest.mark.full] if path.stem in LONG else [], id=path.stem)
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
]

NEEDS = {"bring-your-own-model": ("torch", "jax")}
"""Libraries that a notebook needs beside those of the tests."""

SAYS = {
    "bring-your-own-model": (
        "index 12 (theory 12)",
        "index 6 (theory 6)",
        "index 2 (theory 2)",
        "701.",
    )
}
"""What theory says, as the cells print it."""


@pytest.mark.parametrize("path", BOOKS)
def test_it_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in NEEDS.get(path.stem, ()):
        pytest.importorskip(library, reason=f"{path.name} needs {library}: pip install {library}")
    # The kernel is this interpreter, whatever the machine has under that name.
    kernel = tmp_path / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    text = str({"argv": command, "display_name": "Python 3", "language": "python"})
    (kernel / "kernel.json").write_text(text.replace("'", '"'), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", os.fspath(tmp_path))
    book = nbformat.read(path, as_version=4)
    client = NotebookClient(book, timeout=600, startup_timeout=600, kernel_name="python3")
    client.execute(cwd=os.fspath(tmp_path))
    outputs = [one for cell in book.cells for one in cell.get("outputs", [])]
    assert any("image/png" in one.get("data", {}) for one in outputs)
    text = "".join(str(one.get("text", "")) + str(one.get("data", {})) for one in outputs)
    for words in SAYS.get(path.stem, ()):
        assert words in text
    assert not any(one.output_type == "error" for one in outputs)
