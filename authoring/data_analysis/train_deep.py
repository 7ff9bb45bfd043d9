"""Questions to learn from: top-k, trends, outliers, missing values, duplicates and charts. Each function is a family."""

from itertools import pairwise

from verigym.environments.data_analysis.asked import (
    Asked,
    Fact,
    Redraw,
    Scene,
    grouped,
    mean,
    month,
    one,
    quoted,
    ranked,
    rounded,
    total,
)


def _amount(fact: Fact) -> int:
    return fact.m


def _count(fact: Fact) -> int:
    return fact.n


def _any(facts: list[Fact]) -> list[Fact]:
    if not facts:
        raise Redraw
    return facts


def _two_months(s: Scene) -> tuple[str, str]:
    months = sorted({month(fact) for fact in s.facts})
    early, late = sorted(s.draw.sample(months, 2))
    return early, late


# -- top-k --------------------------------------------------------------------------------------------------------------------


def top_three_places(s: Scene) -> Asked:
    status = s.a_status()
    sums = grouped(s.of(status=status), lambda fact: (place := s.at(fact)) and place.name, _amount)
    return Asked(
        f'Which three {s.D} have the highest total {s.said["m"]} of {s.F} marked "{status}"? A list of names, the highest first.',
        ranked(sums, 3),
        f"SELECT {s.name} FROM {s.joined} WHERE {s.status} = {quoted(status)} GROUP BY 1 ORDER BY sum({s.m}) DESC LIMIT 3",
    )


def top_three_kinds(s: Scene) -> Asked:
    first, last = s.a_span()
    counts = grouped((fact for fact in s.facts if first <= fact.date <= last), lambda fact: fact.kind, _count)
    return Asked(
        f"From {first} to {last} (both included), which three values of {s.kind} have the most {s.said['n']} in total? A list, "
        "the greatest first.",
        ranked(counts, 3),
        f"SELECT {s.kind} FROM {s.F} WHERE {s.date} BETWEEN {quoted(first)} AND {quoted(last)} "
        f"GROUP BY 1 ORDER BY sum({s.n}) DESC LIMIT 3",
    )


def second_kind(s: Scene) -> Asked:
    region = s.a_region()
    sums = grouped(s.in_region(region), lambda fact: fact.kind, _amount)
    return Asked(
        f"In the {s.said['region']} {region}, which {s.said['kind']} comes second by total {s.said['m']}?",
        ranked(sums, 2)[1],
        f"SELECT {s.kind} FROM {s.joined} WHERE {s.region} = {quoted(region)} "
        f"GROUP BY 1 ORDER BY sum({s.m}) DESC LIMIT 1 OFFSET 1",
    )


def two_least_places(s: Scene) -> Asked:
    kind = s.a_kind()
    counts = grouped(s.of(kind=kind), lambda fact: (place := s.at(fact)) and place.name, _count)
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


# -- trends -------------------------------------------------------------------------------------------------------------------


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
    counts = grouped(s.of(status=status), month, _count)
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
        ranked(grouped(s.of(kind=kind), month, _amount), 1)[0],
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


# -- outliers, missing values, duplicates -------------------------------------------------------------------------------------


def far_above(s: Scene) -> Asked:
    odd = max(s.facts, key=_amount)
    limit = s.draw.randrange(3, 6)
    if sum(fact.m * len(s.facts) > limit * sum(map(_amount, s.facts)) for fact in s.facts) != 1:
        raise Redraw
    return Asked(
        f"The {s.said['m']} of one {s.one} must be a typing error: it is more than {limit} times the average "
        f"over all {s.F}. Which "
        f"{s.id} is it?",
        odd.id,
        f"SELECT {s.id} FROM {s.F} WHERE {s.m} > {limit} * (SELECT avg({s.m}) FROM {s.F})",
    )


def total_without_highest(s: Scene) -> Asked:
    kind = max(s.facts, key=_amount).kind
    found = s.of(kind=kind)
    sign = s.draw.choice(["total", "sum"])
    return Asked(
        f"The single highest {s.said['m']} in {s.F} is an error. Without that {s.one}, what is the {sign} of "
        f"{s.said['m']} for the "
        f"{s.said['kind']} {kind}, to two decimals?",
        rounded((sum(map(_amount, found)) - max(map(_amount, found))) / 100, 2),
        f"SELECT sum({s.m}) FROM {s.F} WHERE {s.kind} = {quoted(kind)} AND {s.m} < (SELECT max({s.m}) FROM {s.F})",
        places=2,
    )


