"""Reads exported training data with the loaders of another trainer, and prints what they make of it as JSON:
`read_exports.py TRAINER FOLDER`. The folder has the files and a model with its tokenizer."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from transformers import AutoTokenizer


def openrlhf(folder: Path) -> Any:
    from openrlhf.datasets import PromptDataset, RewardDataset, SFTDataset
    from openrlhf.datasets.utils import blending_datasets

    tokenizer = AutoTokenizer.from_pretrained(folder / "model")

    class Strategy:
        def __init__(self, **data: Any) -> None:
            self.args = SimpleNamespace(data=SimpleNamespace(apply_chat_template=True, **data), use_ms=False)

        def print(self, *words: object) -> None: ...

        def is_rank_0(self) -> bool:
            return False

    def rows(name: str) -> Any:
        return blending_datasets(str(folder / f"{name}.jsonl"), strategy=Strategy())

    sft = SFTDataset(
        rows("demonstrations"), tokenizer, 4096, Strategy(input_key="input", output_key="output"), num_processors=1
    )
    ids, _, mask = sft[len(sft) - 1]
    learnt = [id for id, used in zip(ids[0][1:].tolist(), mask[0].tolist(), strict=False) if used]
    keys = {"prompt_key": "prompt", "chosen_key": "chosen", "rejected_key": "rejected"}
    dpo = RewardDataset(rows("preferences"), tokenizer, 4096, Strategy(**keys), is_dpo=True, num_processors=1)
    prompts = PromptDataset(rows("prompts"), tokenizer, Strategy(input_key="input", label_key="label"))
    return {
        "demonstrations": len(sft),
        "learnt": tokenizer.decode(learnt),
        "preferences": len(dpo),
        "chosen": tokenizer.decode(dpo[0][0][0]),
        "rejected": tokenizer.decode(dpo[0][2][0]),
        "prompts": len(prompts),
        "prompt": prompts[0][1],
        "label": prompts[0][2],
        "datasource": prompts[0][0],
    }


def verl(folder: Path) -> Any:
    from omegaconf import OmegaConf
    from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    tokenizer = AutoTokenizer.from_pretrained(folder / "model")
    config = OmegaConf.create({"max_prompt_length": 8192, "max_length": 8192, "filter_overlong_prompts_workers": 1})
    prompts = RLHFDataset(str(folder / "prompts.parquet"), tokenizer, config)
    batch = collate_fn([prompts[0], prompts[1]])
    sft = MultiTurnSFTDataset(str(folder / "demonstrations.parquet"), tokenizer, config)
    row = sft[len(sft) - 1]
    learnt = [id for id, used in zip(row["input_ids"].tolist(), row["loss_mask"].tolist(), strict=True) if used]
    return {
        "prompts": len(prompts),
        "prompt": prompts[0]["raw_prompt"],
        "ground_truth": prompts[0]["reward_model"]["ground_truth"],
        "task": prompts[0]["extra_info"]["task"],
        "agent": prompts[0]["agent_name"],
        "batch": sorted(batch),
        "demonstrations": len(sft),
        "learnt": tokenizer.decode(learnt),
    }


def trl_datasets(folder: Path) -> Any:
    """Only reads: the losses of TRL 1.15 need a GPU."""
    return trl(folder, steps=False)


def trl(folder: Path, steps: bool = True) -> Any:
    from datasets import load_dataset
    from trl.trainer.dpo_config import DPOConfig
    from trl.trainer.dpo_trainer import DPOTrainer
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer
    from trl.trainer.kto_config import KTOConfig
    from trl.trainer.kto_trainer import KTOTrainer
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    tokenizer = AutoTokenizer.from_pretrained(folder / "model")
    model = str(folder / "model")

    def rows(name: str) -> Any:
        return load_dataset("json", data_files=str(folder / f"{name}.jsonl"), split="train")

    common: Any = {
        "output_dir": str(folder / "out"),
        "report_to": "none",
        "use_cpu": True,
        "max_steps": 1,
        "bf16": False,
    }
    common |= {"per_device_train_batch_size": 2}
    sft = SFTTrainer(
        model, args=SFTConfig(**common, max_length=None, loss_type="nll"), train_dataset=rows("demonstrations")
    )
    row = sft.train_dataset[len(sft.train_dataset) - 1]
    if "labels" in row:
        learnt = [label for label in row["labels"] if label != -100]
    else:
        learnt = [id for id, used in zip(row["input_ids"], row["completion_mask"], strict=True) if used]
    losses = {"sft": sft.train().training_loss if steps else 0.0}
    dpo = DPOTrainer(model, args=DPOConfig(**common, max_length=None), train_dataset=rows("preferences"))
    losses["dpo"] = dpo.train().training_loss if steps else float(len(dpo.train_dataset))
    kto = KTOTrainer(model, args=KTOConfig(**common, max_length=None), train_dataset=rows("rollouts"))
    losses["kto"] = kto.train().training_loss if steps else float(len(kto.train_dataset))
    told: list[dict[str, Any]] = []

    def reward(completions: list[Any], answer: list[str], task: list[str], **columns: Any) -> list[float]:
        told.append({"answer": answer[0], "task": task[0], "columns": sorted(columns)})
        return [float(len(one[0]["content"])) for one in completions]

    settings = GRPOConfig(**common, num_generations=2, max_completion_length=4)
    grpo = GRPOTrainer(model, args=settings, reward_funcs=reward, train_dataset=rows("prompts"))
    losses["grpo"] = grpo.train().training_loss if steps else float(len(grpo.train_dataset))
    return {
        "learnt": tokenizer.decode(learnt),
        "context": tokenizer.decode(row["input_ids"]),
        "losses": losses,
        **(told[0] if steps else {}),
    }


if __name__ == "__main__":
    name, folder = sys.argv[1:]
    print(
        "read:"
        + json.dumps({"openrlhf": openrlhf, "verl": verl, "trl": trl, "trl-datasets": trl_datasets}[name](Path(folder)))
    )
