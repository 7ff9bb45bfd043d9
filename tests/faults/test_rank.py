"""A training run one of whose ranks is killed five times: all of them start again, and it ends as if nothing had happened."""

from pathlib import Path

import pytest

from tests.faults.rank import faults
from tests.faults.training import Outcome

pytestmark = pytest.mark.cluster


@pytest.mark.timeout(1800)
def test_five_kills_of_ranks_cost_a_training_run_nothing(tmp_path: Path) -> None:
    outcome = faults(tmp_path, kills=5)
    wanted = Outcome(kills=5, still_s=outcome.still_s, same_adapter=True, same_metrics=True, finished=True)
    assert outcome == wanted, "the command is not repeated, and nothing is lost or double"
    assert faults(tmp_path, kills=5) == outcome, "a finished kind is only read"
