"""PyTorch and JAX beside Saddlescope: steps of training of the standard transformer, in float32.

Forward, backward and update on a fixed batch. Several ways are timed for each library, and the fastest counts:

    plain           the model as it is usually written, unembedding only where the loss counts
    late            the last block asks, and goes on, only at positions where the loss counts
    sdpa            the library's own attention; slopes of ALiBi enter as a further coordinate of the keys
    pieces of N     gradients summed over pieces of N sequences that fit the cache better
    rows of N       loss and its gradient by hand, N rows of logits at a time, so that they are never all there
    16 bits         masks of dropout from 16 random bits each

each eager and compiled in PyTorch, compiled with donated buffers in JAX. With `-tuned` come the ways that are no longer how a
model is written. Parameters start by the formula of tests/oracle/README.md. Loss and gradient there, without dropout, must
agree with ours: the error is the largest deviation of a block's gradient (its norm, and its sum with weights) relative to
that norm, rounded up to a power of ten.

    transformer.py INPUTS torch|jax[-tuned]       one core
    transformer.py INPUTS torch|jax[-tuned]-all   all cores
"""

import sys
from importlib import import_module

from side import QUICK, inputs, memory, one_core, serve

LIBRARY, *HOW = sys.argv[2].split("-")
if "all" not in HOW:
    one_core()

import math
import time

import numpy as np


class Task:
    """What a row does: the model, its batch, and what loss and gradient must come to."""

    def __init__(self, given):
        self.arch = given["architecture"]
        for name, value in self.arch.items():
            setattr(self, name, value)
        assert self.norm == "before" and self.biases and not self.tied, "the only architecture of these rows"
        self.rule, self.dropout = given["rule"], given["dropout"]
        self.tokens = np.array(given["tokens"], dtype=np.int32).reshape(-1, given["length"] + 1)
        self.length, self.batch = given["length"], len(self.tokens)
        self.head = self.width // self.heads
        self.loss, self.gradient, self.scales = given["loss"], given["gradient"], given["scales"]
        self.counted = self.batch * (self.length - self.skip)

    def start(self):
        """Parameters as the peers keep them: heads side by side, query, key and value in one matrix."""
        v, d, h, e, f = self.vocabulary, self.width, self.heads, self.head, self.feedforward
        side_by_side = lambda w: w.transpose(1, 0, 2).reshape(d, d)
        out = {"embed": self.formula("embed.W_E", v, d), "unembed": self.formula("unembed.W_U", d, v)}
        out["unembed_bias"] = self.formula("unembed.b_U", v)
        if self.positions == "learned":
            out["positions"] = self.formula("pos_embed.W_pos", self.context, d)
        for n in range(self.blocks):
            block = lambda name, *shape: self.formula(f"blocks.{n}.{name}", *shape)
            out[f"{n}.norm1"] = np.stack([block("ln1.w", d), block("ln1.b", d)])
            out[f"{n}.norm2"] = np.stack([block("ln2.w", d), block("ln2.b", d)])
            out[f"{n}.qkv"] = np.concatenate([side_by_side(block(f"attn.W_{x}", h, d, e)) for x in "QKV"], 1)
            out[f"{n}.qkv_bias"] = np.concatenate([block(f"attn.b_{x}", h, e).reshape(d) for x in "QKV"])
            out[f"{n}.out"], out[f"{n}.out_bias"] = block("attn.W_O", h, e, d).reshape(d, d), block("attn.b_O", d)
            out[f"{n}.up"], out[f"{n}.up_bias"] = block("mlp.W_in", d, f), block("mlp.b_in", f)
            out[f"{n}.down"], out[f"{n}.down_bias"] = block("mlp.W_out", f, d), block("mlp.b_out", d)
            if self.positions == "alibi":
                out[f"{n}.slopes"] = block("attn.slopes", h)
        out["norm"] = np.stack([self.formula("ln_final.w", d), self.formula("ln_final.b", d)])
        return {name: part.astype(np.float32) for name, part in out.items()}

    def formula(self, name, *shape):
        b = sum((k + 1) * byte for k, byte in enumerate(name.encode())) % 1009
        i = np.arange(math.prod(shape), dtype=np.float64)
        kind = "norms" if name.endswith(".w") else "slopes" if name.endswith(".slopes") else "weights"
        base = self.scales.get(f"{kind}_base", 0.0)
        return (base + self.scales[kind] * np.sin(1 + 0.7 * i + 1.3 * b + 0.01 * i * i)).reshape(shape)

    def blocks_of(self, parts):
        """The same parts by the names, and in the order, of the model's definition."""
        d, h, e = self.width, self.heads, self.head
        yield "embed.W_E", parts["embed"]
        yield "unembed.W_U", parts["unembed"]
        yield "unembed.b_U", parts["unembed_bias"]
        if self.positions == "learned":
            yield "pos_embed.W_pos", parts["positions"]
        for n in range(self.blocks):
            for index, letter in enumerate("QKV"):
                columns = slice(index * d, (index + 1) * d)
                yield f"blocks.{n}.attn.W_{letter}", parts[f"{n}.qkv"][:, columns].reshape(d, h, e).transpose(1, 0, 2)
                yield f"blocks.{n}.attn.b_{letter}", parts[f"{n}.qkv_bias"][columns]
            for norm in (1, 2):
                yield f"blocks.{n}.ln{norm}.w", parts[f"{n}.norm{norm}"][0]
                yield f"blocks.{n}.ln{norm}.b", parts[f"{n}.norm{norm}"][1]
            names = {"out": "attn.W_O", "out_bias": "attn.b_O", "up": "mlp.W_in", "up_bias": "mlp.b_in", "down": "mlp.W_out"}
            names |= {"down_bias": "mlp.b_out"} | ({"slopes": "attn.slopes"} if self.positions == "alibi" else {})
            for own, name in names.items():
                yield f"blocks.{n}.{name}", parts[f"{n}.{own}"]
        yield "ln_final.w", parts["norm"][0]
        yield "ln_final.b", parts["norm"][1]

    def error(self, loss, gradient):
        """How far loss and gradient are from ours."""
        worst, norms = abs(loss - self.loss) / self.loss, {name: norm for name, (norm, _) in self.gradient.items()}
        largest = max(norms.values())
        for name, part in self.blocks_of(gradient):
            part = part.astype(np.float64).reshape(-1)
            found = np.linalg.norm(part), part @ np.cos(0.3 * np.arange(part.size) + 0.1)
            # Slopes that cancel (keys' biases) are compared with the largest of all.
            scale = max(norms[name], 1e-3 * largest)
            worst = max(worst, *(abs(own - other) / scale for own, other in zip(found, self.gradient[name])))
        return float(f"1e{math.ceil(math.log10(max(worst, 1e-12)))}")


if __name__ == "__main__":
    given = inputs(sys.argv[1])
    task = Task(given)
    ways = import_module(f"transformer_{LIBRARY}").ways
    cases, notes = [], []
    for name, run, check in ways(task, "tuned" in HOW, QUICK):
        error = task.error(*check())
        run()
        used = memory(run)
        begin = time.perf_counter()
        run()
        seconds = time.perf_counter() - begin
        rate = task.batch * task.length / seconds
        notes.append(
            f"{LIBRARY}, {name}: {error:.0e} from ours; {used:.0f} MB beside data and parameters; {seconds:.2f} s in the first "
            f"turn, {rate:.0f} tokens/s"
        )
        cases.append((given["case"], name, error, 1, run))
    serve(cases, [LIBRARY, "numpy"], notes)
