"""Word problems to learn from that need an equation, or several. A function is a family: a story of its own."""

from fractions import Fraction
from random import Random

from authoring.math.stories_easy import NAMES
from verigym.environments.math.asked import Asked, Family, euros, number, percent, plain, rounded, solutions


def two_pumps(draw: Random) -> Asked:
    one, two = draw.choice(
        [(3, 6), (4, 12), (6, 12), (10, 15), (5, 20), (12, 24), (20, 30), (9, 18), (8, 24), (15, 30), (14, 35)]
    )
    scale = draw.choice([1, 2, 3])
    one, two = one * scale, two * scale
    both = Fraction(one * two, one + two)
    return number(
        draw.choice(
            [
                f"To empty a cellar, the old pump needs {two} hours and the new one {one} hours. How many hours do "
                "they need when "
                "both run?",
                f"One pump empties a cellar in {one} hours, another in {two}. How long do both take together, in "
                "hours?",
                f"A cellar is under water. Alone, the new pump would need {one} hours and the old pump {two} hours "
                "for all of it. Both are switched on. After how many hours is it empty?",
                f"How many hours do two pumps need side by side for what takes the one {two} hours and the other "
                f"{one} hours?",
            ]
        ),
        f"In an hour they do 1/{one} + 1/{two} = {Fraction(1, one) + Fraction(1, two)} of the work.\n"
        f"So they need {plain(both)} hours.",
        both,
        "hours",
    )


