"""Word problems to learn from that need an equation, or several. A function is a family: a story of its own."""

from fractions import Fraction
from random import Random

from verigym.environments.math.asked import Asked, Family, number, percent, plain, rounded, solutions
from verigym.environments.math.stories_easy import NAMES


def two_pumps(draw: Random) -> Asked:
    one, two = draw.choice(
        [(3, 6), (4, 12), (6, 12), (10, 15), (5, 20), (12, 24), (20, 30), (9, 18), (8, 24), (15, 30), (14, 35)]
    )
    scale = draw.choice([1, 2, 3])
    one, two = one * scale, two * scale
    both = Fraction(one * two, one + two)
    return number(
        f"To empty a cellar, the old pump needs {two} hours and the new one {one} hours. How many hours do they need when "
        "both run?",
        f"In an hour they do 1/{one} + 1/{two} = {Fraction(1, one) + Fraction(1, two)} of the work.\n"
        f"So they need {plain(both)} hours.",
        both,
        "hours",
    )


def toward_each_other(draw: Random) -> Asked:
    one, two, minutes = draw.randrange(14, 30, 2), draw.randrange(16, 34, 2), draw.randrange(15, 100, 3)
    way = Fraction((one + two) * minutes, 60)
    return number(
        f"Two cyclists start at the same time in two villages that are {plain(way)} km apart and ride towards each other, one at "
        f"{one} km/h and the other at {two} km/h. After how many minutes do they meet?",
        f"Each hour they come {one} + {two} = {one + two} km closer.\n{plain(way)} ÷ {one + two} = "
        f"{plain(Fraction(minutes, 60))} "
        f"hours, which are {minutes} minutes.",
        minutes,
        "minutes",
    )


def savings_book(draw: Random) -> Asked:
    start, rate, years = draw.randrange(500, 5000, 100), draw.choice([2, 3, 4, 5, 6]), draw.choice([2, 3])
    end = start * (1 + Fraction(rate, 100)) ** years
    return rounded(
        f"€{start} are put into a savings book at {rate}% interest a year, and the interest stays in it. How many euros are "
        "in it "
        f"after {years} years? Round to cents.",
        f"Each year the amount is multiplied by {1 + rate / 100:g}.\n{start} × {1 + rate / 100:g}^{years} = {float(end):.2f}.",
        end,
        "euros",
    )


def brine(draw: Random) -> Asked:
    litres, weak, more, strong = draw.choice(
        [
            (3, 10, 2, 20),
            (4, 5, 1, 30),
            (6, 8, 4, 18),
            (5, 12, 3, 20),
            (8, 4, 2, 24),
            (2, 15, 6, 35),
            (9, 6, 3, 22),
            (7, 10, 3, 30),
        ]
    )
    scale = draw.randint(1, 6)
    litres, more = litres * scale, more * scale
    salt = Fraction(litres * weak + more * strong, 100)
    return percent(
        f"{litres} litres of brine with {weak}% salt are poured together with {more} litres of brine with {strong}% salt. What "
        "percentage of salt does the mixture have?",
        f"Salt: {litres} × {weak}% + {more} × {strong}% = {plain(salt)}.\n{plain(salt)} ÷ {litres + more} = "
        f"{plain(salt * 100 / (litres + more))}%.",
        salt * 100 / (litres + more),
    )


def river_boat(draw: Random) -> Asked:
    boat, current, hours = draw.randint(11, 24), draw.randint(2, 6), draw.randint(2, 5)
    down, up = (boat + current) * hours, (boat - current) * hours
    return number(
        f"In {hours} hours a boat goes {down} km down a river, but only {up} km up the same river. How fast is the current, "
        "in km/h?",
        f"Down: {down} ÷ {hours} = {boat + current} km/h.\nUp: {up} ÷ {hours} = {boat - current} km/h.\n"
        f"The current is half the difference: ({boat + current} - {boat - current}) ÷ 2 = {current} km/h.",
        current,
        "km/h",
    )


def vending_machine(draw: Random) -> Asked:
    twos, halves = draw.randint(8, 40), draw.randint(9, 50)
    total = Fraction(4 * twos + halves, 2)
    return number(
        f"A vending machine holds {twos + halves} coins, all of them worth 2 euros or 50 cents, {plain(total)} euros in all. How "
        "many 2-euro coins are there?",
        f"If all were worth 50 cents, they would make {plain(Fraction(twos + halves, 2))} euros.\n"
        f"{plain(total)} - {plain(Fraction(twos + halves, 2))} = {plain(Fraction(3 * twos, 2))} euros are too much, and "
        "each 2-euro "
        f"coin adds 1.5.\n{plain(Fraction(3 * twos, 2))} ÷ 1.5 = {twos}.",
        twos,
    )


