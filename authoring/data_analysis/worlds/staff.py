"""The staff of a shipyard: who reports to whom, pay, and absences. One without a last day still goes on."""

from collections import Counter
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, quoted, ranked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, day_in, month_of, need

NAMES = [
    "Abbott", "Barlow", "Crewe", "Danvers", "Ellery", "Foss", "Granger", "Hale", "Irving", "Judd", "Kerr", "Lomax",
    "Mercer", "Nash", "Osgood", "Pryor", "Quarles", "Ridley", "Sewell", "Tarrant", "Upton", "Vane", "Wragg", "Yates",
    "Ashby", "Boyce", "Colby", "Drury",
]  # fmt: skip
TEAMS = ["hull", "rigging", "paint", "engines"]
REASONS = ["illness", "training", "holiday"]


class Person(NamedTuple):
    staff_no: int
    name: str
    boss_no: int | None
    team: str
    hired: date
    pay: int


class Absence(NamedTuple):
    absence_no: int
    staff_no: int
    first_day: date
    last_day: date | None
    reason: str


def rows(draw: Random) -> Rows:
    names = draw.sample(NAMES, len(NAMES))
    staff: list[Person] = []
    for at, name in enumerate(names):
        boss = None if at == 0 else 1 if at < 5 else draw.randrange(2, 6) if at < 13 else draw.randrange(2, 14)
        team = TEAMS[(at - 1) % 4] if at < 5 else staff[(boss or 1) - 1].team
        pay = draw.randrange(5200, 6000, 20) if at < 5 else draw.randrange(2400, 5600, 20)
        staff.append(Person(1 + at, name, boss, team, day_in(draw, date(2010, 1, 1), 5400), pay))
    begin, drawn = date(2025, 1, 1), []
    for _ in range(84):
        first = day_in(draw, begin, 170)
        last = None if draw.random() < 0.12 and first > date(2025, 4, 1) else first + timedelta(draw.randrange(12))
        drawn.append((first, last, draw.randrange(1, len(names) + 1), draw.choice(REASONS)))
    drawn.sort(key=lambda each: (each[0], each[2]))
    absences = [Absence(301 + at, who, first, last, why) for at, (first, last, who, why) in enumerate(drawn)]
    return {"staff": staff, "absences": absences}


BOTH = "absences JOIN staff USING (staff_no)"


def _below(s: Look, number: int) -> list[Person]:
    own = [person for person in s["staff"] if person.boss_no == number]
    return [*own, *(person for each in own for person in _below(s, each.staff_no))]


def _boss(s: Look) -> Person:
    bosses = {person.boss_no for person in s["staff"]}
    return s.pick(person for person in s["staff"] if person.staff_no in bosses and person.boss_no)


def direct_reports(s: Look) -> Asked:
    boss = s.pick(person.name for person in s["staff"] if any(p.boss_no == person.staff_no for p in s["staff"]))
    number = next(person.staff_no for person in s["staff"] if person.name == boss)
    limit = s.draw.randrange(2014, 2024)
    found = [p.name for p in s["staff"] if p.boss_no == number and p.hired.year <= limit]
    need(found)
    return Asked(
        [
            f"Who reports directly to {boss} and was hired in {limit} or earlier? Names, in any order.",
            f"List the people (any order) whose immediate boss is {boss}, leaving out everybody hired after {limit}.",
            f"{boss} is inviting those who have worked here since {limit} at the latest, but only direct reports. "
            "Whom? Give a list, order does not matter.",
            f"Direct subordinates of {boss}, year of hiring up to {limit}: all their names, please, any order.",
        ],
        found,
        f"SELECT p.name FROM staff p JOIN staff b ON p.boss_no = b.staff_no WHERE b.name = {quoted(boss)} "
        f"AND p.hired < '{limit + 1}-01-01'",
        ordered=False,
    )


