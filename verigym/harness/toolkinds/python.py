"""A tool that is a Python function: `python: functions.py:restart`, or `package.module:restart`.

Its signature gives the schema and its docstring the description. It runs as you, outside the sandbox. A plain function runs in
a thread, so it may block.
"""

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from verigym.core.errors import BadInput, not_found
from verigym.core.records import Json, content_hash
from verigym.harness.executor import in_new_thread
from verigym.harness.schema import tool_spec
from verigym.harness.state_tools import ToolResult

DEFAULT_S = 60.0


class PythonTool:
    """Calls one function."""

    def __init__(self, name: str, text: str, folder: Path, seconds: float | None, where: str) -> None:
        self.name = name
        self.seconds = seconds or DEFAULT_S
        self.function = find_function(text, folder, where)
        try:
            self.spec, self._arguments = tool_spec(name, self.function, is_method=False)
        except (TypeError, NameError, ValueError) as error:
            raise BadInput(
                f"{where}: the signature has no JSON schema: {error}. Use plain types such as str"
            ) from error
        self._is_async = inspect.iscoroutinefunction(self.function)

    async def call(self, arguments: Json) -> Any:
        values = msgspec.structs.asdict(msgspec.convert(arguments, self._arguments, strict=False))
        if self._is_async:
            return await self.function(**values)
        output = await in_new_thread(self.function, values, self.seconds)
        return output if isinstance(output, ToolResult) else ToolResult(output=output)


def find_function(text: str, folder: Path, where: str) -> Callable[..., Any]:
    """The function that `module:function` names. A module may be a file beside the tools file."""
    module_name, colon, name = text.partition(":")
    if not colon or not name or not module_name:
        raise BadInput(f'{where}: "{text}" does not name a function. Write FILE.py:FUNCTION or MODULE:FUNCTION')
    module = _module(module_name, folder, where)
    function = getattr(module, name, None)
    if function is None:
        functions = [key for key, value in vars(module).items() if inspect.isfunction(value) and key[0] != "_"]
        raise BadInput(f"{where}: {not_found('function', name, functions, f'These are in {module_name}.')}")
    if not callable(function):
        raise BadInput(f"{where}: {text} is not a function")
    return function


def file_of(text: str, folder: Path) -> Path | None:
    """The file beside the tools file that `module:function` names, if it is one."""
    name = text.partition(":")[0]
    path = folder / (name if name.endswith(".py") else f"{name.replace('.', '/')}.py")
    return path if path.is_file() or name.endswith(".py") else None


def files_of(path: Path) -> list[Path]:
    """A Python file, and the files of its folder that it imports, at any depth."""
    paths, waiting = {path.resolve()}, [path.resolve()]
    while waiting:
        current = waiting.pop()
        for name in _imported(current):
            for near in (current.parent / f"{name}.py", current.parent / name / "__init__.py"):
                if near.is_file() and near.resolve() not in paths:
                    paths.add(near.resolve())
                    waiting.append(near.resolve())
    return sorted(paths)


def _imported(path: Path) -> set[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.replace(".", "/") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.replace(".", "/"))
    return names


def _module(name: str, folder: Path, where: str) -> ModuleType:
    path = file_of(f"{name}:", folder)
    if path is not None and not path.is_file():
        raise BadInput(f"{where}: the file {path} does not exist")
    sys.path.insert(0, str(folder.resolve()))  # it can import modules beside it, as a script can
    try:
        if path is None:
            return importlib.import_module(name)
        # another content of the same file is another module
        known = f"verigym_tools_{path.stem}_{content_hash([str(path.resolve()), path.read_bytes()])[:12]}"
        if known in sys.modules:
            return sys.modules[known]
        spec = importlib.util.spec_from_file_location(known, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[known] = module  # resolves the type hints
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[known]
            raise
        return module
    except (Exception, SystemExit) as error:  # the user's own file may raise anything
        raise BadInput(f"{where}: {path or name} cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(folder.resolve()))
