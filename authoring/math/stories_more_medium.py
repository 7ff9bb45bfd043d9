"""More word problems to learn from with counting, measuring and chance, each told in several ways. A function is a family."""

from datetime import date, timedelta
from fractions import Fraction
from math import gcd, lcm
from random import Random
from statistics import median

from authoring.math.stories_easy import NAMES
from verigym.environments.math.asked import Asked, Family, fraction, number, percent, plain


def digit_cards(draw: Random) -> Asked:
    digits = draw.sample(range(1, 10), 3)
    large = int("".join(map(str, sorted(digits, reverse=True))))
    small = int("".join(map(str, sorted(digits))))
    listed = f"{digits[0]}, {digits[1]} and {digits[2]}"
    return number(
        draw.choice(
            [
                f"Three cards show the digits {listed}. They are laid side by side to make three-digit numbers. "
                "What is the difference between the largest and the smallest number that can be made?",
                f"Use each of the digits {listed} once to write the largest possible number, then the smallest "
                "possible one. By how much do the two differ?",
                f"From the digits {listed}, each used exactly once, many numbers can be formed. Take the smallest "
                "of them away from the largest.",
                f"How far apart are the largest and the smallest three-digit number with the digits {listed}, no "
                "digit twice?",
            ]
        ),
        f"The largest is {large}, the smallest {small}.\n{large} - {small} = {large - small}.",
        large - small,
    )


def nights_away(draw: Random) -> Asked:
    start = date(2027, draw.randint(3, 9), draw.randint(8, 26))
    end = start + timedelta(days=draw.randint(34, 85))
    nights = (end - start).days
    first, last = f"{start.day} {start:%B}", f"{end.day} {end:%B}"
    ends = [date(2027, month + 1, 1) - timedelta(days=1) for month in range(start.month, end.month)]
    parts = [ends[0].day - start.day, *(each.day for each in ends[1:]), end.day]
    summed = " + ".join(map(str, parts))
    return number(
        draw.choice(
            [
                f"A guest arrives at an inn on {first} and leaves on {last} of the same year. How many nights does "
                "the guest stay?",
                f"The scaffolding went up on {first} and came down on {last}, both in this year. How many days "
                "after going up did it come down?",
                f"If today is {first}, how many days are there still to go until {last} of this year?",
                f"A library book was borrowed on {first} and brought back on {last}, in the same year. How many "
                "days later was that?",
            ]
        ),
        f"Month by month from {first}: {summed} = {nights}.",
        nights,
    )


def overtime(draw: Random) -> Asked:
    wage, hours, more = draw.randrange(14, 26, 2), draw.randint(35, 40), draw.randint(3, 9)
    extra = draw.choice([25, 50])
    each = Fraction(wage * (100 + extra), 100)
    total = wage * hours + each * more
    return number(
        draw.choice(
            [
                f"A carpenter earns €{wage} an hour for the first {hours} hours of a week and {extra}% more for "
                f"each hour beyond. What does a week of {hours + more} hours bring, in euros?",
                f"Pay: €{wage} an hour. Above {hours} hours a week, every further hour is paid {extra}% better. "
                f"This week it was {hours + more} hours. How many euros are earned?",
                f"This week {draw.choice(NAMES)} worked {hours + more} hours. Up to {hours} hours are paid at "
                f"€{wage} each, overtime at {extra}% above that. How much is the week's pay in euros?",
                f"What is the weekly pay in euros for {hours + more} hours, at €{wage} an hour, when all beyond "
                f"{hours} hours counts as overtime with a supplement of {extra}%?",
            ]
        ),
        f"Normal hours: {hours} × {wage} = {hours * wage}.\nOvertime: {wage} and {extra}% are {plain(each)}, and "
        f"{more} × {plain(each)} = {plain(each * more)}.\n{hours * wage} + {plain(each * more)} = {plain(total)}.",
        total,
        "euros",
    )


