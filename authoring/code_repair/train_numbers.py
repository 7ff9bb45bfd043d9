"""Repositories to learn from: measurements, grids, calendars and queues."""

from authoring.code_repair.repositories import Bug, Repository

GAUGES = Repository(
    "gauges",
    "Readings of gauges: cleaning, averages and alarms.",
    {
        "readings": '''def numbers(texts):
    """Readings as whole numbers; what is none is left out."""
    return [int(text) for text in texts if text.strip().removeprefix("-").isdigit()]


def without_outliers(values, most):
    """Without those that are further than `most` from the middle one."""
    if not values:
        return []
    middle = sorted(values)[len(values) // 2]
    return [value for value in values if abs(value - middle) <= most]
''',
        "averages": '''def mean(values):
    """Rounded down; 0 for none."""
    return sum(values) // len(values) if values else 0


def moving(values, width):
    """The mean of each stretch of `width` neighbours."""
    return [mean(values[at : at + width]) for at in range(len(values) - width + 1)]
''',
        "alarms": '''from gauges.averages import moving
from gauges.readings import numbers, without_outliers


def alarms(texts, limit, width=3):
    """The places at which the moving mean rises above the limit, having been at or below it before."""
    rows = moving(without_outliers(numbers(texts), 50), width)
    return [at for at, now in enumerate(rows) if now > limit and (at == 0 or rows[at - 1] <= limit)]
''',
    },
    {
        "readings": [
            'numbers(["4", "x", "-7", " 3 "])',
            "without_outliers([5, 6, 90, 7], 10)",
            "without_outliers([5, 15], 10)",
        ],
        "averages": ["mean([1, 2, 4])", "mean([])", "moving([1, 3, 5, 7], 2)"],
        "alarms": [
            'alarms(["1", "1", "9", "9", "9", "1"], 4)',
            'alarms(["9", "9", "9", "9"], 4)',
            'alarms(["4", "4", "9"], 4, 1)',
        ],
    },
    [
        'numbers(["-0", "", "12"])',
        "without_outliers([0, 10, 20, 30], 10)",
        "without_outliers([], 1)",
        "mean([-3, 0])",
        "moving([4, 8], 2)",
        "moving([4], 2)",
        "moving([3, 3, 9, 9], 3)",
        'alarms(["1", "9", "1", "9"], 4, 1)',
        'alarms(["5", "4", "6"], 4, 1)',
        'alarms(["1", "200", "7", "7", "7"], 4)',
        "alarms([], 4)",
        'numbers(["5-", "-5"])',
        'alarms(["1", "51", "51", "52", "2", "2"], 20)',
    ],
    [
        Bug(
            "minus", "gauges/readings.py", '.removeprefix("-").isdigit()', ".isdigit()", "Readings below zero are lost."
        ),
        Bug(
            "edge",
            "gauges/readings.py",
            "<= most]",
            "< most]",
            "Readings exactly at the allowed distance are thrown away.",
        ),
        Bug(
            "last",
            "gauges/averages.py",
            "len(values) - width + 1",
            "len(values) - width",
            "The last moving mean is missing.",
        ),
        Bug(
            "again",
            "gauges/alarms.py",
            "rows[at - 1] <= limit",
            "rows[at - 1] < limit",
            "After a reading exactly at the limit, no alarm comes.",
        ),
    ],
)

