"""Type checkers know every keyword: the package is typed, and a user's mistakes are found before
anything runs.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

USER = Path(__file__).parent / "user.py"
PACKAGE = ROOT / "crates" / "saddlescope-py" / "python" / "saddlescope"


def test_the_package_and_a_users_file() -> None:
    cache = os.fspath(ROOT / "target" / "mypy")
    arguments = ["--strict", "--no-error-summary", "--cache-dir", cache]
    command = [sys.executable, "-m", "mypy", *arguments, os.fspath(PACKAGE), os.fspath(USER)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stderr == ""
    wrong = {}
    for line in done.stdout.splitlines():
        if found := re.match(r"(.*?):(\d+): error: (.*)", line):
            assert found[1].endswith("user.py"), line
            wrong[int(found[2])] = found[3]
    lines = USER.read_text(encoding="utf-8").splitlines()
    expected = {number for number, line in enumerate(lines, 1) if line.endswith("# error")}
    assert set(wrong) == expected, wrong
