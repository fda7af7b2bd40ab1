"""Prints the cases of kind `regression_distance` in ../linear-attention.json, in plain Python.

    python3 tests/oracle/generators/regression_distance.py

Population: the mean square of `beta^T (Theta - A_m) x_q` is summed over all pairings of the Gaussian tokens in
`E(Lhat w w^T Lhat)` (Isserlis), in the coordinate basis; nothing is diagonalised. Contexts: the first m components are found by
power iteration with deflation, and regression on them is least squares of y on the scores, by elimination; Saddlescope diagonalises.
"""

import json
import math
import random


def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transpose(a):
    return [list(column) for column in zip(*a)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def rotation(d, rng):
    """Columns of an orthogonal matrix, by Gram and Schmidt."""
    columns = []
    while len(columns) < d:
        v = [rng.gauss(0, 1) for _ in range(d)]
        for _ in range(2):
            for c in columns:
                v = [x - dot(v, c) * y for x, y in zip(v, c)]
        size = math.sqrt(dot(v, v))
        columns.append([x / size for x in v])
    return transpose(columns)


def second_moment(cov, n):
    """E(Lhat^2) = (1/N^2) sum over n, n' of E(x_n x_n^T x_n' x_n'^T), by pairings."""
    d = len(cov)
    total = [[0.0] * d for _ in range(d)]
    for a in range(d):
        for b in range(d):
            apart = sum(cov[a][c] * cov[c][b] for c in range(d))
            same = sum(cov[a][c] * cov[c][b] + cov[a][c] * cov[c][b] + cov[a][b] * cov[c][c] for c in range(d))
            total[a][b] = ((n * n - n) * apart + n * same) / (n * n)
    return total


def inverse(a):
    n = len(a)
    rows = [list(row) + [1.0 if i == j else 0.0 for j in range(n)] for i, row in enumerate(a)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i])]
    return [row[n:] for row in rows]


def top_components(cov, m):
    """The m leading eigenvectors of a symmetric matrix, by power iteration with deflation."""
    found = []
    for index in range(m):
        v = [math.sin(1.0 + i + 3.7 * index) for i in range(len(cov))]
        for _ in range(20_000):
            v = [dot(row, v) for row in cov]
            for u in found:
                v = [x - dot(v, u) * y for x, y in zip(v, u)]
            size = math.sqrt(dot(v, v))
            v = [x / size for x in v]
        found.append(v)
    return found


def case(name, eigenvalues, n, pairs, contexts, seed):
    rng, d = random.Random(seed), len(eigenvalues)
    u = rotation(d, rng)
    cov = matmul(matmul(u, [[eigenvalues[i] if i == j else 0.0 for j in range(d)] for i in range(d)]), transpose(u))
    theta = [[rng.gauss(0, 1.5) for _ in range(d)] for _ in range(d)]
    e2 = second_moment(cov, n)

    def mean_square(matrix):
        # E (beta^T M x)^2 = tr(M^T E(beta beta^T) M Lambda), E(beta beta^T) = E(Lhat^2).
        inner = matmul(matmul(transpose(matrix), e2), matmul(matrix, cov))
        return sum(inner[i][i] for i in range(d))

    # A_D minimises the loss over all Theta: E2^-1 Lambda; A_m is its part on the first m eigenvectors.
    best, distances, squares = matmul(inverse(e2), cov), [], []
    for m in range(d + 1):
        projector = [[sum(u[i][k] * u[j][k] for k in range(m)) for j in range(d)] for i in range(d)]
        regression = matmul(best, projector)
        distances.append(mean_square([[t - r for t, r in zip(*rows)] for rows in zip(theta, regression)]))
        squares.append(mean_square(regression))

    root = matmul(u, [[math.sqrt(eigenvalues[i]) if i == j else 0.0 for j in range(d)] for i in range(d)])
    token = lambda: [dot(row, [rng.gauss(0, 1) for _ in range(d)]) for row in root]
    x = [[token() for _ in range(pairs)] for _ in range(contexts)]
    w = [[rng.gauss(0, 1) for _ in range(d)] for _ in range(contexts)]
    x_q = [token() for _ in range(contexts)]
    predictions, off = [], [0.0] * (d + 1)
    for tokens, task, query in zip(x, w, x_q):
        y = [dot(t, task) for t in tokens]
        lhat = [[sum(t[i] * t[j] for t in tokens) / pairs for j in range(d)] for i in range(d)]
        beta = [sum(t[i] * label for t, label in zip(tokens, y)) / pairs for i in range(d)]
        model = dot(beta, [dot(row, query) for row in theta])
        said = [0.0]
        for m in range(1, d + 1):
            axes = top_components(lhat, m)
            scores = [[dot(t, a) for a in axes] for t in tokens]
            gram = [[sum(s[i] * s[j] for s in scores) for j in range(m)] for i in range(m)]
            slopes = [dot(row, [sum(s[i] * label for s, label in zip(scores, y)) for i in range(m)]) for row in inverse(gram)]
            said.append(sum(c * dot(query, a) for c, a in zip(slopes, axes)))
        predictions.append(said)
        off = [total + (model - p) ** 2 / contexts for total, p in zip(off, said)]
    value = lambda v, tolerance: {"value": v, "rtol": tolerance, "atol": tolerance}
    return {
        "id": name,
        "kind": "regression_distance",
        "inputs": {"eigenvalues": eigenvalues, "eigenvectors_columns": u, "N": n, "Theta": theta, "x": x, "w": w, "x_q": x_q},
        "expected": {
            "population_distance_m": value(distances, 1e-11),
            "population_square_m": value(squares, 1e-11),
            "context_prediction_m": value(predictions, 1e-8),
            "context_distance_m": value(off, 1e-8),
            "context_square_m": value([sum(p[m] ** 2 for p in predictions) / contexts for m in range(d + 1)], 1e-8),
        },
    }


cases = [
    case("regression, D = 3", [0.5, 0.3, 0.2], 12, 12, 3, 1),
    case("regression, D = 4, contexts shorter than the task's", [0.4, 0.3, 0.2, 0.1], 31, 5, 2, 2),
]
print(json.dumps(cases, indent=1))