TILES = Repository(
    "tiles",
    "Boards of tiles: parsing, neighbours, and a game of life on them.",
    {
        "board": '''def parse(text):
    """Rows of # (alive) and . (dead) as lists of 1 and 0."""
    return [[int(sign == "#") for sign in line] for line in text.split()]


def show(board):
    return "\\n".join("".join("#" if cell else "." for cell in row) for row in board)
''',
        "near": '''def neighbours(board, y, x):
    """How many of the eight cells around are alive; beyond the edge is nothing."""
    count = 0
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            inside = 0 <= y + dy < len(board) and 0 <= x + dx < len(board[0])
            if inside and (dy, dx) != (0, 0):
                count += board[y + dy][x + dx]
    return count
''',
        "life": '''from tiles.board import parse, show
from tiles.near import neighbours


def step(board):
    """A living cell with 2 or 3 neighbours stays, a dead one with 3 comes to life."""
    return [
        [int(neighbours(board, y, x) == 3 or (cell == 1 and neighbours(board, y, x) == 2)) for x, cell in enumerate(row)]
        for y, row in enumerate(board)
    ]


def after(text, steps):
    """The board after so many steps, as text."""
    board = parse(text)
    for _ in range(steps):
        board = step(board)
    return show(board)
''',
    },
    {
        "board": ['parse("#. .#")', "show([[1, 0], [0, 1]])"],
        "near": [
            "neighbours([[1, 1], [1, 1]], 0, 0)",
            "neighbours([[1, 0, 1], [0, 1, 0]], 1, 1)",
            "neighbours([[1, 0, 1]], 0, 1)",
        ],
        "life": ['after("... ### ...", 1)', 'after("## ##", 3)', 'after("#.. .#. ..#", 0)'],
    },
    [
        'parse(".")',
        'parse("")',
        "show([])",
        "neighbours([[0, 0], [0, 1]], 0, 0)",
        "neighbours([[1, 1, 1], [1, 1, 1], [1, 1, 1]], 1, 1)",
        "neighbours([[0, 1], [0, 0]], 0, 0)",
        "step([[1, 1], [1, 0]])",
        "step([[1]])",
        'after("... ### ...", 2)',
        'after(".#. ### .#.", 1)',
        'after("#### ....", 1)',
    ],
    [
        Bug(
            "itself",
            "tiles/near.py",
            "if inside and (dy, dx) != (0, 0):",
            "if inside:",
            "A cell counts itself among its neighbours.",
        ),
        Bug(
            "wrap",
            "tiles/near.py",
            "0 <= y + dy < len(board) and 0 <= x + dx < len(board[0])",
            "y + dy < len(board) and x + dx < len(board[0])",
            "Cells at the top see those at the bottom.",
        ),
        Bug(
            "stays",
            "tiles/life.py",
            "(cell == 1 and neighbours(board, y, x) == 2)",
            "(cell == 0 and neighbours(board, y, x) == 2)",
            "Blocks that should stay die, and others grow.",
        ),
        Bug(
            "letters",
            "tiles/board.py",
            '"#" if cell else "."',
            '"." if cell else "#"',
            "The board that is printed is the wrong way round.",
        ),
    ],
)

ALMANAC = Repository(
    "almanac",
    "A calendar of a year: day numbers, weekdays, holidays and working days.",
    {
        "years": '''LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def length(year, month):
    """Days of a month, from 1 to 12."""
    return LENGTHS[month - 1] + (1 if month == 2 and leap(year) else 0)
''',
        "days": '''from almanac.years import leap, length


def number(year, month, day):
    """Of a day in its year: 1 January is 1."""
    return sum(length(year, each) for each in range(1, month)) + day


def weekday(year, month, day):
    """0 is Monday. 1 January of the year 1 was one."""
    before = sum(366 if leap(each) else 365 for each in range(1, year))
    return (before + number(year, month, day) - 1) % 7
''',
        "work": '''from almanac.days import weekday
from almanac.years import length


def working_days(year, month, holidays=()):
    """Days of a month from Monday to Friday that are no holidays (days of the month)."""
    days = range(1, length(year, month) + 1)
    return sum(weekday(year, month, day) < 5 and day not in holidays for day in days)


def first_monday(year, month):
    """Its day of the month."""
    return next(day for day in range(1, 8) if weekday(year, month, day) == 0)
''',
    },
    {
        "years": ["leap(2024)", "leap(1900)", "leap(2000)", "length(2024, 2)", "length(2026, 12)"],
        "days": ["number(2026, 1, 5)", "number(2024, 3, 1)", "weekday(2026, 3, 4)", "weekday(2024, 2, 29)"],
        "work": [
            "working_days(2026, 2)",
            "working_days(2026, 3, [4, 7])",
            "first_monday(2026, 6)",
            "first_monday(2026, 3)",
        ],
    },
    [
        "leap(2100)",
        "leap(2023)",
        "length(2023, 2)",
        "length(2024, 1)",
        "number(2023, 12, 31)",
        "number(2024, 12, 31)",
        "number(2026, 2, 1)",
        "weekday(2000, 1, 1)",
        "weekday(1, 1, 1)",
        "weekday(2027, 11, 19)",
        "working_days(2024, 2)",
        "working_days(2026, 5, [1, 2, 25])",
        "first_monday(2027, 2)",
        "leap(2400)",
        "leap(2200)",
        "first_monday(2026, 9)",
    ],
    [
        Bug(
            "century",
            "almanac/years.py",
            "(year % 100 != 0 or year % 400 == 0)",
            "year % 100 != 0",
            "The year 2000 has no 29 February.",
        ),
        Bug(
            "month", "almanac/days.py", "range(1, month))", "range(1, month + 1))", "1 February is day 60 of the year."
        ),
        Bug(
            "weekday",
            "almanac/days.py",
            "number(year, month, day) - 1) % 7",
            "number(year, month, day)) % 7",
            "Every day has the name of the next one.",
        ),
        Bug(
            "last_day",
            "almanac/work.py",
            "length(year, month) + 1)",
            "length(year, month))",
            "Months have a working day too few, now and then.",
        ),
    ],
)

