"""Writes ../transformer.json: values of the standard transformer by PyTorch, in double precision.

    pip install torch==2.15.0
    python3 tests/oracle/generators/transformer.py

The model is written here from its mathematics, with gradients by PyTorch's autograd; nothing is shared with Saddlescope but
the definition in ../README.md. Before a case is written, its loss is compared with that of PyTorch's own
`TransformerEncoderLayer` (where that has the architecture), and its gradients with differences of the loss.
"""

import json
import math
import pathlib

import torch
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

FORMULA = "base + scale sin(1 + 0.7 i + 1.3 b + 0.01 i^2), b = (sum over k of (k + 1) byte_k of the name) mod 1009"
DEFAULTS = {
    "vocabulary": 11, "width": 12, "heads": 2, "blocks": 1, "feedforward": 20, "activation": "gelu", "norm": "before",
    "positions": "learned", "context": 8, "tied": False, "biases": True, "embedding_factor": 1.0, "skip": 0,
}
# How far entries are from zero: weights of norms are 1 + 0.1 .., slopes 0.3 + 0.2 .., all others `weights` ..
SCALES = {"weights": 0.35, "norms": 0.1, "slopes": 0.2, "norms_base": 1.0, "slopes_base": 0.3}


def shapes(arch):
    """Names and shapes of all parameters, in their order."""
    v, d, h, f = arch["vocabulary"], arch["width"], arch["heads"], arch["feedforward"]
    e, normed = d // h, arch["norm"] != "none"

    def biased(name, shape, bias):
        """A weight, and its bias where there are any."""
        yield name, shape
        if arch["biases"]:
            yield name.replace(".w", ".b").replace(".W_", ".b_"), bias

    yield "embed.W_E", (v, d)
    if arch["positions"] == "learned":
        yield "pos_embed.W_pos", (arch["context"], d)
    for n in range(arch["blocks"]):
        if normed:
            yield from biased(f"blocks.{n}.ln1.w", (d,), (d,))
        for letter in "QKV":
            yield from biased(f"blocks.{n}.attn.W_{letter}", (h, d, e), (h, e))
        yield from biased(f"blocks.{n}.attn.W_O", (h, e, d), (d,))
        if arch["positions"] == "alibi":
            yield f"blocks.{n}.attn.slopes", (h,)
        if f > 0:
            if normed:
                yield from biased(f"blocks.{n}.ln2.w", (d,), (d,))
            yield from biased(f"blocks.{n}.mlp.W_in", (d, f), (f,))
            yield from biased(f"blocks.{n}.mlp.W_out", (f, d), (d,))
    if arch["norm"] == "before":
        yield from biased("ln_final.w", (d,), (d,))
    if not arch["tied"]:
        yield from biased("unembed.W_U", (d, v), (v,))


def parameters(arch, scales):
    """All parameters by the formula, as leaves."""
    out = {}
    for name, shape in shapes(arch):
        b = sum((k + 1) * byte for k, byte in enumerate(name.encode())) % 1009
        base, scale = 0.0, scales["weights"]
        if name.endswith(".w"):
            base, scale = scales["norms_base"], scales["norms"]
        elif name.endswith(".slopes"):
            base, scale = scales["slopes_base"], scales["slopes"]
        values = [base + scale * math.sin(1 + 0.7 * i + 1.3 * b + 0.01 * i * i) for i in range(math.prod(shape))]
        out[name] = torch.tensor(values).reshape(shape).requires_grad_()
    return out


