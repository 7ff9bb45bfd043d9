"""Families whose answer is an expression: expanding, collecting, factoring, cancelling, and expressions for a story."""

from math import gcd
from random import Random

from verigym.core.records import Json
from verigym.environments.math.questions import terms
from verigym.environments.math.worked.steps import divided, minus, plus, signed, times
from verigym.environments.math.worked.telling import Told, names, tell

_LETTERS = ("x", "n", "t", "m", "p", "y")


def _expression(answer: str, form: str = "expanded") -> Json:
    return {"rule": "expression", "answer": answer, "form": form}


def _nonzero(random: Random, low: int, high: int) -> int:
    return random.choice([each for each in range(low, high + 1) if each])


def _linear(letter: str, factor: int, one: int) -> str:
    return terms(**{letter: factor, "one": one})


def _square(letter: str, two: int, factor: int, one: int) -> str:
    return terms(**{f"{letter}2": two, letter: factor, "one": one})


def _bracket(letter: str, one: int, factor: int = 1) -> str:
    return f"({_linear(letter, factor, one)})"


def added(term: str) -> str:
    """`- 3x` for `-3x`, and `+ 3x` for `3x`."""
    return f"- {term[1:]}" if term.startswith("-") else f"+ {term}"


def two_products(random: Random) -> Told:
    a, c = random.randint(2, 9), random.choice([each for each in range(-8, 9) if abs(each) > 1])
    b, d, e, f = (_nonzero(random, -9, 9) for _ in range(4))
    x = random.choice(_LETTERS)
    text = f"{a}({_linear(x, e, b)}) {'+' if c > 0 else '-'} {abs(c)}({_linear(x, f, d)})"
    answer = _linear(x, a * e + c * f, a * b + c * d)
    return tell(
        random,
        "two_products",
        f"{text}.",
        "the same without brackets.",
        [
            f"First product: {_linear(x, a * e, a * b)}.",
            f"Second product, {signed(c)} times each term: {_linear(x, c * f, c * d)}.",
            f"{x}: {plus(a * e, c * f)}.",
            f"Numbers: {plus(a * b, c * d)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        text=text,
    )


def collect_squares(random: Random) -> Told:
    x = random.choice(_LETTERS)
    a, b, c, d, e = (_nonzero(random, -9, 9) for _ in range(5))
    text = f"{_square(x, a, b, c)} {added(terms(**{f'{x}2': d}))} {added(terms(**{x: e}))}"
    answer = _square(x, a + d, b + e, c)
    return tell(
        random,
        "collect_squares",
        f"{text}.",
        "the sum with every kind of term once.",
        [f"{x}^2: {plus(a, d)}.", f"{x}: {plus(b, e)}.", f"Number: {c}.", f"Result: {answer}."],
        _expression(answer),
        text=text,
    )


def bracket_times_bracket(random: Random) -> Told:
    x = random.choice(_LETTERS)
    a, c = random.choice((1, 1, 2, 3, 4)), random.choice((1, 1, 2, 3, 5, -1, -2))
    b, d = _nonzero(random, -9, 9), _nonzero(random, -9, 9)
    text = f"{_bracket(x, b, a)}{_bracket(x, d, c)}"
    answer = _square(x, a * c, a * d + b * c, b * d)
    return tell(
        random,
        "bracket_times_bracket",
        f"{text}.",
        "the product as a sum.",
        [
            f"{_linear(x, a, 0)} times {_linear(x, c, 0)}: {terms(**{f'{x}2': a * c})}.",
            f"{_linear(x, a, 0)} times {d}: {_linear(x, a * d, 0)}.",
            f"{b} times {_linear(x, c, 0)}: {_linear(x, b * c, 0)}.",
            f"{times(b, d)}.",
            f"{x}: {plus(a * d, b * c)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        text=text,
    )


def square_of_bracket(random: Random) -> Told:
    x, a, b = random.choice(_LETTERS), random.randint(1, 6), _nonzero(random, -12, 12)
    text = f"{_bracket(x, b, a)}^2"
    answer = _square(x, a * a, 2 * a * b, b * b)
    return tell(
        random,
        "square_of_bracket",
        f"{text}.",
        "the square as a sum.",
        [
            f"First squared: {times(a, a)}, so {terms(**{f'{x}2': a * a})}.",
            f"Twice the product: 2 × {a} × {signed(b)} = {2 * a * b}, so {_linear(x, 2 * a * b, 0)}.",
            f"Last squared: {times(b, b)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        text=text,
        side=_linear(x, a, b),
    )


def sum_times_difference(random: Random) -> Told:
    x, a, b = random.choice(_LETTERS), random.randint(1, 9), random.randint(1, 12)
    one, two = _bracket(x, b, a), _bracket(x, -b, a)
    one, two = (one, two) if random.random() < 0.5 else (two, one)
    answer = terms(**{f"{x}2": a * a, "one": -b * b})
    return tell(
        random,
        "sum_times_difference",
        f"{one}{two}.",
        "the product without brackets.",
        [
            f"First times first: {times(a, a)}, so {terms(**{f'{x}2': a * a})}.",
            f"The middle terms {_linear(x, a * b, 0)} and {_linear(x, -a * b, 0)} vanish.",
            f"Last times last: {times(b, -b)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        one=one,
        two=two,
    )


def difference_of_sums(random: Random) -> Told:
    x = random.choice(_LETTERS)
    a, b, c, d, e, f = (_nonzero(random, -9, 9) for _ in range(6))
    one, two = _square(x, a, b, c), _square(x, d, e, f)
    answer = _square(x, a - d, b - e, c - f)
    return tell(
        random,
        "difference_of_sums",
        f"({one}) - ({two}).",
        "the difference without brackets.",
        [f"{x}^2: {minus(a, d)}.", f"{x}: {minus(b, e)}.", f"Numbers: {minus(c, f)}.", f"Result: {answer}."],
        _expression(answer),
        one=one,
        two=two,
    )


def powers_of_product(random: Random) -> Told:
    x = random.choice(_LETTERS)
    a, b, n, m = random.randint(2, 5), random.randint(2, 9), random.randint(2, 3), random.randint(1, 3)
    power = random.choice((2, 3)) if a < 4 else 2
    text = f"({a}{x}^{n})^{power} · {b}{x}{f'^{m}' if m > 1 else ''}"
    answer = f"{a**power * b}{x}^{n * power + m}"
    return tell(
        random,
        "powers_of_product",
        f"{text}.",
        f"one number and one power of {x}.",
        [
            f"The bracket, number: {' × '.join([str(a)] * power)} = {a**power}.",
            f"The bracket, exponent: {n} × {power} = {n * power}, so {a**power}{x}^{n * power}.",
            f"Numbers: {times(a**power, b)}.",
            f"Exponents: {plus(n * power, m)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        text=text,
        x=x,
    )


def take_out(random: Random) -> Told:
    x, k, a = random.choice(_LETTERS), random.randint(2, 9), random.randint(1, 9)
    b = _nonzero(random, -9, 9)
    while gcd(a, b) > 1:
        a, b = random.randint(1, 9), _nonzero(random, -9, 9)
    text, answer = terms(**{f"{x}2": k * a, x: k * b}), f"{k}{x}({_linear(x, a, b)})"
    return tell(
        random,
        "take_out",
        f"{text}.",
        "a product.",
        [
            f"{k * a} and {abs(k * b)} can both be divided by {k}, and both terms have {x}.",
            f"{k * a} ÷ {k} = {a}, so {_linear(x, a, 0)}.",
            f"{signed(k * b)} ÷ {k} = {b}.",
            f"Result: {answer}.",
        ],
        _expression(answer, "fully factored"),
        text=text,
    )


def _pairs(product: int) -> list[tuple[int, int]]:
    return [
        (sign * one, product // (sign * one))
        for one in range(1, abs(product) + 1)
        if product % one == 0
        for sign in (1, -1)
    ]


def find_two_numbers(p: int, q: int) -> list[str]:
    """The search for two numbers with a sum and a product, as steps."""
    tried = sorted({tuple(sorted(pair)) for pair in _pairs(p * q)}, key=lambda pair: (abs(sum(pair) - p - q), pair))[:3]
    shown = ", ".join(f"{signed(a)} + {signed(b)} = {a + b}" for a, b in reversed(tried))
    return [
        f"Two numbers with the product {p * q} and the sum {p + q}.",
        f"Try pairs with this product: {shown}.",
        f"They are {min(p, q)} and {max(p, q)}.",
    ]


def trinomial(random: Random) -> Told:
    x, p, q = random.choice(_LETTERS), _nonzero(random, -10, 10), _nonzero(random, -10, 10)
    while p + q == 0:
        q = _nonzero(random, -10, 10)
    text, answer = _square(x, 1, p + q, p * q), f"{_bracket(x, p)}{_bracket(x, q)}"
    return tell(
        random,
        "trinomial",
        f"{text}.",
        "a product of two brackets.",
        [*find_two_numbers(p, q), f"Result: {answer}."],
        _expression(answer, "factored"),
        text=text,
    )


def difference_of_squares(random: Random) -> Told:
    x, a, b = random.choice(_LETTERS), random.randint(1, 9), random.randint(2, 12)
    while gcd(a, b) > 1:
        a, b = random.randint(1, 9), random.randint(2, 12)
    text, answer = terms(**{f"{x}2": a * a, "one": -b * b}), f"{_bracket(x, b, a)}{_bracket(x, -b, a)}"
    return tell(
        random,
        "difference_of_squares",
        f"{text}.",
        "a product of two brackets.",
        [
            f"{a * a} is {a} × {a}, so the first square is that of {_linear(x, a, 0)}.",
            f"{b * b} is {b} × {b}, so the second square is that of {b}.",
            f"Sum times difference: {answer}.",
        ],
        _expression(answer, "factored"),
        text=text,
    )


def perfect_square(random: Random) -> Told:
    x, b = random.choice(_LETTERS), _nonzero(random, -12, 12)
    a = random.choice((1, 1, 2, 3))
    while gcd(a, b) > 1:
        b = _nonzero(random, -12, 12)
    text, answer = _square(x, a * a, 2 * a * b, b * b), f"{_bracket(x, b, a)}^2"
    return tell(
        random,
        "perfect_square",
        f"{text}.",
        "a squared bracket.",
        [
            f"{a * a} is {a} × {a} and {b * b} is {abs(b)} × {abs(b)}.",
            f"The middle is 2 × {a} × {signed(b)} = {2 * a * b}, which fits.",
            f"Result: {answer}.",
        ],
        _expression(answer, "factored"),
        text=text,
    )


def number_then_brackets(random: Random) -> Told:
    x, k, p, q = random.choice(_LETTERS), random.randint(2, 7), _nonzero(random, -8, 8), _nonzero(random, -8, 8)
    text, answer = _square(x, k, k * (p + q), k * p * q), f"{k}{_bracket(x, p)}{_bracket(x, q)}"
    inner = _square(x, 1, p + q, p * q)
    return tell(
        random,
        "number_then_brackets",
        f"{text}.",
        "a number times two brackets.",
        [f"All numbers can be divided by {k}: {k}({inner}).", *find_two_numbers(p, q), f"Result: {answer}."],
        _expression(answer, "fully factored"),
        text=text,
    )


def cancel_bracket(random: Random) -> Told:
    x, p, q = random.choice(_LETTERS), _nonzero(random, -9, 9), _nonzero(random, -9, 9)
    while abs(q) == abs(p):
        q = _nonzero(random, -9, 9)
    text = f"({_square(x, 1, p + q, p * q)}) / {_bracket(x, p)}"
    answer = _linear(x, 1, q)
    return tell(
        random,
        "cancel_bracket",
        f"{text}.",
        "the fraction without its denominator.",
        [
            "Factor the top.",
            *find_two_numbers(p, q),
            f"The top is {_bracket(x, p)}{_bracket(x, q)}.",
            f"Cancel {_bracket(x, p)}: {answer}.",
        ],
        _expression(answer),
        text=text,
    )


def around_rectangle(random: Random) -> Told:
    x = random.choice(("x", "n", "t"))
    a, b, c, d = random.randint(1, 6), _nonzero(random, -4, 9), random.randint(1, 5), random.randint(1, 9)
    long, wide = _linear(x, a, b), _linear(x, c, d)
    area = random.random() < 0.4
    if area:
        answer, what = _square(x, a * c, a * d + b * c, b * d), "area"
        steps = [
            f"Area is ({long})({wide}).",
            f"{times(a, c)}, so {terms(**{f'{x}2': a * c})}.",
            f"{x}: {signed(a)} × {d} + {signed(b)} × {c} = {a * d + b * c}.",
            f"{times(b, d)}.",
        ]
    else:
        answer, what = _linear(x, 2 * (a + c), 2 * (b + d)), "perimeter"
        steps = [
            f"Length and width: {x}: {plus(a, c)}, numbers: {plus(b, d)}, so {_linear(x, a + c, b + d)}.",
            f"Twice: {times(2, a + c)}, {times(2, b + d)}.",
        ]
    return tell(
        random,
        "around_rectangle",
        f"sides {long} and {wide}.",
        f"the {what}.",
        [*steps, f"Result: {answer}."],
        _expression(answer),
        long=long,
        wide=wide,
        what=what,
        x=x,
    )


def cost_of_order(random: Random) -> Told:
    each, fixed, off = random.randint(2, 15), random.randint(5, 60), random.randint(1, 9)
    letter = random.choice(("n", "k", "x"))
    thing = random.choice(("shirts", "plants", "posters", "lunch boxes"))
    answer = _linear(letter, each, fixed - each * off)
    return tell(
        random,
        "cost_of_order",
        f"{each} euros each, {off} free, {fixed} more.",
        f"the price with {letter}.",
        [
            f"To pay: {letter} - {off}.",
            f"{each}({letter} - {off}) is {_linear(letter, each, -each * off)}, because {times(each, off)}.",
            f"Numbers: {plus(-each * off, fixed)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        thing=thing,
        each=each,
        off=off,
        fixed=fixed,
        letter=letter,
    )


def rule_of_sequence(random: Random) -> Told:
    step, first = _nonzero(random, -9, 12), random.randint(-10, 30)
    shown = ", ".join(str(first + step * each) for each in range(5))
    answer = terms(n=step, one=first - step)
    return tell(
        random,
        "rule_of_sequence",
        f"{shown}, ...",
        "an expression in n.",
        [
            f"The step is {minus(first + step, first)}, so it begins with {terms(n=step)}.",
            f"For n = 1 that gives {step}, but the first term is {first}.",
            f"{minus(first, step)} must be added.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        shown=shown,
    )


def shifted_input(random: Random) -> Told:
    a, b, c, k = _nonzero(random, -4, 5), _nonzero(random, -9, 9), _nonzero(random, -9, 9), _nonzero(random, -6, 6)
    f, arg = terms(x2=a, x=b, one=c), terms(x=1, one=k)
    answer = terms(x2=a, x=2 * a * k + b, one=a * k * k + b * k + c)
    return tell(
        random,
        "shifted_input",
        f"{f}, with {arg} for x.",
        "the result without brackets.",
        [
            f"({arg})^2 = {terms(x2=1, x=2 * k, one=k * k)}.",
            f"Times {signed(a)}: {terms(x2=a, x=2 * a * k, one=a * k * k)}.",
            f"{signed(b)} times ({arg}): {terms(x=b, one=b * k)}.",
            f"x: {plus(2 * a * k, b)}.",
            f"Numbers: {plus(a * k * k, b * k, c)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        f=f,
        arg=arg,
    )


def words_to_symbols(random: Random) -> Told:
    a, b, c = random.randint(2, 9), random.randint(2, 20), random.randint(2, 6)
    x = random.choice(("n", "x", "y"))
    kind = random.randrange(3)
    if kind == 0:
        said, text, answer = (
            f"{a} times {x}, plus {b}, all multiplied by {c}",
            f"{c}({a}{x} + {b})",
            _linear(x, a * c, b * c),
        )
        steps = [f"{times(c, a)}.", f"{times(c, b)}."]
    elif kind == 1:
        said, text, answer = (
            f"{a} times the difference of {x} and {b}, minus {c}",
            f"{a}({x} - {b}) - {c}",
            _linear(x, a, -a * b - c),
        )
        steps = [f"{a} times {x} is {a}{x}, and {times(a, b)}.", f"{minus(-a * b, c)}."]
    else:
        said, text, answer = (
            f"the sum of {x}, {a} times {x} and {b}, minus twice {x}",
            f"{x} + {a}{x} + {b} - 2{x}",
            _linear(x, a - 1, b),
        )
        steps = [f"{x}: 1 + {a} - 2 = {a - 1}."]
    return tell(
        random,
        "words_to_symbols",
        f"{said}.",
        "an expression without brackets.",
        [f"In symbols: {text}.", *steps, f"Result: {answer}."],
        _expression(answer),
        said=said,
        x=x,
        text=text,
    )


def mean_of_terms(random: Random) -> Told:
    x, count = random.choice(("x", "t", "n")), random.choice((2, 3))
    factors, numbers = [random.randint(1, 9) for _ in range(count)], [_nonzero(random, -9, 9) for _ in range(count)]
    factors[0] += -sum(factors) % count
    numbers[0] += -sum(numbers) % count
    shown = " and ".join(_linear(x, a, b) for a, b in zip(factors, numbers, strict=True))
    answer = _linear(x, sum(factors) // count, sum(numbers) // count)
    who = names(random, 1)[0]
    return tell(
        random,
        "mean_of_terms",
        f"{shown}.",
        "their mean.",
        [
            f"{x}: {plus(*factors)}.",
            f"Numbers: {plus(*numbers)}.",
            f"Divide by {count}: {divided(sum(factors), count)}, {divided(sum(numbers), count)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        shown=shown,
        x=x,
        who=who,
        count=count,
        pairs=list(zip(factors, numbers, strict=True)),
    )


def two_letters(random: Random) -> Told:
    a, b, c, d = (_nonzero(random, -8, 8) for _ in range(4))
    k = random.choice((2, 3, 4, 5, -2, -3))
    one, two = terms(x=a, y=b), terms(x=c, y=d)
    text = f"{one} {'+' if k > 0 else '-'} {abs(k)}({two})"
    answer = terms(x=a + k * c, y=b + k * d)
    return tell(
        random,
        "two_letters",
        f"{text}.",
        "the same without brackets.",
        [
            f"{signed(k)} times ({two}) is {terms(x=k * c, y=k * d)}.",
            f"x: {plus(a, k * c)}.",
            f"y: {plus(b, k * d)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        text=text,
    )


def fraction_times_bracket(random: Random) -> Told:
    bottom, x = random.choice((2, 3, 4, 5)), random.choice(_LETTERS)
    a, b, c = bottom * _nonzero(random, -6, 6), bottom * _nonzero(random, -6, 6), _nonzero(random, -9, 9)
    text = f"({_linear(x, a, b)})/{bottom} {'+' if c > 0 else '-'} {terms(**{x: abs(c)})}"
    answer = _linear(x, a // bottom + c, b // bottom)
    return tell(
        random,
        "fraction_times_bracket",
        f"{text}.",
        "the same without a fraction.",
        [
            f"{divided(a, bottom)}, {divided(b, bottom)}, so the fraction is {_linear(x, a // bottom, b // bottom)}.",
            f"{x}: {plus(a // bottom, c)}.",
            f"Result: {answer}.",
        ],
        _expression(answer),
        text=text,
        bottom=bottom,
    )


EASY = [collect_squares, two_letters, words_to_symbols, take_out, mean_of_terms, around_rectangle]
MEDIUM = [
    two_products, bracket_times_bracket, sum_times_difference, difference_of_sums, trinomial, difference_of_squares,
    cost_of_order, rule_of_sequence, fraction_times_bracket,
]  # fmt: skip
HARD = [square_of_bracket, powers_of_product, perfect_square, number_then_brackets, cancel_bracket, shifted_input]
