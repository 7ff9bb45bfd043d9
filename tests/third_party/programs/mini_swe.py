"""mini-swe-agent, with its own bash tool in the folder of the episode."""

import os
import sys
from pathlib import Path

os.environ |= {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MSWEA_SILENT_STARTUP": "1",
}  # neither asks the network nor talks

import minisweagent
import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.litellm_model import LitellmModel


def main(prompt: str) -> None:
    config = yaml.safe_load((Path(minisweagent.__file__).parent / "config" / "default.yaml").read_text())
    model = LitellmModel(
        model_name="openai/verigym",
        model_kwargs={"api_base": os.environ["OPENAI_BASE_URL"]},
        cost_tracking="ignore_errors",
    )
    agent = DefaultAgent(model, LocalEnvironment(cwd=os.getcwd()), **config["agent"])
    print(agent.run(prompt))


if __name__ == "__main__":
    main(sys.argv[1])
