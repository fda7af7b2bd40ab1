"""NumPy, JAX and PyTorch beside Saddlescope: SGD with momentum on the sequences of scan and snap.

Each step sees a fresh batch: a class for each sequence, and how often each of its tokens occurs in the context, which is
all that the model sees. Y and Z are trained in float32. Sides draw their own numbers, so runs are not compared;
instead, loss and slopes at a given point are averaged over many batches on both sides, and must agree within their
standard errors (the notes say how well they do).

The process is held to one core. Several ways are timed for each library, and the fastest counts. Batches do not
depend on parameters, so they may be drawn for many steps at once ("ahead"), which suits arrays better; slopes are by
hand, beside those of the library. Counts come from NumPy's multinomial, or by halves from alias tables of binomial
numbers, as ours do.

    scan_and_snap_sgd.py INPUTS numpy       one run
    scan_and_snap_sgd.py INPUTS jax
    scan_and_snap_sgd.py INPUTS torch
    scan_and_snap_sgd.py INPUTS numpy-all   the runs of Fig. 6: one run for each number of queries is measured
    scan_and_snap_sgd.py INPUTS torch-all   the same
    scan_and_snap_sgd.py INPUTS jax-all     the ten seeds of one setting for each number of queries, vmapped
"""

import sys

from side import PACKAGES, QUICK, agreement, inputs, one_core, scaled, serve

one_core()

import numpy as np

# Batches for the comparison of losses and slopes.
COMPARED = 400 if QUICK else 2000


class Task:
    """Classes as arrays; every class has the same number of tokens and the same law."""

    def __init__(self, given, task):
        self.batch, self.draws, self.momentum = given["batch"], given["length"] - 1, given["momentum"]
        self.steps, self.seeds = given["steps"], given["seeds"]
        self.inputs, self.outputs, self.queries = task["tokens"], task["vocabulary"], task["queries"]
        classes = task["classes"]
        self.law = np.array(classes[0]["probability"])
        assert all(np.array_equal(self.law, each["probability"]) for each in classes)
        self.support = np.array([each["support"] for each in classes])
        self.query = np.array([each["query"] for each in classes])
        self.next = np.array([each["next"] for each in classes])
        # Rows to look up for a class: its query and its next token.
        self.is_query = np.eye(self.queries, dtype=np.float32)[self.query]
        self.is_next = np.eye(self.outputs, dtype=np.float32)[self.next]
        self.start = (
            np.zeros((self.inputs, self.outputs), dtype=np.float32),
            np.zeros((self.queries, self.inputs), dtype=np.float32),
        )

    def split(self, theta):
        """Y and Z from one list of numbers."""
        theta = np.array(theta, dtype=np.float32)
        cut = self.inputs * self.outputs
        return theta[:cut].reshape(self.inputs, self.outputs), theta[cut:].reshape(self.queries, self.inputs)


class Tables:
    """Binomial numbers of the splits of a law by halves: threshold and alias for each (split, trials, cell)."""

    def __init__(self, law, draws):
        from scipy.stats import binom

        self.splits, nodes = [], [(0, len(law))]
        while nodes:
            first, last = nodes.pop(0)
            if last - first > 1:
                middle = first + (last - first) // 2
                self.splits.append((first, middle, law[first:middle].sum() / law[first:last].sum()))
                nodes += [(first, middle), (middle, last)]
        self.side = draws + 1
        self.threshold = np.ones((len(self.splits), self.side, self.side), dtype=np.float32)
        self.alias = np.zeros((len(self.splits), self.side, self.side), dtype=np.int32)
        for s, (_, _, chance) in enumerate(self.splits):
            for n in range(self.side):
                weights = binom.pmf(np.arange(n + 1), n, chance) * (n + 1)
                self.threshold[s, n, : n + 1], self.alias[s, n, : n + 1] = alias(weights)
        self.threshold, self.alias = self.threshold.ravel(), self.alias.ravel()

    def counts(self, xp, integer, threshold, chosen, uniforms, whole):
        """Counts [tokens] of arrays: uniforms [splits, ...], whole the number of all tokens [...]."""
        rows = {0: whole}
        for s, (first, middle, _) in enumerate(self.splits):
            n = rows[first]
            scaled = uniforms[s] * (n + 1)
            cell = xp.minimum(integer(scaled), n)
            place = (s * self.side + n) * self.side + cell
            left = xp.where(scaled - cell < threshold[place], cell, chosen[place])
            rows[first], rows[middle] = left, n - left
        return [rows[i] for i in range(len(rows))]


