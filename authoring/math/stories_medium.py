"""Word problems to learn from with percent, ratios, averages and units: two to four steps. A function is a family."""

from fractions import Fraction
from math import gcd
from random import Random

from authoring.math.stories_easy import NAMES
from verigym.environments.math.asked import Asked, Family, euros, fraction, number, option, percent, plain

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def coat(draw: Random) -> Asked:
    price, off, coupon = draw.randrange(60, 260, 20), draw.choice([15, 20, 25, 30, 35, 40]), draw.randint(3, 11)
    reduced = Fraction(price * (100 - off), 100)
    return number(
        draw.choice(
            [
                f"A coat costs €{price}. In the sale it is {off}% cheaper, and at the till a coupon takes off "
                f"another €{coupon}. What is "
                "paid for it, in euros?",
                f"What does a coat for €{price} cost in euros after {off}% off and then a coupon for €{coupon}?",
                f"The label says €{price}. The shop takes {off}% off, then the customer shows a coupon worth "
                f"€{coupon}. How many euros are left to pay?",
                f"First {off}% off, then €{coupon} less: so a coat that was €{price} is sold. Find the final price "
                "in euros.",
            ]
        ),
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
        draw.choice(
            [
                f"Of {people} people who were asked on a town square, {yes} come by bicycle. What percentage is that?",
                f"{yes} of {people} people come by bicycle. Give that as a percentage.",
                f"On a square {people} people are counted, and {yes} of them have come by bicycle. How many percent "
                "are these?",
                f"What percentage of {people} people are cyclists if there are {yes} cyclists among them?",
            ]
        ),
        f"{yes} ÷ {people} = {part / whole:g}.\n{part / whole:g} × 100 = {part * 5}.",
        part * 5,
    )


def oil_tank(draw: Random) -> Asked:
    low, high, parts = draw.choice([(1, 3, 4), (1, 5, 8), (3, 7, 8), (1, 2, 3), (2, 5, 6), (1, 4, 5), (2, 7, 10)])
    size = parts * draw.randint(30, 90)
    added = size * (high - low) // parts
    return number(
        draw.choice(
            [
                f"A heating tank is {low}/{parts} full. After {added} litres are filled in, it is {high}/{parts} "
                "full. How many "
                "litres does "
                "the tank hold?",
                f"{added} litres raise the level in a tank from {low}/{parts} to {high}/{parts}. How many litres "
                "does the full tank have?",
                f"How large is a tank, in litres, that goes from {low}/{parts} full to {high}/{parts} full with "
                f"{added} litres?",
                f"Before the delivery an oil tank was {low}/{parts} full, after it {high}/{parts}. {added} litres "
                "were delivered. What is the size of the tank in litres?",
            ]
        ),
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
        draw.choice(
            [
                f"{name} jumped {listed} and {jumps[-1]} cm in four contests and wants an average of {goal} cm over "
                "five. How many "
                "centimetres must the fifth jump be?",
                f"Over five contests {name} wants to reach an average of {goal} cm. So far: {listed} and "
                f"{jumps[-1]} cm. What must the last jump be, in cm?",
                f"How high, in centimetres, must {name} jump in the fifth contest to make the average {goal} cm, "
                f"after {listed} and {jumps[-1]} cm?",
                f"{listed} and {jumps[-1]} cm are four jumps. Which fifth jump, in cm, makes their average {goal} cm?",
            ]
        ),
        f"Five jumps must add up to 5 × {goal} = {5 * goal} cm.\nFour of them make {sum(jumps)} cm.\n{5 * goal} - "
        f"{sum(jumps)} = "
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
        draw.choice(
            [
                f"A van drives {plain(Fraction(half, 2))} hours on a motorway at {fast} km/h and then "
                f"{quarter * 15} minutes on country "
                f"roads at {slow} km/h. How far does it drive in all, in km?",
                f"How many km does a van do in {plain(Fraction(half, 2))} hours at {fast} km/h and another "
                f"{quarter * 15} minutes at {slow} km/h?",
                f"First {fast} km/h for {plain(Fraction(half, 2))} hours, then {slow} km/h for {quarter * 15} "
                "minutes. What is the whole way of the van, in km?",
                f"A van is on the motorway for {plain(Fraction(half, 2))} hours, going {fast} km/h, and on small "
                f"roads for {quarter * 15} minutes, going {slow} km/h. Add up the kilometres.",
            ]
        ),
        f"Motorway: {plain(Fraction(half, 2))} × {fast} = {plain(first)} km.\nCountry roads: {quarter * 15} min are "
        f"{plain(Fraction(quarter, 4))} h, so {plain(Fraction(quarter, 4))} × {slow} = {plain(second)} km.\n"
        f"{plain(first)} + {plain(second)} = {plain(first + second)} km.",
        first + second,
        "km",
    )


