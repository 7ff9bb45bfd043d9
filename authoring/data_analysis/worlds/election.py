"""Held out. An election for the harbour board: wards with their electors, and tallies, a few of them filed twice."""

from collections import Counter
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, ranked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, need

WARDS = [
    "Lamplight", "Ropewalk", "Saltmarsh", "Coldwell", "Nethergate", "Ferrybank", "Tolbooth", "Wickery", "Pinfold",
    "Shambles", "Maltings", "Herringside",
]  # fmt: skip
SHORES = ["north shore", "south shore", "island"]
CANDIDATES = ["Ottilie Brandt", "Casimir Lunt", "Rhona Speke", "Evander Moy"]


class Ward(NamedTuple):
    ward_code: str
    ward: str
    shore: str
    electors: int


class Tally(NamedTuple):
    tally: int
    ward_code: str
    candidate: str
    votes: int
    teller: str | None


def rows(draw: Random) -> Rows:
    wards = [
        Ward(f"W{at}{draw.choice('ABC')}", name, SHORES[at % 3], draw.randrange(400, 1600))
        for at, name in enumerate(WARDS)
    ]
    appeal = {candidate: draw.uniform(1, 2) for candidate in CANDIDATES}
    tallies: list[Tally] = []
    for ward in wards:
        weights = {candidate: appeal[candidate] * draw.uniform(0.3, 2) for candidate in CANDIDATES}
        voting = ward.electors * draw.uniform(0.35, 0.8)
        for candidate in CANDIDATES:
            votes = int(voting * weights[candidate] / sum(weights.values()))
            first = int(votes * draw.uniform(0.3, 0.7))
            for num in (first, votes - first):
                teller = None if draw.random() < 0.15 else draw.choice(("Mr Dace", "Mrs Gudgeon", "Miss Tench"))
                tallies.append(Tally(0, ward.ward_code, candidate, num, teller))
    tallies += draw.sample(tallies, 14)
    draw.shuffle(tallies)
    return {"wards": wards, "tallies": [each._replace(tally=3001 + at) for at, each in enumerate(tallies)]}


ALL = "tallies JOIN wards USING (ward_code)"


def _clean(s: Look) -> list[Tally]:
    """Tallies, each once."""
    return sorted({each._replace(tally=0, teller=each.teller or "") for each in s["tallies"]})


def _votes(s: Look) -> dict[str, Counter[str]]:
    """By ward, then by candidate."""
    names = {ward.ward_code: ward.ward for ward in s["wards"]}
    votes: dict[str, Counter[str]] = {ward: Counter() for ward in names.values()}
    for each in _clean(s):
        votes[names[each.ward_code]][each.candidate] += each.votes
    return votes


def _sql_votes(s: Look) -> str:
    """A CTE: ward, shore, electors, candidate and votes, tallies that were filed twice counted once."""
    return (
        f"WITH v AS (SELECT ward, shore, electors, candidate, sum({s.num('votes')}) AS votes FROM (SELECT DISTINCT "
        f"ward, shore, {s.num('electors')} AS electors, candidate, votes, teller FROM {ALL}) AS t GROUP BY 1, 2, 3, 4)"
    )


ONCE = "A tally filed twice, alike in everything save its number, is valid once."
"""Said with each question about votes."""


def turnout(s: Look) -> Asked:
    shore, least = s.pick(SHORES), s.draw.choice((True, False))
    votes = _votes(s)
    shares = {w.ward: sum(votes[w.ward].values()) / w.electors for w in s["wards"] if w.shore != shore}
    ward = best(shares, least)
    word = "laziest" if least else "keenest"
    return Asked(
        [
            f"Votes cast as percent of electors: what did the {word} ward outside the {shore} reach, one digit behind "
            f"the point? {ONCE}",
            f"{ONCE} Disregard the {shore}. Turnout of the {word} remaining ward, percent of its electors, one digit "
            "behind the point?",
            f"How {'low' if least else 'high'} did turnout (votes per hundred electors) get in the {word} ward, "
            f"{shore} not considered? One digit behind the point. {ONCE}",
        ],
        rounded(100 * shares[ward], 1),
        f"{_sql_votes(s)} SELECT 100.0 * sum(votes) / electors FROM v WHERE shore <> '{shore}' GROUP BY ward, electors "
        f"ORDER BY 1 {'' if least else 'DESC '}LIMIT 1",
        places=1,
    )  # fmt: skip


def outright(s: Look) -> Asked:
    candidate, share = s.pick(CANDIDATES), s.draw.choice((25, 30, 33, 36, 40, 45, 50))
    votes = _votes(s)
    found = [ward for ward, each in votes.items() if 100 * each[candidate] > share * sum(each.values())]
    need(1 <= len(found) <= 5)
    return Asked(
        [
            f"In what wards did {candidate} take upward of {share} percent of votes cast? Sequence irrelevant. {ONCE}",
            f"{ONCE} Name each ward that gave {candidate} over {share}% of its votes, sorted as you like.",
            f"Strongholds of {candidate}: wards with a share beyond {share} percent there, sequence irrelevant. {ONCE}",
        ],
        found,
        f"{_sql_votes(s)} SELECT ward FROM v GROUP BY 1 HAVING 100.0 * sum(CASE WHEN candidate = '{candidate}' THEN "
        f"votes ELSE 0 END) > {share} * sum(votes)",
        ordered=False,
    )


