"""Shipped experiments, claims, figures, reference values, and the command line that comes along."""

import subprocess
import sys
from pathlib import Path

from conftest import ROOT, Command

import saddlescope as ss


def test_experiments_and_systems(program: Command) -> None:
    listed = program("list").stdout
    for name in ss.experiments()["name"]:
        assert name.split("/")[1] in listed
    for row in ss.systems():
        assert issubclass(getattr(ss, row["class"]), ss.System)
        assert row["system"] in listed
    assert ss.schema("sparse-markov") == program("schema", "sparse-markov").stdout
    assert ss.cite() == program("cite").stdout
    assert ss.cite("linear-attention") == program("cite", "linear-attention").stdout


def test_an_experiment_with_changes(tmp_path: Path, program: Command) -> None:
    how = {"set": {"system.heads": 3, "record.points": 50}, "seeds": range(1, 3)}
    runs = ss.run("linear-attention/fig1", out=tmp_path / "mine", **how)
    assert [run.seed for run in runs] == [1, 2]
    assert runs[0].settings["system"]["heads"] == 3
    again = ss.read_run(tmp_path / "mine")
    assert isinstance(again, ss.Runs)
    assert again.table == runs.table
    assert (tmp_path / "mine" / "figure.svg").read_text() == runs.figure().svg()
    changes = ("--set", "system.heads=3", "--set", "record.points=50", "--seeds", "1..2")
    done = program("run", "linear-attention/fig1", *changes, "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    theirs = ss.read_run(tmp_path / "linear-attention" / "fig1")
    assert [run.hash for run in theirs] == [run.hash for run in runs]


def test_claims() -> None:
    claims = ss.check("linear-attention/eq-24c", "linear-attention/fig-2-levels")
    assert claims.as_recorded
    assert set(claims["id"]) == {"linear-attention/eq-24c", "linear-attention/fig-2-levels"}
    assert claims.caption.startswith("check: 2 of 2 verdicts as recorded")
    assert claims.evidence[0]["printed"]


def test_a_figure_is_reproduced(tmp_path: Path, program: Command) -> None:
    made = ss.reproduce("linear-attention/fig1", out=tmp_path / "here")
    done = program("reproduce", "linear-attention/fig1", "--out", str(tmp_path / "there"))
    assert done.returncode == 0, done.stderr
    place = Path("linear-attention") / "fig1"
    assert made.folder == tmp_path / "here" / place
    mine, theirs = (tmp_path / side / place for side in ("here", "there"))
    assert (mine / "figure.svg").read_bytes() == (theirs / "figure.svg").read_bytes()
    assert (mine / "plan.toml").read_bytes() == (theirs / "plan.toml").read_bytes()
    assert made.claims is None or made.claims.as_recorded
    assert (mine / "claims.json").exists() == (theirs / "claims.json").exists()
    assert made._repr_svg_().startswith("<svg")


def test_reference_values() -> None:
    file = sorted((ROOT / "tests" / "oracle").glob("associative*.json"))[0]
    table = ss.verify(file)
    assert len(table) > 10
    assert all(table["passed"])


def test_the_command_line_comes_along(program: Command) -> None:
    def ours(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "saddlescope", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    for arguments in (
        ("schema", "linear-attention"),
        ("--help",),
        ("--version",),
        ("run", "nowhere.toml"),
        ("nonsense",),
    ):
        mine, theirs = ours(*arguments), program(*arguments)
        assert (mine.returncode, mine.stdout) == (theirs.returncode, theirs.stdout)
        assert mine.stderr == theirs.stderr
