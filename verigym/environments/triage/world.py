"""A case becomes a world: names, times and facts that agree with each other, and some that mislead.

A `Case` is an alert with two or more `Ending`s, which differ only in what lookups show. The facts that an ending gives are the
proof, so those are the lookups that decide; all other facts are drawn, and say nothing either way: what ordinary hosts and
people look like, an old alert of the same rule, changes of other hosts and of other hours. What to contain follows from the
verdict by the rules of the system prompt.
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
    """What is shown where: `processes`, `host`, `user`, `address`, `past`, `change`; `processes host2` is of another host."""
    where: str = "host"
    """The host that is contained, where one is."""
    who: str = "user"
    """The account that is contained, where one is."""


class Case(NamedTuple):
    name: str
    rule: str
    alert: str
    endings: tuple[Ending, ...]
    server: bool = False
    """The alert is about a server, not about somebody's own computer."""


class Company(NamedTuple):
    """Names and ordinary facts, of one split."""

    people: tuple[str, ...]
    jobs: tuple[str, ...]
    cities: tuple[str, ...]
    laptop: str
    servers: tuple[str, ...]
    address: str
    """Of documentation: nobody has these."""
    files: tuple[str, ...]
    laptops_are: tuple[str, ...]
    servers_are: tuple[str, ...]
    critical: tuple[str, ...]
    people_are: tuple[str, ...]
    trees: tuple[str, ...]
    unknown: tuple[str, ...]
    """Reputations that call for nothing."""
    bad: tuple[str, ...]
    """Reputations after which an address is blocked."""
    past: tuple[str, ...]
    """Old alerts, which prove nothing."""
    changes: tuple[str, ...]
    """Work on other hosts, or on this one at another time."""


class World(NamedTuple):
    prompt: str
    data: Json


def build(case: Case, ending: Ending, company: Company, draw: Random) -> World:
    names = _names(case, company, draw)

    def fill(text: str) -> str:
        return text.format_map(names)

    def one(texts: tuple[str, ...], owner: str = "user") -> str:
        city = names["city"] if owner == "user" else draw.choice(company.cities)
        own = {"user": names[owner], "job": draw.choice(company.jobs), "city": city}
        return draw.choice(texts).format_map({**names, **own})

    def work(text: str) -> str:
        return text.format_map({**names, "change": f"CHG-{draw.randrange(1000, 9999)}"})

    incident = ending.verdict in CONTAINED_HOST | CONTAINED_USER
    told = [case.alert, *ending.proof.values()]
    took_part = any("{address}" in text for text in told)
    bad = incident and took_part and draw.random() < 0.6
    critical = draw.random() < 0.25
    facts: Json = {"hosts": {}, "users": {}, "addresses": {}, "processes": {}}
    for key in ("host", "host2", "host3"):
        kind = company.servers_are if case.server else company.laptops_are
        marked = f" {one(company.critical)}" if key == ending.where and critical else ""
        facts["hosts"][names[key]] = f"{names[key]}: {one(kind, key.replace('host', 'user'))}{marked}"
        facts["processes"][names[key]] = one(company.trees)
    for key in ("user", "user2", "user3"):
        facts["users"][names[key]] = f"{names[key]}: {one(company.people_are, key)}"
    for key in ("address", "address2"):
        facts["addresses"][names[key]] = one(company.bad if key == "address" and bad else company.unknown)
    facts["past"] = one(company.past)
    planned = [work(text) for text in draw.sample(company.changes, 2)]

    deciding: list[list[str]] = []
    for place, text in ending.proof.items():
        kind, _, key = place.partition(" ")
        if kind == "change":
            planned.append(work(text))
            deciding.append(["changes.list", names["day"]])
        elif kind == "past":
            facts["past"] += f"\n{fill(text)}"
            deciding.append(["alerts.search", ""])
        elif kind == "processes":
            facts["processes"][names[key or "host"]] = fill(text)
            deciding.append(["processes.list", names[key or "host"]])
        elif kind == "address":
            facts["addresses"][names["address"]] = fill(text)
            deciding.append(["addresses.get", names["address"]])
        else:
            facts[f"{kind}s"][names[key or kind]] += f"\n{fill(text)}"
            deciding.append([f"{kind}s.get", names[key or kind]])
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
        prompt=f"Alert {names['alert']}, {names['day']} {names['time']}: {case.rule}\n{fill(case.alert)}",
        data={
            "facts": facts,
            "verdict": ending.verdict,
            "contain": contain,
            "deciding": deciding,
            "expected_calls": shortest(ending.verdict, contain, deciding),
        },
    )


def shortest(verdict: str, contain: list[list[str]], deciding: list[list[str]]) -> list[Json]:
    """The shortest way: the proof, each target looked up, contained, the verdict."""
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
        "next": (day + timedelta(draw.randrange(40, 200))).isoformat(),
        "time": clock(0),
        "before": clock(-draw.randrange(3, 12)),
        "start": clock(-draw.randrange(15, 45)),
        "end": clock(draw.randrange(30, 90)),
        "early": clock(-draw.randrange(140, 175)),
        "over": clock(-draw.randrange(80, 110)),
        "city": city,
        "city2": city2,
        "file": draw.choice(company.files),
        "number": str(draw.randrange(100, 999)),
        "count": str(draw.randrange(12, 80)),
        "boss": draw.choice([name for name in company.people if name not in people]),
    }
