"""Repositories that are held out."""

from authoring.code_repair.repositories import Bug, Repository

HARBOUR = Repository(
    "harbour",
    "Berths of a harbour: which ship fits where, tides, and fees.",
    {
        "ships": '''def ship(text):
    """`name length draught` as a list; metres are whole numbers."""
    *name, length, draught = text.split()
    return [" ".join(name), int(length), int(draught)]
''',
        "berths": '''from harbour.ships import ship


def fits(text, berth, tide=0):
    """A berth is length and depth; a ship needs a metre of water below it, and the tide adds to the depth."""
    _, length, draught = ship(text)
    return length <= berth[0] and draught + 1 <= berth[1] + tide


def assign(ships, berths, tide=0):
    """Ships in order, each to the smallest free berth that it fits; name to number of the berth, or -1."""
    free, found = dict(enumerate(berths)), {}
    for text in ships:
        good = [at for at in free if fits(text, free[at], tide)]
        best = min(good, key=lambda at: free[at][0], default=-1)
        free.pop(best, None)
        found[ship(text)[0]] = best
    return found
''',
        "fees": '''from harbour.ships import ship


def fee(text, days):
    """Two a metre and day; from the eighth day on half of it, rounded down for the whole stay."""
    length = ship(text)[1]
    return 2 * length * min(days, 7) + length * max(0, days - 7)


def total(stays):
    """Of stays, each a ship and its days; a stay of 0 days costs as much as one day."""
    return sum(fee(text, max(days, 1)) for text, days in stays)
''',
    },
    {
        "ships": ['ship("Sea Mist 12 3")'],
        "berths": [
            'fits("Gull 10 3", [10, 4])',
            'fits("Gull 10 4", [12, 4])',
            'fits("Gull 10 4", [12, 4], 1)',
            'assign(["Gull 8 2", "Tern 8 2"], [[20, 5], [9, 5]])',
            'assign(["Gull 10 2", "Tern 8 2"], [[20, 5], [10, 5], [9, 5]])',
        ],
        "fees": ['fee("Gull 10 2", 3)', 'fee("Gull 10 2", 9)', 'total([["Gull 10 2", 0], ["Tern 8 2", 2]])'],
    },
    [
        'ship("Old Grey Heron 30 7")',
        'fits("A 11 1", [10, 9])',
        'fits("A 5 3", [5, 4], 0)',
        'fits("A 5 4", [5, 4])',
        'fits("A 5 5", [9, 2], 4)',
        'assign(["A 5 2", "B 5 2", "C 5 2"], [[9, 4], [6, 4]])',
        'assign(["A 5 4", "B 5 1"], [[5, 3], [7, 5]])',
        'assign(["A 5 4"], [[5, 4]], 1)',
        "assign([], [[5, 4]])",
        'fee("A 7 1", 7)',
        'fee("A 7 1", 8)',
        'fee("A 7 1", 1)',
        "total([])",
        'total([["A 5 1", 10], ["B 6 1", 1], ["C 4 1", 0]])',
        'assign(["A 5 4"], [[5, 4]])',
    ],
    [
        Bug(
            "water",
            "harbour/berths.py",
            "draught + 1 <= berth[1]",
            "draught <= berth[1]",
            "A ship touched the ground in its berth.",
        ),
        Bug(
            "smallest",
            "harbour/berths.py",
            "best = min(good",
            "best = max(good",
            "Small boats lie in the large berths.",
        ),
        Bug(
            "taken",
            "harbour/berths.py",
            "free.pop(best, None)",
            "free.get(best, None)",
            "Two ships were sent to the same berth.",
        ),
        Bug("week", "harbour/fees.py", "max(0, days - 7)", "max(0, days)", "Long and short stays cost too much."),
    ],
)

CHOIR = Repository(
    "choir",
    "Notes, intervals and scales, and which voice can sing what.",
    {
        "notes": '''NAMES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"]


def height(note):
    """Half tones above C0: "C4" is 48."""
    return 12 * int(note[-1]) + NAMES.index(note[:-1])


def name(half_tones):
    return NAMES[half_tones % 12] + str(half_tones // 12)
''',
        "scales": '''from choir.notes import height, name

MAJOR = [2, 2, 1, 2, 2, 2, 1]


def scale(note):
    """The major scale from a note up to the same note an octave above."""
    at, found = height(note), [note]
    for step in MAJOR:
        at += step
        found.append(name(at))
    return found


def transpose(notes, by):
    """All notes so many half tones higher."""
    return [name(height(note) + by) for note in notes]
''',
        "voices": '''from choir.notes import height

RANGES = {"bass": ["E2", "E4"], "tenor": ["C3", "C5"], "alto": ["F3", "F5"], "soprano": ["C4", "C6"]}


def can_sing(voice, notes):
    """Whether all notes are in its range, both ends included."""
    low, high = map(height, RANGES[voice])
    return all(low <= height(note) <= high for note in notes)


def voices(notes):
    """Those that can sing it, the lowest first."""
    return [voice for voice in RANGES if can_sing(voice, notes)]


def widest_leap(notes):
    """The largest distance between neighbours, up or down; 0 for fewer than two."""
    return max((abs(height(two) - height(one)) for one, two in zip(notes, notes[1:])), default=0)
''',
    },
    {
        "notes": ['height("C4")', 'height("A#3")', "name(48)", "name(59)"],
        "scales": ['scale("C4")', 'scale("G3")', 'transpose(["C4", "B4"], 2)'],
        "voices": ['can_sing("alto", ["F3", "F5"])', 'voices(["C4", "E4"])', 'widest_leap(["C4", "G4", "E3"])'],
    },
    [
        'height("B0")',
        'height("F#5")',
        "name(0)",
        "name(61)",
        'scale("D3")',
        'scale("A#2")',
        'transpose(["A4", "C5"], 3)',
        'transpose(["C4"], -1)',
        'can_sing("bass", ["D2"])',
        'can_sing("soprano", ["C6"])',
        'voices(["C3"])',
        'voices(["F5", "C4"])',
        "voices([])",
        'widest_leap(["A4"])',
        'widest_leap(["C5", "C4", "D4"])',
        'can_sing("soprano", ["C#6"])',
        'scale("E3")',
    ],
    [
        Bug(
            "octave", "choir/notes.py", "12 * int(note[-1])", "10 * int(note[-1])", "An octave has only ten half tones."
        ),
        Bug(
            "scale",
            "choir/scales.py",
            "[2, 2, 1, 2, 2, 2, 1]",
            "[2, 1, 2, 2, 2, 2, 1]",
            "Our major scale sounds sad at the third note.",
        ),
        Bug(
            "edge",
            "choir/voices.py",
            "<= height(note) <= high",
            "<= height(note) < high",
            "Sopranos are not given their highest note.",
        ),
        Bug(
            "down",
            "choir/voices.py",
            "abs(height(two) - height(one))",
            "height(two) - height(one)",
            "Leaps downwards are not noticed.",
        ),
    ],
)

