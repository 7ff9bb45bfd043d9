"""Several turns: whole GRPO steps on `workplace`, and on episodes of 20 tool calls whose conversation reaches 16,000 tokens.

    python bench/turns.py             # on a GPU with a model of 1.5B and random weights, otherwise with a clock in its place

A random model calls no tools, so each reply is sampled, parsed and then exchanged for the next call of a script. The sampled ids
stay, so the cache, the records and the update are those of a real run. Replies have 16 to 128 tokens. On a CPU, everything is
real but the arithmetic: the engine with its thread, its queue and its page table waits 2.5 ms a step and 16 us a prompt
token, and the learner packs its batch and waits 10 us a token, about as long as an H200 takes.

The engine is idle if no batch is being computed while episodes run. That counts as avoidable if a request waits, or if one is
being rendered, and not if all episodes are in their environments. Rendering includes tokenising and parsing. Storing happens in a
thread, and its CPU time counts as well. Growth is the memory of a turn between 20 and 40 turns against one between 5 and 10.
"""

import asyncio
import contextlib
import functools
import itertools
import random
import sqlite3
import tempfile
import threading
import time
import tracemalloc
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import torch
from figures import Figure, figure, finish, parser
from random_model import SPECIAL, TAGS
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from train import FIELDS, SHAPES
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast

from tests.policies.templates import QWEN2
from verigym.core.generation import Completion, Generation
from verigym.core.protocols import Context, Reply, Request, Verifier
from verigym.core.records import FunctionCall, Item, Message, Sample, Task, Trajectory, Verdict, Version
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, tool
from verigym.model import lora, tree
from verigym.model.load import LoadedModel
from verigym.policies import tokens
from verigym.policies.local import engine as engines
from verigym.policies.local.pages import Pages, SequencePages
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import SampledTokens
from verigym.policies.render import Renderer
from verigym.policies.tokens import TokenPolicy
from verigym.rollout.many import RunPlan, run_many
from verigym.rollout.settings import RunSettings
from verigym.store.database import Store
from verigym.training.environments import TrainingEnvironment
from verigym.training.grpo import train_grpo
from verigym.training.learner import LocalLearner
from verigym.training.recipe import Recipe
from verigym.training.rollouts import TrainingRollouts
from verigym.training.samples import from_trajectory
from verigym.verifiers.lift import lift

PAGE, STEPS, PROMPT_TOKENS = 16, 8, 8192
"""As in `policies/local/paged.py`, which needs Triton."""
STEP_S, PROMPT_S, UPDATE_S = 0.0025, 16e-6, 10e-6
TOOL_S, TURNS, RESULT_WORDS = 0.02, 20, 730
VOCABULARY, WINDOW = 32768, 32768
WORDS = [
    "order",
    "parcel",
    "room",
    "visit",
    "plan",
    "total",
    "open",
    "closed",
    "sent",
    "paid",
    "late",
    "first",
    "second",
    "note",
    "user",
    "place",
    "store",
    "time",
    "day",
    "week",
]
OPENED = itertools.count()
"""No two episodes read the same."""


# -- what is played -----------------------------------------------------------------------------------------------


class Archive:
    """Every page takes as long as a query of a database, and blocks its thread meanwhile."""

    system = "Read the archive page by page."

    def open(self, task: Task) -> None:
        self.draw, self.wait_s = random.Random(next(OPENED)), 0.0 if task.family == "instant" else TOOL_S

    @tool
    def page(self, number: int) -> str:
        """Read one page."""
        time.sleep(self.wait_s)
        return " ".join(self.draw.choices(WORDS, k=RESULT_WORDS))


def archive(turns: int = TURNS) -> EnvironmentSpec:
    return EnvironmentSpec(
        name="archive",
        tasks=lambda split: [],
        factory=Archive,
        toolbox=ToolBox(Archive),
        verifiers={"verify": lift("verify", lambda task, trajectory: 1.0)},
        suites={},
        system=Archive.system,
        max_turns=turns,
    )


def pages(turns: int) -> list[list[Item]]:
    """Reads a page in every turn but the last."""
    calls: list[list[Item]] = [[FunctionCall(f"call_{i}", "page", f'{{"number": {i}}}')] for i in range(turns - 1)]
    return [*calls, [Message("assistant", "All pages are read.")]]


