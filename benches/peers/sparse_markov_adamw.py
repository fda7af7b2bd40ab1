"""PyTorch and JAX beside Saddlescope: steps of AdamW on the minimal model of sparse attention.

Loss and gradient of the mean cross entropy over a stored data set, all of it at each step, then clipping at norm 1 and
AdamW, all in float32. Several ways are timed for each library, and the fastest counts:

    lookup    rows of A and V are looked up by tokens, and scores gathered from them
    one-hot   tokens as unit vectors, so that everything is a product of matrices
    mixed     values are looked up, scores are products
    by hand   the products of `one-hot` with gradients written down, which share what the library would compute twice

With `-tuned`, gradients by hand are summed over pieces of the data set that fit the cache, as ours are: no longer a way to
write a model, but what the libraries' products can give.

Unit vectors are made once for the data set, not in the time. Loss and gradient at a given point must agree with ours to
1e-5 of the largest slope; ways that do not are left out, and the notes say how well the others do.

    sparse_markov_adamw.py INPUTS torch       one core
    sparse_markov_adamw.py INPUTS jax
    sparse_markov_adamw.py INPUTS torch-all   all cores
    sparse_markov_adamw.py INPUTS jax-all
    sparse_markov_adamw.py INPUTS torch-tuned one core
    sparse_markov_adamw.py INPUTS jax-tuned
"""

import os
import sys

from side import QUICK, inputs, memory, one_core, scaled, serve

LIBRARY, _, HOW = sys.argv[2].partition("-")
if HOW != "all":
    one_core()

import numpy as np

BETAS, EPSILON = (0.9, 0.999), 1e-8


class Task:
    def __init__(self, given):
        self.d, self.heads = given["vocabulary"], given["heads"]
        self.w, self.length = given["order"], given["length"]
        self.n = self.w + self.length - 1
        self.width = self.d + self.n
        self.rate, self.decay, self.bound = given["rate"], given["decay"], given["bound"]
        tokens = np.array(given["data"], dtype=np.int32).reshape(-1, self.w + self.length)
        self.columns, self.targets = tokens[:, : self.n].copy(), tokens[:, self.w :].copy()
        self.queries = self.columns[:, self.w - 1 :].copy()
        theta = np.array(given["theta"], dtype=np.float32).reshape(self.heads, -1)
        self.split = lambda rows: (
            rows[:, : self.width**2].reshape(self.heads, self.width, self.width),
            rows[:, self.width**2 :].reshape(self.heads, self.d, self.d),
        )
        self.a, self.v = self.split(theta)
        self.loss = given["loss"]
        self.gradient = self.split(np.array(given["gradient"]).reshape(self.heads, -1))
        # Query t, at column w - 1 + t, sees columns up to its own.
        seen = np.arange(self.n)[None, :] <= np.arange(self.w - 1, self.n)[:, None]
        self.mask = np.where(seen, 0, -1e30).astype(np.float32)

    def one_hot(self):
        """Tokens of the columns, and whole columns, as unit vectors."""
        tokens = np.eye(self.d, dtype=np.float32)[self.columns]
        places = np.broadcast_to(np.eye(self.n, dtype=np.float32), (len(tokens), self.n, self.n))
        return tokens, np.concatenate([tokens, places], -1)

    def error(self, loss, by_a, by_v):
        """Largest error of loss and slopes, relative to the largest slope."""
        largest = max(np.abs(part).max() for part in self.gradient)
        errors = [np.abs(np.asarray(found) - part).max() / largest for found, part in zip((by_a, by_v), self.gradient)]
        return float(max(abs(float(loss) - self.loss) / self.loss, *errors))