def house_number(draw: Random) -> Asked:
    tens, ones = sorted(draw.sample(range(1, 10), 2))
    less = 9 * (ones - tens)
    return number(
        f"The two digits of a house number add up to {tens + ones}. If they are swapped, the number grows by {less}. What is the "
        "house number?",
        f"Let a be the first digit and b the second: a + b = {tens + ones}, and 10b + a - (10a + b) = 9(b - a) = {less}.\n"
        f"So b - a = {ones - tens}, b = {ones} and a = {tens}.",
        10 * tens + ones,
    )


def rent(draw: Random) -> Asked:
    up, down = draw.choice([10, 20, 25, 30, 40, 50]), draw.choice([5, 10, 15, 20, 30])
    if (100 + up) * (100 - down) == 10_000:
        down += 10
    change = Fraction((100 + up) * (100 - down), 100) - 100
    word = "more" if change > 0 else "less"
    return percent(
        f"The rent of a stall was raised by {up}% in spring and lowered by {down}% in autumn. By what percentage is it "
        f"{word} than at "
        "the beginning of the year?",
        f"{plain(Fraction(100 + up, 100))} × {plain(Fraction(100 - down, 100))} = {plain(1 + change / 100)}.\n"
        f"That is {plain(abs(change))}% {word}.",
        abs(change),
    )


def chess_club(draw: Random) -> Asked:
    players = draw.randint(7, 60)
    games = players * (players - 1) // 2
    return number(
        f"In a chess club everybody played everybody else once, which made {games} games. How many players are in the club?",
        f"n players make n(n - 1)/2 games: n(n - 1) = {2 * games}.\n{players} × {players - 1} = {2 * games}, so n = {players}.",
        players,
    )


def odd_doors(draw: Random) -> Asked:
    first = 2 * draw.randint(11, 70) + 1
    total = 3 * first + 6
    return number(
        f"Three neighbouring doors on one side of a street have odd numbers that follow each other. Their sum is {total}. "
        "What is the "
        "largest of the three?",
        f"The one in the middle is {total} ÷ 3 = {first + 2}.\nThe largest is {first + 2} + 2 = {first + 4}.",
        first + 4,
    )


def there_and_back(draw: Random) -> Asked:
    name, out, back = draw.choice(NAMES), draw.randrange(12, 25), draw.randrange(26, 45)
    mean = Fraction(2 * out * back, out + back)
    return rounded(
        f"{name} rides up to a pass at {out} km/h and back down the same way at {back} km/h. What is the average speed of "
        "the whole "
        "ride in km/h? Round to two decimals.",
        f"For a way of d km it takes d/{out} + d/{back} hours for 2d km.\n2 ÷ (1/{out} + 1/{back}) = {float(mean):.2f}.",
        mean,
        "km/h",
    )


def languages(draw: Random) -> Asked:
    both, french, spanish, none = draw.randint(4, 15), draw.randint(6, 30), draw.randint(6, 30), draw.randint(3, 12)
    total = both + french + spanish + none
    return number(
        f"Of {total} guests at a hostel {both + french} speak French, {both + spanish} speak Spanish and {none} speak "
        "neither. How many "
        "speak both?",
        f"{total} - {none} = {total - none} speak at least one.\n{both + french} + {both + spanish} = "
        f"{2 * both + french + spanish} counts those who speak both twice.\n{2 * both + french + spanish} - {total - none} "
        f"= {both}.",
        both,
    )


def open_air_theatre(draw: Random) -> Asked:
    rows, first, more = draw.randint(12, 30), draw.randint(14, 33), draw.randint(2, 6)
    last = first + (rows - 1) * more
    total = rows * (first + last) // 2
    return number(
        f"An open-air theatre has {rows} rows. The first has {first} seats, and every row has {more} more than the one "
        "before it. How "
        "many seats are there?",
        f"The last row has {first} + {rows - 1} × {more} = {last} seats.\n{rows} × ({first} + {last}) ÷ 2 = {total}.",
        total,
    )


def picnic(draw: Random) -> Asked:
    juice, bread, a, b, c, d = (draw.randint(2, 9) for _ in range(6))
    while a * d == b * c:
        d += 1
    return solutions(
        f"At a picnic, {a} bottles of juice (x euros each) and {b} loaves of bread (y euros each) cost "
        f"{a * juice + b * bread} euros; "
        f"{c} bottles and {d} loaves cost {c * juice + d * bread} euros. What are x and y?",
        f"{a}x + {b}y = {a * juice + b * bread} and {c}x + {d}y = {c * juice + d * bread}.\n"
        f"Times {d} and times {b}, and one less the other: {a * d - b * c}x = {(a * d - b * c) * juice}, so x = {juice}.\n"
        f"Then {b}y = {a * juice + b * bread} - {a * juice} = {b * bread}, so y = {bread}.",
        x=[juice],
        y=[bread],
    )


HARD: list[Family] = [
    two_pumps, toward_each_other, savings_book, brine, river_boat, vending_machine, house_number, rent, chess_club, odd_doors,
    there_and_back, languages, open_air_theatre, picnic,
]  # fmt: skip
