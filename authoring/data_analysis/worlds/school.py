"""An evening school: who takes which course. Some sign up for one twice; the first entry then has no mark."""

from collections import Counter
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, grouped, one, quoted, ranked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, day_in, need

FIRST = [
    "Ada",
    "Bram",
    "Cleo",
    "Dirk",
    "Edda",
    "Finn",
    "Gwen",
    "Hugo",
    "Isla",
    "Joss",
    "Kaya",
    "Leif",
    "Mona",
    "Nils",
    "Orla",
]
LAST = ["Brock", "Carden", "Dahl", "Ebbing", "Frome", "Garrick", "Holt", "Ibsley", "Jarrow", "Kemble"]
TOWNS = ["Alderbury", "Cobham Mere", "Stowell", "Winfarthing"]
COURSES = ["Pottery", "Spanish", "Bookkeeping", "Guitar", "Carpentry", "Chess", "Sewing", "First aid"]
TEACHERS = ["Mr Quill", "Ms Harrow", "Mrs Teal", "Mr Oakes"]


class Pupil(NamedTuple):
    pupil_id: int
    pupil: str
    town: str
    born: date


class Course(NamedTuple):
    course_id: int
    course: str
    teacher: str
    fee: int
    seats: int


class Entry(NamedTuple):
    entry_no: int
    pupil_id: int
    course_id: int
    joined: date
    mark: int | None


def rows(draw: Random) -> Rows:
    names = draw.sample([f"{first} {last}" for first in FIRST for last in LAST], 34)
    pupils = [
        Pupil(200 + at, name, draw.choice(TOWNS), day_in(draw, date(1960, 1, 1), 16000))
        for at, name in enumerate(names)
    ]
    courses = [
        Course(1 + at, name, TEACHERS[at % 4], draw.randrange(40, 160, 5), draw.randrange(9, 16))
        for at, name in enumerate(COURSES)
    ]
    pairs = draw.sample([(pupil.pupil_id, course.course_id) for pupil in pupils[:-3] for course in courses], 105)
    drawn: list[Entry] = []
    for pupil, course in pairs:
        mark = None if draw.random() < 0.15 else min(100, int(draw.gauss(64, 16)))
        drawn.append(Entry(0, pupil, course, day_in(draw, date(2025, 1, 6), 90), mark))
    for entry in draw.sample(drawn, 9):
        drawn.append(entry._replace(joined=entry.joined - timedelta(draw.randrange(5, 40)), mark=None))
    drawn.sort(key=lambda entry: (entry.joined, entry.pupil_id))
    entries = [entry._replace(entry_no=501 + at) for at, entry in enumerate(drawn)]
    return {"pupils": pupils, "courses": courses, "entries": entries}


ALL = "entries JOIN courses USING (course_id) JOIN pupils USING (pupil_id)"


def _course(s: Look, wanted: str) -> list[Entry]:
    numbers = {course.course_id for course in s["courses"] if course.course == wanted}
    return [entry for entry in s["entries"] if entry.course_id in numbers]


def _pupils(s: Look) -> dict[int, Pupil]:
    return {pupil.pupil_id: pupil for pupil in s["pupils"]}


def marks_of_teacher(s: Look) -> Asked:
    teacher, town = s.pick(TEACHERS), s.pick(TOWNS)
    taught, pupils = {course.course_id for course in s["courses"] if course.teacher == teacher}, _pupils(s)
    marks = [
        entry.mark
        for entry in s["entries"]
        if entry.course_id in taught and entry.mark is not None and pupils[entry.pupil_id].town == town
    ]
    need(len(marks) > 2)
    return Asked(
        [
            f"{teacher} wonders how the people from {town} are doing. Average of all marks they got in courses of "
            f"{teacher}, two decimals.",
            f"Mean mark, to two decimals: pupils living in {town}, courses taught by {teacher}. No mark, no part in "
            "it.",
            f"Take every mark that {teacher} has given to a pupil from {town}. What is their average (2 decimals)?",
            f"We have pupils from {town}. What mark do they get on average when {teacher} is the teacher? Entries "
            "still without a mark are left aside; answer with two decimals.",
        ],
        rounded(sum(marks) / len(marks), 2),
        f"SELECT avg({s.num('mark')}) FROM {ALL} WHERE teacher = {quoted(teacher)} AND town = {quoted(town)} "
        f"AND {s.known('mark')}",
        places=2,
    )  # fmt: skip


