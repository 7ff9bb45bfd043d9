"""Kills of each part of a training run at random moments: nothing is lost or double, and the run ends in the same adapter.

    python bench/faults.py                            # every kind that this machine can run, 20 kills each
    python bench/faults.py database --kills 5
    python bench/faults.py --folder FOLDER            # keep the runs there. Repeat the command to resume

A kind of fault is a file in tests/faults. A tiny model is trained with GRPO, once without and once with kills.
"""

import importlib
import sys
import tempfile
from pathlib import Path

from figures import Figure, figure, finish, parser

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.store.server import programs

FOLDER = Path(__file__).parents[1] / "tests" / "faults"
KINDS = sorted(file.stem for file in FOLDER.glob("*.py") if "\ndef faults(" in file.read_text())
"""Files that have a function `faults`."""


def measure(kind: str, place: Path, kills: int) -> list[Figure]:
    from tests.faults.training import LIMIT_S

    outcome = importlib.import_module(f"tests.faults.{kind}").faults(place / kind, kills)
    name = f"kills of the {kind}"
    return [
        figure(name, outcome.kills, "kills", f">= {kills}"),
        figure(f"{name}: trajectories and verdicts lost", outcome.lost, "records", "<= 0"),
        figure(f"{name}: trajectories and verdicts double", outcome.double, "records", "<= 0"),
        figure(f"{name}: longest time without a step", outcome.still_s, "s", f"<= {LIMIT_S:g}"),
        figure(f"{name}: commands that had to be repeated", outcome.repeated, "commands"),
        figure(f"{name}: same adapter and metrics", outcome.same_adapter and outcome.same_metrics, "runs", ">= 1"),
    ]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)} (default: all)")
    options.add_argument("--kills", type=int, default=20, help="kills of each kind (5 with --quick)")
    options.add_argument("--folder", type=Path, help="keep the runs here, to resume")
    args = options.parse_args()
    if unknown := set(args.kinds) - set(KINDS):
        options.error(f"unknown: {', '.join(sorted(unknown))}. Known: {', '.join(KINDS)}")
    kills, kinds = 5 if args.quick else args.kills, args.kinds or KINDS
    if programs() is None and "database" in kinds:
        print("skipped: database. PostgreSQL is not installed. Install it: apt-get install postgresql", file=sys.stderr)
        kinds = [kind for kind in kinds if kind != "database"]
    with tempfile.TemporaryDirectory(prefix="verigym-faults-") as folder:
        place = args.folder or Path(folder)
        finish([one for kind in kinds for one in measure(kind, place, kills)], args)


if __name__ == "__main__":
    main()