def everyone_below(s: Look) -> Asked:
    boss = _boss(s)
    below = _below(s, boss.staff_no)
    need(len(below) > 1)
    column, words, value = s.draw.choice(
        (
            ("count(*)", "people", len(below)),
            ("sum({pay})", "total pay of the people", sum(p.pay for p in below)),
        )
    )
    ask = f"How many {words} are there" if words == "people" else f"What is the {words}"
    return Asked(
        [
            f"{ask} under {boss.name}, at any level (reports, their reports and so on; {boss.name} not included)?",
            f"{boss.name} moves to a new site with all who report to {boss.name} directly or through others. {ask} "
            "who move along? The boss is not counted.",
            f"Go down the chain of command from {boss.name} to the bottom. {ask} on the way, {boss.name} left out?",
            f"{ask} who have {boss.name} as their boss, or as their boss's boss, or further up?",
        ],
        value,
        f"WITH RECURSIVE below AS (SELECT staff_no, pay FROM staff WHERE boss_no = {boss.staff_no} UNION ALL "
        "SELECT p.staff_no, p.pay FROM staff p JOIN below ON p.boss_no = below.staff_no) "
        f"SELECT {column.format(pay=s.num('pay'))} FROM below",
    )  # fmt: skip


def paid_above_boss(s: Look) -> Asked:
    limit = s.draw.randrange(100, 1500, 50)
    people = {person.staff_no: person for person in s["staff"]}
    found = [p.name for p in s["staff"] if p.boss_no and p.pay > people[p.boss_no].pay + limit]
    need(1 <= len(found) <= 6)
    return Asked(
        [
            f"Who earns over {limit} more than their own boss? A list of names in any order.",
            f"List (any order) everybody whose pay exceeds the pay of the person they report to by more than {limit}.",
            f"Pay audit: staff against their immediate boss. Name those ahead by more than {limit}, in any order.",
            "It seems that some bosses are paid less than the people under them. Where the difference to a direct "
            f"report is greater than {limit}, give me the name of that report. Order is free.",
        ],
        found,
        f"SELECT p.name FROM staff p JOIN staff b ON p.boss_no = b.staff_no WHERE {s.num('p.pay')} > {s.num('b.pay')} "
        f"+ {limit}",
        ordered=False,
    )


def pay_of_team(s: Look) -> Asked:
    (one, other), year = s.two(TEAMS), s.draw.randrange(2012, 2022)
    pays = [[p.pay for p in s["staff"] if p.team == team and p.hired.year >= year] for team in (one, other)]
    need(all(len(each) > 1 for each in pays))
    means = [sum(each) / len(each) for each in pays]
    since = f"hired >= '{year}-01-01'"
    parts = [f"(SELECT avg({s.num('pay')}) FROM staff WHERE team = '{team}' AND {since})" for team in (one, other)]
    return Asked(
        [
            f"Of the staff hired in {year} or after: average pay in {one} minus average pay in {other}, two decimals?",
            f"How much more does {one} pay on average than {other}, looking at people hired since the start of "
            f"{year}? Two decimals, with a minus if it is less.",
            f"Compare teams: mean pay of {one} less mean pay of {other} (2 decimals, may be negative). Leave out "
            f"whoever was hired before {year}.",
            f"Hired {year} or later only. Subtract the mean pay of the team {other} from that of the team {one}; two "
            "decimals.",
        ],
        rounded(means[0] - means[1], 2),
        f"SELECT {parts[0]} - {parts[1]}",
        places=2,
    )


def days_lost(s: Look) -> Asked:
    reason, team = s.pick(REASONS), s.pick(TEAMS)
    people = {p.staff_no for p in s["staff"] if p.team == team}
    found = [a for a in s["absences"] if a.staff_no in people and a.reason == reason and a.last_day]
    need(len(found) > 1)
    return Asked(
        [
            f"How many days of {reason} did the team {team} have in all, first and last day both counted? Leave out "
            "absences that have no last day.",
            f"Add up the length in days of every finished absence for {reason} in {team}. Someone away from the 3rd "
            "to the 5th was away for 3 days.",
            f"{team.capitalize()}, {reason}: total days away. Count both ends of each absence; those without an end "
            "do not count.",
            f"For the yearly report: calendar days lost to {reason} in the {team} team, the first day and the last "
            "one included, over absences with a known last day.",
        ],
        sum((each.last_day - each.first_day).days + 1 for each in found),
        f"SELECT sum({s.days('last_day', 'first_day')} + 1) FROM {BOTH} WHERE team = '{team}' AND reason = '{reason}' "
        f"AND {s.known('last_day')}",
        look=("absences", "reason"),
    )