def torch_ways(task):
    import torch
    from torch.nn.functional import cross_entropy, embedding

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    b, t, n, h, d, width = len(task.columns), task.length, task.n, task.heads, task.d, task.width
    columns, queries, targets = (torch.tensor(x, dtype=torch.int64) for x in (task.columns, task.queries, task.targets))
    mask = torch.tensor(task.mask)[:, None, :]
    tokens, whole = map(torch.tensor, task.one_hot())
    asked = whole[:, task.w - 1 :].reshape(b * t, width).contiguous()
    whole_t, tokens_t = whole.transpose(1, 2).contiguous(), tokens.transpose(1, 2).contiguous()
    first = d + task.w - 1

    def looked_up_scores(a):
        # [width of the query, heads, width of the key]
        turned = a.permute(2, 0, 1).reshape(width, h * width)
        rows = (embedding(queries, turned) + turned[first:]).view(b, t, h, width)
        by_token = torch.gather(rows, 3, columns[:, None, None, :].expand(b, t, h, n))
        return by_token + rows[..., d:]

    def multiplied_scores(a):
        rows = asked @ a.permute(2, 0, 1).reshape(width, h * width)
        return torch.bmm(rows.view(b, t * h, width), whole_t).view(b, t, h, n)

    def looked_up_values(shares, v):
        values = embedding(columns, v.permute(2, 0, 1).reshape(d, h * d)).view(b, n, h, d).transpose(1, 2)
        return torch.bmm(shares.view(b, t, h * n), values.reshape(b, h * n, d))

    def multiplied_values(shares, v):
        seen = torch.bmm(shares.view(b, t * h, n), tokens)
        return seen.view(b * t, h * d) @ v.transpose(1, 2).reshape(h * d, d)

    def loss_of(scores, values):
        def loss(a, v):
            z = values(torch.softmax(scores(a) + mask, -1), v)
            return cross_entropy(z.view(b * t, d), targets.view(-1))

        return loss

    def sums(a, v, piece):
        whole, whole_t, tokens, tokens_t, asked, targets = piece
        b, matrix = len(whole), a.permute(2, 0, 1).reshape(width, h * width)
        asked, index = asked.reshape(b * t, width), targets.reshape(-1, 1)
        rows = asked @ matrix
        scores = torch.bmm(rows.view(b, t * h, width), whole_t).view(b, t, h, n)
        shares = torch.softmax(scores + mask, -1).view(b, t * h, n)
        seen = torch.bmm(shares, tokens).view(b * t, h * d)
        values = v.transpose(1, 2).reshape(h * d, d)
        logs = torch.log_softmax(seen @ values, -1)
        loss = -logs.gather(1, index).sum()
        slopes = logs.exp_()
        slopes.scatter_add_(1, index, torch.full((1, 1), -1.0).expand(b * t, 1))
        by_v = seen.T @ slopes
        by_shares = torch.bmm((slopes @ values.T).view(b, t * h, d), tokens_t)
        by_scores = shares * (by_shares - (by_shares * shares).sum(-1, keepdim=True))
        by_rows = torch.bmm(by_scores, whole).view(b * t, h * width)
        return loss, asked.T @ by_rows, by_v

    def by_hand(size, sums=sums):
        arrays = (whole, whole_t, tokens, tokens_t, asked.view(b, t, width), targets)
        pieces = list(zip(*(array.split(size) for array in arrays)))

        def slopes(a, v):
            with torch.no_grad():
                loss, by_a, by_v = map(sum, zip(*(sums(a, v, piece) for piece in pieces)))
                by_a, by_v = by_a.view(width, h, width).permute(1, 2, 0), by_v.view(h, d, d).transpose(1, 2)
                return tuple(part / (b * t) for part in (loss, by_a, by_v))

        return slopes

    def autodiff(loss):
        def slopes(a, v):
            a, v = a.detach().requires_grad_(), v.detach().requires_grad_()
            value = loss(a, v)
            value.backward()
            return value.detach(), a.grad, v.grad

        return slopes

    forms = {
        "lookup": loss_of(looked_up_scores, looked_up_values),
        "one-hot": loss_of(multiplied_scores, multiplied_values),
        "mixed": loss_of(multiplied_scores, looked_up_values),
    }
    if HOW == "tuned":
        ways = [(f"by hand, pieces of {size}, eager", by_hand(size)) for size in (50, 100, 200)]
        ways.append(("by hand, pieces of 100, compiled", by_hand(100, torch.compile(sums))))
    else:
        ways = [(f"{name}, eager", autodiff(loss)) for name, loss in forms.items()]
        ways.append(("by hand, eager", by_hand(b)))
        names = ["mixed"] if QUICK else forms
        ways += [(f"{name}, compiled", autodiff(torch.compile(forms[name]))) for name in names]
        ways.append(("by hand, compiled", by_hand(b, torch.compile(sums))))
    for name, slopes in ways:
        a, v = torch.tensor(task.a), torch.tensor(task.v)
        optimiser = torch.optim.AdamW([a, v], task.rate, BETAS, EPSILON, task.decay, foreach=True)

        def run(slopes=slopes, a=a, v=v, optimiser=optimiser):
            _, a.grad, v.grad = slopes(a, v)
            torch.nn.utils.clip_grad_norm_([a, v], task.bound)
            optimiser.step()

        yield name, run, lambda slopes=slopes: slopes(torch.tensor(task.a), torch.tensor(task.v))


