"""Held-out problems whose answer is one of several given names. Each function is a family."""

from itertools import permutations
from random import Random

from authoring.math.val_names import NAMES
from verigym.environments.math.questions import Family, Question, euros, option

ISLANDS = ["Korva", "Lumo", "Sentil", "Varda", "Ombra", "Tessal"]


def relay(draw: Random) -> Question:
    names = draw.sample(NAMES, 5)
    speeds = draw.sample(range(150, 260, 5), 5)
    metres = [draw.choice([2, 3, 4, 5]) for _ in names]
    listed = "; ".join(f"{who}: {m * speed} m in {m} min" for who, m, speed in zip(names, metres, speeds, strict=True))
    return option(
        draw.choice(
            [
                f"Results of a training run. {listed}. Who had the highest average speed?",
                f"Laps today: {listed}. Identify the fastest runner on average.",
            ]
        ),
        "\n".join(f"{who}: {speed} m a minute." for who, speed in zip(names, speeds, strict=True)),
        names[speeds.index(max(speeds))],
        names,
    )


def compass_turns(draw: Random) -> Question:
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


def goat_islands(draw: Random) -> Question:
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


def coin_purses(draw: Random) -> Question:
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


def free_throws(draw: Random) -> Question:
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


def seesaw(draw: Random) -> Question:
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


def runoff(draw: Random) -> Question:
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


EASY: list[Family] = [
    compass_turns,
    goat_islands,
    coin_purses,
]
MEDIUM: list[Family] = [
    relay,
    free_throws,
    seesaw,
]
HARD: list[Family] = [
    runoff,
]
