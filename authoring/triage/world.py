"""Turns a case into a world: consistent names, times and facts, with some misleading ones.

A `Case` is an alert in several wordings with two or more `Ending`s, which differ only in what lookups show. The facts of the
ending are the proof, so the lookups that show them decide. All other facts are drawn and prove nothing: ordinary hosts and
people, an old alert of the same rule, changes on other hosts and at other hours. The verdict and the rules of the system prompt
determine what to contain.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from random import Random
from typing import NamedTuple

from verigym.core.records import Json
from verigym.environments.triage.verifier import CONTAINING, LOOKS, TARGET

CONTAINED_HOST = {"malware", "ransomware", "mining", "exploited_server"}
CONTAINED_USER = {"stolen_account", "data_theft"}


class Ending(NamedTuple):
    verdict: str
    proof: Mapping[str, str]
    """Facts by lookup: `processes`, `host`, `user`, `address`, `past`, `change`. `processes host2` is about another host.
    Each fact leads to the next."""
    beside: Mapping[str, str] = {}
    """Facts by lookup that prove nothing, such as the same work on another host or an exception that has expired."""
    where: str = "host"
    """The host to contain, if any."""
    who: str = "user"
    """The account to contain, if any."""


class Case(NamedTuple):
    name: str
    rule: str
    alerts: tuple[str, ...]
    """Wordings. All name the same hosts, accounts and addresses."""
    endings: tuple[Ending, ...]
    server: bool = False
    """The alert is about a server, not about an employee's computer."""


class Company(NamedTuple):
    """Names and ordinary facts of one split."""

    people: tuple[str, ...]
    jobs: tuple[str, ...]
    cities: tuple[str, ...]
    far: tuple[str, ...]
    """Places in other time zones."""
    laptop: str
    servers: tuple[str, ...]
    address: str
    """Prefix of addresses that are reserved for documentation."""
    files: tuple[str, ...]
    laptops_are: tuple[str, ...]
    servers_are: tuple[str, ...]
    critical: tuple[str, ...]
    people_are: tuple[str, ...]
    host_notes: tuple[str, ...]
    user_notes: tuple[str, ...]
    """Extra lines, so that an extra line alone proves nothing."""
    laptop_trees: tuple[str, ...]
    server_trees: tuple[str, ...]
    unknown: tuple[str, ...]
    """Reputations that require no action."""
    bad: tuple[str, ...]
    """Reputations that require a block of the address."""
    past: tuple[str, ...]
    """Old alerts. They prove nothing."""
    changes: tuple[str, ...]
    """Work on other hosts, or on this one at another time."""


class World(NamedTuple):
    prompt: str
    data: Json


