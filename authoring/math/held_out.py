"""The held-out families: other stories, other names and other kinds of algebra than those to learn from."""

from fractions import Fraction
from random import Random

from verigym.environments.math.asked import (
    Asked,
    Family,
    clock,
    equation,
    euros,
    expression,
    number,
    option,
    percent,
    plain,
    rounded,
    solutions,
    terms,
)
from verigym.environments.math.asked import at as time

NAMES = ["Amara", "Boris", "Chiara", "Deniz", "Esther", "Finn", "Goran", "Hana", "Ivo", "Jun", "Karim", "Lotte"]


# -- easy --------------------------------------------------------------------------------------------------------------------


def parking(draw: Random) -> Asked:
    first, later, hours = draw.randrange(150, 400, 10), draw.randrange(80, 260, 10), draw.randint(3, 9)
    total = first + later * (hours - 1)
    return number(
        draw.choice(
            [
                f"A car park charges {euros(first)} for the first hour and {euros(later)} for each hour after that. "
                "What do "
                f"{hours} "
                "hours cost, "
                "in euros?",
                f"Car park tariff: hour one {euros(first)}, every subsequent hour {euros(later)}. Fee in euros for "
                f"{hours} hours?",
            ]
        ),
        f"{hours - 1} further hours: {hours - 1} × {euros(later)} = {euros(later * (hours - 1))}.\nIn all: "
        f"{euros(first)} + "
        f"{euros(later * (hours - 1))} = {euros(total)}.",
        Fraction(total, 100),
        "euros",
    )


def candle(draw: Random) -> Asked:
    burns, hours, left = draw.randint(8, 28), draw.randint(3, 8), draw.randint(30, 140)
    return number(
        draw.choice(
            [
                f"Lit at dusk, a candle of {left + burns * hours} mm loses {burns} mm of wax every hour. How tall "
                "is it, in "
                "centimetres, when "
                f"it is blown out {hours} hours later?",
                f"Height when lit: {left + burns * hours} mm. Burn rate: {burns} mm hourly. State the candle's "
                f"height in centimetres {hours} hours on.",
            ]
        ),
        f"It loses {hours} × {burns} = {hours * burns} mm.\n{left + burns * hours} - {hours * burns} = {left} mm, "
        "which are "
        f"{left / 10:g} cm.",
        Fraction(left, 10),
        "cm",
    )


def seedlings(draw: Random) -> Asked:
    trays, holes, lost = draw.randint(7, 19), draw.choice([18, 24, 28, 35]), draw.randint(11, 60)
    return number(
        draw.choice(
            [
                f"{draw.choice(NAMES)} sows one seed into every hole of {trays} trays with {holes} holes. {lost} "
                "seeds "
                "never come "
                "up. How many "
                "seedlings can be planted out?",
                f"{trays} trays, {holes} holes apiece, one seed per hole, {lost} failures. Surviving seedlings?",
            ]
        ),
        f"{trays} × {holes} = {trays * holes} seeds.\n{trays * holes} - {lost} = {trays * holes - lost}.",
        trays * holes - lost,
    )


def thought_of(draw: Random) -> Asked:
    x, times, minus = draw.randint(6, 40), draw.randint(3, 8), draw.randint(5, 60)
    return number(
        draw.choice(
            [
                f"I think of a number, multiply it by {times} and take away {minus}. The result is "
                f"{x * times - minus}. "
                "Which "
                "number did I think "
                "of?",
                f"Multiplying a secret number by {times}, then subtracting {minus}, yields {x * times - minus}. "
                "Reveal the secret number.",
            ]
        ),
        f"Backwards: {x * times - minus} + {minus} = {x * times}.\n{x * times} ÷ {times} = {x}.",
        x,
    )


def function_value(draw: Random) -> Asked:
    a, b, c = draw.randint(2, 9), draw.randint(-9, -2), draw.randint(2, 8)
    return number(
        draw.choice(
            [
                f"Given f(t) = {a}t² - {abs(b)}t, compute f(-{c}).",
                f"Evaluate f(-{c}), where f(t) = {a}t² - {abs(b)}t.",
            ]
        ),
        f"{a} × {c * c} = {a * c * c}, and {b} × (-{c}) = {-b * c}.\n{a * c * c} + {-b * c} = {a * c * c - b * c}.",
        a * c * c - b * c,
    )


