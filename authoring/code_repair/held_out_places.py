"""Repositories that are held out: a theatre, a lift and a garden."""

from authoring.code_repair.repositories import Bug, Repository

THEATRE = Repository(
    "theatre",
    "Seat plans. A plan lists rows from front to back, with o for a vacant chair and x for a sold one.",
    {
        "chairs": '''def label(row, chair):
    """Both counted from 0: row 1, chair 4 is called "B5"."""
    return "ABCDEFGHIJ"[row] + str(chair + 1)


def position(name):
    """Undoes `label`."""
    return ["ABCDEFGHIJ".index(name[0]), int(name[1:]) - 1]
''',
        "plans": '''from theatre.chairs import label, position


def sell(plan, names):
    """A new plan in which those chairs are sold. Callers keep their old plan untouched."""
    rows = list(plan)
    for row, chair in map(position, names):
        rows[row] = rows[row][:chair] + "x" + rows[row][chair + 1 :]
    return rows


def adjacent(plan, size):
    """Labels for a party wanting to sit side by side: frontmost row possible, leftmost chairs there. Empty if hopeless."""
    for row, chairs in enumerate(plan):
        start = chairs.find("o" * size)
        if start >= 0:
            return [label(row, chair) for chair in range(start, start + size)]
    return []


def vacancies(plan):
    return "".join(plan).count("o")
''',
        "tickets": '''from theatre.chairs import position
from theatre.plans import sell, vacancies


def ticket(name, child=False):
    """Rows A and B cost 31, C to E 22, further back 13. Children pay half, rounded up to full coins."""
    row = position(name)[0]
    coins = 31 if row <= 1 else 22 if row <= 4 else 13
    return (coins + 1) // 2 if child else coins


def takings(plan, names, children=0):
    """[coins taken, vacancies beforehand, vacancies afterwards]. The earliest names on the order are children's."""
    coins = sum(ticket(name, at < children) for at, name in enumerate(names))
    after = sell(plan, names)
    return [coins, vacancies(plan), vacancies(after)]
''',
    },
    {
        "chairs": ["label(1, 4)", 'position("B5")', 'position("A10")'],
        "plans": ['sell(["ooo", "oxo"], ["A1", "B3"])', 'adjacent(["oxo", "xoo"], 2)', 'adjacent(["ox"], 2)'],
        "tickets": [
            'ticket("B2")',
            'ticket("C1", True)',
            'ticket("A1", True)',
            'ticket("F7")',
            'takings(["ooo", "oxo"], ["A1", "A2"])',
            'takings(["ooo"], ["A3", "A1"], 1)',
        ],
    },
    [
        "label(0, 0)",
        "label(9, 11)",
        'position("E1")',
        'position("C23")',
        'sell(["o"], [])',
        'sell(["oo", "oo"], ["B1", "B2"])',
        'adjacent(["xoxoo", "ooooo"], 2)',
        'adjacent(["xo", "oo"], 1)',
        'ticket("E3")',
        'ticket("F3", True)',
        'ticket("C9")',
        'ticket("B9", True)',
        'ticket("D4", True)',
        'takings(["xo", "oo"], ["B1"])',
        'takings(["ooo", "ooo"], ["A1", "B1", "B2"], 2)',
        'adjacent(["oox"], 2)',
    ],
    [
        Bug(
            "counting",
            "theatre/chairs.py",
            "str(chair + 1)",
            "str(chair)",
            "Guests hold tickets for chair 0, and our chairs start at 1.",
        ),
        Bug(
            "untouched",
            "theatre/plans.py",
            "rows = list(plan)",
            "rows = plan",
            "Both vacancy figures agree on every order, as though nothing had been sold.",
        ),
        Bug(
            "category",
            "theatre/tickets.py",
            "31 if row <= 1",
            "31 if row <= 2",
            "Row C pays what only A and B should pay.",
        ),
        Bug(
            "halves",
            "theatre/tickets.py",
            "(coins + 1) // 2 if child else coins",
            "coins // 2 if child else coins",
            "Kids in front sit down for one coin less than our price list says.",
        ),
    ],
)

