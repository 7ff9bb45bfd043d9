"""The whole flywheel: an agent with a planted weakness serves 500 requests through the gateway, people say what was wrong, and
two rounds of the loop make it better; every version, decision and task is traced back to the traces it came from.

    python bench/flywheel.py --out FILE --home FOLDER       # two CPU cores: about 20 minutes; a GPU: a few
    python bench/flywheel.py --plot FILE PNG

The office (examples/office.py) has no training tasks for six of toolcall's tools. SmolLM2-135M learns the rest by SFT and is
crowned: that is the planted weakness. In the first season production asks for three of the missing tools beside all the
others, in the second for the other three. What the agent gets wrong is corrected (the gold answer is known), and after each
season the loop runs one round: it mines the corrections, trains on them, measures on toolcall's own held-out tasks, and asks
the gate. The gateway goes on all the while, and takes the new champion when there is one. `--home` keeps the workspace: cut
off, the same command goes on.
"""

import concurrent.futures
import contextlib
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

ROOT = Path(__file__).parents[1]
OFFICE = ROOT / "examples" / "office.py"
sys.path.insert(0, str(OFFICE.parent))
MODEL = "smollm2-135m"
MAX_TOKENS = 48
WEAK = 0.4
"""Share of a season's requests that are for its missing tools."""
BESIDE = {"safety": 0.25}
"""What a round's training keeps in mind. Without it the gate rejects both rounds: one severe request of seven is done."""


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--requests", type=int, default=500, help="served in all, half of them in each season")
    asked.add_argument("--plant-steps", type=int, default=50, help="of SFT, of the agent with the weakness")
    asked.add_argument("--steps", type=int, default=40, help="of SFT in a round")
    asked.add_argument("--eval-tasks", type=int, default=200, help="held out, of 400")
    asked.add_argument("--out", type=Path, help="keep figures as JSON")
    asked.add_argument("--home", type=Path, help="keep the workspace here; cut off, the same command goes on")
    asked.add_argument("--plot", nargs=2, metavar=("FILE", "PNG"), help="draw a file that --out made, and run nothing")
    args = asked.parse_args()
    if args.plot:
        return plot(Path(args.plot[0]), Path(args.plot[1]))
    if args.quick:
        args.requests, args.plant_steps, args.steps, args.eval_tasks = 60, 1, 1, 6
    elif not args.out:
        print("flywheel.py takes long: name a file for its figures (--out), or --quick", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(prefix="verigym-flywheel-") as folder:
        found = turn(args, args.home or Path(folder))
    if args.out:
        args.out.write_text(json.dumps(found, indent=1))
    finish(list(figures(found, args.quick)), args)


def turn(args: Any, home: Path) -> dict[str, Any]:
    from verigym.cli.loop import LoopTerminal
    from verigym.flywheel.loop import play
    from verigym.flywheel.loop_recipe import make_loop
    from verigym.flywheel.rounds import rounds_of
    from verigym.workspace.workspace import WorkspaceFolder

    ws, started = WorkspaceFolder(home), time.perf_counter()
    planted = plant(ws, args.plant_steps)
    say(f"planted: {planted.name} ({planted.id}) is champion")
    fields = {
        "environment": str(OFFICE),
        "evaluation": {"tasks": args.eval_tasks, "max_tokens": MAX_TOKENS},
        "fixes": ["sft"],
        "training": {"sft": {"steps": args.steps, "learning_rate": 1e-3}},
        "beside": {} if args.quick else BESIDE,
        "gate": str(quick_policy(home) if args.quick else ROOT / "examples" / "one_job.yaml"),
    }
    seasons, asked, loop = [], requests_of(args.requests), make_loop(dict(fields), [], "flywheel.yaml")
    with contextlib.redirect_stdout(sys.stderr), gateway(home) as address:
        for number, requests in enumerate(asked, start=1):
            seasons.append(season(ws, address, number, requests))
            loop = make_loop({**fields, "budget": {"rounds": number}}, [], "flywheel.yaml")
            play(ws, loop, LoopTerminal())
        rounds = rounds_of(ws, loop.id)
        traced = trace_back(ws, rounds)
        shown = success_by_round(ws, rounds, args)
    for one, requests in zip(seasons, asked, strict=True):
        one["answered by"] = answered_by(ws, requests)
    return {"seasons": seasons, "rounds": shown, "traced": traced, "seconds": time.perf_counter() - started}


def quick_policy(home: Path) -> Path:
    """That measures nothing more: six tasks settle nothing anyway."""
    path = home / "nothing_more.yaml"
    margins = "margins: {mastered: null, unsafe: null, invalid: null, tool_errors: null, latency: null}"
    path.write_text(f"retention: null\nsafety: null\nplanned_gain: 0.9\n{margins}\n")
    return path


def plant(ws: Any, steps: int) -> Any:
    """The first champion: it has seen no task of the missing tools."""
    from verigym.training.recipe import make_recipe
    from verigym.workspace.train import train

    sft = {"algorithm": "sft", "steps": steps, "prompts_per_step": 16, "learning_rate": 2e-3, "name": "planted"}
    where = {"model": MODEL, "environment": str(OFFICE), "num_tasks": 480, "lora": {"r": 32, "alpha": 64}}
    version, _ = train(
        ws, make_recipe({**where, **sft}, [], "planted"), lambda step, *_: say(f"planting {step}/{steps}")
    )
    ws.champion(version)
    return version


# -- production -------------------------------------------------------------------------------------------------------------


def requests_of(count: int) -> list[list[Any]]:
    """Two seasons: requests that the office has no training tasks for, those of missing tools in the share `WEAK`."""
    import office  # type: ignore[import-not-found]

    from verigym.evaluation.suites import pick

    others = office.requests()
    halves = [office.MISSING[:3], office.MISSING[3:]]
    known = [task for task in others if task.data["expected_tool"] not in office.MISSING]
    seasons, used = [], set[str]()
    for half in halves:
        weak = [task for task in others if task.data["expected_tool"] in half]
        size = count // 2
        some = pick(weak, round(WEAK * size), seed=1)
        some += pick([task for task in known if task.id not in used], size - len(some), seed=1)
        used |= {task.id for task in some}
        seasons.append(some)
    return seasons


@contextlib.contextmanager
def gateway(home: Path) -> Iterator[str]:
    """`verigym serve` on a free port: its address."""
    command = [sys.executable, "-m", "verigym.cli.main", "serve", "--port", "0", "--home", str(home)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            say(f"gateway: {line.rstrip()}")
            if found := re.search(r"(http://\S+)/v1", line):
                yield found[1]
                return
        raise SystemExit("the gateway did not start")
    finally:
        process.terminate()
        process.wait(60)


def season(ws: Any, address: str, number: int, requests: list[Any]) -> dict[str, Any]:
    """Every request is asked once; what was asked before the script was cut off is not asked again."""
    from verigym.core.records import Feedback

    known = {one.note for one in ws.store.documents("feedback", Feedback)}
    left = [task for task in requests if task.id not in known]
    say(f"season {number}: {len(left)} requests to serve")
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        list(pool.map(lambda task: serve_one(address, task), left))
    said = {one.note: one.outcome for one in ws.store.documents("feedback", Feedback)}
    right = sum(said.get(task.id) == "success" for task in requests)
    tools = sorted({task.data["expected_tool"] for task in requests})
    by_tool = {
        tool: [sum(said.get(task.id) == "success" for task in of), len(of)]
        for tool in tools
        for of in [[task for task in requests if task.data["expected_tool"] == tool]]
    }
    say(f"season {number}: {right} of {len(requests)} answered rightly")
    return {"requests": len(requests), "right": right, "by_tool": by_tool}


def answered_by(ws: Any, requests: list[Any]) -> dict[str, int]:
    """How many of a season's requests which version answered: those on their way while a new champion is opened get the old."""
    from verigym.core.records import Feedback

    asked = {task.id for task in requests}
    traces = [one.trajectory for one in ws.store.documents("feedback", Feedback) if one.note in asked]
    return dict(Counter(ws.store.trajectory(each)[1].turns[0].agent for each in traces))


def serve_one(address: str, task: Any) -> None:
    """A request as a client sends it, and the user's word on the answer: a correction where it was wrong."""
    from verigym.core.records import FunctionCall
    from verigym.environments.toolcall import TOOLS, Environment, gold
    from verigym.verifiers.toolcall import canonical

    tools = [
        {
            "type": "function",
            "function": {"name": one.name, "description": one.description, "parameters": one.parameters},
        }
        for one in TOOLS.specs
    ]
    messages = [{"role": "system", "content": Environment.system}, {"role": "user", "content": task.prompt}]
    body = {"model": "champion", "messages": messages, "tools": tools, "temperature": 0, "max_tokens": MAX_TOKENS}
    answer, headers = post(f"{address}/v1/chat/completions", body, {"x-verigym-conversation": task.id})
    calls = answer["choices"][0]["message"].get("tool_calls") or []
    made = [(call["function"]["name"], canonical(json.loads(call["function"]["arguments"]))) for call in calls]
    right = made == [(task.data["expected_tool"], canonical(task.data["expected_args"]))]
    correction = [
        {"type": "function_call", "call_id": one.call_id, "name": one.name, "arguments": one.arguments}
        for one in gold(task)
        if isinstance(one, FunctionCall)
    ]
    said = {"trajectory": headers["x-verigym-trajectory"], "note": task.id, "who": "bench"}
    verdict = {"outcome": "success"} if right else {"outcome": "failure", "correction": correction}
    post(f"{address}/v1/feedback", {**said, **verdict}, {})


def post(url: str, body: Any, headers: dict[str, str]) -> tuple[Any, Any]:
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=900) as reply:
        return json.load(reply), reply.headers


# -- what came of it --------------------------------------------------------------------------------------------------------


def success_by_round(ws: Any, rounds: list[Any], args: Any) -> list[dict[str, Any]]:
    """The champion before and after each round: toolcall's held-out tasks, those of missing tools apart, and the failures that
    were held out."""
    import office  # type: ignore[import-not-found]

    from verigym.core.records import Report, Sampling
    from verigym.environments.load import load_environment
    from verigym.rollout.settings import RunSettings
    from verigym.workspace import measure as stages

    own = {task.id: task.data["expected_tool"] for task in load_environment(str(OFFICE)).tasks("val")}
    mined = load_environment(rounds[-1].dug.environment)
    added = [split for split in mined.suites.values() if split.startswith("mined_v")]
    setting = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=MAX_TOKENS))
    named = [("planted", rounds[0].before.version, rounds[0].before.report, "", "")]
    for one in rounds:
        if one.decided is not None and one.after is not None:
            named.append((f"round {one.number}", one.made.version, one.after.report, one.chosen.fix, one.verdict))
    found = []
    for name, version, report, fix, verdict in named:
        results = ws.store.get("report", report, Report)
        weak = [one.passed for one in results.results if own[one.task] in office.MISSING]
        others = [one.passed for one in results.results if own[one.task] not in office.MISSING]
        row = {
            "name": name,
            "version": version,
            "fix": fix,
            "verdict": verdict,
            "success": rate(results),
            "missing tools": [sum(weak) / max(1, len(weak)), len(weak)],
            "other tools": [sum(others) / max(1, len(others)), len(others)],
            "buckets": results.buckets,
        }
        if added:
            again = stages.measure(ws, mined, ws.find(version), setting, split=added[-1])
            row["failures held out"] = rate(again)
        found.append(row)
        say(f"{name}: {row['success']}, {row.get('failures held out')} {verdict}")
    return found


