"""Ingest as a whole: nothing is lost, nothing is stored twice, and no secret gets in."""

import contextlib
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.traces import fuzz
from tests.traces.conftest import Place
from verigym.core.errors import BadInput, InfrastructureFailure, NotFound, Refused
from verigym.store.database import Store
from verigym.traces import ingest, input_files
from verigym.traces.ingest import SidecarEntry
from verigym.traces.redaction import Redaction

GOLDEN = Path(__file__).parent / "golden"
ALL = sorted(GOLDEN.glob("*.jsonl"))


def chat(text: str, **more: Any) -> str:
    return json.dumps({"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}], **more})


def quarantine(place: Place, name: str = "ingested") -> list[SidecarEntry]:
    path = place.home / "quarantine" / f"{name}.jsonl"
    return (
        [msgspec.json.decode(line, type=SidecarEntry) for line in path.read_bytes().splitlines()]
        if path.exists()
        else []
    )


def test_a_new_workspace_is_open_to_its_owner_alone(tmp_path: Path) -> None:
    trace, home = tmp_path / "a.jsonl", tmp_path / "new" / "home"
    trace.write_text(chat("hi") + "\nno trace\n")
    before = os.umask(0o022)
    try:
        with contextlib.closing(Store(home / "store.db")) as store:
            ingest(store, home, [str(trace)], Redaction())
    finally:
        os.umask(before)
    assert (home / "store.db").exists() and (home / "quarantine" / "ingested.jsonl").exists()
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_exists_keeps_its_permissions(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    with contextlib.closing(Store(tmp_path / "store.db")) as store:
        store.begin_run("a", "eval", {})
    assert tmp_path.stat().st_mode & 0o777 == 0o750


# -- once and again -------------------------------------------------------------------------------------------------------


def test_the_same_files_again_change_nothing(place: Place) -> None:
    first = place.take(*ALL)
    before = place.bodies()
    again = place.take(*ALL)
    assert place.bodies() == before and len(before) == first.accepted
    assert (again.accepted, again.already, again.records) == (0, first.accepted, first.records)


def test_a_workspace_has_its_own_ids(places: Callable[[str], Place]) -> None:
    """Who knows a conversation but for a number in it cannot try numbers until the id fits."""
    one, two = places("one"), places("two")
    for place in (one, two):
        place.take(ALL[0])
    assert not one.bodies().keys() & two.bodies().keys()
    assert (one.home / "ingest.key").stat().st_mode & 0o077 == 0


def test_what_is_read_last_counts(place: Place) -> None:
    place.take(place.write("a.jsonl", chat("hi")))
    place.take(place.write("b.jsonl", chat("hi", outcome="failure")))
    assert [(one.outcome, Path(one.source).name) for one in place.stored()] == [("failure", "b.jsonl:1")]


def test_an_outcome_is_not_forgotten_because_a_later_copy_does_not_say_it(place: Place) -> None:
    place.take(
        place.write("a.jsonl", chat("hi", outcome="success"), chat("ho"), chat("ho", outcome="failure"), chat("ho"))
    )
    again = place.take(place.write("b.jsonl", chat("hi")))
    assert sorted(one.outcome for one in place.stored()) == ["failure", "success"]
    assert again.outcomes == {"success": 1}


def test_new_rules_replace_what_was_stored_under_old_ones(place: Place) -> None:
    file = place.write("a.jsonl", chat("room 12 please"))
    place.take(file)
    rules = place.write("rules.yaml", "room: 'room \\d+'")
    place.take(file, rules=rules)
    assert "[ROOM 1] please" in str(place.stored()[0].items) and len(place.stored()) == 1


def test_a_killed_ingest_run_again_ends_in_the_same_store(places: Callable[[str], Place], tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text("".join(chat(f"request {n} of a@example.com") + "\n" for n in range(4000)) + "{bad\n")
    killed, whole = places("killed"), places("whole")
    (whole.home / "ingest.key").write_bytes(b"k" * 32)
    (killed.home / "ingest.key").write_bytes(b"k" * 32)
    whole.take(file)
    command = [sys.executable, "-m", "verigym.cli.main", "ingest", str(file), "--home", str(killed.home)]
    kills = 0
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 600
        before = len(killed.bodies())
        while process.poll() is None and len(killed.bodies()) <= before and time.monotonic() < deadline:
            time.sleep(0.01)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
    assert kills, "it was never caught at work"
    killed.take(file)
    assert killed.bodies() == whole.bodies() and len(whole.bodies()) == 4000
    assert quarantine(killed) == quarantine(whole) and len(quarantine(whole)) == 1


def test_two_at_once_into_one_run_are_refused(place: Place) -> None:
    with place.store.claim("traces-ingested"), pytest.raises(Refused, match="Another process"):
        place.take(ALL[0])


# -- what cannot be read ----------------------------------------------------------------------------------------------------


def test_a_bad_line_is_set_aside_with_its_number_and_the_reason_and_the_rest_goes_in(place: Place) -> None:
    good = chat("fine")
    bad = [
        '{"a": ',
        '{"what": "is this"}',
        "",
        '{"messages": [{"role": "wizard", "content": "x"}]}',
        '{"messages": []}',
    ]
    summary = place.take(place.write("mixed.jsonl", good, *bad, chat("fine too"), b"\xff\xfe", "[]"))
    assert (summary.accepted, summary.quarantined, summary.records) == (2, 6, 8)
    found = {entry.line: entry.reason for entry in quarantine(place)}
    assert list(found) == ["2", "3", "5", "6", "8", "9"]
    assert found["2"].startswith("not JSON") and found["3"].startswith("unknown format: the fields are what. Write")
    assert found["5"] == "message 1: the role 'wizard' is unknown" and found["9"] == "an empty list"
    assert summary.reasons["message …: the role … is unknown"] == 1


def test_quarantine_is_redacted_too(place: Place) -> None:
    place.take(place.write("a.jsonl", '{"who": "a@example.com"}', 'junk {"to": "b@example.com'))
    assert "example.com" not in (place.home / "quarantine" / "ingested.jsonl").read_text()
    assert quarantine(place)[1].text == 'junk {"to": "[EMAIL 1]'


def test_quarantine_of_a_file_is_replaced_when_it_is_read_again_and_that_of_others_stays(place: Place) -> None:
    one, two = place.write("one.jsonl", "{bad"), place.write("two.jsonl", "{worse")
    place.take(one)
    place.take(two)
    place.take(one)
    assert sorted(Path(entry.file).name for entry in quarantine(place)) == ["one.jsonl", "two.jsonl"]
    place.write("one.jsonl", chat("mended"))
    place.take(one)
    assert [Path(entry.file).name for entry in quarantine(place)] == ["two.jsonl"]
    place.write("two.jsonl", chat("mended too"))
    assert place.take(two).quarantine == "" and not (place.home / "quarantine" / "ingested.jsonl").exists()


def test_what_came_by_standard_input_stays_in_quarantine(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("{one", "{two", "{one"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode()))))
        place.take("-")
    assert sorted(entry.text for entry in quarantine(place)) == ["{one", "{two"]


def test_a_line_that_is_cut_off_takes_no_other_with_it(place: Place) -> None:
    cut = chat("cut off")[:-5]
    summary = place.take(place.write("a.jsonl", chat("one"), cut, chat("two"), cut))
    assert (summary.accepted, summary.quarantined) == (2, 2)
    assert [entry.line for entry in quarantine(place)] == ["2", "4"]


def test_values_over_several_lines_are_read_with_the_number_of_their_first(place: Place) -> None:
    spread = json.dumps(json.loads(chat("over } many [ lines")), indent=2)
    summary = place.take(place.write("a.json", spread, spread.replace("many", "more"), chat("one line")))
    assert summary.accepted == 3 and summary.quarantined == 0
    assert place.stored()[0].source.endswith(":1")


def test_a_list_of_conversations_is_each_of_them(place: Place) -> None:
    both = f"[{chat('one')}, {chat('two')}, 5]"
    summary = place.take(place.write("a.json", both))
    assert (summary.accepted, summary.quarantined) == (2, 1)
    assert [one.source.rpartition(":")[2] for one in place.stored()] == ["1[0]", "1[1]"]


def test_a_line_that_is_too_long_is_passed_over(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_files, "LONGEST", 10_000)
    summary = place.take(place.write("a.jsonl", chat("x" * 50_000), chat("short"), chat("y" * 9_000)))
    assert (summary.accepted, summary.quarantined) == (2, 1)


def test_broken_escapes_and_numbers_that_json_has_not_are_mended(place: Place) -> None:
    odd = '{"messages": [{"role": "user", "content": "half \\ud83d"}, {"role": "assistant", "content": "ok"}], "cost": NaN}'
    assert place.take(place.write("a.jsonl", odd)).accepted == 1
    assert "half �" in str(place.stored()[0].items)


def test_a_folder_is_said_and_the_others_read(place: Place) -> None:
    summary = place.take(place.home, place.write("a.jsonl", chat("hi")))
    assert (summary.accepted, summary.quarantined) == (1, 1)
    assert "the file cannot be read: Is a directory" in summary.reasons


def test_a_conversation_that_half_the_log_names_is_none(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["verigym.traces.ingest"], "_MOST", 3)
    rows = [json.dumps({"conversation_id": "default", "role": "user", "content": str(n)}) for n in range(4)]
    summary = place.take(place.write("a.jsonl", *rows, chat("fine")))
    assert (summary.accepted, summary.quarantined) == (1, 4)


def test_a_full_disk_is_said_and_what_was_kept_before_stays(place: Place) -> None:
    place.take(place.write("a.jsonl", "{bad"))
    kept = (place.home / "quarantine" / "ingested.jsonl").read_bytes()
    (place.home / "quarantine" / "ingested.new").symlink_to("/dev/full")
    with pytest.raises(
        InfrastructureFailure, match=r"could not be written \(No space left on device\)\. Stored traces are kept"
    ):
        place.take(place.write("b.jsonl", "{bad", chat("fine")))
    assert (place.home / "quarantine" / "ingested.jsonl").read_bytes() == kept
    assert len(place.stored()) == 1
    assert place.take(place.home / "b.jsonl").quarantined == 1


# -- ways in --------------------------------------------------------------------------------------------------------------


def test_gzip_is_read_and_one_that_breaks_off_gives_what_it_has(place: Place) -> None:
    body = gzip.compress("".join(chat(f"{n} {os.urandom(400).hex()}") + "\n" for n in range(500)).encode())
    (place.home / "a.gz").write_bytes(body)
    (place.home / "cut.gz").write_bytes(body[: len(body) // 2])
    assert place.take(place.home / "a.gz").accepted == 500
    cut = place.take(place.home / "cut.gz", name="cut")
    assert 50 < cut.accepted < 500 and "truncated" in " ".join(cut.reasons)


@pytest.mark.parametrize("way", ["file", "-"])
def test_an_inspect_log_is_read_out_of_its_zip(way: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place.home / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("summaries.json", "[]")
        for n, line in enumerate((GOLDEN / "inspect.jsonl").read_text().splitlines()):
            archive.writestr(f"samples/q{n}_epoch_1.json", line)
        archive.writestr("samples/bad.json", "{")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(path.read_bytes()))))
    summary = place.take(path if way == "file" else "-")
    assert (summary.accepted, summary.quarantined) == (2, 1) and summary.formats["inspect"] == 2
    assert {one.source.rpartition(":")[2] for one in place.stored()} == {f"samples/q{n}_epoch_1.json" for n in (0, 1)}


@pytest.mark.parametrize(
    "body", [b"PK", b"PK\x03\x04" + b"junk" * 20, b"\x1f\x8bjunk", b"\x1f\x8b", b"\xef\xbb\xbf{"], ids=str
)
def test_a_file_that_only_begins_like_one_is_set_aside(body: bytes, place: Place) -> None:
    (place.home / "a").write_bytes(body)
    summary = place.take(place.home / "a")
    assert (summary.records, summary.quarantined) == (1, 1)


def test_a_mark_of_byte_order_is_no_part_of_the_first_line(place: Place) -> None:
    assert place.take(place.write("a.jsonl", b"\xef\xbb\xbf" + chat("hi").encode())).accepted == 1


def test_a_zip_without_samples_is_no_log(place: Place) -> None:
    with zipfile.ZipFile(place.home / "a.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert "the ZIP has no samples" in next(iter(place.take(place.home / "a.zip").reasons))


def test_a_name_or_format_that_cannot_be_is_refused(place: Place) -> None:
    for name in ("a/b", "", "served-2026-01-01", "../x"):
        with pytest.raises(BadInput, match="is not a valid name for traces"):
            place.take(ALL[0], name=name)
    with pytest.raises(NotFound, match='Did you mean "chat"'):
        place.take(ALL[0], format="chatt")
    assert place.store.runs() == []


# -- secrets ----------------------------------------------------------------------------------------------------------------


SECRETS = ["dora@example.com", "hunter2hunter2", "4111 1111 1111 1111", "sk-proj-abcDEF123456789012345678"]


def test_no_secret_reaches_the_disk(place: Place) -> None:
    said = " and ".join(["password=hunter2hunter2", *SECRETS])
    call = {
        "id": "c",
        "function": {"name": "f", "arguments": json.dumps({"to": SECRETS[0], "password": "hunter2hunter2"})},
    }
    row = {
        "messages": [{"role": "user", "content": said}, {"role": "assistant", "tool_calls": [call]}],
        "tools": [{"name": "f", "description": f"ask {SECRETS[0]}"}],
        "interventions": [said],
    }
    logged = {
        "request": {"messages": [{"role": "user", "content": said}]},
        "response": {
            "choices": [
                {"message": {"content": "ok"}, "logprobs": {"content": [{"token": "do"}, {"token": "ra@example.com"}]}}
            ]
        },
        "chunks": [{"delta": "do"}, {"delta": "ra@example.com"}],
    }
    bad = {"messages": [{"role": "wizard", "content": said}]}
    summary = place.take(place.write("in.jsonl", *map(json.dumps, (row, logged, bad))), keep_raw=True)
    assert (summary.accepted, summary.quarantined) == (2, 1)
    (place.home / "in.jsonl").unlink()
    place.store.close()
    for path in place.home.rglob("*"):
        if path.is_file():
            body = path.read_bytes()
            assert not [secret for secret in [*SECRETS, "ra@example.com"] if secret.encode() in body], path
    raw = [json.loads(line) for line in Path(summary.raw).read_text().splitlines()]
    assert [entry["line"] for entry in raw] == ["1", "2"] and "[EMAIL 1]" in raw[0]["text"]
    assert "logprobs" not in raw[1]["text"] and "chunks" not in raw[1]["text"]
    assert summary.redactions["email"] == 5  # in trajectories and tools; copies beside them do not count


def test_raw_input_is_kept_only_on_request(place: Place) -> None:
    assert place.take(ALL[0]).raw == "" and not (place.home / "raw").exists()


def test_a_rule_that_takes_too_long_keeps_the_trace_out(place: Place) -> None:
    rules = place.write("rules.yaml", "odd: '(?:z|zz)+y'")
    summary = place.take(place.write("a.jsonl", chat("z" * 400), chat("fine")), rules=rules)
    assert (summary.accepted, summary.quarantined) == (1, 1)
    assert 'the redaction rule "odd" took longer' in quarantine(place)[0].reason
    assert "zzz" not in quarantine(place)[0].text


# -- fuzz -------------------------------------------------------------------------------------------------------------------


def fuzzed(place: Place, count: int, seed: int) -> None:
    file = place.write("fuzz.jsonl", *fuzz.lines(count, seed))
    summary = place.take(file)
    assert summary.records >= count * 0.95  # blank lines are none; a list is more than one
    assert summary.records == summary.taken + summary.quarantined == sum(summary.formats.values())
    assert summary.quarantined == len(quarantine(place)) == sum(summary.reasons.values())
    assert not [reason for reason in summary.reasons if "failed:" in reason]
    stored = place.bodies()
    assert len(stored) == summary.accepted and summary.accepted > count / 50
    assert not [one.id for one in stored.values() if one.error and "could not be written" in one.error.message]
    again = place.take(file)
    assert (again.accepted, again.records, again.quarantined) == (0, summary.records, summary.quarantined)
    assert place.bodies() == stored


@pytest.mark.parametrize("seed", [0])
def test_5000_fuzzed_lines_are_in_or_in_quarantine(seed: int, place: Place) -> None:
    fuzzed(place, 5000, seed)


@pytest.mark.slow
@pytest.mark.timeout(1000)
def test_100000_fuzzed_lines_are_in_or_in_quarantine(place: Place) -> None:
    fuzzed(place, 100_000, 1)


def test_a_progress_bar_is_told_how_far_it_is(place: Place) -> None:
    seen: list[tuple[int, int]] = []
    file = place.write("a.jsonl", *(chat(str(n)) for n in range(1200)))
    ingest(
        place.store,
        place.home,
        [str(file)],
        Redaction.load(),
        on_progress=lambda done, total: seen.append((done, total)),
    )
    assert len(seen) == 2 and all(0 < done <= total == file.stat().st_size for done, total in seen)