def missing_in_status(s: Scene) -> Asked:
    status = s.a_status()
    return Asked(
        f'How many {s.F} marked "{status}" have no {s.said["r"]}?',
        len(_any([fact for fact in s.of(status=status) if fact.r is None])),
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
    what, value, column = s.draw.choice([(s.said["n"], sum(map(_count, lost)), s.n), ("", len(lost), "")])
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
    found = _any([fact for fact in s.repeats() if fact.status == status])
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


# -- charts -------------------------------------------------------------------------------------------------------------------


def chart_count_by_month(s: Scene) -> Asked:
    kind = s.a_kind()
    counts = grouped(s.of(kind=kind), month, one)
    return Asked(
        f"Draw a line chart of the number of {s.F} with the {s.said['kind']} {kind} by month (x: YYYY-MM, in "
        "order; months without any "
        "are left out). Then answer with the month that has the most.",
        ranked(counts, 1)[0],
        f"SELECT {s.month} AS month, count(*) AS num FROM {s.F} WHERE {s.kind} = {quoted(kind)} GROUP BY 1 ORDER BY 1",
        chart={"kind": "line", "points": [[each, counts[each]] for each in sorted(counts)]},
    )


def chart_total_by_kind(s: Scene) -> Asked:
    status = s.a_status()
    sums = grouped(s.of(status=status), lambda fact: fact.kind, _amount)
    first = ranked(sums, len(sums) - 1)
    order = [*first, *(set(sums) - set(first))]
    return Asked(
        f'Draw a bar chart of the total {s.said["m"]} by {s.kind}, for {s.F} marked "{status}", the highest bar '
        "first. Then answer with "
        f"the {s.said['kind']} of the lowest bar.",
        order[-1],
        f"SELECT {s.kind} AS kind, sum({s.m}) AS total FROM {s.F} WHERE {s.status} = {quoted(status)} GROUP BY 1 ORDER BY 2 DESC",
        places=2,
        chart={"kind": "bar", "points": [[each, sums[each] / 100] for each in order]},
    )


def chart_average_by_region(s: Scene) -> Asked:
    kind = s.a_kind()
    by_region: dict[str, list[int]] = {}
    for fact in s.of(kind=kind):
        if place := s.at(fact):
            by_region.setdefault(place.region, []).append(fact.n)
    means = {region: mean(values, 2) for region, values in by_region.items()}
    if len(means) < 2:
        raise Redraw
    return Asked(
        f"Draw a bar chart of the average number of {s.said['n']} by {s.said['region']}, for {s.F} with the "
        f"{s.said['kind']} {kind} (two "
        f"decimals or more, in alphabetical order). Then answer with the {s.said['region']} that has the highest average.",
        ranked(means, 1)[0],
        f"SELECT {s.region} AS region, avg({s.n}) AS mean FROM {s.joined} WHERE {s.kind} = {quoted(kind)} GROUP BY 1 ORDER BY 1",
        places=2,
        chart={"kind": "bar", "points": [[region, means[region]] for region in sorted(means)]},
    )


def chart_scatter(s: Scene) -> Asked:
    place, status = s.a_place(), s.a_status()
    found = s.of(place=place.place, status=status)
    most = ranked({fact.id: fact.n for fact in found}, 1)[0]
    return Asked(
        f"Draw a scatter chart with one point for each {s.one} at the {s.domain.place} {place.name} marked "
        f'"{status}": x is {s.said["n"]}, '
        f"y is {s.said['m']}. Then answer with the {s.id} of the {s.one} with the most {s.said['n']}.",
        most,
        f"SELECT {s.n} AS num, {s.m} AS amount FROM {s.joined} WHERE {s.name} = {quoted(place.name)} AND "
        f"{s.status} = {quoted(status)}",
        places=2,
        chart={"kind": "scatter", "points": [[fact.n, fact.m / 100] for fact in found]},
    )


TOP = [top_three_places, top_three_kinds, second_kind, two_least_places, top_three_ids]
TRENDS = [change_of_total, growth_percent, best_month_of_kind, rising_months]
OUTLIERS = [far_above, total_without_highest]
MISSING = [missing_in_status, kind_with_most_missing, average_known, without_place]
DUPLICATES = [repeats_of_kind, total_without_repeats]
CHARTS = [chart_count_by_month, chart_total_by_kind, chart_average_by_region, chart_scatter]