def closest_wards(s: Look) -> Asked:
    shore = s.pick(SHORES)
    shores = {ward.ward: ward.shore for ward in s["wards"]}
    margins: dict[str, int] = {}
    for ward, each in _votes(s).items():
        first, second = sorted(each.values(), reverse=True)[:2]
        if shores[ward] != shore:
            margins[ward] = first - second
    num = s.draw.choice((2, 3))
    return Asked(
        [
            f"Closest races: those {num} wards where winner and runner-up lie fewest votes apart, tightest leading, "
            f"the {shore} disregarded. {ONCE}",
            f"{ONCE} Order wards by the winner's lead in votes and hand me the {num} tightest, tightest leading; "
            f"wards of the {shore} are not considered.",
            f"Where was it a near thing? {num} wards, tightest leading, judged by votes between the best two "
            f"candidates, with the {shore} disregarded. {ONCE}",
        ],
        ranked(margins, num, least=True),
        f"{_sql_votes(s)}, r AS (SELECT ward, shore, votes, lead(votes) OVER (PARTITION BY ward ORDER BY votes DESC) "
        "AS next, row_number() OVER (PARTITION BY ward ORDER BY votes DESC) AS pos FROM v) SELECT ward FROM r WHERE "
        f"pos = 1 AND shore <> '{shore}' ORDER BY votes - next LIMIT {num}",
    )


def wards_won(s: Look) -> Asked:
    candidate, other = s.two(CANDIDATES)
    electors = s.draw.randrange(500, 1200, 50)
    size = {ward.ward: ward.electors for ward in s["wards"]}
    num = sum(each[candidate] > each[other] for ward, each in _votes(s).items() if size[ward] >= electors)
    need(num > 1)
    return Asked(
        [
            f"Head to head: among wards of {electors} electors upward, in how many did {candidate} poll more than "
            f"{other}? {ONCE}",
            f"{ONCE} Number of wards, {electors} electors being the minimum, that preferred {candidate} to {other}?",
            f"{candidate} boasts of beating {other} nearly everywhere. Count wards having no less than {electors} "
            f"electors where that is so. {ONCE}",
        ],
        num,
        f"{_sql_votes(s)} SELECT count(*) FROM v a JOIN v b ON a.ward = b.ward WHERE a.candidate = '{candidate}' AND "
        f"b.candidate = '{other}' AND a.votes > b.votes AND a.electors >= {electors}",
    )


def filed_twice(s: Look) -> Asked:
    shore, other = s.two(SHORES)
    where = {ward.ward_code: ward.shore for ward in s["wards"]}
    extra = Counter(each._replace(tally=0) for each in s["tallies"] if where[each.ward_code] in (shore, other))
    num = sum(each.votes * (count - 1) for each, count in extra.items())
    need(num)
    return Asked(
        [
            "Tallies were filed twice, alike in everything save their number. Votes by which this inflates the "
            f"{shore} and the {other} jointly?",
            f"How many phantom votes do the {shore} and the {other} have, caused by tallies present twice (just the "
            "number differs)?",
            f"Remove from the {shore} and the {other} every second copy of a tally, a copy being equal in all save "
            "number. How many votes vanish?",
        ],
        num,
        f"SELECT sum(extra) FROM (SELECT {s.num('votes')} * (count(*) - 1) AS extra FROM {ALL} WHERE shore IN "
        f"('{shore}', '{other}') GROUP BY ward_code, candidate, votes, teller) AS t",
    )


def turnout_scatter(s: Look) -> Asked:
    shore, candidate = s.pick(SHORES), s.pick(CANDIDATES)
    votes = _votes(s)
    wards = [ward for ward in s["wards"] if ward.shore == shore]
    points = [[ward.electors, votes[ward.ward][candidate]] for ward in wards]
    return Asked(
        [
            f"Scatter the wards of the {shore}, electors horizontally, votes for {candidate} vertically. {ONCE} Reply "
            f"with the ward where {candidate} polled best.",
            f"Size versus success: every {shore} ward becomes a dot (across: electors; upward: votes {candidate} got) "
            f"in a scatter. {ONCE} Which dot is uppermost? Its ward.",
            f"{ONCE} Given that, produce a scatter of {candidate}'s votes (vertical) over electors (horizontal), "
            f"{shore} wards, and tell me which ward gave {candidate} most.",
        ],
        best({ward.ward: votes[ward.ward][candidate] for ward in wards}),
        f"{_sql_votes(s)} SELECT electors AS x, votes AS y FROM v WHERE shore = '{shore}' AND candidate = "
        f"'{candidate}'",
        chart={"kind": "scatter", "points": points},
    )


WORLD = World(
    "election", "tallies of the harbour board election", rows,
    {
        "aggregates": [turnout], "filters": [outright], "top": [closest_wards], "joins": [wards_won],
        "duplicates": [filed_twice], "charts": [turnout_scatter],
    },
)  # fmt: skip
