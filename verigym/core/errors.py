"""What can go wrong, as the user is told it: what happened, where, and what to do.

`VerigymError` and its kinds are for the user and end a command with their words alone; a bug is any other exception.
`failure` says whose fault an exception raised during an episode was.
"""

import difflib
from collections.abc import Iterable

from verigym.core.records import Failure, Fault


class VerigymError(Exception):
    """Something the user can put right."""


class BadInput(VerigymError):
    """A file, row, field or argument is not what it should be."""


class NotFound(VerigymError):
    """A name that does not exist; the words list what does."""


class Refused(VerigymError):
    """A rule of the ring would be broken: a held-out family in training, two suites compared that differ."""


class EnvironmentFailure(VerigymError):
    """The environment itself broke."""


class VerifierFailure(VerigymError):
    """The verifier itself broke: no verdict, never a silent 0."""


class InfrastructureFailure(VerigymError):
    """A server, the network, a disk or the machine failed."""


class ContextFull(VerigymError):
    """The prompt does not fit the model's window."""


_FAULTS: list[tuple[type[BaseException], Fault]] = [
    (EnvironmentFailure, Fault.ENVIRONMENT),
    (VerifierFailure, Fault.VERIFIER),
    (InfrastructureFailure, Fault.INFRASTRUCTURE),
    (ContextFull, Fault.MODEL),
    (MemoryError, Fault.INFRASTRUCTURE),
]


def failure(error: BaseException, otherwise: Fault) -> Failure:
    """The record of an exception. `otherwise` is whose code was running, for exceptions that do not say themselves."""
    fault = next((fault for kind, fault in _FAULTS if isinstance(error, kind)), otherwise)
    return Failure(fault=fault, kind=type(error).__name__, message=words_of(error))


def words_of(error: BaseException) -> str:
    """What an exception says; other people's may fail even at that."""
    try:
        return str(error) or repr(error)
    except Exception:
        return f"{type(error).__name__} (which cannot be shown)"


_LISTED = 24


def not_found(what: str, name: str, known: Iterable[str], remedy: str = "") -> NotFound:
    """`no environment "tolcall"; did you mean "toolcall"? There are: ...`"""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    words = f'no {what} "{name}"'
    words += f'; did you mean "{near[0]}"?' if near else "."
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    words += f" There are: {', '.join(names[:_LISTED])}{more}." if names else f" There is no {what} yet."
    return NotFound(f"{words} {remedy}".strip())
