"""Models of PyTorch and JAX whose plateaus, times and saddles are known in closed form."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import saddlescope as ss

Reals = npt.NDArray[np.float64]

# A two-layer linear network, L = 1/2 |W2 W1 - M|^2 (white inputs): A. M. Saxe, J. L. McClelland and
# S. Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep linear neural
# networks", 2014. From a balanced start along the singular vectors of M, each mode learns on its
# own: u(t) = s e^{2st} / (e^{2st} - 1 + s/u0).

STRENGTHS = np.array([2.0, 1.0, 0.5])
HIDDEN = 4
SMALL = 1e-6


def sigmoids(time: Reals) -> Reals:
    """The strength of each mode at each time."""
    grown = np.exp(2 * np.outer(time, STRENGTHS))
    return np.asarray(STRENGTHS * grown / (grown - 1 + STRENGTHS / SMALL))


def _when(level: float) -> float:
    """When the loss of the sigmoids is at a level."""
    early, late = 0.0, 60.0
    for _ in range(60):
        middle = 0.5 * (early + late)
        left = STRENGTHS - sigmoids(np.array([middle]))[0]
        early, late = (middle, late) if 0.5 * left @ left > level else (early, middle)
    return early


@pytest.fixture(scope="module")
def network() -> tuple[Any, Any, Reals, Reals]:
    """The network at its start, its loss, and the singular vectors of what it learns."""
    torch = pytest.importorskip("torch", reason="pip install torch, to test models of PyTorch")
    generator = np.random.default_rng(3)
    left, right = (np.linalg.qr(generator.standard_normal((3, 3)))[0] for _ in range(2))
    turn = np.linalg.qr(generator.standard_normal((HIDDEN, HIDDEN)))[0][:, :3]
    target = torch.tensor(left @ np.diag(STRENGTHS) @ right.T)

    class Network(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(3, HIDDEN, bias=False)
            self.second = torch.nn.Linear(HIDDEN, 3, bias=False)

        def forward(self, x: Any) -> Any:
            return self.second(self.first(x))

    module = Network().double()
    with torch.no_grad():
        module.first.weight.copy_(torch.tensor(np.sqrt(SMALL) * turn @ right.T))
        module.second.weight.copy_(torch.tensor(np.sqrt(SMALL) * left @ turn.T))
    white = torch.eye(3, dtype=torch.float64)

    def loss(net: Any) -> Any:
        return 0.5 * ((net(white) - target.T) ** 2).sum()

    return module, loss, left, right


def test_a_linear_network_learns_mode_by_mode(network: Any) -> None:
    module, loss, left, right = network
    model = ss.from_torch(module, loss)
    before = module.first.weight.detach().clone()
    levels = [0.5 * float((STRENGTHS[k:] ** 2).sum()) for k in range(4)]
    between = [0.5 * (high + low) for high, low in pairwise(levels)]
    run = ss.flow(model, until=60.0, rtol=1e-9, atol=1e-13, samples=600, crossings=between)
    assert run.names == ["first.weight", "second.weight"]
    assert (module.first.weight == before).all(), "the module has its own parameters again"
    whole = run["second.weight"] @ run["first.weight"]
    modes = np.einsum("ia,tij,ja->ta", left, whole, right)
    assert np.abs(modes - sigmoids(run.time)).max() < 1e-6
    # Times at which the loss is half way between two plateaus, from the sigmoids by bisection.
    for level, time in run.crossings.items():
        assert time == pytest.approx(_when(level), rel=1e-7)
    # Plateaus lie at the sums of squares that are left; what was found is within its error.
    assert len(run.stages) == 4
    for plateau, level in zip(run.stages.plateaus, levels, strict=True):
        assert abs(plateau.height - level) < 2 * plateau.height_error + 1e-6
        assert plateau.height_error < 0.05 * level + 1e-6
    for jump, level in zip(run.stages.jumps, between, strict=True):
        assert abs(jump.time - _when(level)) < 2 * jump.time_error
        assert jump.time_error < 0.02 * jump.time
    # What gradient flow conserves.
    drift = ss.invariant_drift(balance, run)["invariant"]
    assert drift.values.shape == (len(run), HIDDEN, HIDDEN)
    assert drift.most < 1e-7
    # Neither does it change from any other start, but descent with large steps changes it.
    other = 0.3 * np.random.default_rng(8).standard_normal(model.layout.size)
    smooth = ss.flow(model, other, until=20.0)
    rough = ss.descent(model, other, ss.GD(lr=0.2), steps=100)
    drifts = [ss.invariant_drift({"balance": balance}, run)["balance"] for run in (smooth, rough)]
    assert drifts[0].most < 1e-7
    assert drifts[1].most > 1e-3
    assert np.linalg.norm(drifts[0].values[0]) > 0.1, "the start is not balanced"


def balance(theta: dict[str, Any]) -> Any:
    """W1 W1^T - W2^T W2."""
    first, second = theta["first.weight"], theta["second.weight"]
    return first @ first.T - second.T @ second


@pytest.mark.parametrize("learned", [0, 1, 2])
def test_its_saddles_have_the_index_of_theory(network: Any, learned: int) -> None:
    """With r modes learned, every pair of a free hidden unit and an unlearned mode is a way out, at
    rate s_j.
    """
    module, loss, _, _ = network
    run = ss.flow(ss.from_torch(module, loss), until=60.0, samples=600)
    plateau = run.stages.plateaus[learned]
    inside = (run.time >= plateau.start) & (run.time <= plateau.end)
    row = np.flatnonzero(inside)[np.argmin(run.gradient_norm[inside])]
    found = ss.saddle(ss.from_torch(module, loss), run.at(int(row)))
    assert found.kind == "non-degenerate"
    assert found.index == (HIDDEN - learned) * (3 - learned)
    assert found.point_loss == pytest.approx(0.5 * (STRENGTHS[learned:] ** 2).sum(), rel=1e-9)
    assert found.escape_rate == pytest.approx(STRENGTHS[learned], rel=1e-6)
    assert found.spectrum is not None
    negative = np.repeat(-STRENGTHS[learned:], HIDDEN - learned)
    assert found.spectrum[: len(negative)] == pytest.approx(np.sort(negative), rel=1e-6)


def test_products_of_torch_are_exact(network: Any) -> None:
    module, loss, _, _ = network
    model = ss.from_torch(module, loss)
    generator = np.random.default_rng(5)
    theta = generator.standard_normal(model.layout.size)
    exact = ss.hessian(model, theta)
    differences = ss.hessian(lambda flat: model.evaluate(flat, 0), theta)
    assert np.abs(exact - differences).max() < 1e-7
    with pytest.warns(ss.PrecisionWarning, match=r"module\.double\(\)"):
        ss.from_torch(type(module)(), loss)


# Softmax attention that learns to copy the first of n random signs: logits K q over positions,
# value w. Enumerated, so L = 1/2 [(1 - w p_1)^2 + w^2 (p_2^2 + ... + p_n^2)]. With uniform
# attention the best value is w = 1: a saddle at loss (1 - 1/n)/2, which the flow leaves at the rate
# |dL/d logits| = sqrt((n - 1)/n)/n, along m directions.

POSITIONS = 4
WIDTH = 2


@pytest.fixture(scope="module")
def attention() -> tuple[Any, dict[str, Any]]:
    """The loss of the attention model, and a small start."""
    jax = pytest.importorskip("jax", reason="pip install jax, to test models of JAX")
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    signs = jnp.asarray(2.0 * np.array(list(np.ndindex(*[2] * POSITIONS))) - 1.0)

    def loss(params: dict[str, Any]) -> Any:
        weights = jax.nn.softmax(params["key"] @ params["query"])
        return 0.5 * jnp.mean((params["value"] * (signs @ weights) - signs[:, 0]) ** 2)

    generator = np.random.default_rng(2)
    start = {
        "key": jnp.asarray(1e-4 * generator.standard_normal((POSITIONS, WIDTH))),
        "query": jnp.asarray(1e-4 * generator.standard_normal(WIDTH)),
        "value": jnp.asarray(0.0),
    }
    return loss, start


def test_attention_waits_at_the_saddle_of_uniform_attention(attention: Any) -> None:
    loss, start = attention
    model = ss.from_jax(loss, start)
    rate = np.sqrt((POSITIONS - 1) / POSITIONS) / POSITIONS
    height = 0.5 * (1 - 1 / POSITIONS)
    run = ss.flow(model, until=400.0)
    assert run.loss[0] == pytest.approx(0.5)
    plateau = next(one for one in run.stages.plateaus if abs(one.height - height) < 1e-3)
    assert abs(plateau.height - height) < 2 * plateau.height_error < 0.01
    middle = int(np.searchsorted(run.time, np.sqrt(plateau.start * plateau.end)))
    assert run.loss[middle] == pytest.approx(height, abs=2e-3)
    row = int(np.argmin(np.where(run.loss > 0.9 * height, run.gradient_norm, np.inf)))
    found = ss.saddle(model, run.at(row))
    assert found.kind == "non-degenerate"
    assert (found.index, found.flat) == (WIDTH, (POSITIONS - 1) * WIDTH)
    assert found.point_loss == pytest.approx(height, rel=1e-10)
    assert found.escape_rate == pytest.approx(rate, rel=1e-6)
    assert found.point is not None
    assert found.point["value"] == pytest.approx(1.0, abs=1e-6)
    spectrum = (
        [-rate] * WIDTH + [0.0] * ((POSITIONS - 1) * WIDTH) + [rate] * WIDTH + [1 / POSITIONS]
    )
    assert found.spectrum == pytest.approx(np.array(spectrum), abs=1e-7)
    # The way along the unstable directions grows at that rate while the flow is near.
    near = (run.time > 20) & (np.linalg.norm(run["query"], axis=1) < 0.05)
    slope = np.polyfit(run.time[near], np.log(np.linalg.norm(run["query"][near], axis=1)), 1)[0]
    assert slope == pytest.approx(rate, rel=0.01)


def test_functions_of_jax_and_torch_arrays_need_no_adapter(attention: Any) -> None:
    import jax

    loss, start = attention
    plain = ss.flow(jax.value_and_grad(loss), start, until=30.0, times=[10.0, 20.0])
    model = ss.flow(ss.from_jax(loss, start), until=30.0, times=[10.0, 20.0])
    assert isinstance(plain.end["key"], jax.Array) and isinstance(model.end["key"], jax.Array)
    assert plain.theta == pytest.approx(model.theta, abs=1e-12)
    torch = pytest.importorskip("torch", reason="pip install torch")

    def both(theta: Any) -> tuple[Any, Any]:
        assert isinstance(theta[0], torch.Tensor)
        return sum((x**2).sum() for x in theta) / 2, theta

    run = ss.flow(both, [torch.ones(2, dtype=torch.float64)], until=1.0)
    assert torch.allclose(run.end[0], torch.exp(torch.tensor(-1.0)).double(), rtol=1e-6)


def test_a_module_stands_for_its_parameters(network: Any) -> None:
    torch = pytest.importorskip("torch", reason="pip install torch")
    module, loss, _, _ = network

    def of_parameters(theta: dict[str, Any]) -> Any:
        return loss(lambda x: torch.func.functional_call(module, theta, x))

    def both(theta: dict[str, Any]) -> tuple[Any, Any]:
        slope, value = torch.func.grad_and_value(of_parameters)(theta)
        return value, slope

    functional = ss.flow(both, module, until=5.0, times=[2.0, 4.0])
    in_place = ss.flow(ss.from_torch(module, loss), until=5.0, times=[2.0, 4.0])
    assert functional.names == in_place.names
    assert functional.theta == pytest.approx(in_place.theta, abs=1e-12)
