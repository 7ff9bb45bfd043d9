"""One rank of several, as torchrun starts it: `torchrun --nproc-per-node 4 -m verigym.training.launch train recipe.yaml`.

Rank 0 runs the command. The others follow it and need no command. `start_ranks` starts followers with this module too.
"""

import sys
from importlib.metadata import entry_points

from verigym.core.errors import VerigymError
from verigym.core.printable import warn
from verigym.training.rank_processes import join, leading


def main() -> int:
    try:
        ranks = join()
        if ranks.rank:
            from verigym.training.ranked_learner import follow  # late, so that the others hear early of this rank

            follow(ranks)
            return 0
    except VerigymError as error:
        warn(f"error: {error}")
        return 1
    [command] = entry_points(group="console_scripts", name="verigym")
    with leading(ranks):
        return command.load()() or 0


if __name__ == "__main__":
    sys.exit(main())