def toward_each_other(draw: Random) -> Asked:
    one, two, minutes = draw.randrange(14, 30, 2), draw.randrange(16, 34, 2), draw.randrange(15, 100, 3)
    way = Fraction((one + two) * minutes, 60)
    return number(
        draw.choice(
            [
                f"Two cyclists start at the same time in two villages that are {plain(way)} km apart and ride "
                "towards each other, one at "
                f"{one} km/h and the other at {two} km/h. After how many minutes do they meet?",
                f"{plain(way)} km lie between two villages. A cyclist leaves each of them at the same moment, one "
                f"doing {one} km/h, one {two} km/h, and they ride towards each other. They meet how many minutes "
                "later?",
                f"Two riders come towards each other on a road of {plain(way)} km, at {one} km/h and at {two} km/h. "
                "They started at the same time from its two ends. In how many minutes do they meet?",
                f"At {one} km/h and {two} km/h two cyclists ride towards each other from places {plain(way)} km "
                "apart, both starting now. Give the minutes until they meet.",
            ]
        ),
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
        draw.choice(
            [
                f"€{start} are put into a savings book at {rate}% interest a year, and the interest stays in it. "
                "How many euros are "
                "in it "
                f"after {years} years? Round to cents.",
                f"At {rate}% a year with interest on interest, what do €{start} become in {years} years? Give "
                "euros, rounded to cents.",
                f"Somebody saves €{start} for {years} years. Each year {rate}% of what is there is added to it. How "
                "many euros is that in the end, to the cent?",
                f"€{start}, {rate}% interest each year, nothing taken out. Work out the balance in euros after "
                f"{years} years, rounded to two decimals.",
            ]
        ),
        f"Each year the amount is multiplied by {1 + rate / 100:g}.\n{start} × {1 + rate / 100:g}^{years} = "
        f"{float(end):.2f}.",
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
    scale = draw.randint(2, 6)
    litres, more = litres * scale, more * scale
    salt = Fraction(litres * weak + more * strong, 100)
    return percent(
        draw.choice(
            [
                f"{litres} litres of brine with {weak}% salt are poured together with {more} litres of brine with "
                f"{strong}% salt. What "
                "percentage of salt does the mixture have?",
                f"How many percent of salt has a mixture of {litres} litres of {weak}% brine and {more} litres of "
                f"{strong}% brine?",
                f"Two buckets of brine are mixed: {more} litres with {strong}% salt and {litres} litres with "
                f"{weak}% salt. Give the percentage of salt afterwards.",
                f"Brine of {weak}% salt ({litres} litres) meets brine of {strong}% salt ({more} litres). What "
                "strength in percent comes out?",
            ]
        ),
        f"Salt: {litres} × {weak}% + {more} × {strong}% = {plain(salt)}.\n{plain(salt)} ÷ {litres + more} = "
        f"{plain(salt * 100 / (litres + more))}%.",
        salt * 100 / (litres + more),
    )


def river_boat(draw: Random) -> Asked:
    boat, current, hours = draw.randint(11, 24), draw.randint(2, 6), draw.randint(2, 5)
    down, up = (boat + current) * hours, (boat - current) * hours
    return number(
        draw.choice(
            [
                f"In {hours} hours a boat goes {down} km down a river, but only {up} km up the same river. How fast "
                "is the current, "
                "in km/h?",
                f"Down the river a boat does {down} km in {hours} hours; up the river it does {up} km in the same "
                "time, with the same engine. Find the speed of the current in km/h.",
                f"What is the speed of a river, in km/h, if a boat with a steady motor covers {down} km with the "
                f"current in {hours} hours and {up} km against it in {hours} hours?",
                f"With the current {down} km, against the current {up} km, {hours} hours each way, always the same "
                "speed through the water. How fast does the water flow, in km/h?",
            ]
        ),
        f"Down: {down} ÷ {hours} = {boat + current} km/h.\nUp: {up} ÷ {hours} = {boat - current} km/h.\n"
        f"The current is half the difference: ({boat + current} - {boat - current}) ÷ 2 = {current} km/h.",
        current,
        "km/h",
    )


def vending_machine(draw: Random) -> Asked:
    twos, halves = draw.randint(8, 40), draw.randint(9, 50)
    total = Fraction(4 * twos + halves, 2)
    worth = euros(int(100 * total))
    return number(
        draw.choice(
            [
                f"A vending machine holds {twos + halves} coins, all of them worth 2 euros or 50 cents, "
                f"{worth} in all. How "
                "many 2-euro coins are there?",
                f"There are {twos + halves} coins in a machine, some of 2 euros and the rest of 50 cents. They are "
                f"worth {worth}. How many of 2 euros are there?",
                f"{worth} in {twos + halves} coins: only 2-euro and 50-cent coins. Find the number of 2-euro coins.",
                f"How many 2-euro coins lie among {twos + halves} coins worth {worth}, when all the "
                "other coins are 50 cents?",
            ]
        ),
        f"If all were worth 50 cents, they would make {plain(Fraction(twos + halves, 2))} euros.\n"
        f"{plain(total)} - {plain(Fraction(twos + halves, 2))} = {plain(Fraction(3 * twos, 2))} euros are too much, "
        "and "
        "each 2-euro "
        f"coin adds 1.5.\n{plain(Fraction(3 * twos, 2))} ÷ 1.5 = {twos}.",
        twos,
    )


def house_number(draw: Random) -> Asked:
    tens, ones = sorted(draw.sample(range(1, 10), 2))
    less = 9 * (ones - tens)
    return number(
        draw.choice(
            [
                f"The two digits of a house number add up to {tens + ones}. If they are swapped, the number grows "
                f"by {less}. What is the "
                "house number?",
                f"A house number has two digits. Their sum is {tens + ones}, and swapping them makes the number "
                f"{less} larger. Which number is it?",
                f"Find a two-digit number with the digit sum {tens + ones} that becomes {less} larger when its "
                "digits change places.",
                f"Read from right to left, my two-digit house number is {less} more than it really is. Its digits "
                f"make {tens + ones} together. Where do I live?",
            ]
        ),
        f"Let a be the first digit and b the second: a + b = {tens + ones}, and 10b + a - (10a + b) = 9(b - a) = "
        f"{less}.\n"
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
        draw.choice(
            [
                f"The rent of a stall was raised by {up}% in spring and lowered by {down}% in autumn. By what "
                "percentage is it "
                f"{word} than at "
                "the beginning of the year?",
                f"First up by {up}%, later down by {down}%: how many percent {word} than at first is the rent of a "
                "stall now?",
                f"A rent rises by {up}% and then falls by {down}% of the new rent. In the end it is {word} than "
                "before. By how many percent?",
                f"By what percentage does a rent end up {word} than it was, after a rise of {up}% and then a cut of "
                f"{down}%?",
            ]
        ),
        f"{plain(Fraction(100 + up, 100))} × {plain(Fraction(100 - down, 100))} = {plain(1 + change / 100)}.\n"
        f"That is {plain(abs(change))}% {word}.",
        abs(change),
    )


def chess_club(draw: Random) -> Asked:
    players = draw.randint(7, 60)
    games = players * (players - 1) // 2
    return number(
        draw.choice(
            [
                f"In a chess club everybody played everybody else once, which made {games} games. How many players "
                "are in the club?",
                f"{games} games were needed so that all members of a chess club met each other exactly once. Find "
                "the number of members.",
                f"How many people play in a tournament of {games} games in which every pair meets once?",
                f"Every member of a club plays one game against each other member. That is {games} games. How many "
                "members are there?",
            ]
        ),
        f"n players make n(n - 1)/2 games: n(n - 1) = {2 * games}.\n{players} × {players - 1} = {2 * games}, so n = "
        f"{players}.",
        players,
    )


def odd_doors(draw: Random) -> Asked:
    first = 2 * draw.randint(11, 70) + 1
    total = 3 * first + 6
    return number(
        draw.choice(
            [
                "Three neighbouring doors on one side of a street have odd numbers that follow each other. Their "
                f"sum is {total}. "
                "What is the "
                "largest of the three?",
                f"Three odd numbers in a row, each 2 more than the one before, add up to {total}. Give the largest.",
                f"The sum of three consecutive odd numbers is {total}. Which is the largest of them?",
                "On the odd side of a street three houses stand next to each other, and the sum of their numbers "
                f"is {total}. Give the highest number.",
            ]
        ),
        f"The one in the middle is {total} ÷ 3 = {first + 2}.\nThe largest is {first + 2} + 2 = {first + 4}.",
        first + 4,
    )


def there_and_back(draw: Random) -> Asked:
    name, out, back = draw.choice(NAMES), draw.randrange(12, 25), draw.randrange(26, 45)
    mean = Fraction(2 * out * back, out + back)
    return rounded(
        draw.choice(
            [
                f"{name} rides up to a pass at {out} km/h and back down the same way at {back} km/h. What is the "
                "average speed of "
                "the whole "
                "ride in km/h? Round to two decimals.",
                f"Up at {out} km/h, down the same road at {back} km/h: what is the average speed of {name} over "
                "both ways, in km/h, to two decimals?",
                f"A pass road is ridden up at {out} km/h and down again at {back} km/h. Find the average speed in "
                "km/h for the two ways together, rounded to two decimals.",
                f"{name} does {out} km/h on the way there and {back} km/h on the way back, which is equally long. "
                "How many km/h is the average over all of the time? Give two decimals.",
            ]
        ),
        f"For a way of d km it takes d/{out} + d/{back} hours for 2d km.\n2 ÷ (1/{out} + 1/{back}) = "
        f"{float(mean):.2f}.",
        mean,
        "km/h",
    )


def languages(draw: Random) -> Asked:
    both, french, spanish, none = draw.randint(4, 15), draw.randint(6, 30), draw.randint(6, 30), draw.randint(3, 12)
    total = both + french + spanish + none
    return number(
        draw.choice(
            [
                f"Of {total} guests at a hostel {both + french} speak French, {both + spanish} speak Spanish and "
                f"{none} speak "
                "neither. How many "
                "speak both?",
                f"A hostel has {total} guests. French is spoken by {both + french}, Spanish by {both + spanish}, "
                f"and {none} speak none of the two. How many speak French as well as Spanish?",
                f"{both + french} speak French, {both + spanish} speak Spanish, {none} speak neither, and there are "
                f"{total} in all. How many speak the two languages?",
                f"How many of {total} guests speak both French and Spanish, if {both + spanish} know Spanish, "
                f"{both + french} know French and {none} know neither?",
            ]
        ),
        f"{total} - {none} = {total - none} speak at least one.\n{both + french} + {both + spanish} = "
        f"{2 * both + french + spanish} counts those who speak both twice.\n{2 * both + french + spanish} - "
        f"{total - none} "
        f"= {both}.",
        both,
    )


def open_air_theatre(draw: Random) -> Asked:
    rows, first, more = draw.randint(12, 30), draw.randint(14, 33), draw.randint(2, 6)
    last = first + (rows - 1) * more
    total = rows * (first + last) // 2
    return number(
        draw.choice(
            [
                f"An open-air theatre has {rows} rows. The first has {first} seats, and every row has {more} more "
                "than the one "
                "before it. How "
                "many seats are there?",
                f"How many seats are in {rows} rows if the front row has {first} and each row behind has {more} "
                "more than the row in front of it?",
                f"{first} seats in row 1, {more} more in every further row, {rows} rows. Add them all up.",
                f"The rows of a theatre grow by {more} seats each time, from {first} in the first row on, and there "
                f"are {rows} rows. Find the number of all seats.",
            ]
        ),
        f"The last row has {first} + {rows - 1} × {more} = {last} seats.\n{rows} × ({first} + {last}) ÷ 2 = {total}.",
        total,
    )


def picnic(draw: Random) -> Asked:
    juice, bread, a, b, c, d = (draw.randint(2, 9) for _ in range(6))
    while a * d == b * c:
        d += 1
    return solutions(
        draw.choice(
            [
                f"At a picnic, {a} bottles of juice (x euros each) and {b} loaves of bread (y euros each) cost "
                f"{a * juice + b * bread} euros; "
                f"{c} bottles and {d} loaves cost {c * juice + d * bread} euros. What are x and y?",
                f"x is the price of a bottle of juice and y that of a loaf, in euros. {a} bottles with {b} loaves "
                f"are {a * juice + b * bread} euros, {c} bottles with {d} loaves {c * juice + d * bread} euros. "
                "Find x and y.",
                f"Two bills: {a} juices and {b} loaves for {a * juice + b * bread} euros, {c} juices and {d} loaves "
                f"for {c * juice + d * bread} euros. A juice costs x euros, a loaf y euros. Find both.",
                f"For {c} bottles of juice and {d} loaves somebody pays {c * juice + d * bread} euros, for {a} "
                f"bottles and {b} loaves {a * juice + b * bread} euros. Let x euros be the price of a bottle and y "
                "euros that of a loaf. Give x and y.",
            ]
        ),
        f"{a}x + {b}y = {a * juice + b * bread} and {c}x + {d}y = {c * juice + d * bread}.\n"
        f"Times {d} and times {b}, and one less the other: {a * d - b * c}x = {(a * d - b * c) * juice}, so x = "
        f"{juice}.\n"
        f"Then {b}y = {a * juice + b * bread} - {a * juice} = {b * bread}, so y = {bread}.",
        x=[juice],
        y=[bread],
    )


HARD: list[Family] = [
    two_pumps, toward_each_other, savings_book, brine, river_boat, vending_machine, house_number, rent, chess_club, odd_doors,
    there_and_back, languages, open_air_theatre, picnic,
]  # fmt: skip