def two_lights(draw: Random) -> Asked:
    one, two = draw.choice(
        [
            (12, 18),
            (8, 12),
            (10, 15),
            (9, 15),
            (14, 21),
            (20, 24),
            (16, 24),
            (18, 27),
            (15, 25),
            (6, 16),
            (10, 25),
            (21, 28),
            (22, 33),
            (12, 20),
            (18, 30),
        ]
    )
    both = lcm(one, two)
    return number(
        draw.choice(
            [
                f"Two lighthouses flash together. One flashes every {one} seconds, the other every {two}. After how "
                "many seconds do they next flash at the same moment?",
                f"A red lamp blinks every {one} s and a green lamp every {two} s. They have just blinked at once. "
                "How many seconds pass until that happens again?",
                f"Two machines knock at this very moment. One knocks every {one} seconds and the other every {two} "
                "seconds. How long is it until they knock together again, in seconds?",
                f"Every {one} seconds a bell rings, every {two} seconds a drum is beaten; both start at zero. At "
                "what second do they first sound together again?",
            ]
        ),
        f"The smallest number that both {one} and {two} divide is {both}: {both} = {both // one} × {one} = "
        f"{both // two} × {two}.",
        both,
        "seconds",
    )


def ribbons(draw: Random) -> Asked:
    part, one, two = draw.choice([6, 8, 12, 14, 15, 18, 24]), *draw.sample([3, 4, 5, 7, 8, 9, 11], 2)
    long, short = part * max(one, two), part * min(one, two)
    part = gcd(long, short)
    return number(
        draw.choice(
            [
                f"Two ribbons of {long} cm and {short} cm are cut into strips that are all equally long, and "
                "nothing is left over. What is the greatest length a strip can have, in cm?",
                f"A tailor has one ribbon of {short} cm and one of {long} cm and wants equal strips from both, as "
                "long as possible, without waste. How many centimetres is a strip?",
                f"{long} cm of red ribbon and {short} cm of blue ribbon: what is the longest whole number of "
                "centimetres that fits into both without a rest?",
                "Equal strips, none wasted, as long as can be: how long are they, in cm, if they are cut from "
                f"ribbons of {short} cm and {long} cm?",
            ]
        ),
        f"The largest number that divides both is {part}: {long} = {long // part} × {part} and {short} = "
        f"{short // part} × {part}.",
        part,
        "cm",
    )


def outfits(draw: Random) -> Asked:
    shirts, trousers, hats = draw.randint(4, 9), draw.randint(3, 7), draw.randint(2, 5)
    total = shirts * trousers * (hats + 1)
    return number(
        draw.choice(
            [
                f"A clown owns {shirts} shirts, {trousers} pairs of trousers and {hats} hats. He puts on a shirt "
                "and trousers, and one hat or none. In how many different ways can he dress?",
                f"{shirts} shirts, {trousers} pairs of trousers, {hats} hats. An outfit is a shirt and a pair of "
                "trousers; a hat may be added but need not. How many outfits are there?",
                f"How many outfits can be put together from {shirts} shirts, {trousers} pairs of trousers and "
                f"{hats} hats, if shirt and trousers are always worn and going without a hat is allowed too?",
                f"In the wardrobe of a theatre: {hats} hats, {trousers} pairs of trousers, {shirts} shirts. One "
                "shirt and one pair of trousers are a must, a single hat is optional. Count all possible "
                "combinations.",
            ]
        ),
        f"With no hat as one more choice there are {hats} + 1 = {hats + 1} for the head.\n{shirts} × {trousers} × "
        f"{hats + 1} = {total}.",
        total,
    )


def grew_by(draw: Random) -> Asked:
    before, rate = draw.randrange(40, 400, 20), draw.choice([5, 15, 20, 25, 30, 35, 45, 60])
    after = before * (100 + rate) // 100
    return percent(
        draw.choice(
            [
                f"Last year a sports club had {before} members, now it has {after}. By what percentage did it grow?",
                f"The number of members of a club rose from {before} to {after}. How many percent is the increase?",
                f"{after} members this year, {before} the year before: what is the growth in percent?",
                f"A rowing club has {after - before} members more than the {before} it had a year ago. Give the "
                "increase in percent.",
            ]
        ),
        f"The increase is {after} - {before} = {after - before}.\n{after - before} ÷ {before} = {rate / 100:g}, "
        f"which is {rate}%.",
        rate,
    )


