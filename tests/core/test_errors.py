"""What the user is told, and whose fault a failure was."""

import pytest

from verigym.core import errors
from verigym.core.errors import failure, not_found
from verigym.core.records import Failure, Fault


def test_a_name_that_is_not_found_suggests_the_nearest_and_lists_all() -> None:
    error = not_found("environment", "tolcall", ["workplace", "toolcall"], "Or give a file.")
    assert isinstance(error, errors.NotFound)
    assert str(error) == (
        'There is no environment "tolcall". Did you mean "toolcall"? Available: toolcall, workplace. Or give a file.'
    )


def test_nothing_is_suggested_where_nothing_is_near() -> None:
    assert str(not_found("run", "xyz", ["eval-1"])) == 'There is no run "xyz". Available: eval-1.'


def test_where_there_is_nothing_at_all_the_words_say_so() -> None:
    assert str(not_found("run", "latest", [])) == 'There is no run "latest". No run exists yet.'


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (errors.EnvironmentFailure("x"), Fault.ENVIRONMENT),
        (errors.VerifierFailure("x"), Fault.VERIFIER),
        (errors.InfrastructureFailure("x"), Fault.INFRASTRUCTURE),
        (errors.ContextFull("x"), Fault.MODEL),
        (MemoryError("x"), Fault.INFRASTRUCTURE),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_that_says_whose_fault_it_was_is_believed(error: Exception, fault: Fault) -> None:
    for otherwise in Fault:
        assert failure(error, otherwise) == Failure(fault, type(error).__name__, "x")


@pytest.mark.parametrize("otherwise", Fault)
def test_an_error_that_does_not_say_is_the_fault_of_whose_code_ran(otherwise: Fault) -> None:
    assert failure(ZeroDivisionError("by zero"), otherwise) == Failure(otherwise, "ZeroDivisionError", "by zero")


def test_an_error_without_words_is_recorded_by_its_name() -> None:
    assert failure(KeyError(), Fault.MODEL).message == "KeyError()"


@pytest.mark.parametrize(
    "kind",
    [
        "BadInput",
        "NotFound",
        "Refused",
        "EnvironmentFailure",
        "VerifierFailure",
        "InfrastructureFailure",
        "ContextFull",
    ],
)
def test_every_kind_is_a_verigym_error(kind: str) -> None:
    assert issubclass(getattr(errors, kind), errors.VerigymError)


def test_of_very_many_names_some_are_listed() -> None:
    said = str(not_found("task", "x", [f"task-{number:04}" for number in range(5000)]))
    assert "task-0000, task-0001" in said and said.endswith(" and 4,976 more.") and len(said) < 400
