"""Held-out questions. They ask for other things, in other words, than the training questions. Each function is a family."""

from datetime import date, timedelta
from itertools import accumulate, pairwise
from statistics import fmean, median, pstdev

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
    total,
)


def midpoint(s: Scene) -> Asked:
    kind = s.a_kind()
    values = [fact.n for fact in s.of(kind=kind)]
    return Asked(
        f"Find the median of {s.said['n']}, looking only at {kind} (one decimal; with an even count, the mean "
        "of the middle two).",
        float(median(values)),
        f"WITH t AS (SELECT {s.n} AS v, row_number() OVER (ORDER BY {s.n}) AS pos, count(*) OVER () AS num FROM {s.F} "
        f"WHERE {s.kind} = {quoted(kind)}) SELECT avg(v) FROM t WHERE pos * 2 BETWEEN num AND num + 2",
        places=1,
    )


def quiet_days(s: Scene) -> Asked:
    wanted = s.a_month()
    first = date.fromisoformat(f"{wanted}-01")
    num_days = ((first + timedelta(31)).replace(day=1) - first).days
    return Asked(
        f"{wanted} has {num_days} days. For how many of them is nothing at all recorded in {s.F}?",
        num_days - len({fact.date for fact in s.in_month(wanted)}),
        f"SELECT {num_days} - count(DISTINCT {s.date}) FROM {s.F} WHERE {s.month} = {quoted(wanted)}",
    )


def longest_wait(s: Scene) -> Asked:
    place = s.a_place()
    days = sorted({fact.date for fact in s.of(place=place.place)})
    gap = s.days_between("day", "lag(day) OVER (ORDER BY day)")
    return Asked(
        f"{place.name} had to wait now and then. What is the longest time, in days, from one date with a "
        f"{s.one} there to the next?",
        max((late - early).days for early, late in pairwise(days)),
        f"WITH t AS (SELECT DISTINCT {s.date} AS day FROM {s.joined} WHERE {s.name} = {quoted(place.name)}), "
        f"gaps AS (SELECT {gap} AS gap FROM t) SELECT max(gap) FROM gaps",
    )


def part_of_whole(s: Scene) -> Asked:
    region, kind = s.a_region(), s.a_kind()
    ours = [fact for fact in s.in_region(region) if fact.kind == kind]
    return Asked(
        f"Sum up {s.said['m']} for {kind}. How many percent of that sum are owed to {region}? {s.F.capitalize()} with no "
        f"{s.domain.place} belong to the whole, too. One decimal, please.",
        rounded(100 * total(ours) / total(s.of(kind=kind)), 1),
        f"SELECT 100.0 * sum(CASE WHEN {s.region} = {quoted(region)} THEN {s.m} ELSE 0 END) / sum({s.m}) "
        f"FROM {s.F} LEFT JOIN {s.D} USING ({s.place}) WHERE {s.kind} = {quoted(kind)}",
        places=1,
    )


def never_there(s: Scene) -> Asked:
    place, limit = s.a_place(), s.draw.randint(*s.domain.n)
    present = {fact.kind for fact in s.of(place=place.place) if fact.n >= limit}
    absent = sorted({fact.kind for fact in s.facts} - present)
    if not 1 <= len(absent) <= 4:
        raise Redraw
    return Asked(
        f"Name every {s.said['kind']} of which {place.name} never had {limit} or more {s.said['n']} at a time, or "
        "had none at all, as a list in any order.",
        absent,
        f"SELECT DISTINCT {s.kind} FROM {s.F} WHERE {s.kind} NOT IN (SELECT {s.kind} FROM {s.joined} "
        f"WHERE {s.name} = {quoted(place.name)} AND {s.n} >= {limit})",
        ordered=False,
    )


def running_total(s: Scene) -> Asked:
    kind = s.a_kind()
    sums = grouped(s.of(kind=kind), month, lambda fact: fact.n)
    months = sorted(sums)
    running = list(accumulate(sums[each] for each in months))
    return Asked(
        f"Plot as a line how {s.said['n']} for {kind} pile up: against each month that has any (written "
        "YYYY-MM, ascending), everything up "
        "to its end. The answer is the figure at the very end.",
        running[-1],
        f"SELECT month, sum(num) OVER (ORDER BY month) AS so_far FROM (SELECT {s.month} AS month, sum({s.n}) AS num FROM {s.F} "
        f"WHERE {s.kind} = {quoted(kind)} GROUP BY 1) AS t ORDER BY month",
        chart={"kind": "line", "points": [list(pair) for pair in zip(months, running, strict=True)]},
    )


def four_bars(s: Scene) -> Asked:
    first, last = s.a_span()
    found = [fact for fact in s.facts if first <= fact.date <= last]
    sums = grouped(found, lambda fact: (place := s.at(fact)) and place.name, lambda fact: fact.n)
    best = ranked(sums, 4)
    return Asked(
        f"Show me four bars: those {s.D} where most {s.said['n']} were summed up in the days {first} through "
        f"{last}, falling from left "
        "to right. Whose bar is the rightmost? That name is the answer.",
        best[-1],
        f"SELECT {s.name} AS name, sum({s.n}) AS num FROM {s.joined} WHERE {s.date} BETWEEN {quoted(first)} AND {quoted(last)} "
        "GROUP BY 1 ORDER BY 2 DESC LIMIT 4",
        chart={"kind": "bar", "points": [[name, sums[name]] for name in best]},
    )


