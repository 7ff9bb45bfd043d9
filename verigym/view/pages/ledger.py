"""Ledger: every decision with who, when, why, and the champion before and after. The chain of hashes is verified on opening."""

from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import Version
from verigym.core.words import counted
from verigym.view.chain import ChainState, chain
from verigym.view.heads import EntryHead, VersionLink, version_link
from verigym.view.page import Page, PageData, Query, typed, url
from verigym.view.read import Reader

_PAGE = 50


class LedgerRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    seq: int
    href: str = ""
    kind: str = ""
    verdict: str = ""
    candidate: VersionLink | None = None
    before: VersionLink | None = None
    after: VersionLink | None = None
    moved: bool = False
    who: str = ""
    when: str = ""
    why: str = ""
    hash: str = ""
    broken: bool = False
    """Whether it cannot be read, or is the first that is not intact."""


class LedgerPage(PageData, frozen=True, kw_only=True):
    rows: list[LedgerRow]
    chain: ChainState
    words: str
    """Whether the chain is sound, in words."""
    expect: str = ""
    """The command that proves later that no entry was removed."""
    before: str = ""
    after: str = ""


def ledger_page(reader: Reader, query: Query) -> LedgerPage:
    start = query.number("before", 0)
    sql = "SELECT seq, body FROM ledger WHERE seq < ? ORDER BY seq DESC LIMIT ?"
    stored = reader.rows(sql, start or 2**62, _PAGE)
    state = chain(reader)
    known = reader.versions()
    rows = [_row(reader, seq, body, state, known) for seq, body in stored]
    newer = start and (reader.one("SELECT count(*) FROM (SELECT 1 FROM ledger WHERE seq >= ? LIMIT 1)", start) or 0)
    return LedgerPage(
        title="Ledger",
        command="verigym models ledger",
        rows=rows,
        chain=state,
        words=chain_words(state),
        expect=typed("models", "check-integrity", "--expect", state.hash) if state.complete and state.hash else "",
        after=url("/ledger", before=rows[-1].seq) if rows and rows[-1].seq > 1 else "",
        before=url("/ledger", before=start + _PAGE if start + _PAGE <= state.total else None) if newer else "",
        live="home",
        empty=""
        if rows
        else "The ledger is empty. Every decision about a version is an entry, and no entry ever changes.",
        fill=[] if rows else ["verigym promote VERSION", "verigym gate VERSION"],
    )


def chain_words(state: ChainState) -> str:
    """`3 entries, chain sound`"""
    if state.broken:
        return state.reason
    if state.complete:
        return f"{counted(state.total, 'entry')}, chain sound"
    return f"{state.verified:,} of {counted(state.total, 'entry')} verified, sound so far. Load the page again to see the rest"


class _Hashed(EntryHead, frozen=True, kw_only=True):
    hash: str = ""


def _row(reader: Reader, seq: int, body: bytes, state: ChainState, known: dict[str, Version]) -> LedgerRow:
    try:
        entry = codec.decode(body, _Hashed)
    except BadInput:
        return LedgerRow(seq=seq, broken=True, why="This entry cannot be read.")
    decision = entry.decision
    return LedgerRow(
        seq=seq,
        href=url("/gate/", str(seq)),
        kind=decision.kind,
        verdict=decision.verdict,
        candidate=version_link(reader, decision.candidate, known),
        before=version_link(reader, entry.champion_before, known) if entry.champion_before else None,
        after=version_link(reader, entry.champion_after, known) if entry.champion_after else None,
        moved=entry.moved,
        who=entry.who,
        when=entry.when,
        why=entry.why,
        hash=entry.hash,
        broken=seq == state.broken,
    )


PAGES = [Page("/ledger", ledger_page, "ledger.html", "ledger")]
