"""`verigym audit` and `verigym label --single` as they are typed, on a run of a scripted agent. No torch, no model."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from tests.audit.bad import RIGHT_SUM, SUMS, write
from verigym.audit.labels import Agreement, Calibration
from verigym.cli.main import app
from verigym.core import codec
from verigym.core.errors import NotFound, Refused
from verigym.core.protocols import Request
from verigym.core.records import Label, Version
from verigym.environments.load import load_environment
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import RunPlan, run_many
from verigym.rollout.settings import RunSettings
from verigym.workspace.audit import AuditRecord, AuditResult, CheckResult, run_of
from verigym.workspace.workspace import WorkspaceFolder

RUN = "rollout-bad-1"


class Shell:
    """A workspace with one run of an environment: twelve tasks, two episodes each, half of them right."""

    def __init__(self, folder: Path, verify: str = RIGHT_SUM) -> None:
        self.folder, self.home = folder, folder / "home"
        self.where = write(folder, SUMS, verify)
        self.rollout(RUN, k=2)

    @property
    def ws(self) -> WorkspaceFolder:
        return WorkspaceFolder(self.home)

    def rollout(self, run: str, k: int = 1) -> None:
        environment, ws = load_environment(self.where), self.ws
        tasks = environment.tasks("val")
        answers = {task.prompt: task.data["answer"] for task in tasks}

        def answer(request: Request) -> str:
            return answers[request.items[-1].text] if request.seed % 2 else "99"  # type: ignore[union-attr]

        ws.store.begin_run(run, "rollout", {"environment": self.where, "judge": "some judge"}, tasks)
        plan = RunPlan(
            run=run,
            environment=environment,
            tasks=tasks,
            agent=Version(base="x"),
            verifier=environment.verifier,
            settings=RunSettings(k=k),
        )
        asyncio.run(run_many(ws.store, plan, ScriptedPolicy(answer)))

    def __call__(self, *words: str, code: int = 0, typed: str = "") -> str:
        done = CliRunner().invoke(app, [*words], input=typed, env={"VERIGYM_HOME": str(self.home)})
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == code, done.output
        return done.output

    def audit(self, *words: str, code: int = 0) -> str:
        return self("audit", "run", self.where, *words, code=code)

    def case(self, *words: str) -> str:
        return self("audit", "case", self.where, *words)

    def label(self, *keys: str, n: int = 24) -> str:
        return self("label", RUN, "--single", "-n", str(n), "--who", "anna", typed="\n".join(keys))

    def labels(self) -> list[Label]:
        return self.ws.store.documents("label", Label)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_it_ends_in_trust_and_in_the_next_command(shell: Shell) -> None:
    said = shell.audit("-n", "20")
    assert f"on 20 outputs of {RUN} (50 to 100 are better)" in said and "reward  outputs" in said and "####" in said
    assert "ok   cheats do not pass:" in said and "no output of this run is labelled" in said
    assert 'trust it, except for checks that are still open: "it agrees with people"' in said
    assert said.splitlines()[-1].startswith(f"next: verigym label {RUN} --single")
    [kept] = shell.ws.store.documents("audited", AuditRecord)
    assert kept.verifier.startswith("bad@") and (kept.run, kept.n, kept.fix) == (RUN, 20, [])


def test_the_whole_audit_is_stored_with_its_evidence_and_its_table_of_labels(shell: Shell) -> None:
    shell.label(*"gb" * 12)
    shown = json.loads(shell.audit("--json", code=1))
    [result] = shell.ws.store.documents("audit", AuditResult)
    stored = json.loads(msgspec.json.encode(result.audit))
    assert {name: value for name, value in shown.items() if name != "trust"} == stored
    assert result.audit.agreement is not None and sum(result.audit.agreement.cells) == result.audit.agreement.n == 24
    assert sum(result.audit.agreement.cells[::3]) == result.audit.agreement.agreed
    assert 0 < len(result.audit.passing) < len(result.audit.rewards) and (result.judge, result.who) == ("", "")


def test_a_check_is_stored_whole_if_it_fails_as_well(tmp_path: Path) -> None:
    for place, verify, code in (("good", RIGHT_SUM, 0), ("bad", "raise ValueError('broken')", 1)):
        (tmp_path / place).mkdir()
        shell = Shell(tmp_path / place, verify)
        shell("check", str(shell.where), code=code)
        [result] = shell.ws.store.documents("check", CheckResult)
        assert result.sound == (code == 0) and result.environment == str(shell.where)
        assert result.verifiers[0].startswith("bad@") and len(result.checks) > 5


def test_an_audit_of_an_older_release_is_still_read() -> None:
    old = b'{"schema":2,"n":1,"agreed":1,"kappa":null,"low":0.0,"high":1.0,"disagreements":[]}'
    assert codec.decode(old, Agreement).cells == []


def test_it_ends_in_what_to_fix_first_with_exit_code_1_and_as_json(tmp_path: Path) -> None:
    shell = Shell(tmp_path, "return float(task.data['answer'] in trajectory.reply)")
    said = shell.audit(code=1)
    assert "fix this first:\n  1. an echo of the prompt passes val/" in said
    assert "(after you changed the verifier)" in said.splitlines()[-1]
    found = json.loads(shell.audit("--json", code=1))
    assert found["trust"] is False and "an echo of the prompt passes" in found["fix"][0] and len(found["rewards"]) == 24
    assert {check["name"]: check["outcome"] for check in found["checks"]}["cheats do not pass"] == "fail"


# -- labels -------------------------------------------------------------------------------------------------------------


def test_single_labels_are_stored_at_once_resumed_and_undone_and_show_no_verdict(shell: Shell) -> None:
    said = shell.label("g", "x", "b", "n it is 20", "u", "s")
    assert "output 1 of 24" in said and "output 3 of 24" in said and "output 4 of 24" not in said
    assert "g good · b bad · s skip" in said and "passed" not in said and "reward" not in said
    assert [(one.judgement, one.note) for one in shell.labels()] == [
        ("good", ""),
        ("bad", ""),
        ("bad", "it is 20"),
        ("skip", "taken back"),
        ("skip", ""),
    ]
    assert "labelled by anna: 2 (1 good, 0 bad, 1 skipped), 22 left" in said
    assert said.splitlines()[-1] == f"next: verigym label {RUN} --single -n 24 --who anna --seed 0"
    said = shell.label(*"g" * 22)
    assert "output 3 of 24" in said and "output 1 of 24" not in said and "that was the last output" in said
    assert said.splitlines()[-1] == f"next: verigym audit run {shell.where} {RUN}"
    assert "anna has labelled all 24 outputs" in shell.label()


def test_labels_are_spread_over_the_run_s_own_mixture(shell: Shell) -> None:
    shell.label(*"g" * 24)
    verdicts = {one.trajectory: one.passed for one in shell.ws.store.verdicts(RUN)}
    order = [verdicts[one.trajectory] for one in shell.labels()]
    share = sum(verdicts.values()) / 24
    assert len({one.trajectory for one in shell.labels()}) == 24
    assert all(abs(sum(order[:n]) - share * n) <= 2 for n in range(25))


def right(shell: Shell, contrary: int = 0) -> dict[str, str]:
    """The verifier's own verdicts as labels, all but some."""
    verdicts = [(one.trajectory, one.passed) for one in shell.ws.store.verdicts(RUN)]
    said = {id: passed != (place < contrary) for place, (id, passed) in enumerate(verdicts)}
    return {id: "good" if good else "bad" for id, good in said.items()}


