"""Judges a repair: runs hidden tests on the changed modules in the sandbox.

The repository becomes one source text that contains its modules and exports their functions, so that `Code` can test it. The
tests run in one sandbox and the repository answers from another. If it prints or patches, only its own answers change.
"""

import re

import msgspec

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Json, Task, Trajectory, Verdict
from verigym.verifiers.code import Code

_TESTED = Code(seconds=1.0, file="repository.py")

RUNNER = """
import glob, importlib.util, sys
sys.path.insert(0, "."); sys.dont_write_bytecode = True
passed, failed = 0, []
for path in sorted(glob.glob("tests/test_*.py")):
    try:
        spec = importlib.util.spec_from_file_location(path[6:-3], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except BaseException as error:
        failed.append(f"{path}: {type(error).__name__}: {error}")
        continue
    for name, test in list(vars(module).items()):
        if name.startswith("test_") and callable(test):
            try:
                test()
                passed += 1
            except BaseException as error:
                failed.append(f"{path} {name}: {type(error).__name__}: {error}")
print(*(f"failed: {each}" for each in failed), f"{passed} passed, {len(failed)} failed", sep="\\n")
"""
"""Program that runs the visible tests in a sandbox with the files."""

_BUNDLE = """
import importlib.abc, importlib.machinery, sys
_FILES = {files!r}
class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.replace(".", "/") + ".py" in _FILES or name.replace(".", "/") + "/__init__.py" in _FILES:
            return importlib.machinery.ModuleSpec(name, self, is_package=name.replace(".", "/") + "/__init__.py" in _FILES)
    def exec_module(self, module):
        path = module.__name__.replace(".", "/")
        path = path + ".py" if path + ".py" in _FILES else path + "/__init__.py"
        exec(compile(_FILES[path], path, "exec"), module.__dict__)
sys.meta_path.insert(0, _Finder())
for _name, _module in {owners!r}.items():
    try:
        globals()[_name] = getattr(__import__(_module, fromlist=["*"]), _name)
    except Exception:
        pass
"""
_DEFINED = re.compile(r"^(?:def |class )?([A-Za-z]\w*) *[(:=]", re.MULTILINE)


def is_test(path: str) -> bool:
    return path.startswith("tests/")


def _is_module(path: str) -> bool:
    return path.endswith(".py") and not is_test(path)


def bundle(files: dict[str, str], changed: Json | None = None) -> str:
    """Returns the modules of a repository as one source text that exports what they define. If two modules define a name, the
    module that defined it originally counts. The functions of a module that fails to import are undefined."""
    after = {path: text for path, text in {**files, **(changed or {})}.items() if _is_module(path)}
    owners = {
        name: path.removesuffix(".py").replace("/", ".")
        for texts in (after, files)
        for path, text in texts.items()
        if _is_module(path)
        for name in _DEFINED.findall(text)
    }
    return _BUNDLE.format(files=after, owners=owners)


async def repair_verifier(task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    """Gives 1 if every test passes, and otherwise 0. The part `tests` is the share that passes. `tests_edited` is the number
    of changed test files, which have no effect."""
    if "files" not in task.data:
        raise VerifierFailure(f'task {task.id}: data has no "files"; code_repair judges a repository')
    changed: Json = trajectory.end_state.get("changed", {})
    edited = [path for path in changed if is_test(path)]
    source = bundle(task.data["files"], changed)
    verdict = await _TESTED(task, msgspec.structs.replace(trajectory, end_state={"repository.py": source}), context)
    words = [verdict.evidence, *(f"edited, and not counted: {path}" for path in edited)]
    return msgspec.structs.replace(
        verdict,
        reward=float(verdict.passed),
        parts={**verdict.parts, "tests_edited": float(len(edited))},
        evidence="\n".join(words),
    )
