"""Kills engines, workers, machines and commands of a cluster at random moments, and compares the run with one without kills.

    python bench/faults_cluster.py                                 # 20 kills of each kind
    python bench/faults_cluster.py engine --folder FOLDER          # keep what is done there. Repeat the command to go on

Three Ray machines on this one, fake engines whose tokens depend on prompt, seed and version, and a tiny model that learns with
GRPO. A round is one training run with 5 kills, one in each step but the first. Episodes, verdicts and the final adapter must be
those of a run without kills. Without Ray there is nothing to measure.
"""

import importlib.util
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from figures import Figure, figure, finish, parser

sys.path.insert(0, str(Path(__file__).parents[1]))

KINDS = ("engine", "worker", "machine", "command")
ROUND = 5
"""Kills of a round."""
LIMIT_S = 60.0
"""Maximum seconds without a new episode or verdict while an engine, a rank and the store are alive."""


class Round(msgspec.Struct):
    kills: int
    longest_s: float
    """Longest time without progress. 0 for commands, because nothing is alive after the kill."""
    same: bool
    why: str = ""


def play(kind: str, number: int, folder: Path, wanted: tuple[Any, Any, str]) -> Round:
    """One round on a cluster of its own."""
    from tests.cluster import machines as rig
    from tests.workspace.desk import Bench
    from verigym.cluster.launch import RayPlace

    draw = random.Random(f"{kind} {number}")
    bench = Bench(folder / f"{kind}-{number}", wanted[0].model)
    bench.desk = wanted[0].desk
    with rig.machines(3) as three:
        if kind == "command":
            version = rig.kill_command(bench, three.address, wanted[2], ROUND, draw)
            return _compared(ROUND, 0.0, wanted, (bench, version, wanted[2]))
        place = RayPlace(rig.settings(three.address, engines=3))
        kills = {
            "engine": lambda: rig.kill_engine(place, draw),
            "worker": lambda: rig.kill_worker(place, draw),
            "machine": lambda: three.kill(draw),
        }
        killer = rig.Killer(kills[kind], number, three.add if kind == "machine" else lambda: None)
        watch = rig.ProgressWatch(bench.ws.home, killer)
        bench.ws.place = place
        try:
            version, run = bench.train("grpo", steps=ROUND + 1, on_step=killer.on_step)
        finally:
            longest_s = watch.close()
            killer.close()
            place.close()
    return _compared(min(killer.kills, ROUND), longest_s, wanted, (bench, version, run))


def _compared(kills: int, longest_s: float, wanted: Any, found: Any) -> Round:
    from tests.cluster.machines import same

    try:
        same(wanted, found)
    except AssertionError as error:
        return Round(kills, longest_s, False, str(error)[:300])
    return Round(kills, longest_s, True)


def measure(kind: str, folder: Path, kills: int) -> list[Figure]:
    from tests.cluster.machines import expected, made_model

    file = folder / f"{kind}.json"
    rounds = msgspec.json.decode(file.read_bytes(), type=list[Round]) if file.exists() else []
    while sum(one.kills for one in rounds) < kills:
        number = len(rounds)
        with tempfile.TemporaryDirectory(dir=folder, prefix=f"{kind}-") as work:
            wanted = expected(Path(work), made_model(Path(work)), ROUND + 1)
            rounds.append(play(kind, number, Path(work), wanted))
        file.write_bytes(msgspec.json.encode(rounds))
        print(f"{kind}, round {number + 1}: {rounds[-1]}", file=sys.stderr, flush=True)
    name = f"kills of a cluster's {kind}"
    figures = [
        figure(name, sum(one.kills for one in rounds), "kills", f">= {kills}"),
        figure(f"{name}: runs that differ from one without kills", sum(not one.same for one in rounds), "runs", "<= 0"),
    ]
    if kind != "command":
        longest_s = max(one.longest_s for one in rounds)
        figures.append(figure(f"{name}: longest time without progress", longest_s, "s", f"<= {LIMIT_S:g}"))
    return figures


def main() -> None:
    options = parser(__doc__)
    options.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)} (default: all)")
    options.add_argument("--kills", type=int, default=20, help="kills of each kind (5 with --quick)")
    options.add_argument("--folder", type=Path, help="keep what is done here, to go on")
    args = options.parse_args()
    if unknown := set(args.kinds) - set(KINDS):
        options.error(f"unknown: {', '.join(sorted(unknown))}. Known: {', '.join(KINDS)}")
    if importlib.util.find_spec("ray") is None:
        return print("skipped: Ray is not installed (make test-cluster installs it)", file=sys.stderr)
    kinds = args.kinds or (KINDS[:1] if args.quick else KINDS)
    with tempfile.TemporaryDirectory(prefix="verigym-faults-") as temporary:
        folder = args.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        finish([one for kind in kinds for one in measure(kind, folder, 5 if args.quick else args.kills)], args)


if __name__ == "__main__":
    main()
