"""Families whose answer is a number: ages, sums, parts of a whole, sets, and values and solutions of formulas."""

from random import Random

from verigym.environments.math.questions import terms
from verigym.environments.math.worked.steps import divided, minus, plus, times
from verigym.environments.math.worked.telling import Told, amount, names, tell


def ages_by_factor(random: Random) -> Told:
    young, factor, years = random.randint(4, 30), random.randint(2, 5), random.randint(2, 9)
    old = factor * young
    back = random.random() < 0.5 and young > years + 1
    one, two = names(random, 2)
    total = old + young + (-2 * years if back else 2 * years)
    when = f"{years} years ago they were" if back else f"In {years} years they will be"
    short = f"{years} years ago" if back else f"in {years} years"
    op = "+" if back else "-"
    now = old + young
    return tell(
        random,
        "ages_by_factor",
        f"{two} is {factor} × {one}; the sum {short} is {total}.",
        f"the age of {one} today.",
        [
            f"Both change by {years}, so the sum changes by {times(2, years)}.",
            f"Sum today: {total} {op} {2 * years} = {now}.",
            f"{one} is 1 part and {two} {factor} parts: {plus(1, factor)} parts.",
            f"{divided(now, factor + 1)}.",
        ],
        amount(young),
        one=one,
        two=two,
        factor=factor,
        when=when,
        short=short,
        total=total,
        years=years,
        back=back,
    )


def heads_and_legs(random: Random) -> Told:
    few, many = random.randint(4, 30), random.randint(4, 30)
    one, two, part, legs, more = random.choice(
        (
            ("ducks", "goats", "legs", 2, 4),
            ("tricycles", "carts", "wheels", 3, 4),
            ("stools", "chairs", "legs", 3, 4),
            ("beetles", "spiders", "legs", 6, 8),
            ("scooters", "vans", "wheels", 2, 4),
        )
    )
    heads, total = few + many, few * legs + many * more
    return tell(
        random,
        "heads_and_legs",
        f"{heads} in all, {total} {part}; {legs} or {more} each.",
        f"the number of {two}.",
        [
            f"If all were {one}: {times(heads, legs)} {part}.",
            f"Too few by {minus(total, heads * legs)}.",
            f"Each of the {two} adds {minus(more, legs)}.",
            f"{divided(total - heads * legs, more - legs)}.",
        ],
        amount(many),
        one=one,
        two=two,
        part=part,
        legs=legs,
        more=more,
        heads=heads,
        total=total,
    )


def consecutive(random: Random) -> Told:
    count, gap, word = random.choice(
        (
            (3, 1, "whole"),
            (3, 2, "even"),
            (4, 1, "whole"),
            (5, 1, "whole"),
            (4, 2, "even"),
            (5, 2, "odd"),
            (3, 2, "odd"),
        )
    )
    first = random.randint(8, 90)
    first += (first % 2 != (word == "odd")) if gap == 2 else 0
    values = [first + gap * each for each in range(count)]
    total, extra = sum(values), gap * count * (count - 1) // 2
    which = random.choice(("smallest", "largest"))
    value = values[0] if which == "smallest" else values[-1]
    last = [f"Largest: {first} + {gap * (count - 1)} = {values[-1]}."] if which == "largest" else []
    return tell(
        random,
        "consecutive",
        f"{count} {word} numbers in a row, sum {total}.",
        f"the {which}.",
        [
            f"Call the first one n. The others are {', '.join(f'n + {gap * each}' for each in range(1, count))}.",
            f"Sum: {count}n + {extra} is {total}.",
            f"{minus(total, extra)}.",
            f"{divided(total - extra, count)}, so n is {first}.",
            *last,
        ],
        amount(value),
        count=count,
        word=word,
        total=total,
        which=which,
        gap=gap,
    )


def in_both(random: Random) -> Told:
    both, only_one, only_two, none = (random.randint(3, 30) for _ in range(4))
    total = both + only_one + only_two + none
    a, b = both + only_one, both + only_two
    one, two = random.choice((("tea", "coffee"), ("chess", "cards"), ("skiing", "surfing"), ("jazz", "opera")))
    who = random.choice(("neighbours", "students", "members", "travellers"))
    ask = random.choice(("both", f"only {one}"))
    value = both if ask == "both" else only_one
    more = [] if ask == "both" else [f"Only {one}: {minus(a, both)}."]
    return tell(
        random,
        "in_both",
        f"{total} {who}; {one} {a}, {two} {b}, neither {none}.",
        f"how many like {ask}.",
        [
            f"At least one: {minus(total, none)}.",
            f"{plus(a, b)} counts both twice.",
            f"Both: {minus(a + b, total - none)}.",
            *more,
        ],
        amount(value),
        total=total,
        who=who,
        a=a,
        one=one,
        b=b,
        two=two,
        none=none,
        ask=ask,
    )


