"""Computes the version of a verifier: a short hash of the code and the settings that decide its verdicts.

The hash covers the function or class, its module, and the modules of the same project that its module imports. It leaves
out the standard library, installed packages, and verigym itself apart from `verigym.verifiers` and an environment's own
folder. Code is hashed as a syntax tree, so comments, docstrings and formatting do not count. No path and no address is
hashed. The version is the same on every machine and in every supported Python.
"""

import ast
import functools
import hashlib
import importlib.metadata
import inspect
import os
import textwrap
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

_VERIFIERS = Path(__file__).resolve().parent
_HOME = _VERIFIERS.parents[1]
"""The folder that `import verigym` finds verigym in."""


def version(verify: object) -> str:
    """Eight hexadecimal digits. They change only when code or settings change."""
    files: dict[Path, None] = {}
    text = _written(verify, files, set())
    modules = [code_text(_read(path)) for path in _with_imports(files)]
    return hashlib.sha256("".join([text, *modules]).encode()).hexdigest()[:8]


def _written(value: Any, files: dict[Path, None], within: set[int]) -> str:
    """A value as text that depends on its content alone. Adds the files that define it to `files`."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return repr(value)
    if id(value) in within:  # a function that closes over itself
        return "..."
    within = within | {id(value)}
    write = functools.partial(_written, files=files, within=within)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(write, value))}]"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(write, value)))}}}"
    if isinstance(value, dict):
        return f"{{{', '.join(sorted(f'{write(key)}: {write(each)}' for key, each in value.items()))}}}"
    if isinstance(value, functools.partial):
        return f"partial {write(value.func)} {write(value.args)} {write(value.keywords)}"
    if inspect.ismethod(value):
        return f"{write(value.__self__)}.{value.__name__}"
    if inspect.ismodule(value):
        return _module_text(value, files)
    _add_file(value if inspect.isroutine(value) or inspect.isclass(value) else type(value), files)
    if inspect.isfunction(value):
        closed = [cell.cell_contents for cell in value.__closure__ or ()]
        return _source(value) + (write(closed) if closed else "")
    if inspect.isroutine(value) or inspect.isclass(value):
        return value.__qualname__
    settings = msgspec.structs.asdict(value) if isinstance(value, msgspec.Struct) else getattr(value, "__dict__", {})
    return f"{type(value).__qualname__} {write(dict(settings))}"


def _module_text(module: Any, files: dict[Path, None]) -> str:
    """A module in a closure: its name, and for an installed one the version of its package. Files of the project count by
    their content."""
    file = getattr(module, "__file__", None)
    if file and file.endswith(".py") and "site-packages" not in Path(file).parts and not _is_standard(Path(file)):
        files[Path(file).resolve()] = None
    top = module.__name__.partition(".")[0]
    names = _distributions().get(top, []) if file and "site-packages" in file else []
    return f"module {module.__name__} {' '.join(f'{name}=={importlib.metadata.version(name)}' for name in sorted(set(names)))}"


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


def _is_standard(file: Path) -> bool:
    return file.resolve().is_relative_to(Path(os.__file__).resolve().parent)


def _source(function: Any) -> str:
    try:
        return code_text(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError):  # defined at run time, without a source file
        return function.__qualname__


def _add_file(code: Any, files: dict[Path, None]) -> None:
    file = getattr(inspect.getmodule(code), "__file__", None)
    if file and file.endswith(".py"):
        files[Path(file).resolve()] = None


@functools.lru_cache(maxsize=256)
def code_text(source: str) -> str:
    """The source as text that depends on its code alone: no comments, docstrings, formatting or positions."""
    try:
        return "".join(_node_text(_parse(source)))
    except SyntaxError:  # part of a statement, such as the line of a lambda
        return source


def _parse(source: str) -> ast.Module:
    """Parses source code. Some Python versions fail at random if two threads parse at once, so it retries."""
    for _ in range(20):
        try:
            return ast.parse(source)
        except SystemError:
            time.sleep(0.01)
    return ast.parse(source)


def _node_text(node: Any) -> Iterator[str]:
    """A syntax tree as text. Unlike `ast.dump`, it is the same in every supported Python: empty fields are left out."""
    if isinstance(node, list):
        yield "["
        for item in node:
            if not _is_documentation(item):
                yield from _node_text(item)
        yield "]"
    elif isinstance(node, ast.JoinedStr):  # some Python versions add an empty text after a value, others do not
        yield "(JoinedStr"
        yield from _node_text([part for part in node.values if not (isinstance(part, ast.Constant) and not part.value)])
        yield ")"
    elif isinstance(node, ast.AST):
        yield f"({type(node).__name__}"
        for name, value in ast.iter_fields(node):
            if value not in (None, []) and name not in ("ctx", "kind", "type_comment", "type_ignores"):
                yield f" {name}="
                yield from _node_text(value)
        yield ")"
    else:
        yield f"{node!r},"


def _is_documentation(node: Any) -> bool:
    """A string statement: a docstring, or the description under a field."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _with_imports(files: dict[Path, None]) -> list[Path]:
    """The files and what they import, at any depth, in an order that depends only on their text."""
    paths, waiting = dict(files), list(files)
    while waiting:
        for path in _imports(waiting.pop(0)):
            if path not in paths:
                paths[path] = None
                waiting.append(path)
    return list(paths)


def _imports(file: Path) -> list[Path]:
    """The modules of the same project that a file imports, anywhere in it."""
    if "site-packages" in file.parts and not file.is_relative_to(_VERIFIERS.parent):
        return []
    top = file.parent
    while (top / "__init__.py").exists():
        top = top.parent
    paths: list[Path] = []
    for level, name in _imported_names(_read(file)):
        if level:
            folders = [file.parents[level - 1]] if level <= len(file.parents) else []
        else:
            folders = [_HOME] if name.split(".")[0] == "verigym" else [top, file.parent]
        for folder in folders:
            stem = folder.joinpath(*name.split("."))
            for path in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
                if path.is_file() and _counts(path, file):
                    paths.append(path)
    return paths


def _counts(path: Path, file: Path) -> bool:
    ours = _VERIFIERS.parent
    if path.is_relative_to(_VERIFIERS) or not path.is_relative_to(ours):
        return True
    return file.is_relative_to(ours) and path.is_relative_to(file.parent)


@functools.lru_cache(maxsize=256)
def _imported_names(source: str) -> list[tuple[int, str]]:
    """`(0, "a.b")` for `import a.b`; `(1, "c")` for `from . import c` and `from .c import d`."""
    names: list[tuple[int, str]] = []
    for node in ast.walk(_parse(source)):
        if isinstance(node, ast.Import):
            names += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [(node.level, node.module)] if node.module else []
            names += [(node.level, ".".join(filter(None, [node.module, alias.name]))) for alias in node.names]
    return names


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
