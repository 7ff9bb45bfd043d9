"""A hockey league: teams and matches, each with a team at home and one away. A match put off has no goals yet."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, ranked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, in_full, need

TEAMS = ["Otters", "Badgers", "Kestrels", "Hornets", "Pikes", "Stoats", "Ravens", "Martens"]
GROUNDS = ["Fenway Green", "Mill Rink", "Castle Field", "Quayside"]


class Team(NamedTuple):
    team_id: int
    team: str
    ground: str


class Match(NamedTuple):
    match_no: int
    matchday: int
    played_on: date
    home_id: int
    away_id: int
    home_goals: int | None
    away_goals: int | None


def rows(draw: Random) -> Rows:
    teams = [Team(1 + at, name, GROUNDS[at % 4]) for at, name in enumerate(TEAMS)]
    strength = {team.team_id: draw.uniform(0.8, 3.2) for team in teams}
    order = draw.sample([team.team_id for team in teams], 8)
    begin, matches = date(2025, 2, 1), []
    for matchday in range(1, 15):
        ring = [order[0], *(order[1 + (at + matchday) % 7] for at in range(7))]
        for at in range(4):
            home, away = (ring[at], ring[7 - at]) if (matchday > 7) == (at % 2 == 0) else (ring[7 - at], ring[at])
            day = begin + timedelta(7 * matchday + draw.randrange(2))
            goals = [min(7, int(draw.expovariate(1 / strength[each]))) for each in (home, away)]
            missing = matchday > 4 and draw.random() < 0.08
            matches.append(Match(0, matchday, day, home, away, *((None, None) if missing else goals)))
    return {"teams": teams, "matches": [match._replace(match_no=1 + at) for at, match in enumerate(matches)]}


class Side(NamedTuple):
    """A match as one of its teams saw it."""

    team: str
    other: str
    matchday: int
    home: bool
    goals: int
    against: int

    @property
    def points(self) -> int:
        return 3 if self.goals > self.against else 1 if self.goals == self.against else 0


def _sides(s: Look, until: int = 99) -> Iterator[Side]:
    names = {team.team_id: team.team for team in s["teams"]}
    for m in s["matches"]:
        if m.home_goals is not None and m.matchday <= until:
            home, away = names[m.home_id], names[m.away_id]
            yield Side(home, away, m.matchday, True, m.home_goals, m.away_goals)
            yield Side(away, home, m.matchday, False, m.away_goals, m.home_goals)


def _sql_sides(s: Look) -> str:
    """A CTE with the same columns as `Side`."""
    home, away, day = s.num("home_goals"), s.num("away_goals"), s.num("matchday")
    both = "FROM matches JOIN teams h ON h.team_id = home_id JOIN teams a ON a.team_id = away_id"
    return (
        f"WITH sides AS (SELECT h.team AS team, a.team AS other, {day} AS matchday, 1 AS home, {home} AS goals, "
        f"{away} AS against {both} WHERE {s.known('home_goals')} UNION ALL SELECT a.team, h.team, {day}, 0, {away}, "
        f"{home} {both} WHERE {s.known('home_goals')})"
    )


POINTS = "sum(CASE WHEN goals > against THEN 3 WHEN goals = against THEN 1 ELSE 0 END)"


def points_of(s: Look) -> Asked:
    team, until = s.pick(TEAMS), s.draw.randrange(5, 15)
    return Asked(
        [
            f"How many points did the {team} have after matchday {until}? A win gives 3, a draw 1; matches put off "
            "give nothing.",
            f"{team}: points from matchdays 1 to {until} (three for a win, one for a draw)?",
            f"I support the {team}. At three points a win and one a draw, what was our total once matchday {until} "
            "was over, matches without goals entered not being counted?",
            f"Add up the points of the {team}, home and away, up to and including matchday {until}; win 3, draw 1, "
            "defeat 0.",
        ],
        sum(side.points for side in _sides(s, until) if side.team == team),
        f"{_sql_sides(s)} SELECT {POINTS} FROM sides WHERE team = '{team}' AND matchday <= {until}",
    )


def table_after(s: Look) -> Asked:
    until, num = s.draw.randrange(5, 15), s.draw.choice((2, 3))
    points: Counter[str] = Counter()
    for side in _sides(s, until):
        points[side.team] += side.points
    return Asked(
        [
            f"Which {num} teams led the table after matchday {until}, by points (win 3, draw 1)? The leader first.",
            f"Give me the top {num} after {until} matchdays, most points first. Three points for winning, one for a "
            "draw.",
            "A win is worth 3 points and a draw 1. Make the table from all matches with a result up to matchday "
            f"{until}: who are the first {num}, in order?",
            f"List the {num} teams with the most points at the end of matchday {until} (3 for a win, 1 for a draw), "
            "best first.",
        ],
        ranked(points, num),
        f"{_sql_sides(s)} SELECT team FROM sides WHERE matchday <= {until} GROUP BY 1 ORDER BY {POINTS} DESC LIMIT "
        f"{num}",
    )


def home_strength(s: Look) -> Asked:
    first = s.draw.randrange(1, 9)
    last = first + s.draw.randrange(3, 7)
    homes = [side for side in _sides(s, last) if side.home and side.matchday >= first]
    share = 100 * sum(side.points == 3 for side in homes) / len(homes)
    return Asked(
        [
            f"On matchdays {first} to {last}, what percentage of the matches with a result was won by the home team? "
            "One decimal.",
            f"Does playing at home help? Share of home wins among matches that were played, matchday {first} through "
            f"{last}, in percent with one decimal.",
            f"Home wins in percent of all matches having goals entered, from matchday {first} to {last}, both of them "
            "included (1 decimal).",
            f"Leave out matches without a result. Out of the rest on matchdays {first}-{last}, how many percent ended "
            "with more goals for the home side? One decimal.",
        ],
        rounded(share, 1),
        f"{_sql_sides(s)} SELECT 100.0 * sum(CASE WHEN goals > against THEN 1 ELSE 0 END) / count(*) FROM sides WHERE "
        f"home = 1 AND matchday BETWEEN {first} AND {last}",
        places=1,
        look=("matches", "home_goals"),
    )


def never_beat(s: Look) -> Asked:
    team = s.pick(TEAMS)
    last = s.draw.choice((10, 12, 14))
    beaten = {side.other for side in _sides(s, last) if side.team == team and side.points == 3}
    rest = sorted(set(TEAMS) - beaten - {team})
    need(1 <= len(rest) <= 5)
    return Asked(
        [
            f"Which teams did the {team} not beat a single time up to matchday {last}? Any order.",
            f"List, in any order, all opponents in the league against whom the {team} have no win after {last} "
            "matchdays.",
            f"By the end of matchday {last}, whom had the {team} still never beaten? Give every such team; order is "
            "free.",
            f"Every other team in the league either lost to the {team} at least once by matchday {last} or it did "
            "not. I want those that did not, in any order.",
        ],
        rest,
        f"{_sql_sides(s)} SELECT team FROM teams WHERE team <> '{team}' AND team NOT IN (SELECT other FROM sides "
        f"WHERE team = '{team}' AND goals > against AND matchday <= {last})",
        ordered=False,
    )


def put_off(s: Look) -> Asked:
    names = {team.team_id: team.team for team in s["teams"]}
    first = s.draw.randrange(1, 9)
    last = first + s.draw.randrange(3, 7)
    off = [m for m in s["matches"] if m.home_goals is None and first <= m.matchday <= last]
    teams = sorted({names[number] for m in off for number in (m.home_id, m.away_id)})
    need(2 <= len(teams) <= 6)
    return Asked(
        [
            f"Which teams have a match without goals entered on matchdays {first} to {last}? List them in any order.",
            "Some teams still have matches to catch up on. Name all with at least one, at home or away, between "
            f"matchday {first} and {last} (both included) that lacks a result. The order is free.",
            f"Matches with no result, matchday {first} through {last}: which teams were to play in them, on either "
            "side? Any order.",
            f"Looking at matchdays {first} to {last} only, list every team, in any order, that had a match put off, "
            "that is, left without goals.",
        ],
        teams,
        "SELECT DISTINCT team FROM matches JOIN teams ON team_id IN (home_id, away_id) WHERE "
        f"{s.unknown('home_goals')} AND {s.num('matchday')} BETWEEN {first} AND {last}",
        ordered=False,
        look=("matches", "home_goals"),
    )


def goals_by_opponent(s: Look) -> Asked:
    team, num = s.pick(TEAMS), 2
    other = s.draw.choice(("scored", "let in"))
    goals: Counter[str] = Counter()
    for side in _sides(s):
        if side.team == team:
            goals[side.other] += side.goals if other == "scored" else side.against
    column = "goals" if other == "scored" else "against"
    verb = "score" if other == "scored" else "let in"
    return Asked(
        [
            f"Against which two teams did the {team} {verb} the most goals over the season? The one with most first.",
            f"Add up, by opponent, the goals the {team} {other}. Name the two opponents at the top, greatest first.",
            f"Goals {other} by the {team}, summed over the matches with each opponent: which two opponents lead, in "
            "order?",
            f"Look at home and away matches of the {team} together. Two opponents stand out for goals {other}; list "
            "them, the bigger sum first.",
        ],
        ranked(goals, num),
        f"{_sql_sides(s)} SELECT other FROM sides WHERE team = '{team}' GROUP BY 1 ORDER BY sum({column}) DESC LIMIT "
        f"{num}",
    )


def unbeaten_run(s: Look) -> Asked:
    team, until = s.pick(TEAMS), s.draw.randrange(8, 15)
    longest = run = 0
    for side in _sides(s, until):
        if side.team == team:
            run = run + 1 if side.points else 0
            longest = max(longest, run)
    need(longest > 1)
    return Asked(
        [
            f"What was the longest run of matches without defeat of the {team} up to matchday {until}? Matches with "
            "no result are passed over.",
            f"How many matches in a row did the {team} go unbeaten at most, matchdays 1 to {until}, ignoring any "
            "without goals?",
            f"Unbeaten means won or drawn. Going by matchday up to {until} and skipping what was put off, what is the "
            f"record number of successive unbeaten matches of the {team}?",
            f"{team}, until matchday {until}: length of the best unbeaten streak (matches put off neither break it "
            "nor count).",
        ],
        longest,
        f"{_sql_sides(s)}, t AS (SELECT matchday, CASE WHEN goals < against THEN 1 ELSE 0 END AS lost FROM sides "
        f"WHERE team = '{team}' AND matchday <= {until}), g AS (SELECT lost, sum(lost) OVER (ORDER BY matchday) AS "
        "block FROM t) SELECT max(num) FROM (SELECT count(*) AS num FROM g WHERE lost = 0 GROUP BY block) AS u",
    )  # fmt: skip


def high_scoring(s: Look) -> Asked:
    extra = s.draw.choice((2, 3, 4))
    team = s.pick(TEAMS)
    totals = [side.goals + side.against for side in _sides(s) if side.home]
    limit = sum(totals) + extra * len(totals)
    found = [
        side.matchday for side in _sides(s) if side.team == team and (side.goals + side.against) * len(totals) > limit
    ]
    need(found)
    return Asked(
        [
            f"On which matchdays did a match of the {team} have over {extra} goals more (both sides together) than "
            "the average match of the league? Any order.",
            "Work out the mean number of goals per match in the league. List, in any order, the matchdays when the "
            f"{team} played a match with more than {extra} goals above it.",
            f"Unusual matches of the {team}: total goals greater than the league's mean per match plus {extra}. Give "
            "their matchdays, order free.",
            f"Goals of both teams count. The {team} had matches that beat the league's average by more than {extra}; "
            "on what matchdays? Any order.",
        ],
        found,
        f"{_sql_sides(s)} SELECT matchday FROM sides WHERE team = '{team}' AND goals + against > {extra} + "
        "(SELECT avg(goals + against) FROM sides)",
        ordered=False,
    )


def points_line(s: Look) -> Asked:
    team, last = s.pick(TEAMS), s.draw.randrange(9, 15)
    points, so_far = [], 0
    for side in _sides(s, last):
        if side.team == team:
            so_far += side.points
            points.append([side.matchday, so_far])
    return Asked(
        [
            f"Draw the season of the {team} as a line: x the matchday, y their points so far (win 3, draw 1), "
            f"matchdays 1 to {last}, none where they have no result. Answer with the points at the end.",
            f"Line chart, {team}, up to matchday {last}: total of points after each matchday on which they have a "
            "result. Three for a win, one for a draw. What is the last value?",
            f"I want to see how the points of the {team} add up (3 a win, 1 a draw). One point of the line for each "
            f"matchday with a result, in order, until {last}. The final height is the answer.",
            f"With 3 points a win and 1 a draw, plot the points that the {team} collected so far against the "
            f"matchday, as a line, through matchday {last}; leave out matchdays without result. How many points have "
            "they then?",
        ],
        so_far,
        f"{_sql_sides(s)}, t AS (SELECT matchday, CASE WHEN goals > against THEN 3 WHEN goals = against THEN 1 ELSE 0 "
        f"END AS p FROM sides WHERE team = '{team}' AND matchday <= {last}) SELECT matchday, sum(p) OVER (ORDER BY "
        "matchday) AS points FROM t ORDER BY matchday",
        chart={"kind": "line", "points": points},
    )  # fmt: skip


def goals_scatter(s: Look) -> Asked:
    last, where = s.draw.randrange(6, 15), s.draw.choice(("home", "away"))
    scored: Counter[str] = Counter()
    let_in: Counter[str] = Counter()
    for side in _sides(s, last):
        if side.home == (where == "home"):
            scored[side.team] += side.goals
            let_in[side.team] += side.against
    need(len(scored) == len(TEAMS))
    difference = {team: scored[team] - let_in[team] for team in TEAMS}
    at = "at home" if where == "home" else "away from home"
    return Asked(
        [
            f"Scatter chart of the teams, matches {at} only, up to matchday {last}: x goals scored, y goals let in. "
            "Which team has the best difference (scored minus let in)?",
            f"One dot for each team: goals scored {at} (x) and goals let in {at} (y), matchdays 1 to {last}. Draw it "
            "as a scatter and answer with the team whose x exceeds its y by most.",
            f"Attack and defence {at} until matchday {last}. Scatter: goals scored to the right, goals received "
            "upwards, a point per team. The answer is the team with the highest scored minus received.",
            f"For every team take its goals {at}, scored as x and against it as y, over matchdays up to {last}, and "
            "draw a scatter chart. Then name the one with the greatest x - y.",
        ],
        best(difference),
        f"{_sql_sides(s)} SELECT sum(goals) AS scored, sum(against) AS let_in FROM sides WHERE home = "
        f"{int(where == 'home')} AND matchday <= {last} GROUP BY team",
        chart={"kind": "scatter", "points": [[scored[team], let_in[team]] for team in TEAMS]},
    )


def ground_bars(s: Look) -> Asked:
    first = s.draw.randrange(2, 10)
    grounds = {team.team: team.ground for team in s["teams"]}
    goals: Counter[str] = Counter()
    for side in _sides(s):
        if side.home and side.matchday >= first:
            goals[grounds[side.team]] += side.goals + side.against
    order = in_full(dict(goals))
    return Asked(
        [
            f"Bar chart: goals of both sides per ground since matchday {first} (a match is on the ground of the home "
            "team), the tallest bar first. Which ground is last?",
            f"Where do most goals fall? Sum all goals by the home team's ground from matchday {first} on and draw "
            "bars in descending order. Answer with the ground of the lowest bar.",
            f"From matchday {first} to the end, total goals by ground as bars, greatest first. Each ground serves its "
            "home teams; count the goals of guests as well. Name the ground with the fewest.",
            f"Matchday {first} and later. A bar for each ground with the goals seen there by either team, sorted from "
            "most to fewest. The answer is the one at the end.",
        ],
        order[-1],
        f"{_sql_sides(s)} SELECT ground, sum(goals + against) AS num FROM sides JOIN teams USING (team) WHERE home = 1 "
        f"AND matchday >= {first} GROUP BY 1 ORDER BY 2 DESC",
        chart={"kind": "bar", "points": [[ground, goals[ground]] for ground in order]},
    )


WORLD = World(
    "league", "a hockey league", rows,
    {
        "aggregates": [points_of, home_strength], "top": [table_after, goals_by_opponent], "joins": [never_beat],
        "missing": [put_off], "trends": [unbeaten_run], "outliers": [high_scoring],
        "charts": [points_line, goals_scatter, ground_bars],
    },
)  # fmt: skip
