"""Keywords, defaults and help are those of the experiment files, as the program prints them."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest
from conftest import Command

import saddlescope as ss
from saddlescope.declaration import Parameter, declared
from saddlescope.stubs import stubs

NAMES = [system.name for system in declared().systems]


def printed(text: str, header: str) -> dict[str, str]:
    """The settings of a section as `saddlescope schema` prints them, each with its default."""
    block = text.split(f"\n{header}\n")[1].split("\n\n")[0].splitlines()
    start = next(i for i, line in enumerate(block) if line.startswith("  key"))
    head = block[start]
    at = head.index("default")
    end = min(head.index(name) for name in ("unit", "meaning") if name in head)
    found = {}
    for line in block[start + 1 :]:
        if not line.startswith("   "):
            found[line.split()[0]] = line[at:end].strip()
    return found


def expected(parameter: Parameter) -> str:
    return {"required": "required", "optional": "none"}.get(parameter.presence, parameter.literal)


@pytest.mark.parametrize("name", NAMES)
def test_keywords_are_those_that_the_program_prints(name: str, program: Command) -> None:
    text = program("schema", name).stdout
    system = next(one for one in declared().systems if one.name == name)
    theirs = printed(text, "[system]")
    assert theirs.pop("name") == "required"
    assert {one.name: expected(one) for one in system.system.parameters} == theirs
    for kind in system.start.kinds:
        assert f'- "{kind.name}": {kind.about}' in text
    assert printed(text, "[record]") == {
        one.name: expected(one) for one in declared().record.parameters
    }


@pytest.mark.parametrize("name", NAMES)
def test_signatures_have_the_declared_defaults(name: str) -> None:
    system = next(one for one in declared().systems if one.name == name)
    system_class = getattr(ss, "".join(part.capitalize() for part in name.split("-")))
    signature = inspect.signature(system_class)
    assert list(signature.parameters) == [one.name for one in system.system.parameters]
    for one in system.system.parameters:
        default = signature.parameters[one.name].default
        if one.presence == "default":
            assert default == tomllib.loads(f"x = {one.literal}")["x"]
        assert one.about in system_class.__doc__
        assert one.phrase in system_class.__doc__


def test_settings_that_are_given_and_those_that_are_not() -> None:
    system = ss.LinearAttention(heads=3)
    assert (system.heads, system.rank, system.eigenvalues) == (3, 1, [0.4, 0.3, 0.2, 0.1])
    assert system.but(rank=2) == ss.LinearAttention(heads=3, rank=2)
    assert system.but(heads=None) == ss.LinearAttention()
    with pytest.raises(AttributeError, match="no setting"):
        _ = system.hats
    filled = tomllib.loads(system.flow(until=1.0).experiment)["system"]
    assert filled.pop("name") == "linear-attention"
    assert filled == {name: getattr(system, name) for name in filled}


def test_every_kind_of_start_has_a_function() -> None:
    for system in declared().systems:
        for kind in system.start.kinds:
            make = getattr(ss, kind.name.replace("-", "_") + "_start")
            known = set(inspect.signature(make).parameters)
            assert {one.name for one in kind.parameters} | {"seed"} <= known
            assert kind.about in make.__doc__


def test_optimisers_have_the_declared_settings() -> None:
    for stage in (ss.GD, ss.SGD, ss.Momentum, ss.Nesterov, ss.Adam, ss.AdamW):
        kind = declared().dynamics.kind(stage.kind)
        names = [one.name for one in kind.parameters if one.name not in stage.fixed]
        assert list(inspect.signature(stage).parameters) == ["lr", *names]
    assert ss.Adam(1e-3).settings == ss.Adam(rate=1e-3).settings == {"rate": 1e-3}
    with pytest.raises(TypeError, match="same setting"):
        ss.Adam(lr=1.0, rate=1.0)


def test_the_stubs_are_current() -> None:
    folder = Path(inspect.getfile(ss)).parent
    for name, text in stubs().items():
        there = (folder / name).read_text(encoding="utf-8")
        assert there == text, f"{name} is not current: python -m saddlescope.stubs renews it"


def test_help_speaks_of_every_keyword() -> None:
    for method in (ss.System.flow, ss.System.reduced, ss.System.train, ss.System.run):
        for name in inspect.signature(method).parameters:
            if name not in ("self", "theory", "optimiser", "stages", "batch", "sequences", "loss"):
                assert re.search(rf"\b{name}\b", method.__doc__ or ""), (method, name)
