"""Saddlescope: watch a transformer learn, one saddle at a time.

    import saddlescope as ss

    system = ss.LinearAttention(eigenvalues=[0.4, 0.3, 0.2, 0.1], context=31, heads=4, rank=1)
    run = system.flow(start=ss.random_start(scale=1e-3, seed=0))
    run.stages, run.saddles(), run.plot()

Systems are classes, settings keywords: those of the experiment files, with the same names, defaults
and checks.
"""

# Each module says what of it is public.
# ruff: noqa: F403

from saddlescope import (
    certificates,
    dynamics,
    errors,
    figure,
    frameworks,
    instruments,
    laboratory,
    laws,
    logs,
    model_run,
    one_run,
    runs,
    staircase,
    starts,
    sweeps,
    system_classes,
    tables,
)
from saddlescope._native import __version__
from saddlescope.certificates import *
from saddlescope.dynamics import *
from saddlescope.errors import *
from saddlescope.figure import *
from saddlescope.frameworks import *
from saddlescope.instruments import *
from saddlescope.laboratory import *
from saddlescope.laws import *
from saddlescope.layout import Layout
from saddlescope.logs import *
from saddlescope.model_run import *
from saddlescope.models import Model, PrecisionWarning
from saddlescope.one_run import *
from saddlescope.runs import *
from saddlescope.staircase import *
from saddlescope.starts import *
from saddlescope.sweeps import *
from saddlescope.system_classes import *
from saddlescope.tables import *

__all__ = ["Layout", "Model", "PrecisionWarning", "__version__"]
__all__ += certificates.__all__
__all__ += dynamics.__all__
__all__ += errors.__all__
__all__ += figure.__all__
__all__ += frameworks.__all__
__all__ += instruments.__all__
__all__ += laboratory.__all__
__all__ += laws.__all__
__all__ += logs.__all__
__all__ += model_run.__all__
__all__ += one_run.__all__
__all__ += runs.__all__
__all__ += staircase.__all__
__all__ += starts.__all__
__all__ += sweeps.__all__
__all__ += system_classes.__all__
__all__ += tables.__all__
