"""JAX and PyTorch beside Saddlescope: the simplified model of associative recall on fresh batches.

Each step draws a batch of sequences (a response to each of the k! permutations, and a query), and takes one
step of gradient descent on their mean loss: dot product 1 - p, or cross entropy -ln p, where p is the
probability of the query's response. Both sides draw their own numbers, so errors are not compared; the
notes say what the exact loss is after all steps.

    associative_recall_sampled.py INPUTS jax          sequences drawn and scored one by one in the batch,
                                                      vmap, jax.grad, all steps in one scan, float32
    associative_recall_sampled.py INPUTS torch        the same in PyTorch: batched tensors, autograd, SGD
    associative_recall_sampled.py INPUTS jax-tuned    after relabelling: one softmax per step, and for each
                                                      sequence only which permutations share its response
    associative_recall_sampled.py INPUTS torch-tuned  the same in PyTorch, gradients by hand
"""

import itertools
import sys
import time

import numpy as np

from side import PACKAGES, QUICK, inputs, scaled, serve

TINY = 1e-30


def permutations(order):
    return np.array(list(itertools.permutations(range(order))))


def exact_loss(given, theta):
    """The population's dot-product loss, in float64."""
    theta = np.asarray(theta, dtype=np.float64).reshape(given["heads"], -1)
    raised = np.exp(theta[:, 1:] - theta[:, 1:].max(1, keepdims=True))
    m = theta[:, :1] ** 2 * raised / raised.sum(1, keepdims=True)
    sigma = permutations(given["order"])[:, : given["heads"]]
    scores = m[np.arange(given["heads"]), sigma].sum(1)
    shares = np.exp(scores - scores.max())
    return (1 - 1 / given["responses"]) * shares[1:].sum() / shares.sum()


def places(given):
    """places[q, t, h]: the lag of permutation t at which the query q's token at lag h + 1 stands."""
    order, heads = given["order"], given["heads"]
    listed = permutations(order)[:, ::-1]
    return np.argmax(listed[None, :, None, :] == listed[:, None, :heads, None], axis=-1)


def jax_cases(given, tuned, measured, repeats):
    import jax
    import jax.numpy as jnp

    order, heads, responses, batch = (given[name] for name in ("order", "heads", "responses", "batch"))
    count = len(permutations(order))
    place, rows = jnp.asarray(places(given)), jnp.arange(heads)

    def matrix(theta):
        return theta[:, :1] ** 2 * jax.nn.softmax(theta[:, 1:], axis=1)

    def found_usual(theta, key):
        """p of every sequence: scores of all permutations against its query, softmax, responses."""
        f_key, q_key = jax.random.split(key)
        f = jax.random.randint(f_key, (batch, count), 0, responses)
        query = jax.random.randint(q_key, (batch,), 0, count)
        m = matrix(theta)

        def one(f, query):
            attention = jax.nn.softmax(m[rows, place[query]].sum(1))
            return jnp.sum(jnp.where(f == f[query], attention, 0.0))

        return jax.vmap(one)(f, query)

    def found_tuned(theta, key):
        """The same by symmetry: queries are all alike, and two random bits make a match of one in four."""
        shares = jax.nn.softmax(matrix(theta)[rows, place[0]].sum(1))
        bits = jax.random.bits(key, (batch, count), jnp.uint8)
        match = (bits % responses == 0).at[:, 0].set(True)
        return match.astype(shares.dtype) @ shares

    found = found_tuned if tuned else found_usual
    losses = {
        "dot product": lambda theta, key: 1 - found(theta, key).mean(),
        "cross entropy": lambda theta, key: -jnp.log(found(theta, key) + TINY).mean(),
    }
    if tuned and 256 % responses:
        raise SystemExit("the tuned peer takes bits of one byte")
    start = jnp.asarray(given["start"], dtype=jnp.float32).reshape(heads, -1)
    cases, notes = [], []
    for model in given["models"]:
        slope = jax.grad(losses[model["objective"]])

        def run(theta, key, steps, slope=slope):
            step = lambda theta, key: (theta - given["rate"] * slope(theta, key), None)
            return jax.lax.scan(step, theta, jax.random.split(key, steps))[0]

        run = jax.jit(run, static_argnums=2)
        key = jax.random.key(0)
        if not QUICK:
            notes.append(note("JAX", model, exact_loss(given, run(start, key, given["steps"]))))
        jax.block_until_ready(run(start, key, measured))

        timed = scaled(lambda run=run: jax.block_until_ready(run(start, key, measured)), given["steps"] / measured)
        cases.append((model["case"], f"float32; {measured} steps measured", None, repeats, timed))
    return cases, PACKAGES["jax"], notes


