"""Against a real vLLM server, started by `bench/vllm.py`: about two minutes, in its own environment (see that file)."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "vllm.py"
PYTHON = os.environ.get("VERIGYM_VLLM_PYTHON", "")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not PYTHON, reason="VERIGYM_VLLM_PYTHON is not set to an interpreter with vLLM; see bench/vllm.py"
    ),
]


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """What the script measured, by name."""
    done = subprocess.run([sys.executable, str(SCRIPT), "--quick", "--json"], capture_output=True, text=True)
    lines = [msgspec.json.decode(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stderr
    return {line["figure"]: line for line in lines}


@pytest.mark.parametrize("api", ["Chat Completions", "Responses"])
@pytest.mark.parametrize(
    "what",
    [
        "rollouts stored without error",
        "prompts with ids",
        "ids that decode to the reply",
        "logprobs against the model's own at temperature 1",
        "logprobs against the model's own at temperature 0.7",
    ],
)
def test_rollouts_over_both_apis_have_ids_and_logprobs_that_training_can_use(
    figures: dict[str, Any], api: str, what: str
) -> None:
    assert figures[f"{api}: {what}"]["ok"], figures[f"{api}: {what}"]


@pytest.mark.parametrize("api", ["Chat Completions", "Responses"])
def test_most_later_turns_extend_the_ids_before(figures: dict[str, Any], api: str) -> None:
    assert figures[f"{api}: later turns whose prompt extends the ids before"]["value"] > 0.5


def test_the_same_seeds_give_the_same_tokens_over_both_apis(figures: dict[str, Any]) -> None:
    assert figures["replies that are the same tokens over both APIs"]["value"] > 0.5
