"""An environment of Verigym as an agent of OpenRLHF: `--train.agent_func_path examples/openrlhf_agent.py`.

`verigym recipe translate RECIPE --to openrlhf --rows FOLDER` writes the other options and the rows.
"""

from verigym.bridges.openrlhf import agent_executor

AgentExecutor = agent_executor("workplace")