def alias(weights):
    left, other = weights.tolist(), list(range(len(weights)))
    small = [i for i, w in enumerate(left) if w < 1]
    large = [i for i, w in enumerate(left) if w >= 1]
    while small and large:
        few, many = small.pop(), large[-1]
        other[few] = many
        left[many] -= 1 - left[few]
        if left[many] < 1:
            small.append(large.pop())
    return left, other


def slopes_by_hand(xp, batch, y, z, counts, is_query, is_next, loss=True):
    """Loss and slopes of a batch: counts [B, inputs], rows of queries and next tokens [B, .]."""
    raw = counts * (is_query @ xp.exp(z - z.max()))
    f = raw * ((raw * raw).sum(1) ** -0.5)[:, None]
    logits = f @ y
    raised = xp.exp(logits - xp.amax(logits, 1)[:, None])
    alpha = raised * (1 / raised.sum(1))[:, None]
    error = alpha - is_next
    pull = error @ y.T
    by_y = (f.T @ error) * (1 / batch)
    by_z = (is_query.T @ (f * (pull - f * (f * pull).sum(1)[:, None]))) * (1 / batch)
    value = -xp.log((alpha * is_next).sum(1)).mean() if loss else 0.0
    return value, by_y, by_z


def loss_as_written(xp, log_softmax, y, z, counts, is_query, is_next):
    """The loss of a batch, to be differentiated by the library; 004, Eqs. (1) and (2)."""
    raw = counts * (is_query @ xp.exp(z - z.max()))
    f = raw * ((raw * raw).sum(1) ** -0.5)[:, None]
    return -(log_softmax(f @ y) * is_next).sum(1).mean()


def numpy_ways(task, with_tables):
    generator = np.random.Generator(np.random.SFC64(0))
    tables = Tables(task.law, task.draws)
    batch, momentum = task.batch, np.float32(task.momentum)

    def dense(classes, counts):
        out = np.zeros((*classes.shape, task.inputs), dtype=np.float32)
        np.put_along_axis(out, task.support[classes], counts.astype(np.float32), -1)
        return out, task.is_query[classes], task.is_next[classes]

    def multinomial(steps):
        classes = generator.integers(len(task.query), size=(steps, batch))
        return dense(classes, generator.multinomial(task.draws, task.law, size=(steps, batch)))

    def halves(steps):
        classes = generator.integers(len(task.query), size=(steps, batch))
        uniforms = generator.random((len(tables.splits), steps, batch), dtype=np.float32)
        whole = np.full((steps, batch), task.draws, dtype=np.int32)
        integer = lambda x: x.astype(np.int32)
        counts = tables.counts(np, integer, tables.threshold, tables.alias, uniforms, whole)
        return dense(classes, np.stack(counts, -1))

    library = (("multinomial", multinomial, 1), ("multinomial, 20 steps ahead", multinomial, 20))
    tabled = (("by halves, 20 steps ahead", halves, 20), ("by halves, 100 steps ahead", halves, 100))
    for name, draw, ahead in tabled if with_tables else library:
        def run(start=task.start, rates=(1.0, 1.0), draw=draw, ahead=ahead):
            (y, z), (rate_y, rate_z) = (part.copy() for part in start), map(np.float32, rates)
            v, w = np.zeros_like(y), np.zeros_like(z)
            for _ in range(0, task.steps, ahead):
                for counts, is_query, is_next in zip(*draw(ahead)):
                    _, by_y, by_z = slopes_by_hand(np, np.float32(batch), y, z, counts, is_query, is_next, False)
                    v *= momentum
                    v += by_y
                    w *= momentum
                    w += by_z
                    y -= rate_y * v
                    z -= rate_z * w
            return y

        def evaluate(y, z, draw=draw):
            counts, is_query, is_next = (each[0] for each in draw(1))
            return slopes_by_hand(np, np.float32(batch), y, z, counts, is_query, is_next)

        yield name, run, evaluate