def overfull(s: Look) -> Asked:
    day = s.pick(entry.joined for entry in s["entries"])
    inside = {(entry.pupil_id, entry.course_id) for entry in s["entries"] if entry.joined <= day}
    num = Counter(course for _, course in inside)
    full = [course.course for course in s["courses"] if num[course.course_id] > course.seats]
    need(1 <= len(full) <= 5)
    return Asked(
        [
            f"Which courses had, by the end of {day}, more different pupils than seats? A list, any order.",
            "The caretaker complains about missing chairs. Counting each pupil once per course, and only entries "
            f"made on or before {day}: list the courses (any order) that had more pupils than seats.",
            f"List, in whatever order, all courses that were overbooked on {day}. Overbooked means more pupils had "
            "joined so far than there are seats; somebody who signed up twice for a course is one pupil.",
            f"Seats against pupils: for entries dated up to {day} inclusive, name each course (any order) where the "
            "number of distinct pupils is greater than the seats.",
        ],
        full,
        f"SELECT course FROM entries JOIN courses USING (course_id) WHERE joined <= '{day}' GROUP BY course, seats "
        f"HAVING count(DISTINCT pupil_id) > {s.num('seats')}",
        ordered=False,
    )


def in_both(s: Look) -> Asked:
    first, second = s.two(COURSES)
    both = {entry.pupil_id for entry in _course(s, first)} & {entry.pupil_id for entry in _course(s, second)}
    need(len(both) > 1)
    return Asked(
        [
            f"How many pupils take both {first} and {second}?",
            f"{first} and {second} may be moved to the same evening. How many people are in both?",
            f"Count the pupils with an entry for {first} who have one for {second} as well.",
            f"Someone told me that hardly anybody does {first} together with {second}. What is the number of pupils "
            "who do?",
        ],
        len(both),
        f"SELECT count(*) FROM (SELECT pupil_id FROM {ALL} WHERE course = {quoted(first)} INTERSECT "
        f"SELECT pupil_id FROM {ALL} WHERE course = {quoted(second)}) AS t",
    )


def few_courses(s: Look) -> Asked:
    town = s.pick(TOWNS)
    taken: dict[int, set[int]] = {}
    for entry in s["entries"]:
        taken.setdefault(entry.pupil_id, set()).add(entry.course_id)
    limit = s.draw.randrange(2, 6)
    found = [p.pupil for p in s["pupils"] if p.town == town and len(taken.get(p.pupil_id, ())) < limit]
    need(found)
    return Asked(
        [
            f"Of the pupils from {town}, how many take fewer than {limit} different courses? Some take none at all.",
            f"How many people in {town} are on our list of pupils and in less than {limit} courses, those in no "
            "course included?",
            f"I am looking at {town}. Pupils there with 0 to {limit - 1} different courses: how many?",
            f"Please count the pupils living in {town} who have not reached {limit} courses. Signing up again for the "
            "same course does not make it two, and somebody may be in none.",
        ],
        len(found),
        f"SELECT count(*) FROM (SELECT pupils.pupil_id FROM pupils LEFT JOIN entries USING (pupil_id) "
        f"WHERE town = {quoted(town)} GROUP BY 1 HAVING count(DISTINCT course_id) < {limit}) AS t",
    )


