"""Repositories to learn from: rooms, jobs and messages."""

from authoring.code_repair.repositories import Bug, Repository

BOOKINGS = Repository(
    "bookings",
    "Rooms and when they are taken. Times of day are minutes after midnight inside, and H:MM outside.",
    {
        "clocks": '''def minutes(clock):
    """"9:30" is 570."""
    hours, rest = clock.split(":")
    return int(hours) * 60 + int(rest)


def clock(minutes):
    return f"{minutes // 60}:{minutes % 60:02}"
''',
        "slots": '''from bookings.clocks import minutes


def stretch(text, length=30):
    """"9:00-9:45" as start and end in minutes; "9:00" alone lasts half an hour, unless a length is given."""
    start, _, end = text.partition("-")
    begin = minutes(start)
    return [begin, minutes(end) if end else begin + length]


def overlap(one, two):
    """Whether two stretches share time; one may begin in the minute in which the other ends."""
    return one[0] < two[1] and two[0] < one[1]
''',
        "rooms": '''from bookings.clocks import clock, minutes
from bookings.slots import overlap, stretch


def free_rooms(taken, wanted):
    """Of rooms with what is booked in them, those that are free then, in alphabetical order."""
    want = stretch(wanted)
    return sorted(room for room, texts in taken.items() if not any(overlap(stretch(text), want) for text in texts))


def gaps(texts, opens="8:00", closes="18:00"):
    """When nobody has the room. Bookings may lie within each other."""
    now, found = minutes(opens), []
    for begin, end in sorted(stretch(text) for text in texts):
        if begin > now:
            found.append(f"{clock(now)}-{clock(begin)}")
        now = max(now, end)
    return [*found, f"{clock(now)}-{closes}"] if now < minutes(closes) else found


def moved(taken, text, old, new):
    """All rooms after a booking went from one to another; what is given stays as it is."""
    after = {room: list(texts) for room, texts in taken.items()}
    after[old].remove(text)
    after[new].append(text)
    return after


def comparison(taken, text, old, new):
    """How many bookings the old room has, before and after the move."""
    after = moved(taken, text, old, new)
    return [len(taken[old]), len(after[old])]
''',
    },
    {
        "slots": [
            'stretch("9:00-9:45")',
            'stretch("14:10")',
            "overlap([540, 600], [600, 660])",
            "overlap([1, 9], [3, 4])",
        ],
        "rooms": [
            'free_rooms({"Oak": ["9:00-10:00"], "Elm": ["10:00-11:00"]}, "10:00-10:30")',
            'gaps(["9:00-12:00", "10:00-10:30"])',
            'moved({"Oak": ["9:00", "11:00"], "Elm": []}, "9:00", "Oak", "Elm")',
            'comparison({"Oak": ["9:00", "11:00"], "Elm": []}, "9:00", "Oak", "Elm")',
        ],
    },
    [
        'stretch("0:05")',
        'stretch("7:00", 90)',
        "overlap([660, 700], [600, 660])",
        "overlap([5, 8], [7, 9])",
        "overlap([0, 2], [5, 6])",
        'free_rooms({"B": ["8:00"], "A": ["8:30-9:00"], "C": []}, "8:30")',
        'free_rooms({"B": ["8:00"]}, "8:15-9:00")',
        "gaps([])",
        'gaps(["8:00-17:00", "9:00-9:10", "17:15"])',
        'gaps(["9:00-18:00"], "9:00")',
        'moved({"A": ["8:00"], "B": ["9:00"]}, "9:00", "B", "A")',
        'comparison({"A": ["8:00"], "B": ["9:00"]}, "8:00", "A", "B")',
        "overlap([600, 660], [570, 610])",
        'gaps(["14:00-15:00", "9:00-10:00"])',
    ],
    [
        Bug(
            "touching",
            "bookings/slots.py",
            "one[0] < two[1] and two[0] < one[1]",
            "one[0] <= two[1] and two[0] <= one[1]",
            "Our meeting ends at ten and the next team cannot have the room at ten. It says it is taken.",
        ),
        Bug(
            "length",
            "bookings/slots.py",
            "length=30",
            "length=60",
            "Entries without an end block the room for a whole hour.",
        ),
        Bug(
            "within",
            "bookings/rooms.py",
            "now = max(now, end)",
            "now = end",
            "I was offered a gap in the middle of an all-morning workshop, just after a short call that lies within it.",
        ),
        Bug(
            "copied",
            "bookings/rooms.py",
            "{room: list(texts) for room, texts in taken.items()}",
            "dict(taken)",
            "The comparison of before and after a move always shows the same number twice.",
        ),
    ],
)

