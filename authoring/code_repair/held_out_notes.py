"""Repositories that are held out: version numbers, form letters and secret notes."""

from authoring.code_repair.repositories import Bug, Repository

VERSIONS = Repository(
    "versions",
    "Picks the release of every package that suits what a project demands.",
    {
        "releases": '''def parse(text):
    """"v1.20" is [1, 20, 0]: a leading v is dropped, and three figures are always given back."""
    figures = [int(figure) for figure in text.lstrip("v").split(".")]
    return figures + [0] * (3 - len(figures))


def ascending(texts):
    """Oldest release first."""
    return sorted(texts, key=parse)
''',
        "demands": '''from versions.releases import parse


def meets(text, demand):
    """One demand: `>=1.2`, `<2`, or `~1.4`, which wants 1.4 or newer with the leading figure unchanged."""
    have = parse(text)
    if demand.startswith(">="):
        return have >= parse(demand[2:])
    if demand.startswith("<"):
        return have < parse(demand[1:])
    want = parse(demand[1:])
    return have >= want and have[0] == want[0]


def suits(text, demands):
    """Every demand of a comma-separated string is met; an empty string demands nothing."""
    return all(meets(text, demand.strip()) for demand in demands.split(",") if demand.strip())
''',
        "picking": '''from versions.demands import suits
from versions.releases import ascending


def pick(texts, demands):
    """Newest suitable release, or an empty string."""
    good = [text for text in ascending(texts) if suits(text, demands)]
    return good[-1] if good else ""


def resolve(project, shelf):
    """Package to picked release; a package whose demands cannot be met is told as `unmet`, an absent one as `absent`."""
    picked = {}
    for package, demands in project.items():
        if package not in shelf:
            picked[package] = "absent"
        else:
            picked[package] = pick(shelf[package], demands) or "unmet"
    return picked
''',
    },
    {
        "releases": ['parse("v1.20")', 'ascending(["1.10", "1.9", "v1.2.1"])'],
        "demands": [
            'meets("1.2.0", ">=1.2")',
            'meets("2.0", "~1.4")',
            'suits("1.5", ">=1.2, <2")',
            'suits("2.1", ">=1.2, <2")',
            'meets("2", "<2.0.0")',
        ],
        "picking": [
            'pick(["1.9", "1.10", "2.0"], "~1.4")',
            'resolve({"ink": "<1", "pen": ""}, {"ink": ["1.0"], "pen": ["0.3", "0.12"]})',
            'resolve({"cap": ""}, {})',
        ],
    },
    [
        'parse("7")',
        'parse("0.0.9")',
        'ascending(["3", "v2.11", "2.2"])',
        'meets("3.1", ">=3.1.0")',
        'meets("4.0.0", "<4")',
        'meets("1.3.9", "~1.4")',
        'meets("1.11", "~1.4")',
        'suits("0.5", ">=1, <2")',
        'suits("1", "")',
        'pick(["0.2", "0.10", "0.9"], "")',
        'pick(["5"], "<5")',
        'resolve({"a": "~2", "b": ">=9"}, {"a": ["2.0", "3"], "b": ["8.9.9"]})',
        'resolve({"z": ">=1"}, {"y": ["1"]})',
        'resolve({"a": "", "b": "<1"}, {"a": [], "b": ["0.1", "1"]})',
    ],
    [
        Bug(
            "figures",
            "versions/releases.py",
            "sorted(texts, key=parse)",
            "sorted(texts)",
            "Release 1.9 got installed even though 1.10 has been out for weeks.",
        ),
        Bug(
            "short",
            "versions/releases.py",
            "[0] * (3 - len(figures))",
            "[0] * (2 - len(figures))",
            "Somebody demanded below 4.0.0 and was handed version 4, which is the very same release.",
        ),
        Bug(
            "both",
            "versions/demands.py",
            "all(meets(",
            "any(meets(",
            "An upper bound next to a lower bound gets ignored, meeting either seems good enough.",
        ),
        Bug(
            "silent",
            "versions/picking.py",
            'pick(shelf[package], demands) or "unmet"',
            "pick(shelf[package], demands)",
            "Impossible demands go unreported: such packages end up blank in our overview.",
        ),
    ],
)

