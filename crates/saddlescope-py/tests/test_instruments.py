"""The instruments on models that are not ours, against answers that are known."""

import math
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from conftest import in_threads, interrupted_by

import saddlescope as ss

Reals = npt.NDArray[np.float64]


def bowl(theta: Reals) -> tuple[float, Reals]:
    """1/2 sum_i i theta_i^2, whose flow is theta_i exp(-i t)."""
    curvatures = np.arange(1.0, len(theta) + 1)
    return 0.5 * float(curvatures @ theta**2), curvatures * theta


@pytest.mark.parametrize("method", ["auto", "dop853", "radau"])
def test_a_bowl_flows_as_exponentials(method: Any) -> None:
    start = np.array([1.0, -2.0, 3.0])
    times = np.linspace(0, 3, 31)
    run = ss.flow(bowl, start, until=3.0, method=method, times=times, rtol=1e-10, atol=1e-12)
    exact = start * np.exp(-np.outer(times, [1, 2, 3]))
    assert run.time == pytest.approx(times)
    assert np.abs(run.theta - exact).max() < 1e-9
    assert run.loss == pytest.approx([bowl(row)[0] for row in exact], rel=1e-8)
    assert run.end == pytest.approx(exact[-1], abs=1e-9)
    assert run.ended == "time" and run.work["calls"] >= run.work["steps"]


def test_bdf_is_read_as_radau() -> None:
    with pytest.warns(UserWarning, match="is read as .radau."):
        run = ss.flow(bowl, np.ones(2), until=1.0, method="bdf")
    assert run.end == pytest.approx(ss.flow(bowl, np.ones(2), until=1.0, method="radau").end)


def test_it_stops_where_it_should_and_notes_crossings() -> None:
    run = ss.flow(bowl, np.array([1.0]), stop_below_loss=1e-3, crossings=[0.1])
    assert run.ended == "loss"
    # loss = exp(-2 t)/2
    assert run.time[-1] == pytest.approx(math.log(500) / 2, rel=1e-7)
    assert run.crossings[0.1] == pytest.approx(math.log(5) / 2, rel=1e-7)
    run = ss.flow(bowl, np.array([1.0]), until=50.0, stop_below_gradient=1e-3)
    assert run.ended == "gradient" and run.time[-1] == pytest.approx(math.log(1000), rel=1e-6)


def test_rates_are_speeds_of_blocks() -> None:
    def both(theta: dict[str, Reals]) -> tuple[float, dict[str, Reals]]:
        return 0.5 * sum(float(x @ x) for x in theta.values()), theta

    start = {"slow": np.ones(1), "still": np.ones(2), "fast": np.ones(1)}
    run = ss.flow(both, start, until=1.0, rates={"fast": 3.0, "still": 0.0})
    assert run["slow"][-1] == pytest.approx([math.exp(-1)], rel=1e-7)
    assert run["fast"][-1] == pytest.approx([math.exp(-3)], rel=1e-7)
    assert run["still"][-1].tolist() == [1.0, 1.0]
    assert set(run.end) == set(start) and run.end["still"].shape == (2,)
    with pytest.raises(
        ss.SettingsError, match="rates name `fats`; the blocks are slow, still, fast"
    ):
        ss.flow(both, start, until=1.0, rates={"fats": 3.0})


class Pair(NamedTuple):
    weight: Any
    bias: Any


