"""diffrax and SciPy beside Saddlescope: the flow of the regression on Markov positions, to 1 % of its loss.

Start, horizon and reference end are those that Saddlescope wrote; SciPy's DOP853 confirms the end. The error is the largest
distance of a parameter from the reference, relative to the largest parameter.

    sparse_markov_flow.py INPUTS diffrax   Tsit5 and Dopri8, compiled beforehand, float64
    sparse_markov_flow.py INPUTS scipy     LSODA by odeint, and DOP853
"""

import numpy as np

from side import QUICK, at_tolerances, by_diffrax, main

TOLERANCES = [1e-6, 1e-8] if QUICK else [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
ATOL_PER_RTOL = 1e-3


class System:
    """V' = (G - P) s, q' = Pi(s) V^T (G - P), head after head: V, then q."""

    def __init__(self, given, xp):
        self.heads, self.positions = given["heads"], given["positions"]
        self.features = len(given["strengths"])
        target = np.zeros((self.features, self.positions))
        target[np.arange(self.features), given["places"]] = given["strengths"]
        self.target, self.xp = xp.asarray(target), xp

    def rate(self, y):
        xp = self.xp
        rows = y.reshape(self.heads, self.features + self.positions)
        v, q = rows[:, : self.features], rows[:, self.features :]
        e = xp.exp(q - q.max(axis=1, keepdims=True))
        s = e / e.sum(axis=1, keepdims=True)
        left = self.target - v.T @ s
        pull = v @ left
        rate_q = s * (pull - (s * pull).sum(axis=1, keepdims=True))
        return xp.concatenate([s @ left.T, rate_q], axis=1).reshape(-1)


def case(given):
    return f"T = {given['positions']}, to 1 % of the loss"


def distance(end, truth):
    return float(np.max(np.abs(end - truth)) / np.max(np.abs(truth)))


def scipy_cases(given):
    from scipy.integrate import odeint, solve_ivp

    system, start, truth = System(given, np), np.asarray(given["start"]), np.asarray(given["end"])
    horizon, rhs = given["horizon"], lambda _t, y: system.rate(y)
    first = solve_ivp(rhs, (0, horizon), start, "DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    notes = [f"SciPy's DOP853 at rtol 1e-12 ends {distance(first, truth):.1e} from the reference"]

    def lsoda(rtol):
        return odeint(rhs, start, [0.0, horizon], rtol=rtol, atol=rtol * ATOL_PER_RTOL, mxstep=10**6, tfirst=True)[-1]

    def dop853(rtol):
        return solve_ivp(rhs, (0, horizon), start, "DOP853", rtol=rtol, atol=rtol * ATOL_PER_RTOL).y[:, -1]

    cases, error = [], lambda end: distance(end, truth)
    for name, solve in [("odeint LSODA", lsoda), ("DOP853", dop853)]:
        cases += at_tolerances(case(given), name, solve, TOLERANCES, error, 1)
    return cases, ["numpy", "scipy"], notes


def diffrax_cases(given):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    system, truth = System(given, jnp), np.asarray(given["end"])
    start, rate = jnp.asarray(given["start"]), lambda _t, y, _args: system.rate(y)
    error = lambda end: distance(np.asarray(end), truth)
    solvers = ["Tsit5", "Dopri8"]
    return by_diffrax(case(given), solvers, TOLERANCES, rate, given["horizon"], start, ATOL_PER_RTOL, error, repeats=3)


if __name__ == "__main__":
    main({"diffrax": diffrax_cases, "scipy": scipy_cases})
