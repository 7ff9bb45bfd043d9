"""Training problems whose answer is a number. Hard level. Each function is a family."""

from fractions import Fraction
from math import comb
from random import Random

from authoring.math.notation import nonzero
from authoring.math.train_names import NAMES
from verigym.environments.math.questions import (
    Family,
    Question,
    euros,
    fraction,
    number,
    percent,
    plain,
    rounded,
    terms,
)


def two_pumps(draw: Random) -> Question:
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


def toward_each_other(draw: Random) -> Question:
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


def savings_book(draw: Random) -> Question:
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


def brine(draw: Random) -> Question:
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


def river_boat(draw: Random) -> Question:
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


def vending_machine(draw: Random) -> Question:
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


def house_number(draw: Random) -> Question:
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


def rent(draw: Random) -> Question:
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


def chess_club(draw: Random) -> Question:
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


def odd_doors(draw: Random) -> Question:
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


def there_and_back(draw: Random) -> Question:
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


def languages(draw: Random) -> Question:
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


def open_air_theatre(draw: Random) -> Question:
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


def purse(draw: Random) -> Question:
    one, two, left = draw.choice([3, 4, 5]), draw.choice([2, 3, 4]), draw.randint(3, 15)
    had = Fraction(left * one * two, (one - 1) * (two - 1))
    while had.denominator > 1:
        left += 1
        had = Fraction(left * one * two, (one - 1) * (two - 1))
    rest = had * (one - 1) / one
    name = draw.choice(NAMES)
    return number(
        draw.choice(
            [
                f"{name} spent 1/{one} of the money in a purse on a book, then 1/{two} of the rest on a map. "
                f"€{left} are left. How many euros were in the purse at first?",
                f"There are €{left} in the purse now. Before that, 1/{two} of what was in it went on a map, and "
                f"before the map 1/{one} of all the money went on a book. How much was it to begin with, in euros?",
                f"After buying a book for 1/{one} of her money and a map for 1/{two} of what remained, a hiker "
                f"counts €{left}. With how many euros did she set out?",
                f"How many euros did {name} have, if a book took 1/{one} of them, a map 1/{two} of the remainder, "
                f"and €{left} remained in the end?",
            ]
        ),
        f"Before the map: €{left} are {two - 1}/{two} of it, so it was {plain(rest)}.\nBefore the book: "
        f"{plain(rest)} are {one - 1}/{one} of it, so it was {plain(had)}.",
        had,
        "euros",
    )


def train_on_bridge(draw: Random) -> Question:
    speed, train, seconds = draw.choice([54, 72, 90, 108, 126]), draw.randrange(120, 360, 20), draw.randint(20, 45)
    metres = speed * 5 // 18
    bridge = metres * seconds - train
    return number(
        draw.choice(
            [
                f"A train of {train} m crosses a bridge at {speed} km/h. From the moment its front reaches the "
                f"bridge until its last carriage has left it, {seconds} seconds pass. How long is the bridge, in "
                "metres?",
                f"How many metres long is a bridge, if a train that is {train} m long and goes at {speed} km/h is "
                f"at least partly on it for exactly {seconds} s?",
                f"At a steady {speed} km/h, a train needs {seconds} seconds to get over a viaduct completely, "
                f"counted from its nose entering to its tail leaving. The train measures {train} m. Find the length "
                "of the viaduct in metres.",
                f"Speed of the train: {speed} km/h. Length of the train: {train} m. Time between its front coming "
                f"onto the bridge and its end coming off: {seconds} s. Length of the bridge, in m?",
            ]
        ),
        f"{speed} km/h are {metres} m/s.\nIn {seconds} s the front goes {metres * seconds} m, which is the bridge "
        f"and the train.\n{metres * seconds} - {train} = {bridge} m.",
        bridge,
        "m",
    )