COUNTERS = Repository(
    "counters",
    "Queues at counters: who waits, who is served, how long it takes.",
    {
        "tickets": '''def ticket(name, place, urgent=False):
    """A ticket has a name, its place in the order of arrival, and whether it is urgent."""
    return [name, place, urgent]


def ordered(tickets):
    """Urgent ones first, otherwise in the order of arrival."""
    return sorted(tickets, key=lambda one: (not one[2], one[1]))
''',
        "queue": '''from counters.tickets import ordered, ticket


def arrive(names):
    """Tickets for names in the order of arrival; who has an ! at the end is urgent."""
    return [ticket(name.rstrip("!"), place, name.endswith("!")) for place, name in enumerate(names)]


def serve(names, count):
    """The names of the next `count`, and of those who go on waiting."""
    rows = [one[0] for one in ordered(arrive(names))]
    return [rows[:count], rows[count:]]
''',
        "waiting": '''from counters.queue import serve


def waits(names, minutes, desks=1):
    """How long each has to wait, by name, when every customer takes as many minutes and so many desks are open."""
    rows = serve(names, len(names))[0]
    return {name: at // desks * minutes for at, name in enumerate(rows)}


def longest(names, minutes, desks=1):
    """The longest wait; 0 for nobody."""
    return max(waits(names, minutes, desks).values(), default=0)
''',
    },
    {
        "tickets": ['ordered([["a", 0, False], ["b", 1, True]])', 'ordered([["a", 2, True], ["b", 1, True]])'],
        "queue": ['arrive(["Ann", "Bo!"])', 'serve(["Ann", "Bo!", "Cy"], 2)', 'serve(["Ann"], 3)'],
        "waiting": [
            'waits(["Ann", "Bo!", "Cy"], 5)',
            'waits(["Ann", "Bo", "Cy"], 4, 2)',
            'longest(["Ann", "Bo"], 7)',
            "longest([], 7)",
        ],
    },
    [
        'ordered([["a", 2, False], ["c", 0, False], ["b", 1, True]])',
        "ordered([])",
        'arrive(["X!", "Y"])',
        "arrive([])",
        'serve(["a", "b!", "c!", "d"], 1)',
        'serve(["a", "b", "c"], 0)',
        'waits(["a", "b", "c", "d", "e"], 3, 2)',
        'waits(["a!"], 3)',
        'longest(["a", "b", "c", "d"], 10, 3)',
        'longest(["a", "b!", "c"], 2)',
    ],
    [
        Bug(
            "urgent",
            "counters/tickets.py",
            "(not one[2], one[1])",
            "(one[2], one[1])",
            "Urgent customers are served last.",
        ),
        Bug(
            "arrival",
            "counters/tickets.py",
            "(not one[2], one[1])",
            "(not one[2], one[0])",
            "Customers are called in alphabetical order.",
        ),
        Bug("mark", "counters/queue.py", 'name.rstrip("!")', "name", "Names are called with an exclamation mark."),
        Bug(
            "desks",
            "counters/waiting.py",
            "at // desks * minutes",
            "at * minutes // desks",
            "With two desks, the second customer waits although a desk is free.",
        ),
    ],
)

REPOSITORIES = [GAUGES, TILES, ALMANAC, COUNTERS]
