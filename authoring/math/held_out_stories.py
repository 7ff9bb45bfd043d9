"""More held-out families with a number as the answer. Nothing of them is told in the words of those to learn from."""

from fractions import Fraction
from random import Random

from authoring.math.held_out import NAMES
from verigym.environments.math.asked import Asked, Family, euros, fraction, number, percent, plain, rounded

# -- easy --------------------------------------------------------------------------------------------------------------------


def swimming_pool(draw: Random) -> Asked:
    length, laps = draw.choice([25, 50]), draw.randrange(14, 70, 2)
    km = Fraction(length * laps, 1000)
    name = draw.choice(NAMES)
    return number(
        draw.choice(
            [
                f"{name} swims {laps} lengths of a {length}-metre pool. What distance in kilometres is covered?",
                f"One length equals {length} metres. Convert {laps} lengths into kilometres.",
                f"Training log: pool {length} m, lengths {laps}. Kilometres swum?",
            ]
        ),
        f"{laps} × {length} = {laps * length} m.\nDivided by 1000: {plain(km)} km.",
        km,
        "km",
    )


def pyramid_of_cans(draw: Random) -> Asked:
    bottom = draw.randint(7, 15)
    total = bottom * (bottom + 1) // 2
    return number(
        draw.choice(
            [
                f"A grocer stacks tins against a wall: {bottom} tins form the bottom layer, every higher layer "
                "contains one tin fewer, and a single tin crowns it. Total number of tins?",
                f"Tins are piled up in layers of {bottom}, {bottom - 1}, {bottom - 2} and so forth until only one "
                "tin fits. How many tins does the pile contain?",
            ]
        ),
        f"{bottom} + {bottom - 1} + ... + 1 = {bottom} × {bottom + 1} ÷ 2 = {total}.",
        total,
    )


def dog_food(draw: Random) -> Asked:
    cans, days, dogs = draw.randint(2, 4), draw.randint(9, 21), draw.randint(2, 5)
    cents = draw.randrange(60, 150, 5)
    total = cans * days * dogs
    return number(
        draw.choice(
            [
                f"A shelter feeds {dogs} puppies. Each puppy eats {cans} tins daily, and a tin sells for "
                f"{euros(cents)}. What will {days} days of food cost, in euros?",
                f"Budget for {days} days: {dogs} puppies, {cans} tins per puppy per day, {euros(cents)} per tin. "
                "State the sum in euros.",
            ]
        ),
        f"Tins: {dogs} × {cans} × {days} = {total}.\n{total} × {euros(cents)} = {euros(total * cents)}.",
        Fraction(total * cents, 100),
        "euros",
    )


def quiz_points(draw: Random) -> Asked:
    good, bad, plus, minus = draw.randint(12, 24), draw.randint(3, 9), draw.choice([4, 5, 6]), draw.choice([1, 2, 3])
    total = good * plus - bad * minus
    name = draw.choice(NAMES)
    return number(
        draw.choice(
            [
                f"In a quiz, correct replies earn {plus} points whereas wrong ones lose {minus}. {name} got {good} "
                f"correct and {bad} wrong. Final score?",
                f"{name} answered {good + bad} quiz questions, {bad} of them wrongly. Scoring: plus {plus} if "
                f"correct, minus {minus} if wrong. Compute {name}'s score.",
            ]
        ),
        f"{good} × {plus} = {good * plus}, and {bad} × {minus} = {bad * minus}.\n{good * plus} - {bad * minus} = "
        f"{total}.",
        total,
    )


# -- medium ------------------------------------------------------------------------------------------------------------------


def car_fuel(draw: Random) -> Asked:
    per, way, price = draw.choice([4, 5, 6, 8]), draw.randrange(150, 750, 50), draw.randrange(150, 200, 2)
    litres = Fraction(per * way, 100)
    cost = litres * price / 100
    return number(
        draw.choice(
            [
                f"A hatchback burns {per} litres of petrol per 100 km. Petrol is {euros(price)} per litre. What "
                f"does the petrol for a {way} km journey cost, in euros?",
                f"Journey: {way} km. Consumption: {per} L/100 km. Petrol price: {euros(price)}/L. Petrol cost in "
                "euros?",
            ]
        ),
        f"{way} ÷ 100 × {per} = {plain(litres)} litres.\n{plain(litres)} × {euros(price)} = {euros(int(cost * 100))}.",
        cost,
        "euros",
    )


def rainy_month(draw: Random) -> Asked:
    share, days = draw.choice([(20, 30), (30, 30), (40, 30), (60, 30), (70, 30), (25, 28), (50, 28), (75, 28)])
    wet = days * share // 100
    more = draw.randint(1, 3)
    return percent(
        draw.choice(
            [
                f"Out of {days} days in a month, {wet} were rainy. Had {more} dry day{'s' if more > 1 else ''} been "
                "rainy too, what percentage of the month would have been rainy? Round to two decimals if needed.",
                f"A diary records {wet} wet and {days - wet} dry days. Relabel {more} dry "
                f"day{'s' if more > 1 else ''} as wet: the wet share becomes which percentage (two decimals "
                "suffice)?",
            ]
        ),
        f"{wet} + {more} = {wet + more} of {days} days.\n{wet + more} ÷ {days} = {100 * (wet + more) / days:.2f}%.",
        Fraction(round(Fraction(10000 * (wet + more), days)), 100),
        0.01,
    )


