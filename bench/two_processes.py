"""A learner and an engine as two processes on one machine or GPU, against the engine in the learner's process: the same GRPO run.

    python bench/two_processes.py --out FILE.jsonl --home HOME                        # Verigym's engine in a second process
    python bench/two_processes.py --kind vllm --at http://localhost:8000 --home HOME  # a vLLM server that you started
    python bench/two_processes.py --ahead 1 --home HOME                               # and sample ahead in the second process

SmolLM2 first imitates 200 gold solutions. From there, recipes/toolcall_grpo.yaml runs in one process and then through a fleet
of one engine, with the same seed. The figures are the held-out success of both with intervals, the difference of the rewards by
step, the seconds of a step, and the cost of the separation. What HOME holds already is not run again. `--quick` is a smoke test.

A vLLM server for it (docs/how-to/engines.md has all flags): --enable-lora --max-loras 4 --max-cpu-loras 4 --max-lora-rank 32
--logprobs-mode processed_logprobs --generation-config vllm, and VLLM_ALLOW_RUNTIME_LORA_UPDATING=1. FOLDER of --model must be
the model of both.
"""

import contextlib
import json
import math
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ahead_learning import QUICK, RECIPE, start_of
from figures import Figure, figure, finish, machine, parser

START_S = 600.0


@contextlib.contextmanager
def engine_process(model: str, max_batch: int) -> Iterator[str]:
    """Verigym's engine in a process of its own, by its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "verigym.cluster.engine_server", "--model", model, "--port", str(port)]
    command += ["--max-batch", str(max_batch), "--versions", "8", "--with-parent"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    address, deadline = f"http://127.0.0.1:{port}", time.monotonic() + START_S
    try:
        while True:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/health", timeout=10):
                break
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the engine did not start (code {process.poll()})")
            time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(60)


def trained(args: Any, home: Path, address: str, fields: list[str]) -> dict[str, Any]:
    """One run: its seconds, its metrics, and its success on all held-out tasks."""
    from verigym.cluster.place import ClusterPlace
    from verigym.cluster.settings import ClusterSettings, Engines
    from verigym.core.records import Sampling
    from verigym.rollout.settings import RunSettings
    from verigym.training.recipe import read_recipe
    from verigym.workspace import measure as stages
    from verigym.workspace.train import train
    from verigym.workspace.training_environments import training_environments
    from verigym.workspace.workspace import WorkspaceFolder

    ws = WorkspaceFolder(home)
    recipe = read_recipe(RECIPE, [*([f"model={args.model}"] if args.model else []), *fields])
    if address:
        engines = Engines(kind=args.kind, at=[address], max_batch=args.max_batch, versions=8, model=args.served)
        ws.place = ClusterPlace(ClusterSettings(engines=engines))
    version, run = train(
        ws, recipe, lambda step, metrics, _: print(f"step {step}: {metrics['seconds']:.2f} s", file=sys.stderr)
    )
    from verigym.workspace.place import Here

    ws.place = Here()  # both versions are measured alike
    setting = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=recipe.max_tokens or 64))
    [environment] = training_environments(recipe)
    success = stages.measure(ws, environment.environment, version, setting, n=4 if args.quick else None).metrics[
        "success"
    ]
    return {
        "run": run,
        "adapter": version.adapter,
        "success": [round(success.value, 4), round(success.low, 4), round(success.high, 4), success.n],
        "metrics": ws.store.metrics(run),
    }


def compared(here: dict[str, Any], there: dict[str, Any], name: str) -> list[Figure]:
    both = [(here["metrics"][step], there["metrics"][step]) for step in here["metrics"] if step in there["metrics"]]
    skipped = both[2:] or both  # the first steps compile and record graphs

    def mean(rows: list[dict[str, float]], name: str) -> float:
        return statistics.fmean([row[name] for row in rows if name in row] or [math.nan])

    mine, theirs = [a for a, _ in skipped], [b for _, b in skipped]
    times = {key: (mean(mine, key), mean(theirs, key)) for key in ("seconds", "sampling_s", "update_s")}
    for row, what in ((here, "one process"), (there, name)):
        value, low, high, n = row["success"]
        print(f"{what}: held-out success {value:.3f} [{low:.3f}, {high:.3f}] of {n}", file=sys.stderr)
    return [
        figure("held-out success, one process", here["success"][0], f"({here['success'][1]} to {here['success'][2]})"),
        figure(f"held-out success, {name}", there["success"][0], f"({there['success'][1]} to {there['success'][2]})"),
        figure("equal adapters", float(here["adapter"] == there["adapter"]), ""),
        figure("largest difference of a step's reward", max(abs(a["reward"] - b["reward"]) for a, b in both), ""),
        figure("mean reward of the last five steps, one process", mean([a for a, _ in both[-5:]], "reward"), ""),
        figure(f"mean reward of the last five steps, {name}", mean([b for _, b in both[-5:]], "reward"), ""),
        figure("mismatch ratio, one process", mean(mine, "mismatch_ratio"), ""),
        figure(f"mismatch ratio, {name}", mean(theirs, "mismatch_ratio"), "", "<= 1.05"),
        *(figure(f"{key} of a step, one process", value[0], "s") for key, value in times.items()),
        *(figure(f"{key} of a step, {name}", value[1], "s") for key, value in times.items()),
        figure("cost of the separation", times["seconds"][1] / times["seconds"][0], "times the seconds of a step"),
    ]


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--model", default="", help="a folder, in place of smollm2-135m")
    asked.add_argument("--kind", choices=("local", "vllm"), default="local")
    asked.add_argument("--at", default="", help="address of a server that runs already, in place of starting one")
    asked.add_argument("--served", default="", help="name of the model on that server, if it differs")
    asked.add_argument("--max-batch", type=int, default=512)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--ahead", type=int, default=0, help="steps to sample ahead in the second process")
    asked.add_argument("--set", nargs="*", default=[], help="fields of the recipe, such as steps=20")
    asked.add_argument("--out", type=Path, help="add a line of JSON")
    asked.add_argument("--home", type=Path, help="keep the workspaces here")
    args = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="verigym-two-") as folder, contextlib.ExitStack() as opened:
        home = args.home or Path(folder)
        start = start_of(home / "start", args)
        name = f"{args.kind}-ahead-{args.ahead}"
        for each in ("here", name):
            if not (home / each).exists():
                shutil.copytree(home / "start", home / each)
        fields = [f"start={start}", f"seed={args.seed}", *args.set, *(QUICK if args.quick else [])]
        here = trained(args, home / "here", "", fields)
        address = args.at or opened.enter_context(engine_process(args.model or "smollm2-135m", args.max_batch))
        more = [f"ahead={args.ahead}"] if args.ahead else []
        there = trained(args, home / name, address, [*fields, *more])
    if args.out:
        with args.out.open("a") as file:
            file.write(
                json.dumps({"kind": name, "seed": args.seed, "machine": machine(), "here": here, "there": there}) + "\n"
            )
    finish(compared(here, there, f"two processes ({name})"), args)


if __name__ == "__main__":
    main()