def jax_ways(task, seeds=None):
    import jax
    import jax.numpy as jnp

    tables = Tables(task.law, task.draws)
    threshold, chosen = jnp.asarray(tables.threshold), jnp.asarray(tables.alias)
    is_query, is_next = map(jnp.asarray, (task.is_query, task.is_next))
    support = jnp.asarray(task.support)
    batch = np.float32(task.batch)

    def draw(key, shape):
        one, two = jax.random.split(key)
        classes = jax.random.randint(one, shape, 0, len(task.query))
        uniforms = jax.random.uniform(two, (len(tables.splits), *shape))
        integer = lambda x: x.astype(jnp.int32)
        counts = tables.counts(jnp, integer, threshold, chosen, uniforms, jnp.full(shape, task.draws, jnp.int32))
        return classes, jnp.stack(counts, -1).astype(jnp.float32)

    def spread(classes, counts):
        rows = jnp.arange(counts.shape[0])[:, None]
        dense = jnp.zeros((counts.shape[0], task.inputs), jnp.float32).at[rows, support[classes]].set(counts)
        return dense, is_query[classes], is_next[classes]

    def hand(y, z, *data):
        return slopes_by_hand(jnp, batch, y, z, *data, loss=False)

    def autodiff(y, z, *data):
        loss = lambda y, z: loss_as_written(jnp, jax.nn.log_softmax, y, z, *data)
        value, (by_y, by_z) = jax.value_and_grad(loss, (0, 1))(y, z)
        return value, by_y, by_z

    start = tuple(map(jnp.asarray, task.start))
    ways = [
        ("by hand, in the loop, unsafe_rbg", hand, False, "unsafe_rbg"),
        ("by hand, ahead, unsafe_rbg", hand, True, "unsafe_rbg"),
        ("by hand, ahead, threefry2x32", hand, True, "threefry2x32"),
        ("autodiff, ahead, unsafe_rbg", autodiff, True, "unsafe_rbg"),
    ]
    for name, slopes, ahead, generator in ways if seeds is None else ways[:2]:
        def loop(start, rates, key, slopes=slopes, ahead=ahead):
            def step(state, given):
                y, z, v, w = state
                data = given if ahead else draw(given, (task.batch,))
                _, by_y, by_z = slopes(y, z, *spread(*data))
                v, w = task.momentum * v + by_y, task.momentum * w + by_z
                return (y - rates[0] * v, z - rates[1] * w, v, w), None

            each = draw(key, (task.steps, task.batch)) if ahead else jax.random.split(key, task.steps)
            y, z = start
            return jax.lax.scan(step, (y, z, jnp.zeros_like(y), jnp.zeros_like(z)), each)[0][0]

        key = jax.random.key(0, impl=generator)
        rates = jnp.array([1.0, 1.0], jnp.float32)
        if seeds is None:
            compiled = jax.jit(loop)
            run = lambda compiled=compiled, key=key: jax.block_until_ready(compiled(start, rates, key))
        else:
            compiled = jax.jit(jax.vmap(loop, (0, None, 0)))
            keys = jax.random.split(key, seeds)
            many = tuple(jnp.stack([part] * seeds) for part in map(jnp.asarray, noisy(task)))
            run = lambda compiled=compiled, keys=keys, many=many: jax.block_until_ready(compiled(many, rates, keys))

        def one(y, z, key, slopes=slopes):
            data = spread(*draw(key, (task.batch,)))
            _, by_y, by_z = slopes(y, z, *data)
            return loss_as_written(jnp, jax.nn.log_softmax, y, z, *data), by_y, by_z

        one = jax.jit(one)
        keys = iter(jax.random.split(jax.random.key(1, impl=generator), COMPARED))
        yield name, run, lambda y, z, one=one, keys=keys: one(y, z, next(keys))


