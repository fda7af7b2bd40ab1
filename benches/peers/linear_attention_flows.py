"""diffrax and SciPy beside Saddlescope: the population gradient flow from many starts to one time.

Starts, horizon and reference ends are those that Saddlescope wrote; SciPy's DOP853 confirms the ends of the
first start. The error is the largest distance of a weight from the reference, relative to the largest weight.

    linear_attention_flows.py INPUTS diffrax   all starts in one vmap, compiled beforehand, float64
    linear_attention_flows.py INPUTS kvaerno5  the same with the implicit solver (long)
    linear_attention_flows.py INPUTS scipy     one after the other: LSODA by odeint, exact Jacobian
"""

import numpy as np

from side import QUICK, at_tolerances, by_diffrax, main

TOLERANCES = [1e-6, 1e-8] if QUICK else [1e-5, 1e-6, 1e-7, 1e-8]
ATOL_PER_RTOL = 1e-4
# Kvaerno5, the implicit one, takes ten times as long here: its vmapped Newton steps cost more than the steps that
# stability costs the explicit ones.
SOLVERS = ["Tsit5", "Dopri8"]


def distance(ends, truth):
    return float(np.max(np.max(np.abs(ends - truth), axis=1) / np.max(np.abs(truth), axis=1)))


def by_rows(starts, heads):
    """Heads one after the other, (v, k, q) each, to rows of heads: v, then k_c and q_c."""
    states = np.asarray(starts)
    return states.reshape(len(states), heads, -1).transpose(0, 2, 1).reshape(len(states), -1)


def scipy_cases(given):
    from scipy.integrate import odeint, solve_ivp

    from linear_attention_flow import Flow

    flow, horizon = Flow(), given["horizon"]
    starts, truth = by_rows(given["starts"], given["heads"]), by_rows(given["ends"], given["heads"])
    first = solve_ivp(flow.rhs_of_time, (0, horizon), starts[0], "DOP853", rtol=1e-12, atol=1e-15).y[:, -1]
    notes = [f"SciPy's DOP853 at rtol 1e-12 ends {distance(first[None], truth[:1]):.1e} from the reference"]
    rhs, jacobian = (lambda y, _t: flow.rhs(y)), (lambda y, _t: flow.jacobian(y))

    def ends(rtol):
        options = {"rtol": rtol, "atol": rtol * ATOL_PER_RTOL, "mxstep": 1_000_000, "Dfun": jacobian}
        return np.array([odeint(rhs, start, [0.0, horizon], **options)[-1] for start in starts])

    name, error = "odeint LSODA in a loop, exact Jacobian", lambda ends: distance(ends, truth)
    return list(at_tolerances(case(given), name, ends, TOLERANCES, error, 1)), ["numpy", "scipy"], notes


def diffrax_cases(given, solvers=SOLVERS):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    heads, lam = given["heads"], np.asarray(given["eigenvalues"])
    d = len(lam)
    second_moment = lam * lam + (lam + lam.sum()) * lam / given["context"]
    weight, target = jnp.asarray(np.outer(second_moment, lam)), jnp.asarray(np.diag(lam * lam))

    def rate(_t, y, _args):
        """tau v' = k.Gq, tau k' = v G q, tau q' = v G^T k with G = Lambda^2 - E2 Theta Lambda."""
        rows = y.reshape(2 * d + 1, heads)
        v, k, q = rows[0], rows[1 : d + 1], rows[d + 1 :]
        g = target - weight * ((v * k) @ q.T)
        gq = g @ q
        return jnp.concatenate([(k * gq).sum(0)[None], v * gq, v * (g.T @ k)]).reshape(-1)

    starts, truth = jnp.asarray(by_rows(given["starts"], heads)), by_rows(given["ends"], heads)
    error = lambda ends: distance(np.asarray(ends), truth)
    return by_diffrax(
        case(given), solvers, TOLERANCES, rate, given["horizon"], starts, ATOL_PER_RTOL, error, repeats=1, many=True
    )


def case(given):
    return f"{len(given['starts'])} starts to t = {given['horizon']:.0f}"


if __name__ == "__main__":
    implicit = lambda given: diffrax_cases(given, ["Kvaerno5"])
    main({"diffrax": diffrax_cases, "kvaerno5": implicit, "scipy": scipy_cases})
