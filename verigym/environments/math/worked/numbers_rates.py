"""Families whose answer is a number: speeds, supplies, fuel, flow, shared work, averages and sequences."""

from fractions import Fraction
from math import lcm
from random import Random

from verigym.environments.math.questions import rounded
from verigym.environments.math.worked.steps import (
    divided,
    in_cents,
    in_euros,
    minus,
    plain,
    plus,
    times,
    to_hours,
    to_minutes,
)
from verigym.environments.math.worked.telling import Duration, Euros, Told, amount, listed, names, tell


def supplies_last(random: Random) -> Told:
    people, days = random.randint(4, 24), random.randint(6, 30)
    total = people * days
    others = random.choice(
        [each for each in range(2, 61) if total % each == 0 and each != people and total // each != people] or [1]
    )
    who, what = random.choice((("sailors", "water"), ("climbers", "food"), ("horses", "hay"), ("machines", "oil")))
    return tell(
        random,
        "supplies_last",
        f"{people} {who} for {days} days.",
        f"the days for {others}.",
        [f"All of it: {times(people, days)} daily portions.", f"{divided(total, others)} days."],
        amount(Fraction(total, others), "days"),
        what=what,
        who=who,
        people=people,
        days=days,
        others=others,
    )


def speed_from_minutes(random: Random) -> Told:
    minutes = random.choice((6, 10, 12, 15, 20, 30, 40, 45, 75, 90, 100, 105, 135, 150))
    speed = random.choice([v for v in range(4, 121) if v * minutes % 60 == 0] or [60])
    way, time = speed * minutes // 60, Duration(minutes)
    thing = random.choice(("ferry", "cyclist", "tram", "truck", "horse rider", "runner"))
    return tell(
        random,
        "speed_from_minutes",
        f"{way} km in {time}.",
        "the kilometres in one hour.",
        [
            f"{to_minutes(minutes)}.",
            f"Speed is {way} ÷ {minutes} × 60.",
            f"{times(way, 60)}.",
            f"{divided(way * 60, minutes)} km/h.",
        ],
        amount(speed, "km/h"),
        thing=thing,
        way=way,
        time=time,
    )


def fuel(random: Random) -> Told:
    per, way, price = (
        random.randint(4, 12),
        random.choice((50, 150, 200, 250, 300, 350, 450, 500, 600, 700)),
        random.randrange(120, 210, 10),
    )
    litres = Fraction(per * way, 100)
    cost = litres * price
    shown = Euros(price)
    return tell(
        random,
        "fuel",
        f"{per} litres per 100 km, {way} km, {shown} a litre.",
        "the cost in euros.",
        [
            f"{way} ÷ 100 = {plain(Fraction(way, 100))}.",
            f"{plain(Fraction(way, 100))} × {per} = {plain(litres)} litres.",
            f"{in_cents(price)}.",
            f"{times(litres, price)} cents.",
            f"{in_euros(int(cost))}.",
        ],
        amount(cost / 100, "euros"),
        per=per,
        shown=shown,
        way=way,
    )


def filling_time(random: Random) -> Told:
    rate, minutes = random.randint(4, 30), random.randrange(65, 420, 5)
    size = rate * minutes
    time = Duration(minutes)
    ask = random.random() < 0.5
    frame = "filling_time_in_minutes" if ask else "filling_in_litres"
    if ask:
        steps, data = [f"{divided(size, rate)} minutes.", f"{to_hours(minutes)}."], amount(minutes, "minutes")
    else:
        steps, data = [f"{to_minutes(minutes)}.", f"{times(minutes, rate)} litres."], amount(size, "litres")
    given = f"{rate} litres a minute, {f'{size} litres' if ask else time}."
    return tell(
        random,
        frame,
        given,
        "the minutes." if ask else "the litres.",
        steps,
        data,
        rate=rate,
        size=size,
        time=time,
        ask=ask,
    )


def whole_trip(random: Random) -> Told:
    first, h1, second, h2 = random.randint(20, 110), random.randint(1, 4), random.randint(20, 110), random.randint(1, 4)
    total, hours = first * h1 + second * h2, h1 + h2
    while total % hours:
        second += 1
        total = first * h1 + second * h2
    thing = random.choice(("lorry", "motorbike", "caravan", "mail car"))
    return tell(
        random,
        "whole_trip",
        f"{h1} h at {first} km/h, {h2} h at {second} km/h.",
        "all kilometres ÷ all hours.",
        [
            f"First: {times(h1, first)} km.",
            f"Then: {times(h2, second)} km.",
            f"Way: {plus(h1 * first, h2 * second)} km.",
            f"Time: {plus(h1, h2)} h.",
            f"{divided(total, hours)} km/h.",
        ],
        amount(Fraction(total, hours), "km/h"),
        thing=thing,
        first=first,
        h1=h1,
        second=second,
        h2=h2,
    )


def together(random: Random) -> Told:
    a, b = random.choice(
        (
            (3, 6),
            (4, 12),
            (6, 12),
            (10, 15),
            (12, 24),
            (20, 30),
            (6, 30),
            (8, 24),
            (15, 30),
            (12, 36),
            (5, 20),
            (20, 60),
            (18, 36),
            (30, 45),
            (24, 48),
        )
    )
    a, b = (a, b) if random.random() < 0.5 else (b, a)
    both = Fraction(a * b, a + b)
    common = lcm(a, b)
    one, two = names(random, 2)
    job = random.choice(("mow a meadow", "type a report", "shell the peas", "clean the hall", "stack the wood"))
    unit = random.choice(("hours", "minutes"))
    return tell(
        random,
        "together",
        f"{a} {unit} and {b} {unit} alone.",
        f"the {unit} together.",
        [
            f"Cut the work into {common} pieces.",
            f"{one}: {common} ÷ {a} = {common // a} in one of the {unit}. {two}: {common} ÷ {b} = {common // b}.",
            f"Together: {plus(common // a, common // b)}.",
            f"{divided(common, common // a + common // b)} {unit}.",
        ],
        amount(both, unit),
        one=one,
        two=two,
        job=job,
        a=a,
        b=b,
        unit=unit,
    )


def new_mean(random: Random) -> Told:
    count, mean, shift = random.randint(3, 9), random.randint(8, 60), random.randint(1, 5)
    new = mean + shift
    value = new * (count + 1) - mean * count
    thing = random.choice(("scores", "parcels in kg", "marks", "distances in km", "ages"))
    return tell(
        random,
        "new_mean",
        f"{count} values with mean {mean}, then {count + 1} values with mean {new}.",
        "the new value.",
        [
            f"Sum before: {times(count, mean)}.",
            f"Sum after: {times(count + 1, new)}.",
            f"{minus(new * (count + 1), mean * count)}.",
        ],
        amount(value),
        count=count,
        thing=thing,
        mean=mean,
        new=new,
    )


def middle_value(random: Random) -> Told:
    count = random.choice((5, 6, 7, 8))
    values = random.sample(range(11, 99), count)
    ordered = sorted(values)
    what = random.choice(("median", "range"))
    half = count // 2
    shown = listed(values)
    if what == "range":
        steps, value = (
            [f"The largest is {ordered[-1]}, the smallest {ordered[0]}.", f"{minus(ordered[-1], ordered[0])}."],
            Fraction(ordered[-1] - ordered[0]),
        )
    elif count % 2:
        steps, value = [f"The middle one of {count} is number {half + 1}: {ordered[half]}."], Fraction(ordered[half])
    else:
        pair = ordered[half - 1 : half + 1]
        value = Fraction(sum(pair), 2)
        steps = [
            f"The two in the middle are {pair[0]} and {pair[1]}.",
            f"{plus(*pair)}.",
            f"{sum(pair)} ÷ 2 = {plain(value)}.",
        ]
    thing = random.choice(("lengths in cm", "ages", "points", "prices in cents"))
    return tell(
        random,
        "middle_value",
        f"{count} numbers.",
        f"the {what}.",
        [f"In order: {', '.join(map(str, ordered))}.", *steps],
        amount(value),
        what=what,
        thing=thing,
        shown=shown,
        count=count,
        values=values,
    )


def rounded_share(random: Random) -> Told:
    total, people = random.randint(50, 900), random.choice((3, 6, 7, 9, 11, 13))
    total += total % people == 0
    value = Fraction(total, people)
    shown = Fraction(round(value * 100), 100)
    what = random.choice(("metres of cloth", "kilograms of rice", "litres of milk"))
    whole, rest = divmod(total, people)
    tenths, rest1 = divmod(rest * 10, people)
    hundredths, rest2 = divmod(rest1 * 10, people)
    thousandths = rest2 * 10 // people
    return tell(
        random,
        "rounded_share",
        f"{total} ÷ {people}.",
        "the quotient, rounded to two decimals.",
        [
            f"{people} × {whole} = {people * whole}, {minus(total, people * whole)}.",
            f"{rest * 10} ÷ {people} gives {tenths}, {rest * 10} - {people * tenths} = {rest1}.",
            f"{rest1 * 10} ÷ {people} gives {hundredths}, {rest1 * 10} - {people * hundredths} = {rest2}.",
            f"{rest2 * 10} ÷ {people} gives {thousandths}.",
            f"So {whole}.{tenths}{hundredths}{thousandths}..., rounded {float(shown):.2f}.",
        ],
        rounded("", "", value).data,
        total=total,
        people=people,
        what=what,
    )


def sequence_term(random: Random) -> Told:
    first, step, place = (
        random.randint(2, 40),
        random.choice((-9, -7, -4, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15)),
        random.randint(9, 40),
    )
    shown = ", ".join(str(first + step * each) for each in range(4))
    value = first + step * (place - 1)
    return tell(
        random,
        "sequence_term",
        f"{shown}, ...",
        f"the number in place {place}.",
        [
            f"The step is {minus(first + step, first)}.",
            f"From place 1 to place {place} there are {minus(place, 1)} steps.",
            f"{times(place - 1, step)}.",
            f"{plus(first, step * (place - 1))}.",
        ],
        amount(value),
        shown=shown,
        place=place,
        first=first,
        step=step,
    )


def sum_of_series(random: Random) -> Told:
    first, step, count = random.randint(2, 30), random.randint(2, 9), random.randint(8, 24)
    last = first + step * (count - 1)
    total = (first + last) * count // 2
    who, thing = names(random, 1)[0], random.choice(("push-ups", "coins", "words", "bricks", "minutes of practice"))
    return tell(
        random,
        "sum_of_series",
        f"first {first}, {step} more each day, {count} days.",
        "the sum of all days.",
        [
            f"Last day: {times(count - 1, step)}, {plus(first, step * (count - 1))}.",
            f"First and last: {plus(first, last)}.",
            f"The sum is {first + last} × {count} ÷ 2.",
            f"{times(first + last, count)}.",
            f"{divided((first + last) * count, 2)}.",
        ],
        amount(total),
        who=who,
        thing=thing,
        first=first,
        step=step,
        count=count,
    )


EASY = []
MEDIUM = [supplies_last, speed_from_minutes, fuel, filling_time, new_mean, middle_value, rounded_share, sequence_term]
HARD = [whole_trip, together, sum_of_series]
