"""Every system runs, in every way, and what comes out is what theory says."""

import numpy as np
import pytest

import saddlescope as ss


def test_the_first_example() -> None:
    system = ss.LinearAttention(eigenvalues=[0.4, 0.3, 0.2, 0.1], context=31, heads=4, rank=1)
    run = system.flow(start=ss.random_start(scale=1e-3, seed=0), until="converged")
    assert run.ended == "converged"
    assert np.all(np.diff(run.time) > 0)
    assert np.all(np.diff(run.loss) < 1e-12)
    stages = run.stages
    assert stages.columns[:6] == ["plateau", "height", "from", "to", "theory", "learned"]
    assert len(stages) == 5
    # Zhang et al.: the loss with m components learned is tr(Lambda) less what they explain.
    eigenvalues, context = np.array([0.4, 0.3, 0.2, 0.1]), 31
    drops = eigenvalues / (1 + (1 + eigenvalues.sum() / eigenvalues) / context)
    levels = 1.0 - np.concatenate([[0.0], np.cumsum(drops)])
    assert np.allclose(run.theory, levels, rtol=1e-12)
    assert np.allclose(stages["theory"], levels, rtol=1e-12)
    assert np.allclose(stages["height"], levels, rtol=2e-3)
    assert [words.count(f"learned.{m}") for m, words in enumerate(stages["learned"][1:])] == [1] * 4
    assert np.allclose(run.loss[-1], levels[-1], rtol=1e-6)
    assert np.allclose(run.crossings["level"], (levels[1:] + levels[:-1]) / 2)
    for level, time in zip(run.crossings["level"], run.crossings["time"], strict=True):
        assert np.interp(time, run.time, run.loss) == pytest.approx(level, rel=0.05)
    saddles = run.saddles()
    assert list(dict.fromkeys(saddles["near"])) == ["{}", "{1}", "{1,2}", "{1,2,3}", "{1,2,3,4}"]
    assert saddles["kind"][-1] == "minimum"
    assert np.max(saddles["residual"]) < 1e-10
    assert np.max(np.abs(run.invariants["drift"])) < 1e-9


SMALL = {
    "AssociativeRecall": {"until": 100.0},
    "LinearAttention": {"until": 100.0},
    "NgramToInduction": {"until": 100.0},
    "ScanAndSnap": {"until": 10.0},
    "SparseMarkov": {"until": 10.0},
}


@pytest.mark.parametrize("name", SMALL)
def test_each_system_flows_and_is_trained(name: str) -> None:
    system = getattr(ss, name)()
    flow = system.flow(**SMALL[name])
    assert flow.time[-1] == SMALL[name]["until"]
    assert flow.loss[-1] < flow.loss[0]
    # Gradient descent with small steps is the flow.
    trained = system.train(ss.GD(lr=1e-3), steps=20, observables=["loss"])
    end = np.interp(trained.time[-1], flow.time, flow.loss)
    fall = flow.loss[0] - end
    assert trained.loss[0] == pytest.approx(flow.loss[0], rel=1e-12)
    assert abs(trained.loss[-1] - end) <= 0.1 * abs(fall) + 1e-9


def test_text_and_chains_are_trained() -> None:
    transformer = ss.Transformer(length=8, batch=8, width=16, feedforward=16)
    run = transformer.train(ss.AdamW(lr=3e-3), steps=30, observables=["loss", "valid"])
    assert run["valid"][-1] < run["valid"][0]
    chain = ss.SparseMarkov(model="minimal", vocabulary=5, length=6, sequences=64, features=2)
    run = chain.train(ss.AdamW(lr=1e-2), steps=10, batch=32, start=ss.uniform_start(scale=0.1))
    assert len(run) > 2


def test_a_batch_asks_for_fresh_sequences() -> None:
    run = ss.LinearAttention(heads=1).train(ss.SGD(lr=1e-2), steps=5, batch=16)
    assert (run.settings["system"]["loss"], run.settings["system"]["batch"]) == ("online", 16)
    kept = ss.LinearAttention(heads=1, loss="minibatch", sequences=64)
    run = kept.train(ss.SGD(lr=1e-2), steps=5, batch=16)
    assert run.settings["system"]["loss"] == "minibatch"


