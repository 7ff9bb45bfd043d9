"""Loops: each round with its steps, every step a link, and success round by round.

The recipe of a loop and its budget are in a file of the user and not in the store, so the page shows what was spent.
"""

import re
from typing import Any

from msgspec import Struct

from verigym.core.errors import not_found
from verigym.core.records import Estimate
from verigym.core.words import counted, with_interval
from verigym.draw.lines import lines
from verigym.draw.svg import Drawing
from verigym.flywheel.rounds import Round, rounds_of
from verigym.view.page import Link, Page, PageData, Query, url
from verigym.view.read import Reader, run_state


class LoopRow(Struct, frozen=True, kw_only=True):
    id: str
    href: str
    state: str
    rounds: int
    verdicts: list[str]
    champion: str
    """The label of the champion after the last round."""
    before: float | None
    """Success of the champion in the first round."""
    after: float | None
    """Success of the champion after the last round."""
    seconds: float
    dollars: float


class LoopsPage(PageData, frozen=True, kw_only=True):
    rows: list[LoopRow]


class StepLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step of a round."""

    name: str
    words: str
    links: list[Link] = []


class RoundCard(Struct, frozen=True, kw_only=True, omit_defaults=True):
    number: int
    verdict: str
    """Empty if the gate was not asked."""
    steps: list[StepLine]
    is_over: bool
    why: str = ""
    """Why no round follows."""
    seconds: float = 0.0
    dollars: float = 0.0


class SuccessPoint(Struct, frozen=True):
    round: int
    champion: Estimate | None
    candidate: Estimate | None


class LoopPage(PageData, frozen=True, kw_only=True):
    id: str
    state: str
    rounds: list[RoundCard]
    """The newest first."""
    success: list[SuccessPoint]
    seconds: float
    dollars: float
    promoted: int
    ended: str

    @property
    def picture(self) -> Drawing:
        bands = {
            name: {
                float(point.round): (one.value, one.low, one.high)
                for point in self.success
                if (one := getattr(point, name)) is not None
            }
            for name in ("champion", "candidate")
        }
        known = {name: band for name, band in bands.items() if band}
        return lines({}, bands=known, x="round", bands_y="held-out success", width=640, height=260)


def loops_page(reader: Reader, query: Query) -> LoopsPage:
    rows = [_row(reader, id) for id in reversed(_loop_ids(reader))]
    return LoopsPage(
        title="Loops",
        command="verigym loop status RECIPE.yaml" if rows else "",
        rows=rows,
        empty=""
        if rows
        else "No loop ran in this workspace yet. A loop mines, measures, fixes and gates round after round.",
        fill=[] if rows else ["verigym loop run LOOP.yaml"],
        live="runs",
    )


def loop_page(reader: Reader, query: Query) -> LoopPage:
    id = query.path["id"]
    if id not in (known := _loop_ids(reader)):
        raise not_found("loop", id, known, "Run one: verigym loop run LOOP.yaml")
    rounds = rounds_of(reader.folder, id)
    state = _state(reader, id, rounds)
    seconds, spent = _spent(reader, id)
    last = rounds[-1].over if rounds else None
    decided = _decisions(reader, id)
    return LoopPage(
        title=f"Loop {id}",
        command="verigym loop status RECIPE.yaml",
        crumbs=[Link("Loops", url("/loops"))],
        id=id,
        state=state,
        rounds=[_card(reader, one, decided) for one in reversed(rounds)],
        success=[SuccessPoint(one.number, *_success(one)) for one in rounds],
        seconds=seconds,
        dollars=spent,
        promoted=sum(one.verdict == "PROMOTE" for one in rounds),
        ended=last.why if last else "",
        live=f"loop:{id}" if state != "finished" else "",
    )


def _loop_ids(reader: Reader) -> list[str]:
    """Loops, the one that was begun first first."""

    def read() -> list[str]:
        rows = reader.rows("SELECT id FROM documents WHERE kind = 'round' ORDER BY rowid")
        return list(dict.fromkeys(id.rsplit("/", 2)[0] for (id,) in rows if id.count("/") >= 2))

    return reader.kept("loops", reader.state_of("round"), read)


def _state(reader: Reader, id: str, rounds: list[Round]) -> str:
    alive = run_state(reader.home, f"loop {id}", None)
    if alive == "running":
        return alive
    return "finished" if rounds and rounds[-1].over is not None else alive


def _row(reader: Reader, id: str) -> LoopRow:
    rounds = rounds_of(reader.folder, id)
    seconds, spent = _spent(reader, id)
    first = next((one.before.success.value for one in rounds if one.before), None)
    champion = next((one.over.champion for one in reversed(rounds) if one.over), "")
    return LoopRow(
        id=id,
        href=url("/loops/", id),
        state=_state(reader, id, rounds),
        rounds=len(rounds),
        verdicts=[one.verdict for one in rounds if one.verdict],
        champion=reader.label(champion) if champion else "",
        before=first,
        after=_last_success(rounds),
        seconds=seconds,
        dollars=spent,
    )


def _last_success(rounds: list[Round]) -> float | None:
    """Success of the version that is champion after the last measured round."""
    for one in reversed(rounds):
        champion, candidate = _success(one)
        if one.verdict == "PROMOTE" and candidate is not None:
            return candidate.value
        if champion is not None:
            return champion.value
    return None


def _success(one: Round) -> tuple[Estimate | None, Estimate | None]:
    """Success of champion and candidate, as the gate saw it where it was asked."""
    before = one.decided.before if one.decided and one.decided.before else one.before.success if one.before else None
    after = one.decided.after if one.decided and one.decided.after else one.after.success if one.after else None
    return before, after


def _spent(reader: Reader, id: str) -> tuple[float, float]:
    rows = reader.rows("SELECT name, sum(value) FROM metrics WHERE run = ? GROUP BY name", f"loop/{id}")
    sums: dict[str, Any] = dict(rows)
    return float(sums.get("seconds") or 0.0), float(sums.get("dollars") or 0.0)


def _decisions(reader: Reader, id: str) -> dict[int, int]:
    """Round to the entry of the ledger that decided it."""
    reason = re.compile(rf"loop {re.escape(id)}, round (\d+)")
    found: dict[int, int] = {}
    for entry in reader.entries(n=1000):
        if match := reason.match(entry.why):
            found.setdefault(int(match[1]), entry.seq)
    return found


def _card(reader: Reader, one: Round, decided: dict[int, int]) -> RoundCard:
    return RoundCard(
        number=one.number,
        verdict=one.verdict,
        steps=_steps(reader, one, decided),
        is_over=one.over is not None,
        why=one.over.why if one.over else "",
        seconds=one.over.seconds if one.over else 0.0,
        dollars=one.over.dollars if one.over else 0.0,
    )


def _steps(reader: Reader, one: Round, decided: dict[int, int]) -> list[StepLine]:
    lines: list[StepLine] = []

    def add(name: str, words: str, *links: Link) -> None:
        if words or links:
            lines.append(StepLine(name=name, words=words, links=list(links)))

    if one.begun is not None:
        add("Champion", "", reader.version_link(one.begun.champion))
    if one.dug is not None:
        new = f"{one.dug.train} new to train on, {one.dug.held_out} held out"
        add("Mined", f"{one.dug.words}. {new}." if one.dug.words else f"{new}.", Link("Mined tasks", url("/mined")))
    if one.before is not None:
        said = f"{_rate(one.before.success)} on {counted(one.before.success.n, 'held-out task')}"
        add("Success", said, *_run_link(reader, one.before.run, "its episodes", "/runs/"))
        buckets = sorted(one.before.buckets.items(), key=lambda pair: -pair[1])
        failed = ", ".join(f"{name} {count}" for name, count in buckets)
        add("Failures", failed, *_run_link(reader, one.before.run, "why", "/failures/"))
    if one.chosen is not None:
        add("Advice", ", ".join(one.chosen.advice))
        add(
            "Tried",
            f"{one.chosen.fix or 'nothing'}: {one.chosen.why}" if one.chosen.why else one.chosen.fix or "nothing",
        )
    if one.made is not None:
        links = [reader.version_link(one.made.version)]
        if one.made.run:
            links += _run_link(reader, one.made.run, "its training", "/training/")
        add("Candidate", "", *links)
    if one.after is not None:
        add(
            "Candidate's success", _rate(one.after.success), *_run_link(reader, one.after.run, "its episodes", "/runs/")
        )
    if one.decided is not None:
        links = [Link("the decision", url("/gate/", str(decided[one.number])))] if one.number in decided else []
        if one.begun is not None and one.made is not None:
            links.append(Link("compare", url("/compare", a=one.begun.champion, b=one.made.version)))
        add("Decision", f"{one.decided.verdict or 'not decided'}. {one.decided.words}", *links)
    return lines


def _run_link(reader: Reader, run: str, words: str, path: str) -> list[Link]:
    return [Link(words, url(path, run))] if run and reader.store.has_run(run) else []


def _rate(estimate: Estimate) -> str:
    return with_interval(estimate.value, estimate.low, estimate.high)


PAGES = [
    Page("/loops", loops_page, "loops.html", "loops"),
    Page("/loops/{id:path}", loop_page, "loop.html", "loops"),
]
