"""More held-out families whose answer is a name or a time of day, in words of their own."""

from itertools import permutations
from random import Random

from authoring.math.held_out import NAMES
from verigym.environments.math.asked import Asked, Family, clock, euros, option
from verigym.environments.math.asked import at as time

ISLANDS = ["Korva", "Lumo", "Sentil", "Varda", "Ombra", "Tessal"]


# -- easy --------------------------------------------------------------------------------------------------------------------


def compass_turns(draw: Random) -> Asked:
    points = ["north", "east", "south", "west"]
    start, turns = draw.randrange(4), [draw.choice([-270, -180, -90, 90, 180, 270]) for _ in range(4)]
    end = points[(start + sum(turns) // 90) % 4]
    told = ", ".join(f"{abs(turn)}° {'clockwise' if turn > 0 else 'anticlockwise'}" for turn in turns)
    return option(
        draw.choice(
            [
                f"A drone facing {points[start]} rotates {told}. Towards which compass point is it heading finally?",
                f"Initial heading: {points[start]}. Successive rotations: {told}. Final heading?",
            ]
        ),
        f"Clockwise the turns make {sum(turns)} degrees.\nFrom {points[start]} that leads to {end}.",
        end,
        points,
    )


def goat_islands(draw: Random) -> Asked:
    islands = draw.sample(ISLANDS, 4)
    before = [draw.randint(40, 120) for _ in islands]
    moves = [(draw.randint(5, 35), draw.randint(5, 35)) for _ in islands]
    after = [start + on - off for start, (on, off) in zip(before, moves, strict=True)]
    while len(set(after)) < 4:
        spot = draw.randrange(4)
        before[spot] += 1
        after[spot] += 1
    listed = "; ".join(
        f"{name} {start}, plus {on}, minus {off}" for name, start, (on, off) in zip(islands, before, moves, strict=True)
    )
    most = draw.random() < 0.5
    right = islands[after.index(max(after) if most else min(after))]
    return option(
        draw.choice(
            [
                f"Island populations of goats, followed by births and losses. {listed}. Which island ends up with "
                f"the {'largest' if most else 'smallest'} herd?",
                f"Goat census ({listed}). After these changes, the {'biggest' if most else 'tiniest'} herd belongs "
                "to which island?",
            ]
        ),
        "\n".join(f"{name}: {each}." for name, each in zip(islands, after, strict=True)),
        right,
        islands,
    )


def coin_purses(draw: Random) -> Asked:
    names = draw.sample(NAMES, 4)
    coins = [[draw.randint(1, 9) for _ in range(3)] for _ in names]
    while len({_cents(each) for each in coins}) < 4:
        coins[draw.randrange(4)][0] += 1
    listed = "; ".join(f"{who} {a}, {b}, {c}" for who, (a, b, c) in zip(names, coins, strict=True))
    totals = [_cents(each) for each in coins]
    return option(
        draw.choice(
            [
                f"Numbers of €2, 50-cent and 20-cent coins, in this order: {listed}. Who possesses the most money?",
                f"Every purse contains €2, 50-cent and 20-cent coins, listed respectively. {listed}. Whose purse is "
                "worth most?",
            ]
        ),
        "\n".join(f"{who}: {euros(total)}." for who, total in zip(names, totals, strict=True)),
        names[totals.index(max(totals))],
        names,
    )


def _cents(coins: list[int]) -> int:
    return 200 * coins[0] + 50 * coins[1] + 20 * coins[2]


def late_parcel(draw: Random) -> Asked:
    arrive, early = draw.randrange(13 * 60, 21 * 60, 5), draw.randrange(65, 190, 5)
    return clock(
        draw.choice(
            [
                f"A courier delivered at {time(arrive)}, having been {early} minutes behind schedule. Scheduled "
                "delivery (hh:mm)?",
                f"Delivery occurred at {time(arrive)}, {early} minutes later than promised. Which time had been "
                "promised? Format hh:mm.",
            ]
        ),
        f"{early} minutes are {early // 60} h {early % 60} min.\n{time(arrive)} less that is {time(arrive - early)}.",
        arrive - early,
    )


def sun_up(draw: Random) -> Asked:
    noon, length = draw.randrange(12 * 60, 13 * 60 + 30), draw.randrange(8 * 60 + 10, 16 * 60)
    rise = noon - length // 2
    return clock(
        draw.choice(
            [
                f"Sunrise occurs at {time(rise)} and daylight lasts {length // 60} h {length % 60} min. Sunset time "
                "(hh:mm)?",
                f"Daylight today amounts to {length // 60} h {length % 60} min, starting with sunrise at "
                f"{time(rise)}. Report sunset in hh:mm format.",
            ]
        ),
        f"{time(rise)} and {length // 60} hours give {time(rise + length // 60 * 60)}.\nAnother {length % 60} "
        f"minutes give {time(rise + length)}.",
        rise + length,
    )


def lessons(draw: Random) -> Asked:
    start, each, gap, which = (
        draw.choice([465, 470, 475, 480, 490]),
        draw.choice([40, 45, 50]),
        draw.choice([5, 10, 15]),
        draw.randint(3, 7),
    )
    begin = start + (which - 1) * (each + gap)
    word = {3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh"}[which]
    return clock(
        draw.choice(
            [
                f"School begins at {time(start)}. Lessons take {each} minutes, separated by {gap}-minute recesses. "
                f"The {word} lesson finishes when (hh:mm)?",
                f"Timetable: first lesson {time(start)}, lesson length {each} min, recess {gap} min between "
                f"consecutive lessons. End of the {word} lesson, hh:mm?",
            ]
        ),
        f"{which - 1} lessons with a recess each take {(which - 1) * (each + gap)} minutes: the {word} begins at "
        f"{time(begin)}.\n{each} minutes later it is {time(begin + each)}.",
        begin + each,
    )


# -- medium ------------------------------------------------------------------------------------------------------------------


def free_throws(draw: Random) -> Asked:
    names = draw.sample(NAMES, 4)
    tries = [draw.choice([25, 50]) for _ in names]
    rates = draw.sample(range(36, 84, 4), 4)
    hits = [rate * shots // 100 for rate, shots in zip(rates, tries, strict=True)]
    listed = "; ".join(f"{who} {each}/{shots}" for who, each, shots in zip(names, hits, tries, strict=True))
    return option(
        draw.choice(
            [
                f"Basketball free throws, scored/attempted: {listed}. Whose success rate is highest?",
                f"Scored free throws out of attempts: {listed}. Identify the most accurate player.",
            ]
        ),
        "\n".join(f"{who}: {rate}%." for who, rate in zip(names, rates, strict=True)),
        names[rates.index(max(rates))],
        names,
    )


def seesaw(draw: Random) -> Asked:
    names = draw.sample(NAMES, 4)
    masses = [draw.randint(24, 60) for _ in names]
    arms = [draw.choice([10, 12, 15, 18, 20, 25]) for _ in names]
    while len({mass * arm for mass, arm in zip(masses, arms, strict=True)}) < 4:
        masses[draw.randrange(4)] += 1
    products = [mass * arm for mass, arm in zip(masses, arms, strict=True)]
    listed = "; ".join(f"{who} {mass} kg at {arm / 10:g} m" for who, mass, arm in zip(names, masses, arms, strict=True))
    return option(
        draw.choice(
            [
                f"On a seesaw, turning effect equals mass multiplied by distance from the pivot. {listed}. Who "
                "exerts the greatest turning effect?",
                f"Multiply mass by lever arm: {listed}. Whose product is greatest?",
            ]
        ),
        "\n".join(f"{who}: {each / 10:g}." for who, each in zip(names, products, strict=True)),
        names[products.index(max(products))],
        names,
    )


def parallel_desks(draw: Random) -> Asked:
    start, each, waiting, desks = (
        draw.randrange(9 * 60, 14 * 60, 10),
        draw.choice([6, 8, 9, 12, 14]),
        draw.randint(11, 38),
        draw.choice([2, 3, 4]),
    )
    rounds = waiting // desks
    return clock(
        draw.choice(
            [
                f"{desks} desks open simultaneously at {time(start)}; every visitor occupies a desk for precisely "
                f"{each} minutes. {waiting} people queue ahead of you. When does your turn come (hh:mm)?",
                f"Queue position {waiting + 1}, {desks} parallel desks, {each} minutes per visitor without pauses, "
                f"opening {time(start)}. Time at which you get a desk (hh:mm)?",
            ]
        ),
        f"{desks} people are served in every {each} minutes, so {rounds} full rounds come before you.\n{rounds} × "
        f"{each} = {rounds * each} minutes after {time(start)} it is {time(start + rounds * each)}.",
        start + rounds * each,
    )


def runner_pace(draw: Random) -> Asked:
    start, minutes, seconds, km = (
        draw.randrange(7 * 60, 18 * 60, 5),
        draw.randint(4, 7),
        draw.choice([15, 30, 45]),
        draw.choice([8, 12, 16, 20]),
    )
    total = km * (60 * minutes + seconds) // 60
    return clock(
        draw.choice(
            [
                f"{draw.choice(NAMES)} jogs {km} km at a constant pace of {minutes}:{seconds} min per km, departing "
                f"{time(start)} sharp. Finishing time (24-hour clock, hours and minutes)?",
                f"Pace {minutes} min {seconds} s per kilometre, distance {km} km, departure {time(start)}. Compute "
                "the arrival time in hh:mm.",
            ]
        ),
        f"{km} × {60 * minutes + seconds} s = {total} minutes.\n{time(start)} and {total} minutes give "
        f"{time(start + total)}.",
        start + total,
    )


# -- hard --------------------------------------------------------------------------------------------------------------------


def runoff(draw: Random) -> Asked:
    names = draw.sample(NAMES, 3)
    orders = list(permutations(names))
    while True:
        votes = dict(zip(orders, [draw.randint(2, 30) for _ in orders], strict=True))
        first = {name: sum(count for order, count in votes.items() if order[0] == name) for name in names}
        out = min(names, key=first.__getitem__)
        final = {
            name: first[name] + sum(count for order, count in votes.items() if order[:2] == (out, name))
            for name in names
            if name != out
        }
        if len(set(first.values())) == 3 and len(set(final.values())) == 2:
            break
    right = max(final, key=final.__getitem__)
    listed = "; ".join(f"{' > '.join(order)}: {count}" for order, count in votes.items())
    return option(
        draw.choice(
            [
                f"Ballots rank three candidates: {listed}. Whoever has fewest first preferences is eliminated, "
                "those ballots transfer to their second preference, and a majority then decides. Who wins?",
                f"Instant runoff with ranked ballots ({listed}): eliminate the candidate having fewest first "
                "preferences, transfer those ballots, compare the remaining two. Name the winner.",
            ]
        ),
        f"First preferences: {', '.join(f'{name} {count}' for name, count in first.items())}. {out} is eliminated.\n"
        f"Then: {', '.join(f'{name} {count}' for name, count in final.items())}.",
        right,
        names,
    )


def tide_table(draw: Random) -> Asked:
    first, gap, which = draw.randrange(60, 11 * 60), draw.choice([740, 745, 750]), draw.choice([5, 7, 9])
    end = first + gap * (which - 1)
    word = {5: "fifth", 7: "seventh", 9: "ninth"}[which]
    return clock(
        draw.choice(
            [
                f"High tides recur every {gap // 60} h {gap % 60} min. Tide one peaked Monday at {time(first)}. "
                f"Clock reading at the {word} peak (hh:mm)?",
                f"Monday's earliest high tide: {time(first)}. Interval between high tides: {gap // 60} h {gap % 60} "
                f"min. State the clock time of the {word} high tide in hh:mm, whatever the day.",
            ]
        ),
        f"{which - 1} intervals are {gap * (which - 1)} minutes, {gap * (which - 1) // 60} h "
        f"{gap * (which - 1) % 60} min.\nFrom {time(first)} on that leads to {time(end)}.",
        end,
    )


EASY: list[Family] = [compass_turns, goat_islands, coin_purses, late_parcel, sun_up, lessons]
MEDIUM: list[Family] = [free_throws, seesaw, parallel_desks, runner_pace]
HARD: list[Family] = [runoff, tide_table]
