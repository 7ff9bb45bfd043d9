"""Held-out tasks have one name, whatever training set a version was trained on."""

import msgspec

from tests.workspace.test_gate_looks import ALONE, CALLS, Sums
from tests.workspace.test_gate_looks import server as server
from tests.workspace.test_gate_looks import sums as sums
from verigym.core.records import Sampling
from verigym.environments.load import load_environment
from verigym.rollout.settings import RunSettings
from verigym.workspace import measure as stages
from verigym.workspace.gate import Gate
from verigym.workspace.held_out import sets_of
from verigym.workspace.shared_reports import shared_reports


def test_a_version_trained_on_a_training_set_is_judged_by_the_reports_of_the_plain_environment(sums: Sums):
    champion = sums.version("other40")
    sums.evaluate(champion, n=40, sampling=Sampling(temperature=0.7, max_tokens=32))
    CALLS.clear()
    recipe = {"environment": f"{sums.file}?train=more"}
    candidate = sums.ws.register(msgspec.structs.replace(sums.version("right99"), recipe=recipe, id=""))
    asked = Gate(sums.ws, candidate, champion, ALONE)
    assert asked.target.environment.name == str(sums.file) and asked.target.settings.sampling.temperature == 0.7
    assert asked.run().verdict == "PROMOTE"
    assert CALLS["other40"] == CALLS["right99"] - 40, "the episodes of its report are used"
    named = Gate(sums.ws, candidate, champion, ALONE, environment=f"{sums.file}?train=more")
    assert named.target.known is not None and named.suites["primary"].environment == str(sums.file)


def test_held_out_tasks_have_one_name_whatever_the_training_set_is(sums: Sums):
    version = sums.version("right80")
    run = sums.evaluate(version, n=20)
    environment = load_environment(f"{sums.file}?train=more")
    report = stages.measure(sums.ws, environment, version, RunSettings(sampling=stages.GREEDY), n=20)
    assert (report.run, report.suite.environment, CALLS["right80"]) == (run, str(sums.file), 20)
    other = sums.version("right90")
    sums.evaluate(other, n=20)
    ours, theirs = shared_reports(sums.ws, other, version, f"{sums.file}?train=more")
    assert (ours.agent, theirs.agent) == (other.id, version.id)
    sums.ws.store.begin_run("grpo-1", "train", {"recipe": {}})
    child = {"environment": f"{sums.file}?train=more"}
    tasks = stages.suite_of(environment, "val", 20)[1]
    sums.ws.store.begin_run("grpo-1/eval-0001", "eval", child, tasks, parent="grpo-1")
    sums.ws.store.scored_by("grpo-1/eval-0001", environment.verifier.name)
    (one,) = sets_of(sums.ws)
    assert (one.suite.environment, len(one.versions), one.training) == (str(sums.file), 2, 1)
