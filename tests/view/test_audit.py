"""Audits on their pages: stored results, agreement with people, and labels that are taken back."""

import shutil
from pathlib import Path

import pytest

from tests.view.store import add_run, verdict
from tests.view.visitor import ORIGIN, Visitor
from verigym.audit import cases
from verigym.audit.labels import TAKEN_BACK, agreement, single_labels
from verigym.audit.rewards import RewardPart
from verigym.audit.verifier import Audit
from verigym.core.errors import NotFound
from verigym.core.records import Case, Check, Label, Task
from verigym.store.database import Store
from verigym.view.page import Query
from verigym.view.pages.audit import AuditPage, audit_page, audits_page
from verigym.view.read import Reader
from verigym.workspace.audit import AuditRecord, AuditResult

RUN = "eval-desk-1"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluation in which every third output passes, 12 outputs judged by Ada and 6 of them by Bob."""
    home = tmp_path_factory.mktemp("audit")
    store = Store(home / "store.db")
    add_run(store, RUN, tasks=6, attempts=3)
    episodes = store.trajectories(RUN)
    store.add(RUN, (), [verdict(one.id, number % 3 == 0) for number, one in enumerate(episodes)])
    for number, one in enumerate(episodes[:12]):
        good = (number % 3 == 0) != (number in (1, 3))
        if number < 6:
            store.put("label", f"b{number}", Label(trajectory=one.id, judgement="good" if good else "bad", who="Bob"))
        note = "fine for me" if number == 1 else ""
        store.put(
            "label", f"a{number}", Label(trajectory=one.id, judgement="good" if good else "bad", who="Ada", note=note)
        )
    store.put("label", "pair", Label(trajectory=episodes[0].id, other=episodes[1].id, judgement="better", who="Ada"))
    store.close()
    return home


@pytest.fixture
def home(stored: Path, tmp_path: Path) -> Path:
    shutil.copytree(stored, tmp_path / "home")
    return tmp_path / "home"


def page(home: Path, name: str = "desk", who: str = "Ada", **given: str) -> AuditPage:
    reader = Reader(home)
    try:
        return audit_page(reader, Query({"environment": name}, given, who))
    finally:
        reader.close()


def put_audit(home: Path, when: float = 4e9, **fields: object) -> None:
    """An audit that is newer than all labels."""
    store = Store(home / "store.db")
    labels = single_labels(store.documents("label", Label), "Ada")
    agreed = agreement(labels, {one.trajectory: one for one in store.verdicts(RUN)})
    values = {
        "environment": "desk", "verifier": "desk_verifier@1", "run": RUN, "n": 18, "fix": [], "rewards": [0.0, 0.0, 1.0],
        "passing": [1.0], "parts": [RewardPart("tool", 1.0, 0.5, None)], "agreement": agreed, "asks_judge": False,
        "checks": [
            Check(name="cheats do not pass", outcome="pass", words="12 tried"),
            Check(name="corrected cases hold", outcome="fail", words="1 of 2"),
            Check(name="longer does not pay", outcome="unclear", words="<b>not</b> tested"),
        ],
    }  # fmt: skip
    audit = Audit(**{**values, **fields})  # type: ignore[arg-type]
    store.put("audit", f"audit-{when}", AuditResult(audit=audit, when=when))
    store.close()


def test_agreement_is_shown_from_labels_and_stored_verdicts_before_any_audit(home: Path) -> None:
    data = page(home)
    assert data.agreement is not None and not data.audited and "not audited yet" in data.note
    assert (data.agreement.n, data.agreement.agreed, data.agreement.cells) == (12, 10, [3, 1, 1, 7])
    strict, lenient = data.disagreements
    assert (strict.label, strict.passed, strict.note, strict.own) == ("good", False, "fine for me", True)
    assert strict.command.startswith("verigym audit case desk eval-desk-1/") and "--should pass" in strict.command
    assert (lenient.label, lenient.passed) == ("bad", True)
    [two] = data.people
    assert (two.one, two.other, two.outputs, two.agreed, two.kappa) == ("Ada", "Bob", 6, 6, 1.0)


def test_the_last_audit_is_shown_with_every_check(home: Path) -> None:
    put_audit(home, when=3.9e9, verifier="desk_verifier@0", fix=["old"])
    put_audit(home)
    data = page(home)
    assert data.audited and data.trusted and data.note == "" and data.verifier == "desk_verifier@1"
    assert [check.outcome for check in data.checks] == ["pass", "fail", "unclear"]
    assert data.rewards == [(0.0, 0, 2), (1.0, 1, 0)] and data.parts[0].name == "tool"
    assert data.agreement is not None and data.agreement.from_audit
    assert [(past.verifier, past.fixes) for past in data.history] == [("desk_verifier@0", 1)]
    assert "Kappa" in data.kappa_picture and "Rewards" in data.rewards_picture
    text = Visitor(home).page("/audit/desk")
    assert "It can be trusted" in text and "&lt;b&gt;not&lt;/b&gt; tested" in text and "too lenient" in text


def test_labels_after_the_audit_count_and_the_page_says_so(home: Path) -> None:
    put_audit(home, when=1.0, fix=["The agreement is too low"])
    data = page(home)
    assert "after this audit" in data.note and data.fix == ["The agreement is too low"] and not data.trusted


def test_an_audit_of_an_older_release_shows_its_line(home: Path) -> None:
    store = Store(home / "store.db")
    store.put("audited", "old", AuditRecord("shop", "shop@1", "eval-shop", 40, ["cheats pass"]))
    store.close()
    data = page(home, "shop")
    assert data.fix == ["cheats pass"] and data.outputs == 40 and "older release" in data.note and data.checks == []
    assert "Fix this first" in Visitor(home).page("/audit/shop")


def test_corrected_cases_are_listed(home: Path) -> None:
    store = Store(home / "store.db")
    one = store.trajectories(RUN)[0]
    store.close()
    case = Case(should="fail", note="wrong person", who="Ada", task=Task(id="t", prompt="x"), trajectory=one)
    cases.add(cases.path_of("desk", home), case)
    put_audit(home)
    data = page(home)
    assert [(row.should, row.note) for row in data.cases] == [("fail", "wrong person")] and data.cases_state == "broken"


@pytest.mark.parametrize("name", ["nothing", "../../etc/passwd.py", "desk.py", ""])
def test_an_environment_that_no_run_names_is_not_found_and_no_file_is_read(home: Path, name: str) -> None:
    with pytest.raises(NotFound, match="desk"):
        page(home, name)


def test_an_environment_without_labels_says_how_to_begin(home: Path) -> None:
    store = Store(home / "store.db")
    add_run(store, "eval-shop", tasks=1, attempts=1, environment="a shop/é")
    store.close()
    data = page(home, "a shop/é")
    assert "not audited yet" in data.empty and data.label_href == "/label/eval-shop?kind=single"
    assert data.fill[0] == "verigym audit run 'a shop/é'"


def test_the_list_has_audited_and_judged_environments(home: Path, tmp_path: Path) -> None:
    put_audit(home)
    reader = Reader(home)
    [row] = audits_page(reader, Query()).rows
    reader.close()
    assert (row.environment, row.trusted, row.labels) == ("desk", True, 12)
    assert "/audit/desk" in Visitor(home).page("/audit")
    assert "verigym audit run ENV" in Visitor(tmp_path / "empty").page("/audit")


def test_a_person_takes_the_own_label_back_once(home: Path) -> None:
    visitor = Visitor(home)
    id = page(home).disagreements[0].trajectory
    for _ in range(2):
        assert visitor.sent("/audit/again", environment="desk", trajectory=id) == "/audit/desk?said=again"
    store = Store(home / "store.db")
    taken = [label for label in store.documents("label", Label) if label.note == TAKEN_BACK]
    store.close()
    assert [(label.trajectory, label.who) for label in taken] == [(id, "Ada")]
    agreed = page(home).agreement
    assert agreed is not None and agreed.n == 11
    assert "asked again" in visitor.page("/audit/desk?said=again")


def test_nobody_takes_back_the_label_of_somebody_else(home: Path) -> None:
    fields = {"environment": "desk", "trajectory": page(home).disagreements[0].trajectory}
    for visitor in (Visitor(home, who="Eve"), Visitor(home, who="")):
        answer = visitor.post("/audit/again", **fields)
        assert answer.status_code == 409 and "Only the person" in answer.text
    assert Visitor(home).post("/audit/again", environment="none", trajectory="x").status_code == 409
    assert Visitor(home).post_from("http://evil.example", "/audit/again", fields).status_code == 403
    assert (
        Visitor(home).post_from(ORIGIN, "/audit/again", fields, **{"sec-fetch-site": "cross-site"}).status_code == 403
    )
    assert Visitor(home, read_only=True).post("/audit/again", **fields).status_code == 403
    assert "Take my label back" not in Visitor(home, read_only=True).page("/audit/desk")
    assert "Take my label back" in Visitor(home).page("/audit/desk")


def test_a_few_labels_give_no_kappa_and_the_row_has_the_command_of_the_first_audit(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    add_run(store, RUN, tasks=6, attempts=3)
    for number, one in enumerate(store.trajectories(RUN)[:9]):
        judgement = "good" if number % 2 else "bad"
        store.put("label", f"{number}", Label(trajectory=one.id, judgement=judgement, who="Ada"))
    store.close()
    reader = Reader(tmp_path)
    [row] = audits_page(reader, Query()).rows
    reader.close()
    assert (row.labels, row.kappa, row.few, row.command) == (9, None, True, f"verigym audit run {row.environment}")
    visitor = Visitor(tmp_path)
    text = visitor.page("/audit")
    assert "too few labels" in text and row.command in text
    assert "Too few labels for kappa: 9 of 10" in visitor.page(row.href)
