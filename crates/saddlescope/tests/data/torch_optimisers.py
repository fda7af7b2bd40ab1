"""Records short runs of PyTorch's optimisers on a small fixed function, as torch_optimisers.json.

Run with any recent PyTorch: python torch_optimisers.py. The test ../torch_optimisers.rs builds the
same optimisers by the same names and must walk the same path.
"""

import json
import pathlib

import torch
from torch.nn.utils import clip_grad_norm_
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR, ReduceLROnPlateau

STEPS = 15
SHAPES = {"first": 2, "second": 3, "third": 1}
START = [0.9, -0.4, 0.3, 1.2, -0.7, 0.05]
STIFFNESS = [0.3, 1.0, 0.1, 2.0, 0.5, 0.01]
TARGET = [0.5, 0.2, -0.3, 1.0, 0.0, 2.0]


def loss_of(theta):
    """(theta_0 theta_1 theta_2 - 1)^2/2 + sum_i stiffness_i (theta_i - target_i)^2/2."""
    stiffness = torch.tensor(STIFFNESS, dtype=theta.dtype)
    target = torch.tensor(TARGET, dtype=theta.dtype)
    product = theta[0] * theta[1] * theta[2] - 1
    return (product**2 + (stiffness * (theta - target) ** 2).sum()) / 2


def per_block(blocks):
    """The second block a hundredth as fast as the first, the third three times as fast."""
    first, second, third = blocks
    return SGD(
        [
            {"params": [first]},
            {"params": [second], "lr": 0.05 * 0.01},
            {"params": [third], "lr": 0.05 * 3},
        ],
        lr=0.05,
        momentum=0.9,
    )


OPTIMISERS = {
    "gd": lambda p: SGD(p, lr=0.1),
    "momentum": lambda p: SGD(p, lr=0.05, momentum=0.9),
    "momentum-dampened": lambda p: SGD(p, lr=0.05, momentum=0.9, dampening=0.3),
    "nesterov": lambda p: SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    "adam": lambda p: Adam(p, lr=0.05),
    "adam-other-settings": lambda p: Adam(p, lr=0.05, betas=(0.8, 0.95), eps=1e-3),
    "adamw": lambda p: AdamW(p, lr=0.05, weight_decay=0.3),
    "adamw-cosine": lambda p: AdamW(p, lr=0.05, weight_decay=0.3),
    "momentum-plateau": lambda p: SGD(p, lr=0.2, momentum=0.9),
    "momentum-clipped": lambda p: SGD(p, lr=0.05, momentum=0.9),
    "momentum-per-block": per_block,
    "clipped-then-frozen": lambda p: SGD([p[0], p[2]], lr=0.05, momentum=0.9),
}


def scheduler_of(name, optimiser):
    if name == "adamw-cosine":
        return CosineAnnealingLR(optimiser, T_max=10, eta_min=0.05 * 0.1)
    if name == "momentum-plateau":
        return ReduceLROnPlateau(
            optimiser, factor=0.5, patience=1, threshold=0.05, min_lr=0.2 * 0.2, eps=0.2 * 1e-8
        )
    return None


def record(name, dtype):
    pieces = torch.tensor(START, dtype=dtype).split(list(SHAPES.values()))
    blocks = [piece.clone().requires_grad_() for piece in pieces]
    optimiser = OPTIMISERS[name](blocks)
    scheduler = scheduler_of(name, optimiser)
    path, rates = [], []
    for _ in range(STEPS):
        for block in blocks:
            block.grad = None
        loss = loss_of(torch.cat(blocks))
        loss.backward()
        if name in ("momentum-clipped", "clipped-then-frozen"):
            clip_grad_norm_(blocks, max_norm=0.4)
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        if isinstance(scheduler, ReduceLROnPlateau):
            scheduler.step(loss.item())
        elif scheduler is not None:
            scheduler.step()
        path.append([float(value) for value in torch.cat(blocks).tolist()])
    return {"theta": path, "rate": rates}


def rounded(path, digits):
    return [[float(f"{value:.{digits}g}") for value in row] for row in path]


if __name__ == "__main__":
    cases = {}
    for name in OPTIMISERS:
        double = record(name, torch.float64)
        single = record(name, torch.float32)
        cases[name] = {
            "rate": double["rate"],
            "double": double["theta"],
            "single": rounded(single["theta"], 9),
        }
    rows = [f"{json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items()]
    version = torch.__version__.split("+")[0]
    text = f'{{"torch": "{version}", "cases": {{\n' + ",\n".join(rows) + "\n}}\n"
    pathlib.Path(__file__).with_suffix(".json").write_text(text)
