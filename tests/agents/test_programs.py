"""Programs as agents: one process per episode, its own environment, and a record whatever happens to it."""

import asyncio
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from tests.rollout.shop import ADD, AGENT, Shop, spec
from verigym.agents.program import check_program
from verigym.agents.run import runner_of
from verigym.cli.main import app
from verigym.core.errors import BadInput
from verigym.core.protocols import Context
from verigym.core.records import Fault, Mark, Stop, Task, Trajectory, Version
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import RunPlan, run_many
from verigym.rollout.settings import EpisodeLimits, ProgramOptions, RunSettings
from verigym.sandbox.open import why_not_isolated
from verigym.store.database import Store

ROOT = str(Path(__file__).parents[2])


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ROOT)


def program(name: str, prompt: str = "{prompt}") -> Version:
    script = Path(ROOT) / "tests" / "agents" / "programs.py"
    command = shlex.join([sys.executable, str(script), name]) + (f" {prompt}" if prompt else "")
    return msgspec.structs.replace(AGENT, program=command)


def run(
    agent: Version,
    replies: Any = (ADD, "Done."),
    environment: Any = Shop,
    seconds: float = 300.0,
    variables: tuple[str, ...] = (),
    blobs: dict[str, bytes] | None = None,
    options: ProgramOptions | None = None,
) -> Trajectory:
    options = options or ProgramOptions(variables=variables)
    settings = RunSettings(limits=EpisodeLimits(seconds=seconds), program=options)
    kept: dict[str, bytes] = {} if blobs is None else blobs

    def keep(data: bytes) -> str:
        kept[str(len(kept))] = data
        return str(len(kept) - 1)

    async def one() -> Trajectory:
        policy = ScriptedPolicy([*replies])
        async with runner_of(spec(environment), agent, settings, Context()) as run_one:
            return await run_one(
                spec(environment), Task(id="t", prompt="buy {tea} 'now'"), policy, settings,
                agent=agent, id="r/t/0", group="r/t", keep_blob=keep,
            )  # fmt: skip

    return asyncio.run(one())


def test_a_program_drives_the_episode_and_its_output_is_kept() -> None:
    blobs: dict[str, bytes] = {}
    made = run(program("solve"), blobs=blobs)
    assert made.end_state == {"basket": {"tea": 2}} and made.reply == "Done." and made.error is None
    assert [turn.parent for turn in made.turns] == [None, 0]
    assert made.items[0].text == "buy {tea} 'now'", "a prompt is one argument, whatever is in it"  # type: ignore[union-attr]
    assert blobs[made.blobs["agent_stdout"]].decode().strip() == "Done."


def test_a_program_without_a_placeholder_reads_the_prompt_from_its_input() -> None:
    made = run(program("solve", ""))
    assert made.items[0].text == "buy {tea} 'now'" and made.reply == "Done."  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["function_agent", "async_agent"])
def test_a_function_runs_in_a_process_of_its_own(name: str) -> None:
    agent = msgspec.structs.replace(AGENT, program=f"tests.agents.programs:{name}")
    made = run(agent, ["Done."])
    assert made.error is None and made.reply == ("answer: Done." if name == "function_agent" else "Done.")


@pytest.mark.parametrize(
    ("program", "words"),
    [("no_such_module_here:solve", "no module"), ("tests.agents.programs:nothing", "no function")],
)
def test_a_function_that_cannot_be_loaded_is_refused_before_an_episode_runs(program: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        run(msgspec.structs.replace(AGENT, program=program))


@pytest.mark.parametrize(
    ("name", "kind"), [("failing_agent", "AgentFailed"), ("killed_agent", "AgentKilled"), ("late_agent", "AgentSilent")]
)
def test_a_function_that_fails_leaves_a_record_and_the_next_one_runs(name: str, kind: str) -> None:
    made = run(msgspec.structs.replace(AGENT, program=f"tests.agents.programs:{name}"), seconds=6.0)
    assert made.error is not None and (made.error.fault, made.error.kind) == (Fault.INFRASTRUCTURE, kind)
    assert kind != "AgentFailed" or "no key" in made.error.message


def test_a_program_that_fails_before_it_asks_the_model_is_infrastructures_fault() -> None:
    made = run(program("crash", ""))
    assert made.error is not None and made.error.fault is Fault.INFRASTRUCTURE
    assert "exit code 3" in made.error.message and "no key" in made.error.message
    assert Mark("agent_exit", detail="exit code 3") in made.marks and made.marked("agent_silent")


def test_a_program_that_fails_later_is_scored_with_what_it_left() -> None:
    made = run(program("crash_later"))
    assert made.error is None and made.end_state == {"basket": {"tea": 2}}
    assert Mark("agent_exit", detail="exit code 4") in made.marks


def test_a_killed_program_leaves_a_failed_record_that_says_whose_fault_it_was() -> None:
    made = run(program("killed"))
    assert made.error is not None and (made.error.fault, made.error.kind) == (Fault.INFRASTRUCTURE, "AgentKilled")
    assert "signal 9" in made.error.message


def test_a_program_that_hangs_is_stopped_with_its_children_and_scored() -> None:
    made = run(program("hang"), seconds=8.0)
    assert made.stop is Stop.TIME_OUT and made.marked("agent_stopped")
    assert made.end_state == {"basket": {"tea": 2}}


def test_no_secret_of_the_host_reaches_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "MY_SETTING"):
        monkeypatch.setenv(name, f"secret of {name}")
    blobs: dict[str, bytes] = {}
    made = run(program("environment", ""), ["x"], variables=("MY_SETTING",), blobs=blobs)
    seen = json.loads(blobs[made.blobs["agent_stdout"]])
    assert seen["env"]["MY_SETTING"] == "secret of MY_SETTING", "what is named is passed on"
    leaked = [name for name, value in seen["env"].items() if "secret of" in value and name != "MY_SETTING"]
    assert leaked == [] and seen["env"]["HOME"] != os.environ.get("HOME")


