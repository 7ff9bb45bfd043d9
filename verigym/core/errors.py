"""The errors that a user sees: what happened, where, and what to do.

`VerigymError` and its subclasses are for the user: a command prints their message without a traceback. Any other exception
is a bug. `failure` records whose fault an exception during an episode was.
"""

import difflib
import os
from collections.abc import Iterable
from pathlib import Path

from verigym.core.records import Failure, Fault


class VerigymError(Exception):
    """An error that the user can fix."""


class BadInput(VerigymError):
    """A file, row, field or argument is invalid."""


class NotFound(VerigymError):
    """A name does not exist. The message lists the names that do."""


class Refused(VerigymError):
    """The request would break a rule, such as training on a held-out family or comparing different suites."""


class EnvironmentFailure(VerigymError):
    """The environment itself failed."""


class VerifierFailure(VerigymError):
    """The verifier itself failed. The episode gets no verdict, never a silent 0."""


class InfrastructureFailure(VerigymError):
    """A server, the network, a disk or the machine failed."""


class NoServer(InfrastructureFailure):
    """No server has ever answered at an address. A retry does not help."""


class EngineLost(InfrastructureFailure):
    """An engine died or does not answer. Another engine can answer the same request."""


class RankLost(InfrastructureFailure):
    """A process of several that learn together died or does not answer. All of them can start again from the checkpoint."""


class ContextFull(VerigymError):
    """The prompt does not fit the model's context window."""


_FAULTS: list[tuple[type[BaseException], Fault]] = [
    (EnvironmentFailure, Fault.ENVIRONMENT),
    (VerifierFailure, Fault.VERIFIER),
    (InfrastructureFailure, Fault.INFRASTRUCTURE),
    (ContextFull, Fault.MODEL),
    (MemoryError, Fault.INFRASTRUCTURE),
]


def failure(error: BaseException, otherwise: Fault) -> Failure:
    """The record of an exception. `otherwise` is the owner of the code that was running. It is used if the exception does not
    name a fault itself."""
    fault = next((fault for kind, fault in _FAULTS if isinstance(error, kind)), otherwise)
    return Failure(fault=fault, kind=type(error).__name__, message=words_of(error) + _location(error))


_OURS = Path(__file__).resolve().parents[1]


def _location(error: BaseException) -> str:
    """` (desk.py, line 12)`: where code of the user raised an exception. Errors of verigym say what to do in other words."""
    location = ""
    step = None if isinstance(error, VerigymError) else error.__traceback__
    while step is not None:
        file = Path(step.tb_frame.f_code.co_filename)
        installed = "site-packages" in file.parts or file.is_relative_to(_STANDARD_LIBRARY) or not file.is_absolute()
        shipped = file.is_relative_to(_OURS) and not file.is_relative_to(_OURS / "environments")
        if not installed and not shipped:
            location = f" ({file.name}, line {step.tb_lineno})"
        step = step.tb_next
    return location


_STANDARD_LIBRARY = Path(os.__file__).parent


def words_of(error: BaseException) -> str:
    """The exception's message. Safe even if its `__str__` raises."""
    try:
        return str(error) or repr(error)
    except Exception:
        return f"{type(error).__name__} (its message cannot be shown)"


_LISTED = 24


def not_found(what: str, name: str, existing: Iterable[str], remedy: str = "") -> NotFound:
    """`There is no environment "tolcall". Did you mean "toolcall"? Available: ...`"""
    names = sorted(existing)
    near = difflib.get_close_matches(name, names, n=1)
    words = f'There is no {what} "{name}".'
    words += f' Did you mean "{near[0]}"?' if near else ""
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    words += f" Available: {', '.join(names[:_LISTED])}{more}." if names else f" No {what} exists yet."
    return NotFound(f"{words} {remedy}".strip())
