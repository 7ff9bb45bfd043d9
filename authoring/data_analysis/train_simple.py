"""Questions to learn from: aggregates, filters, dates and joins. Each function is a family."""

from verigym.environments.data_analysis.asked import (
    Asked,
    Redraw,
    Scene,
    grouped,
    mean,
    month,
    one,
    quoted,
    ranked,
    rounded,
    some,
    total,
)

WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

# -- aggregates ---------------------------------------------------------------------------------------------------------------


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


# -- filters ------------------------------------------------------------------------------------------------------------------


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


# -- dates --------------------------------------------------------------------------------------------------------------------


def first_of_kind(s: Scene) -> Asked:
    kind, status = s.a_kind(), s.a_status()
    return Asked(
        f'On which date was the earliest {s.one} with the {s.said["kind"]} {kind} that is marked "{status}"? (YYYY-MM-DD)',
        min(fact.date for fact in s.of(kind=kind, status=status)).isoformat(),
        f"SELECT min({s.date}) FROM {s.F} WHERE {s.kind} = {quoted(kind)} AND {s.status} = {quoted(status)}",
    )


def last_at_place(s: Scene) -> Asked:
    place = s.a_place()
    return Asked(
        f"When was the latest {s.one} at the {s.domain.place} {place.name}? (YYYY-MM-DD)",
        max(fact.date for fact in s.of(place=place.place)).isoformat(),
        f"SELECT max({s.date}) FROM {s.joined} WHERE {s.name} = {quoted(place.name)}",
    )


def count_in_span(s: Scene) -> Asked:
    first, last = s.a_span()
    return Asked(
        f"How many {s.F} were there from {first} to {last}, both days included?",
        len(some([fact for fact in s.facts if first <= fact.date <= last])),
        f"SELECT count(*) FROM {s.F} WHERE {s.date} BETWEEN {quoted(first)} AND {quoted(last)}",
    )


