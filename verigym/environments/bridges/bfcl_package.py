"""The parts of the package bfcl-eval that the bridge uses: its data files, its classes and its checkers.

`ast_checker` imports the SDKs of all vendors through one module, which is replaced by an empty one here. The executor of
bfcl-eval is never used: it keeps the state of episodes in `globals()` and runs the text of a model with `eval`. Here, a call is
the method of an object that belongs to one episode.
"""

import copy
import decimal
import functools
import importlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from verigym.core.errors import BadInput
from verigym.core.records import Json
from verigym.environments.bridges.install import require

_LARGEST = 10_000
"""The largest precision that the methods of MathAPI compute with."""


class _AnyModel:
    """What `ast_checker` asks about a model: whether it cannot have dots in names."""

    underscore_to_dot = False


class _Models(dict[str, type[_AnyModel]]):
    def __missing__(self, name: str) -> type[_AnyModel]:
        return _AnyModel


@functools.cache
def _prepared() -> Path:
    """Makes the package importable without the SDKs, and returns its folder."""
    require("bfcl")
    models: Any = ModuleType("bfcl_eval.constants.model_config")
    models.MODEL_CONFIG_MAPPING = _Models()
    sys.modules[models.__name__] = models
    spec = importlib.util.find_spec("bfcl_eval")
    assert spec is not None and spec.submodule_search_locations, "bfcl_eval is a package"
    return Path(next(iter(spec.submodule_search_locations)))


def module(name: str) -> Any:
    """A module of bfcl_eval: `module("eval_checker.ast_eval.ast_checker")`."""
    _prepared()
    return importlib.import_module(f"bfcl_eval.{name}")


def rows(file: str) -> list[Json]:
    """The rows of a data file, such as `BFCL_v4_simple_python.json` or `possible_answer/...`."""
    path = _prepared() / "data" / file
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}. Install bfcl-eval again") from error


def function_docs(classes: list[str]) -> list[Json]:
    """The functions of the classes that a conversation involves."""
    files = module("constants.executable_backend_config").MULTI_TURN_FUNC_DOC_FILE_MAPPING
    return [doc for name in classes for doc in rows(f"multi_turn_func_doc/{files[name]}")]


class Instances:
    """The objects of one conversation, one for each class."""

    def __init__(self, classes: list[str], config: Json, long_context: bool) -> None:
        backends = module("constants.executable_backend_config")
        self.by_class: dict[str, Any] = {}
        for name in classes:
            made = getattr(importlib.import_module(backends.CLASS_FILE_PATH_MAPPING[name]), name)()
            if name not in backends.STATELESS_CLASSES:
                made._load_scenario(copy.deepcopy(config.get(name, {})), long_context=long_context)
            self.by_class[name] = made
        self._owners = {
            method: made
            for made in self.by_class.values()
            for method in dir(made)
            if not method.startswith("_") and callable(getattr(made, method))
        }

    def method(self, name: str) -> Any:
        """A public method, or None."""
        return getattr(self._owners[name], name) if name in self._owners else None

    def call(self, name: str, args: list[Any], kwargs: Json) -> tuple[str, bool]:
        """The result as bfcl-eval writes it, and whether the call ran."""
        method = self.method(name)
        if method is None:
            return f"Error during execution: name '{name}' is not defined", False
        precision = kwargs.get("precision", 0)
        if isinstance(precision, int | float) and precision > _LARGEST:
            return f"Error during execution: the precision is more than {_LARGEST}", False
        mpmath = importlib.import_module("mpmath")
        digits = mpmath.mp.dps
        try:
            with decimal.localcontext():  # MathAPI sets the precision of the whole process
                result = method(*args, **kwargs)
        except Exception as error:  # the methods raise anything
            return f"Error during execution: {error}", False
        finally:
            mpmath.mp.dps = digits
        if isinstance(result, dict):
            try:
                return json.dumps(result), True
            except (TypeError, ValueError):  # a value of another class
                return str(result), True
        return result if isinstance(result, str) else str(result), True