def bicycle_gears(draw: Random) -> Asked:
    front, back = draw.choice([(48, 16), (42, 14), (36, 12), (44, 22), (39, 13), (52, 13), (40, 16), (45, 18)])
    turns = draw.randrange(20, 90, 2)
    right = Fraction(front * turns, back)
    return number(
        draw.choice(
            [
                f"A chainring with {front} teeth drives a sprocket with {back} teeth. While the pedals go round "
                f"{turns} times, how often does the rear wheel rotate?",
                f"Teeth: chainring {front}, sprocket {back}. Rear wheel revolutions for {turns} pedal revolutions?",
            ]
        ),
        f"{turns} × {front} = {turns * front} teeth pass.\n{turns * front} ÷ {back} = {plain(right)}.",
        right,
    )


def letters_in_row(draw: Random) -> Asked:
    word = draw.choice(
        [
            "LAMP",
            "STONE",
            "PLANET",
            "BANANA",
            "LEVEL",
            "PEPPER",
            "KAYAK",
            "TATTOO",
            "CIVIC",
            "GRAPE",
            "ROTOR",
            "COFFEE",
            "NOON",
            "INDIGO",
            "LLAMA",
        ]
    )
    ways = 1
    for place in range(1, len(word) + 1):
        ways *= place
    twice = [word.count(each) for each in sorted(set(word)) if word.count(each) > 1]
    work = f"{len(word)} letters can be arranged in {ways} ways."
    for count in twice:
        size = {2: 2, 3: 6}[count]
        work += f"\nA letter occurs {count} times: {ways} ÷ {size} = {ways // size}."
        ways //= size
    return number(
        draw.choice(
            [
                f"How many distinct arrangements exist of all the letters in {word}?",
                f"Shuffle the letters of {word}. Counting identical letters as indistinguishable, how many "
                "different strings may result?",
            ]
        ),
        work,
        ways,
    )


# -- hard --------------------------------------------------------------------------------------------------------------------


def radioactive(draw: Random) -> Asked:
    half, times, start = draw.choice([3, 4, 5, 6, 8, 12]), draw.choice([3, 4, 5]), draw.randint(3, 40)
    mass = start * 2**times
    return number(
        draw.choice(
            [
                f"An isotope has a half-life of {half} days. A sample currently contains {mass} mg. How many "
                f"milligrams survive {half * times} days hence?",
                f"Half of a tracer decays every {half} days. Initial mass {mass} mg, elapsed {half * times} days. "
                "Surviving mass in mg?",
            ]
        ),
        f"{half * times} ÷ {half} = {times} half-lives.\n{mass} ÷ 2^{times} = {start} mg.",
        start,
        "mg",
    )


def cylinder_tin(draw: Random) -> Asked:
    radius, high = draw.randint(3, 9), draw.randint(8, 24)
    volume = Fraction("3.14") * radius * radius * high
    return rounded(
        draw.choice(
            [
                f"Using π = 3.14, compute the volume in cm³ of a cylinder whose radius is {radius} cm and whose "
                f"height is {high} cm.",
                f"A cylindrical vase is {high} cm tall inside with an inner diameter of {2 * radius} cm. Its "
                "capacity in cm³, taking 3.14 for π?",
            ]
        ),
        f"{radius}² × 3.14 = {plain(Fraction('3.14') * radius * radius)}.\nTimes {high}: {plain(volume)} cm³.",
        volume,
        "cm³",
    )


def faulty_bulbs(draw: Random) -> Asked:
    bad, more = draw.randint(2, 4), draw.randint(5, 12)
    total = bad + more
    none = Fraction(more * (more - 1) * (more - 2), total * (total - 1) * (total - 2))
    return fraction(
        draw.choice(
            [
                f"A carton contains {total} bulbs, {bad} being faulty. An inspector tests 3 randomly selected "
                "bulbs. Probability that at least one faulty bulb turns up, as a fraction?",
                f"{bad} of {total} bulbs are faulty. Choose 3 at random without replacement. Determine, as a "
                "fraction, P(at least one faulty).",
            ]
        ),
        f"None is faulty: {more}/{total} × {more - 1}/{total - 1} × {more - 2}/{total - 2} = {none}.\n1 - {none} = "
        f"{1 - none}.",
        1 - none,
    )


def shared_prize(draw: Random) -> Asked:
    one, two = draw.sample(NAMES, 2)
    a, b = draw.choice([(5, 3), (7, 4), (8, 5), (9, 7), (6, 5), (11, 8)])
    part = draw.randrange(20, 95, 5)
    return number(
        draw.choice(
            [
                f"{one} and {two} split a prize in the ratio {a} : {b}. {one} receives €{(a - b) * part} more than "
                f"{two}. How large was the prize in euros?",
                f"A prize is divided {a} : {b} between {one} and {two}, leaving {two} with €{(a - b) * part} less. "
                "Total prize in euros?",
            ]
        ),
        f"The difference of {a - b} part{'s' if a - b > 1 else ''} is €{(a - b) * part}, so a part is "
        f"€{part}.\n{a + b} parts: {a + b} × {part} = {(a + b) * part}.",
        (a + b) * part,
        "euros",
    )


EASY: list[Family] = [swimming_pool, pyramid_of_cans, dog_food, quiz_points]
MEDIUM: list[Family] = [car_fuel, rainy_month, bicycle_gears, letters_in_row]
HARD: list[Family] = [radioactive, cylinder_tin, faulty_bulbs, shared_prize]
