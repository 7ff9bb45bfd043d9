"""Held-out problems about lists. `problems` describes how a function becomes tasks."""

from typing import Any

from authoring.code.random_values import numbers, words


def anagram_groups(items: list[str], *, least: Any = (2, 3)) -> list[list[str]]:
    """Group the words that consist of the same letters, each as often; groups follow each other as their first words
    do, words in a group as they do in `items`. Groups of fewer than {least} words are left out."""
    groups: dict[str, list[str]] = {}
    for each in items:
        groups.setdefault("".join(sorted(each)), []).append(each)
    return [group for group in groups.values() if len(group) >= least]


def bounce(items: list[int], *, limit: Any = (5, 8, 10)) -> list[int]:
    """Return each number as it is after bouncing between 0 and {limit}: what is more than {limit} comes back down by
    as much as it was too high, what is less than 0 comes back up, as often as needed."""
    out: list[int] = []
    for each in items:
        at = each % (2 * limit)
        out.append(2 * limit - at if at > limit else at)
    return out


def seat_plan(names: list[str], *, seats: Any = (2, 3)) -> list[str]:
    """Seat `names` in alphabetical order at tables of {seats}, and return one text for each table: "1: Ann, Bo", the
    tables counted from 1."""
    ordered = sorted(names)
    return [str(at // seats + 1) + ": " + ", ".join(ordered[at : at + seats]) for at in range(0, len(ordered), seats)]


def change_ringing(bells: list[int], *, rounds: Any = (2, 3, 4)) -> list[int]:
    """Ringers change the sequence of their bells {rounds} times. On odd changes (the 1st, the 3rd) the bells at the
    positions 1 and 2 trade, 3 and 4 trade, and so forth; on even changes 2 and 3, 4 and 5, and so forth. A bell with
    no partner keeps its position. Give back the final sequence."""
    out = list(bells)
    for change in range(rounds):
        for at in range(change % 2, len(out) - 1, 2):
            out[at], out[at + 1] = out[at + 1], out[at]
    return out


def cloakroom(guests: list[int], *, hooks: Any = (2, 3, 4)) -> list[int]:
    """A cloakroom has hooks with the numbers 1 to {hooks}, all empty. A 0 in `guests` is an arrival: the coat goes
    on the empty hook with the lowest number, or back home with its owner when none is empty. Any other number is a
    departure that empties this hook, if a coat hangs there. Give back the hooks in use at closing time, ascending."""
    used: set[int] = set()
    for each in guests:
        free = [hook for hook in range(1, hooks + 1) if hook not in used]
        if each == 0:
            used |= set(free[:1])
        else:
            used.discard(each)
    return sorted(used)


def pulled_out(seedlings: list[int], *, apart: Any = (3, 4, 6)) -> list[int]:
    """Seedlings grow in a row; given are their distances from the fence in centimetres, jumbled. Starting at the fence,
    a gardener lets a seedling stand if it is {apart} centimetres or further from the one let stand most recently
    (the nearest to the fence always stands), and pulls out all others. Give back the distances of those pulled out,
    ascending, repeats included."""
    out: list[int] = []
    kept: list[int] = []
    for each in sorted(seedlings):
        if not kept or each - kept[-1] >= apart:
            kept.append(each)
        else:
            out.append(each)
    return out


FAMILIES = {
    "lists": [
        anagram_groups,
        bounce,
        seat_plan,
        change_ringing,
        cloakroom,
        pulled_out,
    ],
}
INPUTS = {
    "anagram_groups": lambda draw: (
        [draw.choice(["tea", "eat", "ate", "tan", "nat", "bat", "tab", "aet"]) for _ in range(draw.randint(0, 8))],
    ),
    "bounce": lambda draw: (numbers(draw, -25, 40),),
    "seat_plan": lambda draw: (words(draw, draw.randint(0, 6)),),
    "change_ringing": lambda draw: (draw.sample(range(1, 9), draw.randint(0, 7)),),
    "cloakroom": lambda draw: ([draw.choice([0, 0, 0, 0, 1, 2, 3, 4]) for _ in range(draw.randint(0, 8))],),
    "pulled_out": lambda draw: ([draw.randint(0, 25) for _ in range(draw.randint(0, 7))],),
}