def busiest_month_of_status(s: Scene) -> Asked:
    status = s.a_status()
    return Asked(
        f'Which month had the most {s.F} marked "{status}"? (YYYY-MM)',
        ranked(grouped(s.of(status=status), month, one), 1)[0],
        f"SELECT {s.month} FROM {s.F} WHERE {s.status} = {quoted(status)} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    )


def busiest_weekday(s: Scene) -> Asked:
    kind = s.a_kind()
    names = " ".join(f"WHEN '{at}' THEN '{name}'" for at, name in enumerate(WEEKDAYS))
    days = grouped(s.of(kind=kind), lambda fact: WEEKDAYS[fact.date.isoweekday() % 7], one)
    return Asked(
        f"On which day of the week were there most {s.F} with the {s.said['kind']} {kind}? Give its English name.",
        ranked(days, 1)[0],
        f"SELECT CASE {s.weekday()} {names} END FROM {s.F} WHERE {s.kind} = {quoted(kind)} "
        "GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    )


def days_with_kind(s: Scene) -> Asked:
    kind = s.a_kind()
    return Asked(
        f"On how many different days was there any {s.one} with the {s.said['kind']} {kind}?",
        len({fact.date for fact in s.of(kind=kind)}),
        f"SELECT count(DISTINCT {s.date}) FROM {s.F} WHERE {s.kind} = {quoted(kind)}",
    )


# -- joins --------------------------------------------------------------------------------------------------------------------


def total_of_region(s: Scene) -> Asked:
    region = s.a_region()
    return Asked(
        f"What is the total {s.said['m']} of the {s.F} at {s.D} in the {s.said['region']} {region}, to two decimals?",
        total(s.in_region(region)),
        f"SELECT sum({s.m}) FROM {s.joined} WHERE {s.region} = {quoted(region)}",
        places=2,
    )


def count_at_place(s: Scene) -> Asked:
    place, status = s.a_place(), s.a_status()
    return Asked(
        f'How many {s.F} marked "{status}" does the {s.domain.place} {place.name} have?',
        len(s.of(place=place.place, status=status)),
        f"SELECT count(*) FROM {s.joined} WHERE {s.name} = {quoted(place.name)} AND {s.status} = {quoted(status)}",
    )


def average_n_of_region(s: Scene) -> Asked:
    region, kind = s.a_region(), s.a_kind()
    return Asked(
        f"In the {s.said['region']} {region}, how many {s.said['n']} are there on average in the {s.F} with the "
        f"{s.said['kind']} {kind}? Two decimals.",
        mean([fact.n for fact in some([fact for fact in s.in_region(region) if fact.kind == kind])], 2),
        f"SELECT avg({s.n}) FROM {s.joined} WHERE {s.region} = {quoted(region)} AND {s.kind} = {quoted(kind)}",
        places=2,
    )


def best_place_of_kind(s: Scene) -> Asked:
    kind = s.a_kind()
    sums = grouped(s.of(kind=kind), lambda fact: (place := s.at(fact)) and place.name, lambda fact: fact.m)
    return Asked(
        f"Which {s.domain.place} has the highest total {s.said['m']} of {s.F} with the {s.said['kind']} {kind}? Give its name.",
        ranked(sums, 1)[0],
        f"SELECT {s.name} FROM {s.joined} WHERE {s.kind} = {quoted(kind)} GROUP BY 1 ORDER BY sum({s.m}) DESC LIMIT 1",
    )


def places_without(s: Scene) -> Asked:
    kind, status = s.a_kind(), s.a_status()
    busy = {fact.place for fact in s.of(kind=kind, status=status)}
    return Asked(
        f'How many of the {s.D} have no {s.one} with the {s.said["kind"]} {kind} marked "{status}"?',
        sum(place.place not in busy for place in s.places),
        f"SELECT count(*) FROM {s.D} WHERE NOT EXISTS (SELECT 1 FROM {s.F} WHERE {s.F}.{s.place} = {s.D}.{s.place} "
        f"AND {s.kind} = {quoted(kind)} AND {s.status} = {quoted(status)})",
    )


def region_with_most(s: Scene) -> Asked:
    kind = s.a_kind()
    counts = grouped(s.of(kind=kind), lambda fact: (place := s.at(fact)) and place.region, one)
    if len(counts) < 2:
        raise Redraw
    return Asked(
        f"Which {s.said['region']} has the most {s.F} with the {s.said['kind']} {kind}?",
        ranked(counts, 1)[0],
        f"SELECT {s.region} FROM {s.joined} WHERE {s.kind} = {quoted(kind)} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    )


def total_n_of_newer_places(s: Scene) -> Asked:
    since = s.pick(place.since for place in s.places)
    found = some([fact for fact in s.facts if (place := s.at(fact)) and place.since > since])
    return Asked(
        f"Taking only {s.D} whose {s.since} is after {since}, what is the total number of {s.said['n']} of their {s.F}?",
        sum(fact.n for fact in found),
        f"SELECT sum({s.n}) FROM {s.joined} WHERE {s.since} > {quoted(since)}",
    )


def kinds_of_place(s: Scene) -> Asked:
    place, limit = s.a_place(), s.draw.randint(*s.domain.n)
    found = some([fact for fact in s.of(place=place.place) if fact.n >= limit])
    return Asked(
        f"How many different values of {s.kind} occur among the {s.F} with at least {limit} {s.said['n']} at the "
        f"{s.domain.place} {place.name}?",
        len({fact.kind for fact in found}),
        f"SELECT count(DISTINCT {s.kind}) FROM {s.joined} WHERE {s.name} = {quoted(place.name)} AND {s.n} >= {limit}",
    )


AGGREGATES = [
    count_of_kind, total_n_of_kind, average_of_kind, largest_of_status, smallest_of_kind, spread_of_kind, total_of_month,
    share_of_status,
]  # fmt: skip
FILTERS = [count_above, count_between, count_kind_and_status, count_not_status, total_of_two_kinds, largest_id_under]
DATES = [first_of_kind, last_at_place, count_in_span, busiest_month_of_status, busiest_weekday, days_with_kind]
JOINS = [
    total_of_region, count_at_place, average_n_of_region, best_place_of_kind, places_without, region_with_most,
    total_n_of_newer_places, kinds_of_place,
]  # fmt: skip
