"""How often a model passes training tasks of each kind of reasoning-gym, to choose kinds before any held-out task is seen.

    python bench/kinds.py --model FOLDER gcd aiw needle_haystack      # 8 training tasks of each kind, 8 replies to each task
    python bench/kinds.py --model FOLDER --recipe FILE                # writes the recipe with the ten best of 28 kinds

`signal` is the share of tasks with replies that pass and replies that fail. A kind without signal teaches nothing. A kind that
is mostly passed has little to gain. So kinds are ranked by the signal times the share of failures, and kinds that more than 70%
of the replies pass are left out. These tasks have seed 900, which no recipe uses. The goal is a GPU.
"""

import tempfile
from pathlib import Path
from typing import Any

from figures import figure, finish, parser

KINDS = """
aiw base_conversion basic_arithmetic bitwise_arithmetic calendar_arithmetic chain_sum color_cube_rotation count_bits
decimal_chain_sum family_relationships gcd knights_knaves largest_island lcm leg_counting letter_counting needle_haystack
number_filtering number_format power_function prime_factorization products rotate_matrix simple_equations simple_geometry
string_insertion syllogism time_intervals
"""
SHIPPED = Path(__file__).parents[1] / "recipes/qwen_reasoning_gym.yaml"
MOST_PASSED = 0.7


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("kinds", nargs="*", default=KINDS.split())
    asked.add_argument("--model", default="smollm2-135m")
    asked.add_argument("--tasks", type=int, default=8)
    asked.add_argument("--samples", type=int, default=8)
    asked.add_argument("--max-tokens", type=int, default=320)
    asked.add_argument("--best", type=int, default=10, help="number of kinds in the recipe")
    asked.add_argument("--recipe", type=Path, help="write recipes/qwen_reasoning_gym.yaml with the best kinds here")
    args = asked.parse_args()
    if args.quick:
        args.kinds, args.tasks, args.samples, args.max_tokens = args.kinds[:1], 2, 2, 8
    from verigym import Workspace

    with tempfile.TemporaryDirectory(prefix="verigym-kinds-") as folder:
        ws = Workspace(Path(folder))  # one for all kinds, so that the model is loaded once
        found = {kind: tried(args, ws, kind) for kind in args.kinds}
    worth = {kind: signal * (1 - rate) for kind, (rate, signal) in found.items() if rate <= MOST_PASSED}
    best = sorted(worth, key=lambda kind: -worth[kind])[: args.best]
    print("best:", *best, flush=True)
    if args.recipe:
        head, rest = SHIPPED.read_text().split("environments:\n")
        rows = "".join(f'  "reasoning-gym:{kind}?size=2000&val=100&seed=1": 1\n' for kind in best)
        args.recipe.write_text(f"{head}environments:\n{rows}{rest[rest.index('held_out_eval') :]}")
    finish(
        [
            figure(f"kinds: {kind}", rate, f"passed, signal in {signal:.2f} of the tasks")
            for kind, (rate, signal) in found.items()
        ],
        args,
    )


def tried(args: Any, ws: Any, kind: str) -> tuple[float, float]:
    """The share of replies that pass, and the share of tasks with signal."""
    where = f"reasoning-gym:{kind}?size={args.tasks}&val=1&seed=900"
    run = ws.rollout(where, args.model, n=args.tasks, k=args.samples, max_tokens=args.max_tokens)
    task_of = {each.id: each.task for each in ws.folder.store.each_trajectory(run.id)}
    passed: dict[str, list[bool]] = {}
    for verdict in ws.folder.store.each_verdict(run.id):
        passed.setdefault(task_of[verdict.trajectory], []).append(verdict.passed)
    rate = sum(map(sum, passed.values())) / max(1, sum(map(len, passed.values())))
    signal = sum(0 < sum(each) < len(each) for each in passed.values()) / max(1, len(passed))
    print(f"{kind}: passed {rate:.3f}, signal in {signal:.2f} of {len(passed)} tasks", flush=True)
    return rate, signal


if __name__ == "__main__":
    main()
