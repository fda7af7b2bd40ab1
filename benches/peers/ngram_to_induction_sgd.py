"""NumPy, JAX and PyTorch beside Saddlescope: online SGD of the two-layer model of n-gram and induction head.

Each step draws a batch of Gaussian sequences and takes one step of gradient descent on the mean loss of both
heads; all six parameters (p~, p, g, w_Q, w_K, h) are trained, with true softmax attention, in float32. Sides
draw their own numbers, so runs are not compared; instead, loss and slopes at given points are averaged over
many batches on both sides, and must agree within their standard errors (the notes say how well they do).

The process is held to one core. Several ways are timed for each library, and the fastest counts:
"autodiff" is the model as the paper writes it, batch first; "by hand" are slopes by hand on arrays [L, B], where
the first layer is one matrix product and its slopes another.

    ngram_to_induction_sgd.py INPUTS numpy   by hand
    ngram_to_induction_sgd.py INPUTS jax     both, all steps in one compiled loop, three generators
    ngram_to_induction_sgd.py INPUTS torch   both, eager and compiled, the compiled ones several steps a call
    ngram_to_induction_sgd.py INPUTS seeds   PyTorch, the fastest ways, for many runs: one is measured
"""

import functools
import sys

from side import PACKAGES, QUICK, agreement, inputs, one_core, scaled, serve

one_core()

import numpy as np

# Batches for the comparison of losses and slopes.
COMPARED = 100 if QUICK else 400


class Setting:
    """Numbers of the task, and the matrices of distances that all libraries start from."""

    def __init__(self, given):
        self.length, self.batch, self.rate = given["length"], given["batch"], given["rate"]
        self.steps, self.start = given["steps"], np.array(given["start"], dtype=np.float32)
        self.places = self.length - 2
        self.g_star = given["alpha"] / (1 + given["alpha"])
        self.h_star = 1 / (1 + given["alpha"])
        self.product = given["w_star"] ** 2
        place = np.arange(self.places)
        distance = place[:, None] - place[None, :]
        self.seen = (distance >= 0).astype(np.float32)
        self.distance = (distance * self.seen).astype(np.float32)
        self.back = (self.places - 1 - place).astype(np.float32)


def positions(xp, constants, p_tilde, p):
    """Weights that positions alone decide, in the first layer and in head 1, each with its slope."""
    seen, distance, back = constants
    first = xp.exp(-p_tilde * distance) * seen
    first = first / first.sum(1)[:, None]
    first_slope = first * ((first * distance).sum(1)[:, None] - distance)
    head = xp.exp(-p * back)
    head = head / head.sum()
    return first, first_slope, head, head * ((head * back).sum() - back)


def slopes_by_hand(xp, given, constants, theta, x):
    """Loss and slopes of a batch x [L, B]; xp is any of the three libraries."""
    p_tilde, p, g, w_q, w_k, h = (theta[i] for i in range(6))
    a, last, keys, values = w_q * w_k, x[-1], x[:-2], x[1:-1]
    first, first_slope, head, head_slope = positions(xp, constants, p_tilde, p)
    # Head 1.
    error = g * ((head @ first) @ keys) - given.g_star * keys[-1]
    along = first @ (keys @ error)
    by_g, by_p = head @ along, g * (head_slope @ along)
    by_tilde = g * (head @ (first_slope @ (keys @ error)))
    loss = error @ error
    # Head 2. Scores stay small: no need to take off the largest.
    weight = xp.exp((a * last) * (first @ keys))
    share = 1 / weight.sum(0)
    answer = (weight * values).sum(0) * share
    wanted = xp.exp((given.product * last) * keys)
    target = (wanted * values).sum(0) / wanted.sum(0)
    error = h * answer - given.h_star * target
    pull = (weight * (values - answer)) * (h * error * share * last)
    both = pull @ keys.T
    by_a, by_h = (first * both).sum(), error @ answer
    by_tilde = by_tilde + a * (first_slope * both).sum()
    loss = 0.5 * (loss + error @ error) / given.batch
    slopes = xp.stack([by_tilde, by_p, by_g, by_a * w_k, by_a * w_q, by_h]) / given.batch
    return loss, slopes


