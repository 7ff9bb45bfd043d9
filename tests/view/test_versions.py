"""Versions, the ledger and the suites as structs, with odd states."""

from pathlib import Path

import msgspec
import pytest

from tests.view.versions_store import AROUND, HOSTILE, add_decision, add_measured, add_version, check
from verigym.core import codec
from verigym.core.errors import BadInput, NotFound
from verigym.core.records import Dataset, Example, Harness, Message, Sampling, Task, Version
from verigym.mining.proposals import AcceptedBatch, MiningSummary
from verigym.registry import ledger
from verigym.store.database import Store
from verigym.view import render
from verigym.view.chain import chain
from verigym.view.page import Query
from verigym.view.pages.ledger import ledger_page
from verigym.view.pages.suites import suites_page
from verigym.view.pages.versions import diff_page, version_page, versions_page
from verigym.view.read import Reader
from verigym.workspace.demo import put_demo

LONG_S = 120.0


@pytest.fixture
def demo(tmp_path: Path) -> Reader:
    put_demo(tmp_path)
    return Reader(tmp_path)


class Shop:
    """A champion and a trained child of it, both measured on one suite."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = Store(home / "store.db")
        self.old = add_version(self.store, "old")
        ledger.set_first_champion(self.store, self.old.id, who="Ada", why="the base agent")
        self.new = add_version(
            self.store,
            "new",
            parent=self.old.id,
            families=["learnt-0", "learnt-1"],
            data_hash="d" * 64,
            recipe={"algorithm": "sft", "run": "sft-1", "seed": 3},
        )
        self.before = add_measured(self.store, "eval-1", self.old.id, lambda n, k: n < 6)
        self.after = add_measured(self.store, "eval-2", self.new.id, lambda n, k: n >= 3)
        self.reader = Reader(home)

    def version(self, id: str, **given: str):
        return version_page(self.reader, Query({"id": id}, given))


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


# -- versions -------------------------------------------------------------------------------------------------------


def test_versions_are_listed_newest_first_with_their_success_and_verdict(demo: Reader):
    page = versions_page(demo, Query())
    assert [row.label for row in page.rows] == ["hacked", "grpo", "base"]
    assert [row.verdict for row in page.rows] == ["REJECT", "PROMOTE", ""]
    assert [row.champion for row in page.rows] == [False, True, False] and page.rows[2].was_champion
    assert page.rows[0].success is not None and page.rows[0].suite == "tool_call_eval"
    assert page.rows[0].compare and not page.rows[1].compare


def test_an_empty_workspace_says_what_a_version_is(tmp_path: Path):
    page = versions_page(Reader(tmp_path), Query())
    assert "A version is an agent" in page.empty and page.rows == []


def test_many_versions_are_paged(tmp_path: Path):
    store = Store(tmp_path / "store.db")
    for number in range(60):
        add_version(store, f"v{number}")
    page = versions_page(Reader(tmp_path), Query({}, {"skip": "50"}))
    assert [row.label for row in page.rows] == [f"v{n}" for n in range(9, -1, -1)]
    assert page.before == "/versions" and not page.after
    assert versions_page(Reader(tmp_path), Query({}, {"skip": "999"})).rows == []


def test_a_version_shows_what_it_is_its_reports_and_its_decisions(demo: Reader):
    page = version_page(demo, Query({"id": "grpo"}))
    assert page.champion and page.kind == "adapter" and page.num_families == 214
    assert page.held_out_words.startswith("None of the 214 families")
    assert [row.suite for row in page.reports] == ["tool_call_eval", "safety_eval", "retention_eval"]
    assert [row.seq for row in page.decisions] == [3, 2]
    assert (page.parent is not None and page.parent.label, [one.label for one in page.children]) == ("base", ["hacked"])
    assert page.diff.startswith("/versions/diff?a=353e7640d49e") and page.training == "grpo-6af9527d"


def test_a_rejected_version_says_so_beside_its_name_and_shows_why(demo: Reader):
    rejected = version_page(demo, Query({"id": "hacked"}))
    assert rejected.last is not None and rejected.last.verdict == "REJECT"
    assert [one.href for one in rejected.steps] == ["/gate/3", "/failures/eval-toolcall-9fef82fe"]
    assert [one.href for one in rejected.commands] == ["verigym models export hacked --out FOLDER"]
    assert {one.title: one.text for one in rejected.facts}["Made"] == "2026-01-07 09:00 UTC"
    html = render.html("version.html", rejected, **AROUND)
    assert html.index("REJECT") < html.index("What it is") and "See why the gate rejected it" in html


def test_what_to_do_with_a_version_depends_on_its_state(shop: Shop):
    assert shop.version("old").commands[0].href == "verigym serve champion"
    assert shop.version("new").commands[0].href == "verigym gate new" and shop.version("new").last is None
    add_version(shop.store, "unmeasured")
    assert shop.version("unmeasured").commands[0].href == "verigym eval desk -m unmeasured"


@pytest.mark.parametrize("text", ["champion", "latest", "new", "id", "prefix"])
def test_a_version_is_found_by_id_name_or_prefix(shop: Shop, text: str):
    given = {"id": shop.new.id, "prefix": shop.new.id[:6]}.get(text, text)
    assert shop.version(given).label == ("old" if text == "champion" else "new")


def test_an_unknown_version_names_near_ones(shop: Shop):
    with pytest.raises(NotFound, match="olb"):
        shop.version("olb")


def test_the_card_is_shown_on_request_from_this_versions_records_alone(shop: Shop):
    add_decision(shop.store, shop.before, shop.after, "REJECT", [check(outcome="fail")])
    assert shop.version("new").card == ""
    card = shop.version("new", card="1").card
    assert card.startswith("# new") and "Entry 2" in card and f"The champion is {shop.old.id}" in card
    assert "# old" in shop.version("old", card="1").card


def test_families_that_a_version_learnt_from_and_was_measured_on_are_named(shop: Shop):
    leaky = add_version(shop.store, "leaky", families=["family-0", "other"])
    add_measured(shop.store, "eval-3", leaky.id, lambda n, k: True)
    page = shop.version("leaky")
    assert page.leaked == ["family-0"] and "learnt from 1 of the families" in page.held_out_words
    assert "notice bad" in render.html("version.html", page, **AROUND)


def test_a_version_without_families_reports_or_parent_is_a_page(tmp_path: Path):
    store = Store(tmp_path / "store.db")
    add_version(store, "bare", system_prompt=None, parent="gone-parent")
    page = version_page(Reader(tmp_path), Query({"id": "bare"}))
    assert page.held_out_words == "It learnt from no task, so every suite is new to it."
    assert page.reports == [] and page.data is None and page.diff == ""
    assert page.parent is not None and not page.parent.known
    assert "It was never measured." in render.html("version.html", page, **AROUND)


def test_every_text_of_a_version_is_shown(tmp_path: Path):
    store = Store(tmp_path / "store.db")
    add_version(
        store,
        "rich",
        tool_descriptions={"mail.send": "Sends."},
        skills={"house": "Be kind."},
        examples=[[Message("user", "hi"), Message("assistant", "hello")]],
        sampling=Sampling(temperature=0.5),
        harness=Harness(turns=4),
        constraints="tools",
        program="codex",
        recipe={"optimize": {"change": "a rule", "run": "opt-1", "seed": 0}},
    )
    page = version_page(Reader(tmp_path), Query({"id": "rich"}))
    assert [one.title for one in page.texts] == [
        "System prompt", "Description of mail.send", "1 example before the task", "Skill house",
    ]  # fmt: skip
    facts = {one.title: one.text for one in page.facts}
    assert facts["Harness"] == "4 turns" and facts["Optimised by"] == "a rule, run opt-1"
    assert facts["Sampling"].startswith("temperature 0.5")


def test_rows_of_the_data_lead_to_their_tasks_and_traces(shop: Shop):
    rows = [
        Example(task=f"task-{n}", family="learnt-0", items=[], made=[], source=f"eval-1/task-{n}/0") for n in range(3)
    ]
    folder = shop.home / "data"
    folder.mkdir()
    (folder / f"{shop.new.data_hash}.jsonl").write_bytes(b"".join(codec.encode(row) + b"\n" for row in rows) + b'{"cut')
    dataset = Dataset(
        id=shop.new.data_hash, kind="demonstrations", name="demos", environment="desk", source="run eval-1", rows=3, tasks=3,
        families=["learnt-0"], counts={},
    )  # fmt: skip
    shop.store.put("dataset", dataset.id, dataset)
    summary = MiningSummary(environment="desk", counts={}, buckets={}, unverifiable=[], tasks={"traces/1": "task-1"})
    shop.store.put("mining", "m1", summary)
    mined = Task(id="mined/1", prompt="p", family="learnt-1", lineage=["trace traces/7"])
    shop.store.put("taken", "t1", AcceptedBatch(environment="desk", tasks=[mined], when="2026-01-05T11:01:00Z"))
    page = shop.version("new")
    assert page.data is not None and [row.task for row in page.data.rows] == ["task-0", "task-1", "task-2"]
    assert page.data.href == f"/data/{dataset.id}"
    assert page.data.rows[0].href == "/t/eval-1%2Ftask-0%2F0"
    assert [link.href for link in page.data.rows[1].traces] == ["/t/traces%2F1"]
    assert [(row.task, row.traces[0].words) for row in page.mined] == [("mined/1", "traces/7")]
    (folder / f"{shop.new.data_hash}.jsonl").unlink()
    assert (data := shop.version("new").data) is not None and data.missing == "The file of this data set is missing."


def test_deleted_runs_of_reports_are_said(shop: Shop):
    shop.store.delete_run("eval-2")
    page = shop.version("new")
    assert page.reports[0].run_href == "" and "eval-2, deleted" in render.html("version.html", page, **AROUND)


def test_two_versions_differ_in_words(shop: Shop):
    page = diff_page(shop.reader, Query({}, {"a": "old", "b": "new"}))
    assert page.differs.prompt and "recipe.algorithm" in page.differs.fields
    assert [one.text for one in page.suites] == ["75.0% to 62.5%"] and page.compare
    same = diff_page(shop.reader, Query({}, {"a": "old", "b": "old"}))
    assert "Nothing that the registry stores differs" in render.html("version_diff.html", same, **AROUND)
    with pytest.raises(BadInput, match="Name two versions"):
        diff_page(shop.reader, Query({}, {"a": "old"}))


def test_hostile_versions_stay_text(tmp_path: Path):
    store = Store(tmp_path / "store.db")
    for id in ("v/<1>", "v/<2>"):
        version = Version(base=HOSTILE, id=id, name=HOSTILE + id, system_prompt=HOSTILE, families=[HOSTILE])
        store.put("version", id, msgspec.structs.replace(version, skills={HOSTILE: id}))
    reader = Reader(tmp_path)
    pages = {
        "versions.html": versions_page(reader, Query()),
        "version.html": version_page(reader, Query({"id": "v/<1>"}, {"card": "1"})),
        "version_diff.html": diff_page(reader, Query({}, {"a": "v/<1>", "b": "v/<2>"})),
    }
    for template, page in pages.items():
        html = render.html(template, page, **AROUND)
        assert "<b onmouseover" not in html and "<1>" not in html, template
        assert render.json(page)


# -- the ledger -----------------------------------------------------------------------------------------------------


def test_a_sound_ledger_says_so_and_gives_the_last_hash_to_keep(demo: Reader):
    assert chain(demo, LONG_S).complete
    page = ledger_page(demo, Query())
    assert page.words == "3 entries, chain sound"
    assert page.expect == f"verigym models check-integrity --expect {page.rows[0].hash}"
    newest = page.rows[0]
    assert (newest.seq, newest.moved, newest.why) == (3, False, "Somebody wanted shorter replies")
    assert page.rows[2].before is None and page.rows[2].after is not None and page.rows[2].after.label == "base"


def test_an_empty_ledger_names_the_commands(tmp_path: Path):
    page = ledger_page(Reader(tmp_path), Query())
    assert page.rows == [] and page.fill[0] == "verigym promote VERSION" and page.expect == ""


@pytest.mark.parametrize(
    "old, new, reason",
    [
        (b'"why":"asked"', b'"why":"forged"', "does not match its own hash"),
        (b'{"schema":2', b'{"schema":2,,', "cannot be read"),
        (b'"seq":3', b'"seq":7', "does not match its own hash"),
    ],
    ids=["a changed reason", "damage", "another number"],
)
def test_a_changed_entry_is_named(shop: Shop, old: bytes, new: bytes, reason: str):
    for _ in range(4):
        add_decision(shop.store, shop.before, shop.after, "REJECT", [check(outcome="fail")])
    assert chain(shop.reader, LONG_S).complete
    _forge(shop.store, 3, old, new)
    fresh = Reader(shop.home)
    state = chain(fresh, LONG_S)
    assert (state.broken, state.verified) == (3, 2) and reason in state.reason
    page = ledger_page(fresh, Query())
    assert [row.seq for row in page.rows if row.broken] == [3] and page.expect == ""
    html = render.html("ledger.html", page, **AROUND)
    assert "Ledger entry 3" in html and ("not intact" in html or "cannot be read" in html)


def test_entries_that_are_added_are_verified_from_where_it_stopped(shop: Shop):
    assert chain(shop.reader, LONG_S).verified == 1
    add_decision(shop.store, shop.before, shop.after, "REJECT", [check(outcome="fail")])
    state = chain(shop.reader, LONG_S)
    assert state.complete and (state.verified, state.total) == (2, 2)
    _forge(shop.store, 2, b'"why":"asked"', b'"why":"forged"')
    add_decision(shop.store, shop.before, shop.after, "PROMOTE", [check()])
    assert chain(Reader(shop.home), LONG_S).broken == 2


def test_a_ledger_that_was_replaced_is_verified_from_the_start(shop: Shop):
    assert chain(shop.reader, LONG_S).verified == 1
    _forge(shop.store, 1, b'"hash":"', b'"hash":"0')
    assert chain(shop.reader, LONG_S).broken == 1
    _forge(shop.store, 1, b'"hash":"0', b'"hash":"')
    assert chain(shop.reader, LONG_S).complete


def test_a_missing_entry_breaks_the_chain(shop: Shop):
    for _ in range(3):
        add_decision(shop.store, shop.before, shop.after, "REJECT", [check(outcome="fail")])
    with shop.store._writing() as connection:
        connection.exec_driver_sql("DROP TRIGGER ledger_no_delete")
        connection.exec_driver_sql("DELETE FROM ledger WHERE seq = 2")
    assert chain(Reader(shop.home), LONG_S).broken == 2


def test_a_long_ledger_is_paged(shop: Shop):
    for _ in range(60):
        add_decision(shop.store, shop.before, shop.after, "REJECT", [check(outcome="fail")])
    page = ledger_page(shop.reader, Query())
    assert [page.rows[0].seq, page.rows[-1].seq] == [61, 12] and page.after == "/ledger?before=12"
    older = ledger_page(shop.reader, Query({}, {"before": "12"}))
    assert [older.rows[0].seq, older.rows[-1].seq] == [11, 1] and older.before and not older.after


# -- suites ---------------------------------------------------------------------------------------------------------


def test_suites_show_their_uses_and_the_versions_measured_on_them(demo: Reader):
    page = suites_page(demo, Query())
    assert [row.name for row in page.rows] == ["retention_eval", "safety_eval", "tool_call_eval"]
    row = page.rows[2]
    assert (row.tasks, row.families, row.measured, row.decisions, row.seen_by) == (164, 82, 3, 2, 3)
    assert [one.version.label for one in row.versions] == ["grpo", "base", "hacked"] and row.versions[0].champion
    assert row.versions[1].compare.startswith("/compare?a=e90239b21190&b=")


def test_the_page_agrees_with_the_command(demo: Reader):
    from verigym.workspace.held_out import sets_of

    rows = {row.hash: row for row in suites_page(demo, Query()).rows}
    for one in sets_of(demo.folder):
        row = rows[one.suite.hash]
        assert (row.version, row.measured, row.training, row.decisions, row.seen_by, row.uses) == (
            one.version, len(one.versions), one.training, one.decisions, one.seen_by, one.uses,
        )  # fmt: skip


def test_a_suite_with_other_tasks_is_a_new_version_of_it_and_a_worn_one_is_said(shop: Shop):
    for number in range(10):
        add_measured(shop.store, f"more-{number}", f"v{number}", lambda n, k: n < 5, tasks=9)
    page = suites_page(shop.reader, Query())
    assert [(row.version, row.newest, row.measured, row.seen_by) for row in page.rows] == [
        (2, True, 10, 12), (1, False, 2, 12),
    ]  # fmt: skip
    assert page.rows[0].worn and "12 versions were measured on these families" in page.rows[0].warning
    html = render.html("suites.html", page, **AROUND)
    assert "seen by 12" in html and "deleted" in html


def test_evaluations_during_training_count_as_uses(shop: Shop):
    shop.store.begin_run("train-1", "train", {"recipe": {"held_out_eval": "desk:val"}})
    rows = shop.store.tasks("eval-1")
    for step in range(3):
        run = f"train-1/step-{step}"
        shop.store.begin_run(run, "eval", {"environment": "desk"}, rows, parent="train-1")
        shop.store.scored_by(run, "desk_verifier@11112222")
    [row] = suites_page(shop.reader, Query()).rows
    assert (row.training, row.measured) == (3, 2) and "3 evaluations while training" in row.uses


def test_no_evaluation_means_an_empty_page_with_a_command(tmp_path: Path):
    page = suites_page(Reader(tmp_path), Query())
    assert page.rows == [] and page.fill == ["verigym eval ENV -m MODEL"]


def _forge(store: Store, seq: int, old: bytes, new: bytes) -> None:
    """Changes an entry as somebody with access to the file could."""
    with store._writing() as connection:
        connection.exec_driver_sql("DROP TRIGGER IF EXISTS ledger_no_update")
        [(body,)] = connection.exec_driver_sql("SELECT body FROM ledger WHERE seq = ?", (seq,)).all()
        assert old in body
        connection.exec_driver_sql("UPDATE ledger SET body = ? WHERE seq = ?", (body.replace(old, new, 1), seq))
