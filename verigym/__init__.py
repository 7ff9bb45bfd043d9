"""Verigym: turn an agent's failures into a better model, and prove it before anyone ships it.

The names in `__all__` are the public API. `__init__.pyi` lists them with their modules. Each is imported when it is first used,
so `import verigym` is fast and loads no torch.
"""

import importlib
import os
import re
from typing import Any

__version__ = "0.2.0.dev0"

if "OMP_WAIT_POLICY" not in os.environ:
    # torch's threads spin while they wait for each other. On a busy machine, a long spin takes the core from the thread that is
    # waited for, and a step takes many times as long. libgomp reads this when torch is imported.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _stub:
    _MODULE_OF = {
        name: module for module, name in re.findall(r"^from (\S+) import (\w+) as", _stub.read(), re.MULTILINE)
    }

__all__ = list(_MODULE_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'verigym' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