def away_on(s: Look) -> Asked:
    day = s.pick(absence.first_day for absence in s["absences"]) + timedelta(s.draw.randrange(5))
    people = {p.staff_no: p.name for p in s["staff"]}
    away = {people[a.staff_no] for a in s["absences"] if a.first_day <= day and (not a.last_day or a.last_day >= day)}
    need(2 <= len(away) <= 8)
    return Asked(
        [
            f"Who was away on {day}? Names in any order; where there is no last day, the absence is still going on.",
            f"List everyone absent on {day} (first and last day count as absent, a missing last day means not back "
            "yet). Any order.",
            f"The roll call of {day} went wrong. Which members of staff were not there that day according to the "
            "absences? An absence whose last day is blank has not ended. Order is free.",
            f"Name the people with an absence that covers {day}, one without an end included. Any order.",
        ],
        sorted(away),
        f"SELECT DISTINCT name FROM {BOTH} WHERE first_day <= '{day}' AND ({s.unknown('last_day')} OR last_day >= "
        f"'{day}')",
        ordered=False,
    )


def longest_serving(s: Look) -> Asked:
    team, num, least = s.pick(TEAMS), s.draw.choice((2, 3)), s.draw.choice((True, False))
    hired = {person.name: person.hired for person in s["staff"] if person.team == team}
    which = "have been here longest" if least else "were hired most recently"
    order = "the earliest hired first" if least else "the latest hired first"
    return Asked(
        [
            f"Which {num} people of the {team} team {which}? {order.capitalize()}.",
            f"In {team}, name the {num} who {which}, {order}.",
            f"We need {num} names from {team} for a photograph: those who {which}. Put {order}.",
            f"Sort the team {team} by date of hiring. Who are the {num} that {which}? List them with {order}.",
        ],
        ranked(hired, num, least),
        f"SELECT name FROM staff WHERE team = '{team}' ORDER BY hired {'' if least else 'DESC '}LIMIT {num}",
    )


def still_away(s: Look) -> Asked:
    day = s.pick(absence.first_day for absence in s["absences"] if not absence.last_day)
    found = [a for a in s["absences"] if not a.last_day and a.first_day <= day]
    return Asked(
        [
            f"Of the absences that began up to {day} (included), how many have no last day?",
            f"For how many absences is the last day missing, if we look only at those that started on {day} or before?",
            f"Count absences with no end entered, first day not later than {day}.",
            "Payroll cannot close some absences because the last day was never filled in. How many are they, among "
            f"those with a first day no later than {day}?",
        ],
        len(found),
        f"SELECT count(*) FROM absences WHERE {s.unknown('last_day')} AND first_day <= '{day}'",
        look=("absences", "last_day"),
    )


def overlapping(s: Look) -> Asked:
    reason, team = s.pick(REASONS), s.pick(TEAMS)
    people = {p.staff_no: p.name for p in s["staff"] if p.team == team}
    done = [a for a in s["absences"] if a.last_day and a.staff_no in people]
    found = {
        people[a.staff_no]
        for a in done
        for b in done
        if a.staff_no == b.staff_no and a.absence_no != b.absence_no and a.reason == reason
        and a.first_day <= b.last_day and b.first_day <= a.last_day
    }  # fmt: skip
    need(1 <= len(found) <= 6)
    return Asked(
        [
            f"Some days were entered under two absences. Who in {team} has an absence for {reason} sharing at least "
            "one day with another absence of their own? Names in any order; leave out absences without a last day on "
            "either side.",
            f"Using only absences that have ended: list the people of {team} (any order) with an absence for {reason} "
            "that overlaps another of their own absences, of whatever reason, by a day or more.",
            f"Nobody can be away twice at a time. Find the staff of the {team} team with an absence for {reason} that "
            "has a day in common with some other absence of theirs (both with a last day). List their names, any "
            "order.",
            f"Team {team}: whose absences clash? One of the two must be for {reason}, both must have a last day, and "
            "they share one day or more. Names, please, in any order.",
        ],
        sorted(found),
        "SELECT DISTINCT name FROM absences a JOIN absences b ON a.staff_no = b.staff_no AND a.absence_no <> "
        "b.absence_no AND a.first_day <= b.last_day AND b.first_day <= a.last_day JOIN staff ON staff.staff_no = "
        f"a.staff_no WHERE a.reason = '{reason}' AND team = '{team}' AND {s.known('a.last_day')} AND "
        f"{s.known('b.last_day')}",
        ordered=False,
    )