def jax_ways(task):
    import jax
    import jax.numpy as jnp

    b, t, n, h, d, width = len(task.columns), task.length, task.n, task.heads, task.d, task.width
    columns, queries, targets, mask = map(jnp.asarray, (task.columns, task.queries, task.targets, task.mask))
    tokens, whole = map(jnp.asarray, task.one_hot())
    asked = whole[:, task.w - 1 :].reshape(b * t, width)
    first = d + task.w - 1

    def looked_up_scores(a, data):
        columns, queries = data[:2]
        turned = a.transpose(2, 0, 1)
        rows = turned[queries] + turned[first:]
        index = jnp.broadcast_to(columns[:, None, None, :], (b, t, h, n))
        return jnp.take_along_axis(rows[..., :d], index, 3) + rows[..., d:]

    def multiplied_scores(a, data):
        _, _, _, tokens, whole, asked = data
        rows = (asked @ a.transpose(2, 0, 1).reshape(width, h * width)).reshape(b, t * h, width)
        return jnp.einsum("bqw,bnw->bqn", rows, whole).reshape(b, t, h, n)

    def looked_up_values(shares, v, data):
        values = v.transpose(2, 0, 1)[data[0]].transpose(0, 2, 1, 3).reshape(b, h * n, d)
        return jnp.einsum("btk,bkd->btd", shares.reshape(b, t, h * n), values)

    def multiplied_values(shares, v, data):
        seen = jnp.einsum("bqn,bnd->bqd", shares.reshape(b, t * h, n), data[3])
        return seen.reshape(b * t, h * d) @ v.transpose(0, 2, 1).reshape(h * d, d)

    def loss_of(scores, values):
        def loss(a, v, data):
            shares = jax.nn.softmax(scores(a, data) + mask[:, None, :], -1)
            logs = jax.nn.log_softmax(values(shares, v, data).reshape(b * t, d), -1)
            return -jnp.take_along_axis(logs, data[2].reshape(-1, 1), 1).mean()

        return jax.value_and_grad(loss, (0, 1))

    def sums(a, v, data):
        targets, tokens, whole, asked = data
        b, asked = len(targets), asked.reshape(-1, width)
        matrix, values = a.transpose(2, 0, 1).reshape(width, h * width), v.transpose(0, 2, 1).reshape(h * d, d)
        rows = (asked @ matrix).reshape(b, t * h, width)
        scores = jnp.einsum("bqw,bnw->bqn", rows, whole).reshape(b, t, h, n)
        shares = jax.nn.softmax(scores + mask[:, None, :], -1).reshape(b, t * h, n)
        seen = jnp.einsum("bqn,bnd->bqd", shares, tokens).reshape(b * t, h * d)
        logs = jax.nn.log_softmax(seen @ values, -1)
        hit = jax.nn.one_hot(targets.reshape(-1), d)
        slopes = jnp.exp(logs) - hit
        by_v = seen.T @ slopes
        by_shares = jnp.einsum("bqd,bnd->bqn", (slopes @ values.T).reshape(b, t * h, d), tokens)
        by_scores = shares * (by_shares - (by_shares * shares).sum(-1, keepdims=True))
        by_rows = jnp.einsum("bqn,bnw->bqw", by_scores, whole).reshape(b * t, h * width)
        return -(logs * hit).sum(), asked.T @ by_rows, by_v

    def by_hand(size):
        def slopes(a, v, data):
            data = tuple(x.reshape(b // size, size, *x.shape[1:]) for x in (*data[2:5], data[5].reshape(b, t, width)))
            nothing = (jnp.float32(0), jnp.zeros((width, h * width)), jnp.zeros((h * d, d)))
            add = lambda total, piece: (jax.tree.map(jnp.add, total, sums(a, v, piece)), None)
            single = size == b
            loss, by_a, by_v = sums(a, v, [x[0] for x in data]) if single else jax.lax.scan(add, nothing, data)[0]
            by_a, by_v = by_a.reshape(width, h, width).transpose(1, 2, 0), by_v.reshape(h, d, d).transpose(0, 2, 1)
            return loss / (b * t), (by_a / (b * t), by_v / (b * t))

        return slopes

    data = (columns, queries, targets, tokens, whole, asked)
    ways = [
        ("lookup", loss_of(looked_up_scores, looked_up_values)),
        ("one-hot", loss_of(multiplied_scores, multiplied_values)),
        ("mixed", loss_of(multiplied_scores, looked_up_values)),
        ("lookup, values as products", loss_of(looked_up_scores, multiplied_values)),
        ("by hand", by_hand(b)),
    ]
    if HOW == "tuned":
        ways = [(f"by hand, pieces of {size}", by_hand(size)) for size in (50, 100, 200)]
    for name, slopes in ways:
        def step(state, data, slopes=slopes):
            theta, m, s, count = state
            _, gradient = slopes(*theta, data)
            norm = jnp.sqrt(sum((part**2).sum() for part in gradient))
            factor = jnp.minimum(1.0, task.bound / (norm + 1e-6))
            gradient = [part * factor for part in gradient]
            count = count + 1
            m = [BETAS[0] * m + (1 - BETAS[0]) * g for m, g in zip(m, gradient)]
            s = [BETAS[1] * s + (1 - BETAS[1]) * g**2 for s, g in zip(s, gradient)]
            c, e = 1 - BETAS[0] ** count, 1 - BETAS[1] ** count
            theta = [
                p * (1 - task.rate * task.decay) - task.rate * (m / c) / (jnp.sqrt(s / e) + EPSILON)
                for p, m, s in zip(theta, m, s)
            ]
            return theta, m, s, count

        step = jax.jit(step, donate_argnums=0)
        zeros = lambda: [jnp.zeros_like(task.a), jnp.zeros_like(task.v)]
        state = [([jnp.array(task.a), jnp.array(task.v)], zeros(), zeros(), jnp.float32(0))]

        def run(step=step, state=state):
            state[0] = jax.block_until_ready(step(state[0], data))

        def check(slopes=slopes):
            value, gradient = jax.jit(slopes)(jnp.array(task.a), jnp.array(task.v), data)
            return value, *gradient

        yield name, run, check


if __name__ == "__main__":
    given = inputs(sys.argv[1])
    task = Task(given)
    cases, notes = [], []
    for name, run, check in (torch_ways if LIBRARY == "torch" else jax_ways)(task):
        error = task.error(*map(np.asarray, check()))
        run()
        notes.append(f"{LIBRARY}, {name}: {error:.0e} from ours; {memory(run):.0f} MB beside data and parameters")
        steps = given["steps"]
        timed = run if steps == 1 else scaled(run, steps, measured=5)
        cases.append((given["case"], name, error, (2 if QUICK else 5) if steps == 1 else 1, timed))
    serve(cases, [LIBRARY, "numpy"], notes)