def loss_as_written(xp, softmax, given, constants, theta, x):
    """The loss of a batch x [B, L], to be differentiated by the library; 002, Eqs. (1) to (6)."""
    seen, distance, back = constants
    p_tilde, p, g, w_q, w_k, h = (theta[i] for i in range(6))
    last, keys, values = x[:, -1:], x[:, :-2], x[:, 1:-1]
    first = softmax(-p_tilde * distance + (seen - 1) * 1e9, 1)
    y = keys @ first.T
    gram = g * (y @ softmax(-p * back, 0)) - given.g_star * keys[:, -1]
    own = h * (softmax(w_q * w_k * last * y, 1) * values).sum(1)
    target = given.h_star * (softmax(given.product * last * keys, 1) * values).sum(1)
    return 0.5 * (gram**2 + (own - target) ** 2).mean()


def numpy_ways(given, setting):
    generator = np.random.Generator(np.random.SFC64(0))
    constants = (setting.seen, setting.distance, setting.back)
    x = np.empty((setting.length, setting.batch), dtype=np.float32)

    def evaluate(theta):
        generator.standard_normal(out=x, dtype=np.float32)
        loss, slopes = slopes_by_hand(np, setting, constants, theta, x)
        return [loss, *slopes]

    scratch = [np.empty((setting.places, setting.batch), dtype=np.float32) for _ in range(4)]
    rate = np.float32(setting.rate)

    def run():
        theta = setting.start.copy()
        for _ in range(setting.steps):
            generator.standard_normal(out=x, dtype=np.float32)
            theta -= rate * numpy_slopes(setting, constants, theta, x, scratch)
        return theta

    # The one that is timed, which allocates nothing large, beside the one that was compared.
    generator.standard_normal(out=x, dtype=np.float32)
    theta = np.array(given["points"][1]["theta"], dtype=np.float32)
    direct = slopes_by_hand(np, setting, constants, theta, x)[1]
    assert np.allclose(numpy_slopes(setting, constants, theta, x, scratch), direct, rtol=1e-3, atol=1e-6)
    yield "by hand, in place", run, evaluate


def numpy_slopes(given, constants, theta, x, scratch):
    """The slopes of `slopes_by_hand` in arrays that are there already."""
    p_tilde, p, g, w_q, w_k, h = theta
    scores, weight, wanted, products = scratch
    a, last, keys, values = w_q * w_k, x[-1], x[:-2], x[1:-1]
    first, first_slope, head, head_slope = positions(np, constants, p_tilde, p)
    error = np.float32(g) * ((head @ first) @ keys) - np.float32(given.g_star) * keys[-1]
    seen_error = keys @ error
    along = first @ seen_error
    np.matmul(first, keys, out=scores)
    np.multiply(scores, a * last, out=weight)
    np.exp(weight, out=weight)
    share = 1 / weight.sum(0)
    np.multiply(weight, values, out=products)
    answer = products.sum(0) * share
    np.multiply(keys, np.float32(given.product) * last, out=wanted)
    np.exp(wanted, out=wanted)
    total = wanted.sum(0)
    np.multiply(wanted, values, out=wanted)
    error = h * answer - np.float32(given.h_star) * (wanted.sum(0) / total)
    np.multiply(weight, answer, out=weight)
    np.subtract(products, weight, out=products)
    np.multiply(products, h * error * share * last, out=products)
    both = products @ keys.T
    by_a = (first * both).sum()
    by_tilde = g * (head @ (first_slope @ seen_error)) + a * (first_slope * both).sum()
    slopes = [by_tilde, g * (head_slope @ along), head @ along, by_a * w_k, by_a * w_q, error @ answer]
    return np.array(slopes, dtype=np.float32) / np.float32(given.batch)


