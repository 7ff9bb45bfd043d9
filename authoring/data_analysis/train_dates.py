"""Training questions about dates and trends over time. Each function is a family."""

from itertools import pairwise

from authoring.data_analysis.asked import (
    Asked,
    Redraw,
    Scene,
    grouped,
    month,
    one,
    quoted,
    ranked,
    rounded,
    some,
    total,
)
from authoring.data_analysis.facts import amount_of, count_of

WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


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


def _two_months(s: Scene) -> tuple[str, str]:
    months = sorted({month(fact) for fact in s.facts})
    early, late = sorted(s.draw.sample(months, 2))
    return early, late


def change_of_total(s: Scene) -> Asked:
    early, late = _two_months(s)
    change = total(s.in_month(late)) - total(s.in_month(early))
    sums = " - ".join(f"sum(CASE WHEN {s.month} = {quoted(each)} THEN {s.m} ELSE 0 END)" for each in (late, early))
    return Asked(
        f"By how much did the total {s.said['m']} change from {early} to {late}? Two decimals, negative for a fall.",
        rounded(change, 2),
        f"SELECT {sums} FROM {s.F}",
        places=2,
    )


def growth_percent(s: Scene) -> Asked:
    (early, late), status = _two_months(s), s.a_status()
    counts = grouped(s.of(status=status), month, count_of)
    if early not in counts or late not in counts:
        raise Redraw
    now, before = (f"sum(CASE WHEN {s.month} = {quoted(each)} THEN {s.n} ELSE 0 END)" for each in (late, early))
    return Asked(
        f'By what percentage did the number of {s.said["n"]} in {s.F} marked "{status}" change from {early} to {late}? One '
        "decimal, negative for a fall.",
        rounded(100 * (counts[late] - counts[early]) / counts[early], 1),
        f"SELECT 100.0 * ({now} - {before}) / {before} FROM {s.F} WHERE {s.status} = {quoted(status)}",
        places=1,
    )


def best_month_of_kind(s: Scene) -> Asked:
    kind = s.a_kind()
    return Asked(
        f"In which month was the total {s.said['m']} of {s.F} with the {s.said['kind']} {kind} highest? (YYYY-MM)",
        ranked(grouped(s.of(kind=kind), month, amount_of), 1)[0],
        f"SELECT {s.month} FROM {s.F} WHERE {s.kind} = {quoted(kind)} GROUP BY 1 ORDER BY sum({s.m}) DESC LIMIT 1",
    )


def rising_months(s: Scene) -> Asked:
    status = s.a_status()
    counts = grouped(s.of(status=status), month, one)
    ordered = [counts[each] for each in sorted(counts)]
    if len(ordered) < 6:
        raise Redraw
    return Asked(
        f'Counting only {s.F} marked "{status}": in how many months were there more of them than in the month before? The first '
        "month of the data does not count.",
        sum(late > early for early, late in pairwise(ordered)),
        f"WITH by_month AS (SELECT {s.month} AS month, count(*) AS num FROM {s.F} WHERE {s.status} = "
        f"{quoted(status)} GROUP BY 1), "
        "changes AS (SELECT num - lag(num) OVER (ORDER BY month) AS more FROM by_month) SELECT count(*) FROM "
        "changes WHERE more > 0",
    )


DATES = [
    first_of_kind,
    last_at_place,
    count_in_span,
    busiest_month_of_status,
    busiest_weekday,
    days_with_kind,
]
TRENDS = [
    change_of_total,
    growth_percent,
    best_month_of_kind,
    rising_months,
]
