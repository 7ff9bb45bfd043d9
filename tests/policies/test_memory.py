"""Memory of the embedded model's engine on a CPU, measured in a process of its own."""

import json
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

MANY = """
import asyncio, json, resource
from pathlib import Path
import verigym
from verigym.core.records import Sampling, Version
from verigym.environments.load import load_environment
from verigym.policies.local.policy import LocalPolicy
from verigym.model import lora
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import EpisodeLimits, RunSettings

policy = LocalPolicy.open("smollm2-135m", device="cpu")
lora.attach(policy.model, lora.LoraConfig())
policy.weights_changed("one")
environment = load_environment("toolcall")
tasks = environment.tasks("train")

async def episode(i):
    task = tasks[i % len(tasks)]
    return await run_episode(environment, task, policy,
        RunSettings(sampling=Sampling(max_tokens=16), seed=i, limits=EpisodeLimits(seconds=3600)),
        agent=Version(base="smollm2-135m"), id=str(i), group=task.id)

async def main():
    return await asyncio.gather(*map(episode, range(1000)))

made = asyncio.run(main())
told = {"made": len(made), "failed": sum(one.error is not None for one in made),
        "gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}
print(json.dumps(told))
"""

FLAT = """
import asyncio, json, random
from verigym.core.records import Sampling
from verigym.model.load import load
from verigym.policies.local.engine import LocalEngine
from verigym.core.generation import Generation

engine = LocalEngine(load("smollm2-135m", device="cpu").model, stop_ids={2})
draw = random.Random(0)

def resident():
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * 4096 / 1e6

async def some(count):
    requests = [Generation(ids=[draw.randrange(100, 40000) for _ in range(draw.randrange(2, 9))],
                           sampling=Sampling(max_tokens=draw.randrange(1, 3)), seed=i) for i in range(count)]
    cancelled = [asyncio.ensure_future(engine.generate(one)) for one in requests[::20]]
    running = [asyncio.ensure_future(engine.generate(one)) for one in requests]
    await asyncio.sleep(0.05)
    for one in cancelled:
        one.cancel()
    await asyncio.gather(*running)

found = []
for _ in range(10):
    asyncio.run(some(1000))
    engine.wait()
    found.append(resident())
rows = sum(len(decoder.rows) for decoder in engine._decoders)
print(json.dumps({"mb": found, "rows": rows, "waiting": len(engine._waiting)}))
"""


def told(script: str) -> dict:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_thousand_episodes_at_once_take_less_than_three_gigabytes() -> None:
    found = told(MANY)
    print(found)
    assert (found["made"], found["failed"]) == (1000, 0)
    assert found["gb"] < 3.0


def test_ten_thousand_requests_with_aborts_among_them_leave_memory_flat_and_no_row_behind() -> None:
    found = told(FLAT)
    print(found)
    assert (found["rows"], found["waiting"]) == (0, 0)
    assert found["mb"][-1] < found["mb"][1] * 1.03