class Noise:
    """Another verifier with a noise in its rewards, so that no group is without signal."""

    def __init__(self, verifier: Verifier) -> None:
        self.verifier, self.name = verifier, verifier.name

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        verdicts = await self.verifier.verify(task, group, context)
        return [
            msgspec.structs.replace(one, reward=zlib.crc32(one.trajectory.encode()) % 1000 / 1000) for one in verdicts
        ]


class Workload(msgspec.Struct):
    name: str
    environment: EnvironmentSpec
    tasks: list[Task]
    k: int
    scripts: dict[str, list[list[Item]]]
    """The replies to each prompt."""


def workplace(count: int, k: int) -> Workload:
    spec = load_environment("workplace")
    chosen = list({str(task.prompt): task for task in spec.tasks("train")}.values())[:: 5000 // count][:count]
    return Workload("workplace", spec, chosen, k, {str(task.prompt): scripted(spec, task) for task in chosen})


def scripted(spec: EnvironmentSpec, task: Task) -> list[list[Item]]:
    return [[Message("assistant", one)] if isinstance(one, str) else one for one in spec.gold_replies(task)]


def long_episodes(count: int, k: int, turns: int = TURNS, family: str = "") -> Workload:
    made = [Task(id=f"a{i}", prompt=f"Read the pages of archive {i}.", family=family) for i in range(count)]
    name = f"{turns} turns to 16k tokens"
    return Workload(name, archive(turns), made, k, {str(task.prompt): pages(turns) for task in made})


def script_of(scripts: dict[str, list[list[Item]]], request: Request) -> tuple[Request, list[Item]]:
    """The request with the length of its reply, and the items that take the place of the sampled ones."""
    asked = next(item for item in request.items if isinstance(item, Message) and item.role == "user")
    replies, done = scripts[asked.text], len(request.turns)
    length = round(random.Random(request.seed + done).lognormvariate(3.7, 0.5))
    sampling = msgspec.structs.replace(request.sampling, max_tokens=min(128, max(16, length)))
    said: list[Item] = replies[done] if done < len(replies) else [Message("assistant", "Done.")]
    return msgspec.structs.replace(request, sampling=sampling), said


class Scripted(LocalPolicy):
    """A model whose replies are sampled and parsed, and then say what the script says."""

    scripts: dict[str, list[list[Item]]]

    async def respond(self, request: Request) -> Reply:  # type: ignore[override]
        request, said = script_of(self.scripts, request)
        reply = await super().respond(request)
        return Reply(items=said, turn=msgspec.structs.replace(reply.turn, finish="stop"))


# -- the model ----------------------------------------------------------------------------------------------------


@functools.cache
def tokenizer() -> Any:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    special = [*SPECIAL, "<|im_start|>", "<|im_end|>"]
    trainer: Any = trainers.BpeTrainer(
        vocab_size=6000, show_progress=False, special_tokens=special, initial_alphabet=letters
    )
    spec = load_environment("workplace")
    texts = [spec.system, *(str(task.prompt) for task in spec.tasks("train")[:1000]), " ".join(WORDS * 50)]
    texts += [msgspec.json.encode(one).decode() for one in spec.tools] * 20
    made.train_from_iterator(texts, trainer)
    made.add_tokens([AddedToken(tag, special=False, normalized=False) for tag in TAGS])
    wrapped: Any = PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="<unk>", eos_token="<|im_end|>", pad_token="<unk>",
        clean_up_tokenization_spaces=False,
    )  # fmt: skip
    wrapped.chat_template = QWEN2
    return wrapped


def make_model() -> Any:
    gpu = torch.cuda.is_available()
    shape: dict[str, Any] = dict(zip(FIELDS, SHAPES["1.5B"] if gpu else (16, 32, 1, 2, 1), strict=True))
    shape |= {"vocab_size": VOCABULARY, "max_position_embeddings": WINDOW, "tie_word_embeddings": True}
    torch.manual_seed(0)
    with torch.device("cuda" if gpu else "cpu"):
        model: Any = AutoModelForCausalLM.from_config(LlamaConfig(**shape), dtype=torch.bfloat16 if gpu else None)
    model.eval().requires_grad_(False)
    lora.attach(model, lora.LoraConfig(), 0)
    return model