def team_outlier(s: Look) -> Asked:
    team = s.pick(TEAMS)
    reason = s.pick(REASONS)
    pays = {p.name: p.pay for p in s["staff"] if p.team == team}
    away = {a.staff_no for a in s["absences"] if a.reason == reason}
    mean = sum(pays.values()) / len(pays)
    apart = {p.name: abs(p.pay - mean) for p in s["staff"] if p.name in pays and p.staff_no in away}
    need(len(apart) > 2)
    return Asked(
        [
            f"Whose pay is furthest from the average of the {team} team, up or down, among its people who had any "
            f"{reason}? The average is over the whole team.",
            f"Take the mean pay of all of {team}. Of those in it with at least one absence for {reason}, who is "
            "farthest away from that mean, above or below?",
            f"Team {team}: look at members who were ever absent for {reason} and name the one whose pay differs most "
            "from the mean of the full team.",
            f"I want the odd one out in {team} by pay. Measure against the average of everybody in the team, in "
            f"either direction, but consider only people with an absence whose reason is {reason}.",
        ],
        best(apart),
        f"SELECT name FROM staff WHERE team = '{team}' AND staff_no IN (SELECT staff_no FROM absences WHERE reason = "
        f"'{reason}') ORDER BY abs({s.num('pay')} - (SELECT avg({s.num('pay')}) FROM staff WHERE team = '{team}')) "
        "DESC LIMIT 1",
    )


def absences_by_month(s: Look) -> Asked:
    team = s.pick(TEAMS)
    reason = s.pick(REASONS)
    people = {p.staff_no for p in s["staff"] if p.team == team}
    months = Counter(month_of(a.first_day) for a in s["absences"] if a.staff_no in people and a.reason != reason)
    need(len(months) > 3)
    return Asked(
        [
            f"Line chart for {team}: absences that began in each month (YYYY-MM in order, months with none left out), "
            f"{reason} not counted. Answer: the month with the most.",
            f"Leave {reason} aside. How many absences of the {team} team start in which month? Draw a line, x = "
            "YYYY-MM ascending, only months that have some, and answer with the peak month.",
            "Please draw, as a line over the months (YYYY-MM, earliest first, empty ones skipped), the number of "
            f"{team} absences for any reason but {reason} by the month of their first day. At which month is the line "
            "highest?",
            f"By month of the first day: number of absences in team {team}, all reasons except {reason}. Line chart, "
            "months as YYYY-MM in order, without months that have zero. Which one has most?",
        ],
        best(dict(months)),
        f"SELECT {s.month('first_day')} AS month, count(*) AS num FROM {BOTH} WHERE team = '{team}' AND reason <> "
        f"'{reason}' GROUP BY 1 ORDER BY 1",
        chart={"kind": "line", "points": [[month, months[month]] for month in sorted(months)]},
    )


WORLD = World(
    "staff", "the staff office of a shipyard", rows,
    {
        "joins": [direct_reports, everyone_below], "filters": [paid_above_boss], "aggregates": [pay_of_team],
        "dates": [days_lost, away_on], "top": [longest_serving], "missing": [still_away],
        "duplicates": [overlapping], "outliers": [team_outlier], "charts": [absences_by_month],
    },
)  # fmt: skip
