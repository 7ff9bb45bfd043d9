"""Training questions that join two tables, and rankings. Each function is a family."""

from authoring.data_analysis.asked import (
    Asked,
    Redraw,
    Scene,
    grouped,
    mean,
    one,
    quoted,
    ranked,
    some,
    total,
)
from authoring.data_analysis.facts import amount_of, count_of


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


def top_three_places(s: Scene) -> Asked:
    status = s.a_status()
    sums = grouped(s.of(status=status), lambda fact: (place := s.at(fact)) and place.name, amount_of)
    return Asked(
        f'Which three {s.D} have the highest total {s.said["m"]} of {s.F} marked "{status}"? A list of names, the highest first.',
        ranked(sums, 3),
        f"SELECT {s.name} FROM {s.joined} WHERE {s.status} = {quoted(status)} GROUP BY 1 ORDER BY sum({s.m}) DESC LIMIT 3",
    )


def top_three_kinds(s: Scene) -> Asked:
    first, last = s.a_span()
    counts = grouped((fact for fact in s.facts if first <= fact.date <= last), lambda fact: fact.kind, count_of)
    return Asked(
        f"From {first} to {last} (both included), which three values of {s.kind} have the most {s.said['n']} in total? A list, "
        "the greatest first.",
        ranked(counts, 3),
        f"SELECT {s.kind} FROM {s.F} WHERE {s.date} BETWEEN {quoted(first)} AND {quoted(last)} "
        f"GROUP BY 1 ORDER BY sum({s.n}) DESC LIMIT 3",
    )


def second_kind(s: Scene) -> Asked:
    region = s.a_region()
    sums = grouped(s.in_region(region), lambda fact: fact.kind, amount_of)
    return Asked(
        f"In the {s.said['region']} {region}, which {s.said['kind']} comes second by total {s.said['m']}?",
        ranked(sums, 2)[1],
        f"SELECT {s.kind} FROM {s.joined} WHERE {s.region} = {quoted(region)} "
        f"GROUP BY 1 ORDER BY sum({s.m}) DESC LIMIT 1 OFFSET 1",
    )


def two_least_places(s: Scene) -> Asked:
    kind = s.a_kind()
    counts = grouped(s.of(kind=kind), lambda fact: (place := s.at(fact)) and place.name, count_of)
    return Asked(
        f"Of the {s.D} that have any {s.F} with the {s.said['kind']} {kind}, which two have the fewest {s.said['n']} of it in "
        "total? A list of names, the fewest first.",
        ranked(counts, 2, least=True),
        f"SELECT {s.name} FROM {s.joined} WHERE {s.kind} = {quoted(kind)} GROUP BY 1 ORDER BY sum({s.n}) LIMIT 2",
    )


def top_three_ids(s: Scene) -> Asked:
    status, kind = s.a_status(), s.a_kind()
    amounts = {fact.id: fact.m for fact in s.of(status=status, kind=kind)}
    return Asked(
        f'List the {s.id} of the three {s.F} with the highest {s.said["m"]} among those marked "{status}" with the '
        f"{s.said['kind']} {kind}, the highest first.",
        ranked(amounts, 3),
        f"SELECT {s.id} FROM {s.F} WHERE {s.status} = {quoted(status)} AND {s.kind} = {quoted(kind)} "
        f"ORDER BY {s.m} DESC LIMIT 3",
    )


JOINS = [
    total_of_region,
    count_at_place,
    average_n_of_region,
    best_place_of_kind,
    places_without,
    region_with_most,
    total_n_of_newer_places,
    kinds_of_place,
]
TOP = [
    top_three_places,
    top_three_kinds,
    second_kind,
    two_least_places,
    top_three_ids,
]
