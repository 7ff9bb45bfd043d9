"""A large trained teacher, a small student that it teaches, and the gate on "as good, but faster".

    python bench/distill.py --teacher FOLDER --student FOLDER --home HOME --out FILE.jsonl
    python bench/distill.py --serve PYTHON ...      # the teacher behind a vLLM server. PYTHON is the interpreter that has vLLM
    python bench/distill.py --first ...             # the student starts from a first stage of its own

The teacher and the first stage of the student are trained with recipes/qwen_toolcall_sft.yaml, the student with
recipes/qwen_distill.yaml. All are measured greedily on every held-out task. The gate asks whether the student may replace the
teacher: at most 5 points worse, in at most 0.9 times the seconds of an episode. It answers twice: with all guards, and for this
job alone. A model a third as large knows less of everything else, so only the second can say yes. The goal is a GPU. `--quick` is
a smoke test of the same path without the gate.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import figure, finish, machine, one_row, parser

QUICK = [
    "steps=1",
    "prompts_per_step=2",
    "num_generations_per_prompt=2",
    "num_tasks=4",
    "eval_tasks=4",
    "eval_interval=0",
]
START_S = 600.0
RECIPES = Path(__file__).parents[1] / "recipes"


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--teacher", default="smollm2-135m", help="model of the teacher")
    asked.add_argument("--student", default="smollm2-135m", help="model of the student")
    asked.add_argument("--set", nargs="*", default=[], help="fields of the student's recipe, such as steps=20")
    asked.add_argument("--set-teacher", nargs="*", default=[], help="fields of the teacher's recipe")
    asked.add_argument("--first", action="store_true", help="train a first stage of the student, from which it starts")
    asked.add_argument("--set-first", nargs="*", default=[], help="fields of the recipe of the first stage")
    asked.add_argument(
        "--serve", default="", metavar="PYTHON", help="serve the teacher with the vLLM of this interpreter"
    )
    asked.add_argument(
        "--serve-share", default="0.2", help="share of the GPU's memory for the server, at least 0.13 of an H200"
    )
    args, row = one_row(asked, "distill", taught)
    finish(
        [
            figure(f"toolcall: {who}", it[0], f"success, {it[1]:.3f} to {it[2]:.3f}")
            for who, it in row["success"].items()
        ],
        args,
    )


@contextlib.contextmanager
def served(args: Any, folder: Path) -> Iterator[str]:
    """A vLLM server with the model in `folder`, as a teacher names it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    flags = ["--model", str(folder), "--served-model-name", "teacher", "--port", str(port), "--max-model-len", "4096"]
    flags += ["--gpu-memory-utilization", args.serve_share, "--no-enable-prefix-caching", "--dtype", "bfloat16"]
    flags += ["--enforce-eager"]  # it only reads prompts, which graphs do not speed up
    command = [args.serve, "-m", "vllm.entrypoints.openai.api_server", *flags]
    with (folder.parent / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=os.environ)
    try:
        deadline = time.monotonic() + START_S
        while True:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10):
                break
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the server did not start. See {folder.parent / 'server.log'}")
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1#teacher"
    finally:
        process.terminate()
        process.wait(60)


def taught(args: Any, home: Path) -> dict[str, Any]:
    from verigym.core.records import Sampling
    from verigym.environments.load import load_environment
    from verigym.evaluation.compare import compare
    from verigym.gates.policy import AsGood, GatePolicy
    from verigym.rollout.settings import RunSettings
    from verigym.training.recipe import read_recipe
    from verigym.workspace import measure as stages
    from verigym.workspace.export import export
    from verigym.workspace.gate import gate
    from verigym.workspace.train import train
    from verigym.workspace.workspace import WorkspaceFolder

    ws, few = WorkspaceFolder(home), 4 if args.quick else None
    quick = QUICK if args.quick else []

    def on_step(step: int, metrics: dict[str, float], alarms: list[Any]) -> None:
        shown = {key: round(metrics[key], 4) for key in ("reward", "teacher_kl", "held_out_success") if key in metrics}
        if step % 10 == 1 or "held_out_success" in shown:
            print(f"step {step}: {shown}", file=sys.stderr, flush=True)

    def trained(name: str, given: list[str]) -> tuple[Any, float]:
        begun = time.perf_counter()
        version, _ = train(ws, read_recipe(RECIPES / f"{name}.yaml", [*given, *quick]), on_step)
        return version, round(time.perf_counter() - begun, 1)

    imitation = "quick_sft" if args.quick else "qwen_toolcall_sft"
    teacher, teacher_s = trained(imitation, [f"model={args.teacher}", *args.set_teacher])
    agents = {"small model": ws.agent(args.student), "teacher": teacher}
    start: list[str] = []
    if args.first:
        agents["first stage"], _ = trained(imitation, [f"model={args.student}", *args.set_first])
        start = [f"start={agents['first stage'].id}"]
    with contextlib.ExitStack() as opened:
        name = teacher.id
        if args.serve:
            folder = home.parent / f"{home.name}-served"  # an export is never inside of a workspace
            if not folder.exists():
                export(ws, teacher, folder, merged=True)
            name = opened.enter_context(served(args, folder))
        student, student_s = trained(
            "qwen_distill", [f"model={args.student}", f"distill.teacher={name}", *start, *args.set]
        )
    environment = load_environment("toolcall")
    setting = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=128))
    agents["student"] = student
    reports = {who: stages.measure(ws, environment, agent, setting, n=few) for who, agent in agents.items()}
    success = {who: report.metrics["success"] for who, report in reports.items()}
    against = compare(reports["teacher"], reports["student"]).success
    row: dict[str, Any] = {
        "teacher": Path(args.teacher).name,
        "student": Path(args.student).name,
        "served": bool(args.serve),
        "set": args.set,
        "set_teacher": args.set_teacher,
        "first": args.set_first if args.first else None,
        "seconds": {"teacher": teacher_s, "student": student_s},
        "machine": machine(),
        "note": args.note,
        "success": {who: [round(x, 4) for x in (it.value, it.low, it.high)] for who, it in success.items()},
        "student less teacher": [round(x, 4) for x in (against.value, against.low, against.high)],
        "gate": {},
        "gate for this job": {},
    }
    wanted = AsGood(no_worse=0.05, latency=0.9)
    policies = {
        "gate": GatePolicy(name="as good, but faster", primary=wanted),
        "gate for this job": GatePolicy(
            name="as good at this job, but faster",
            note="The candidate replaces the champion for tool calls only.",
            primary=wanted,
            retention=None,
            safety=None,
        ),
    }
    for key, policy in policies.items() if not args.quick else ():
        decision = gate(ws, student, teacher, policy, environment="toolcall", settings=setting)
        checks = {check.name: f"{check.outcome}: {check.words}" for check in decision.checks}
        row[key] = {"verdict": decision.verdict, "words": decision.words, "checks": checks}
    return row


if __name__ == "__main__":
    main()
