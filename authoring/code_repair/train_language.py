"""Repositories to learn from: sums, paragraphs and titles."""

from authoring.code_repair.repositories import Bug, Repository

SUMS = Repository(
    "sums",
    "A calculator for sums written as text, such as 2*(3+4), in whole numbers.",
    {
        "reading": '''def tokens(text):
    """Numbers and signs one by one; blanks mean nothing."""
    found = []
    for sign in text.replace(" ", ""):
        if sign.isdigit() and found and found[-1].isdigit():
            found[-1] += sign
        else:
            found.append(sign)
    return found
''',
        "ranking": '''from sums.reading import tokens

RANKS = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}


def first(one, two):
    """Whether the left sign is applied before the right one. Equal ranks go from left to right, except for ^."""
    return RANKS[one] > RANKS[two] or (RANKS[one] == RANKS[two] and one != "^")


def postfix(text):
    """Each sign behind the two values that it joins: 1+2*3 becomes 1 2 3 * +."""
    out, waiting = [], []
    for token in tokens(text):
        if token.isdigit():
            out.append(token)
        elif token == "(":
            waiting.append(token)
        elif token == ")":
            while waiting[-1] != "(":
                out.append(waiting.pop())
            waiting.pop()
        else:
            while waiting and waiting[-1] != "(" and first(waiting[-1], token):
                out.append(waiting.pop())
            waiting.append(token)
    return out + waiting[::-1]
''',
        "working": '''from sums.ranking import postfix


def joined(sign, one, two):
    """A quotient is cut off towards zero: -7/2 is -3."""
    if sign == "/":
        size = abs(one) // abs(two)
        return size if (one < 0) == (two < 0) else -size
    if sign == "^":
        return one**two
    return {"+": one + two, "-": one - two, "*": one * two}[sign]


def value(text):
    """What a sum gives; "undefined" if it divides by 0 anywhere."""
    stack = []
    for token in postfix(text):
        if token.isdigit():
            stack.append(int(token))
            continue
        two, one = stack.pop(), stack.pop()
        if token == "/" and two == 0:
            return "undefined"
        stack.append(joined(token, one, two))
    return stack[0]
''',
    },
    {
        "reading": ['tokens("12+3")', 'tokens("4 * (15 - 2)")'],
        "ranking": ['postfix("1+2*3")', 'postfix("8-3-2")', 'postfix("2^3^2")', 'postfix("(1+2)*3")'],
        "working": ['joined("/", -7, 2)', 'value("20/4")', 'value("9-(2-5)")', 'value("6/(3-3)")', 'value("2 + 3")'],
    },
    [
        'tokens("100")',
        'tokens(" 7 /(2)")',
        'postfix("24/4/3")',
        'postfix("2*3^2-1")',
        'postfix("5-(6-7)")',
        'joined("/", 9, -4)',
        'joined("/", -9, -4)',
        'joined("-", 2, 11)',
        'value("10 - 4 + 3")',
        'value("2^3^2")',
        'value("(1-8)/2")',
        'value("3-10/(5-5)")',
        'value("7*(2+3)-4/3")',
        'value("42")',
        'postfix("1+2-3")',
        'joined("/", -1, 1)',
        'joined("/", 6, -1)',
        'value("7*5/2")',
        'value("0/(2-2)")',
        'value("4*(1-1)")',
    ],
    [
        Bug(
            "blanks",
            "sums/reading.py",
            'text.replace(" ", "")',
            "text.strip()",
            "1+1 works. As soon as I put blanks around the plus, it breaks.",
        ),
        Bug(
            "left",
            "sums/ranking.py",
            'RANKS[one] > RANKS[two] or (RANKS[one] == RANKS[two] and one != "^")',
            "RANKS[one] > RANKS[two]",
            "10-4-3 should be 3 and I am told 9.",
        ),
        Bug(
            "no_warning",
            "sums/working.py",
            'return "undefined"',
            "two = 1",
            "I divided 6 by 3-3 and was told 6, without a warning.",
        ),
        Bug(
            "zero",
            "sums/working.py",
            "return size if (one < 0) == (two < 0) else -size",
            "return one // two",
            "Quotients below zero are one too low when something is left over.",
        ),
    ],
)