def night_shift(draw: Random) -> Asked:
    start, hours, quarter = draw.randrange(20 * 60, 23 * 60, 15), draw.randint(6, 9), draw.choice([10, 15, 30, 45])
    end = start + hours * 60 + quarter
    return clock(
        draw.choice(
            [
                f"A nurse comes on duty at {time(start)} and stays for {hours} hours and {quarter} minutes. When "
                "does the "
                "shift end "
                "(24-hour "
                "HH:MM)?",
                f"Shift start {time(start)}, duration {hours} hours {quarter} minutes. Shift end, hh:mm?",
            ]
        ),
        f"{time(start)} and {24 * 60 - start} minutes make midnight; {end - 24 * 60} minutes are left.\nThat is "
        f"{time(end)}.",
        end,
    )


# -- medium ------------------------------------------------------------------------------------------------------------------


def commission(draw: Random) -> Asked:
    base, rate, sold = draw.randrange(1200, 2400, 50), draw.choice([2, 3, 4, 6, 8]), draw.randrange(5000, 30000, 500)
    return number(
        draw.choice(
            [
                f"A sales agent earns €{base:,} a month plus {rate}% of all sales. How much does the agent earn in "
                "a month "
                "with sales of "
                f"€{sold:,}?",
                f"Monthly base salary €{base:,}, commission {rate}% on turnover, turnover €{sold:,}. Monthly "
                "earnings in euros?",
            ]
        ),
        f"{rate}% of {sold:,} is {sold * rate // 100:,}.\n{base:,} + {sold * rate // 100:,} = "
        f"{base + sold * rate // 100:,}.",
        base + sold * rate // 100,
        "euros",
    )


def leaking_pool(draw: Random) -> Asked:
    fill, leak, hours = draw.randint(40, 90), draw.randint(5, 25), draw.randint(6, 30)
    size = (fill - leak) * hours
    return number(
        draw.choice(
            [
                f"A paddling pool of {size} litres is filled at {fill} litres an hour while {leak} litres an hour "
                "seep "
                "away. How "
                "many minutes "
                "pass until it is full?",
                f"Inflow {fill} litres hourly, leakage {leak} litres hourly, capacity {size} litres, initially "
                "empty. Minutes required to fill the pool?",
            ]
        ),
        f"Each hour {fill} - {leak} = {fill - leak} litres stay in.\n{size} ÷ {fill - leak} = {hours} hours, which "
        "are "
        f"{hours * 60} minutes.",
        hours * 60,
        "minutes",
    )


def concrete(draw: Random) -> Asked:
    sand, gravel, part = draw.choice([2, 3]), draw.choice([4, 5, 6]), draw.randint(8, 45)
    total = part * (1 + sand + gravel)
    return number(
        draw.choice(
            [
                f"Concrete is made of cement, sand and gravel in the proportion 1 : {sand} : {gravel}. How many "
                "kilograms "
                "of gravel "
                "are in "
                f"{total} kg of the dry mixture?",
                f"Cement : sand : gravel = 1 : {sand} : {gravel}. Mass of gravel contained in {total} kg of dry "
                "concrete, in kg?",
            ]
        ),
        f"There are {1 + sand + gravel} parts of {total} ÷ {1 + sand + gravel} = {part} kg.\n{gravel} × {part} = "
        f"{gravel * part} kg.",
        gravel * part,
        "kg",
    )


def pie_chart(draw: Random) -> Asked:
    degrees, each = draw.choice([24, 36, 40, 45, 60, 72, 80, 108, 135, 150]), draw.randint(2, 9)
    voters = 360 * each // (1 if degrees % 2 else 2)
    return number(
        draw.choice(
            [
                f"{voters} votes are drawn as a pie chart. The slice of the Green List spans {degrees} degrees. How "
                "many "
                "votes did "
                "the list get?",
                f"A pie chart represents {voters} votes. One party occupies {degrees} degrees. Votes obtained by "
                "that party?",
            ]
        ),
        f"A degree stands for {voters} ÷ 360 = {plain(Fraction(voters, 360))} votes.\n{degrees} × "
        f"{plain(Fraction(voters, 360))} = "
        f"{plain(Fraction(degrees * voters, 360))}.",
        Fraction(degrees * voters, 360),
    )


