"""What `models verify` finds: everything that was damaged or changed is named, and nothing that was not."""

import contextlib
import os
import random
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.registry.kept import Kept, report
from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import Decision, Version, content_hash
from verigym.registry import integrity
from verigym.registry.integrity import ADAPTER_FILE, CONFIG_FILE, check_integrity
from verigym.registry.ledger import LedgerEntry, entries
from verigym.registry.versions import register
from verigym.store.database import Store


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_what_nobody_touched_is_sound(kept: Kept):
    found = kept.found()
    assert kept.damaged() == []
    assert [one.what for one in found] == ["ledger", "version", "version", "adapter", "recipe", "report", "data"]
    assert found[0].id == kept.last and f"last hash {kept.last}" in found[0].words


def test_an_empty_store_is_sound(tmp_path: Path):
    assert [one.words for one in check_integrity(Store(tmp_path / "store.db"), tmp_path)] == ["no entries yet"]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


DAMAGE: dict[str, tuple[Callable[[Kept], object], str]] = {
    "weights cut off": (
        lambda kept: cut(kept.adapter / ADAPTER_FILE),
        r"adapter: .*adapter_model.safetensors was truncated: \d+ of \d+ bytes. Restore it, or train tuned again",
    ),
    "no weights": (lambda kept: (kept.adapter / ADAPTER_FILE).unlink(), "adapter: .*safetensors is missing"),
    "empty weights": (
        lambda kept: (kept.adapter / ADAPTER_FILE).write_bytes(b""),
        "adapter: .* was changed: its header cannot be read .0 bytes",
    ),
    "a head that is too long": (
        lambda kept: (kept.adapter / ADAPTER_FILE).write_bytes(b"\xff" * 80),
        "adapter: .* was changed: its header cannot be read .80 bytes",
    ),
    "more weights": (
        lambda kept: (kept.adapter / ADAPTER_FILE).write_bytes(kept.weights + b"x"),
        "adapter: .* was changed: its bytes have another hash",
    ),
    "another scale": (
        lambda kept: (kept.adapter / CONFIG_FILE).write_text('{"r": 2, "lora_alpha": 400}'),
        "adapter: .*adapter_config.json was changed: it holds the rank and scale",
    ),
    "no settings": (lambda kept: (kept.adapter / CONFIG_FILE).unlink(), "adapter: .*adapter_config.json is missing"),
    "data changed": (lambda kept: kept.data.write_bytes(b"other\n"), "data: .*jsonl was changed"),
    "data gone": (
        lambda kept: kept.data.unlink(),
        r"data: .*jsonl is missing. Restore it, or make it again \(a test\)",
    ),
    "a report that says more": (
        lambda kept: kept.rewrite("report", kept.report.id, b'"reward":1.0', b'"reward":9.0'),
        "report: its figures or results were changed",
    ),
    "a report that cannot be read": (
        lambda kept: kept.rewrite("report", kept.report.id, b"{", b"["),
        "report: cannot be read",
    ),
    "another adapter in a version": (
        lambda kept: kept.rewrite("version", kept.tuned.id, kept.tuned.adapter[:8].encode(), b"00000000"),
        "version: its behaviour fields were changed: its content has the id [0-9a-f]{12}",
    ),
    "another prompt in a version": (
        lambda kept: kept.rewrite("version", kept.base.id, b'"base":"tiny"', b'"base":"tiny","system_prompt":"lie"'),
        "version: its behaviour fields were changed",
    ),
    "families hidden": (
        lambda kept: kept.rewrite("version", kept.tuned.id, b'"families":["a"]', b'"families":["b"]'),
        "version: its provenance was changed",
    ),
    "another parent": (
        lambda kept: kept.rewrite("version", kept.tuned.id, kept.base.id.encode(), b"000000000000"),
        "version: its provenance was changed",
    ),
    "a version that cannot be read": (
        lambda kept: kept.rewrite("version", kept.base.id, b"{", b"[[[["),
        "version: cannot be read",
    ),
    "a version that is gone": (
        lambda kept: kept.sql("DELETE FROM documents WHERE kind = 'version' AND id = ?", kept.base.id),
        "ledger: entry 1 names version [0-9a-f]{12}, which is no longer in the store",
    ),
    "a report that is gone": (
        lambda kept: kept.sql("DELETE FROM documents WHERE kind = 'report'"),
        "ledger: entry 2 names report [0-9a-f]{12}, which is no longer in the store",
    ),
    "the run is gone": (lambda kept: kept.sql("DELETE FROM runs"), r"recipe: .*run sft-\w+, which made it, is not in"),
    "the run's settings": (
        lambda kept: kept.sql("UPDATE runs SET config = replace(config, '\"seed\":0', '\"seed\":1')"),
        r"recipe: .*the settings of run sft-\w+ were changed",
    ),
    "the data set is gone": (
        lambda kept: kept.sql("DELETE FROM documents WHERE kind = 'dataset'"),
        "recipe: .*its dataset [0-9a-f]{12} is not in the store",
    ),
    "a decision changed": (
        lambda kept: kept.sql("UPDATE ledger SET body = replace(body, 'PROMOTE', 'REJECT') WHERE seq = 2"),
        "ledger: Ledger entry 2 does not match its own hash",
    ),
    "a decision removed": (
        lambda kept: kept.sql("DELETE FROM ledger WHERE seq = 2"),
        "ledger: Ledger entry 2 does not follow the previous entry",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named(kept: Kept, name: str):
    damage, words = DAMAGE[name]
    damage(kept)
    found = kept.damaged()
    assert re.match(words, found[0]), found


def test_every_flipped_bit_of_the_weights_is_found(kept: Kept):
    path = kept.adapter / ADAPTER_FILE
    for place in random.Random(0).sample(range(8 * len(kept.weights)), 60):
        changed = bytearray(kept.weights)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        (words,) = kept.damaged()
        assert words.startswith("adapter: ") and "was c" in words
    path.write_bytes(kept.weights)
    assert kept.damaged() == []


def test_a_recipe_changed_with_its_seal_is_found_by_its_run(kept: Kept):
    forged = msgspec.structs.replace(kept.tuned, recipe={**kept.tuned.recipe, "seed": 7}, seal="")
    forged = msgspec.structs.replace(forged, seal=content_hash(forged))
    body = codec.encode(forged)
    kept.sql("UPDATE documents SET body = ? WHERE kind = 'version' AND id = ?", body, kept.tuned.id)
    seal, recipe = kept.damaged()
    assert "holds another seal of version" in seal and "it is not the recipe of run sft-" in recipe


def test_data_swapped_with_the_seal_is_found_by_the_run(kept: Kept):
    forged = msgspec.structs.replace(kept.tuned, data_hash="0" * 64, seal="")
    forged = msgspec.structs.replace(forged, seal=content_hash(forged))
    kept.sql("UPDATE documents SET body = ? WHERE kind = 'version' AND id = ?", codec.encode(forged), kept.tuned.id)
    seal, data = kept.damaged()
    assert "holds another seal of version" in seal and "used other data" in data


def test_a_forged_report_with_a_hash_of_its_own_is_missed_by_the_ledger(kept: Kept):
    forged = report(kept.tuned.id, passed=False)
    kept.sql("UPDATE documents SET id = ?, body = ? WHERE kind = 'report'", forged.id, codec.encode(forged))
    assert kept.damaged() == [
        f"ledger: entry 2 names report {kept.report.id}, which is no longer in the store. "
        "Restore the store from a backup"
    ]


def test_a_tail_cut_off_is_found_only_by_a_hash_that_was_kept(kept: Kept):
    noted = kept.last
    assert kept.damaged(expect=noted) == [] == kept.damaged(expect=noted[:8].upper())
    earlier = entries(kept.store)[0].hash
    assert any("is that of entry 1 of 3" in one.words for one in kept.found(expect=earlier))
    kept.sql("DELETE FROM ledger WHERE seq = 3")
    assert kept.damaged() == []
    assert kept.damaged(expect=noted)[0].startswith(f"ledger: No entry has the hash {noted[:12]}. Entries were removed")
    assert kept.damaged(expect=earlier) == []


def test_a_stored_hash_detects_a_rewritten_ledger(kept: Kept):
    known = entries(kept.store)
    prev = known[0].hash
    for entry in known[1:]:
        forged: LedgerEntry = msgspec.structs.replace(entry, who="mallory", prev=prev, hash="")
        forged = msgspec.structs.replace(forged, hash=content_hash(forged))
        kept.sql("UPDATE ledger SET body = ? WHERE seq = ?", codec.encode(forged), entry.seq)
        prev = forged.hash
    assert kept.damaged() == [] and len(kept.damaged(expect=kept.last)) == 1


@pytest.mark.parametrize("text", ["abc", "not a hash at all", "0123456"])
def test_a_hash_to_expect_that_is_none_is_refused(kept: Kept, text: str):
    with pytest.raises(BadInput, match="at least 8 digits"):
        kept.found(expect=text)


def test_one_version_is_looked_at_alone(kept: Kept):
    register(kept.store, Version(base="tiny", system_prompt="short", name="short"))
    kept.data.unlink()
    assert kept.damaged(only=kept.base) == []
    assert [one.what for one in kept.found(only=kept.base)] == ["ledger", "version"]
    assert [one.split(":")[0] for one in kept.damaged(only=kept.tuned)] == ["data"]
    assert [one.what for one in kept.found(only=kept.tuned)] == [
        "ledger",
        "version",
        "adapter",
        "recipe",
        "report",
        "data",
    ]


def test_a_version_older_than_seals_is_sound_and_says_what_is_not_covered(kept: Kept):
    other = register(kept.store, Version(base="old", name="old"))  # no entry of the ledger names it
    old = msgspec.structs.replace(other, seal="", made="", software={})
    body = codec.encode(old).replace(b'"schema":2', b'"schema":1')
    kept.sql("UPDATE documents SET body = ?, created = 1 WHERE kind = 'version' AND id = ?", body, other.id)
    assert kept.damaged() == []
    assert any("its provenance is too old to check" in one.words for one in kept.found())


@pytest.mark.parametrize("schema", [2, 1])
def test_a_seal_cannot_be_removed(kept: Kept, schema: int):
    stripped = msgspec.structs.replace(kept.tuned, seal="", families=[])
    body = codec.encode(stripped).replace(b'"schema":2', b'"schema":%d' % schema)
    kept.sql("UPDATE documents SET body = ? WHERE kind = 'version' AND id = ?", body, kept.tuned.id)
    damaged = kept.damaged()
    assert any("holds another seal of version" in words for words in damaged)
    assert any("its seal was removed" in words for words in damaged)


@pytest.mark.parametrize("fields", [{}, {"made": "", "software": {}}], ids=["as it is", "as an old one"])
@pytest.mark.parametrize("schema", [2, 1])
def test_a_version_that_no_entry_names_is_damaged_without_its_seal(kept: Kept, schema: int, fields: dict[str, Any]):
    other = register(kept.store, Version(base="other", families=["a"]))
    body = codec.encode(msgspec.structs.replace(other, seal="", families=[], **fields))
    body = body.replace(b'"schema":2', b'"schema":%d' % schema)
    kept.sql("UPDATE documents SET body = ? WHERE kind = 'version' AND id = ?", body, other.id)
    assert [words for words in kept.damaged() if "its seal was removed" in words]


def test_the_only_version_of_a_store_is_damaged_without_its_seal(tmp_path: Path):
    with contextlib.closing(Store(tmp_path / "store.db")) as store:
        only = register(store, Version(base="only"))
    body = codec.encode(msgspec.structs.replace(only, seal="")).replace(b'"schema":2', b'"schema":1')
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("UPDATE documents SET body = ?", (body,))
    checks = check_integrity(Store(tmp_path / "store.db"), tmp_path)
    assert [check.sound for check in checks if check.what == "version"] == [False]


def test_seals_in_decisions_keep_the_bytes_of_entries_without_them():
    decision = Decision(candidate="a", champion="b", verdict="REJECT")
    assert b"seals" not in codec.encode(decision)


def test_a_damaged_database_file_is_said_in_one_line(kept: Kept):
    kept.store.close()
    path = kept.home / "store.db"
    whole = bytearray(path.read_bytes())
    for place in range(4096, len(whole), 512):
        whole[place : place + 64] = b"\xff" * 64
    path.write_bytes(whole)
    only = kept.found()[0]
    assert only.what == "store" and not only.sound and "store.db is damaged" in only.words


def test_a_remembered_hash_is_that_of_the_file_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, hashes, read = tmp_path / "weights", integrity.RememberedHashes(), list[Path]()
    slow = integrity.sha256_of

    def counted(path: Path) -> str:
        read.append(path)
        return slow(path)

    monkeypatch.setattr(integrity, "sha256_of", counted)
    path.write_bytes(b"one")
    assert [hashes.sha256_of(path) for _ in range(2)] == [slow(path)] * 2
    assert len(read) == 2, "a file that was just written could be written again at the same time"
    monkeypatch.setattr(integrity, "_CLOCK_NS", -(10**18))
    assert [hashes.sha256_of(path) for _ in range(3)] == [slow(path)] * 3
    assert len(read) == 3, "it is read once and then remembered"
    old = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))  # the size and the time of the last change are the same
    assert hashes.sha256_of(path) == slow(path) and len(read) == 4
    path.unlink()
    with pytest.raises(FileNotFoundError):
        hashes.sha256_of(path)
