"""What type checkers make of a user's file; read by test_types.py, never run."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import saddlescope as ss

system = ss.LinearAttention(eigenvalues=[0.4, 0.3], context=31, heads=4, rank=1, lengths="fixed")
assert_type(system, ss.LinearAttention)
assert_type(system.but(heads=3), ss.LinearAttention)
run = system.flow(start=ss.random_start(scale=1e-3, seed=0), until="converged")
assert_type(run, ss.Run)
assert_type(run.loss, NDArray[np.float64])
assert_type(run["head.0.value"], NDArray[np.float64])
assert_type(run.stages, ss.Table)
runs = system.train(ss.Adam(lr=1e-3), batch=1000, steps=20_000, seeds=range(16))
assert_type(runs, ss.Runs)
assert_type(runs[0], ss.Run)
assert_type(system.flow(vary={"system.rank": [1, 2]}), ss.Runs)
assert_type(system.reduced("scalar-law"), ss.Run)
assert_type(system.run([ss.Flow(until=3.0), ss.GD(lr=0.1, steps=3)], seeds=2), ss.Runs)
system.flow(until=np.float64(3.0), times=np.arange(3), sampling="listed")
ss.Transformer(train="a.txt", valid="b.txt").train(ss.AdamW(1e-3), steps=3)

ss.LinearAttention(head=4)  # error
ss.LinearAttention(heads="four")  # error
system.but(head=4)  # error
system.heads = 4  # error
ss.LinearAttention(attention="sofmax")  # error
system.flow(untill=3.0)  # error
system.flow(until="convergd")  # error
system.train(ss.Adam(lr="fast"), steps=1)  # error
system.train(ss.Adam, steps=1)  # error
ss.random_start(scal=1.0)  # error
heights = run.stages.heights  # error