def unmarked_course(s: Look) -> Asked:
    town, year = s.pick(TOWNS), s.draw.randrange(1966, 1996)
    pupils, courses = _pupils(s), {course.course_id: course.course for course in s["courses"]}
    found = [
        e for e in s["entries"] if e.mark is None and (p := pupils[e.pupil_id]).town == town and p.born.year <= year
    ]
    worst = best(grouped(found, lambda entry: courses[entry.course_id], one))
    return Asked(
        [
            f"Looking at pupils from {town} born in {year} or before, which course has the most entries without a "
            "mark?",
            f"Where is marking most behind? Take the pupils of {town} whose year of birth is {year} or earlier and "
            "name the course with the greatest number of their entries that have no mark.",
            f"Name the course with the largest number of markless entries by people from {town}, born no later than "
            f"{year}.",
            f"Leave out everybody who is not from {town} or was born after {year}. In the rest, entries lacking a "
            "mark are most frequent in one course. Which?",
        ],
        worst,
        f"SELECT course FROM {ALL} WHERE {s.unknown('mark')} AND town = {quoted(town)} AND born < '{year + 1}-01-01' "
        "GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
        look=("entries", "mark"),
    )


def best_in_course(s: Look) -> Asked:
    course, num = s.pick(COURSES), s.draw.choice((2, 3, 4))
    pupils = _pupils(s)
    marks = {pupils[e.pupil_id].pupil: e.mark for e in _course(s, course) if e.mark is not None}
    return Asked(
        [
            f"The {num} best marks in {course}: whose are they? Names, the best first.",
            f"There are prizes for the {num} pupils with the highest marks in {course}. List them, starting with the "
            "highest.",
            f"Rank {course} by mark and give me the names of the top {num}, best one first.",
            f"For the board in the hall I need {num} names: the pupils who did best in {course}, in descending order "
            "of mark.",
        ],
        ranked(marks, num),
        f"SELECT pupil FROM {ALL} WHERE course = {quoted(course)} AND {s.known('mark')} "
        f"ORDER BY {s.num('mark')} DESC LIMIT {num}",
    )


def youngest(s: Look) -> Asked:
    course, year = s.pick(COURSES), s.draw.randrange(1962, 1990)
    pupils = _pupils(s)
    found = {entry.pupil_id for entry in _course(s, course) if pupils[entry.pupil_id].born.year >= year}
    need(len(found) > 1)
    return Asked(
        [
            f"How many different pupils of {course} were born in {year} or later?",
            f"A grant is paid for {course}, per pupil whose year of birth is {year} or after. For how many people?",
            f"Of all who have joined {course}, count the people born since the beginning of {year}.",
            f"Born in {year} or later, and in {course}: number of pupils, please (nobody is counted twice).",
        ],
        len(found),
        f"SELECT count(DISTINCT pupil_id) FROM {ALL} WHERE course = {quoted(course)} AND born >= '{year}-01-01'",
    )


def signed_up_twice(s: Look) -> Asked:
    course = s.pick(COURSES)
    pupils = _pupils(s)
    num = Counter(entry.pupil_id for entry in _course(s, course))
    twice = [pupils[pupil].pupil for pupil in num if num[pupil] > 1]
    need(twice)
    return Asked(
        [
            f"Who is entered for {course} more than once? List the names in any order.",
            f"There are two entries for the same person in {course}, perhaps for several people. Give all their "
            "names, any order.",
            f"Check {course} for repeated sign-ups. I want a list of the pupils concerned, order does not matter.",
            f"Before we print the list of {course}: which pupils stand on it at least twice? (names, in any order)",
        ],
        twice,
        f"SELECT pupil FROM {ALL} WHERE course = {quoted(course)} GROUP BY pupil_id, pupil HAVING count(*) > 1",
        ordered=False,
    )


