"""Held-out problems whose answer is a number. Each function is a family."""

from fractions import Fraction
from random import Random

from authoring.math.val_names import NAMES
from verigym.environments.math.questions import Family, Question, euros, fraction, number, percent, plain, rounded


def parking(draw: Random) -> Question:
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


def candle(draw: Random) -> Question:
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


def seedlings(draw: Random) -> Question:
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


def thought_of(draw: Random) -> Question:
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


def function_value(draw: Random) -> Question:
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


def commission(draw: Random) -> Question:
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


def leaking_pool(draw: Random) -> Question:
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


def concrete(draw: Random) -> Question:
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


def pie_chart(draw: Random) -> Question:
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


def pursuit(draw: Random) -> Question:
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


def alloy(draw: Random) -> Question:
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


def plot_of_land(draw: Random) -> Question:
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


def used_car(draw: Random) -> Question:
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


def dilution(draw: Random) -> Question:
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


def swimming_pool(draw: Random) -> Question:
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


def pyramid_of_cans(draw: Random) -> Question:
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


def dog_food(draw: Random) -> Question:
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


def quiz_points(draw: Random) -> Question:
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


def car_fuel(draw: Random) -> Question:
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


def rainy_month(draw: Random) -> Question:
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


def bicycle_gears(draw: Random) -> Question:
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


def letters_in_row(draw: Random) -> Question:
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


def radioactive(draw: Random) -> Question:
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


def cylinder_tin(draw: Random) -> Question:
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


def faulty_bulbs(draw: Random) -> Question:
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


def shared_prize(draw: Random) -> Question:
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


EASY: list[Family] = [
    parking,
    candle,
    seedlings,
    thought_of,
    function_value,
    swimming_pool,
    pyramid_of_cans,
    dog_food,
    quiz_points,
]
MEDIUM: list[Family] = [
    commission,
    leaking_pool,
    concrete,
    pie_chart,
    car_fuel,
    rainy_month,
    bicycle_gears,
    letters_in_row,
]
HARD: list[Family] = [
    pursuit,
    alloy,
    plot_of_land,
    used_car,
    dilution,
    radioactive,
    cylinder_tin,
    faulty_bulbs,
    shared_prize,
]