def what_was_there(random: Random) -> Told:
    b1, b2 = random.choice((2, 3, 4, 5)), random.choice((2, 3, 4))
    whole = b1 * b2 * random.randint(3, 24)
    rest = whole * (b1 - 1) // b1
    end = rest * (b2 - 1) // b2
    thing, verb = random.choice(
        (
            ("litres of oil", "sold"),
            ("pages", "read"),
            ("kilometres", "walked"),
            ("eggs", "eaten"),
            ("tickets", "given away"),
        )
    )
    return tell(
        random,
        "what_was_there",
        f"first 1/{b1}, then 1/{b2} of the rest, {end} left.",
        "the number at first, so go back.",
        [
            f"On the second day {b2 - 1}/{b2} of the rest stayed, which is {end}.",
            f"The rest: {end} ÷ {b2 - 1} = {end // (b2 - 1)}, {times(end // (b2 - 1), b2)}.",
            f"On the first day {b1 - 1}/{b1} of all stayed, which is {rest}.",
            f"All: {rest} ÷ {b1 - 1} = {rest // (b1 - 1)}, {times(rest // (b1 - 1), b1)}.",
        ],
        amount(whole),
        thing=thing,
        verb=verb,
        b1=b1,
        b2=b2,
        end=end,
    )


def times_and_difference(random: Random) -> Told:
    small, factor = random.randint(4, 60), random.randint(2, 9)
    big = small * factor
    total = random.random() < 0.5
    value = big + small if total else big - small
    said = "sum" if total else "difference"
    parts = factor + 1 if total else factor - 1
    line = plus(factor, 1) if total else minus(factor, 1)
    return tell(
        random,
        "times_and_difference",
        f"large is {factor} × small, {said} {value}.",
        "the larger one.",
        [
            f"Small is 1 part, large is {factor} parts, the {said} is {line} parts.",
            f"One part: {divided(value, parts)}.",
            f"{times(factor, small)}.",
        ],
        amount(big),
        factor=factor,
        said=said,
        value=value,
    )


def three_sums(random: Random) -> Told:
    values = random.sample(range(5, 60), 3)
    a, b, c = values
    who = names(random, 3)
    one, two, three = who
    ab, bc, ac = a + b, b + c, a + c
    thing = random.choice(("points", "stamps", "books"))
    total = ab + bc + ac
    return tell(
        random,
        "three_sums",
        f"sums {ab}, {bc} and {ac}.",
        f"the {thing} of {two}.",
        [
            f"{plus(ab, bc, ac)} counts everyone twice.",
            f"{divided(total, 2)} for all three.",
            f"{two} is all without {one} and {three}: {minus(total // 2, ac)}.",
        ],
        amount(b),
        one=one,
        two=two,
        three=three,
        ab=ab,
        bc=bc,
        ac=ac,
        thing=thing,
    )


def equation_with_brackets(random: Random) -> Told:
    x, a, b, c = (
        random.randint(-9, 12),
        random.randint(2, 7),
        random.choice([v for v in range(-9, 10) if v]),
        random.randint(1, 6),
    )
    c += c == a
    d = a * (x + b) - c * x
    left, right = f"{a}(x {'+' if b > 0 else '-'} {abs(b)})", terms(x=c, one=d)
    return tell(
        random,
        "equation_with_brackets",
        f"{left} = {right}.",
        "x.",
        [
            f"Remove the bracket: {terms(x=a, one=a * b)} = {right}.",
            f"Bring x to the left: {terms(x=a - c, one=a * b)} = {d}.",
            f"Bring the number to the right: {minus(d, a * b)}, so {terms(x=a - c)} = {d - a * b}.",
            f"{divided(d - a * b, a - c)}, so x = {x}.",
        ],
        amount(x),
        left=left,
        right=right,
    )


def equation_with_fraction(random: Random) -> Told:
    bottom, x, b = random.randint(2, 9), random.randint(-8, 12), random.choice([v for v in range(-9, 13) if v])
    x *= bottom
    a = random.randint(1, 4)
    c = a * x // bottom + b
    left = f"{terms(x=a)}/{bottom} {'+' if b > 0 else '-'} {abs(b)}"
    top = c - b
    return tell(
        random,
        "equation_with_fraction",
        f"{left} = {c}.",
        "x.",
        [
            f"{'Subtract' if b > 0 else 'Add'} {abs(b)}: {minus(c, b)}, so {terms(x=a)}/{bottom} = {top}.",
            f"Times {bottom}: {times(top, bottom)}, so {terms(x=a)} = {top * bottom}.",
            f"{divided(top * bottom, a)}, so x = {x}.",
        ],
        amount(x),
        left=left,
        c=c,
    )


def value_of_formula(random: Random) -> Told:
    a, b, c, x = (
        random.choice([v for v in range(-4, 6) if v]),
        random.randint(-9, 9),
        random.randint(-20, 20),
        random.choice([v for v in range(-7, 9) if v not in (0, 1)]),
    )
    text = terms(x2=a, x=b, one=c)
    value = a * x * x + b * x + c
    return tell(
        random,
        "value_of_formula",
        f"{text}, x = {x}.",
        "the value.",
        [f"x^2: {times(x, x)}.", f"{times(a, x * x)}.", f"{times(b, x)}.", f"{plus(a * x * x, b * x, c)}."],
        amount(value),
        text=text,
        x=x,
        a=a,
        b=b,
        c=c,
    )


EASY = [value_of_formula]
MEDIUM = [times_and_difference, equation_with_fraction]
HARD = [ages_by_factor, heads_and_legs, consecutive, in_both, what_was_there, three_sums, equation_with_brackets]
