"""Reference cases of kind `evaluate`: what linear attention of one task loses on another.

Written from L = tr L - 2 tr(L Theta L) + tr(Theta^T E2 Theta L), with E2 = L^2 + E(1/N) (L + tr(L) I) L and Theta the sum
over heads and ranks of v k q^T, in plain Python; checked against the mean over sampled contexts.
Run `python tests/oracle/generators/evaluate.py`: it prints the cases.
"""

import json
import math
import random


def times(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def turned(a):
    return [list(row) for row in zip(*a)]


def trace(a):
    return sum(a[i][i] for i in range(len(a)))


def loss(covariance, inverse, theta):
    d, total = len(covariance), trace(covariance)
    wide = [[covariance[i][j] + (total if i == j else 0.0) for j in range(d)] for i in range(d)]
    square, more = times(covariance, covariance), times(wide, covariance)
    second = [[square[i][j] + inverse * more[i][j] for j in range(d)] for i in range(d)]
    return (
        total
        - 2 * trace(times(times(covariance, theta), covariance))
        + trace(times(times(times(turned(theta), second), theta), covariance))
    )


def theta_of(v, k, q):
    d = len(k[0][0])
    pairs = [(v[h], kr, qr) for h in range(len(v)) for kr, qr in zip(k[h], q[h])]
    return [[sum(s * a[i] * b[j] for s, a, b in pairs) for j in range(d)] for i in range(d)]


def sampled(covariance, n, theta, count, stream):
    """The mean over contexts of n pairs, and its standard error."""
    d = len(covariance)
    root = [[0.0] * d for _ in range(d)]
    for i in range(d):
        for j in range(i + 1):
            rest = covariance[i][j] - sum(root[i][k] * root[j][k] for k in range(j))
            root[i][j] = math.sqrt(rest) if i == j else rest / root[j][j]

    def token():
        z = [stream.gauss(0, 1) for _ in range(d)]
        return [sum(root[i][j] * z[j] for j in range(i + 1)) for i in range(d)]

    squares = []
    for _ in range(count):
        w = [stream.gauss(0, 1) for _ in range(d)]
        beta = [0.0] * d
        for _ in range(n):
            x = token()
            y = sum(a * b for a, b in zip(w, x))
            beta = [b + y * a / n for a, b in zip(x, beta)]
        x = token()
        guess = sum(beta[i] * theta[i][j] * x[j] for i in range(d) for j in range(d))
        squares.append((sum(a * b for a, b in zip(w, x)) - guess) ** 2)
    mean = sum(squares) / count
    deviation = math.sqrt(sum((one - mean) ** 2 for one in squares) / (count - 1))
    return mean, deviation / math.sqrt(count)


def fixed_points(eigenvalues, columns, inverse):
    """Theta at M_0 to M_D: the sum of lambda_d / a_d e_d e_d^T over the first m."""
    d, total = len(eigenvalues), sum(eigenvalues)
    gains = [l / (l * l + inverse * (l + total) * l) for l in eigenvalues]
    for m in range(d + 1):
        yield [
            [sum(gains[e] * columns[i][e] * columns[j][e] for e in range(m)) for j in range(d)]
            for i in range(d)
        ]


def entry(value):
    return {"value": value, "rtol": 1e-11, "atol": 1e-13}


def main():
    stream, cases = random.Random(5), []
    spectrum = [0.4, 0.3, 0.2, 0.1]
    axes = [[float(i == j) for j in range(4)] for i in range(4)]
    diagonal = lambda values: [[v if i == j else 0.0 for j in range(4)] for i, v in enumerate(values)]
    for name, values, n in [
        ("5 pairs", spectrum, 5),
        ("1000 pairs", spectrum, 1000),
        ("reversed", spectrum[::-1], 31),
    ]:
        points = fixed_points(spectrum, axes, 1 / 31)
        losses = [loss(diagonal(values), 1 / n, theta) for theta in points]
        inputs = {"eigenvalues": spectrum, "N": 31, "other_Lambda": diagonal(values), "other_N": n}
        expected = {"loss_at_fixed_points": entry(losses)}
        cases.append({"id": f"evaluate {name}", "kind": "evaluate", "inputs": inputs, "expected": expected})
    covariance = [[0.5, 0.1, 0.0], [0.1, 0.3, -0.05], [0.0, -0.05, 0.2]]
    draw = lambda: [[[round(stream.gauss(0, 0.8), 3) for _ in range(3)] for _ in range(2)] for _ in range(2)]
    v, k, q = [0.9, -0.6], draw(), draw()
    theta = theta_of(v, k, q)
    exact = loss(covariance, 1 / 4, theta)
    mean, error = sampled(covariance, 4, theta, 200_000, stream)
    assert abs(mean - exact) < 4 * error, (mean, exact, error)
    inputs = {"v": v, "K": k, "Q": q, "other_Lambda": covariance, "other_N": 4}
    cases.append({"id": "evaluate a state", "kind": "evaluate", "inputs": inputs, "expected": {"loss": entry(exact)}})
    print(json.dumps(cases, indent=1))


if __name__ == "__main__":
    main()
