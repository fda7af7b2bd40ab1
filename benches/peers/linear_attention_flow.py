"""SciPy beside Saddlescope: the exact population gradient flow of linear attention.

D = 4 components, H = 4 heads of rank 1, N = 31 context pairs, eigenvalues .4, .3, .2, .1,
tau = 1, from a start so small that the last drop of the loss comes after t = 4e5. What is
timed is the whole run, up to the time at which the loss falls through the last mid level.

    linear_attention_flow.py INPUTS usual    solve_ivp with LSODA
    linear_attention_flow.py INPUTS tuned    odeint, BDF, the exact Jacobian
    linear_attention_flow.py reference       recomputes the reference times (minutes)
"""

import json
import sys
from pathlib import Path

import numpy as np
from scipy.integrate import odeint, solve_ivp
from scipy.optimize import brentq

from side import QUICK, at_tolerances, inputs, serve

D = H = 4
EIGENVALUES = np.array([0.4, 0.3, 0.2, 0.1])
INVERSE_CONTEXT = 1 / 31
START_SCALE = 1 / 50
TIME_LIMIT = 1e6

# The start before scaling.
ORACLE = Path(__file__).parents[2] / "tests" / "oracle" / "linear-attention.json"
CASE = next(case["inputs"] for case in inputs(ORACLE)["cases"] if case["id"].startswith("C-P6"))
VALUES, KEYS, QUERIES = (np.array(CASE[name]).reshape(H, -1).T for name in ("v0", "K0", "Q0"))

# Crossing times by `reference`: solve_ivp DOP853, rtol 1e-13, atol 1e-16 (scipy 1.17.1); Radau with
# rtol 1e-12, atol 1e-16 and the exact Jacobian differs by at most 1e-13 relative in each.
REFERENCE = [14900.419570189764, 26527.834155530738, 113048.75870589382, 432027.57951048104]

TOLERANCES = [1e-8, 1e-10] if QUICK else [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10]
# The smallest weights start near 6e-6, the typical ones near 2e-4.
ATOL_PER_RTOL = 1e-4


