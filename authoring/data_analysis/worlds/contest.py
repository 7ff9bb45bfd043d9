"""Held out. A choir contest: judges give points in two heats. Some sheets are empty, some were typed in twice."""

from collections import Counter, defaultdict
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, ranked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, in_full, need

CHOIRS = [
    "Larksong",
    "Nightjar Nine",
    "The Alto Barn",
    "Hillfolk",
    "Tidewater",
    "Bell Canto",
    "Copperthroat",
    "Sundown Singers",
]
VALES = ["Umberdale", "Ottervale", "Sallowdale"]
JUDGES = ["Prof Zeller", "Dame Ottoline", "Canon Frith", "Madame Ruy", "Dr Pask", "Sir Eamon"]
HEATS = ["noon", "dusk"]


class Choir(NamedTuple):
    choir_code: str
    choir_title: str
    vale: str
    voices: int


class Sheet(NamedTuple):
    sheet: int
    choir_code: str
    heat: str
    judge_title: str
    points: int | None


def rows(draw: Random) -> Rows:
    choirs = [
        Choir(f"K{draw.randrange(10, 100)}{at}", name, VALES[at % 3], draw.randrange(9, 48))
        for at, name in enumerate(CHOIRS)
    ]
    kind = {judge: draw.randrange(-3, 4) for judge in JUDGES}
    sheets: list[Sheet] = []
    for choir in choirs:
        for heat in HEATS:
            level = draw.randrange(12, 25)
            for judge in JUDGES:
                points = None if draw.random() < 0.1 else max(0, min(30, level + kind[judge] + draw.randrange(-5, 6)))
                sheets.append(Sheet(0, choir.choir_code, heat, judge, points))
    sheets += draw.sample([sheet for sheet in sheets if sheet.points is not None], 16)
    draw.shuffle(sheets)
    return {"choirs": choirs, "sheets": [sheet._replace(sheet=401 + at) for at, sheet in enumerate(sheets)]}


ALL = "sheets JOIN choirs USING (choir_code)"
DISTINCT = "SELECT DISTINCT choir_code, choir_title, vale, heat, judge_title, points FROM " + ALL


def _single(s: Look) -> list[tuple[Choir, Sheet]]:
    """Sheets with points, each once, with their choirs."""
    choirs = {choir.choir_code: choir for choir in s["choirs"]}
    kept = {sheet._replace(sheet=0) for sheet in s["sheets"] if sheet.points is not None}
    return [(choirs[sheet.choir_code], sheet) for sheet in sorted(kept)]


def without_extremes(s: Look) -> Asked:
    choir, heat = s.pick(CHOIRS), s.pick(HEATS)
    points = sorted(sheet.points or 0 for each, sheet in _single(s) if each.choir_title == choir and sheet.heat == heat)
    need(len(points) > 3)
    return Asked(
        [
            f"Strike one lowest and one highest score that {choir} received at {heat}. Mean of what remains, rounded "
            "to hundredths? A sheet typed in twice is a single sheet; empty ones have no say.",
            f"Fair scoring for {choir}, {heat} heat: ignore repeats of a sheet and sheets lacking points, cancel the "
            "best and the worst score (one each), average the others to hundredths.",
            f"Which average (hundredths) is {choir} left with at {heat} after its top and its bottom score are "
            "cancelled, one of either? Beware of sheets that stand there twice: they are one.",
        ],
        rounded(sum(points[1:-1]) / (len(points) - 2), 2),
        f"WITH t AS (SELECT DISTINCT judge_title, {s.num('points')} AS p FROM {ALL} WHERE choir_title = '{choir}' AND "
        f"heat = '{heat}' AND {s.known('points')}) SELECT 1.0 * (sum(p) - max(p) - min(p)) / (count(*) - 2) FROM t",
        places=2,
    )


def podium(s: Look) -> Asked:
    heat, left_out = s.pick(HEATS), s.pick(JUDGES)
    sums: Counter[str] = Counter()
    for choir, sheet in _single(s):
        if sheet.heat == heat and sheet.judge_title != left_out:
            sums[choir.choir_title] += sheet.points or 0
    return Asked(
        [
            f"{left_out} was caught asleep at {heat}, so those sheets are void. Who stands on the podium (gold, "
            "silver, bronze) by sum of points in that heat? Twofold sheets enter the sum just once.",
            f"Gold, silver and bronze at {heat} if the points of {left_out} are struck: go by the sum and let no "
            "sheet in twice.",
            f"Three medals for the {heat} heat, to be handed out by summed points without {left_out}; the same sheet "
            "typed twice is summed just once. Winner, runner-up, third?",
        ],
        ranked(sums, 3),
        f"SELECT choir_title FROM ({DISTINCT}) AS t WHERE heat = '{heat}' AND judge_title <> '{left_out}' AND "
        f"{s.known('points')} GROUP BY 1 ORDER BY sum({s.num('points')}) DESC LIMIT 3",
    )


