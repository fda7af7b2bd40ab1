"""Saddlescope: watch a transformer learn, one saddle at a time.

    import saddlescope as ss

    system = ss.LinearAttention(eigenvalues=[0.4, 0.3, 0.2, 0.1], context=31, heads=4, rank=1)
    run = system.flow(start=ss.random_start(scale=1e-3, seed=0))
    run.stages, run.saddles(), run.plot()

Systems are classes, settings keywords: those of the experiment files, with the same names, defaults
and checks.
"""

from __future__ import annotations

from saddlescope import starts as _starts
from saddlescope import system_classes as _system_classes
from saddlescope._native import __version__
from saddlescope.certificates import (
    Certificate,
    hessian,
    saddle,
)
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
from saddlescope.frameworks import (
    from_jax,
    from_torch,
)
from saddlescope.instruments import (
    Drift,
    descent,
    flow,
    invariant_drift,
)
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
from saddlescope.laws import (
    Estimate,
    ScalingLaw,
    fit_scaling,
)
from saddlescope.layout import Layout
from saddlescope.logs import (
    Checkpoints,
    Log,
    TensorLengths,
    read_checkpoints,
    read_log,
)
from saddlescope.model_run import ModelRun
from saddlescope.models import (
    Model,
    PrecisionWarning,
)
from saddlescope.one_run import (
    Prediction,
    Run,
    Snapshot,
)
from saddlescope.runs import Runs
from saddlescope.staircase import (
    Jump,
    Moved,
    Plateau,
    Stages,
    stages,
)
from saddlescope.starts import *  # noqa: F403
from saddlescope.sweeps import (
    Sweep,
    merge,
    read_sweep,
    sweep,
)
from saddlescope.tables import Table
from saddlescope.system_classes import *  # noqa: F403

__all__ = [
    "GD",
    "SGD",
    "Adam",
    "AdamW",
    "Certificate",
    "Checkpoints",
    "Claims",
    "Drift",
    "Estimate",
    "Figure",
    "Flow",
    "Jump",
    "Layout",
    "Log",
    "Model",
    "ModelRun",
    "Momentum",
    "Moved",
    "Nesterov",
    "NotRecorded",
    "Plateau",
    "PrecisionWarning",
    "Prediction",
    "Reduced",
    "Reproduction",
    "Run",
    "RunFailed",
    "Runs",
    "SaddlescopeError",
    "ScalingLaw",
    "SettingsError",
    "Snapshot",
    "Stage",
    "Stages",
    "StoreError",
    "Sweep",
    "Table",
    "TensorLengths",
    "UnknownSetting",
    "__version__",
    "check",
    "cite",
    "descent",
    "experiments",
    "fit_scaling",
    "flow",
    "from_jax",
    "from_torch",
    "hessian",
    "invariant_drift",
    "merge",
    "read_checkpoints",
    "read_log",
    "read_run",
    "read_sweep",
    "reproduce",
    "run",
    "saddle",
    "schema",
    "stages",
    "sweep",
    "systems",
    "verify",
]
__all__ += _starts.__all__
__all__ += _system_classes.__all__
