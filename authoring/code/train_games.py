"""Problems about games, gardens and workshops that are played through step by step; `train_text` says how they are written."""

from random import Random
from typing import Any

from authoring.code.forms import numbers


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


def fold_strip(items: list[int], *, middle: Any = ("once", "twice")) -> list[int]:
    """A strip of paper with `items` on it is folded in the middle, so that the last number lies on the first, the last
    but one on the second, and so on. Return the sums of the numbers that lie on each other, beginning with the first.
    If the fold goes through a number, that one comes at the end and counts {middle}."""
    half = len(items) // 2
    out = [items[at] + items[-1 - at] for at in range(half)]
    if len(items) % 2 == 1:
        out.append(items[half] if middle == "once" else 2 * items[half])
    return out


def around_first(items: list[int], *, equal: Any = ("before", "after")) -> list[int]:
    """Rearrange `items` around their first one: all smaller ones come before it and all larger ones after it, each
    group in the order it had. Further items that are equal to the first stand directly {equal} it. Return the list;
    it is empty if `items` is."""
    if not items:
        return []
    first, *rest = items
    same = [each for each in rest if each == first]
    smaller, larger = [each for each in rest if each < first], [each for each in rest if each > first]
    return [*smaller, *same, first, *larger] if equal == "before" else [*smaller, first, *same, *larger]


def lamp_gaps(places: list[int], *, around: Any = (12, 20, 30)) -> list[int]:
    """Lamps stand along a path that goes {around} metres around a pond; `places` says where, in metres from the gate
    and always less than {around}, in any order, and some of them twice, which is one lamp. Return the distances from each lamp to
    the next, beginning with the lamp that has the smallest number; the last distance is the one past the gate. For one lamp
    it is the whole way around; without lamps there are none."""
    lamps = sorted(set(places))
    return [(lamps[at + 1] if at + 1 < len(lamps) else lamps[0] + around) - lamp for at, lamp in enumerate(lamps)]


FAMILIES = {
    "algorithms": [trail, card_piles, work_order, domino_row, unmown, banked, workbench],
    "lists": [fold_strip, around_first, lamp_gaps],
}


def _needs(draw: Random) -> tuple[dict[str, list[str]]]:
    jobs = draw.sample(["cut", "dig", "glue", "oil", "sand"], draw.randint(0, 5))
    needs = {job: draw.sample(jobs[:at], draw.randint(int(at > 1), min(at, 2))) for at, job in enumerate(jobs)}
    if jobs and draw.random() < 0.2:
        needs[jobs[0]] = [jobs[-1]]
    return (dict(draw.sample(sorted(needs.items()), len(needs))),)


INPUTS = {
    "trail": lambda draw: ([draw.choice([-2, -1, 1, 1, 2, 3, 0]) for _ in range(draw.randint(0, 7))],),
    "card_piles": lambda draw: ([draw.randint(1, 6) for _ in range(draw.randint(0, 7))],),
    "work_order": _needs,
    "domino_row": lambda draw: ([[draw.randint(0, 3), draw.randint(0, 3)] for _ in range(draw.randint(0, 6))],),
    "unmown": lambda draw: ([[draw.randint(-2, 13), draw.randint(-2, 13)] for _ in range(draw.randint(0, 3))],),
    "banked": lambda draw: ([draw.randint(1, 6) for _ in range(draw.randint(0, 9))],),
    "workbench": lambda draw: (
        [draw.choice(["saw", "file", "awl", "vice"]) for _ in range(draw.choice([0, 3, 8, 10, 12]))],
    ),
    "around_first": lambda draw: ([draw.choice([1, 3, 5, 5, 6, 8, 9]) for _ in range(draw.randint(0, 7))],),
    "lamp_gaps": lambda draw: (numbers(draw, 0, 11),),
}