STENCIL = Repository(
    "stencil",
    "Form letters: fields in angle brackets, optionally piped through filters, such as <town|upper>.",
    {
        "fields": '''def pieces(text):
    """Plain text and field contents alternate, starting with plain text: "Hi <x>!" is "Hi ", "x", "!"."""
    head, *tails = text.split("<")
    found = [head]
    for tail in tails:
        field, _, plain = tail.partition(">")
        found += [field, plain]
    return found


def field(content):
    """Splits `town|upper|last` at its bars: name, then filters."""
    name, *filters = content.split("|")
    return [name.strip(), [each.strip() for each in filters]]
''',
        "filters": '''FILTERS = {
    "upper": str.upper,
    "trim": str.strip,
    "initial": lambda text: text[:1],
    "quoted": lambda text: f"'{text}'",
}


def apply(text, filters):
    """Runs the leftmost filter first. An unknown filter must not pass unnoticed; it hands on `?filter?`."""
    for each in filters:
        text = FILTERS[each](text) if each in FILTERS else f"?{each}?"
    return text
''',
        "letters": '''from stencil.fields import field, pieces
from stencil.filters import apply


def letter(text, values, blank="___"):
    """Fills every field. Only a field whose name is absent from the values turns blank; 0 and "" are perfectly good values."""
    found = pieces(text)
    for at in range(1, len(found), 2):
        name, filters = field(found[at])
        found[at] = apply(str(values[name]), filters) if name in values else blank
    return "".join(found)


def letters(text, people, office):
    """Everybody's own letter. Office values fill in whatever a person lacks."""
    return [letter(text, {**office, **person}) for person in people]
''',
    },
    {
        "fields": ['pieces("Hi <x>!")', 'field("town | upper|initial")'],
        "filters": [
            'apply("oslo", ["upper", "quoted"])',
            'apply(" oslo", ["trim", "initial"])',
            'apply("a", ["blink"])',
        ],
        "letters": [
            'letter("Dear <name|upper>, you owe <sum>.", {"name": "Ada", "sum": 0})',
            'letter("<greeting> <name>", {"name": "Ada"})',
            'letters("<name>, <town>", [{"name": "Ada", "town": "Ely"}, {"name": "Bea"}], {"town": "York"})',
        ],
    },
    [
        'pieces("")',
        'pieces("<a><b>")',
        'field("x")',
        'field(" y | trim ")',
        'apply("  pq ", ["initial", "quoted"])',
        'apply("pq", ["quoted", "initial"])',
        'apply("pq", ["shout", "upper"])',
        'apply("pq", [])',
        'letter("<n> left", {"n": ""})',
        'letter("<n|quoted> left", {"n": 0})',
        'letter("<m>", {"n": 1}, "?")',
        'letters("<k>", [{"k": 1}, {}, {"k": 2}, {}], {"k": 9})',
        'letters("<j>", [{"j": 1}, {}], {})',
        'letters("x", [], {})',
        'field("first name | upper")',
    ],
    [
        Bug(
            "spaces",
            "stencil/fields.py",
            "[each.strip() for each in filters]",
            "filters",
            "A filter typed with spaces around its bar gets treated as if we had never heard of it.",
        ),
        Bug(
            "unnoticed",
            "stencil/filters.py",
            'f"?{each}?"',
            "text",
            "Misspelt filters do nothing and nobody notices until print.",
        ),
        Bug(
            "nought",
            "stencil/letters.py",
            "if name in values else blank",
            "if values.get(name) else blank",
            "Customers owing 0 received a line with underscores where an amount belongs.",
        ),
        Bug(
            "neighbour",
            "stencil/letters.py",
            "{**office, **person}",
            "office.update(person) or office",
            "Bea's letter names Ada's town. Hers was left empty, so our office town belongs there.",
        ),
    ],
)