def beyond_deviations(s: Scene) -> Asked:
    kind = s.a_kind()
    values = [fact.n for fact in s.of(kind=kind)]
    middle, spread, times = fmean(values), pstdev(values), s.draw.choice((1, 1.5))
    distances = [abs(value - middle) - times * spread for value in values]
    if min(abs(each) for each in distances) < 1e-6 or max(distances) < 0:
        raise Redraw
    return Asked(
        f'Take {s.said["n"]} of the {s.said["kind"]} "{kind}". How many of its {s.F} lie further than {times} population '
        f"standard deviation{'s' * (times > 1)} from their mean, on either side?",
        sum(each > 0 for each in distances),
        f"WITH t AS (SELECT {s.n} AS v FROM {s.F} WHERE {s.kind} = {quoted(kind)}), "
        "m AS (SELECT avg(v) AS mu, avg(v * v) - avg(v) * avg(v) AS var FROM t) "
        f"SELECT count(*) FROM t, m WHERE (v - mu) * (v - mu) > {times * times} * var",
    )


def later_copies(s: Scene) -> Asked:
    first, last = s.a_span()
    found = [fact.id for fact in s.repeats() if first <= fact.date <= last]
    if not 1 <= len(found) <= 5:
        raise Redraw
    return Asked(
        f"Somebody pressed save twice. Between {first} and {last} inclusive, which {s.id} values repeat another "
        "row in every other column? "
        "List only the higher number of a pair; the order is up to you.",
        found,
        f"SELECT max({s.key}) FROM {s.F} WHERE {s.date} BETWEEN {quoted(first)} AND {quoted(last)} "
        f"GROUP BY {s.same} HAVING count(*) > 1",
        ordered=False,
    )


def complete_rows(s: Scene) -> Asked:
    wanted = s.a_month()
    return Asked(
        f"How complete is {wanted}? Give the number of {s.F} of that month for which neither {s.said['r']} nor "
        f"{s.domain.place} was left "
        "blank.",
        sum(fact.r is not None and fact.place is not None for fact in s.in_month(wanted)),
        f"SELECT count(*) FROM {s.F} WHERE {s.month} = {quoted(wanted)} AND {s.known('r')} AND {s.known('place')}",
    )


def mark_reached(s: Scene) -> Asked:
    kind = s.a_kind()
    found = sorted(s.of(kind=kind), key=lambda fact: fact.date)
    by_day = sorted(grouped(found, lambda fact: fact.date, lambda fact: fact.n).items())
    mark = s.draw.randrange(20, 80) * sum(fact.n for fact in found) // 100
    day = next(
        day for (day, _), so_far in zip(by_day, accumulate(num for _, num in by_day), strict=True) if so_far > mark
    )
    return Asked(
        f"Adding up {s.said['n']} of {kind} from the beginning, on what date does the sum first go beyond {mark}? (YYYY-MM-DD)",
        day.isoformat(),
        f"WITH t AS (SELECT {s.date} AS day, sum({s.n}) AS num FROM {s.F} WHERE {s.kind} = {quoted(kind)} GROUP BY 1), "
        f"r AS (SELECT day, sum(num) OVER (ORDER BY day) AS so_far FROM t) SELECT min(day) FROM r WHERE so_far > {mark}",
    )


def above_the_crowd(s: Scene) -> Asked:
    status = s.a_status()
    found = s.of(status=status)
    sums, counts = (
        grouped(found, lambda fact: fact.place, lambda fact: fact.n),
        grouped(found, lambda fact: fact.place, one),
    )
    overall = sum(fact.n for fact in found)
    if any(sums[place] * len(found) == overall * counts[place] for place in sums):
        raise Redraw
    return Asked(
        f'Restrict yourself to "{status}". How many {s.D} have a mean of {s.said["n"]} per {s.one} above the '
        f"mean per {s.one} overall, rows that name no {s.domain.place} being part of the latter?",
        sum(sums[place] * len(found) > overall * counts[place] for place in sums),
        f"SELECT count(*) FROM (SELECT {s.place} FROM {s.F} WHERE {s.status} = {quoted(status)} AND "
        f"{s.known('place')} GROUP BY 1 "
        f"HAVING avg({s.n}) > (SELECT avg({s.n}) FROM {s.F} WHERE {s.status} = {quoted(status)})) AS t",
    )


def weekend_part(s: Scene) -> Asked:
    kind = s.a_kind()
    found = s.of(kind=kind)
    return Asked(
        f'Is the {s.said["kind"]} "{kind}" a weekend matter? Give the percentage of its {s.F} that fell on Saturdays and '
        "Sundays (one decimal).",
        rounded(100 * sum(fact.date.isoweekday() > 5 for fact in found) / len(found), 1),
        f"SELECT 100.0 * sum(CASE WHEN {s.weekday()} IN ('0', '6') THEN 1 ELSE 0 END) / count(*) FROM {s.F} "
        f"WHERE {s.kind} = {quoted(kind)}",
        places=1,
    )


FAMILIES = {
    "aggregates": [midpoint],
    "filters": [above_the_crowd],
    "dates": [quiet_days, longest_wait, weekend_part],
    "joins": [part_of_whole, never_there],
    "trends": [mark_reached],
    "outliers": [beyond_deviations],
    "missing": [complete_rows],
    "duplicates": [later_copies],
    "charts": [running_total, four_bars],
}