def test_structures_come_as_they_were_given() -> None:
    def nested(theta: Any) -> tuple[float, Any]:
        first, rest = theta
        assert isinstance(rest["pair"], Pair) and rest["pair"].weight.shape == (2, 3)
        loss = 0.5 * float(first**2 + (rest["pair"].weight ** 2).sum() + rest["pair"].bias ** 2)
        return loss, theta

    start = [np.float64(1.0), {"pair": Pair(np.ones((2, 3)), 2.0)}]
    run = ss.flow(nested, start, until=1.0, observables={"trace": lambda t: t[1]["pair"].weight[0]})
    assert run.names == ["0", "1.pair.weight", "1.pair.bias", "trace"]
    assert run["1.pair.weight"].shape == (len(run), 2, 3)
    assert run["trace"] == pytest.approx(np.exp(-run.time)[:, None] * np.ones(3), rel=1e-6)
    assert run.end[1]["pair"].bias == pytest.approx(2 / math.e, rel=1e-7)
    assert run.column_names()[2] == "1.pair.weight[0,1]"
    assert not run["1.pair.weight"].flags.writeable
    bare = ss.flow(nested, start, until=1.0, keep_theta=False)
    with pytest.raises(ss.SettingsError, match="keep_theta=True"):
        _ = bare.theta


class Own(Exception):
    """Nobody else's."""


def test_what_a_function_raises_goes_on_as_itself() -> None:
    raises = Counted(raising(20))
    with pytest.raises(Own) as caught:
        ss.flow(raises, np.ones(3), until=100.0)
    assert raises.calls == 20, "it is not called again"
    assert any(entry.name == "at_that_call" for entry in caught.traceback)
    with pytest.raises(Own):
        ss.saddle(Counted(raising(1)), np.ones(2))
    with pytest.raises(Own):
        ss.hessian(Counted(raising(2)), np.ones(2))
    with pytest.raises(Own):
        ss.descent(Counted(raising(2)), np.ones(2), ss.GD(lr=0.1), steps=5)
    with pytest.raises(Own):
        ss.flow(bowl, np.ones(2), until=9.0, observables={"own": Counted(raising(2), np.sum)})


class Counted:
    """A function that tells the number of each of its calls before it answers."""

    def __init__(
        self, told: Callable[[int], object], answer: Callable[[Reals], Any] = bowl
    ) -> None:
        self.calls, self.told, self.answer = 0, told, answer

    def __call__(self, theta: Reals) -> Any:
        self.calls += 1
        self.told(self.calls)
        return self.answer(theta)


def raising(number: int) -> Callable[[int], None]:
    def at_that_call(call: int) -> None:
        if call == number:
            raise Own

    return at_that_call


def test_ctrl_c_is_heard() -> None:
    interrupted = Counted(lambda call: call == 50 and signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        ss.flow(interrupted, np.ones(3), until=1e6, method="dop853")
    assert interrupted.calls <= 51


def test_other_threads_go_on() -> None:
    running = threading.Event()
    counted = Counted(lambda _: running.set())

    def count() -> None:
        running.wait()
        # Calls come and go while this thread runs.
        seen = {counted.calls}
        while len(seen) < 5:
            seen.add(counted.calls)
            time.sleep(0)

    with interrupted_by(count):
        ss.flow(counted, np.ones(3), until=1e12, method="dop853", samples=10, max_steps=10**9)


def test_instruments_work_inside_each_other_and_in_threads() -> None:
    def sharpness(theta: Reals) -> float:
        return float(np.linalg.eigvalsh(ss.hessian(bowl, theta))[-1])

    ends: list[float] = []

    def work() -> None:
        run = ss.flow(bowl, np.ones(3), until=1.0, observables={"sharpness": sharpness})
        assert run["sharpness"] == pytest.approx(np.full(len(run), 3.0), rel=1e-6)
        ends.append(float(run.end[0]))

    in_threads([work] * 4)
    assert ends == pytest.approx([math.exp(-1)] * 4, rel=1e-7)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda theta: 1.0, r"gave float, expected a pair \(loss, gradient\)"),
        (lambda theta: (theta, theta), "the loss is ndarray, expected one number"),
        (
            lambda theta: (1.0, theta[:2]),
            r"the gradient has shape \[2\] at `theta`, expected \[3\]",
        ),
        (lambda theta: (1.0, {"a": theta, "b": theta}), "the gradient has 2 arrays, expected 1"),
    ],
)
def test_what_is_wrong_with_a_function_is_said(function: Any, words: str) -> None:
    with pytest.raises(ss.SettingsError, match=words):
        ss.flow(function, np.ones(3), until=1.0)


