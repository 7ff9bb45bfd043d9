"""Word problems to learn from with percent, ratios, averages and units: two to four steps. A function is a family."""

from fractions import Fraction
from math import gcd
from random import Random

from verigym.environments.math.asked import Asked, Family, euros, fraction, number, option, percent, plain
from verigym.environments.math.stories_easy import NAMES

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def coat(draw: Random) -> Asked:
    price, off, coupon = draw.randrange(60, 260, 20), draw.choice([15, 20, 25, 30, 35, 40]), draw.randint(3, 11)
    reduced = Fraction(price * (100 - off), 100)
    return number(
        f"A coat costs €{price}. In the sale it is {off}% cheaper, and at the till a coupon takes off another €{coupon}. What is "
        "paid for it, in euros?",
        f"{off}% of {price} is {plain(price - reduced)}.\n{price} - {plain(price - reduced)} = {plain(reduced)}.\n"
        f"{plain(reduced)} - {coupon} = {plain(reduced - coupon)}.",
        reduced - coupon,
        "euros",
    )


def survey(draw: Random) -> Asked:
    part, whole = draw.choice([1, 3, 7, 9, 11, 13, 17, 19]), 20
    people = whole * draw.randint(4, 30)
    yes = people * part // whole
    return percent(
        f"Of {people} people who were asked on a town square, {yes} come by bicycle. What percentage is that?",
        f"{yes} ÷ {people} = {part / whole:g}.\n{part / whole:g} × 100 = {part * 5}.",
        part * 5,
    )


def oil_tank(draw: Random) -> Asked:
    low, high, parts = draw.choice([(1, 3, 4), (1, 5, 8), (3, 7, 8), (1, 2, 3), (2, 5, 6), (1, 4, 5), (2, 7, 10)])
    size = parts * draw.randint(30, 90)
    added = size * (high - low) // parts
    return number(
        f"A heating tank is {low}/{parts} full. After {added} litres are filled in, it is {high}/{parts} full. How many "
        "litres does "
        "the tank hold?",
        f"{high}/{parts} - {low}/{parts} = {plain_fraction(high - low, parts)} of the tank are {added} litres.\n"
        f"{added} ÷ {high - low} × {parts} = {size}.",
        size,
        "litres",
    )


def plain_fraction(top: int, bottom: int) -> str:
    return f"{top}/{bottom}"


def high_jump(draw: Random) -> Asked:
    name, goal = draw.choice(NAMES), draw.randint(118, 150)
    jumps = [goal + draw.randint(-9, 9) for _ in range(4)]
    needed = 5 * goal - sum(jumps)
    listed = ", ".join(map(str, jumps[:-1]))
    return number(
        f"{name} jumped {listed} and {jumps[-1]} cm in four contests and wants an average of {goal} cm over five. How many "
        "centimetres must the fifth jump be?",
        f"Five jumps must add up to 5 × {goal} = {5 * goal} cm.\nFour of them make {sum(jumps)} cm.\n{5 * goal} - {sum(jumps)} = "
        f"{needed} cm.",
        needed,
        "cm",
    )


def two_legs(draw: Random) -> Asked:
    fast, slow, half, quarter = (
        draw.randrange(80, 130, 10),
        draw.randrange(40, 72, 4),
        draw.randint(3, 7),
        draw.randint(2, 9),
    )
    first, second = Fraction(fast * half, 2), Fraction(slow * quarter, 4)
    return number(
        f"A van drives {plain(Fraction(half, 2))} hours on a motorway at {fast} km/h and then {quarter * 15} minutes on country "
        f"roads at {slow} km/h. How far does it drive in all, in km?",
        f"Motorway: {plain(Fraction(half, 2))} × {fast} = {plain(first)} km.\nCountry roads: {quarter * 15} min are "
        f"{plain(Fraction(quarter, 4))} h, so {plain(Fraction(quarter, 4))} × {slow} = {plain(second)} km.\n"
        f"{plain(first)} + {plain(second)} = {plain(first + second)} km.",
        first + second,
        "km",
    )


def paint(draw: Random) -> Asked:
    blue, white = draw.choice([(2, 3), (3, 5), (1, 4), (4, 7), (5, 8), (3, 8), (2, 7)])
    part = draw.randint(3, 14)
    total = part * (blue + white)
    return number(
        f"For a sky, blue and white paint are mixed {blue} to {white}. {total} litres of it are needed. How many litres of white "
        "paint is that?",
        f"{blue} + {white} = {blue + white} parts.\nA part is {total} ÷ {blue + white} = {part} litres.\n{white} × {part} = "
        f"{white * part} litres.",
        white * part,
        "litres",
    )


def before_tax(draw: Random) -> Asked:
    rate, net = draw.choice([5, 10, 20, 25]), draw.randrange(40, 400, 20)
    gross = Fraction(net * (100 + rate), 100)
    return number(
        f"A printer costs €{plain(gross)} with {rate}% tax included. What does it cost without the tax, in euros?",
        f"€{plain(gross)} are {100 + rate}% of the price without tax.\n{plain(gross)} ÷ {plain(Fraction(100 + rate, 100))} "
        f"= {net}.",
        net,
        "euros",
    )


