"""Our OpenEnv server under OpenEnv's own client, with many sessions at once."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.bridges.solutions import actions
from tests.servers.serving import serving
from tests.third_party.install import install, python_of
from verigym.bridges.openenv import openenv_app
from verigym.environments.load import load_environment
from verigym.servers.environment_sessions import EnvironmentSessions, SessionLimits

CLIENT = Path(__file__).parents[1] / "programs" / "openenv_client.py"


@pytest.mark.parametrize("name", ["workplace", "sudoku", "support", "math"])
def test_gold_scores_1_and_nothing_fails_under_their_client_in_16_sessions_at_once(name: str, tmp_path: Path) -> None:
    install("openenv")
    spec = load_environment(name)
    served = EnvironmentSessions(spec, "val", SessionLimits(), messages=True)
    tasks = list(served.tasks.values())[:8]
    gold = [{"task": task.id, "actions": actions(spec, task)} for task in tasks]
    nothing = [{"task": task.id, "actions": ["I did nothing."] * spec.max_turns} for task in tasks]
    file = tmp_path / "episodes.json"
    file.write_text(json.dumps([*gold, *nothing]))
    with serving(openenv_app(served)) as url:
        command = [str(python_of("openenv")), "-P", str(CLIENT), url, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    results = json.loads(done.stdout.splitlines()[-1])
    assert all(each["done"] and each["state"]["done"] for each in results)
    assert [each["passed"] for each in results] == [True] * 8 + [False] * 8
    assert all(each["reward"] == 1.0 for each in results[:8]) and all(each["reward"] <= 0.0 for each in results[8:])
    assert len(served) == 0