def torch_cases(given, tuned, measured, repeats):
    import torch

    order, heads, responses, batch = (given[name] for name in ("order", "heads", "responses", "batch"))
    count = len(permutations(order))
    place, rows = torch.tensor(places(given)), torch.arange(heads)
    sigma = place[0]
    one_hot = torch.nn.functional.one_hot(sigma, order).to(torch.float32).reshape(count, -1)
    # One thread: the batch is small, and our side's batch runs on one thread as well.
    torch.set_num_threads(1)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            theta = torch.tensor(given["start"], dtype=torch.float32).reshape(heads, -1)
            self.beta = torch.nn.Parameter(theta[:, 0].clone())
            self.w = torch.nn.Parameter(theta[:, 1:].clone())

        def forward(self, f, query):
            m = self.beta[:, None] ** 2 * torch.softmax(self.w, dim=1)
            attention = torch.softmax(m[rows, place[query]].sum(-1), dim=-1)
            return (attention * (f == f.gather(1, query[:, None]))).sum(1)

    def steps_usual(objective):
        model = Model()
        rule = torch.optim.SGD(model.parameters(), lr=given["rate"])
        while True:
            f = torch.randint(responses, (batch, count))
            query = torch.randint(count, (batch,))
            rule.zero_grad()
            found = model(f, query)
            loss = 1 - found.mean() if objective == "dot product" else -torch.log(found + TINY).mean()
            loss.backward()
            rule.step()
            yield torch.cat([model.beta.detach()[:, None], model.w.detach()], dim=1)

    def steps_tuned(objective):
        theta = torch.tensor(given["start"], dtype=torch.float32).reshape(heads, -1)
        beta, w = theta[:, :1].clone(), theta[:, 1:].clone()
        while True:
            match = (torch.randint(responses, (batch, count), dtype=torch.uint8) == 0).to(torch.float32)
            match[:, 0] = 1
            attention = torch.softmax(w, dim=1)
            shares = torch.softmax(one_hot @ (beta**2 * attention).reshape(-1), dim=0)
            if objective == "dot product":
                means = match.mean(0)
                slope = shares * (shares @ means - means)
            else:
                slope = shares * (1 - (1 / (match @ shares + TINY)) @ match / batch)
            delta = (slope @ one_hot).reshape(heads, order)
            mean = (attention * delta).sum(1, keepdim=True)
            pull = beta**2 * attention * (delta - mean)
            beta = beta - given["rate"] * 2 * beta * mean
            w = w - given["rate"] * pull
            yield torch.cat([beta, w], dim=1)

    make = steps_tuned if tuned else steps_usual
    cases, notes = [], []
    for model in given["models"]:
        torch.manual_seed(0)
        if not QUICK:
            with torch.set_grad_enabled(not tuned):
                theta = next(itertools.islice(make(model["objective"]), given["steps"] - 1, None))
            notes.append(note("PyTorch", model, exact_loss(given, theta.numpy())))

        def timed(objective=model["objective"]):
            with torch.set_grad_enabled(not tuned):
                steps = make(objective)
                for _ in range(10):
                    next(steps)
                begin = time.perf_counter()
                for _ in range(measured):
                    next(steps)
                return (time.perf_counter() - begin) * given["steps"] / measured

        cases.append((model["case"], f"float32, one thread; {measured} steps measured", None, repeats, timed))
    return cases, PACKAGES["torch"], notes


def note(who, model, loss):
    kind = "as usually written" if "tuned" not in sys.argv[2] else "tuned"
    return f"{who}, {kind}, {model['objective']}: exact loss {loss:.2e} after all steps, {model['loss']:.2e} ours"


if __name__ == "__main__":
    kind, _, tuned = sys.argv[2].partition("-")
    make = {"jax": jax_cases, "torch": torch_cases}[kind]
    serve(*make(inputs(sys.argv[1]), bool(tuned), 2000 if tuned else 500, 1 if QUICK else 2))