def far_below(s: Look) -> Asked:
    limit, teacher = s.draw.choice((10, 12, 15, 18, 20, 25)), s.pick(TEACHERS)
    num = 0
    for course in s["courses"]:
        marks = [e.mark for e in s["entries"] if e.course_id == course.course_id and e.mark is not None]
        num += sum(len(marks) * (mark + limit) < sum(marks) for mark in marks) if course.teacher == teacher else 0
    need(num)
    return Asked(
        [
            f"In the courses of {teacher}, how many marks lie more than {limit} points under the average mark of "
            "their own course?",
            f"{teacher} wants to help those who fall behind: a mark over {limit} points below the mean of that same "
            "course. How many such marks are there?",
            f"Compare each mark with the average of its course. For {teacher}, count those lower by more than {limit}.",
            f"How many times did a pupil of {teacher} stay more than {limit} points below what the course achieved on "
            "average?",
        ],
        num,
        f"WITH m AS (SELECT course_id, avg({s.num('mark')}) AS mean FROM entries WHERE {s.known('mark')} GROUP BY 1) "
        f"SELECT count(*) FROM entries JOIN m USING (course_id) JOIN courses USING (course_id) "
        f"WHERE teacher = {quoted(teacher)} AND {s.known('mark')} AND {s.num('mark')} < mean - {limit}",
    )  # fmt: skip


def bars_of_towns(s: Look) -> Asked:
    course = s.pick(COURSES)
    pupils = _pupils(s)
    towns = Counter(pupils[pupil].town for pupil in {entry.pupil_id for entry in _course(s, course)})
    need(len(towns) > 2)
    return Asked(
        [
            f"Where do the pupils of {course} come from? A bar chart, one bar per town that has any, towns in "
            "alphabetical order, each pupil counted once. Answer with the town of the tallest bar.",
            f"Bars, please: towns from A to Z, and how many different pupils of {course} live there (towns with none "
            "are not shown). Your answer is the town with most of them.",
            f"Draw the number of distinct pupils in {course} by town as a bar chart sorted by the town's name. Only "
            "towns that occur. Then name the town that leads.",
            f"For {course} I need a bar chart by town, alphabetical, height = pupils (not entries). Skip towns "
            "without pupils. The answer: which town has the most?",
        ],
        best(dict(towns)),
        f"SELECT town, count(DISTINCT pupil_id) AS pupils FROM {ALL} WHERE course = {quoted(course)} GROUP BY 1 ORDER "
        "BY 1",
        chart={"kind": "bar", "points": [[town, towns[town]] for town in sorted(towns)]},
    )


def seats_against_pupils(s: Look) -> Asked:
    day = s.pick(entry.joined for entry in s["entries"])
    inside = Counter(c for _, c in {(e.pupil_id, e.course_id) for e in s["entries"] if e.joined <= day})
    need(len(inside) == len(COURSES))
    points = [[course.seats, inside[course.course_id]] for course in s["courses"]]
    answer = best({course.course: inside[course.course_id] for course in s["courses"]})
    return Asked(
        [
            f"Scatter chart, a point per course: x the seats, y how many different pupils had joined by {day} "
            "(included). The course with the most pupils is the answer.",
            f"Plot seats (x) against distinct pupils who joined up to and including {day} (y) as a scatter chart of "
            "the courses. Then tell me which course has the largest y.",
            "I would like to see whether big rooms fill up: scatter, one dot for each course, seats to the right, "
            f"pupils upwards (distinct, joined no later than {day}). Answer with the course that has most pupils.",
            f"State of {day}, end of day. For every course take its seats as x and its number of different pupils as "
            "y and draw a scatter chart. Which course is highest?",
        ],
        answer,
        f"SELECT {s.num('seats')} AS seats, count(DISTINCT pupil_id) AS pupils FROM entries JOIN courses USING "
        f"(course_id) WHERE joined <= '{day}' GROUP BY course, {s.num('seats')}",
        chart={"kind": "scatter", "points": points},
    )


WORLD = World(
    "school", "the books of an evening school", rows,
    {
        "aggregates": [marks_of_teacher], "filters": [overfull], "joins": [in_both, few_courses],
        "missing": [unmarked_course], "top": [best_in_course], "dates": [youngest], "duplicates": [signed_up_twice],
        "outliers": [far_below], "charts": [bars_of_towns, seats_against_pupils],
    },
)  # fmt: skip