LIFT = Repository(
    "lift",
    "Plans trips of a lift: where it halts, how long that takes, and who gets in.",
    {
        "halts": '''def halts(floor, calls, upward=True):
    """Order of service. A call from its present floor is answered at once, then everything in its direction, then it reverses."""
    here = [floor] if floor in calls else []
    above = sorted({call for call in calls if call > floor})
    below = sorted({call for call in calls if call < floor}, reverse=True)
    return here + (above + below if upward else below + above)
''',
        "trips": '''from lift.halts import halts


def duration(floor, calls, upward=True):
    """Seconds: 3 per floor travelled in either direction, plus 6 per halt."""
    seconds = 0
    for halt in halts(floor, calls, upward):
        seconds += 3 * abs(halt - floor) + 6
        floor = halt
    return seconds


def day(trips, floor=0):
    """Floors where successive trips end. A trip departs from wherever its predecessor ended; a trip lacking calls stays put."""
    ends = []
    for calls in trips:
        floor = ([floor] + halts(floor, calls))[-1]
        ends.append(floor)
    return ends
''',
        "cabin": '''def enter(people, limit=480):
    """Names of those entering, from a queue of [name, kilograms]. Whoever is too heavy for what remains is skipped."""
    inside, load = [], 0
    for name, kilograms in people:
        if load + kilograms > limit:
            continue
        inside.append(name)
        load += kilograms
    return inside


def journeys(people, limit=480):
    """Cabin after cabin until everybody has gone; people above the limit take the stairs, listed as "stairs: name"."""
    stairs = [f"stairs: {name}" for name, kilograms in people if kilograms > limit]
    waiting = [person for person in people if person[1] <= limit]
    cabins = []
    while waiting:
        cabins.append(enter(waiting, limit))
        waiting = [person for person in waiting if person[0] not in cabins[-1]]
    return [*cabins, stairs]
''',
    },
    {
        "halts": ["halts(3, [5, 1, 4, 2])", "halts(3, [5, 1, 2], False)", "halts(2, [2, 6, 6])"],
        "trips": ["duration(0, [2, 4])", "duration(3, [5, 1])", "day([[2, 4], [1], []])"],
        "cabin": [
            'enter([["Ivo", 90], ["Tia", 70], ["Lu", 30]], 120)',
            'enter([["Ivo", 300], ["Tia", 180], ["Lu", 1]])',
            'journeys([["Ivo", 90], ["Tia", 70], ["Max", 200]], 150)',
        ],
    },
    [
        "halts(0, [])",
        "halts(5, [4, 9, 5, 1])",
        "halts(5, [4, 9, 1, 7], False)",
        "duration(4, [4])",
        "duration(6, [1, 3])",
        "duration(2, [8, 0], False)",
        "day([[3], [3, 1], [2]])",
        "day([[], [7]], 4)",
        "day([])",
        'enter([["p", 50], ["q", 60], ["r", 50]], 100)',
        'enter([["p", 200], ["q", 279], ["r", 2], ["s", 1]])',
        'journeys([["p", 60], ["q", 60], ["r", 40]], 100)',
        'journeys([["p", 500]])',
        "journeys([], 5)",
        "halts(5, [3, 3, 1])",
        "duration(3, [4, 1])",
        "day([[], [7]])",
        'journeys([["p", 480], ["q", 481]])',
    ],
    [
        Bug(
            "downward",
            "lift/halts.py",
            "if call < floor}, reverse=True)",
            "if call < floor})",
            "Going down it rushes to the lowest floor and collects everyone else while climbing again.",
        ),
        Bug(
            "onward",
            "lift/trips.py",
            "        floor = halt\n",
            "",
            "Estimated durations grow absurd for several halts; each leg seems measured from our starting point.",
        ),
        Bug(
            "capacity",
            "lift/cabin.py",
            "def enter(people, limit=480):",
            "def enter(people, limit=400):",
            "Unless told otherwise a cabin may carry 480 kilograms, yet ours departs with far less.",
        ),
        Bug(
            "skipped",
            "lift/cabin.py",
            "            continue\n",
            "            break\n",
            "One heavy passenger at the door and no lighter one behind may board.",
        ),
    ],
)

