"""Training problems whose answer is a number. Medium level. Each function is a family."""

from datetime import date, timedelta
from fractions import Fraction
from math import gcd, lcm
from random import Random
from statistics import median

from authoring.math.notation import nonzero
from authoring.math.train_names import NAMES
from verigym.environments.math.questions import Family, Question, euros, fraction, number, percent, plain, terms


def coat(draw: Random) -> Question:
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


def survey(draw: Random) -> Question:
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


def oil_tank(draw: Random) -> Question:
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


def high_jump(draw: Random) -> Question:
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


def two_legs(draw: Random) -> Question:
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


def paint(draw: Random) -> Question:
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


def before_tax(draw: Random) -> Question:
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


def mother_and_son(draw: Random) -> Question:
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


def garden_path(draw: Random) -> Question:
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


def harvest(draw: Random) -> Question:
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


def phone_bill(draw: Random) -> Question:
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


def marbles(draw: Random) -> Question:
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


def hiking_map(draw: Random) -> Question:
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


def digit_cards(draw: Random) -> Question:
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


def nights_away(draw: Random) -> Question:
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


def overtime(draw: Random) -> Question:
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


def two_lights(draw: Random) -> Question:
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


def ribbons(draw: Random) -> Question:
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


def outfits(draw: Random) -> Question:
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


def grew_by(draw: Random) -> Question:
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


def middle_time(draw: Random) -> Question:
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


def twice_used(draw: Random) -> Question:
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


def aquarium(draw: Random) -> Question:
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


def two_dice(draw: Random) -> Question:
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


def both_sides(draw: Random) -> Question:
    a, c, b, d = draw.randint(2, 12), draw.randint(2, 12), nonzero(draw, -20, 20), nonzero(draw, -20, 20)
    a = a + 1 if a == c else a
    x = Fraction(d - b, a - c)
    return number(
        draw.choice(
            [
                f"Find x: {terms(x=a, one=b)} = {terms(x=c, one=d)}. Give a fraction where it is not whole.",
                f"{terms(x=a, one=b)} = {terms(x=c, one=d)}. What is x, as a fraction if it is not whole?",
                f"For which x are {terms(x=a, one=b)} and {terms(x=c, one=d)} equal? A fraction may come out.",
                f"Solve {terms(x=a, one=b)} = {terms(x=c, one=d)} for x, exactly.",
            ]
        ),
        f"{terms(x=a - c)} = {d - b}.\nx = {d - b} ÷ ({a - c}) = {plain(x)}.",
        x,
    )


MEDIUM: list[Family] = [
    coat,
    survey,
    oil_tank,
    high_jump,
    two_legs,
    paint,
    before_tax,
    mother_and_son,
    garden_path,
    harvest,
    phone_bill,
    marbles,
    hiking_map,
    both_sides,
    digit_cards,
    nights_away,
    overtime,
    two_lights,
    ribbons,
    outfits,
    grew_by,
    middle_time,
    twice_used,
    aquarium,
    two_dice,
]