FOLDS = Repository(
    "folds",
    "Folds long texts into lines of a given width, with points and columns.",
    {
        "lines": '''def wrap(text, width):
    """Words in lines of at most `width` characters. A word that is longer has a line for itself."""
    lines, now = [], ""
    for word in text.split():
        if now and len(now) + 1 + len(word) > width:
            lines.append(now)
            now = word
        else:
            now = f"{now} {word}" if now else word
    return [*lines, now] if now else lines
''',
        "parts": '''from folds.lines import wrap


def paragraphs(text):
    """What stands between empty lines, each as one line; several empty lines are like one."""
    blocks = [[]]
    for line in text.splitlines():
        if line.strip():
            blocks[-1].append(line.strip())
        else:
            blocks.append([])
    return [" ".join(block) for block in blocks if block]


def folded(text, width):
    """All paragraphs in lines, an empty line between two of them."""
    out = []
    for part in paragraphs(text):
        out += ["", *wrap(part, width)] if out else wrap(part, width)
    return out
''',
        "columns": '''from folds.lines import wrap


def points(texts, width):
    """Each text with "- " before its first line and two blanks before the others, which count for the width."""
    out = []
    for text in texts:
        for at, line in enumerate(wrap(text, width - 2)):
            out.append(("- " if at == 0 else "  ") + line)
    return out


def column(texts, side="left"):
    """All as long as the longest, filled with dots. They stand at the left side, or at the right one if asked."""
    width = max(map(len, texts), default=0)
    return [text.rjust(width, ".") if side == "right" else text.ljust(width, ".") for text in texts]
''',
    },
    {
        "lines": ['wrap("one two three", 7)', 'wrap("a bcd ef", 4)', 'wrap("unbelievable as it is", 6)'],
        "parts": ['paragraphs("a\\nb\\n\\n\\nc")', 'folded("one two\\n\\n\\nthree", 5)'],
        "columns": ['points(["red hat", "cap"], 8)', 'column(["ab", "c"])', 'column(["ab", "c"], "right")'],
    },
    [
        'wrap("", 5)',
        'wrap("aa bb cc", 5)',
        'wrap("aa bb cc", 4)',
        'wrap("longest a b", 3)',
        'paragraphs("\\n\\nx y\\n  z\\n")',
        'paragraphs("")',
        'folded("a b c d\\n\\ne", 3)',
        'folded("a\\n \\n \\nb", 9)',
        'points(["aa bb cc", "dd"], 7)',
        'points(["aa bb"], 6)',
        "points([], 5)",
        'column(["x", "xyz", ""])',
        'column(["x", "xy"], "right")',
        "column([])",
        'paragraphs("a \\nb")',
    ],
    [
        Bug(
            "blank",
            "folds/lines.py",
            "len(now) + 1 + len(word) > width",
            "len(now) + len(word) > width",
            "Now and then a line sticks out by exactly one character.",
        ),
        Bug(
            "empty",
            "folds/parts.py",
            "for block in blocks if block]",
            "for block in blocks]",
            "If somebody presses return three times, I get paragraphs with nothing in them.",
        ),
        Bug(
            "points",
            "folds/columns.py",
            "wrap(text, width - 2)",
            "wrap(text, width)",
            "Lists are wider than the width I asked for.",
        ),
        Bug(
            "side",
            "folds/columns.py",
            'side="left"',
            'side="right"',
            "Columns that say nothing about their side are pushed to the right.",
        ),
    ],
)

