"""Our agent under OpenRLHF's own MultiTurnAgentExecutor, with a scripted engine in place of vLLM."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.third_party.install import install, variables_of

PROGRAM = Path(__file__).parents[1] / "programs" / "openrlhf_play.py"


def test_tools_and_a_user_answer_between_turns_and_only_the_replies_are_trained_on() -> None:
    install("openrlhf")
    command = [sys.executable, str(PROGRAM), "support"]
    variables = {**os.environ, **variables_of("openrlhf")}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    gold, nothing, short = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert (gold["reward"], gold["score"]) == (1.0, 1.0) and gold["turns"] > 3
    assert any("<tool_response>" in text for text in gold["read"])
    assert any("<tool_response>" not in text for text in gold["read"])  # the user's message
    assert all(text.startswith("\n<|im_start|>user\n") and text.endswith("assistant\n") for text in gold["read"])
    assert nothing["reward"] == 0.0 and nothing["turns"] < 3
    assert short["turns"] == 1 and short["reward"] == 0.0  # scored, although it never ended
    assert [each["open"] for each in (gold, nothing, short)] == [0, 0, 0]
