"""How much of each model family a default adapter covers, against the seven layer names of a Llama.

    python -m bench.adapter_coverage

It builds the default configurations of transformers on a meta device, so it needs no weights and no network.
"""

import torch
import transformers
from transformers import AutoModelForCausalLM

from verigym.core.errors import BadInput
from verigym.model.lora import LoraConfig
from verigym.model.lora_targets import coverage

SEVEN = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
FAMILIES = ("Llama", "Phi3", "Mixtral", "Qwen3Moe", "GptOss", "NemotronH", "Mamba", "Mamba2")


def main() -> None:
    print("| family | parameters | seven names | all | trained |")
    print("| --- | --- | --- | --- | --- |")
    for name in FAMILIES:
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(getattr(transformers, f"{name}Config")())
        found = coverage(model, LoraConfig())
        try:
            seven = f"{coverage(model, LoraConfig(targets=SEVEN, parameters=())).share:.1%}"
        except BadInput:
            seven = "refused"
        print(f"| {name} | {found.total / 1e9:.2f}B | {seven} | {found.share:.1%} | {found.trained / 1e6:.0f}M |")


if __name__ == "__main__":
    main()