def rate(report: Any) -> list[float]:
    it = report.metrics["success"]
    return [round(it.value, 4), round(it.low, 4), round(it.high, 4), it.n]


def trace_back(ws: Any, rounds: list[Any]) -> dict[str, Any]:
    """From every decision to its version, its data, their tasks and the traces: nothing may be missing on the way."""
    from verigym.core.records import Dataset, Feedback
    from verigym.environments.load import load_environment
    from verigym.registry import ledger
    from verigym.workspace import datasets as data

    corrected = {one.trajectory for one in ws.store.documents("feedback", Feedback) if one.correction}
    chains, broken = [], []
    for one in rounds:
        if one.decided is None or one.made is None:
            continue
        entry = next(each for each in ledger.entries(ws.store) if each.decision.reports == one.decided.reports)
        version = ws.find(one.made.version)
        dataset = ws.store.get("dataset", version.data_hash, Dataset)
        tasks = {task.id: task for task in load_environment(one.dug.environment).tasks("train")}
        learnt = [tasks[row.task] for row in data.rows(ws, dataset)] if dataset else []
        traces = {task.id: [each.removeprefix("trace ") for each in task.lineage] for task in learnt if task.lineage}
        mined = {id: from_ for id, from_ in traces.items() if id.startswith("office/mined")}
        for id, lineage in mined.items():
            kept = [ws.store.trajectory(each)[1] for each in lineage]
            if not kept or any(each.source != "gateway" for each in kept) or not set(lineage) & corrected:
                broken.append(id)
        task, trace = next(((id, lineage[0]) for id, lineage in mined.items()), ("", ""))
        chain = {
            "decision": f"ledger entry {entry.seq}: {entry.decision.verdict} ({entry.why})",
            "version": f"{version.id}, from {version.parent} by run {version.recipe.get('run')}",
            "data": f"{dataset.name}: {dataset.source}" if dataset else "",
            "mined tasks": len(mined),
            "traces": len({each for lineage in mined.values() for each in lineage}),
            "for example": f"{task} from {trace}",
        }
        chains.append(chain)
        for name, words in chain.items():
            say(f"  {name:<12} {words}")
    return {"chains": chains, "broken": broken}