def mother_and_son(draw: Random) -> Asked:
    one, two = (
        draw.choice(["Celia", "Elin", "Greta", "Mila", "Rosa"]),
        draw.choice(["Bram", "Hugo", "Leon", "Otto", "Silas"]),
    )
    times, years, child = draw.choice([2, 3]), draw.randint(3, 9), draw.randint(5, 14)
    parent = times * (child + years) - years
    return number(
        f"{one} is {parent - child} years older than her son {two}. In {years} years she will be {times} times as old as he "
        "is then. "
        f"How old is {two} now?",
        f"Let s be {two}'s age. Then s + {parent - child} + {years} = {times}(s + {years}).\n"
        f"s + {parent - child + years} = {times}s + {times * years}.\n"
        + (f"{times - 1}s = {(times - 1) * child}, so s = {child}." if times > 2 else f"s = {child}."),
        child,
    )


def garden_path(draw: Random) -> Asked:
    long, wide, path = draw.randint(12, 30), draw.randint(6, 11), draw.randint(1, 3)
    outer, inner = (long + 2 * path) * (wide + 2 * path), long * wide
    return number(
        f"A flower bed of {long} m by {wide} m has a gravel path of {path} m all around it. How many square metres is the path?",
        f"Bed and path: {long + 2 * path} × {wide + 2 * path} = {outer} m².\nThe bed: {long} × {wide} = {inner} m².\n"
        f"{outer} - {inner} = {outer - inner} m².",
        outer - inner,
        "m²",
    )


def harvest(draw: Random) -> Asked:
    few, more, each = draw.randint(4, 14), draw.randint(2, 9), draw.randint(1, 3)
    days = (few + more) * each
    work = few * days
    return number(
        f"{few} pickers need {days} days for the grapes of a hillside. Before they start, {more} more join them, all "
        "equally quick. "
        "How many days do they need together?",
        f"The work is {few} × {days} = {work} days of one picker.\n{few} + {more} = {few + more} pickers need {work} ÷ "
        f"{few + more} = {few * each} days.",
        few * each,
        "days",
    )


def phone_bill(draw: Random) -> Asked:
    base, cents, used = draw.randint(5, 14), draw.randint(6, 19), draw.randint(60, 240)
    bill = base * 100 + cents * used
    return number(
        f"A telephone company takes €{base} a month and {cents} cents for every minute. A bill comes to {euros(bill)}. How many "
        "minutes were used?",
        f"Without the fixed part: {euros(bill)} - €{base} = {euros(cents * used)}, which are {cents * used} cents.\n"
        f"{cents * used} ÷ {cents} = {used}.",
        used,
    )


def rice(draw: Random) -> Asked:
    shops = draw.sample(["Adler", "Brandt", "Corso", "Delta", "Emme", "Fuchs"], 4)
    prices = draw.sample(range(180, 330, 6), 4)
    kilos = [draw.choice([2, 3, 5, 8]) for _ in shops]
    listed = "; ".join(
        f"{shop}: {kg} kg for {euros(price * kg)}" for shop, kg, price in zip(shops, kilos, prices, strict=True)
    )
    best = shops[prices.index(min(prices))]
    work = "\n".join(f"{shop}: {euros(price)} a kilo." for shop, price in zip(shops, prices, strict=True))
    return option(f"Four shops sell rice. {listed}. In which shop is a kilo cheapest?", work, best, shops)


def marbles(draw: Random) -> Asked:
    red, green, white = (draw.randint(2, 11) for _ in range(3))
    total = red + green + white
    return fraction(
        f"A bag holds {red} red, {green} green and {white} white marbles. One is drawn without looking. What is the probability "
        "that it is not red? Give a fraction.",
        f"There are {total} marbles, {green + white} of them not red.\nThe probability is {green + white}/{total}"
        + (f" = {Fraction(green + white, total)}." if gcd(green + white, total) > 1 else "."),
        Fraction(green + white, total),
    )


def calendar(draw: Random) -> Asked:
    first, later = draw.randrange(7), draw.randint(24, 320)
    day = DAYS[(first + later) % 7]
    return option(
        f"A festival began on a {DAYS[first]}. Which day of the week was it {later} days later?",
        f"{later} ÷ 7 leaves {later % 7}.\nCounting on {later % 7} from {DAYS[first]} gives {day}.",
        day,
        DAYS,
    )


def hiking_map(draw: Random) -> Asked:
    scale, tenths = draw.choice([20_000, 25_000, 40_000, 50_000]), draw.randint(34, 190)
    km = Fraction(scale * tenths, 10 * 100_000)
    return number(
        f"On a hiking map with the scale 1:{scale:,} a trail is {tenths / 10:g} cm long. How long is it in kilometres?",
        f"{tenths / 10:g} × {scale:,} = {scale * tenths // 10:,} cm.\n{scale * tenths // 10:,} cm are {plain(km)} km.",
        km,
        "km",
    )


MEDIUM: list[Family] = [
    coat, survey, oil_tank, high_jump, two_legs, paint, before_tax, mother_and_son, garden_path, harvest, phone_bill, rice,
    marbles, calendar, hiking_map,
]  # fmt: skip
