"""PyTorch beside Saddlescope: full-batch gradient descent of linear attention, every sequence in every epoch.

Data are drawn anew from the law that Saddlescope names: x of covariance diag(eigenvalues), w standard
normal, y = w x. Timed: the drawing once, and some epochs, scaled up to all of them.

    linear_attention_torch.py INPUTS usual    attention over the context per head, autograd, SGD, float32
    linear_attention_torch.py INPUTS tuned    the context summed up beforehand, gradients by hand, float32
"""

import sys
import time

import torch

from side import PACKAGES, QUICK, inputs, serve


def draw(given):
    """Tokens (P, N+1, D) and their targets (P, N+1); the last one is the query."""
    scale = torch.tensor(given["eigenvalues"]).sqrt()
    tokens = torch.randn(given["sequences"], given["context"] + 1, given["dimension"]) * scale
    weights = torch.randn(given["sequences"], given["dimension"])
    return tokens, torch.einsum("pnd,pd->pn", tokens, weights)


def start(given):
    rows = torch.tensor(given["start"]).reshape(given["heads"], -1)
    keys, queries = rows[:, 1:].chunk(2, dim=1)
    return rows[:, 0].clone(), keys.clone(), queries.clone()


class Attention(torch.nn.Module):
    """Linear attention with heads of rank one."""

    def __init__(self, given):
        super().__init__()
        self.v, self.k, self.q = map(torch.nn.Parameter, start(given))

    def forward(self, tokens, targets):
        context, query = tokens[:, :-1], tokens[:, -1]
        keys = torch.einsum("pnd,hd->phn", context, self.k)
        queries = torch.einsum("pd,hd->ph", query, self.q)
        mixed = torch.einsum("phn,pn->ph", keys, targets[:, :-1]) / context.shape[1]
        return torch.einsum("ph,ph,h->p", mixed, queries, self.v)


def epochs_usual(given, tokens, targets):
    model = Attention(given)
    rule = torch.optim.SGD(model.parameters(), lr=given["rate"])
    while True:
        rule.zero_grad()
        loss = torch.mean((targets[:, -1] - model(tokens, targets)) ** 2)
        loss.backward()
        rule.step()
        yield loss


def epochs_tuned(given, tokens, targets):
    beta = torch.einsum("pnd,pn->pd", tokens[:, :-1], targets[:, :-1]) / given["context"]
    query, target = tokens[:, -1].contiguous(), targets[:, -1].contiguous()
    v, k, q = start(given)
    rate = given["rate"]
    while True:
        theta = (v[:, None] * k).T @ q
        error = target - ((beta @ theta) * query).sum(1)
        slope = beta.T @ (query * error[:, None]) * (-2 / len(target))
        to_k, to_q = q @ slope.T, k @ slope
        push = rate * v[:, None]
        v, k, q = v - rate * (k * to_k).sum(1), k - push * to_k, q - push * to_q
        yield error.square().mean()


def seconds(given, epochs, measured):
    """Of the whole run: drawing, and all epochs at the speed of the first ones."""
    torch.manual_seed(0)
    begin = time.perf_counter()
    steps = epochs(given, *draw(given))
    next(steps)
    drawn = time.perf_counter()
    for _ in range(measured):
        next(steps)
    return drawn - begin + (time.perf_counter() - drawn) * (given["epochs"] - 1) / measured


def final_loss(given, epochs):
    torch.manual_seed(0)
    steps = epochs(given, *draw(given))
    return [float(next(steps).detach()) for _ in range(given["epochs"])][-1]


if __name__ == "__main__":
    given, mode = inputs(sys.argv[1]), sys.argv[2]
    epochs, measured = {"usual": (epochs_usual, 40), "tuned": (epochs_tuned, 400)}[mode]
    torch.set_grad_enabled(mode == "usual")
    case = f"D = {given['dimension']}, H = {given['heads']}, P = {given['sequences']}, {given['epochs']} epochs"
    notes = [f"PyTorch {mode}: {measured} of {given['epochs']} epochs measured, the rest extrapolated"]
    if mode == "tuned" and not QUICK:
        loss = final_loss(given, epochs)
        notes.append(f"final loss {loss:.5f} on its own draw of the data, {given['final_loss']:.5f} on ours")
    run = lambda: seconds(given, epochs, measured)
    serve([(case, f"{mode}, float32", None, 1, run)], PACKAGES["torch"], notes)