COURIERS = Repository(
    "couriers",
    "Secret notes: letters get shifted along the alphabet, runs get shortened, and a seal shows tampering.",
    {
        "alphabet": '''def shift(note, by):
    """Moves letters A to Z and a to z along, Z being followed by A; capitals remain capitals, anything else remains itself."""
    moved = ""
    for sign in note:
        start = "A" if sign.isupper() else "a"
        moved += chr((ord(sign) - ord(start) + by) % 26 + ord(start)) if sign.isascii() and sign.isalpha() else sign
    return moved
''',
        "runs": '''def shorten(note):
    """Replaces runs by length and sign: "aaab" turns into "3a1b". Notes hold no digits."""
    short, length = "", 0
    for at, sign in enumerate(note):
        length += 1
        if note[at + 1 : at + 2] != sign:
            short += f"{length}{sign}"
            length = 0
    return short


def lengthen(short):
    """Undoes it."""
    note, length = "", 0
    for sign in short:
        if sign.isdigit():
            length = length * 10 + int(sign)
        else:
            note += sign * length
            length = 0
    return note
''',
        "seals": '''from couriers.alphabet import shift
from couriers.runs import lengthen, shorten


def seal(body):
    """Final digit of a weighted total: character codes times position, counting positions from 1."""
    return sum(ord(sign) * place for place, sign in enumerate(body, 1)) % 10


def send(note, by):
    """Shifts, shortens, and puts a seal of just that body after a slash."""
    body = shorten(shift(note, by))
    return f"{body}/{seal(body)}"


def receive(sent, by):
    """Original note, or "tampered" whenever body and seal disagree."""
    body, _, digit = sent.rpartition("/")
    if str(seal(body)) != digit:
        return "tampered"
    return shift(lengthen(body), -by)
''',
    },
    {
        "alphabet": ['shift("abz", 1)', 'shift("Go, Zoe!", 3)', 'shift("d", -3)'],
        "runs": ['shorten("aaab")', 'lengthen("3a1b")', 'lengthen("12x")', 'shorten("")'],
        "seals": [
            'seal("1a")',
            'seal("2b1c")',
            'send("hello", 2)',
            'receive("2b/9", 1)',
            'receive(send("hello", 2), 2)',
        ],
    },
    [
        'shift("XYZ", 5)',
        'shift("xyz 9", 27)',
        'shift("Ab-Cd", 0)',
        'shorten("mississippi")',
        'shorten("zzzzzzzzzzz")',
        'lengthen("10q2r")',
        'lengthen("")',
        'seal("")',
        'seal("4d")',
        'seal("3x2y")',
        'send("Attack", 13)',
        'send("oooo!", 4)',
        'receive(send("Meet me at noon", 7), 7)',
        'receive("1b/1", 1)',
        'receive("1c1d/0", 2)',
        'shift("Zoë", 1)',
    ],
    [
        Bug(
            "capitals",
            "couriers/alphabet.py",
            '"A" if sign.isupper() else "a"',
            '"a"',
            "Capitals arrive garbled; Ada came out as uda.",
        ),
        Bug(
            "digits",
            "couriers/runs.py",
            "length = length * 10 + int(sign)",
            "length = int(sign)",
            "Twelve crosses were sent and two arrived.",
        ),
        Bug(
            "positions",
            "couriers/seals.py",
            "enumerate(body, 1)",
            "enumerate(body)",
            "Our seals differ from those that every other office computes for identical bodies.",
        ),
        Bug(
            "trust",
            "couriers/seals.py",
            """    if str(seal(body)) != digit:
        return "tampered"
""",
            "",
            "We altered a digit deliberately, and no alarm was raised.",
        ),
    ],
)

REPOSITORIES = [VERSIONS, STENCIL, COURIERS]
