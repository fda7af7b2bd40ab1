"""The systems, one class each; settings, defaults and help are read off the native declaration.

``system_classes.pyi`` says the same for type checkers; ``python -m saddlescope.stubs`` writes it.
"""

from saddlescope.declaration import SystemSchema, class_name, declared
from saddlescope.keywords import describe, signature
from saddlescope.system import System

__all__ = ["System"]


def _make(schema: SystemSchema) -> type[System]:
    parameters = schema.system.parameters
    title = f"\n\nPaper: {schema.title}." if schema.title else ""
    name = class_name(schema.name)
    members = {
        "__module__": __name__,
        "__doc__": f"{schema.about}{title}\n\n{describe(parameters)}",
        "__signature__": signature(parameters),
        "name": schema.name,
        "schema": schema,
    }
    return type(name, (System,), members)


for _schema in declared().systems:
    globals()[class_name(_schema.name)] = _make(_schema)
    __all__.append(class_name(_schema.name))
