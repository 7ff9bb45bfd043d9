"""Training questions about totals, counts and averages of all rows or of selected rows. Each function is a family."""

from authoring.data_analysis.asked import Asked, Scene, mean, quoted, ranked, rounded, some, total


def count_of_kind(s: Scene) -> Asked:
    kind = s.a_kind()
    return Asked(
        f"How many {s.F} have the {s.said['kind']} {kind}?",
        len(s.of(kind=kind)),
        f"SELECT count(*) FROM {s.F} WHERE {s.kind} = {quoted(kind)}",
    )


def total_n_of_kind(s: Scene) -> Asked:
    kind = s.a_kind()
    return Asked(
        f"What is the total number of {s.said['n']} over all {s.F} with the {s.said['kind']} {kind}?",
        sum(fact.n for fact in s.of(kind=kind)),
        f"SELECT sum({s.n}) FROM {s.F} WHERE {s.kind} = {quoted(kind)}",
    )


def average_of_kind(s: Scene) -> Asked:
    kind = s.a_kind()
    return Asked(
        f"What is the average {s.said['m']} of the {s.F} with the {s.said['kind']} {kind}, to two decimals?",
        mean([fact.m for fact in s.of(kind=kind)], 2, 100),
        f"SELECT avg({s.m}) FROM {s.F} WHERE {s.kind} = {quoted(kind)}",
        places=2,
    )


def largest_of_status(s: Scene) -> Asked:
    status = s.a_status()
    return Asked(
        f'What is the largest {s.said["m"]} of any {s.one} marked "{status}", to two decimals?',
        max(fact.m for fact in s.of(status=status)) / 100,
        f"SELECT max({s.m}) FROM {s.F} WHERE {s.status} = {quoted(status)}",
        places=2,
    )


def smallest_of_kind(s: Scene) -> Asked:
    kind = s.a_kind()
    return Asked(
        f"What is the smallest {s.said['m']} among the {s.F} with the {s.said['kind']} {kind}, to two decimals?",
        min(fact.m for fact in s.of(kind=kind)) / 100,
        f"SELECT min({s.m}) FROM {s.F} WHERE {s.kind} = {quoted(kind)}",
        places=2,
    )


def spread_of_kind(s: Scene) -> Asked:
    kind = s.a_kind()
    counts = [fact.n for fact in s.of(kind=kind)]
    return Asked(
        f"By how much does the greatest number of {s.said['n']} of any {s.one} with the {s.said['kind']} {kind} "
        "exceed the least?",
        max(counts) - min(counts),
        f"SELECT max({s.n}) - min({s.n}) FROM {s.F} WHERE {s.kind} = {quoted(kind)}",
    )


def total_of_month(s: Scene) -> Asked:
    wanted = s.a_month()
    return Asked(
        f"What do the {s.F} of {wanted} come to in {s.said['m']}, altogether, to two decimals?",
        total(s.in_month(wanted)),
        f"SELECT sum({s.m}) FROM {s.F} WHERE {s.month} = {quoted(wanted)}",
        places=2,
    )


def share_of_status(s: Scene) -> Asked:
    status = s.a_status()
    return Asked(
        f'What percentage of all {s.F} is marked "{status}"? Give one decimal.',
        rounded(100 * len(s.of(status=status)) / len(s.facts), 1),
        f"SELECT 100.0 * sum(CASE WHEN {s.status} = {quoted(status)} THEN 1 ELSE 0 END) / count(*) FROM {s.F}",
        places=1,
    )


def count_above(s: Scene) -> Asked:
    limit = s.pick(fact.m // 100 for fact in s.facts if fact.m <= s.domain.m[1])
    found = some([fact for fact in s.facts if fact.m > 100 * limit])
    return Asked(
        f"Of how many {s.F} is the {s.said['m']} more than {limit}?",
        len(found),
        f"SELECT count(*) FROM {s.F} WHERE {s.m} > {limit}",
    )


def count_between(s: Scene) -> Asked:
    low, high = sorted((s.draw.randint(*s.domain.n), s.draw.randint(*s.domain.n)))
    return Asked(
        f"How many {s.F} have between {low} and {high} {s.said['n']}, both included?",
        len(some([fact for fact in s.facts if low <= fact.n <= high])),
        f"SELECT count(*) FROM {s.F} WHERE {s.n} BETWEEN {low} AND {high}",
    )


def count_kind_and_status(s: Scene) -> Asked:
    kind, status = s.a_kind(), s.a_status()
    return Asked(
        f'Of the {s.F} with the {s.said["kind"]} {kind}, how many are marked "{status}"?',
        len(s.of(kind=kind, status=status)),
        f"SELECT count(*) FROM {s.F} WHERE {s.kind} = {quoted(kind)} AND {s.status} = {quoted(status)}",
    )


def count_not_status(s: Scene) -> Asked:
    kind, status = s.a_kind(), s.a_status()
    return Asked(
        f'How many {s.F} with the {s.said["kind"]} {kind} are marked anything but "{status}"?',
        len(some([fact for fact in s.of(kind=kind) if fact.status != status])),
        f"SELECT count(*) FROM {s.F} WHERE {s.kind} = {quoted(kind)} AND {s.status} <> {quoted(status)}",
    )


def total_of_two_kinds(s: Scene) -> Asked:
    one_kind, other = s.draw.sample(s.domain.kinds, 2)
    return Asked(
        f"What is the total {s.said['m']} of the {s.F} whose {s.said['kind']} is {one_kind} or {other}, to two decimals?",
        total([*s.of(kind=one_kind), *s.of(kind=other)]),
        f"SELECT sum({s.m}) FROM {s.F} WHERE {s.kind} IN ({quoted(one_kind)}, {quoted(other)})",
        places=2,
    )


def largest_id_under(s: Scene) -> Asked:
    kind, limit = s.a_kind(), s.draw.randint(*s.domain.n)
    found = {fact.id: fact.m for fact in s.of(kind=kind) if fact.n <= limit}
    return Asked(
        f"Among the {s.F} with the {s.said['kind']} {kind} and at most {limit} {s.said['n']}, which {s.id} has the highest "
        f"{s.said['m']}?",
        ranked(found, 1)[0],
        f"SELECT {s.id} FROM {s.F} WHERE {s.kind} = {quoted(kind)} AND {s.n} <= {limit} ORDER BY {s.m} DESC LIMIT 1",
    )


AGGREGATES = [
    count_of_kind,
    total_n_of_kind,
    average_of_kind,
    largest_of_status,
    smallest_of_kind,
    spread_of_kind,
    total_of_month,
    share_of_status,
]
FILTERS = [
    count_above,
    count_between,
    count_kind_and_status,
    count_not_status,
    total_of_two_kinds,
    largest_id_under,
]
