"""Data frames, figures and tables agree with the numbers that they are made of."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest

import saddlescope as ss

matplotlib.use("agg")


@pytest.fixture(scope="module")
def run() -> ss.Run:
    return ss.LinearAttention(heads=2).flow(until=500.0)


def test_data_frames_agree(run: ss.Run) -> None:
    columns = run.columns()
    assert list(columns)[:4] == ["time", "step", "loss", "gradient.norm"]
    assert "head.0.key[0,3]" in columns
    pandas, polars, arrow = run.to_pandas(), run.to_polars(), run.to_arrow()
    assert list(pandas.columns) == polars.columns == arrow.column_names == list(columns)
    for name, data in columns.items():
        assert np.array_equal(pandas[name].to_numpy(), data)
        assert np.array_equal(polars[name].to_numpy(), data)
        assert np.array_equal(arrow[name].to_numpy(), data)


def test_single_numbers_are_shared_with_arrow(run: ss.Run) -> None:
    (chunk,) = run.to_arrow()["loss"].chunks
    theirs = chunk.buffers()[1].address
    assert theirs == run.loss.__array_interface__["data"][0]


def test_tables() -> None:
    table = ss.Table({"a": [1, 2], "b": [0.5, None], "c": ["x", "<y>"]}, caption="three")
    assert len(table) == 2
    assert table[1] == {"a": 2, "b": None, "c": "<y>"}
    assert table["a"].dtype == np.int64
    assert np.isnan(table["b"][1])
    assert table.to_dicts() == list(table)
    assert repr(table) == "three\na    b  c\n1  0.5  x\n2       <y>"
    assert "&lt;y&gt;" in table._repr_html_()
    assert table.to_pandas()["b"].isna().tolist() == [False, True]
    assert table.to_polars()["b"].to_list() == table.to_arrow()["b"].to_pylist() == [0.5, None]
    with pytest.raises(KeyError, match="a, b, c"):
        table["d"]
    with pytest.raises(ValueError, match="equally long"):
        ss.Table({"a": [1], "b": []})
    assert ss.Table.of_rows([{"a": 1}, {"b": 2}]).to_dicts() == [
        {"a": 1, "b": None},
        {"a": None, "b": 2},
    ]


def test_plots_show_what_was_recorded(run: ss.Run) -> None:
    (axes,) = run.plot().axes
    line = axes.get_lines()[0]
    assert np.array_equal(line.get_ydata(), run.loss)
    assert np.array_equal(line.get_xdata(), run.time)
    dashed = [one.get_ydata()[0] for one in axes.get_lines()[1:]]
    assert np.allclose(dashed, run.theory)
    assert len(axes.patches) == len(run.stages)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    (axes,) = run.plot("head.*.value", x="step", log=False, theory=False).axes
    assert [one.get_label() for one in axes.get_lines()] == ["head.0.value", "head.1.value"]
    assert np.array_equal(axes.get_lines()[1].get_xdata(), run.step)
    given = matplotlib.figure.Figure().subplots()
    assert run.plot("head.0.key[0,1]", ax=given) is given.figure
    with pytest.raises(ss.NotRecorded):
        run.plot("head.9.value")


def test_figures_are_written(run: ss.Run, tmp_path: Path) -> None:
    for ending, begins in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        run.figure(tmp_path / f"figure.{ending}")
        assert begins in (tmp_path / f"figure.{ending}").read_bytes()[:200]
    assert run.figure()._repr_svg_() == (tmp_path / "figure.svg").read_text(encoding="utf-8")
    with pytest.raises(ss.SettingsError, match=r"\.svg, \.png or \.pdf"):
        run.figure(tmp_path / "figure.gif")


def test_what_people_see(run: ss.Run) -> None:
    assert repr(run).startswith("<Run of linear-attention, seed 0: end at time 500")
    runs = ss.LinearAttention(heads=2).flow(until=5.0, seeds=2)
    assert repr(runs).startswith("<2 Runs of linear-attention>\nseed")
    assert runs._repr_html_().count("<tr>") == 3
    assert repr(ss.LinearAttention(heads=2)) == "LinearAttention(heads=2)"
    assert repr(ss.random_start(scale=0.1, seed=2)) == "random_start(scale=0.1, seed=2)"
    assert repr(ss.Adam(lr=0.1)) == "Adam(rate=0.1)"