def ladder(draw: Random) -> Question:
    foot, high, long = draw.choice([(3, 4, 5), (5, 12, 13), (7, 24, 25), (8, 15, 17), (20, 21, 29)])
    scale = Fraction(draw.choice([3, 4, 5, 6, 7]), 10)
    foot, high, long = foot * scale, high * scale, long * scale
    return number(
        draw.choice(
            [
                f"A ladder of {plain(long)} m leans against an upright wall. Its foot stands {plain(foot)} m away "
                "from the wall on level ground. How high up the wall does it reach, in metres?",
                f"The top of a ladder touches a straight wall, its foot is {plain(foot)} m from the wall, and it is "
                f"{plain(long)} m long. At what height, in metres, is the top? The ground is level.",
                f"How many metres above the level ground does a ladder of {plain(long)} m touch a vertical wall "
                f"when it is set up {plain(foot)} m from it?",
                f"From the foot of a vertical mast to a peg in the flat ground there are {plain(foot)} m. A tight "
                f"rope of {plain(long)} m runs from the peg to the tip of the mast. What is the height of the mast, "
                "in m?",
            ]
        ),
        f"{plain(long)}² - {plain(foot)}² = {plain(long * long - foot * foot)}.\nThe square root of it is "
        f"{plain(high)}.",
        high,
        "m",
    )


def shadow(draw: Random) -> Question:
    stick, short = draw.choice([(12, 8), (15, 10), (10, 25), (12, 30), (18, 15), (20, 16), (16, 24)])
    times = draw.randint(6, 20)
    tall, long = Fraction(stick * times, 10), Fraction(short * times, 10)
    return number(
        draw.choice(
            [
                f"A stick of {stick / 10:g} m throws a shadow of {short / 10:g} m. At the same time and place a "
                f"tree throws a shadow of {plain(long)} m. How tall is the tree, in metres?",
                f"The shadow of a tree is {plain(long)} m long. Next to it, a pole that is {stick / 10:g} m high "
                f"casts a shadow of {short / 10:g} m. Work out the height of the tree in metres.",
                f"How many metres high is a tower with a shadow of {plain(long)} m, when a flagpole of "
                f"{stick / 10:g} m beside it has one of {short / 10:g} m?",
                f"Measured in the same sunshine: a post, {stick / 10:g} m high, shadow {short / 10:g} m; a chimney, "
                f"height unknown, shadow {plain(long)} m. Give the unknown height in m.",
            ]
        ),
        f"The heights are to each other as the shadows: {plain(long)} ÷ {short / 10:g} = {times}.\n{times} × "
        f"{stick / 10:g} = {plain(tall)} m.",
        tall,
        "m",
    )


def two_socks(draw: Random) -> Question:
    black, grey = draw.randint(3, 9), draw.randint(3, 9)
    total = black + grey
    same = Fraction(black * (black - 1) + grey * (grey - 1), total * (total - 1))
    alike = draw.random() < 0.5
    right = same if alike else 1 - same
    words = "the same colour" if alike else "different colours"
    return fraction(
        draw.choice(
            [
                f"In a dark drawer lie {black} black and {grey} grey socks. Two are taken out without looking. What "
                f"is the probability that they have {words}? Give it as a fraction.",
                f"{black} black socks and {grey} grey ones are mixed up in a bag. {draw.choice(NAMES)} pulls out "
                f"two at once, blindly. How likely is it, as a fraction, that the two have {words}?",
                f"Out of {total} single socks, {grey} are grey and {black} black. One is drawn, and without putting "
                f"it back another. With what probability (a fraction) are they of {words}?",
                f"Find the probability, as a fraction, that two socks picked at random from {grey} grey and {black} "
                f"black ones have {words}.",
            ]
        ),
        f"There are {total} × {total - 1} = {total * (total - 1)} ordered pairs.\nOf the same colour: {black} × "
        f"{black - 1} + {grey} × {grey - 1} = {black * (black - 1) + grey * (grey - 1)}.\n"
        f"The probability of {words} is {right}.",
        right,
    )


def page_digits(draw: Random) -> Question:
    pages = draw.randint(112, 480)
    digits = 9 + 180 + 3 * (pages - 99)
    return number(
        draw.choice(
            [
                f"The pages of a book are numbered from 1 to {pages}. How many digits are printed for that in all?",
                f"Somebody writes all whole numbers from 1 up to {pages} by hand. How many digits does that come to?",
                f"A printer sets the page numbers 1, 2, 3, ... of a book of {pages} pages from single metal digits. "
                "How many of these digits are needed for all the numbers?",
                f"Count every digit in the page numbers of a book whose last page is {pages} and whose first is 1.",
            ]
        ),
        f"1 to 9: 9 digits.\n10 to 99: 90 × 2 = 180 digits.\n100 to {pages}: {pages - 99} × 3 = {3 * (pages - 99)} "
        f"digits.\nIn all {digits}.",
        digits,
    )