def paint(draw: Random) -> Asked:
    blue, white = draw.choice([(2, 3), (3, 5), (3, 4), (4, 7), (5, 8), (3, 8), (2, 7)])
    part = draw.randint(3, 14)
    total = part * (blue + white)
    return number(
        draw.choice(
            [
                f"For a sky, blue and white paint are mixed {blue} to {white}. {total} litres of it are needed. How "
                "many litres of white "
                "paint is that?",
                f"How many litres of white go into {total} litres of sky blue, if it is mixed from {blue} parts of "
                f"blue and {white} parts of white?",
                f"Blue to white is {blue} to {white}. A painter needs {total} litres of the mixture. Find the "
                "litres of white in it.",
                f"{blue} parts blue, {white} parts white: a painter mixes {total} litres in this way. How much "
                "white paint, in litres, does that take?",
            ]
        ),
        f"{blue} + {white} = {blue + white} parts.\nA part is {total} ÷ {blue + white} = {part} litres.\n{white} × "
        f"{part} = "
        f"{white * part} litres.",
        white * part,
        "litres",
    )


def before_tax(draw: Random) -> Asked:
    rate, net = draw.choice([5, 10, 20, 25]), draw.randrange(40, 400, 20)
    gross = Fraction(net * (100 + rate), 100)
    return number(
        draw.choice(
            [
                f"A printer costs €{plain(gross)} with {rate}% tax included. What does it cost without the tax, in "
                "euros?",
                f"With {rate}% tax a printer comes to €{plain(gross)}. How many euros is it before tax?",
                f"The price of €{plain(gross)} for a printer has {rate}% tax in it. Find the net price in euros.",
                f"A shop adds {rate}% tax to the net price and then asks €{plain(gross)} for a printer. What is the "
                "net price, in euros?",
            ]
        ),
        f"€{plain(gross)} are {100 + rate}% of the price without tax.\n{plain(gross)} ÷ "
        f"{plain(Fraction(100 + rate, 100))} "
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
    while (times - 1) * (child + years) < 20:
        child += 1
    parent = times * (child + years) - years
    return number(
        draw.choice(
            [
                f"{one} is {parent - child} years older than her son {two}. In {years} years she will be {times} "
                "times as old as he "
                "is then. "
                f"How old is {two} now?",
                f"{two} is the son of {one}, who is {parent - child} years older. {years} years from now she will "
                f"be {times} times his age. What is his age today?",
                f"How old is {two} today, if his mother {one} is {parent - child} years older and will be {times} "
                f"times as old as him in {years} years?",
                f"In {years} years {one} will be {times} times as old as her son {two} will be. Between the two "
                f"there are {parent - child} years. Find the age of {two} now.",
            ]
        ),
        f"Let s be {two}'s age. Then s + {parent - child} + {years} = {times}(s + {years}).\n"
        f"s + {parent - child + years} = {times}s + {times * years}.\n"
        + (f"{times - 1}s = {(times - 1) * child}, so s = {child}." if times > 2 else f"s = {child}."),
        child,
    )


def garden_path(draw: Random) -> Asked:
    long, wide, path = draw.randint(12, 30), draw.randint(6, 11), draw.randint(1, 3)
    outer, inner = (long + 2 * path) * (wide + 2 * path), long * wide
    return number(
        draw.choice(
            [
                f"A flower bed of {long} m by {wide} m has a gravel path of {path} m all around it. How many square "
                "metres is the path?",
                f"Around a flower bed that is {long} m long and {wide} m wide runs a path, {path} m wide on every "
                "side, corners included. What is the area of the path in m²?",
                f"How many square metres of gravel cover a path of {path} m width all around a bed of {long} m by "
                f"{wide} m?",
                f"A rectangular bed, {wide} m by {long} m, lies inside a frame of gravel that is {path} m wide "
                "everywhere. Find the area of the frame in square metres.",
            ]
        ),
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
        draw.choice(
            [
                f"{few} pickers need {days} days for the grapes of a hillside. Before they start, {more} more join "
                "them, all "
                "equally quick. "
                "How many days do they need together?",
                f"A vineyard takes {few} pickers {days} days. If {few + more} of them pick from the first day on, "
                "all at the same speed, how many days does it take?",
                f"The grapes would keep {few} people busy for {days} days. {more} people more come to help from the "
                "start. In how many days is the work done?",
                f"How many days do {few + more} pickers need for what {few} pickers do in {days} days, if everybody "
                "works at the same rate?",
            ]
        ),
        f"The work is {few} × {days} = {work} days of one picker.\n{few} + {more} = {few + more} pickers need "
        f"{work} ÷ "
        f"{few + more} = {few * each} days.",
        few * each,
        "days",
    )


def phone_bill(draw: Random) -> Asked:
    base, cents, used = draw.randint(5, 14), draw.randint(6, 19), draw.randint(60, 240)
    bill = base * 100 + cents * used
    return number(
        draw.choice(
            [
                f"A telephone company takes €{base} a month and {cents} cents for every minute. A bill comes to "
                f"{euros(bill)}. How many "
                "minutes were used?",
                f"How many minutes are on a bill of {euros(bill)}, when the month costs €{base} and a minute "
                f"{cents} cents?",
                f"A month costs €{base} and each minute of talking {cents} cents. This month {euros(bill)} must be "
                "paid. For how many minutes did somebody talk?",
                f"{euros(bill)} for the telephone this month, of which €{base} is the fixed fee. A minute is "
                f"{cents} cents. Find the number of minutes.",
            ]
        ),
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
    return option(
        draw.choice(
            [
                f"Four shops sell rice. {listed}. In which shop is a kilo cheapest?",
                f"Where does rice cost least by the kilo? {listed}.",
                f"Compare the price of rice per kilo. {listed}. Which shop is cheapest?",
                f"{listed}. These are offers for rice. Name the shop with the lowest price for one kilo.",
            ]
        ),
        work,
        best,
        shops,
    )


def marbles(draw: Random) -> Asked:
    red, green, white = (draw.randint(2, 11) for _ in range(3))
    total = red + green + white
    return fraction(
        draw.choice(
            [
                f"A bag holds {red} red, {green} green and {white} white marbles. One is drawn without looking. "
                "What is the probability "
                "that it is not red? Give a fraction.",
                f"{red} red, {green} green and {white} white marbles are in a bag. How likely is it, as a fraction, "
                "to draw one that is not red?",
                f"Without looking, somebody takes one marble from {white} white, {green} green and {red} red ones. "
                "Write the probability that its colour is not red as a fraction.",
                f"What fraction gives the chance that a marble taken blindly from {green} green, {red} red and "
                f"{white} white ones is green or white?",
            ]
        ),
        f"There are {total} marbles, {green + white} of them not red.\nThe probability is {green + white}/{total}"
        + (f" = {Fraction(green + white, total)}." if gcd(green + white, total) > 1 else "."),
        Fraction(green + white, total),
    )


def calendar(draw: Random) -> Asked:
    first, later = draw.randrange(7), draw.randint(24, 320)
    day = DAYS[(first + later) % 7]
    return option(
        draw.choice(
            [
                f"A festival began on a {DAYS[first]}. Which day of the week was it {later} days later?",
                f"Today is {DAYS[first]}. Which weekday will it be in {later} days?",
                f"{later} days after a {DAYS[first]}: what day of the week is that?",
                f"A parcel was posted on a {DAYS[first]} and found again exactly {later} days later. On which "
                "weekday was it found?",
            ]
        ),
        f"{later} ÷ 7 leaves {later % 7}.\nCounting on {later % 7} from {DAYS[first]} gives {day}.",
        day,
        DAYS,
    )


def hiking_map(draw: Random) -> Asked:
    scale, tenths = draw.choice([20_000, 25_000, 40_000, 50_000]), draw.randint(34, 190)
    km = Fraction(scale * tenths, 10 * 100_000)
    return number(
        draw.choice(
            [
                f"On a hiking map with the scale 1:{scale:,} a trail is {tenths / 10:g} cm long. How long is it in "
                "kilometres?",
                f"{tenths / 10:g} cm on a map of 1:{scale:,}: how many kilometres are they outdoors?",
                f"The scale of a map is 1:{scale:,}. A trail measures {tenths / 10:g} cm on it. Give its real "
                "length in km.",
                f"How many kilometres does one walk along a trail that takes up {tenths / 10:g} cm on a map with "
                f"the scale 1:{scale:,}?",
            ]
        ),
        f"{tenths / 10:g} × {scale:,} = {scale * tenths // 10:,} cm.\n{scale * tenths // 10:,} cm are {plain(km)} km.",
        km,
        "km",
    )


MEDIUM: list[Family] = [
    coat, survey, oil_tank, high_jump, two_legs, paint, before_tax, mother_and_son, garden_path, harvest, phone_bill, rice,
    marbles, calendar, hiking_map,
]  # fmt: skip