POSTAL = Repository(
    "postal",
    "Letters and parcels: sizes, postage, and labels.",
    {
        "sizes": '''def kind(length, width, height):
    """In centimetres, in any order of the sides: a letter is at most 24 x 17 x 2, a parcel at most 60 x 40 x 30, else freight."""
    a, b, c = sorted([length, width, height], reverse=True)
    if a <= 24 and b <= 17 and c <= 2:
        return "letter"
    return "parcel" if a <= 60 and b <= 40 and c <= 30 else "freight"
''',
        "postage": '''from postal.sizes import kind

BASE = {"letter": 100, "parcel": 500}


def postage(sides, grams, abroad=False):
    """In cents: the base of its kind and 20 for every 100 grams begun; abroad twice as much. Freight has no postage: -1."""
    what = kind(*sides)
    if what not in BASE:
        return -1
    cents = BASE[what] + 20 * -(-grams // 100)
    return 2 * cents if abroad else cents
''',
        "labels": '''from postal.postage import postage


def label(name, street, town, sides, grams, country=""):
    """Lines of a label: name, street, town in capitals, country if there is one, and the postage."""
    cents = postage(sides, grams, bool(country))
    paid = f"{cents // 100}.{cents % 100:02}" if cents >= 0 else "by agreement"
    return [line for line in [name, street, town.upper(), country.upper(), paid] if line]


def total(items):
    """Of items with postage, each sides and grams; freight is left out."""
    return sum(cents for cents in (postage(sides, grams) for sides, grams in items) if cents >= 0)
''',
    },
    {
        "sizes": ["kind(24, 17, 2)", "kind(2, 24, 17)", "kind(30, 30, 30)", "kind(61, 1, 1)"],
        "postage": [
            "postage([20, 10, 1], 100)",
            "postage([20, 10, 1], 101)",
            "postage([40, 30, 20], 900, True)",
            "postage([99, 9, 9], 5)",
        ],
        "labels": [
            'label("Ida", "Hill 3", "Norby", [20, 10, 1], 50)',
            'label("Ida", "Hill 3", "Norby", [20, 10, 1], 50, "Vestland")',
            "total([[[20, 10, 1], 50], [[99, 9, 9], 5]])",
        ],
    },
    [
        "kind(17, 2, 24)",
        "kind(25, 10, 1)",
        "kind(40, 30, 60)",
        "kind(41, 41, 1)",
        "postage([10, 10, 1], 0)",
        "postage([10, 10, 1], 200)",
        "postage([10, 10, 3], 250, True)",
        "postage([90, 90, 90], 1, True)",
        'label("A", "B", "c", [90, 90, 90], 10)',
        'label("A", "B", "c", [10, 10, 1], 450, "d")',
        'label("A", "B", "c", [10, 10, 1], 20)',
        "total([])",
        "total([[[10, 10, 1], 1], [[30, 20, 10], 1000], [[90, 1, 1], 1]])",
        "kind(24, 18, 2)",
        "kind(60, 40, 31)",
    ],
    [
        Bug("order", "postal/sizes.py", ", reverse=True)", ")", "A flat letter is charged as a parcel or freight."),
        Bug(
            "begun",
            "postal/postage.py",
            "-(-grams // 100)",
            "(grams // 100)",
            "101 grams cost as much as 100, and 50 as much as none.",
        ),
        Bug(
            "abroad",
            "postal/postage.py",
            "2 * cents if abroad",
            "2 + cents if abroad",
            "Letters abroad are nearly as cheap as at home.",
        ),
        Bug(
            "freight",
            "postal/labels.py",
            "sides, grams in items) if cents >= 0)",
            "sides, grams in items))",
            "A cart with freight is a cent too cheap.",
        ),
    ],
)

REPOSITORIES = [HARBOUR, CHOIR, POSTAL]