GARDEN = Repository(
    "garden",
    "Watering: which bed gets water on which day, how much after rain, and how many cans to carry.",
    {
        "beds": '''from datetime import date


def bed(text):
    """`roses 3d 8l` as name, days from one watering until another, and litres."""
    name, days, litres = text.split()
    return [name, int(days[:-1]), int(litres[:-1])]


def days_between(start, end):
    """Dates look like 2031-04-09."""
    return (date.fromisoformat(end) - date.fromisoformat(start)).days
''',
        "calendar": '''from garden.beds import bed, days_between


def thirsty(texts, start, today):
    """Names of beds watered today: all on the start date, afterwards whenever a full interval has elapsed."""
    elapsed = days_between(start, today)
    return [name for name, interval, _ in map(bed, texts) if elapsed % interval == 0]


def postponed(texts, names, by=1):
    """Texts with longer intervals for the named beds: `by` days more, one unless stated."""
    longer = []
    for name, interval, litres in map(bed, texts):
        longer.append(f"{name} {interval + (by if name in names else 0)}d {litres}l")
    return longer
''',
        "water": '''from garden.beds import bed
from garden.calendar import thirsty


def litres(texts, start, today, rain=0):
    """Total needed today. From 5 mm of rain half of it suffices, rounded up; from 10 mm watering is needless."""
    due = thirsty(texts, start, today)
    total = sum(amount for name, _, amount in map(bed, texts) if name in due)
    if rain >= 10:
        return 0
    return (total + 1) // 2 if rain >= 5 else total


def cans(texts, start, today, size=10, rain=0):
    """Cans to fetch; a partly filled can is still a can."""
    return -(-litres(texts, start, today, rain) // size)
''',
    },
    {
        "beds": ['bed("roses 3d 8l")', 'days_between("2031-02-27", "2031-03-02")'],
        "calendar": [
            'thirsty(["roses 3d 8l", "herbs 2d 5l"], "2031-04-01", "2031-04-04")',
            'thirsty(["roses 3d 8l"], "2031-04-01", "2031-04-01")',
            'postponed(["roses 3d 8l", "herbs 2d 5l"], ["herbs"])',
        ],
        "water": [
            'litres(["roses 3d 8l", "herbs 1d 5l"], "2031-04-01", "2031-04-04", 5)',
            'litres(["roses 3d 8l"], "2031-04-01", "2031-04-04", 12)',
            'cans(["roses 3d 8l", "herbs 1d 5l"], "2031-04-01", "2031-04-04")',
        ],
    },
    [
        'bed("figs 14d 20l")',
        'days_between("2032-02-28", "2032-03-01")',
        'days_between("2031-12-31", "2032-01-01")',
        'thirsty(["a 2d 1l", "b 4d 1l"], "2031-06-28", "2031-07-02")',
        'thirsty(["a 5d 1l"], "2031-06-28", "2031-07-02")',
        'postponed(["a 2d 1l"], ["a"], 3)',
        'postponed(["a 2d 1l"], [])',
        'postponed(["a 9d 1l"], ["a"])',
        'litres(["a 1d 7l", "b 2d 4l"], "2031-05-01", "2031-05-02")',
        'litres(["a 1d 7l"], "2031-05-01", "2031-05-02", 9)',
        'litres(["a 1d 7l"], "2031-05-01", "2031-05-02", 10)',
        'litres(["a 3d 6l"], "2031-05-01", "2031-05-07", 4)',
        'cans(["a 1d 20l"], "2031-05-01", "2031-05-02")',
        'cans(["a 1d 20l"], "2031-05-01", "2031-05-02", 8, 5)',
        'litres(["a 1d 8l"], "2031-05-01", "2031-05-02", 5)',
        'cans(["a 1d 21l"], "2031-05-01", "2031-05-02")',
    ],
    [
        Bug(
            "module",
            "garden/beds.py",
            "from datetime import date\n",
            "import datetime as date\n",
            "Whatever asks for dates crashes since imports were tidied up.",
        ),
        Bug(
            "postponing",
            "garden/calendar.py",
            "by=1):",
            "by=0):",
            "Postponing a bed without saying how long has no effect whatsoever.",
        ),
        Bug(
            "downpour",
            "garden/water.py",
            "    if rain >= 10:\n        return 0\n    return (total + 1) // 2 if rain >= 5 else total",
            "    return (total + 1) // 2 if rain >= 5 else total",
            "We watered during a cloudburst.",
        ),
        Bug(
            "partly",
            "garden/water.py",
            "-(-litres(texts, start, today, rain) // size)",
            "litres(texts, start, today, rain) // size",
            "Beds get short-changed: whatever would not fill another can stays in our barrel.",
        ),
    ],
)

REPOSITORIES = [THEATRE, LIFT, GARDEN]