class ClockDecoder:
    """A decoder that computes nothing, with the page table of a real one, and takes as long as a GPU."""

    concurrent = True
    version: str | None = None

    def __init__(self) -> None:
        self.pages = Pages(1 << 20, PAGE)
        self.computed = 0
        self.reset()

    def reset(self) -> None:
        self.rows: list[Row] = []
        self.pending: deque[Row] = deque()
        self.held: dict[Row, SequencePages] = {}
        self.pages.forget()

    @property
    def everyone(self) -> list[Row]:
        return [*self.rows, *self.pending]

    def use_adapter(self, adapter: Any) -> None: ...

    def release(self) -> None: ...

    def make_room(self, steps: int) -> None: ...

    def fits(self, row: Row, new: list[Row]) -> bool:
        held = self.pages.take(row.context, len(row.context) + row.left)
        if held is not None:
            self.held[row] = held
        return held is not None

    def begin(self, new: list[Row]) -> None:
        self.pending += new

    def prompts(self) -> tuple[list[Row], SampledTokens] | None:
        if not self.pending:
            return None
        left, done = PROMPT_TOKENS, list[Row]()
        while self.pending and left > 0:
            row = self.pending[0]
            held = self.held[row]
            count = min(left, len(row.context) - held.cached)
            held.cached += count
            left -= count
            if held.cached < len(row.context):
                break
            done.append(self.pending.popleft())
        self.computed += PROMPT_TOKENS - left
        time.sleep((PROMPT_TOKENS - left) * PROMPT_S)
        self.rows += done
        return done, drawn(done, 1)

    def launch(self, steps: int) -> None:
        self.steps = min(steps, STEPS)
        self.ready = time.perf_counter() + self.steps * STEP_S

    def advance(self, steps: int) -> SampledTokens:
        time.sleep(max(0.0, self.ready - time.perf_counter()))
        return drawn(self.rows, self.steps)

    def drop(self, row: Row) -> None:
        self.pages.release(self.held.pop(row), row.context[:-1])
        self.rows.remove(row)


def drawn(rows: list[Row], steps: int) -> SampledTokens:
    ids = [[100 + (row.seed + 31 * (len(row.ids) + step)) % 5000 for step in range(steps)] for row in rows]
    return SampledTokens(ids, [[-1.5] * steps for _ in rows], None)


class UncheckedLearner(LocalLearner):
    """Leaves out the comparison with transformers, whose attention needs much memory for 16,000 tokens."""

    def check(self, samples: Sequence[Sample]) -> None: ...


class ClockLearner(UncheckedLearner):
    """Packs the batch of an update and takes as long as a GPU."""

    def update(self, loss: Any, rows: Sequence[Sample], /, **settings: Any) -> dict[str, float]:
        time.sleep(UPDATE_S * sum(len(batch.ids_N) for batch in tree.pack(rows, 1 << 16)))
        return {}


# -- measuring ----------------------------------------------------------------------------------------------------