def kennel(draw: Random) -> Asked:
    w, more = draw.randint(2, 5), draw.randint(3, 14)
    return expression(
        draw.choice(
            [
                f"A dog run is w metres wide; its length is {more} metres more than {w} times its width. Express its "
                "perimeter in metres through w, bracket-free.",
                f"Width w metres; length exceeds {w} times the width by {more} metres. Perimeter of this rectangle "
                "in metres, through w and bracket-free?",
            ]
        ),
        f"The length is {w}w + {more}.\n2(w + {w}w + {more}) = {2 + 2 * w}w + {2 * more}.",
        terms(w=2 + 2 * w, one=2 * more),
        "expanded",
    )


def squared_sum(draw: Random) -> Asked:
    a, b = draw.randint(2, 7), draw.choice([each for each in range(-9, 10) if each])
    return expression(
        draw.choice(
            [
                f"Expand the square of {terms(z=a, one=b)}, collecting like powers of z.",
                f"({terms(z=a, one=b)})² expanded and ordered by powers of z?",
            ]
        ),
        f"({terms(z=a, one=b)})^2 = ({a}z)^2 + 2 × {a}z × ({b}) + ({b})^2.",
        terms(z2=a * a, z=2 * a * b, one=b * b),
        "expanded",
    )


def relay(draw: Random) -> Asked:
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


# -- hard --------------------------------------------------------------------------------------------------------------------


def pursuit(draw: Random) -> Asked:
    slow, faster, lead = draw.randint(4, 7), draw.randint(2, 9), draw.choice([20, 30, 40, 45])
    gap = Fraction(slow * lead, 60)
    minutes = gap / faster * 60
    return number(
        draw.choice(
            [
                f"A walker leaves a camp at {slow} km/h. {lead} minutes later a runner follows at {slow + faster} "
                "km/h. How "
                "many "
                "minutes does the "
                "runner take to catch up? Two decimals will do.",
                f"A runner ({slow + faster} km/h) sets off {lead} minutes behind a walker ({slow} km/h), along an "
                "identical route. Minutes the runner needs until drawing level, two decimals sufficing?",
            ]
        ),
        f"The walker is {slow} × {lead}/60 = {plain(gap)} km ahead.\nThe runner gains {faster} km an hour.\n"
        f"{plain(gap)} ÷ {faster} × 60 = {plain(minutes)} minutes.",
        minutes,
        "minutes",
        0.01,
    )


def alloy(draw: Random) -> Asked:
    low, high, wanted = draw.choice(
        [(40, 90, 60), (30, 80, 50), (20, 70, 40), (25, 75, 35), (50, 95, 65), (35, 85, 45)]
    )
    total = draw.randint(2, 12) * (high - low) // 5
    strong = Fraction(total * (wanted - low), high - low)
    return number(
        draw.choice(
            [
                f"A goldsmith melts gold of {low}% purity and gold of {high}% purity into {total} g of {wanted}% "
                "purity. "
                "How many "
                "grams of the "
                f"{high}% gold go in?",
                f"Alloying {low}% gold with {high}% gold yields {total} g of {wanted}% gold. Required grams of the "
                f"{high}% material?",
            ]
        ),
        f"With s grams of it: {high}s + {low}({total} - s) = {wanted} × {total}.\n{high - low}s = "
        f"{total * (wanted - low)}, "
        "so s = "
        f"{plain(strong)}.",
        strong,
        "g",
    )


def plot_of_land(draw: Random) -> Asked:
    wide, more = draw.randint(7, 24), draw.randint(3, 13)
    return number(
        draw.choice(
            [
                f"A rectangular plot of land is {more} m longer than it is wide and covers {wide * (wide + more)} "
                "m². How "
                "wide is "
                "it, in metres?",
                f"Area of a rectangle: {wide * (wide + more)} m². Length minus width: {more} m. Width in metres?",
            ]
        ),
        f"w(w + {more}) = {wide * (wide + more)}.\n{wide} × {wide + more} = {wide * (wide + more)}, so w = {wide}; "
        "the "
        "other solution, "
        f"{-wide - more}, is no width.",
        wide,
        "m",
    )