class Folder(Shop):
    def workdir(self) -> str:
        import tempfile

        self.folder = tempfile.mkdtemp()
        Path(self.folder, "note.txt").write_text("hello")
        return self.folder


def test_the_environment_chooses_the_folder_and_skills_are_files_in_it() -> None:
    blobs: dict[str, bytes] = {}
    agent = msgspec.structs.replace(program("environment", ""), skills={"tea": "# Tea\nBuy green tea."})
    made = run(agent, ["x"], Folder, blobs=blobs)
    seen = json.loads(blobs[made.blobs["agent_stdout"]])
    assert seen["files"] == [".agents", "note.txt"]
    assert Path(seen["cwd"], ".agents", "skills", "tea", "SKILL.md").read_text().startswith("# Tea")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("", "is empty"),
        ("no-such-program-here x", "cannot be found"),
        ("sh -c 'oops", "quotes"),
        ("sh {prompd}", "{prompd}"),
    ],
)
def test_a_program_that_cannot_be_started_is_refused_with_what_to_do(command: str, words: str) -> None:
    with pytest.raises(BadInput) as error:
        check_program(command)
    assert words in str(error.value)


def test_a_run_with_programs_resumes_where_it_stopped(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    tasks = [Task(id=f"t{i}", prompt="buy tea") for i in range(3)]
    environment, agent = spec(), program("solve")
    plan = RunPlan(run="r", environment=environment, tasks=tasks, agent=agent, verifier=environment.verifier)
    store.begin_run("r", "rollout", {}, tasks)

    async def run_all(tasks: list[Task]) -> int:
        asked = 0

        def reply(request: Any) -> str:
            nonlocal asked
            asked += 1
            return ADD if len(request.turns) == 0 else "Done."

        async with runner_of(environment, agent, plan.settings, Context()) as run_one:
            some = msgspec.structs.replace(plan, tasks=tasks)
            await run_many(store, some, ScriptedPolicy(reply), run=run_one)
        return asked

    assert asyncio.run(run_all(tasks[:2])) == 4
    assert asyncio.run(run_all(tasks)) == 2, "only the missing episode runs"
    assert [verdict.passed for verdict in store.verdicts("r")] == [True] * 3


needs_sandbox = pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-")


@needs_sandbox
def test_a_program_in_the_sandbox_drives_its_episode_and_reaches_nothing_else(tmp_path: Path) -> None:
    blobs: dict[str, bytes] = {}
    made = run(program("sandboxed"), options=ProgramOptions(sandbox=True), blobs=blobs)
    assert made.error is None and made.end_state == {"basket": {"tea": 2}} and made.reply == "Done."
    seen = json.loads(blobs[made.blobs["agent_stdout"]])
    assert seen == {"repository": False, "home": [], "other port": "refused", "written": True}


@needs_sandbox
def test_a_function_runs_in_the_sandbox_and_its_answer_comes_out() -> None:
    agent = msgspec.structs.replace(AGENT, program="tests.agents.programs:function_agent")
    assert run(agent, ["Done."], options=ProgramOptions(sandbox=True)).reply == "answer: Done."


@needs_sandbox
@pytest.mark.parametrize(
    ("name", "kind"), [("crash", "AgentFailed"), ("killed", "AgentKilled")], ids=["exit code", "signal"]
)
def test_a_program_that_fails_in_the_sandbox_says_so(name: str, kind: str) -> None:
    made = run(program(name, ""), options=ProgramOptions(sandbox=True))
    assert made.error is not None and (made.error.fault, made.error.kind) == (Fault.INFRASTRUCTURE, kind)


@needs_sandbox
def test_a_program_that_hangs_in_the_sandbox_is_stopped_and_scored() -> None:
    made = run(program("hang"), seconds=8.0, options=ProgramOptions(sandbox=True))
    assert made.stop is Stop.TIME_OUT and made.end_state == {"basket": {"tea": 2}}


def test_options_for_the_sandbox_without_the_sandbox_are_refused(tmp_path: Path) -> None:
    words = [
        "rollout",
        "toolcall",
        "-m",
        "http://127.0.0.1:9/v1#m",
        "--agent",
        "true",
        "--home",
        str(tmp_path / "home"),
    ]
    result = CliRunner().invoke(app, [*words, "--agent-network"])
    assert "Add --agent-sandbox" in str(result.exception)
    result = CliRunner().invoke(app, [*words, "--agent-sandbox", "--agent-read", str(tmp_path / "none")])
    assert "does not exist" in str(result.exception)


@needs_sandbox
def test_a_named_folder_can_be_read_in_the_sandbox(tmp_path: Path) -> None:
    blobs: dict[str, bytes] = {}
    options = ProgramOptions(sandbox=True, readable=(ROOT + "/tests/agents",))
    made = run(program("sandboxed"), options=options, blobs=blobs)
    assert json.loads(blobs[made.blobs["agent_stdout"]])["repository"] is True