def test_stages_one_after_the_other() -> None:
    system = ss.LinearAttention(heads=2)
    run = system.run([ss.Flow(until=20.0), ss.Nesterov(lr=1e-2, steps=30, momentum=0.8)])
    kinds = [stage["kind"] for stage in run.settings["dynamics"]]
    assert kinds == ["flow", "momentum"]
    assert run.settings["dynamics"][1]["nesterov"] is True
    assert list(run.endings["ended"]) == ["end", "end"]
    assert run.endings["step"][-1] - run.endings["step"][0] == 30


def test_seeds_and_variations() -> None:
    system = ss.LinearAttention(heads=2)
    runs = system.flow(seeds=[1, 2, 5], until=10.0, vary={"start.scale": [0.01, 0.1]})
    assert isinstance(runs, ss.Runs)
    assert sorted((run.seed, run.varied["start.scale"]) for run in runs) == [
        (seed, scale) for seed in (1, 2, 5) for scale in (0.01, 0.1)
    ]
    assert len(runs.table) == 6
    assert set(runs.table["start.scale"]) == {0.01, 0.1}
    first = [run.loss[-1] for run in runs]
    assert np.array_equal(np.sort(runs.table["end.loss"]), np.sort(first))
    words = system.flow(until=10.0, vary={"system.rank": "1..3"})
    assert [run.settings["system"]["rank"] for run in words] == [1, 2, 3]
    assert len(system.flow(until=1.0, seeds=2)) == 2


def test_several_seeds_side_by_side() -> None:
    runs = ss.run("linear-attention/fig1", seeds=range(4, 7))
    table = runs.stages
    assert list(table["jump"]) == ["1 to 2", "2 to 3", "3 to 4", "4 to 5"]
    assert np.all(table["runs"] == 3)
    assert np.all(np.diff(table["time"]) > 0)


def test_other_losses_along_a_run() -> None:
    """What one model loses elsewhere is what a run with those settings starts from."""
    system = ss.LinearAttention(eigenvalues=[0.4, 0.2], heads=2)
    start = ss.random_start(scale=0.3, seed=1)
    others = [{"name": "short", "system": {"context": 5}}]
    run = system.flow(start=start, until=20.0, evaluate=others)
    assert isinstance(run, ss.Run)
    alone = system.but(context=5).flow(start=start, until=20.0)
    assert run["evaluate.short.loss"][0] == alone.loss[0] != run.loss[0]
    plain = system.flow(start=start, until=20.0)
    assert np.array_equal(plain.loss, run.loss)
    levels = [one for one in run.predictions["levels"] if one.of == "evaluate.short.loss"]
    assert len(levels[0].values) == 3
    many = system.flow(start=start, until=20.0, evaluate=others, vary={"system.context": [5, 9]})
    same, other = many[0], many[1]
    assert np.array_equal(same["evaluate.short.loss"], same.loss)
    assert not np.array_equal(other["evaluate.short.loss"], other.loss)
    with pytest.raises(ss.SettingsError, match="evaluate.system.heads` changes the shape"):
        system.flow(until=1.0, evaluate=[{"name": "more", "system": {"heads": 3}}])


def test_instruments() -> None:
    run = ss.LinearAttention(heads=2, eigenvalues=[0.7, 0.3]).train(
        ss.GD(lr=0.2), steps=8000, start=ss.random_start(scale=0.05, seed=1)
    )
    causes = run.attribute(draws=1)
    assert len(causes) == 2
    # The run notes the first whole step behind a level, attribution the time between steps.
    late = run.crossings["time"] - causes["training"]
    assert np.all((late >= 0.0) & (late <= 2 * 0.2))
    shift = causes["training"] - causes["flow"]
    assert np.allclose(causes["step size"], shift, atol=1e-6)
    flow = ss.LinearAttention(heads=2, eigenvalues=[0.7, 0.3]).flow(seed=1)
    assert list(flow.guard()["finding"]) == ["stands", "stands"]
    assert len(flow.find_stages(least_drop=0.9)) < len(flow.stages)
    assert set(flow.saddles("known")["near"]) >= {"{}", "{1}", "{1,2}"}
    with pytest.raises(ValueError, match="'slowest'"):
        flow.saddles("slow")  # type: ignore[arg-type]