def keep(shell: Shell, said: dict[str, str]) -> None:
    for id, judgement in said.items():
        made: Any = Label(trajectory=id, judgement=judgement, who="anna", note="as I see it")  # type: ignore[arg-type]
        shell.ws.store.put("label", f"label {id}", made)


def test_labels_are_compared_and_disagreements_become_cases_that_check_replays(shell: Shell) -> None:
    keep(shell, right(shell, contrary=8))
    said = shell.audit(code=1)
    assert "label on 16 of 24 outputs, kappa 0." in said and "disagreements with people:" in said
    assert "by anna: as I see it" in said and f"next: verigym audit run {shell.where} {RUN} --save-cases" in said
    said = shell.audit("--save-cases", code=1)
    assert f"saved 8 new cases in {shell.folder / 'bad.cases.jsonl'}" in said and "corrected cases" not in said
    assert "FAIL corrected cases hold: 8 of 8" in shell("check", shell.where, code=1)
    said = shell.audit("--save-cases", code=1)
    assert "saved 0 new cases" in said and "8 of 8 corrected cases get the wrong verdict" in said, "each is kept once"


def test_the_next_command_of_a_run_with_a_space_in_its_name_can_be_typed(shell: Shell) -> None:
    shell.rollout("of monday")
    assert "next: verigym label 'of monday' --single" in shell.audit("of monday")
    assert "next: verigym explain 'of monday'" in shell("runs", "show", "of monday")


def test_after_check_the_next_command_names_a_judge_where_one_is_asked(shell: Shell) -> None:
    assert shell("check", shell.where).splitlines()[-1] == f"next: verigym eval {shell.where} -m smollm2-135m"
    text = (shell.folder / "bad.py").read_text().replace(" {2 * i} or 99?", "?")
    judged = "from verigym.verifiers.judge import Judge\nverifiers = {'judged': Judge('Is it right?')}\n"
    (shell.folder / "bad.py").write_text(text + judged)
    said = shell("check", shell.where)
    assert said.splitlines()[-1] == f"next: verigym eval {shell.where} -m smollm2-135m --judge MODEL"


def test_full_agreement_leads_to_training(shell: Shell) -> None:
    keep(shell, right(shell))
    said = shell.audit("--who", "anna")
    assert "label on 24 of 24 outputs, kappa 1.00 (" in said
    assert said.splitlines()[-2:] == ["trust it", "next: verigym train RECIPE"]
    assert shell.ws.store.documents("calibration", Calibration) == [], "it asks no judge"