def split_jury(s: Look) -> Asked:
    heat, vale = s.pick(HEATS), s.pick(VALES)
    points: defaultdict[str, list[int]] = defaultdict(list)
    for choir, sheet in _single(s):
        if sheet.heat == heat and choir.vale != vale:
            points[choir.choir_title].append(sheet.points or 0)
    spreads = {choir: max(each) - min(each) for choir, each in points.items()}
    return Asked(
        [
            f"Over whom did the jury quarrel most at {heat}? Widest gap from its meanest to its kindest score, choirs "
            f"of {vale} not considered.",
            f"Apart from {vale}, find the choir whose {heat} scores lie widest apart (best less worst).",
            f"Judges at {heat} disagreed: for which choir from outside {vale} is top score less bottom score at its "
            "widest?",
        ],
        best(spreads),
        f"SELECT choir_title FROM {ALL} WHERE heat = '{heat}' AND vale <> '{vale}' AND {s.known('points')} GROUP BY 1 "
        f"ORDER BY max({s.num('points')}) - min({s.num('points')}) DESC LIMIT 1",
    )


def typed_twice(s: Look) -> Asked:
    heat = s.pick(HEATS)
    vale, other = s.two(VALES)
    choirs = {choir.choir_code: choir for choir in s["choirs"]}
    counts = Counter(sheet._replace(sheet=0) for sheet in s["sheets"] if sheet.heat == heat)
    found = {
        sheet.judge_title for sheet, num in counts.items() if num > 1 and choirs[sheet.choir_code].vale in (vale, other)
    }
    need(1 <= len(found) <= 5)
    return Asked(
        [
            f"Whose sheets got typed in twice at {heat} (one choir, one judge, one score, two sheet numbers), "
            f"counting choirs of {vale} and {other}? Names of the judges, sorted as you like.",
            f"Identify those judges with a doubled {heat} sheet for any choir out of {vale} or {other}: everything "
            "but the sheet number is identical. Sequence irrelevant.",
            f"A typist repeated sheets. Which judges are affected at {heat}, with choirs of {vale} and {other} in "
            "view? Only the sheet number tells such twins apart; sequence irrelevant.",
        ],
        sorted(found),
        f"SELECT DISTINCT judge_title FROM (SELECT judge_title FROM {ALL} WHERE heat = '{heat}' AND vale IN "
        f"('{vale}', '{other}') GROUP BY choir_code, judge_title, points HAVING count(*) > 1) AS t",
        ordered=False,
    )


def fully_judged(s: Look) -> Asked:
    vale, other = s.two(VALES)
    heat = s.pick(HEATS)
    empty = {sheet.choir_code for sheet in s["sheets"] if sheet.points is None and sheet.heat == heat}
    found = [
        choir.choir_title for choir in s["choirs"] if choir.vale in (vale, other) and choir.choir_code not in empty
    ]
    need(1 <= len(found) <= 5)
    return Asked(
        [
            f"Which choirs from {vale} and {other} did every judge score at {heat}, no sheet of theirs being empty? "
            "Sequence irrelevant.",
            f"Choirs out of {vale} or {other} without one empty {heat} sheet, sorted as you like?",
            f"Judging at {heat} was patchy. Which choirs of {vale} and of {other} nevertheless have points on each of "
            "their sheets there? Sorted as you like.",
        ],
        found,
        f"SELECT choir_title FROM choirs WHERE vale IN ('{vale}', '{other}') AND choir_code NOT IN (SELECT choir_code "
        f"FROM sheets WHERE heat = '{heat}' AND {s.unknown('points')})",
        ordered=False,
        look=("sheets", "points"),
    )


def judge_bars(s: Look) -> Asked:
    vale = s.pick(VALES)
    points: defaultdict[str, list[int]] = defaultdict(list)
    for choir, sheet in _single(s):
        if choir.vale == vale:
            points[sheet.judge_title].append(sheet.points or 0)
    need(len(points) == len(JUDGES))
    means = {judge: rounded(sum(each) / len(each), 2) for judge, each in points.items()}
    order = in_full(means, least=True)
    return Asked(
        [
            f"Who is generous to {vale}? Six bars, severest judge leftmost, each as tall as that judge's mean points "
            f"for choirs of {vale} (hundredths or finer; doubled sheets once). Reply with the most generous.",
            f"Produce bars that climb: judges by mean points handed to choirs from {vale}, hundredths at least, twin "
            "sheets weighed once. The kindest judge's name is wanted.",
            f"Mean points per judge, {vale} choirs only, each sheet weighed once though typed twice: bars, climbing, "
            "hundredths or finer. Who stands rightmost?",
        ],
        order[-1],
        f"SELECT judge_title, avg({s.num('points')}) AS mean FROM ({DISTINCT}) AS t WHERE vale = '{vale}' AND "
        f"{s.known('points')} GROUP BY 1 ORDER BY 2",
        places=2,
        chart={"kind": "bar", "points": [[judge, means[judge]] for judge in order]},
    )


WORLD = World(
    "contest", "score sheets of a choir contest", rows,
    {
        "aggregates": [without_extremes], "top": [podium], "outliers": [split_jury], "duplicates": [typed_twice],
        "missing": [fully_judged], "charts": [judge_bars],
    },
)  # fmt: skip
