"""Repositories to learn from: texts, settings and routes."""

from authoring.code_repair.repositories import Bug, Repository

PAGES = Repository(
    "pages",
    "Small pages: a markup with headings, points and bold words becomes HTML, with a table of contents.",
    {
        "inline": '''def escape(text):
    """Characters that mean something in HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def bold(text):
    """*word* becomes <b>word</b>; a star without a partner stays."""
    parts = text.split("*")
    out = parts[0]
    for at in range(1, len(parts)):
        last = at == len(parts) - 1
        if at % 2 == 1:
            out += ("*" if last else "<b>") + parts[at]
        else:
            out += "</b>" + parts[at]
    return out
''',
        "blocks": '''from pages.inline import bold, escape


def level(line):
    """How many # a line begins with; 0 where it is no heading."""
    return len(line) - len(line.lstrip("#"))


def block(line):
    """One line as HTML."""
    text = bold(escape(line.lstrip("#- ")))
    if level(line) > 0:
        return f"<h{level(line)}>{text}</h{level(line)}>"
    return f"<li>{text}</li>" if line.startswith("- ") else f"<p>{text}</p>"
''',
        "contents": '''from pages.blocks import block, level


def contents(text, deepest=2):
    """The headings down to a level, each with two blanks for every level below the first."""
    lines = [line for line in text.splitlines() if 0 < level(line) <= deepest]
    return ["  " * (level(line) - 1) + line.lstrip("# ") for line in lines]


def page(text):
    """Every line that is not empty as a block."""
    return [block(line) for line in text.splitlines() if line.strip()]
''',
    },
    {
        "inline": ['escape("a < b & c")', 'bold("a *b* c")', 'bold("2 * 3")'],
        "blocks": ['level("## Two")', 'block("# One *x*")', 'block("- a > b")', 'block("plain")'],
        "contents": ['contents("# A\\n## B\\n### C\\ntext")', 'page("# A\\n\\n- b\\nc")'],
    },
    [
        'escape("&lt;")',
        'escape("<&>")',
        'bold("*a* and *b*")',
        'bold("*a* b*")',
        'bold("")',
        'level("text # no")',
        'block("### Deep & *down*")',
        'block("- *a*")',
        'block("a - b")',
        'contents("## X\\n# Y\\n#### Z\\n## W")',
        'contents("### X\\n# Y", 3)',
        'contents("# V\\n### U")',
        'page("a\\n   \\n## b")',
        'contents("# C#\\n## D")',
    ],
    [
        Bug(
            "amp",
            "pages/inline.py",
            '.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")',
            '.replace("<", "&lt;").replace(">", "&gt;").replace("&", "&amp;")',
            "A page shows &lt; instead of the sign.",
        ),
        Bug(
            "star",
            "pages/inline.py",
            '"*" if last else "<b>"',
            '"<b>" if last else "*"',
            "Words between stars are not bold.",
        ),
        Bug(
            "level",
            "pages/contents.py",
            "<= deepest",
            "< deepest",
            "Headings of the deepest level are missing from the contents.",
        ),
        Bug(
            "indent",
            "pages/contents.py",
            '"  " * (level(line) - 1)',
            '"  " * level(line)',
            "The contents are indented too far.",
        ),
    ],
)

INKWELL = Repository(
    "inkwell",
    "Settings in text: sections, keys and values, defaults and overrides.",
    {
        "lines": '''def clean(line):
    """Without a comment (from # on) and blanks at the ends."""
    return line.split("#")[0].strip()


def pair(line):
    """Key and value around the first =, without blanks at their ends."""
    key, _, value = line.partition("=")
    return [key.strip().lower(), value.strip()]
''',
        "values": '''def value(text):
    """true and false, whole numbers, lists between commas in brackets, else text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.removeprefix("-").isdigit():
        return int(text)
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return [value(part.strip()) for part in inner.split(",")] if inner else []
    return text
''',
        "settings": '''from inkwell.lines import clean, pair
from inkwell.values import value


def read(text):
    """Section to key to value; what stands before the first [section] is in the section ""."""
    found, section = {}, ""
    for line in map(clean, text.splitlines()):
        if line.startswith("[") and "=" not in line:
            section = line[1:-1].strip()
        elif line:
            key, given = pair(line)
            found.setdefault(section, {})[key] = value(given)
    return found


def merged(base, other):
    """Settings with those of `other` over them, key by key."""
    out = {section: dict(keys) for section, keys in base.items()}
    for section, keys in other.items():
        out.setdefault(section, {}).update(keys)
    return out
''',
    },
    {
        "lines": ['clean("a = 1  # one")', 'pair("Name = a=b")'],
        "values": ['value("TRUE")', 'value("-12")', 'value("[1, two]")', 'value("[]")', 'value("a1")'],
        "settings": [
            'read("a = 1\\nb = 2\\n[net]\\nport = 80 # web\\n")',
            'merged({"a": {"x": 1, "y": 2}}, {"a": {"x": 5}, "b": {"z": 3}})',
        ],
    },
    [
        'clean("# all")',
        'clean("  x  ")',
        'pair("URL=http://a?b=c")',
        'pair("empty =")',
        'value("False")',
        'value("7")',
        'value("[true, -1, x]")',
        'value("12-")',
        'value("[ ]")',
        'value("")',
        'read("[a]\\nx = [1,2]\\n[b]\\nX = no\\n\\ny = false")',
        'read("")',
        'merged({}, {"a": {"x": 1}})',
        'merged({"a": {"x": 1}}, {})',
        'merged({"a": {"x": 1}}, {"a": {"y": 2}})',
        'merged({"a": {"x": 1, "w": 4}}, {"a": {"x": 2}})',
        'pair("  A = b ")',
        'value("-x")',
        'value("[x")',
        'read("[ net ]\\nport = 1")',
    ],
    [
        Bug(
            "first_equal",
            "inkwell/lines.py",
            'line.partition("=")',
            'line.rpartition("=")',
            "Values with an equals sign in them are torn apart.",
        ),
        Bug(
            "negative",
            "inkwell/values.py",
            'text.removeprefix("-").isdigit()',
            "text.isdigit()",
            "Negative numbers come out as text.",
        ),
        Bug(
            "sections",
            "inkwell/settings.py",
            "found.setdefault(section, {})[key] = value(given)",
            "found[section] = {key: value(given)}",
            "Only the last key of a section is left.",
        ),
        Bug(
            "override",
            "inkwell/settings.py",
            "out.setdefault(section, {}).update(keys)",
            "out[section] = dict(keys)",
            "Overriding one key makes the others disappear.",
        ),
    ],
)