JOBS = Repository(
    "jobs",
    "Jobs that run at night: their order, further attempts when one fails, and what to put into the log.",
    {
        "waiting": '''def delay(attempt, base=2, most=60):
    """Seconds before an attempt: none before the first, `base` before the second, then twice as many each time, up to `most`."""
    return 0 if attempt == 1 else min(most, base * 2 ** (attempt - 2))


def waited(attempts):
    """Seconds of so many attempts together."""
    return sum(delay(attempt) for attempt in range(1, attempts + 1))
''',
        "logs": '''def job(line):
    """`name priority` as a list. A priority that is no number is an error that has to be seen: `bad: line`, with priority 0."""
    name, _, number = line.partition(" ")
    try:
        return [name, int(number)]
    except ValueError:
        return [f"bad: {line}", 0]


def history(outcomes, log=[]):
    """The lines of a log and behind them a numbered one for each outcome. The log that is given does not change."""
    lines = list(log)
    for outcome in outcomes:
        lines.append(f"{len(lines) + 1} {outcome}")
    return lines


def histories(outcomes, head=[]):
    """Of several jobs: the same head for each, and nothing of the others."""
    return {name: history(outcomes[name], head) for name in sorted(outcomes)}
''',
        "plans": '''from jobs.logs import job


def order(needs):
    """Each job after all that it needs, otherwise by name. Jobs that wait for each other stand at the end as `stuck: name`."""
    left, done = sorted(needs), []
    while left:
        ready = [name for name in left if all(each in done for each in needs[name])]
        if not ready:
            return done + [f"stuck: {name}" for name in left]
        done.append(ready[0])
        left.remove(ready[0])
    return done


def by_priority(lines):
    """Names, the highest number first; of equal ones the earlier line first."""
    return [name for name, _ in sorted(map(job, lines), key=lambda row: -row[1])]
''',
    },
    {
        "waiting": ["delay(1)", "delay(2)", "delay(4)", "waited(3)"],
        "logs": [
            'job("backup 5")',
            'job("backup high")',
            'history(["ok"], ["1 failed"])',
            'histories({"mail": ["failed", "ok"], "backup": ["ok"]})',
        ],
        "plans": [
            'order({"report": ["load", "clean"], "clean": ["load"], "load": []})',
            'order({"a": ["b"], "b": ["a"], "c": []})',
            'by_priority(["sweep 1", "mail 9", "wash x"])',
        ],
    },
    [
        "delay(3)",
        "delay(9)",
        "delay(3, 5)",
        "waited(1)",
        "waited(5)",
        'job("x -3")',
        'job("x 1 2")',
        'job("x")',
        "history([])",
        'history(["a", "b"], ["z"])',
        'histories({"q": ["a"], "p": ["b", "c"], "r": []})',
        'histories({"y": ["a"], "x": ["b"]}, ["1 start"])',
        'order({"c": [], "b": [], "a": ["c", "b"]})',
        'order({"x": ["y"], "y": [], "z": ["z"]})',
        'by_priority(["a 1", "b 1", "c 2"])',
        'by_priority(["a two", "b -1"])',
        "delay(9, 1, 100)",
    ],
    [
        Bug(
            "doubling",
            "jobs/waiting.py",
            "(attempt - 2)",
            "(attempt - 1)",
            "All pauses between attempts are twice as long as they should be.",
        ),
        Bug(
            "swallowed",
            "jobs/logs.py",
            'return [f"bad: {line}", 0]',
            "return [name, 0]",
            "I mistyped a priority and nothing told me. The job simply ran at the end of the night.",
        ),
        Bug(
            "shared",
            "jobs/logs.py",
            "lines = list(log)",
            "lines = log",
            "The log of one job begins with the lines of another that ran before.",
        ),
        Bug(
            "needs",
            "jobs/plans.py",
            "all(each in done for each in needs[name])",
            "any(each in done for each in needs[name])",
            "Every single job is called stuck, even the ones that need nothing.",
        ),
    ],
)

