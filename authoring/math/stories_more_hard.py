"""More word problems to learn from that need an equation, a picture or an idea, each told in several ways. A function is a
family."""

from fractions import Fraction
from math import comb
from random import Random

from authoring.math.stories_easy import NAMES
from verigym.environments.math.asked import Asked, Family, fraction, number, plain


def purse(draw: Random) -> Asked:
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


def train_on_bridge(draw: Random) -> Asked:
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


def ladder(draw: Random) -> Asked:
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


def shadow(draw: Random) -> Asked:
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


def two_socks(draw: Random) -> Asked:
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


def page_digits(draw: Random) -> Asked:
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


def three_parcels(draw: Random) -> Asked:
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


def remainders(draw: Random) -> Asked:
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


def late_helper(draw: Random) -> Asked:
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


def street_grid(draw: Random) -> Asked:
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


HARD: list[Family] = [
    purse, train_on_bridge, ladder, shadow, two_socks, page_digits, three_parcels, remainders, late_helper, street_grid,
]  # fmt: skip