def test_what_is_wrong_with_settings_is_said() -> None:
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("no end", {}),
        ("method is `euler`", {"until": 1.0, "method": "euler"}),
        ("samples is 1", {"until": 1.0, "samples": 1}),
        ("called `theta`", {"until": 1.0, "observables": {"theta": np.sum}}),
    ]
    for words, settings in wrong:
        with pytest.raises(ss.SettingsError, match=words):
            ss.flow(bowl, np.ones(3), **settings)
    with pytest.raises(ss.SettingsError, match="parameter `a` is str"):
        ss.flow(bowl, {"a": "text"}, until=1.0)
    with pytest.raises(ss.SettingsError, match="expected a function"):
        ss.flow(3, np.ones(3), until=1.0)  # type: ignore[arg-type]
    with pytest.raises(ss.RunFailed, match="the loss is NaN"):
        ss.flow(lambda theta: (math.nan, theta), np.ones(3), until=1.0)
    with pytest.raises(ss.SettingsError, match="rtol is -1"):
        ss.flow(bowl, np.ones(3), until=1.0, rtol=-1)


def test_a_failure_brings_what_was_recorded() -> None:
    # x' = x^3 from 1 leaves for infinity at time 1/2.
    def escapes(theta: Reals) -> tuple[float, Reals]:
        return -float(theta[0] ** 4) / 4, -(theta**3)

    with pytest.raises(ss.RunFailed, match=r"blew up at time 0\.5") as caught:
        ss.flow(escapes, np.ones(1), until=1.0)
    run = caught.value.run
    assert isinstance(run, ss.ModelRun) and run.ended == "failure"
    early = run.time < 0.49
    assert run.theta[early, 0] == pytest.approx((1 - 2 * run.time[early]) ** -0.5, rel=1e-6)
    assert run.end[0] == run.theta[-1, 0] > 100
    with (
        np.errstate(over="ignore"),
        pytest.raises(ss.RunFailed, match="training blew up") as caught,
    ):
        ss.descent(bowl, np.ones(1), ss.GD(lr=1e3), steps=500, every=1)
    assert isinstance(caught.value.run, ss.ModelRun) and len(caught.value.run) > 10
    with pytest.raises(ss.RunFailed, match="raise max_steps"):
        ss.flow(bowl, np.ones(1), until=1e6, max_steps=3, method="dop853")


def test_single_precision_is_allowed_with_a_warning() -> None:
    seen = []

    def single(theta: npt.NDArray[np.float32]) -> tuple[Any, Any]:
        seen.append(theta.dtype)
        return bowl(theta)  # type: ignore[arg-type]

    start = np.ones(2, dtype=np.float32)
    run = ss.flow(single, start, until=1.0)
    assert set(seen) == {np.dtype(np.float32)}
    assert run.end == pytest.approx(np.exp([-1, -2]), rel=1e-3)
    with pytest.warns(ss.PrecisionWarning, match="more digits than single precision"):
        ss.flow(single, start, until=0.1, rtol=1e-6)


def monkey(theta: Reals) -> tuple[float, Reals]:
    """x^3 - 3 x y^2, a saddle of order 3, with a stable direction z."""
    x, y, z = theta
    loss = x**3 - 3 * x * y**2 + z**2
    return float(loss), np.array([3 * x**2 - 3 * y**2, -6 * x * y, 2 * z])