def product_form(draw: Random) -> Asked:
    p, q = draw.sample([each for each in range(-9, 10) if each], 2)
    q = 10 if p + q == 0 else q
    return solutions(
        draw.choice(
            [
                f"For which values of u is u(u {'-' if p + q > 0 else '+'} {abs(p + q)}) = {-p * q}?",
                f"Determine every u obeying u(u {'-' if p + q > 0 else '+'} {abs(p + q)}) = {-p * q}.",
            ]
        ),
        f"u^2 - ({p + q})u + ({p * q}) = 0.\nThe sum of the solutions is {p + q} and their product {p * q}.",
        u=[p, q],
    )


def crossing_lines(draw: Random) -> Asked:
    x, y, m, n = draw.randint(-6, 6), draw.randint(-9, 9), *draw.sample([each for each in range(-5, 6) if each], 2)
    return solutions(
        draw.choice(
            [
                f"Where do the lines y = {terms(x=m, one=y - m * x)} and y = {terms(x=n, one=y - n * x)} cross? "
                "Give x and y.",
                f"Intersection of y = {terms(x=m, one=y - m * x)} with y = {terms(x=n, one=y - n * x)}: state x and y.",
            ]
        ),
        f"{terms(x=m - n)} = {y - n * x - (y - m * x)}, so x = {x}.\nThen y = {m} × ({x}) + ({y - m * x}) = {y}.",
        x=[x],
        y=[y],
    )


def perpendicular(draw: Random) -> Asked:
    m, n = draw.choice([(2, 3), (3, 2), (1, 2), (3, 4), (1, 3), (5, 2), (2, 5), (4, 3)])
    x, y = draw.randint(-6, 6), draw.randint(-6, 6)
    c = m * x + n * y
    return equation(
        draw.choice(
            [
                f"Through ({x}, {y}) runs a straight line at a right angle to every line of slope {Fraction(n, m)}. "
                "State an "
                "equation for it in "
                "x and y.",
                f"State an equation, involving x and y, of the line perpendicular to slope {Fraction(n, m)} passing "
                f"through ({x}, {y}).",
            ]
        ),
        f"Its slope is {Fraction(-m, n)}, so it is {terms(x=m, y=n)} = c.\nc = {m} × ({x}) + {n} × ({y}) = {c}.",
        f"{terms(x=m, y=n)} = {c}",
    )


def used_car(draw: Random) -> Asked:
    price, rate, years = draw.randrange(9000, 30000, 500), draw.choice([12, 15, 18, 20]), draw.choice([2, 3])
    left = price * (1 - Fraction(rate, 100)) ** years
    return rounded(
        draw.choice(
            [
                f"A delivery scooter fleet bought for €{price:,} loses {rate}% of its value every year. Its worth "
                "when "
                f"{years} years have passed, to the nearest cent?",
                f"Purchase value €{price:,}, annual depreciation {rate}% of current value. Residual value {years} "
                "years later, to the nearest cent?",
            ]
        ),
        f"Each year {100 - rate}% are left.\n{price} × {(100 - rate) / 100:g}^{years} = {float(left):.2f}.",
        left,
        "euros",
    )


def dilution(draw: Random) -> Asked:
    litres, strong = draw.randint(2, 9), draw.choice([12, 15, 18, 20, 24, 30])
    water = draw.randint(2, 9)
    return percent(
        draw.choice(
            [
                f"{water} litres of water are added to {litres} litres of a cleaning fluid with {strong}% vinegar. "
                "How many "
                "percent "
                "vinegar does it "
                "have now? Two decimals will do.",
                f"Diluting {litres} litres of {strong}% vinegar cleaner using {water} litres of water: resulting "
                "vinegar percentage (two decimals suffice)?",
            ]
        ),
        f"{litres} × {strong} = {litres * strong}.\n{litres * strong} ÷ ({litres} + {water}) = "
        f"{plain(Fraction(litres * strong, litres + water))}.",
        Fraction(litres * strong, litres + water),
        0.01,
    )


EASY: list[Family] = [parking, candle, seedlings, thought_of, function_value, night_shift]
MEDIUM: list[Family] = [commission, leaking_pool, concrete, pie_chart, kennel, squared_sum, relay]
HARD: list[Family] = [
    pursuit, alloy, plot_of_land, product_form, crossing_lines, perpendicular, used_car, dilution,
]  # fmt: skip