def middle_time(draw: Random) -> Asked:
    values = draw.sample(range(52, 99), draw.choice([6, 8]))
    middle = sorted(values)[len(values) // 2 - 1 : len(values) // 2 + 1]
    listed = ", ".join(map(str, values))
    right = Fraction(sum(middle), 2)
    assert float(right) == median(values)
    return number(
        draw.choice(
            [
                f"In a swimming heat these times were taken, in seconds: {listed}. What is the median?",
                f"What is the median of {listed}?",
                f"{len(values)} swimmers needed {listed} seconds. Sort the times and find their median, in seconds.",
                f"The coach wants the median of today's times. In seconds they are {listed}. What should be written "
                "down?",
            ]
        ),
        f"In order: {', '.join(map(str, sorted(values)))}.\nThe two in the middle are {middle[0]} and {middle[1]}; "
        f"half of their sum is {plain(right)}.",
        right,
    )


def twice_used(draw: Random) -> Asked:
    one, two = draw.choice([3, 4, 5]), draw.choice([2, 3, 4, 5])
    litres = one * two * draw.randint(4, 16)
    left = litres * (one - 1) // one * (two - 1) // two
    return number(
        draw.choice(
            [
                f"A barrel holds {litres} litres of rainwater. On Saturday 1/{one} of it is used, on Sunday 1/{two} "
                "of what is left. How many litres remain?",
                f"First 1/{one} of the {litres} litres in a rain barrel goes to the roses, then 1/{two} of the rest "
                "to the beans. How many litres are in it now?",
                f"Out of a barrel with {litres} litres, a gardener takes 1/{one}, and later 1/{two} of the "
                "remainder. How much water stays behind, in litres?",
                f"{litres} litres were collected. After 1/{one} of them had been used, 1/{two} of what remained was "
                "used as well. How many litres are there still?",
            ]
        ),
        f"After the first time: {litres} - {litres // one} = {litres - litres // one} litres.\nAfter the second: "
        f"{litres - litres // one} - {(litres - litres // one) // two} = {left} litres.",
        left,
        "litres",
    )


def aquarium(draw: Random) -> Asked:
    long, wide, high = draw.randrange(50, 130, 10), draw.randrange(30, 60, 10), draw.randrange(35, 70, 5)
    free = draw.choice([5, 10])
    litres = Fraction(long * wide * (high - free), 1000)
    return number(
        draw.choice(
            [
                f"An aquarium is {long} cm long, {wide} cm wide and {high} cm high. It is filled up to {free} cm "
                "below the rim. How many litres of water are in it?",
                f"How many litres does it take to fill a glass tank of {long} cm by {wide} cm, {high} cm high, if "
                f"the top {free} cm stay empty?",
                f"Inside, a fish tank measures {long} × {wide} × {high} cm (the last is its height). The water "
                f"stands {free} cm under the edge. How much water is that in litres?",
                f"A tank for fish has a floor of {long} cm by {wide} cm and walls {high} cm high, measured inside. "
                f"Only the uppermost {free} cm are without water. Give the amount of water in litres.",
            ]
        ),
        f"The water is {high} - {free} = {high - free} cm deep.\n{long} × {wide} × {high - free} = "
        f"{long * wide * (high - free)} cm³.\nA litre is 1000 cm³: {plain(litres)} litres.",
        litres,
        "litres",
    )


def two_dice(draw: Random) -> Asked:
    wanted = draw.randint(3, 11)
    at_least = draw.random() < 0.6
    ways = [(a, b) for a in range(1, 7) for b in range(1, 7) if a + b == wanted or (at_least and a + b > wanted)]
    right = Fraction(len(ways), 36)
    words = f"at least {wanted}" if at_least else f"exactly {wanted}"
    return fraction(
        draw.choice(
            [
                f"Two ordinary dice are thrown. What is the probability that the two together show {words}? Answer "
                "with a fraction.",
                f"What is the chance, as a fraction, of throwing {words} in total with two fair six-sided dice?",
                f"Roll a red and a blue die, both fair and with six sides. How likely is a sum of {words}? Write it "
                "as a fraction.",
                f"In a board game you move on if the sum of two dice is {words}. With which probability, written as "
                "a fraction, does that happen?",
            ]
        ),
        f"Of 36 equally likely throws, {len(ways)} fit.\nThe probability is {len(ways)}/36"
        + (f" = {right}." if right.denominator < 36 else "."),
        right,
    )


MEDIUM: list[Family] = [
    digit_cards, nights_away, overtime, two_lights, ribbons, outfits, grew_by, middle_time, twice_used, aquarium, two_dice,
]  # fmt: skip
