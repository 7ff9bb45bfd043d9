"""Training problems about small algorithms, games and simulations. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import numbers


def peaks(heights: list[int], *, least: Any = (1, 2, 3)) -> list[int]:
    """Return the places of the items that are higher than both neighbours by at least {least}. The first and the last
    item are no peaks; the first place is 0."""
    return [
        at
        for at in range(1, len(heights) - 1)
        if heights[at] - heights[at - 1] >= least and heights[at] - heights[at + 1] >= least
    ]


def longest_rise(items: list[int], *, step: Any = (1, 2, 3)) -> int:
    """Return the length of the longest stretch of neighbouring items in which each is larger than the one before by
    at least {step}. No items: 0."""
    best = now = 0
    for at, each in enumerate(items):
        now = now + 1 if at and each - items[at - 1] >= step else 1
        best = max(best, now)
    return best


def pairs_with_sum(items: list[int], *, total: Any = (7, 10, 12)) -> int:
    """Count the pairs of items at different places whose sum is {total}; the order inside a pair does not matter."""
    return sum(items[one] + items[two] == total for one in range(len(items)) for two in range(one + 1, len(items)))


def smooth(items: list[int], *, width: Any = (2, 3, 4)) -> list[int]:
    """Return, for every stretch of {width} neighbouring items, from left to right, their sum divided by {width},
    rounded down."""
    return [sum(items[at : at + width]) // width for at in range(len(items) - width + 1)]


def josephus(count: int, *, step: Any = (2, 3, 4)) -> list[int]:
    """`count` people with the numbers 1, 2, ... stand in a circle. Beginning with number 1, those who still
    stand are counted: the one at {step} is sent away, and with the next one the count begins again at 1, until nobody is
    left. Return the numbers in the order in which they are sent away."""
    standing, at = list(range(1, count + 1)), 0
    out: list[int] = []
    while standing:
        at = (at + step - 1) % len(standing)
        out.append(standing.pop(at))
    return out


def inversions(items: list[int], *, gap: Any = (0, 1, 2)) -> int:
    """Count the pairs of places at which the earlier item is larger than the later one by more than {gap}."""
    return sum(items[one] - items[two] > gap for one in range(len(items)) for two in range(one + 1, len(items)))


def fair_share(weights: list[int], *, limit: Any = (10, 15, 20)) -> int:
    """Parcels come in this order and go into vans that carry at most {limit} each; a van leaves when the next parcel
    does not fit. A parcel that is heavier than {limit} is turned away, and the van waits for the next one. All weigh
    1 or more. Return how many vans are used."""
    vans, load = 0, limit
    for each in weights:
        if each > limit:
            continue
        if load + each > limit:
            vans, load = vans + 1, 0
        load += each
    return vans


def _positive(draw: Random) -> tuple[list[int]]:
    return (numbers(draw, 1, 23),)


def balanced(text: str, *, pairs: Any = ("()[]", "()", "[]{}")) -> bool:
    """Say whether the brackets in {pairs!r} (each opening one is followed by the one that closes it) are closed in
    `text` in the right order. Other characters do not matter."""
    open_ones = ""
    for each in text:
        if each in pairs:
            at = pairs.index(each)
            if at % 2 == 0:
                open_ones += each
            elif not open_ones or open_ones[-1] != pairs[at - 1]:
                return False
            else:
                open_ones = open_ones[:-1]
    return open_ones == ""


def calculate(text: str, *, first: Any = ("left", "right")) -> int:
    """`text` has whole numbers with " + ", " - " or " * " between them, such as "2 + 3 * 4". All signs count the
    same: work it out from the {first} end and return the result. From the right, "9 - 2 - 1" is 9 - (2 - 1)."""
    words = text.split()
    if first == "left":
        value, rest = int(words[0]), words[1:]
    else:
        value, rest = int(words[-1]), words[:-1][::-1]
    for at in range(0, len(rest), 2):
        sign, number = rest[at], int(rest[at + 1])
        a, b = (value, number) if first == "left" else (number, value)
        value = a + b if sign == "+" else a - b if sign == "-" else a * b
    return value


def robot(moves: str, *, size: Any = (3, 5, 9)) -> list[int]:
    """A robot begins at place [0, 0] of a field whose places go from 0 to {size} in both directions. The letters of
    `moves` move it by one: R adds 1 to the first number, L takes 1 away, U adds 1 to the second, D takes 1 away;
    other letters do nothing. A move that would leave the field is not made. Return where it ends."""
    x = y = 0
    for each in moves:
        x = min(max(x + (each == "R") - (each == "L"), 0), size)
        y = min(max(y + (each == "U") - (each == "D"), 0), size)
    return [x, y]


def _sum(draw: Random) -> tuple[str]:
    text = str(draw.randint(0, 9))
    for _ in range(draw.randint(0, 4)):
        text += f" {draw.choice('+-*')} {draw.randint(0, 9)}"
    return (text,)


def trail(fields: list[int], *, start: Any = (0, 1, 2)) -> int:
    """A piece stands on field {start} of a row of fields, the first of which is 0. On each field stands by how many
    fields it has to jump from there, forward or, if that is negative, back. It goes on until it would leave the row or
    comes to a field on which it has been before. Return on how many fields it has been, its first one included; 0
    if there is no field {start}."""
    been: list[int] = []
    at = start
    while 0 <= at < len(fields) and at not in been:
        been.append(at)
        at += fields[at]
    return len(been)


def card_piles(cards: list[int], *, onto: Any = ("a larger one", "a larger or an equal one")) -> list[int]:
    """Lay out `cards` in order. Each goes onto the first pile from the left whose top card is {onto}; if there is
    none it begins a new pile at the right end. Return the top cards of the piles in the end, from the left."""
    tops: list[int] = []
    for card in cards:
        for at, top in enumerate(tops):
            if top > card if onto == "a larger one" else top >= card:
                tops[at] = card
                break
        else:
            tops.append(card)
    return tops


def work_order(needs: dict[str, list[str]], *, pick: Any = ("first", "last")) -> list[str]:
    """`needs` has for each job the jobs that must be done before it; all of these have entries too. One job is done at
    a time: of those which are not done and need no undone one, always the {pick} in the alphabet. Return the jobs in
    the order in which they are done. If at some point no job is possible while some are left, it is a ValueError."""
    done: list[str] = []
    while len(done) < len(needs):
        ready = sorted(job for job in needs if job not in done and all(each in done for each in needs[job]))
        if not ready:
            raise ValueError("nothing can be done")
        done.append(ready[0] if pick == "first" else ready[-1])
    return done


def domino_row(stones: list[list[int]], *, turn: Any = ("may", "must not")) -> list[int]:
    """Dominoes, each with a left and a right number, come one after the other. The first is laid as it is. Each further one is
    laid at the right end of the row if its left number is the right number of the row, else it is put aside. Stones
    {turn} be turned round to fit. Return the right number of the row in the end and how many stones were put aside; no
    stones give an empty list."""
    if not stones:
        return []
    end, aside = stones[0][1], 0
    for left, right in stones[1:]:
        if left == end:
            end = right
        elif turn == "may" and right == end:
            end = left
        else:
            aside += 1
    return [end, aside]


def unmown(strips: list[list[int]], *, long: Any = (8, 10, 12)) -> int:
    """A lawn is {long} metres long. Each of `strips` is where somebody began to mow and where they stopped, in metres
    from its start and in either direction; it may go beyond the lawn, and strips may overlap. Return how many metres
    of the lawn are not mown."""
    return sum(all(not min(strip) <= at < max(strip) for strip in strips) for at in range(long))


def banked(rolls: list[int], *, lose: Any = (1, 6), hold: Any = (8, 12)) -> int:
    """Somebody plays alone with a die. In a turn the rolls are added up until the sum is {hold} or more: then it is
    banked and a new turn begins. A roll of {lose} ends the turn at once, and nothing of it is banked. Return what is
    banked after all `rolls`; an unfinished turn does not count."""
    bank = turn = 0
    for each in rolls:
        turn = 0 if each == lose else turn + each
        if turn >= hold:
            bank, turn = bank + turn, 0
    return bank


def workbench(jobs: list[str], *, room: Any = (2, 3)) -> int:
    """A bench has room for {room} tools, and is empty at first. `jobs` are the tools that are needed, one after the
    other. A tool that does not lie on the bench is fetched; if there is no room, the tool that has not been used for
    the longest time is put back before. Return how often a tool is fetched."""
    bench: list[str] = []
    fetched = 0
    for tool in jobs:
        if tool in bench:
            bench.remove(tool)
        else:
            fetched += 1
        bench = [*bench, tool][-room:]
    return fetched


def _needs(draw: Random) -> tuple[dict[str, list[str]]]:
    jobs = draw.sample(["cut", "dig", "glue", "oil", "sand"], draw.randint(0, 5))
    needs = {job: draw.sample(jobs[:at], draw.randint(int(at > 1), min(at, 2))) for at, job in enumerate(jobs)}
    if jobs and draw.random() < 0.2:
        needs[jobs[0]] = [jobs[-1]]
    return (dict(draw.sample(sorted(needs.items()), len(needs))),)


FAMILIES = {
    "algorithms": [
        peaks,
        longest_rise,
        pairs_with_sum,
        smooth,
        josephus,
        inversions,
        fair_share,
        balanced,
        calculate,
        robot,
        trail,
        card_piles,
        work_order,
        domino_row,
        unmown,
        banked,
        workbench,
    ],
}
INPUTS = {
    "peaks": lambda draw: ([draw.randint(0, 6) for _ in range(draw.randint(0, 9))],),
    "longest_rise": lambda draw: ([draw.randint(0, 3) + at * draw.randint(0, 3) for at in range(draw.randint(0, 8))],),
    "pairs_with_sum": lambda draw: (numbers(draw, 0, 12),),
    "josephus": lambda draw: (draw.randint(0, 9),),
    "fair_share": _positive,
    "balanced": lambda draw: (
        draw.choice(
            [
                *("([])", "(x[y)]", "a{[]}", "[{]}", ")(", "", "(()", "{[()]}"),
                "".join(draw.choice("()[]{}ab") for _ in range(draw.randint(1, 5))),
            ]
        ),
    ),
    "calculate": _sum,
    "robot": lambda draw: ("".join(draw.choice("RRUULDx") for _ in range(draw.randint(0, 14))),),
    "trail": lambda draw: ([draw.choice([-2, -1, 1, 1, 2, 3, 0]) for _ in range(draw.randint(0, 7))],),
    "card_piles": lambda draw: ([draw.randint(1, 6) for _ in range(draw.randint(0, 7))],),
    "work_order": _needs,
    "domino_row": lambda draw: ([[draw.randint(0, 3), draw.randint(0, 3)] for _ in range(draw.randint(0, 6))],),
    "unmown": lambda draw: ([[draw.randint(-2, 13), draw.randint(-2, 13)] for _ in range(draw.randint(0, 3))],),
    "banked": lambda draw: ([draw.randint(1, 6) for _ in range(draw.randint(0, 9))],),
    "workbench": lambda draw: (
        [draw.choice(["saw", "file", "awl", "vice"]) for _ in range(draw.choice([0, 3, 8, 10, 12]))],
    ),
}