class Flow:
    """Right side, Jacobian and loss. State: 9 rows of H numbers, v, then k_c and q_c for c < D."""

    def __init__(self):
        lam = EIGENVALUES
        second_moment = lam * lam + INVERSE_CONTEXT * (lam + lam.sum()) * lam
        self.weight = np.outer(second_moment, lam)
        self.inverse_weight = 1 / self.weight
        self.target = np.diag(lam * lam)
        self.floor = float(lam.sum() - (lam**3 / second_moment).sum())
        drops = lam**3 / second_moment
        plateaus = lam.sum() - np.concatenate([[0.0], np.cumsum(drops)])
        self.levels = ((plateaus[1:] + plateaus[:-1]) / 2).tolist()
        self.start = START_SCALE * np.concatenate([VALUES, KEYS, QUERIES]).ravel()
        self.calls = self.jacobian_calls = 0

        # The state is copied into one fixed place, so that no views are made in the calls.
        self.state = np.empty(9 * H)
        state = self.state.reshape(9, H)
        self.v, self.k, self.q = state[0], state[1:5], state[5:]
        self.vk, self.g, self.v_rows = (np.empty((D, H)) for _ in range(3))
        self.rhs = self.make_rhs()

        # d Theta_ab / d state, and the views of it and of the Jacobian that are not zero.
        slope = np.zeros((D, D, 9, H))
        self.slope = slope.reshape(D * D, 9 * H)
        self.slope_v = slope[:, :, 0]
        self.slope_k = np.einsum("abah->abh", slope[:, :, 1:5])
        self.slope_q = np.einsum("abbh->abh", slope[:, :, 5:])
        self.slope_weighted = np.empty_like(self.slope)
        self.column_weight = -self.weight.reshape(D * D, 1)
        self.matrix = np.empty((9 * H, 9 * H))
        matrix = self.matrix.reshape(9, H, 9, H)
        self.second = [
            np.einsum("hch->ch", matrix[0, :, 1:5]),
            np.einsum("chh->ch", matrix[1:5, :, 0]),
            np.einsum("hch->ch", matrix[0, :, 5:]),
            np.einsum("chh->ch", matrix[5:, :, 0]),
            np.einsum("chdh->cdh", matrix[1:5, :, 5:]),
            np.einsum("dhch->cdh", matrix[5:, :, 1:5]),
        ]

    def gradient(self, y):
        """G = Lambda^2 - E2 Theta Lambda in self.g; v k in self.vk."""
        self.state[:] = y
        self.v_rows[:] = self.v
        np.multiply(self.v_rows, self.k, self.vk)
        self.vk.dot(self.q.T, self.g)
        np.multiply(self.g, self.weight, self.g)
        np.subtract(self.target, self.g, self.g)

    def make_rhs(self):
        """tau v' = k.Gq, tau k' = v G q, tau q' = v G^T k. The array returned is reused.

        A closure over bound methods, with v spread over rows: a call of NumPy on sixteen numbers is
        all overhead, and looking up attributes or broadcasting would cost as much as the products.
        """
        multiply, subtract = np.multiply, np.subtract
        state, v, k, q, g, vk, v_rows = self.state, self.v, self.k, self.q, self.g, self.vk, self.v_rows
        weight, target, queries_t = self.weight, self.target, q.T
        gq, kgq, rate = np.empty((D, H)), np.empty((D, H)), np.empty(9 * H)
        rows = rate.reshape(9, H)
        rate_v, rate_k, rate_q = rows[0], rows[1:5], rows[5:]
        vk_dot, g_dot, gt_dot, sum_rows = vk.dot, g.dot, g.T.dot, np.ones(D).dot

        def rhs(y):
            self.calls += 1
            state[:] = y
            v_rows[:] = v
            multiply(v_rows, k, vk)
            vk_dot(queries_t, g)
            multiply(g, weight, g)
            subtract(target, g, g)
            g_dot(q, gq)
            gt_dot(vk, rate_q)
            multiply(v_rows, gq, rate_k)
            multiply(k, gq, kgq)
            sum_rows(kgq, rate_v)
            return rate

        return rhs

    def rhs_of_time(self, _t, y):
        """For solve_ivp, whose solvers keep what they are given."""
        return self.rhs(y).copy()

    def jacobian(self, y):
        """Minus half the Hessian of the loss: Gauss-Newton part, then G times the curvature."""
        self.jacobian_calls += 1
        self.gradient(y)
        v, k, q = self.v, self.k, self.q
        np.multiply(k[:, None], q, self.slope_v)
        self.slope_k[...] = v * q
        self.slope_q[...] = self.vk[:, None]
        np.multiply(self.slope, self.column_weight, self.slope_weighted)
        np.dot(self.slope.T, self.slope_weighted, self.matrix)
        gq, gk, vg = self.g @ q, self.g.T @ k, self.g[:, :, None] * v
        for view, term in zip(self.second, (gq, gq, gk, gk, vg, vg)):
            view += term
        return self.matrix

    def jacobian_of_time(self, _t, y):
        return self.jacobian(y).copy()

    def loss(self, y):
        """The loss above its floor is a square: sum of G_ab^2 / (E2_a Lambda_b)."""
        self.gradient(y)
        g = self.g
        return self.floor + float(np.vdot(g * g, self.inverse_weight))

    def crossing_product(self, _t, y):
        """Changes sign at each mid level, so that one event function finds all of them."""
        loss, product = self.loss(y), 1.0
        for level in self.levels:
            product *= loss - level
        return product


def run_solve_ivp(flow, method, rtol, atol, with_jacobian):
    event = lambda t, y: flow.crossing_product(t, y)
    event.terminal = len(flow.levels)
    options = {"jac": flow.jacobian_of_time} if with_jacobian else {}
    solution = solve_ivp(
        flow.rhs_of_time, (0, TIME_LIMIT), flow.start, method, events=event, rtol=rtol, atol=atol, **options
    )
    return solution.t_events[0].tolist()