def test_of_a_judge_the_agreement_is_remembered_for_the_gate(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    text = (tmp_path / "bad.py").read_text()
    judged = (
        "from verigym.verifiers.judge import Judge\nverifiers = {'mine': verify, 'judged': Judge('Is it right?')}\n"
    )
    (tmp_path / "bad.py").write_text(text + judged)
    environment, ws = load_environment(shell.where), shell.ws
    name = environment.verifiers["judged"].name
    ws.store.add(RUN, verdicts=[msgspec.structs.replace(one, verifier=name) for one in ws.store.verdicts(RUN)])
    ws.store.scored_by(RUN, name)
    keep(shell, right(shell, contrary=1))
    said = shell.audit("--verifier", "judged")
    assert "the verifier needs a judge. Pass --judge MODEL" in said and "label on 23 of 24 outputs" in said
    assert f"next: verigym audit run {shell.where} {RUN} --verifier judged --save-cases" in said
    shell.case(f"{RUN}/val/10/0", "--verifier", "judged", "--should", "pass")
    assert "?    corrected cases hold: not tested" in shell("check", shell.where), "and that is no failure"
    [one] = ws.store.documents("calibration", Calibration)
    assert (one.verifier, one.judge, one.n) == (name, "some judge", 24) and one.low < one.kappa < one.high


# -- cases, and what is refused -----------------------------------------------------------------------------------------


def test_a_case_is_kept_beside_the_environment_and_replayed(shell: Shell) -> None:
    id = shell.ws.store.trajectories(RUN)[0].id
    passes = {one.trajectory: one.passed for one in shell.ws.store.verdicts(RUN)}[id]
    wanted = "fail" if passes else "pass"
    said = shell.case(id, "--should", wanted, "--note", "half a point")
    assert f"{id} should {wanted}: saved in {shell.folder / 'bad.cases.jsonl'}" in said
    assert "already in" in shell.case(id, "--should", wanted, "--note", "half a point")
    said = " ".join(shell.audit(code=1).split())
    assert (
        f'1 of 1 corrected cases get the wrong verdict: {id} {"passes" if passes else "fails"} and should {wanted} ("half'
        in said
    )
    shell.case(id, "--should", "pass" if passes else "fail")
    assert "ok   corrected cases hold: 1 of 1" in shell("check", shell.where)


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        (["nosuch"], NotFound, 'no run "nosuch"'),
        (["--verifier", "nosuch"], NotFound, 'no verifier "nosuch"'),
    ],
)
def test_bad_input_is_answered_in_words(shell: Shell, words: list[str], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        shell.audit(*words)


def test_a_case_needs_a_stored_output_and_a_verdict(shell: Shell) -> None:
    with pytest.raises(NotFound, match='no trajectory "nosuch"'):
        shell.case("nosuch", "--should", "pass")
    assert "Missing option" in shell("audit", "case", shell.where, f"{RUN}/val/10/0", code=2)


def test_audits_are_listed(shell: Shell) -> None:
    assert "no audits yet" in shell("audit")
    shell.audit()
    assert RUN in shell("audit", "list") and json.loads(shell("audit", "list", "--json"))[0]["run"] == RUN


def test_where_there_is_nothing_to_audit_it_says_which_command_makes_some(shell: Shell) -> None:
    with pytest.raises(Refused, match="Create some: verigym eval toolcall -m smollm2-135m -n 50"):
        shell("audit", "run", "toolcall")
    with pytest.raises(Refused, match=f"Run {RUN} belongs to .*bad.py, not to toolcall. Runs of toolcall: none"):
        shell("audit", "run", "toolcall", RUN)


def test_a_run_that_is_not_named_is_the_newest_with_enough_outputs_else_the_largest(shell: Shell) -> None:
    shell.rollout("rollout-bad-2")
    environment = load_environment(shell.where)
    assert run_of(shell.ws, environment).id == RUN, "24 are more than 12"
    shell.rollout("rollout-bad-3", k=5)
    shell.rollout("rollout-bad-4", k=6)
    shell.rollout("rollout-bad-5")
    assert run_of(shell.ws, environment).id == "rollout-bad-4", "the newest of those with 50"


@pytest.mark.slow
def test_a_regular_expression_that_explodes_does_not_hang_the_audit(tmp_path: Path) -> None:
    """In a process of its own: the test runner has the alarm here."""
    verify = "import re\nre.match(r'(\\w+ ?)+\\.$', trajectory.reply)\n" + RIGHT_SUM
    shell = Shell(tmp_path, verify)
    command = [
        sys.executable,
        "-m",
        "verigym.cli.main",
        "audit",
        "run",
        shell.where,
        "-n",
        "4",
        "--home",
        str(shell.home),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1000, check=False)
    assert done.returncode == 1 and "verify took more than 10 s" in " ".join(done.stdout.split())
