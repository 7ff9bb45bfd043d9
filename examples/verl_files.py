"""The files that verl needs for an environment: `python examples/verl_files.py workplace FOLDER`.

It writes tools.yaml, train.parquet and val.parquet, and prints the options that name them. `verigym recipe translate
RECIPE --to verl --rows FOLDER` does the same and writes the other options too.
"""

import sys
from pathlib import Path

import pyarrow as arrow
import pyarrow.parquet as parquet
import yaml

from verigym.bridges.episodes import shared
from verigym.bridges.rows import verl_rows, verl_tools


def main(environment: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    peer = shared(environment)
    (folder / "tools.yaml").write_text(yaml.safe_dump(verl_tools(peer, environment)))
    for split in ("train", "val"):
        parquet.write_table(arrow.Table.from_pylist(verl_rows(peer, environment, split)), folder / f"{split}.parquet")
    print(f"data.train_files={folder}/train.parquet data.val_files={folder}/val.parquet data.return_raw_chat=True")
    print(f"actor_rollout_ref.rollout.multi_turn.tool_config_path={folder}/tools.yaml")
    print(
        "reward.custom_reward_function.path=pkg://verigym.bridges.verl reward.custom_reward_function.name=compute_score"
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