def build(case: Case, ending: Ending, alert: str, company: Company, draw: Random) -> World:
    """Build the world of an ending. `alert` is one of the case's wordings."""
    names = _names(case, company, draw)

    def fill(text: str) -> str:
        return text.format_map(names)

    def one(texts: tuple[str, ...], owner: str = "user") -> str:
        others = [city for city in company.cities if city != names["city2"]]  # possible places of a business trip
        city = names["city"] if owner == "user" else draw.choice(others)
        own = {"user": names[owner], "job": draw.choice(company.jobs), "city": city}
        return draw.choice(texts).format_map({**names, **own})

    def notes(texts: tuple[str, ...]) -> str:
        return "".join(f"\n{fill(text)}" for text in draw.sample(texts, draw.randrange(3)))

    def work(text: str) -> str:
        return text.format_map({**names, "change": f"CHG-{draw.randrange(1000, 9999)}"})

    incident = ending.verdict in CONTAINED_HOST | CONTAINED_USER
    took_part = any("{address}" in text for text in (alert, *ending.proof.values()))
    given = {**ending.proof, **ending.beside}.get("address", "malicious" if draw.random() < 0.6 else "")
    bad = incident and took_part and given.startswith("malicious")
    critical = draw.random() < 0.25
    facts: Json = {"hosts": {}, "users": {}, "addresses": {}, "processes": {}}
    kind, trees = company.laptops_are, company.laptop_trees
    if case.server:
        kind, trees = company.servers_are, company.server_trees
    for key in ("host", "host2", "host3"):
        marked = f" {one(company.critical)}" if key == ending.where and critical else ""
        about = one(kind, key.replace("host", "user"))
        facts["hosts"][names[key]] = f"{names[key]}: {about}{marked}{notes(company.host_notes)}"
        facts["processes"][names[key]] = one(trees)
    for key in ("user", "user2", "user3"):
        facts["users"][names[key]] = f"{names[key]}: {one(company.people_are, key)}{notes(company.user_notes)}"
    for key in ("address", "address2"):
        facts["addresses"][names[key]] = one(company.bad if key == "address" and bad else company.unknown)
    facts["past"] = one(company.past)
    planned = [work(text) for text in draw.sample(company.changes, draw.randint(1, 3))]

    def show(place: str, text: str) -> list[str]:
        """Put a fact into the world and return the lookup that shows it."""
        kind, _, key = place.partition(" ")
        if kind == "change":
            planned.append(work(text))
            return ["changes.list", names["day"]]
        if kind == "past":
            facts["past"] += f"\n{fill(text)}"
            return ["alerts.search", ""]
        name = names[key or ("host" if kind == "processes" else kind)]
        if kind == "processes":
            facts["processes"][name] = fill(text)
            return ["processes.list", name]
        if kind == "address":
            facts["addresses"][name] = fill(text)
            return ["addresses.get", name]
        facts[f"{kind}s"][name] += f"\n{fill(text)}"
        return [f"{kind}s.get", name]

    deciding = [show(place, text) for place, text in ending.proof.items()]
    for place, text in ending.beside.items():
        show(place, text)
    draw.shuffle(planned)
    facts["changes"] = {names["day"]: "\n".join(planned)}
    contain: list[list[str]] = []
    if ending.verdict in CONTAINED_HOST:
        contain.append(["page_owner" if critical else "isolate_host", names[ending.where]])
    if ending.verdict in CONTAINED_USER:
        contain.append(["disable_account", names[ending.who]])
    if bad:
        contain.append(["block_address", names["address"]])
    return World(
        prompt=f"Alert {names['alert']}, {names['day']} {names['time']}: {case.rule}\n{fill(alert)}",
        data={
            "facts": facts,
            "verdict": ending.verdict,
            "contain": contain,
            "deciding": deciding,
            "expected_calls": shortest(ending.verdict, contain, deciding),
        },
    )


def shortest(verdict: str, contain: list[list[str]], deciding: list[list[str]]) -> list[Json]:
    """Return the shortest solution: the lookups of the proof and the targets, the containment and the verdict."""
    steps = list(deciding)
    for act, name in contain:
        look = [LOOKS[CONTAINING[act]], name]
        steps += [] if look in steps else [look]
    steps += contain
    calls = [{"name": tool, "arguments": {TARGET[tool]: name} if name else {}} for tool, name in steps]
    return [*calls, {"name": "close_alert", "arguments": {"verdict": verdict}}]


def _names(case: Case, company: Company, draw: Random) -> dict[str, str]:
    people = draw.sample(company.people, 3)
    servers = draw.sample(company.servers, 3)
    numbers = draw.sample(range(10, 90), 9)
    hosts = servers if case.server else [f"{company.laptop}{number}{numbers[8]}" for number in numbers[:3]]
    day = date(2026, 2, 2) + timedelta(draw.randrange(110))
    at = datetime(day.year, day.month, day.day, draw.randrange(3, 21), draw.randrange(60))
    city, city2 = draw.sample(company.cities, 2)

    def clock(minutes: int) -> str:
        return f"{at + timedelta(minutes=minutes):%H:%M}"

    names: dict[str, str] = {}
    for suffix, host, person in zip(("", "2", "3"), hosts, people, strict=True):
        names |= {f"host{suffix}": host, f"user{suffix}": person}
    return names | {
        "address": f"{company.address}{numbers[3]}",
        "address2": f"{company.address}{100 + numbers[4]}",
        "alert": f"A-{draw.randrange(2000, 9999)}",
        "day": day.isoformat(),
        "old": (day - timedelta(draw.randrange(20, 90))).isoformat(),
        "last": (day - timedelta(draw.randrange(2, 12))).isoformat(),
        "back": (day + timedelta(draw.randrange(2, 8))).isoformat(),
        "next": (day + timedelta(draw.randrange(40, 200))).isoformat(),
        "time": clock(0),
        "before": clock(-draw.randrange(3, 12)),
        "start": clock(-draw.randrange(15, 45)),
        "end": clock(draw.randrange(30, 90)),
        "early": clock(-draw.randrange(140, 175)),
        "over": clock(-draw.randrange(80, 110)),
        "earlier": clock(-draw.randrange(115, 138)),
        "city": city,
        "city2": city2,
        "far": draw.choice(company.far),
        "file": draw.choice(company.files),
        "number": str(draw.randrange(100, 999)),
        "count": str(draw.randrange(12, 80)),
        "boss": draw.choice([name for name in company.people if name not in people]),
    }