def torch_ways(task, with_tables):
    import torch

    torch.set_num_threads(1)
    tables = Tables(task.law, task.draws)
    threshold, chosen = torch.tensor(tables.threshold), torch.tensor(tables.alias)
    support, is_query, is_next = map(torch.tensor, (task.support, task.is_query, task.is_next))
    batch = float(task.batch)
    law = torch.tensor(task.law, dtype=torch.float32)

    def counted(steps):
        tokens = torch.multinomial(law.expand(steps * task.batch, -1), task.draws, replacement=True)
        counts = torch.zeros((steps * task.batch, len(law)))
        counts.scatter_add_(1, tokens, torch.ones(tokens.shape))
        return counts.reshape(steps, task.batch, -1)

    def halved(steps):
        uniforms = torch.rand((len(tables.splits), steps, task.batch))
        whole = torch.full((steps, task.batch), task.draws, dtype=torch.int32)
        integer = lambda x: x.to(torch.int32)
        return torch.stack(tables.counts(torch, integer, threshold, chosen, uniforms, whole), -1).to(torch.float32)

    def draw(steps):
        classes = torch.randint(len(task.query), (steps, task.batch))
        dense = torch.zeros((steps, task.batch, task.inputs))
        dense.scatter_(-1, support[classes], (halved if with_tables else counted)(steps))
        return dense, is_query[classes], is_next[classes]

    def steps_by_hand(y, z, v, w, rates, counts, queries, following):
        for data in zip(counts, queries, following):
            _, by_y, by_z = slopes_by_hand(torch, batch, y, z, *data, loss=False)
            v, w = task.momentum * v + by_y, task.momentum * w + by_z
            y, z = y - rates[0] * v, z - rates[1] * w
        return y, z, v, w

    ways = [("by hand, eager", steps_by_hand, 1), ("by hand, compiled, 1 per call", torch.compile(steps_by_hand), 1)]
    if not QUICK:
        ways.append(("by hand, compiled, 4 per call", torch.compile(steps_by_hand), 4))
    for name, steps, per_call in ways:
        def run(start=task.start, rates=(1.0, 1.0), steps=steps, per_call=per_call):
            y, z = map(torch.tensor, start)
            v, w, ahead = torch.zeros_like(y), torch.zeros_like(z), 100
            with torch.no_grad():
                for _ in range(0, task.steps, ahead):
                    data = draw(ahead)
                    for i in range(0, ahead, per_call):
                        y, z, v, w = steps(y, z, v, w, rates, *(each[i : i + per_call] for each in data))
            return y

        def evaluate(y, z):
            data = (each[0] for each in draw(1))
            with torch.no_grad():
                return slopes_by_hand(torch, batch, torch.tensor(y), torch.tensor(z), *data)

        yield f"{name}, drawn 100 steps ahead", run, evaluate


def noisy(task):
    """A start as the authors' for Fig. 6."""
    generator, scale = np.random.default_rng(0), task.outputs**-0.5
    return tuple(generator.uniform(-scale, scale, part.shape).astype(np.float32) for part in task.start)


if __name__ == "__main__":
    given, mode = inputs(sys.argv[1]), sys.argv[2]
    many, with_tables = "-all" in mode, mode.endswith("-tables")
    library = mode.split("-")[0]
    tasks = [Task(given, task) for task in given["tasks"]]
    if library == "jax":
        ways = [jax_ways(task, given["seeds"] if many else None) for task in tasks]
    else:
        make = torch_ways if library == "torch" else numpy_ways
        ways = [make(task, with_tables) for task in tasks]
    cases, notes = [], []
    for each in zip(*ways):
        name = each[0][0]
        flat = lambda theta: [np.ravel(part) for part in each[0][2](*tasks[0].split(theta))]
        compared = agreement([given["point"]], lambda theta: np.concatenate(flat(theta)), COMPARED, most=6)
        notes.append(f"{name}: {compared}")
        runs = [run for _, run, _ in each]
        variant = name
        if many:
            if library != "jax":
                starts = [noisy(task) for task in tasks]
                runs = [lambda run=run, start=start: run(start) for run, start in zip(runs, starts)]
            measured = given["seeds"] if library == "jax" else 1
            factor = given["settings"] * given["seeds"] / measured / given["cores"]
            variant = f"{name}; {measured} of {given['settings'] * given['seeds']} runs measured for each number of queries"
        for run in runs:
            run()
        timed = scaled(lambda runs=runs: [run() for run in runs], factor) if many else runs[0]
        cases.append((given["case"], variant, None, 1 if many or QUICK else 5, timed))
    serve(cases, PACKAGES[library], notes)
