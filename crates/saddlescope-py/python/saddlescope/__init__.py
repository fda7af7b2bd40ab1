"""Saddlescope: watch a transformer learn, one saddle at a time.

    import saddlescope as ss

    system = ss.LinearAttention(eigenvalues=[0.4, 0.3, 0.2, 0.1], context=31, heads=4, rank=1)
    run = system.flow(start=ss.random_start(scale=1e-3, seed=0))
    run.stages, run.saddles(), run.plot()

Systems are classes, settings keywords: those of the experiment files, with the same names, defaults and checks.
"""

from __future__ import annotations

from saddlescope import start as _start
from saddlescope import systems as _systems
from saddlescope._native import __version__
from saddlescope.dynamics import (
    GD,
    SGD,
    Adam,
    AdamW,
    Flow,
    Momentum,
    Nesterov,
    Reduced,
    Stage,
)
from saddlescope.errors import (
    NotRecorded,
    RunFailed,
    SaddlescopeError,
    SettingsError,
    StoreError,
    UnknownSetting,
)
from saddlescope.figure import Figure
from saddlescope.laboratory import (
    Claims,
    Reproduction,
    check,
    cite,
    experiments,
    read_run,
    reproduce,
    run,
    schema,
    systems,
    verify,
)
from saddlescope.run import (
    Prediction,
    Run,
    Snapshot,
)
from saddlescope.runs import Runs
from saddlescope.start import *  # noqa: F403
from saddlescope.sweep import (
    Sweep,
    merge,
    read_sweep,
    sweep,
)
from saddlescope.systems import *  # noqa: F403
from saddlescope.tables import Table

__all__ = [
    "GD",
    "SGD",
    "Adam",
    "AdamW",
    "Claims",
    "Figure",
    "Flow",
    "Momentum",
    "Nesterov",
    "NotRecorded",
    "Prediction",
    "Reduced",
    "Reproduction",
    "Run",
    "RunFailed",
    "Runs",
    "SaddlescopeError",
    "SettingsError",
    "Snapshot",
    "Stage",
    "StoreError",
    "Sweep",
    "Table",
    "UnknownSetting",
    "__version__",
    "check",
    "cite",
    "experiments",
    "merge",
    "read_run",
    "read_sweep",
    "reproduce",
    "run",
    "schema",
    "sweep",
    "systems",
    "verify",
]
__all__ += _start.__all__
__all__ += _systems.__all__
