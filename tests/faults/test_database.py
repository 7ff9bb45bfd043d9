"""A training run whose database is killed five times: it waits, goes on by itself, and ends as if nothing had happened."""

from pathlib import Path

import pytest

from tests.faults.database import faults
from tests.faults.training import LIMIT_S, Outcome, Progress

pytestmark = pytest.mark.cluster


@pytest.mark.timeout(1800)
def test_five_kills_of_the_database_cost_a_training_run_nothing(tmp_path: Path) -> None:
    outcome = faults(tmp_path, kills=5)
    assert outcome.still_s < LIMIT_S
    wanted = Outcome(kills=5, still_s=outcome.still_s, same_adapter=True, same_metrics=True, finished=True)
    assert outcome == wanted, "the command is not repeated, and nothing is lost or double"
    assert faults(tmp_path, kills=5) == outcome, "a finished kind is only read"


def test_time_in_which_a_part_was_away_does_not_count_as_standing_still(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([100.0, 130.0, 140.0])
    monkeypatch.setattr("tests.faults.training.time.monotonic", lambda: next(now))
    progress = Progress()
    progress.step()
    assert progress.longest_s == 0.0
    progress.away(28.0)
    progress.step()
    assert progress.longest_s == 2.0
    progress.step()
    assert progress.longest_s == 10.0
