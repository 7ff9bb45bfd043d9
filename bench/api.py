"""Training through `verigym.Workspace`, whose work runs on a thread of its own, against the same training on the main thread.

python bench/api.py            # SFT steps of smollm2-135m, the best step of each
"""

import tempfile
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

import verigym
from verigym.workspace.train import train

FIELDS: dict[str, Any] = {
    "model": "smollm2-135m",
    "algorithm": "sft",
    "reward": "tool_call_verifier",
    "num_tasks": 64,
    "prompts_per_step": 8,
    "eval_interval": 0,
    "eval_tasks": 1,
    "held_out_eval": "tool_call_eval",
}


def seconds_of_steps(metrics: dict[int, dict[str, float]]) -> float:
    """The best step. The first one warms up."""
    return min(one["seconds"] for step, one in metrics.items() if step > 1)


def measure(folder: Path, steps: int, seed: int) -> tuple[float, float]:
    """Seconds of a step on the main thread, and on the thread of a workspace."""
    recipe = verigym.Recipe(**FIELDS, steps=steps, seed=seed)
    with verigym.Workspace(folder / f"main-{seed}") as ws:
        _, run = train(ws.folder, recipe)
        on_main = seconds_of_steps(ws.folder.store.metrics(run))
    with verigym.Workspace(folder / f"thread-{seed}") as ws:
        return on_main, seconds_of_steps(ws.metrics(ws.train(recipe)))


def main() -> None:
    args = parser(__doc__).parse_args()
    steps, rounds = (4, 1) if args.quick else (8, 3)
    with tempfile.TemporaryDirectory() as folder:
        pairs = [measure(Path(folder), steps, seed) for seed in range(rounds)]
    on_main, on_thread = (min(times) for times in zip(*pairs, strict=True))
    figures: list[Figure] = [
        figure("an SFT step on the main thread", on_main, "s"),
        figure("an SFT step through Workspace", on_thread, "s"),
        figure("time through Workspace, relative", on_thread / on_main, "times", "<= 1.1"),
    ]
    finish(figures, args)


if __name__ == "__main__":
    main()