MAILROOM = Repository(
    "mailroom",
    "Messages go to queues by rules on their subject.",
    {
        "rules": '''def rule(line):
    """`pattern -> queue` as a list, the pattern in small letters."""
    pattern, _, queue = line.partition("->")
    return [pattern.strip().lower(), queue.strip()]


def matches(pattern, subject):
    """With a star at its end it fits what begins with it, otherwise only itself. The subject may have capitals."""
    if pattern.endswith("*"):
        return subject.lower().startswith(pattern[:-1])
    return subject.lower() == pattern
''',
        "sorting": '''from mailroom.rules import matches, rule


def queue_for(subject, lines, default="inbox"):
    """Of the longest pattern that fits, and of equally long ones the first."""
    fitting = [each for each in map(rule, lines) if matches(each[0], subject)]
    return max(fitting, key=lambda each: len(each[0]))[1] if fitting else default


def deliver(subjects, lines):
    """Queue to its messages, in the order in which they came."""
    queues = {}
    for subject in subjects:
        queues.setdefault(queue_for(subject, lines), []).append(subject)
    return queues
''',
        "desk": '''from mailroom.sorting import deliver


def crowded(subjects, lines, limit):
    """Queues with more than `limit` messages, the fullest first, equally full ones by name."""
    queues = deliver(subjects, lines)
    full = [queue for queue in queues if len(queues[queue]) > limit]
    return sorted(full, key=lambda queue: (-len(queues[queue]), queue))


def unread(subjects, lines, read):
    """How many messages of each queue nobody has read; queues without any are left out."""
    left = [subject for subject in subjects if subject not in read]
    return {queue: len(rows) for queue, rows in deliver(left, lines).items()}
''',
    },
    {
        "rules": ['rule("Bill* -> money")', 'matches("bill*", "Bill for May")', 'matches("bill", "Bill for May")'],
        "sorting": [
            'queue_for("Bill overdue", ["bill* -> money", "bill over* -> urgent"])',
            'queue_for("hello", ["bill* -> money"])',
            'deliver(["bill 1", "hello", "bill 2"], ["BILL* -> money"])',
        ],
        "desk": [
            'crowded(["a1", "b1", "b2", "a2", "b3", "x"], ["a* -> ann", "b* -> bea"], 1)',
            'crowded(["a1", "x"], ["a* -> ann"], 1)',
            'unread(["a1", "b1", "a2"], ["a* -> ann"], ["a1"])',
        ],
    },
    [
        'rule(" New ORDER->Sales ")',
        'matches("*", "anything")',
        'matches("order", "ORDER")',
        'matches("ord*", "my order")',
        'queue_for("Order 7", ["* -> rest", "Order* -> sales"])',
        'queue_for("x", ["X -> one", "x -> two"])',
        'queue_for("x", [], "bin")',
        'deliver(["b", "a", "B"], ["B -> bees"])',
        "deliver([], [])",
        'crowded(["p", "q", "p", "q", "r"], ["p -> two", "q -> one"], 1)',
        'crowded(["p", "p", "q"], ["p -> pp"], 0)',
        'crowded(["p", "q", "q"], ["P -> pp"], 0)',
        'unread(["p", "q", "q"], ["q -> qq"], [])',
        'unread(["p"], [], ["p"])',
        'queue_for("Order 7", ["* -> everything", "Order* -> sales"])',
    ],
    [
        Bug(
            "capitals",
            "mailroom/rules.py",
            "[pattern.strip().lower(), queue.strip()]",
            "[pattern.strip(), queue.strip()]",
            "A rule that I wrote with a capital letter never applies.",
        ),
        Bug(
            "longest",
            "mailroom/sorting.py",
            "max(fitting, key=lambda each: len(each[0]))[1]",
            "fitting[0][1]",
            "The special rules below a general one get nothing; the general one takes all.",
        ),
        Bug(
            "renamed",
            "mailroom/sorting.py",
            "from mailroom.rules import matches, rule",
            "from mailroom.rules import match, rule",
            "Since a function got a new name last night, no message can be sorted at all.",
        ),
        Bug(
            "fullest",
            "mailroom/desk.py",
            "(-len(queues[queue]), queue)",
            "(-len(queue), queue)",
            "The list of crowded queues is not led by the fullest one. It looks as if long names came first.",
        ),
    ],
)

REPOSITORIES = [BOOKINGS, JOBS, MAILROOM]
