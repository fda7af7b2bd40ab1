"""The laboratory by name: shipped experiments, the papers' claims and figures, kept runs."""

import difflib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from saddlescope import _native
from saddlescope.declaration import class_name, declared
from saddlescope.errors import SettingsError
from saddlescope.execute import carry_out, changed, results, stretches
from saddlescope.one_run import Run
from saddlescope.progress import Progress, bar
from saddlescope.runs import Runs
from saddlescope.tables import Table

__all__ = [
    "Claims",
    "Reproduction",
    "check",
    "cite",
    "experiments",
    "observables",
    "read_run",
    "reproduce",
    "run",
    "schema",
    "systems",
    "verify",
]

Size = Literal["quick", "paper"]


def systems() -> Table:
    """The systems, with their classes and papers."""
    all_systems = declared().systems
    return Table(
        {
            "system": [one.name for one in all_systems],
            "class": [class_name(one.name) for one in all_systems],
            "about": [one.about for one in all_systems],
            "paper": [one.title or None for one in all_systems],
        }
    )


def experiments() -> Table:
    """The experiments that ship with the package: ``ss.run(name)`` runs one, ``ss.reproduce(name)``
    draws it.
    """
    rows = []
    for one in json.loads(_native.experiments()):
        facts = json.loads(_native.Plan(one["name"]).facts())
        rows.append({"name": one["name"], "runs": facts["runs"], "about": facts["about"]})
    return Table.of_rows(rows)


def schema(system: str) -> str:
    """Everything that may stand in an experiment file of a system, as a readable table."""
    return _native.schema_text(system)


def observables(system: str | os.PathLike[str], *, set: Mapping[str, Any] | None = None) -> Table:
    """All that a system can record, and what its runs come to: unit and meaning of each family of
    columns, and its shape in this problem (none where these settings have no such column). A
    shipped experiment or a file names the problem of its first run.
    """
    plan = _native.Plan(os.fspath(system), None, changed("quick", set, None, None))
    listing = json.loads(plan.listing())
    kinds = [("observable", listing["observables"]), ("outcome", listing["outcomes"])]
    rows = [(kind, one) for kind, families in kinds for one in families]
    table: dict[str, list[Any]] = {"kind": [kind for kind, _ in rows]}
    for name in ("name", "shape", "unit", "meaning", "when"):
        table[name] = [one[name] for _, one in rows]
    return Table(table)


def cite(system: str | None = None) -> str:
    """How to cite the program and all papers, or the paper of one system, as text and BibTeX."""
    return _native.cite(system)


def run(
    experiment: str | os.PathLike[str],
    *,
    set: Mapping[str, Any] | None = None,
    vary: Mapping[str, Any] | None = None,
    seeds: int | range | Sequence[int] | None = None,
    size: Size = "quick",
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress = None,
) -> Run | Runs:
    """Run a shipped experiment or a system by its name, or a file.

    A system by its name is its declared defaults.

    ``set`` changes settings by their dotted keys (``{"system.rank": 2}``), ``vary`` runs every
    combination of values (``{"start.scale": "0.01..1:log8"}``), ``seeds`` are how many or which,
    ``size`` is the file's own or the paper's. ``out`` is the folder in which the runs are kept:
    interrupted ones go on there, finished ones are not run twice.
    """
    name = os.fspath(experiment)
    stretch = stretches(seeds)
    if len(stretch) > 1:
        raise SettingsError("`seeds` has gaps, but an experiment's seeds follow each other")
    plan = _native.Plan(name, None, changed(size, set, vary, stretch[0]))
    return results([carry_out(plan, name, out, force, progress)], several=seeds is not None)


def read_run(folder: str | os.PathLike[str]) -> Run | Runs:
    """The run, or the runs, that a folder keeps."""
    place = os.fspath(folder)
    plan = _native.Plan.of_folder(place)
    return results([plan.read(place)], several=False)


class Claims(Table):
    """Claims of the papers with their verdicts; ``evidence`` has every number."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        columns = ("id", "place", "verdict", "recorded", "statement", "seconds")
        rows = found["claims"]
        super().__init__({name: [row[name] for row in rows] for name in columns})
        self.caption: str = found["summary"]
        self.evidence: list[dict[str, Any]] = rows

    @property
    def as_recorded(self) -> bool:
        """Whether every verdict is the one on record."""
        return all(row["verdict"] == row["recorded"] for row in self)


def check(*names: str, seed: int | None = None, progress: Progress = None) -> Claims:
    """Check claims of the papers: those of systems, single ones by their ids, or all where none is
    named.
    """
    with bar("claims", progress) as told:
        return Claims(json.loads(_native.check(list(names), seed, None, told)))


def verify(*files: str | os.PathLike[str]) -> Table:
    """Recompute the reference values of files, and compare: ``worst`` is the largest error over its
    tolerance.
    """
    return Table.of_rows(
        [row for one in files for row in json.loads(_native.verify(os.fspath(one)))]
    )


@dataclass(frozen=True)
class Reproduction:
    """A figure of a paper, made again."""

    name: str
    runs: Runs
    claims: Claims | None
    """Verdicts on the claims that go with it, if any do."""
    folder: Path
    """Where everything is: runs, ``table.csv``, ``figure.svg``, ``figure.png`` and ``figure.pdf``.
    """

    def _repr_svg_(self) -> str:
        return (self.folder / "figure.svg").read_text(encoding="utf-8")

    def __repr__(self) -> str:
        verdicts = f"; {self.claims.caption}" if self.claims else ""
        return f"<{self.name}: {len(self.runs)} runs in {self.folder}{verdicts}>"


def reproduce(
    name: str,
    *,
    size: Size = "quick",
    out: str | os.PathLike[str] = "reproduction",
    force: bool = False,
    progress: Progress = None,
) -> Reproduction:
    """Make a figure of a paper again, ``linear-attention/fig2``, with data and verdicts, below the
    folder ``out``.
    """
    names = [one["name"] for one in json.loads(_native.experiments())]
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        raise SettingsError(f"there is no shipped experiment `{name}`{hint}")
    plan = _native.Plan(name, None, changed(size))
    facts = json.loads(plan.facts())
    folder = Path(out) / facts["group"] / (facts["name"] + ("-paper" if size == "paper" else ""))
    runs = results([carry_out(plan, name, folder, force, progress)], several=True)
    assert isinstance(runs, Runs)
    claims = None
    if facts["claims"]:
        with bar("claims", progress) as told:
            found = _native.check(facts["claims"], None, str(folder), told)
        claims = Claims(json.loads(found))
    return Reproduction(name, runs, claims, folder)