ROUTES = Repository(
    "routes",
    "Roads between towns: lengths, shortest ways, timetables.",
    {
        "roads": '''def network(lines):
    """Lines such as "A-B 12" as town to neighbour to length; roads go both ways."""
    found = {}
    for line in lines:
        ends, length = line.split()
        one, two = ends.split("-")
        found.setdefault(one, {})[two] = int(length)
        found.setdefault(two, {})[one] = int(length)
    return found
''',
        "ways": '''from routes.roads import network


def shortest(lines, start, goal):
    """Length of the shortest way; -1 where there is none."""
    roads = network(lines)
    best, todo = {start: 0}, [start]
    while todo:
        town = todo.pop(0)
        for near, length in roads.get(town, {}).items():
            if near not in best or best[town] + length < best[near]:
                best[near] = best[town] + length
                todo.append(near)
    return best.get(goal, -1)


def length_of(lines, towns):
    """Of a way through these towns; a road that is not there is a ValueError."""
    roads = network(lines)
    total = 0
    for one, two in zip(towns, towns[1:]):
        if two not in roads.get(one, {}):
            raise ValueError(f"no road from {one} to {two}")
        total += roads[one][two]
    return total
''',
        "times": '''from routes.ways import shortest


def clock(minutes):
    """Minutes after midnight as HH:MM; after 23:59 comes 00:00."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def arrival(lines, start, goal, leave, speed):
    """When one arrives who leaves at HH:MM and goes `speed` kilometres an hour; begun minutes count."""
    hours, minutes = leave.split(":")
    needed = -(-shortest(lines, start, goal) * 60 // speed)
    return clock(int(hours) * 60 + int(minutes) + needed)
''',
    },
    {
        "roads": ['network(["A-B 12", "B-C 3"])'],
        "ways": [
            'shortest(["A-B 12", "B-C 3", "A-C 20"], "A", "C")',
            'shortest(["A-B 9", "C-D 1"], "A", "D")',
            'shortest(["A-B 9", "A-C 1", "C-B 1", "B-D 1"], "D", "A")',
            'length_of(["A-B 12", "B-C 3"], ["A", "B", "C"])',
        ],
        "times": [
            "clock(75)",
            "clock(1450)",
            'arrival(["A-B 30"], "A", "B", "09:40", 60)',
            'arrival(["A-B 10"], "A", "B", "09:00", 70)',
        ],
    },
    [
        'network(["X-Y 1"])',
        "network([])",
        'shortest(["A-B 1", "B-C 1", "C-D 1", "A-D 9"], "A", "D")',
        'shortest(["A-B 5", "A-C 1", "C-B 1", "B-D 1"], "A", "D")',
        'shortest(["A-B 5"], "A", "A")',
        'shortest(["A-B 5"], "B", "Z")',
        'length_of(["A-B 4"], ["B", "A", "B"])',
        'length_of(["A-B 4"], ["A"])',
        "clock(0)",
        "clock(1440)",
        'arrival(["A-B 50"], "B", "A", "23:30", 100)',
        'arrival(["A-B 7"], "A", "B", "08:05", 45)',
        "clock(119)",
        'shortest(["A-C 2", "A-D 7", "C-D 6"], "A", "D")',
        'arrival(["A-B 80"], "A", "B", "10:00", 40)',
    ],
    [
        Bug(
            "both_ways",
            "routes/roads.py",
            "found.setdefault(two, {})[one]",
            "found.setdefault(two, {})[two]",
            "One can go from A to B and not back.",
        ),
        Bug(
            "better",
            "routes/ways.py",
            "if near not in best or best[town] + length < best[near]:",
            "if near not in best:",
            "A longer way is taken although a shorter one exists.",
        ),
        Bug("midnight", "routes/times.py", "minutes // 60 % 24", "minutes // 60", "A timetable says 24:10."),
        Bug(
            "begun",
            "routes/times.py",
            "-(-shortest(lines, start, goal) * 60 // speed)",
            "shortest(lines, start, goal) * 60 // speed",
            "Arrivals are sometimes a minute too early.",
        ),
    ],
)

REPOSITORIES = [PAGES, INKWELL, ROUTES]