def test_saddles_are_certified() -> None:
    simple = ss.saddle(
        lambda t: (t[0] ** 2 - 2 * t[1] ** 2, np.array([2 * t[0], -4 * t[1]])), np.full(2, 0.1)
    )
    assert (simple.kind, simple.index, simple.flat, simple.positive) == ("non-degenerate", 1, 0, 1)
    assert simple.spectrum == pytest.approx([-4.0, 2.0], rel=1e-6)
    assert simple.escape_rate == pytest.approx(4.0, rel=1e-6)
    assert simple.distance == pytest.approx(math.sqrt(0.02), rel=1e-6)
    assert simple.escape_time is not None and simple.escape_time[1] == pytest.approx(
        simple.escape_time[0], rel=1e-3
    )
    degenerate = ss.saddle(monkey, np.array([0.05, 0.02, 0.1]))
    assert (degenerate.kind, degenerate.index, degenerate.flat) == ("degenerate of order 3", 0, 2)
    assert ss.saddle(bowl, np.full(3, 0.1)).kind == "minimum"


def test_symmetries_explain_zero_curvatures() -> None:
    def hat(theta: Reals) -> tuple[float, Reals]:
        away = theta @ theta - 1
        return 0.25 * float(away**2), away * theta

    def turn(theta: Reals) -> list[Reals]:
        return [np.array([-theta[1], theta[0]])]

    found = ss.saddle(hat, np.array([0.9, 0.1]), symmetries=turn)
    assert (found.kind, found.flat, found.symmetric) == ("minimum", 1, 1)
    assert ss.saddle(hat, np.array([0.9, 0.1])).kind == "minimum, 1 flat"


def test_hessians_are_those_of_the_loss() -> None:
    generator = np.random.default_rng(0)
    raw = generator.standard_normal((6, 6))
    matrix = raw + raw.T

    def form(theta: Reals) -> tuple[float, Reals]:
        return float(0.5 * theta @ matrix @ theta + np.sum(theta**4)), matrix @ theta + 4 * theta**3

    at = generator.standard_normal(6)
    exact = matrix + np.diag(12 * at**2)
    assert np.abs(ss.hessian(form, at) - exact).max() < 1e-6
    given = ss.hessian(form, at, hvp=lambda theta, v: exact @ v)
    assert np.abs(given - exact).max() < 1e-14


def test_rules_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch", reason="pip install torch")
    start = np.array([1.0, -2.0, 0.5])
    rules: list[tuple[ss.Stage, Any]] = [
        (ss.GD(lr=0.05), lambda p: torch.optim.SGD(p, lr=0.05)),
        (ss.Momentum(lr=0.02, momentum=0.8), lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.8)),
        (ss.Nesterov(lr=0.02), lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9, nesterov=True)),
        (ss.Adam(lr=0.05), lambda p: torch.optim.Adam(p, lr=0.05)),
        (
            ss.AdamW(lr=0.05, weight_decay=0.1),
            lambda p: torch.optim.AdamW(p, lr=0.05, weight_decay=0.1),
        ),
    ]
    for rule, optimiser in rules:
        run = ss.descent(bowl, start, rule, steps=50, every=1)
        theta = torch.tensor(start, requires_grad=True)
        peer = optimiser([theta])
        for step in range(50):
            assert run.theta[step] == pytest.approx(theta.detach().numpy(), rel=1e-12, abs=1e-14)
            theta.grad = torch.tensor(bowl(theta.detach().numpy())[1])
            peer.step()
        assert len(run) == 51 and run.ended == "steps"


def test_batches_know_their_step() -> None:
    seen: list[int] = []

    def batch(theta: Reals, step: int) -> tuple[float, Reals]:
        seen.append(step)
        return bowl(theta)

    ss.descent(batch, np.ones(2), ss.GD(lr=0.1), steps=5, batches=True)
    assert seen == [0, 1, 2, 3, 4, 5]
    with pytest.raises(ss.SettingsError, match="expected one such as"):
        ss.descent(bowl, np.ones(2), ss.Flow(), steps=5)
    with pytest.raises(ss.SettingsError, match="no rate"):
        ss.descent(bowl, np.ones(2), ss.Adam(), steps=5)