def run_odeint(flow, _method, rtol, atol, with_jacobian):
    """odeint has no events: one pass on a coarse grid, then each bracket again on a fine one."""
    options = {"rtol": rtol, "atol": atol, "mxstep": 1_000_000}
    if with_jacobian:
        options["Dfun"] = lambda y, _t: flow.jacobian(y)
    plain_rhs = flow.rhs
    rhs = lambda y, _t: plain_rhs(y)
    times = np.linspace(0.0, TIME_LIMIT, 10_001)
    states = odeint(rhs, flow.start, times, **options)
    crossings = []
    for level in flow.levels:
        i = last_above(flow, states, level)
        fine_times = np.linspace(times[i], times[i + 1], 401)
        fine = odeint(rhs, states[i], fine_times, **options)
        j = last_above(flow, fine, level)
        crossings.append(hermite_crossing(flow, fine_times[j : j + 2], fine[j : j + 2], level))
    return crossings


def last_above(flow, states, level):
    """The loss never rises along its gradient flow, so bisection finds the bracket."""
    low, high = 0, len(states) - 1
    if flow.loss(states[high]) > level:
        raise RuntimeError(f"the loss ends at {flow.loss(states[high])}, expected at most {level}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if flow.loss(states[middle]) > level else (low, middle)
    return low


def hermite_crossing(flow, times, states, level):
    """The crossing between two neighbouring states, on the cubic through them and their rates."""
    width = float(times[1] - times[0])
    rates = [width * flow.rhs(state) for state in states]

    def excess(s):
        rise, fall = s * s * (3 - 2 * s), (1 - s) ** 2 * (1 + 2 * s)
        bend = s * (1 - s) * ((1 - s) * rates[0] - s * rates[1])
        return flow.loss(fall * states[0] + rise * states[1] + bend) - level

    return float(times[0]) + width * brentq(excess, 0.0, 1.0, xtol=1e-14)


USUAL = ["solve_ivp LSODA"]
ROWS = [
    ("solve_ivp LSODA", run_solve_ivp, "LSODA", False),
    ("solve_ivp LSODA, exact Jacobian", run_solve_ivp, "LSODA", True),
    ("solve_ivp BDF", run_solve_ivp, "BDF", False),
    ("solve_ivp BDF, exact Jacobian", run_solve_ivp, "BDF", True),
    ("odeint LSODA", run_odeint, "LSODA", False),
    ("odeint LSODA, exact Jacobian", run_odeint, "LSODA", True),
]


def cases(given, rows):
    for name, *how in rows:
        # All crossings: a single number would be read as the seconds that a run stands for.
        def crossings(rtol, how=how):
            solve, method, with_jacobian = how
            return solve(Flow(), method, rtol, rtol * ATOL_PER_RTOL, with_jacobian)

        error = lambda found: abs(found[-1] / given["last_drop"] - 1)
        yield from at_tolerances("time of the last drop", name, crossings, TOLERANCES, error, 1)


def reference_runs():
    """How REFERENCE was made: DOP853, and Radau as a second opinion."""
    for method, rtol, atol, with_jacobian in [("DOP853", 1e-13, 1e-16, False), ("Radau", 1e-12, 1e-16, True)]:
        crossings = run_solve_ivp(Flow(), method, rtol, atol, with_jacobian)
        yield {"method": method, "rtol": rtol, "atol": atol, "t_all_crossings": crossings}


if __name__ == "__main__":
    if sys.argv[1] == "reference":
        sys.exit(print(json.dumps(list(reference_runs()), indent=1)))
    given, mode = inputs(sys.argv[1]), sys.argv[2]
    if abs(given["last_drop"] / REFERENCE[-1] - 1) > 1e-11:
        raise SystemExit(f"the last drop is at {given['last_drop']}, expected {REFERENCE[-1]}")
    rows = [row for row in ROWS if (row[0] in USUAL) == (mode == "usual")]
    serve(list(cases(given, rows)), ["numpy", "scipy"])