def figures(found: dict[str, Any], quick: bool) -> Iterator[Figure]:
    rows = found["rounds"]
    for row in rows:
        value, low, high, n = row["success"]
        yield figure(f"flywheel held out: {row['name']}", value, f"success, {low:.3f} to {high:.3f}, {n} tasks")
    gain = rows[-1]["success"][0] - rows[0]["success"][0]
    yield figure("flywheel: gain over two rounds", gain, "of held-out success", "" if quick else ">= 0.1")
    yield figure("flywheel: mined tasks that lead to no trace", len(found["traced"]["broken"]), "tasks", "<= 0")
    yield figure("flywheel: all of it", found["seconds"] / 60, "minutes", "" if quick else "<= 60")


def plot(source: Path, picture: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = json.loads(source.read_text())["rounds"]
    canvas, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    places = range(len(rows))
    for name, mark in (("success", "o-"), ("failures held out", "s--")):
        known = [(place, row[name]) for place, row in zip(places, rows, strict=True) if name in row]
        values = [one[0] for _, one in known]
        errors = [[one[0] - one[1] for _, one in known], [one[2] - one[0] for _, one in known]]
        words = {"success": "toolcall's held-out tasks", "failures held out": "failures of production, held out"}[name]
        left.errorbar([place for place, _ in known], values, yerr=errors, fmt=mark, capsize=3, label=words)
    left.set(ylim=(0, 1), ylabel="success, 95% interval")
    left.set_xticks(list(places), [f"{row['name']}\n{row['verdict']}" for row in rows])
    left.legend(fontsize=8, loc="upper left")
    for offset, name in ((-0.2, "missing tools"), (0.2, "other tools")):
        bars = [row[name][0] for row in rows]
        right.bar([place + offset for place in places], bars, 0.38, label=f"{name} ({rows[0][name][1]} tasks)")
    right.set(ylim=(0, 1), ylabel="success on held-out tasks")
    right.set_xticks(list(places), [row["name"] for row in rows])
    right.legend(fontsize=8, loc="upper left")
    canvas.tight_layout()
    canvas.savefig(picture, dpi=110)


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
