"""Families whose answer is one of several names: orders, offers, rates, sizes, calendars, patterns, directions and truth."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from math import lcm
from random import Random

from verigym.core.records import Json
from verigym.environments.math.questions import at, plain
from verigym.environments.math.worked.steps import divided, later, minus, plus, times, with_rest
from verigym.environments.math.worked.telling import Euros, Told, listed, names, tell

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def _option(answer: str, among: Sequence[str]) -> Json:
    return {"rule": "option", "answer": answer, "others": [each for each in among if each != answer]}


def chain_of_four(random: Random) -> Told:
    who = names(random, 4)
    more, less, top, bottom = random.choice(
        (
            ("older", "younger", "oldest", "youngest"),
            ("faster", "slower", "fastest", "slowest"),
            ("heavier", "lighter", "heaviest", "lightest"),
            ("richer", "poorer", "richest", "poorest"),
        )
    )
    said = [f"{a} is {more} than {b}" if random.random() < 0.5 else f"{b} is {less} than {a}" for a, b in pairwise(who)]
    random.shuffle(said)
    place = random.randrange(4)
    word = (top, f"second {top}", f"second {bottom}", bottom)[place]
    facts, among = ". ".join(said), listed(sorted(who))
    return tell(
        random,
        "chain_of_four",
        f"{facts}.",
        f"the {word}.",
        [
            *(f"{a} is {more} than {b}." for a, b in pairwise(who)),
            f"In order, {top} first: {', '.join(who)}.",
            f"The {word} is {who[place]}.",
        ],
        _option(who[place], who),
        facts=facts,
        word=word,
        among=among,
        said=said,
        more=more,
        place=place,
    )


def best_offer(random: Random) -> Told:
    shops = random.sample(("Nordmarkt", "Sonnenhof", "Bluebell", "Castello", "Tramonto", "Greenleaf"), 3)
    unit = random.sample(range(15, 95), 3)
    sizes = [random.randint(2, 9) for _ in range(3)]
    prices = [Euros(a * b) for a, b in zip(unit, sizes, strict=True)]
    thing = random.choice(("bulbs", "eggs", "bottles", "pens", "bars of soap"))
    dear = random.random() < 0.3
    word = "dearest" if dear else "cheapest"
    value = (max if dear else min)(unit)
    best = shops[unit.index(value)]
    shown = "; ".join(
        f"{shop}: {size} {thing} for {price}" for shop, size, price in zip(shops, sizes, prices, strict=True)
    )
    return tell(
        random,
        "best_offer",
        f"{shown}.",
        f"the {word} per piece.",
        [
            *(
                f"{shop}: {divided(int(price), size)} cents."
                for shop, size, price in zip(shops, sizes, prices, strict=True)
            ),
            f"The {'largest' if dear else 'smallest'} is {value}, so {best}.",
        ],
        _option(best, shops),
        shown=shown,
        word=word,
        thing=thing,
        shops=shops,
        sizes=sizes,
        prices=prices,
        dear=dear,
    )


def who_is_faster(random: Random) -> Told:
    who = names(random, 3)
    speeds, hours = random.sample(range(4, 30), 3), [random.randint(2, 6) for _ in range(3)]
    ways = [a * b for a, b in zip(speeds, hours, strict=True)]
    slow = random.random() < 0.4
    word = "slowest" if slow else "fastest"
    value = (min if slow else max)(speeds)
    best = who[speeds.index(value)]
    shown = "; ".join(f"{name} {way} km in {hour} h" for name, way, hour in zip(who, ways, hours, strict=True))
    return tell(
        random,
        "who_is_faster",
        f"{shown}.",
        f"the {word}.",
        [
            *(f"{name}: {divided(way, hour)} km/h." for name, way, hour in zip(who, ways, hours, strict=True)),
            f"The {'smallest' if slow else 'largest'} is {value}, so {best}.",
        ],
        _option(best, who),
        shown=shown,
        word=word,
        who=who,
        ways=ways,
        hours=hours,
        slow=slow,
    )


def mixed_forms(random: Random) -> Told:
    hundredths = random.sample([20, 25, 30, 35, 40, 45, 55, 60, 65, 70, 75, 80, 85, 90, 95], 4)
    forms: list[str] = []
    for index, each in enumerate(hundredths):
        forms.append(
            str(Fraction(each, 100)) if index < 2 else plain(Fraction(each, 100)) if index == 2 else f"{each}%"
        )
    forms_and = list(zip(forms, hundredths, strict=True))
    random.shuffle(forms_and)
    small = random.random() < 0.5
    word = "smallest" if small else "largest"
    value = (min if small else max)(hundredths)
    who = names(random, 4)
    best = next(name for name, (_, each) in zip(who, forms_and, strict=True) if each == value)
    shown = "; ".join(f"{name}: {form}" for name, (form, _) in zip(who, forms_and, strict=True))
    return tell(
        random,
        "mixed_forms",
        f"{shown}.",
        f"the {word}.",
        [
            *(f"{name}: {form} is {each}%." for name, (form, each) in zip(who, forms_and, strict=True)),
            f"The {word} is {value}%, so {best}.",
        ],
        _option(best, who),
        shown=shown,
        word=word,
        forms=dict(zip(who, (form for form, _ in forms_and), strict=True)),
        small=small,
    )


def weekday_after(random: Random) -> Told:
    day, days = random.randrange(7), random.randint(9, 400)
    back = random.random() < 0.4
    days += days % 7 == 0
    rest = days % 7
    result = DAYS[(day + (-rest if back else rest)) % 7]
    start = DAYS[day]
    word = "before" if back else "after"
    way = " ".join([start, *(f"-> {DAYS[(day + (-each if back else each)) % 7]}" for each in range(1, rest + 1))])
    event = random.choice(("market", "delivery", "meeting", "race", "vaccination"))
    return tell(
        random,
        "weekday_after",
        f"{start}, {days} days {word}.",
        "the weekday.",
        [
            f"{with_rest(days, 7)}.",
            f"Full weeks do not matter, so go {rest} days {'back' if back else 'on'}.",
            f"{way}.",
        ],
        _option(result, DAYS),
        days=days,
        word=word,
        start=start,
        event=event,
    )


def month_after(random: Random) -> Told:
    month, count = random.randrange(12), random.randint(13, 120)
    back = random.random() < 0.5
    count += count % 12 == 0
    rest = count % 12
    result = MONTHS[(month + (-rest if back else rest)) % 12]
    start, word = MONTHS[month], "before" if back else "after"
    number = month + 1 + (-rest if back else rest)
    fix = f", {minus(number, 12)}" if number > 12 else f", {plus(number, 12)}" if number < 1 else ""
    thing = random.choice(("warranty", "visa", "lease", "subscription"))
    return tell(
        random,
        "month_after",
        f"{start}, {count} months {word}.",
        "the month.",
        [
            f"{with_rest(count, 12)}.",
            "Full years do not matter.",
            f"{start} is month {month + 1}: {month + 1} {'-' if back else '+'} {rest} = {number}{fix}.",
            f"That month is {result}.",
        ],
        _option(result, MONTHS),
        count=count,
        word=word,
        start=start,
        thing=thing,
        back=back,
    )


def not_divisible(random: Random) -> Told:
    base = random.choice((3, 4, 6, 7, 9, 11, 12, 13))
    good = [base * each for each in random.sample(range(4, 30), 3)]
    bad = base * random.randint(4, 30) + random.randint(1, base - 1)
    values = [*good, bad]
    random.shuffle(values)
    shown = listed(values, "or")
    return tell(
        random,
        "not_divisible",
        f"{shown}.",
        f"the one that {base} does not divide.",
        [
            *(
                f"{each} - {base} × {each // base} = {each} - {base * (each // base)} = {each % base}."
                for each in values
            ),
            f"Only {bad} leaves a rest.",
        ],
        _option(str(bad), [str(each) for each in values]),
        shown=shown,
        base=base,
        values=values,
    )


def repeating_pattern(random: Random) -> Told:
    kinds = random.sample(("circle", "star", "square", "heart", "cross", "arrow"), random.choice((3, 4)))
    pattern = [*kinds, kinds[0]] if random.random() < 0.4 else [*kinds]
    length, place = len(pattern), random.randint(15, 140)
    rest = place % length
    result = pattern[rest - 1]
    shown = ", ".join(pattern)
    which = f"number {rest}" if rest else f"the last, number {length}"
    return tell(
        random,
        "repeating_pattern",
        f"{shown}, repeated.",
        f"the sign in place {place}.",
        [
            f"The pattern has {length} signs.",
            f"{with_rest(place, length)}.",
            f"So it is {which} of the pattern: {result}.",
        ],
        _option(result, sorted(set(kinds))),
        shown=shown,
        place=place,
        pattern=pattern,
    )


def largest_container(random: Random) -> Told:
    kind = random.choice(("volume", "mass", "length"))
    big, small, factor = {"volume": ("l", "ml", 1000), "mass": ("kg", "g", 1000), "length": ("m", "cm", 100)}[kind]
    things = random.sample(
        {
            "volume": ("jug", "flask", "bucket", "kettle"),
            "mass": ("parcel", "melon", "stone", "bag"),
            "length": ("rope", "snake", "board", "hose"),
        }[kind],
        4,
    )
    values = random.sample(range(factor // 2, 4 * factor, factor // 20), 4)
    forms = [
        f"{plain(Fraction(value, factor))} {big}" if random.random() < 0.5 else f"{value} {small}" for value in values
    ]
    low = random.random() < 0.5
    word = {
        "volume": "smallest" if low else "largest",
        "mass": "lightest" if low else "heaviest",
        "length": "shortest" if low else "longest",
    }[kind]
    value = (min if low else max)(values)
    best = things[values.index(value)]
    shown = ", ".join(f"{thing} {form}" for thing, form in zip(things, forms, strict=True))
    return tell(
        random,
        "largest_container",
        f"{shown}.",
        f"the {word}.",
        [
            f"1 {big} is {factor} {small}.",
            *(f"{thing}: {form} is {each} {small}." for thing, form, each in zip(things, forms, values, strict=True)),
            f"The {word} has {value} {small}: {best}.",
        ],
        _option(best, things),
        shown=shown,
        word=word,
        small=small,
        things=things,
        values=values,
        low=low,
    )


def one_liar(random: Random) -> Told:
    who = names(random, 3)
    guilty = random.randrange(3)
    targets = [random.randrange(3) for _ in range(3)]
    denies = [random.random() < 0.5 for _ in range(3)]

    def true(speaker: int, culprit: int) -> bool:
        return (targets[speaker] == culprit) != denies[speaker]

    counts = [sum(true(speaker, culprit) for speaker in range(3)) for culprit in range(3)]
    while counts.count(counts[guilty]) > 1:
        targets = [random.randrange(3) for _ in range(3)]
        denies = [random.random() < 0.5 for _ in range(3)]
        counts = [sum(true(speaker, culprit) for speaker in range(3)) for culprit in range(3)]
    number = counts[guilty]
    said, denied = list[str](), ("", "not ")
    for speaker, name in enumerate(who):
        whom = "me" if targets[speaker] == speaker else who[targets[speaker]]
        said.append(f'{name}: "It was {denied[denies[speaker]]}{whom}."')
    facts, among = " ".join(said), listed(who)
    word = ("None of them tells", "Just one of them tells", "Just two of them tell", "All three tell")[number]
    checks: list[str] = []
    for culprit, name in enumerate(who):
        each = ", ".join(f"{who[speaker]} {'true' if true(speaker, culprit) else 'false'}" for speaker in range(3))
        checks.append(f"If it was {name}: {each}, so {counts[culprit]} true.")
    return tell(
        random,
        "one_liar",
        f"{facts} {number} of 3 are true.",
        "the person that fits.",
        [*checks, f"Only {who[guilty]} gives {number} true."],
        _option(who[guilty], who),
        facts=facts,
        among=among,
        word=word,
        targets=targets,
        denies=denies,
        who=who,
        number=number,
    )


COMPASS = ("north", "east", "south", "west")


def turns(random: Random) -> Told:
    facing = random.randrange(4)
    moves = [random.choice((1, -1, 2)) for _ in range(random.choice((2, 3, 4)))]
    while sum(moves) % 4 == 0:
        moves = [random.choice((1, -1, 2)) for _ in range(random.choice((2, 3, 4)))]
    words = {1: "a quarter turn to the right", -1: "a quarter turn to the left", 2: "a half turn"}
    shown, start = ", then ".join(words[each] for each in moves), COMPASS[facing]
    steps, now = [], facing
    for each in moves:
        then = (now + each) % 4
        steps.append(f"{COMPASS[now]}, {words[each]}: {COMPASS[then]}.")
        now = then
    who = names(random, 1)[0]
    return tell(
        random,
        "turns",
        f"facing {start}; {shown}.",
        "the last direction.",
        ["To the right the order is north, east, south, west.", *steps, f"At the end: {COMPASS[now]}."],
        _option(COMPASS[now], COMPASS),
        who=who,
        start=start,
        shown=shown,
        moves=moves,
    )


def highest_total(random: Random) -> Told:
    who = names(random, 3)
    rounds = [[random.randint(5, 60) for _ in range(3)] for _ in range(3)]
    totals = [sum(each) for each in rounds]
    while len(set(totals)) < 3:
        rounds[0][0] += 1
        rounds[1][1] += 3
        totals = [sum(each) for each in rounds]
    place = random.choice(("most", "fewest"))
    value = max(totals) if place == "most" else min(totals)
    best = who[totals.index(value)]
    shown = "; ".join(f"{name} {listed(each)}" for name, each in zip(who, rounds, strict=True))
    return tell(
        random,
        "highest_total",
        f"{shown}.",
        f"the {place} points.",
        [
            *(f"{name}: {plus(*each)}." for name, each in zip(who, rounds, strict=True)),
            f"The {place} are {value}: {best}.",
        ],
        _option(best, who),
        shown=shown,
        place=place,
        who=who,
        rounds=rounds,
    )


def cheaper_plan(random: Random) -> Told:
    plans = random.sample(("Basic", "Comfort", "Flex", "Family", "Night"), 3)
    fixed, each = [random.randint(2, 40) for _ in range(3)], [random.randint(1, 9) for _ in range(3)]
    count = random.randint(3, 20)
    totals = [a + b * count for a, b in zip(fixed, each, strict=True)]
    while len(set(totals)) < 3:
        fixed = [random.randint(2, 40) for _ in range(3)]
        totals = [a + b * count for a, b in zip(fixed, each, strict=True)]
    unit = random.choice(("gigabyte", "journey", "parcel", "wash"))
    value = min(totals)
    best = plans[totals.index(value)]
    many = "washes" if unit == "wash" else f"{unit}s"
    shown = "; ".join(f"{plan} €{a} plus €{b} per {unit}" for plan, a, b in zip(plans, fixed, each, strict=True))
    return tell(
        random,
        "cheaper_plan",
        f"{shown}; {count} {many}.",
        "the cheapest plan.",
        [
            *(
                f"{plan}: {times(b, count)}, {plus(a, b * count)}."
                for plan, a, b in zip(plans, fixed, each, strict=True)
            ),
            f"The smallest is {value}: {best}.",
        ],
        _option(best, plans),
        shown=shown,
        count=count,
        many=many,
        plans=plans,
        fixed=fixed,
        each=each,
    )


def which_is_prime(random: Random) -> Told:
    prime = random.choice((23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107))
    factors = [(a, b) for a in (3, 5, 7, 11, 13) for b in range(a, 30) if b % 2 and a * b < 150]
    others = random.sample(factors, 3)
    while len({a * b for a, b in others}) < 3:
        others = random.sample(factors, 3)
    table = {prime: "", **{a * b: f"{a} × {b} = {a * b}" for a, b in others}}
    values = [*table]
    random.shuffle(values)
    shown = listed(values, "or")
    return tell(
        random,
        "which_is_prime",
        f"{shown}.",
        "the prime number.",
        [
            *(
                f"{table[each]}, so {each} is not prime."
                if table[each]
                else f"{each}: 2, 3, 5 and 7 do not divide it, so it is prime."
                for each in values
            ),
            f"So it is {prime}.",
        ],
        _option(str(prime), [str(each) for each in values]),
        shown=shown,
        values=values,
    )


def row_of_seats(random: Random) -> Told:
    who = names(random, 4)
    order = list(who)
    facts_all = [f"{order[i]} sits directly left of {order[i + 1]}" for i in range(3)] + [
        f"{order[0]} sits at the left end",
        f"{order[3]} sits at the right end",
    ]
    facts_all += [
        f"{a} does not sit next to {b}" for i, a in enumerate(order) for j, b in enumerate(order) if j > i + 1
    ]
    place = random.randrange(4)

    def fits(seats: tuple[str, ...], fact: str) -> bool:
        if "directly" in fact:
            a, b = fact.split(" sits directly left of ")
            return seats.index(a) + 1 == seats.index(b)
        if "end" in fact:
            return seats[0 if "left" in fact else 3] == fact.split()[0]
        a, b = fact.split(" does not sit next to ")
        return abs(seats.index(a) - seats.index(b)) > 1

    while True:
        facts = random.sample(facts_all, 3)
        possible = [seats for seats in permutations(who) if all(fits(seats, fact) for fact in facts)]
        if len(possible) == 1:
            break
    said = ". ".join(facts)
    where = ("first", "second", "third", "fourth")[place]
    listing = listed(sorted(who))
    return tell(
        random,
        "row_of_seats",
        f"{said}.",
        f"the {where} from the left.",
        [
            *(f"{fact}." for fact in facts),
            f"The only order from the left that fits: {', '.join(order)}.",
            f"The {where} is {order[place]}.",
        ],
        _option(order[place], who),
        said=said,
        where=where,
        listing=listing,
        facts=facts,
        who=who,
    )


def first_to_arrive(random: Random) -> Told:
    who = names(random, 3)
    starts = random.sample(range(8 * 60, 9 * 60, 5), 3)
    needs = random.sample(range(25, 95, 4), 3)
    ends = [a + b for a, b in zip(starts, needs, strict=True)]
    while len(set(ends)) < 3:
        needs = random.sample(range(25, 95, 4), 3)
        ends = [a + b for a, b in zip(starts, needs, strict=True)]
    last = random.random() < 0.4
    word = "last" if last else "first"
    value = max(ends) if last else min(ends)
    best = who[ends.index(value)]

    shown = "; ".join(
        f"{name} leaves at {at(a)} and needs {b} min" for name, a, b in zip(who, starts, needs, strict=True)
    )
    return tell(
        random,
        "first_to_arrive",
        f"{shown}.",
        f"who is {word}.",
        [
            *(f"{name}: {later(a, b)}." for name, a, b in zip(who, starts, needs, strict=True)),
            f"The {word} is {at(value)}: {best}.",
        ],
        _option(best, who),
        shown=shown,
        word=word,
        who=who,
        starts=starts,
        needs=needs,
        last=last,
    )


def biggest_fraction(random: Random) -> Told:
    bottoms = random.sample((3, 4, 5, 6, 8, 9, 10, 12), 3)
    parts = [Fraction(random.randint(1, each - 1), each) for each in bottoms]
    while len(set(parts)) < 3:
        parts = [Fraction(random.randint(1, each - 1), each) for each in bottoms]
    common = lcm(*bottoms)
    values = [int(each * common) for each in parts]
    who = names(random, 3)
    least = random.random() < 0.5
    word = "smallest" if least else "largest"
    value = (min if least else max)(parts)
    best = who[parts.index(value)]
    shown = "; ".join(f"{name} {part}" for name, part in zip(who, parts, strict=True))
    return tell(
        random,
        "biggest_fraction",
        f"{shown}.",
        f"the {word} fraction.",
        [
            f"Use the denominator {common}.",
            *(f"{name}: {part} is {each}/{common}." for name, part, each in zip(who, parts, values, strict=True)),
            f"The {word} is {value}, so {best}.",
        ],
        _option(best, who),
        shown=shown,
        word=word,
        who=who,
        parts=parts,
        least=least,
    )


EASY = [chain_of_four, highest_total, largest_container, turns, not_divisible, which_is_prime]
MEDIUM = [who_is_faster, mixed_forms, weekday_after, month_after, repeating_pattern, cheaper_plan]
HARD = [best_offer, first_to_arrive, biggest_fraction, one_liar, row_of_seats]
