"""Our tools and our reward function under verl's own ToolAgentLoop and reward manager, with a scripted engine."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.third_party.install import install, variables_of

PROGRAM = Path(__file__).parents[1] / "programs" / "verl_play.py"


def test_several_tools_share_one_episode_and_the_reward_function_scores_it(tmp_path: Path) -> None:
    install("verl")
    command = [sys.executable, str(PROGRAM), str(tmp_path)]
    variables = {**os.environ, **variables_of("verl")}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    gold, nothing = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
    assert gold["reward_score"] == 1.0 and gold["reward_extra_info"]["acc"] == 1.0
    assert gold["tools"] > 1 and gold["open"] == 1  # one episode for all calls
    assert nothing["reward_score"] == 0.0 and nothing["open"] == 1  # the second had no call, so no episode is left open
    assert gold["sampled"] and nothing["sampled"]  # only what the model sampled is in the mask
