"""Training questions whose answer is a chart. Each function is a family."""

from authoring.data_analysis.asked import Asked, Redraw, Scene, grouped, mean, month, one, quoted, ranked
from authoring.data_analysis.facts import amount_of


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
    sums = grouped(s.of(status=status), lambda fact: fact.kind, amount_of)
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


CHARTS = [
    chart_count_by_month,
    chart_total_by_kind,
    chart_average_by_region,
    chart_scatter,
]