class Watch:
    """Where the time of a step goes."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.busy = self.settling = self.rendering = 0
        self.requests = self.episodes = 0
        self.changed = time.perf_counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        """Wall seconds while episodes run: busy, or idle and why."""
        self.cpu: defaultdict[str, float] = defaultdict(float)
        self.prompt_tokens = 0

    def clear(self) -> None:
        with self.lock:
            self.seconds.clear()
            self.cpu.clear()
            self.prompt_tokens = 0

    def add(self, name: str, by: int) -> None:
        with self.lock:
            now = time.perf_counter()
            if self.episodes:
                self.seconds[self._what()] += now - self.changed
            self.changed = now
            setattr(self, name, getattr(self, name) + by)

    def _what(self) -> str:
        if self.busy > self.settling:
            return "busy"
        return "request" if self.requests else "rendering" if self.rendering else "environments"

    @contextlib.contextmanager
    def during(self, name: str) -> Iterator[None]:
        self.add(name, 1)
        try:
            yield
        finally:
            self.add(name, -1)

    def timed(self, function: Callable[..., Any], part: str, state: str = "") -> Callable[..., Any]:
        """The function, with its CPU time counted."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            began = time.thread_time()
            with self.during(state) if state else contextlib.nullcontext():
                try:
                    return function(*args, **kwargs)
                finally:
                    self.cpu[part] += time.thread_time() - began

        return call

    def awaited(self, function: Callable[..., Any], state: str) -> Callable[..., Any]:
        @functools.wraps(function)
        async def call(*args: Any, **kwargs: Any) -> Any:
            with self.during(state):
                return await function(*args, **kwargs)

        return call

    def counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`PagedDecoder._compute`, with the tokens of prompts counted."""

        def call(decoder: Any, runs: list[tuple[Row, int, int]]) -> Any:
            self.prompt_tokens += sum(count for _, _, count in runs)
            return function(decoder, runs)

        return call


@contextlib.contextmanager
def watched(watch: Watch) -> Iterator[None]:
    with contextlib.ExitStack() as stack:

        def put(owner: Any, name: str, made: Any) -> None:
            stack.enter_context(patch.object(owner, name, made))

        for name in ("prompt", "extend", "shared", "read"):
            put(Renderer, name, watch.timed(getattr(Renderer, name), "rendering", "rendering"))
        put(tokens, "ids_so_far", watch.timed(tokens.ids_so_far, "rendering", "rendering"))
        for name in ("add_once", "begin_run"):
            put(Store, name, watch.timed(getattr(Store, name), "storing"))
        put(engines.LocalEngine, "generate", watch.awaited(engines.LocalEngine.generate, "requests"))
        put(engines.LocalEngine, "_turn", watch.timed(engines.LocalEngine._turn, "engine", "busy"))
        put(engines.LocalEngine, "_settle", watch.timed(engines.LocalEngine._settle, "settling", "settling"))
        if torch.cuda.is_available():
            from verigym.policies.local.paged import PagedDecoder

            put(PagedDecoder, "_compute", watch.counted(PagedDecoder._compute))
        else:
            put(engines, "decoder_for", lambda model, max_batch, window: ClockDecoder())
        yield


class Steps(msgspec.Struct):
    """What was measured in the last of some steps."""

    seconds: dict[str, float]
    cpu: dict[str, float]
    metrics: dict[str, float]
    computed: int
    distinct: int
    turns: int
    longest: int


def grpo(model: Any, workload: Workload, steps: int) -> Steps:
    """Runs whole steps. The first ones warm up."""
    watch = Watch()
    rows: list[dict[str, float]] = []
    spec = workload.environment
    recipe = Recipe(
        model="bench", algorithm="grpo", reward="verify", steps=steps, prompts_per_step=len(workload.tasks),
        num_generations_per_prompt=workload.k, learning_rate=1e-6, max_tokens=128, eval_interval=0,
    )  # fmt: skip
    with watched(watch), tempfile.TemporaryDirectory() as folder:
        policy = Scripted(LoadedModel(model, tokenizer(), "bench"))
        policy.scripts = workload.scripts
        learner = UncheckedLearner(model, recipe) if torch.cuda.is_available() else ClockLearner(model, recipe)
        store = Store(Path(folder) / "runs.db")
        rollouts = TrainingRollouts(
            store, policy, recipe, "bench", Version(base="bench", id="bench"),
            [TrainingEnvironment(environment=spec, verifier=Noise(spec.verifier), tasks=workload.tasks)],
            run_episodes=functools.partial(episodes, watch),
        )  # fmt: skip
        store.begin_run("bench", "train", {})
        computed = 0

        def report(step: int, metrics: dict[str, float]) -> None:
            nonlocal computed
            rows.append(metrics)
            if step < steps:
                watch.clear()
                computed = counted(policy)

        asyncio.run(train_grpo(model, recipe, rollouts, Path(folder) / "c", learner=learner, report=report))
        made = store.trajectories(f"bench/step-{steps:04d}")
        store.close()
        total = watch.prompt_tokens or counted(policy) - computed
    return Steps(
        dict(watch.seconds), dict(watch.cpu), rows[-1], total, distinct(made), sum(len(one.turns) for one in made),
        max(turn.usage.prompt_tokens + turn.usage.completion_tokens for one in made for turn in one.turns),
    )  # fmt: skip


async def episodes(watch: Watch, *args: Any, run: Any, **kwargs: Any) -> Any:
    return await run_many(*args, run=watch.awaited(run, "episodes"), **kwargs)


def counted(policy: LocalPolicy) -> int:
    return sum(getattr(decoder, "computed", 0) for decoder in policy.engine._decoders)


def distinct(trajectories: Sequence[Trajectory]) -> int:
    """Tokens of prompts that nobody computed before: the first prompts as a tree, and what each context gained."""
    roots = sorted(turn.context_ids for one in trajectories for turn in one.turns if turn.parent is None)
    shared = sum(tree.common(first, second) for first, second in itertools.pairwise(roots))
    gained = sum(len(turn.context_ids) for one in trajectories for turn in one.turns)
    return gained - shared


def step_figures(name: str, made: Steps) -> list[Figure]:
    wall, sampling = made.metrics["seconds"], sum(made.seconds.values())
    share = {key: made.seconds.get(key, 0.0) / sampling for key in ("request", "rendering", "environments")}
    cpu = made.cpu["rendering"] + made.cpu["storing"]
    return [
        figure(f"{name}: a step", wall, f"s, {made.turns:,} turns, at most {made.longest:,} tokens"),
        figure(f"{name}: sampling of it", made.metrics["sampling_s"], "s"),
        figure(f"{name}: engine idle while a request waits", share["request"], "of sampling", "<= 0.02"),
        figure(f"{name}: engine idle while a request is rendered", share["rendering"], "of sampling", "<= 0.05"),
        figure(f"{name}: engine idle, all episodes in environments", share["environments"], "of sampling"),
        figure(f"{name}: rendering, tokenising, parsing, storing", cpu / wall, "of the step", "<= 0.05"),
        figure(f"{name}: rendering of a turn", 1e3 * made.cpu["rendering"] / made.turns, "CPU-ms"),
        figure(f"{name}: storing of a turn", 1e3 * made.cpu["storing"] / made.turns, "CPU-ms"),
        figure(f"{name}: prompt tokens computed", made.computed / made.distinct, "times the distinct ones", "<= 1.2"),
    ]


# -- memory -------------------------------------------------------------------------------------------------------


class InstantEngine:
    """Answers at once."""

    max_batch = 512

    async def generate(self, request: Generation) -> Completion:
        length = request.sampling.max_tokens
        ids = [100 + (request.seed + 31 * i) % 5000 for i in range(length)]
        return Completion(ids, [-1.5 - i / 64 for i in range(length)], "length")


class Instant(TokenPolicy):
    def __init__(self, scripts: dict[str, list[list[Item]]], turns: int) -> None:
        super().__init__(tokenizer(), InstantEngine(), agent="bench")  # type: ignore[arg-type]
        self.scripts, self.turns = scripts, turns
        self.most = 0

    async def respond(self, request: Request) -> Reply:  # type: ignore[override]
        request, said = script_of(self.scripts, request)
        reply = await super().respond(request)
        if len(request.turns) == self.turns - 1:
            self.most = max(self.most, tracemalloc.get_traced_memory()[0])
        return Reply(items=said, turn=msgspec.structs.replace(reply.turn, finish="stop"))


def bytes_of(turns: int, count: int = 4) -> tuple[float, float, float]:
    """Bytes of an episode: in memory at its last turn, in the store, and in the training batch."""
    workload = long_episodes(count, 1, turns, "instant")
    policy = Instant(workload.scripts, turns)
    plan = RunPlan(
        run="memory", environment=workload.environment, tasks=workload.tasks, agent=Version(base="b", id="b"),
        verifier=workload.environment.verifier, settings=RunSettings(k=1, concurrency=count),
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "runs.db")
        store.begin_run("memory", "rollout", {}, workload.tasks)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        asyncio.run(run_many(store, plan, policy))
        tracemalloc.stop()
        made = store.trajectories("memory")
        store.close()
        with contextlib.closing(sqlite3.connect(Path(folder) / "runs.db")) as base:
            query = "select sum(length(body) + coalesce(length(packed), 0)) from trajectories"
            [stored] = base.execute(query).fetchone()
    assert all(len(one.turns) == turns for one in made)
    samples = [sample for one in made for sample in from_trajectory(one, 1.0)]
    packed = sum(getattr(part, "nbytes", 0) for batch in tree.pack(samples, 1 << 16) for part in batch)
    return (policy.most - before) / count, stored / count, packed / count


def memory_figures() -> list[Figure]:
    bytes_of(5)
    sizes = {turns: bytes_of(turns) for turns in (5, 10, 20, 40)}
    found: list[Figure] = []
    for place, name in enumerate(("in memory", "in the store", "in the training batch")):
        own = {turns: each[place] for turns, each in sizes.items()}
        grown = (own[40] - own[20]) / 20 / ((own[10] - own[5]) / 5)
        each = ", ".join(f"{own[turns] / turns / 1024:.1f}" for turns in sizes)
        found.append(figure(f"a turn {name}", own[40] / 40 / 1024, f"KB of 40 turns ({each} of 5, 10, 20, 40)"))
        found.append(figure(f"a turn {name}: growth", grown, "times", "<= 1.15"))
    return found


def main() -> None:
    args = parser(__doc__).parse_args()
    found = memory_figures()
    model = make_model()
    sizes = [workplace(8, 4), long_episodes(2, 4)] if args.quick else [workplace(32, 8), long_episodes(4, 8)]
    for workload in sizes:
        found += step_figures(workload.name, grpo(model, workload, 2))
    finish(found, args)


if __name__ == "__main__":
    main()
