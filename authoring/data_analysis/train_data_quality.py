"""Training questions about outliers, missing values and duplicates. Each function is a family."""

from authoring.data_analysis.asked import (
    Asked,
    Redraw,
    Scene,
    grouped,
    mean,
    one,
    quoted,
    ranked,
    rounded,
    total,
)
from authoring.data_analysis.facts import amount_of, count_of, not_empty


def far_above(s: Scene) -> Asked:
    odd = max(s.facts, key=amount_of)
    limit = s.draw.randrange(3, 6)
    if sum(fact.m * len(s.facts) > limit * sum(map(amount_of, s.facts)) for fact in s.facts) != 1:
        raise Redraw
    return Asked(
        f"The {s.said['m']} of one {s.one} must be a typing error: it is more than {limit} times the average "
        f"over all {s.F}. Which "
        f"{s.id} is it?",
        odd.id,
        f"SELECT {s.id} FROM {s.F} WHERE {s.m} > {limit} * (SELECT avg({s.m}) FROM {s.F})",
    )


def total_without_highest(s: Scene) -> Asked:
    kind = max(s.facts, key=amount_of).kind
    found = s.of(kind=kind)
    sign = s.draw.choice(["total", "sum"])
    return Asked(
        f"The single highest {s.said['m']} in {s.F} is an error. Without that {s.one}, what is the {sign} of "
        f"{s.said['m']} for the "
        f"{s.said['kind']} {kind}, to two decimals?",
        rounded((sum(map(amount_of, found)) - max(map(amount_of, found))) / 100, 2),
        f"SELECT sum({s.m}) FROM {s.F} WHERE {s.kind} = {quoted(kind)} AND {s.m} < (SELECT max({s.m}) FROM {s.F})",
        places=2,
    )


def missing_in_status(s: Scene) -> Asked:
    status = s.a_status()
    return Asked(
        f'How many {s.F} marked "{status}" have no {s.said["r"]}?',
        len(not_empty([fact for fact in s.of(status=status) if fact.r is None])),
        f"SELECT count(*) FROM {s.F} WHERE {s.status} = {quoted(status)} AND {s.unknown('r')}",
    )


def kind_with_most_missing(s: Scene) -> Asked:
    first, last = s.a_span()
    missing = [fact for fact in s.facts if fact.r is None and first <= fact.date <= last]
    return Asked(
        f"From {first} to {last} (both included), for which {s.said['kind']} is the {s.said['r']} missing most often?",
        ranked(grouped(missing, lambda fact: fact.kind, one), 1)[0],
        f"SELECT {s.kind} FROM {s.F} WHERE {s.unknown('r')} AND {s.date} BETWEEN {quoted(first)} AND {quoted(last)} "
        "GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    )


def average_known(s: Scene) -> Asked:
    kind = s.a_kind()
    return Asked(
        f"What is the average {s.said['r']} of {s.F} with the {s.said['kind']} {kind}, leaving out those where "
        "it is missing? Two "
        "decimals.",
        mean([fact.r for fact in s.of(kind=kind) if fact.r is not None], 2),
        f"SELECT avg({s.r}) FROM {s.F} WHERE {s.kind} = {quoted(kind)} AND {s.known('r')}",
        places=2,
    )


def without_place(s: Scene) -> Asked:
    lost = [fact for fact in s.facts if fact.place is None]
    what, value, column = s.draw.choice([(s.said["n"], sum(map(count_of, lost)), s.n), ("", len(lost), "")])
    if len(lost) < 2:
        raise Redraw
    question = f"how many {what} do they have in total" if what else "how many are there"
    return Asked(
        f"Some {s.F} do not say at which {s.domain.place} they were: {question}?",
        value,
        f"SELECT {f'sum({column})' if what else 'count(*)'} FROM {s.F} WHERE {s.unknown('place')}",
    )


def repeats_of_kind(s: Scene) -> Asked:
    status = s.a_status()
    found = not_empty([fact for fact in s.repeats() if fact.status == status])
    return Asked(
        f"Some {s.F} were entered twice: all columns but {s.id} are the same. How many extra entries are there "
        "among those marked "
        f'"{status}"?',
        len(found),
        f"SELECT count(*) - (SELECT count(*) FROM (SELECT DISTINCT {s.same} FROM {s.F} WHERE {s.status} = "
        f"{quoted(status)}) AS t) "
        f"FROM {s.F} WHERE {s.status} = {quoted(status)}",
    )


def total_without_repeats(s: Scene) -> Asked:
    status = s.a_status()
    kept = {fact._replace(id=0) for fact in s.of(status=status)}
    return Asked(
        f'What is the total {s.said["m"]} of {s.F} marked "{status}" if an entry that is the same as another in everything but '
        f"{s.id} is counted once? Two decimals.",
        total(kept),
        f"SELECT sum({s.m}) FROM (SELECT DISTINCT {s.same} FROM {s.F} WHERE {s.status} = {quoted(status)}) AS t",
        places=2,
    )


OUTLIERS = [
    far_above,
    total_without_highest,
]
MISSING = [
    missing_in_status,
    kind_with_most_missing,
    average_known,
    without_place,
]
DUPLICATES = [
    repeats_of_kind,
    total_without_repeats,
]