def position_table(arch, length):
    d = arch["width"]
    table = torch.zeros(length, d)
    for p in range(length):
        for j in range(d):
            angle = p / 10000 ** (2 * (j // 2) / d)
            table[p, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
    return table


def activation(arch):
    return (lambda x: F.gelu(x, approximate="tanh")) if arch["activation"] == "gelu" else F.relu


def bias_of_distance(slopes, length):
    """-slope (i - j) where j <= i, else minus infinity: [heads, i, j]."""
    place = torch.arange(length, dtype=torch.float64)
    distance = place[:, None] - place[None, :]
    return (-slopes[:, None, None] * distance).masked_fill(distance < 0, -math.inf)


def embedded(arch, theta, tokens):
    x = arch["embedding_factor"] * theta["embed.W_E"][tokens]
    if arch["positions"] == "learned":
        x = x + theta["pos_embed.W_pos"][: tokens.shape[1]]
    if arch["positions"] == "sinusoidal":
        x = x + position_table(arch, tokens.shape[1])
    return x


def read_out(arch, theta, x):
    if arch["tied"]:
        return x @ theta["embed.W_E"].T
    z = x @ theta["unembed.W_U"]
    return z + theta["unembed.b_U"] if arch["biases"] else z


def forward(arch, theta, tokens):
    """Logits [sequence, position, token] and attention [block][sequence, head, query, key]."""
    length, e = tokens.shape[1], arch["width"] // arch["heads"]
    act, seen = activation(arch), []

    def norm(x, name):
        return F.layer_norm(x, x.shape[-1:], theta[f"{name}.w"], theta.get(f"{name}.b"), 1e-5)

    def add_bias(x, name):
        return x + theta[name] if name in theta else x

    def attention(x, name):
        def project(letter):
            y = torch.einsum("bld,hde->bhle", x, theta[f"{name}.W_{letter}"])
            return y + theta[f"{name}.b_{letter}"][None, :, None, :] if arch["biases"] else y

        q, k, v = (project(letter) for letter in "QKV")
        slopes = theta.get(f"{name}.slopes", torch.zeros(arch["heads"]))
        scores = torch.einsum("bhie,bhje->bhij", q, k) / math.sqrt(e) + bias_of_distance(slopes, length)
        weights = torch.softmax(scores, -1)
        seen.append(weights)
        z = torch.einsum("bhij,bhje->bhie", weights, v)
        return add_bias(torch.einsum("bhie,hed->bid", z, theta[f"{name}.W_O"]), f"{name}.b_O")

    def mlp(x, name):
        hidden = act(add_bias(x @ theta[f"{name}.W_in"], f"{name}.b_in"))
        return add_bias(hidden @ theta[f"{name}.W_out"], f"{name}.b_out")

    x = embedded(arch, theta, tokens)
    for n in range(arch["blocks"]):
        sublayers = [("ln1", "attn", attention)] + ([("ln2", "mlp", mlp)] if arch["feedforward"] > 0 else [])
        for norm_name, name, sublayer in sublayers:
            norm_name, name = f"blocks.{n}.{norm_name}", f"blocks.{n}.{name}"
            if arch["norm"] == "before":
                x = x + sublayer(norm(x, norm_name), name)
            elif arch["norm"] == "after":
                x = norm(x + sublayer(x, name), norm_name)
            else:
                x = x + sublayer(x, name)
    if arch["norm"] == "before":
        x = norm(x, "ln_final")
    return read_out(arch, theta, x), seen


def losses(arch, theta, tokens):
    """Cross entropy [sequence, position], nats."""
    logits, _ = forward(arch, theta, tokens[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")


def loss_of(arch, theta, tokens):
    return losses(arch, theta, tokens)[:, arch["skip"] :].mean()


def library_loss(arch, theta, tokens):
    """The same by `torch.nn.TransformerEncoderLayer`, or None where that has no such architecture."""
    if arch["norm"] == "none" or arch["feedforward"] == 0:
        return None
    inputs, d, h = tokens[:, :-1], arch["width"], arch["heads"]
    length, get = inputs.shape[1], lambda name, *shape: theta.get(name, torch.zeros(shape))
    x = embedded(arch, theta, inputs)
    for n in range(arch["blocks"]):
        layer = torch.nn.TransformerEncoderLayer(
            d, h, arch["feedforward"], 0.0, activation(arch), 1e-5, batch_first=True, norm_first=arch["norm"] == "before"
        )
        name = f"blocks.{n}."
        flat = lambda letter: theta[f"{name}attn.W_{letter}"].permute(0, 2, 1).reshape(d, d)
        state = {
            "self_attn.in_proj_weight": torch.cat([flat(letter) for letter in "QKV"]),
            "self_attn.in_proj_bias": torch.cat([get(f"{name}attn.b_{letter}", d).reshape(d) for letter in "QKV"]),
            "self_attn.out_proj.weight": theta[f"{name}attn.W_O"].reshape(d, d).T,
            "self_attn.out_proj.bias": get(f"{name}attn.b_O", d),
            "linear1.weight": theta[f"{name}mlp.W_in"].T, "linear1.bias": get(f"{name}mlp.b_in", arch["feedforward"]),
            "linear2.weight": theta[f"{name}mlp.W_out"].T, "linear2.bias": get(f"{name}mlp.b_out", d),
            "norm1.weight": theta[f"{name}ln1.w"], "norm1.bias": get(f"{name}ln1.b", d),
            "norm2.weight": theta[f"{name}ln2.w"], "norm2.bias": get(f"{name}ln2.b", d),
        }
        layer.load_state_dict(state)
        slopes = theta.get(f"{name}attn.slopes", torch.zeros(h))
        mask = bias_of_distance(slopes.detach(), length).repeat(len(inputs), 1, 1)
        x = layer(x, src_mask=mask)
    if arch["norm"] == "before":
        x = F.layer_norm(x, (d,), theta["ln_final.w"], theta.get("ln_final.b"), 1e-5)
    logits = read_out(arch, theta, x)[:, arch["skip"] :]
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, arch["skip"] + 1 :].flatten())


def probe(count):
    """Weights of the sums that tell entries apart."""
    return torch.cos(0.3 * torch.arange(count) + 0.1)


def check(arch, theta, tokens):
    """Both independent paths; theta has its gradients."""
    value = loss_of(arch, theta, tokens).item()
    library = library_loss(arch, theta, tokens)
    assert library is None or abs(library.item() - value) < 1e-12, (library, value)
    for name, leaf in theta.items():
        along, step = probe(leaf.numel()).reshape(leaf.shape), 1e-5
        at = lambda t: loss_of(arch, theta | {name: (leaf + t * along).detach()}, tokens).item()
        slope, expected = (at(step) - at(-step)) / (2 * step), (leaf.grad * along).sum().item()
        # A relu has corners, which a step may cross.
        assert abs(slope - expected) < 1e-7 + 1e-4 * abs(expected) * (arch["activation"] == "relu"), (name, slope, expected)


def sequences(arch, count, length):
    """Sequences with repetitions, so that attention has something to find."""
    v = arch["vocabulary"]
    spread = 1 if v < 1000 else 331
    return [[spread * (7 * s + 3 * p + p * p // (s + 2) + (p % 3) * s) % v for p in range(length + 1)] for s in range(count)]


def setting(given):
    arch = DEFAULTS | given
    count, length = arch.pop("sequences", 3), arch.pop("length", arch["context"])
    scales = SCALES | arch.pop("scales", {})
    tokens = sequences(arch, count, length)
    inputs = arch | {"formula": FORMULA, "scales": scales, "tokens": tokens}
    return arch, inputs, parameters(arch, scales), torch.tensor(tokens)


def gradient_case(name, **given):
    heads = given.pop("shown")
    arch, inputs, theta, tokens = setting(given)
    by_position = losses(arch, theta, tokens)
    loss = by_position[:, arch["skip"] :].mean()
    loss.backward()
    check(arch, theta, tokens)
    logits, attention = forward(arch, theta, tokens[:, :-1])
    close = lambda value: {"value": value, "rtol": 1e-9, "atol": 1e-13}
    expected = {
        "loss": close(loss.item()),
        "loss_per_position": close(by_position.mean(0).tolist()),
    }
    if arch["vocabulary"] < 1000:
        expected["log_probabilities_last"] = close(torch.log_softmax(logits[0, -1], -1).tolist())
    for block, head in heads:
        expected[f"attention.{block}.{head}"] = close(attention[block][0, head].tolist())
    for parameter, leaf in theta.items():
        expected[f"gradient_norm.{parameter}"] = close(leaf.grad.norm().item())
        expected[f"gradient_sum.{parameter}"] = close((leaf.grad.flatten() * probe(leaf.numel())).sum().item())
    return {"id": name, "kind": "loss_and_gradients", "inputs": inputs, "expected": expected}


def course_case(name, kind, rule, make, **given):
    arch, inputs, theta, tokens = setting(given)
    optimiser, course, norms = make(theta.values(), rule), [], []
    for _ in range(rule["steps"]):
        optimiser.zero_grad()
        loss = loss_of(arch, theta, tokens)
        loss.backward()
        course.append(loss.item())
        clip = rule.get("clip", math.inf)
        norms.append(torch.nn.utils.clip_grad_norm_(theta.values(), clip).item())
        optimiser.step()
    print(name, [f"{x:.4f}" for x in course], [f"{x:.2f}" for x in norms])
    expected = {
        "loss_before_steps": {"value": course, "rtol": 1e-9},
        "gradient_norm_before_steps": {"value": norms, "rtol": 1e-8},
        "loss_after": {"value": loss_of(arch, theta, tokens).item(), "rtol": 1e-9},
    }
    return {"id": name, "kind": kind, "inputs": inputs | rule, "expected": expected}


def adamw(leaves, rule):
    return torch.optim.AdamW(
        list(leaves), rule["rate"], tuple(rule["betas"]), rule["epsilon"], rule["weight_decay"], foreach=False
    )


def sgd(leaves, rule):
    return torch.optim.SGD(list(leaves), rule["rate"])


def cases():
    case = gradient_case
    yield case("one-block", shown=[(0, 0), (0, 1)])
    yield case("markov-like", width=15, heads=3, feedforward=8, activation="relu", skip=3, vocabulary=7, shown=[(0, 0), (0, 2)])
    yield case("text-like", blocks=2, positions="alibi", feedforward=24, shown=[(0, 0), (1, 1)])
    yield case("four-blocks-tied", blocks=4, width=8, feedforward=16, tied=True, embedding_factor=math.sqrt(8), positions="sinusoidal", shown=[(3, 1)])
    yield case("norm-after", blocks=2, norm="after", activation="relu", positions="sinusoidal", shown=[(1, 0)])
    yield case("norm-after-alibi-tied", blocks=2, norm="after", positions="alibi", tied=True, biases=False, shown=[(1, 1)])
    yield case("no-norm", blocks=2, norm="none", width=15, heads=5, feedforward=6, shown=[(0, 4), (1, 0)], scales={"weights": 0.25})
    yield case("attention-only", blocks=2, feedforward=0, width=9, heads=3, positions="learned", shown=[(0, 0), (1, 2)])
    yield case("attention-only-no-norm", blocks=2, feedforward=0, norm="none", biases=False, positions="none", width=10, heads=1, shown=[(0, 0), (1, 0)])
    yield case("no-biases", blocks=3, biases=False, width=15, heads=3, activation="relu", tied=True, skip=2, shown=[(2, 1)])
    yield case("short-sequences", blocks=1, context=9, length=5, sequences=5, positions="learned", norm="after", feedforward=0, shown=[(0, 1)])
    yield case("wide", vocabulary=37, width=24, heads=4, feedforward=48, blocks=1, context=17, length=17, sequences=2, positions="alibi", activation="gelu", skip=5, shown=[(0, 3)])
    yield case("single-token", length=1, context=4, blocks=1, norm="none", feedforward=5, activation="relu", positions="sinusoidal", embedding_factor=2.5, shown=[(0, 0)])
    yield case("many-tokens", vocabulary=2100, width=8, feedforward=8, sequences=2, skip=1, shown=[(0, 1)])
    yield case("many-tokens-tied", vocabulary=2100, width=8, feedforward=8, sequences=2, tied=True, blocks=2, positions="alibi", shown=[(1, 0)])
    adam = {"steps": 10, "rate": 3e-3, "betas": [0.9, 0.999], "epsilon": 1e-8, "weight_decay": 0.01, "clip": 1.0}
    yield course_case("adamw-one-block", "adamw_course", adam, adamw)
    text = {"blocks": 2, "positions": "alibi", "norm": "before", "biases": False}
    yield course_case("adamw-strong-decay", "adamw_course", adam | {"rate": 1e-2, "weight_decay": 0.3, "clip": 0.5}, adamw, **text)
    plain = {"steps": 10, "rate": 0.1, "momentum": 0.0}
    yield course_case("sgd-alibi", "sgd_course", plain, sgd, blocks=2, positions="alibi")
    yield course_case("sgd-norm-after", "sgd_course", plain | {"rate": 0.3}, sgd, blocks=1, norm="after", activation="relu", tied=True)


def written(cases):
    """JSON with a line for each input and each value."""
    lines = []
    for case in cases:
        block = lambda entries: ",\n".join(f"    {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
        head = f'  {{"id": {json.dumps(case["id"])}, "kind": {json.dumps(case["kind"])},\n   "inputs": {{\n'
        lines.append(f'{head}{block(case["inputs"])}}},\n   "expected": {{\n{block(case["expected"])}}}}}')
    about = "The standard transformer without dropout, by PyTorch in double precision; README.md says what the names mean."
    body = ",\n".join(lines)
    return f'{{"system": "transformer", "about": {json.dumps(about)}, "cases": [\n{body}\n]}}\n'


if __name__ == "__main__":
    path = pathlib.Path(__file__).parent.parent / "transformer.json"
    text = written(list(cases()))
    json.loads(text)
    path.write_text(text)
    print(f"{len(text) / 1000:.0f} kB")
