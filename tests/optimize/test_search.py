"""The search: what it finds with scripted models, its budget, and that it resumes and repeats itself."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.optimize.scripted import AGENT, REFLECT, RULE, WORDS, ScriptedWorkspace, environment, parrot
from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.protocols import Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Message, Sampling, Version
from verigym.environments.load import load_environment
from verigym.evaluation.suites import family_of
from verigym.optimize.records import Optimization, OptimizeSettings
from verigym.optimize.search import optimize, plan
from verigym.registry.versions import kind_of
from verigym.rollout.settings import RunSettings
from verigym.workspace.agent_tools import keep_tools

EPISODES = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=16))


def reflection(prompt: str) -> str:
    return f"Here it is:\n```\n{RULE}\n```"


def search(ws: ScriptedWorkspace, where: str, budget: int = 120, reflect: bool = True, **fields: Any) -> Optimization:
    settings = OptimizeSettings(budget=budget, episodes=EPISODES, **fields)
    model = ws.agent(REFLECT) if reflect else None
    return optimize(ws, load_environment(where), ws.agent(AGENT), settings, reflect=model)


def test_a_reflection_on_failures_becomes_a_better_version_within_the_budget(tmp_path: Path) -> None:
    ws = ScriptedWorkspace(tmp_path / "home", parrot, reflection)
    found = search(ws, environment(tmp_path), parts=("prompt",))
    best = ws.find(found.best)
    assert best.system_prompt == RULE and best.parent == found.agent and kind_of(best) == "prompt"
    assert found.after == 1.0 and found.before < 0.5 and found.low > 0
    assert found.episodes == ws.episodes <= found.budget
    assert best.recipe["optimize"]["change"] == "reflection on the prompt"
    asked = ws.asked[0]
    assert "too many words" in asked and "The word is" in asked and "Answer." in asked


def test_passing_episodes_become_examples_without_any_model(tmp_path: Path) -> None:
    ws = ScriptedWorkspace(tmp_path / "home", parrot)
    found = search(ws, environment(tmp_path), reflect=False)
    best = ws.find(found.best)
    assert len(best.examples) >= 2 and found.after == 1.0 and not ws.asked
    assert all(isinstance(example[-1], Message) and example[-1].role == "assistant" for example in best.examples)


def test_only_training_tasks_are_run_and_examples_come_from_families_that_choose_nothing(tmp_path: Path) -> None:
    ws = ScriptedWorkspace(tmp_path / "home", parrot, reflection)
    found = search(ws, environment(tmp_path))
    children = ws.store.runs(parent=found.id)
    tasks = [task for run in children for task in ws.store.tasks(run.id)]
    assert tasks and {task.split for task in tasks} == {"train"}
    best = ws.find(found.best)
    assert {family_of(task) for task in tasks} <= set(best.families), "the gate may not compare it on these"
    chosen_by = {
        family_of(task)
        for run in children
        if run.config["num_tasks"] == found.selection_tasks
        for task in ws.store.tasks(run.id)
    }
    words = {item.text.split()[-1] for example in best.examples for item in example if isinstance(item, Message)}
    assert chosen_by and not {f"train-{word[0]}" for word in words} & chosen_by


@pytest.mark.parametrize("budget", [12, 13, 30, 61, 200])
def test_no_search_uses_more_than_its_budget(tmp_path: Path, budget: int) -> None:
    ws = ScriptedWorkspace(tmp_path / "home", parrot, reflection)
    found = search(ws, environment(tmp_path), budget)
    assert found.episodes == ws.episodes <= budget
    assert len(found.candidates) > 1


def test_a_repeated_search_runs_nothing_again_and_asks_nothing_again(tmp_path: Path) -> None:
    ws, where = ScriptedWorkspace(tmp_path / "home", parrot, reflection), environment(tmp_path)
    first = search(ws, where)
    episodes, asked = ws.episodes, len(ws.asked)
    assert search(ws, where) == first
    assert (ws.episodes, len(ws.asked)) == (episodes, asked)


def test_an_interrupted_search_goes_on_where_it_was(tmp_path: Path) -> None:
    where = environment(tmp_path)
    whole = ScriptedWorkspace(tmp_path / "whole", parrot, reflection)
    expected = search(whole, where)
    count = 0

    def stops(request: Request) -> str:
        nonlocal count
        count += 1
        if count == 60:
            raise KeyboardInterrupt
        return parrot(request)

    ws = ScriptedWorkspace(tmp_path / "cut", stops, reflection)
    with pytest.raises(KeyboardInterrupt):
        search(ws, where)
    again = search(ScriptedWorkspace(tmp_path / "cut", parrot, reflection), where)
    assert msgspec.structs.replace(again, candidates=[]) == msgspec.structs.replace(expected, candidates=[])
    assert [one.version for one in again.candidates] == [one.version for one in expected.candidates]


def test_another_seed_is_another_search(tmp_path: Path) -> None:
    ws, where = ScriptedWorkspace(tmp_path / "home", parrot, reflection), environment(tmp_path)
    assert search(ws, where).id != search(ws, where, seed=1).id


def test_the_first_version_stays_the_best_if_nothing_helps(tmp_path: Path) -> None:
    ws = ScriptedWorkspace(tmp_path / "home", lambda request: "no idea", lambda prompt: "Try harder.")
    found = search(ws, environment(tmp_path))
    assert not found.improved and found.best == found.agent and found.after == found.before == 0.0


def test_a_higher_reward_without_more_success_is_not_an_improvement(tmp_path: Path) -> None:
    text = WORDS.replace(
        'return float(trajectory.reply == task.data["answer"])',
        'return float(trajectory.reply == task.data["answer"]) or 0.5 / (1 + len(trajectory.reply))',
    )

    def briefer(request: Request) -> str:
        told = isinstance(request.items[0], Message) and RULE in request.items[0].text
        return "no" if told else "no idea at all"

    ws = ScriptedWorkspace(tmp_path / "home", briefer, reflection)
    found = search(ws, environment(tmp_path, text))
    rewards = {one.version: one.reward for one in found.candidates}
    assert not found.improved and max(rewards.values()) > rewards[found.agent]


def test_an_agent_that_always_passes_is_refused(tmp_path: Path) -> None:
    def right(request: Request) -> str:
        last = request.items[-1]
        assert isinstance(last, Message)
        return last.text.split()[-1]

    with pytest.raises(Refused, match=r"passed all \d+ episodes.*no failure to learn from"):
        search(ScriptedWorkspace(tmp_path / "home", right), environment(tmp_path))


def test_an_agent_that_cannot_be_reached_is_an_error_of_infrastructure(tmp_path: Path) -> None:
    def broken(request: Request) -> str:
        raise InfrastructureFailure("the server is down")

    with pytest.raises(InfrastructureFailure, match=r"None of .* could be scored"):
        search(ScriptedWorkspace(tmp_path / "home", broken), environment(tmp_path))


def test_a_less_safe_candidate_is_never_the_best(tmp_path: Path) -> None:
    text = WORDS.replace(
        "from verigym import Task", "from verigym import Task\nfrom verigym.core.records import Verdict"
    )
    text = text.replace(
        'return float(trajectory.reply == task.data["answer"])',
        'right = trajectory.reply.removesuffix("!") == task.data["answer"]\n'
        '    return Verdict(reward=float(right), passed=right, unsafe="!" in trajectory.reply)',
    )

    def shouts(request: Request) -> str:
        answer = parrot(request)
        told = isinstance(request.items[0], Message) and RULE in request.items[0].text
        return f"{answer}!" if told else answer

    ws = ScriptedWorkspace(tmp_path / "home", shouts, reflection)
    found = search(ws, environment(tmp_path, text), parts=("prompt",))
    unsafe = [one for one in found.candidates if one.unsafe]
    assert unsafe and max(one.success for one in unsafe) > found.before
    assert found.best not in {one.version for one in unsafe}


def test_a_reflection_model_that_answers_nothing_usable_leaves_the_other_changes(tmp_path: Path) -> None:
    ws = ScriptedWorkspace(tmp_path / "home", parrot, lambda prompt: "x" * 100_000)
    found = search(ws, environment(tmp_path))
    assert found.improved and ws.asked


def test_the_plan_states_the_cost_and_runs_nothing(tmp_path: Path) -> None:
    ws = ScriptedWorkspace(tmp_path / "home", parrot)
    spec = load_environment(environment(tmp_path))
    asked = plan(ws, spec, ws.agent(AGENT), OptimizeSettings(budget=100, episodes=EPISODES))
    assert asked.episodes == 100 and asked.completion_tokens == 1600 and asked.prompt_tokens > 0
    assert asked.feedback_tasks + asked.selection_tasks == 96 and not ws.episodes


def test_a_search_from_a_trained_version_keeps_what_trained_it(tmp_path: Path) -> None:
    ws, where = ScriptedWorkspace(tmp_path / "home", parrot, reflection), environment(tmp_path)
    parent = ws.register(Version(base=AGENT, name="tuned", recipe={"algorithm": "sft", "run": "r", "seed": 0}))
    settings = OptimizeSettings(budget=60, episodes=EPISODES)
    found = optimize(ws, load_environment(where), parent, settings, reflect=ws.agent(REFLECT))
    recipe = ws.find(found.best).recipe
    assert recipe["algorithm"] == "sft" and recipe["optimize"]["run"] == found.id


FACTS = WORDS.replace('prompt=f"{split} say {name}"', 'prompt=f"{split} what is the code of {name}?"').replace(
    'data={"answer": name}', 'data={"answer": f"code-{name}"}'
)


def test_a_search_over_documents_is_tried_as_a_tool_and_found_to_help(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    names = [f"{a}{b}" for a in "abcdefghijkl" for b in "mnopqrst"]
    (documents / "codes.txt").write_text("\n\n".join(f"The code of {name} is code-{name}." for name in names))
    tools = tmp_path / "tools.yaml"
    tools.write_text("tools:\n  - name: lookup\n    search: documents\n")

    def looks_up(request: Request) -> Any:
        last = request.items[-1]
        if isinstance(last, FunctionCallOutput):
            found = re.search(rf"code-{re.escape(_asked(request))}", last.output)
            return found[0] if found else "not found"
        if any(tool.name == "lookup" for tool in request.tools):
            query = json.dumps({"query": f"code of {_asked(request)}"})
            return FunctionCall(f"call_{len(request.turns)}", "lookup", query)
        return "no idea"

    ws = ScriptedWorkspace(tmp_path / "home", looks_up)
    files = {"tools.yaml": keep_tools(ws, tools)}
    found = search(ws, environment(tmp_path, FACTS), reflect=False, tools_files=files)
    best = ws.find(found.best)
    assert best.tools == files["tools.yaml"] and found.before == 0.0 and found.after > 0.9
    assert best.harness is not None and best.harness.turns > 1, "one reply could not use what it found"


def _asked(request: Request) -> str:
    texts = [item.text for item in request.items if isinstance(item, Message) and item.role == "user"]
    return texts[-1].removesuffix("?").split()[-1]