SHELVES = Repository(
    "shelves",
    "A library: words of titles, finding books, and what is owed for late ones.",
    {
        "titles": '''SMALL = {"the", "a", "of", "and"}


def words(title):
    """In small letters, without marks at their ends; little words such as `the` are left out."""
    found = [word.strip(".,:;!?").lower() for word in title.split()]
    return [word for word in found if word and word not in SMALL]


def index(titles):
    """Word to the numbers of the titles that have it, each number once."""
    places = {}
    for place, title in enumerate(titles):
        for word in sorted(set(words(title))):
            places.setdefault(word, []).append(place)
    return places
''',
        "finding": '''from shelves.titles import index, words


def find(titles, query):
    """The titles that have all words of the query, as they stand on the shelf. Without words nothing is found."""
    places = index(titles)
    asked = [set(places.get(word, [])) for word in words(query)]
    return [titles[place] for place in sorted(set.intersection(*asked))] if asked else []


def common(titles):
    """Words of more than one title, in alphabetical order."""
    return sorted(word for word, places in index(titles).items() if len(places) > 1)
''',
        "fines": '''def fine(due, back, daily=10):
    """In cents, at most 500: nothing for up to three late days; whoever is later pays `daily` for all of them."""
    late = back - due
    return 0 if late <= 3 else min(500, late * daily)


def owed(loans):
    """Reader to all fines of his loans (reader, due, back) together; who owes nothing is left out."""
    found = {}
    for reader, due, back in loans:
        found[reader] = found.get(reader, 0) + fine(due, back)
    return {reader: cents for reader, cents in found.items() if cents > 0}
''',
    },
    {
        "titles": ['words("The Sea: a Life of Salt!")', 'index(["Red Sea", "sea and sea"])'],
        "finding": [
            'find(["Salt Sea", "Red Sea", "Red Salt"], "sea red")',
            'find(["Salt Sea"], "The")',
            'find(["Life by the Sea"], "The Sea")',
            'common(["Salt Sea", "Red Sea"])',
        ],
        "fines": [
            "fine(10, 13)",
            "fine(10, 14)",
            "fine(10, 90)",
            'owed([["Uma", 10, 15], ["Uma", 10, 20], ["Per", 9, 9]])',
        ],
    },
    [
        'words("A Hat, a Cat.")',
        'words("OF AND")',
        'index(["x", "y x"])',
        'find(["Hat and Cat", "The Cat", "Hats"], "cat")',
        'find(["Hat and Cat", "Cat", "Hat"], "Cat And HAT")',
        'find(["Hat"], "dog")',
        'common(["x y", "Y z", "the z", "The"])',
        "common([])",
        "fine(5, 8)",
        "fine(5, 5)",
        "fine(5, 6)",
        "fine(5, 9, 25)",
        "fine(0, 50)",
        'owed([["a", 1, 6], ["b", 1, 9], ["a", 2, 7]])',
        'owed([["a", 1, 4]])',
        'words("...salt ?! sea")',
        'find(["Red Salt Sea", "Red Salt"], "red salt sea")',
        'owed([["a", 0, 60], ["a", 0, 70]])',
    ],
    [
        Bug(
            "little",
            "shelves/titles.py",
            '[word.strip(".,:;!?").lower() for word in title.split()]\n'
            "    return [word for word in found if word and word not in SMALL]",
            '[word.strip(".,:;!?") for word in title.split()]\n'
            "    return [word.lower() for word in found if word and word not in SMALL]",
            "THE SEA gives me fewer books than the same two words in small letters do.",
        ),
        Bug(
            "all_words",
            "shelves/finding.py",
            "set.intersection(*asked)",
            "set.union(*asked)",
            "The more words I type, the more books are found. I want those with all of them.",
        ),
        Bug(
            "grace",
            "shelves/fines.py",
            "late <= 3",
            "late < 3",
            "A reader who was three days late had to pay.",
        ),
        Bug(
            "together",
            "shelves/fines.py",
            "found[reader] = found.get(reader, 0) + fine(due, back)",
            "found[reader] = fine(due, back)",
            "Whoever returns a pile of late books is charged for one of them only.",
        ),
    ],
)

REPOSITORIES = [SUMS, FOLDS, SHELVES]