def three_parcels(draw: Random) -> Question:
    a, b, c = draw.sample(range(3, 30), 3)
    return number(
        draw.choice(
            [
                f"Three parcels, red, blue and white, are weighed in pairs. Red and blue weigh {a + b} kg, blue and "
                f"white {b + c} kg, red and white {a + c} kg. How many kilograms does the red one weigh?",
                f"What does the red parcel weigh in kg, if together with the blue one it weighs {a + b} kg, "
                f"together with the white one {a + c} kg, and the blue and the white one together weigh {b + c} kg?",
                f"Blue and white: {b + c} kg. White and red: {a + c} kg. Red and blue: {a + b} kg. These are three "
                "parcels weighed two at a time; find the weight of the red one in kilograms.",
                "A scale is only good for heavy things, so three sacks go on it two by two: the first and second "
                f"show {a + b} kg, the first and third {a + c} kg, the second and third {b + c} kg. How heavy is "
                "the first, in kg?",
            ]
        ),
        f"All three sums make twice the weight of all: {a + b} + {b + c} + {a + c} = {2 * (a + b + c)}, so all "
        f"weigh {a + b + c} kg.\n{a + b + c} - {b + c} = {a} kg.",
        a,
        "kg",
    )


def remainders(draw: Random) -> Question:
    one, two = draw.choice([(4, 5), (4, 7), (5, 6), (5, 7), (5, 8), (6, 7), (7, 8), (5, 9), (7, 9)])
    total = draw.randint(one * two // 2, one * two - 1)
    while not (total % one and total % two):
        total -= 1
    first, second = total % one, total % two
    name = draw.choice(["buttons", "walnuts", "beads", "stamps"])
    return number(
        draw.choice(
            [
                f"A box has fewer than {one * two} {name} in it. Laid in rows of {one}, there is a rest of {first}; "
                f"laid in rows of {two}, a rest of {second}. How many {name} are there?",
                f"How many {name} do I have? Not as many as {one * two}. In groups of {one} I have {first} over, in "
                f"groups of {two} I have {second} over.",
                f"Someone counts a heap of {name} by {one}s and has {first} left at the end, then by {two}s and has "
                f"{second} left. There are fewer than {one * two}. Find their number.",
                f"Dividing fewer than {one * two} {name} among {one} children leaves {first}, dividing them among "
                f"{two} leaves {second}. What is the number of {name}?",
            ]
        ),
        f"With the rest {first}: {', '.join(map(str, range(first, one * two, one)))}.\nOf these only {total} has "
        f"the rest {second} when divided by {two}.",
        total,
    )


def late_helper(draw: Random) -> Question:
    one, two, alone = draw.choice(
        [
            (12, 6, 3),
            (15, 10, 5),
            (20, 5, 5),
            (24, 12, 6),
            (18, 9, 6),
            (30, 20, 10),
            (28, 21, 7),
            (10, 15, 5),
            (21, 28, 14),
            (40, 10, 5),
        ]
    )
    together = (1 - Fraction(alone, one)) / (Fraction(1, one) + Fraction(1, two))
    total = alone + together
    first, second = draw.sample(NAMES, 2)
    return number(
        draw.choice(
            [
                f"{first} alone would paint a boat in {one} hours, {second} alone in {two} hours. {first} begins, "
                f"{alone} hours later {second} joins in, and they finish together. How many hours after the "
                "beginning is the boat painted?",
                f"A boat is painted. {first} works from the start, {second} comes {alone} hours later and both go "
                f"on to the end. Alone, {first} needs {one} hours and {second} {two}. How many hours does the whole "
                "job take from start to end?",
                f"To weed a field takes {first} {one} hours and {second} {two} hours, each alone. After {first} has "
                f"weeded for {alone} hours, {second} helps until it is done. How long did it take altogether, in "
                "hours?",
                f"{second} needs {two} hours for a job and {first} needs {one}. {first} has been at it for {alone} "
                f"hours when {second} starts to help. How many hours lie between the moment {first} began and the "
                "moment all is done?",
            ]
        ),
        f"{first} alone does {alone}/{one} = {Fraction(alone, one)}, so {1 - Fraction(alone, one)} is "
        f"left.\nTogether they do {Fraction(1, one) + Fraction(1, two)} in an hour and need {plain(together)} "
        f"hours.\n{alone} + {plain(together)} = {plain(total)}.",
        total,
        "hours",
    )


def street_grid(draw: Random) -> Question:
    east, north = draw.sample(range(2, 7), 2)
    ways = comb(east + north, north)
    return number(
        draw.choice(
            [
                "In a town all streets run north or east in a regular grid. From the mill to the church one goes "
                f"{east} blocks east and {north} blocks north, in any order, never back. How many different routes "
                "are there?",
                "A robot moves on squared paper, one step right or one step up at a time. In how many ways can it "
                f"get to a point {east} steps to the right and {north} steps up?",
                f"How many shortest ways lead through a grid of streets to a corner that is {north} blocks further "
                f"north and {east} blocks further east?",
                f"Write down {east} times the letter E and {north} times the letter N in a row. How many different "
                "rows of letters are possible?",
            ]
        ),
        f"Of {east + north} steps, the {north} to the north are chosen.\nThat can be done in {ways} ways.",
        ways,
    )


def fractions_of_x(draw: Random) -> Question:
    a, b, x, c = draw.randint(2, 9), draw.randint(2, 9), nonzero(draw, -9, 9), nonzero(draw, -9, 9)
    b = b + 1 if a == b else b
    x = x * a * b // 2 if a * b % 2 == 0 else x * a * b
    right = Fraction(x, a) - Fraction(x + c, b)
    return number(
        draw.choice(
            [
                f"Solve x/{a} - ({terms(x=1, one=c)})/{b} = {plain(right) if right.denominator == 1 else right}",
                f"Find x: x/{a} - ({terms(x=1, one=c)})/{b} = {plain(right) if right.denominator == 1 else right}",
                f"x/{a} - ({terms(x=1, one=c)})/{b} is {plain(right) if right.denominator == 1 else right}. What is x?",
                f"Clear the fractions and solve for x: x/{a} - ({terms(x=1, one=c)})/{b} = "
                f"{plain(right) if right.denominator == 1 else right}",
            ]
        ),
        f"Times {a * b}: {b}x - {a}({terms(x=1, one=c)}) = {right * a * b}.\n{terms(x=b - a)} = "
        f"{right * a * b + a * c}.\n"
        f"x = {x}.",
        x,
    )


def smallest_value(draw: Random) -> Question:
    h, k, a = nonzero(draw, -8, 8), nonzero(draw, -25, 25), draw.choice([1, 1, 2, 3])
    return number(
        draw.choice(
            [
                f"What is the smallest value of {terms(x2=a, x=-2 * a * h, one=a * h * h + k)} over all real x?",
                f"How small can {terms(x2=a, x=-2 * a * h, one=a * h * h + k)} get, for real x? Give the value, not x.",
                f"Find the minimum of {terms(x2=a, x=-2 * a * h, one=a * h * h + k)}.",
                f"The graph of y = {terms(x2=a, x=-2 * a * h, one=a * h * h + k)} has a lowest point. What is y there?",
            ]
        ),
        f"It is {'' if a == 1 else a}({terms(x=1, one=-h)})^2 {'+' if k > 0 else '-'} {abs(k)}.\nA square is never "
        "below 0, "
        "so the "
        f"smallest value is {k}, at x = {h}.",
        k,
    )


HARD: list[Family] = [
    two_pumps,
    toward_each_other,
    savings_book,
    brine,
    river_boat,
    vending_machine,
    house_number,
    rent,
    chess_club,
    odd_doors,
    there_and_back,
    languages,
    open_air_theatre,
    fractions_of_x,
    smallest_value,
    purse,
    train_on_bridge,
    ladder,
    shadow,
    two_socks,
    page_digits,
    three_parcels,
    remainders,
    late_helper,
    street_grid,
]