def jax_ways(given, setting):
    import jax
    import jax.numpy as jnp

    constants = tuple(map(jnp.asarray, (setting.seen, setting.distance, setting.back)))
    softmax = lambda scores, axis: jax.nn.softmax(scores, axis=axis)
    written = jax.value_and_grad(lambda theta, x: loss_as_written(jnp, softmax, setting, constants, theta, x))
    hand = lambda theta, x: slopes_by_hand(jnp, setting, constants, theta, x)
    shapes = {
        "autodiff": (written, (setting.batch, setting.length)),
        "by hand": (hand, (setting.length, setting.batch)),
    }
    start = jnp.asarray(setting.start)
    for name, (slope, shape) in shapes.items():
        for generator in ("threefry2x32", "rbg", "unsafe_rbg"):
            def step(theta, key, slope=slope, shape=shape):
                return theta - setting.rate * slope(theta, jax.random.normal(key, shape))[1], None

            def loop(theta, key, step=step):
                return jax.lax.scan(step, theta, jax.random.split(key, setting.steps))[0]

            loop, one = jax.jit(loop), jax.jit(slope)
            key = jax.random.key(0, impl=generator)
            draw = jax.jit(lambda key, shape=shape: jax.random.normal(key, shape))
            keys = iter(jax.random.split(key, 2 * COMPARED))

            def evaluate(theta, one=one, draw=draw, keys=keys):
                loss, slopes = one(theta, draw(next(keys)))
                return [float(loss), *np.asarray(slopes)]

            yield f"{name}, scan, {generator}", lambda loop=loop, key=key: jax.block_until_ready(loop(start, key)), evaluate


def torch_ways(given, setting, only=()):
    import torch

    torch.set_num_threads(1)
    constants = tuple(map(torch.tensor, (setting.seen, setting.distance, setting.back)))
    start = torch.tensor(setting.start)

    def loss(theta, x):
        return loss_as_written(torch, torch.softmax, setting, constants, theta, x)

    def autograd(theta, x):
        with torch.enable_grad():
            theta = theta.detach().requires_grad_()
            value = loss(theta, x)
            return value.detach(), torch.autograd.grad(value, theta)[0]

    def functional(theta, x):
        """The same for the compiler, which breaks up at autograd.grad."""
        slopes, value = torch.func.grad_and_value(loss)(theta, x)
        return value, slopes

    def hand(theta, x):
        return slopes_by_hand(torch, setting, constants, theta, x)

    batch_first, batch_last = (setting.batch, setting.length), (setting.length, setting.batch)
    ways = [
        ("autodiff, eager", autograd, batch_first, 1, False),
        ("by hand, eager", hand, batch_last, 1, False),
    ]
    for per_call in (1, 5):
        how = f"compiled, {per_call} per call"
        ways.append((f"autodiff, {how}", functional, batch_first, per_call, True))
        ways.append((f"by hand, {how}", hand, batch_last, per_call, True))
    for variant, slope, shape, per_call, compiled in ways:
        if only and variant not in only:
            continue

        def steps(theta, x, slope=slope):
            for batch in x:
                theta = theta - setting.rate * slope(theta, batch)[1]
            return theta

        one = slope
        if compiled:
            steps, one = torch.compile(steps), torch.compile(slope)
        x = torch.empty((per_call, *shape))

        def run(steps=steps, x=x, per_call=per_call):
            theta = start
            # Gradients are taken inside of a step; nothing outside of it is to be remembered.
            with torch.no_grad():
                for _ in range(setting.steps // per_call):
                    theta = steps(theta, x.normal_())
            return theta

        def evaluate(theta, one=one, shape=shape):
            loss, slopes = one(torch.tensor(theta), torch.randn(shape))
            return [float(loss), *slopes.numpy()]

        yield variant, run, evaluate


# The fastest ways of PyTorch, for the row of many runs.
FASTEST = ["by hand, compiled, 1 per call", "by hand, compiled, 5 per call"]


if __name__ == "__main__":
    given, mode = inputs(sys.argv[1]), sys.argv[2]
    setting = Setting(given)
    library, only = ("torch", FASTEST) if mode == "seeds" else (mode, ())
    ways = {"numpy": numpy_ways, "jax": jax_ways, "torch": functools.partial(torch_ways, only=only)}[library]
    cases, notes = [], []
    for variant, run, evaluate in ways(given, setting):
        notes.append(f"{variant}: {agreement(given['points'], evaluate, COMPARED, most=5)}")
        run()
        if mode == "seeds":
            # As many runs side by side as there are cores, as if they did not slow each other down.
            run = scaled(run, given["seeds"] / given["cores"])
            variant = f"{variant}; one run measured, scaled to {given['seeds']}"
        cases.append((given["case"], f"{variant}", None, 1 if QUICK else 3, run))
    serve(cases, PACKAGES[library], notes)
