"""A second computation of every answer of `math?train=worked`, from what the question says.

It shares no code with the families. It tries numbers where the solution calculates, and calculates where the solution tries.
"""

import datetime
import statistics
from collections.abc import Callable, Iterable
from fractions import Fraction as F
from itertools import combinations, count, permutations
from math import ceil, dist, floor, gcd, isqrt, lcm, perm, prod
from types import SimpleNamespace as Slots
from typing import Any

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = [datetime.date(2024, month, 1).strftime("%B") for month in range(1, 13)]


def only(values: Iterable[Any]) -> Any:
    """The one value that fits."""
    found = list(values)
    assert len(found) == 1, found
    return found[0]


def sign(value: bool) -> int:
    return 1 if value else -1


def best(table: dict[str, Any], low: bool) -> str:
    chosen = min(table.values()) if low else max(table.values())
    return only([name for name, value in table.items() if value == chosen])


def departure(s: Slots) -> int:
    return next(moment for moment in count(s.start + s.ride + s.change) if moment % 60 in s.offsets)


def caught(s: Slots) -> F:
    return F(s.second) + F(s.slow * (s.second - s.start), s.faster - s.slow)


def culprit(s: Slots) -> str:
    def truths(guilty: int) -> int:
        return sum((target == guilty) is not denied for target, denied in zip(s.targets, s.denies, strict=True))

    return only([s.who[guilty] for guilty in range(3) if truths(guilty) == s.number])


def in_order(s: Slots) -> str:
    """Reads the facts again, as text."""
    words = {
        "older": 1,
        "faster": 1,
        "heavier": 1,
        "richer": 1,
        "younger": -1,
        "slower": -1,
        "lighter": -1,
        "poorer": -1,
    }
    facts = [fact.split() for fact in s.said]
    people = sorted({fact[0] for fact in facts} | {fact[-1] for fact in facts})

    def fits(order: tuple[str, ...]) -> bool:
        return all((order.index(fact[-1]) - order.index(fact[0])) * words[fact[2]] > 0 for fact in facts)

    return only([order[s.place] for order in permutations(people) if fits(order)])


def seat(s: Slots) -> str:
    def fits(row: tuple[str, ...]) -> bool:
        for fact in s.facts:
            words = fact.split()
            if words[-1] == "end":
                right = row[0 if words[-2] == "left" else -1] == words[0]
            elif words[2] == "directly":
                right = f"{words[0]} {words[-1]}" in " ".join(row)
            else:
                right = abs(row.index(words[0]) - row.index(words[-1])) != 1
            if not right:
                return False
        return True

    return only(
        {row[["first", "second", "third", "fourth"].index(s.where)] for row in permutations(s.who) if fits(row)}
    )


def shares(s: Slots) -> F:
    parts = {s.one: s.a, s.two: s.b, s.three: s.c}
    return F(s.total) * parts[s.asked] / sum(parts.values())


def months(s: Slots) -> str:
    start = datetime.date(1990, MONTHS.index(s.start) + 1, 1)
    total = start.year * 12 + start.month - 1 + sign(not s.back) * s.count
    return MONTHS[total % 12]


def weekday(s: Slots) -> str:
    day = datetime.date(2024, 1, 1 + DAYS.index(s.start)) + datetime.timedelta(days=sign(s.word == "after") * s.days)
    return DAYS[day.weekday()]


def facing(s: Slots) -> str:
    angle = {"north": 0, "east": 90, "south": 180, "west": 270}[s.start] + sum(90 * move for move in s.moves)
    return {0: "north", 90: "east", 180: "south", 270: "west"}[angle % 360]


def parabola(s: Slots) -> str:
    y = s.given.partition("= ")[2]
    return {"up": f"y = {y} + {s.k}", "down": f"y = {y} - {s.k}", "flip": f"-y = {y}"}.get(
        s.kind, f"y = {y.replace('x', '(-x)')}"
    )


def moved_line(s: Slots) -> str:
    y = s.given.partition("= ")[2]
    inner = {"left": f"(x + {s.k})", "right": f"(x - {s.k})", "mirror": "(-x)"}.get(s.kind, "x")
    return f"y {'+' if s.kind == 'down' else '- 0 *'} {s.k} = {y.replace('x', inner)}"


def line_through(x: F, y: F, slope: F) -> str:
    return f"y - ({y}) = ({slope})(x - ({x}))"


def consecutive(s: Slots) -> int:
    step = 1 if s.word == "whole" else 2
    rows = ([first + step * each for each in range(s.count)] for first in range(s.total))
    row = only([row for row in rows if sum(row) == s.total and (s.word == "whole" or row[0] % 2 == (s.word == "odd"))])
    return row[0] if s.which == "smallest" else row[-1]


def grown(s: Slots) -> F:
    return F(s.base) * (1 + sign(not s.down) * F(s.rate, 100)) ** s.years


def both_changes(s: Slots) -> F:
    return abs((1 + sign(s.up) * F(s.one, 100)) * (1 - sign(s.down) * F(s.two, 100)) - 1) * 100


def likely(s: Slots) -> F:
    return F(sum(s.counts[kind] for kind in s.wanted.split(" or ")), sum(s.counts.values()))


def two_drawn(s: Slots) -> F:
    pairs = list(combinations([True] * s.one + [False] * s.two, 2))
    return F(sum(all(pair) for pair in pairs), len(pairs))


def fraction_sum(s: Slots) -> F:
    return F(s.a, s.b) + sign(s.op == "+") * F(s.c, s.d)


CLOCKS: dict[str, Callable[[Slots], Any]] = {
    "shift_end": lambda s: s.start + s.work + s.rest,
    "two_programmes": lambda s: s.start + s.one + s.two,
    "started_when": lambda s: s.end - s.length,
    "morning_routine": lambda s: s.leave - s.wash - s.eat - s.pack,
    "lessons": lambda s: s.start + s.count * (s.each + s.pause) - s.pause,
    "delayed": lambda s: s.plan + s.late + s.ride,
    "ready_plates": lambda s: s.end - s.extra - s.count * s.each,
    "laps": lambda s: s.start + sum([s.each] * s.count),
    "walking_pace": lambda s: s.start + F(s.way) / s.speed * 60,
    "download": lambda s: s.start + F(s.size - s.done, s.rate),
    "next_departure": lambda s: next(moment for moment in count(s.first, s.every) if moment >= s.arrive),
    "connection": departure,
    "call_abroad": lambda s: s.start + s.length + sign("ahead" in s.relation) * s.ahead * 60,
    "parking_meter": lambda s: s.start + F(s.shown[1:]) * 100 / s.each * s.per,
    "battery": lambda s: s.start + len(range(s.low, s.level)) * s.per,
    "catching_up": caught,
    "two_taps": lambda s: s.start + F(s.size, s.one + s.two - s.out),
    "moves_each_day": lambda s: s.start + sign(s.word == "later") * s.days * s.shift,
    "waiting_room": lambda s: s.start + s.ahead // s.desks * s.each,
    "longer_of_two": lambda s: max(s.start + s.one, s.start + s.head + s.two),
}
NUMBERS: dict[str, Callable[[Slots], Any]] = {
    "stockroom": lambda s: s.boxes * s.each + s.loose - s.sold,
    "split_bill": lambda s: F(s.bill + s.tip, 100 * s.people),
    "two_kinds_of_goods": lambda s: F(s.note - s.a * s.p - s.b * s.q, 100),
    "same_sides": lambda s: F(
        s.around, {"triangle": 3, "square": 4, "pentagon": 5, "hexagon": 6, "octagon": 8}[s.word]
    ),
    "part_used": lambda s: s.whole * (1 - F(s.top, s.bottom)),
    "glasses": lambda s: F(s.litres) * 1000 / s.small,
    "days_and_hours": lambda s: (
        datetime.timedelta(weeks=s.weeks, days=s.days, hours=s.hours) // datetime.timedelta(hours=1)
    ),
    "times_as_many": lambda s: s.few * (s.factor + 1) + s.extra,
    "entry_money": lambda s: s.adults * s.full + s.children * s.reduced,
    "buses_needed": lambda s: ceil(F(s.people, s.room)),
    "mean_of": lambda s: statistics.mean(map(F, s.values)),
    "fourth_angle": lambda s: 360 - s.one - s.two - s.three,
    "rectangle_or_triangle": lambda s: F(s.long * s.wide, 2 if s.shape == "triangle" else 1),
    "order_of_operations": lambda s: F(eval(s.text.replace("×", "*").replace("÷", "//"))),
    "lift_floors": lambda s: s.start + sum(s.moves),
    "sum_of_fractions": fraction_sum,
    "common_measure": lambda s: gcd(s.a, s.b),
    "common_multiple": lambda s: lcm(s.a, s.b),
    "how_much_longer": lambda s: F(s.shown.removesuffix(" m")) * 100 - s.low,
    "weekly_steps": lambda s: sum([s.work] * 5 + [s.free] * 2),
    "trees_in_a_row": lambda s: len(range(0, s.long + 1, s.gap)) * (2 if "both" in s.where else 1),
    "think_of_a_number": lambda s: F(s.result + sign(s.minus) * s.b, s.a),
    "sale_price": lambda s: s.price * (1 - F(s.off, 100)) + s.ship,
    "with_tax": lambda s: s.count * s.price * (1 + F(s.rate, 100)),
    "what_percent": lambda s: 100 * F(s.base - s.part if s.word.startswith("not ") else s.part, s.base),
    "price_before": lambda s: F(s.shown) / (1 - F(s.off, 100)),
    "raise_in_percent": lambda s: 100 * abs(F(s.new, s.base) - 1),
    "share_in_ratio": shares,
    "ratio_and_difference": lambda s: only([k * (s.a + s.b) for k in range(1, 200) if k * (s.b - s.a) == s.gap]),
    "by_the_piece": lambda s: F(s.price, 100) / s.have * s.want,
    "supplies_last": lambda s: F(s.people * s.days, s.others),
    "speed_from_minutes": lambda s: s.way / F(s.time, 60),
    "fuel": lambda s: F(s.way * s.per * s.shown, 10_000),
    "new_mean": lambda s: (s.count + 1) * s.new - s.count * s.mean,
    "exchange": lambda s: F(s.have, s.rate) - s.fee if s.back else (s.have - s.fee) * s.rate,
    "box_of_cubes": lambda s: F(s.a * s.b * s.c, s.edge**3),
    "l_shape": lambda s: (s.a - s.c) * s.b + s.c * (s.b - s.d),
    "trapezium": lambda s: F(s.a + s.b, 2) * s.h,
    "draw_one": likely,
    "choices": lambda s: prod((s.a, s.b, s.c + s.skip)),
    "simple_interest": lambda s: s.capital * (1 + F(s.rate * s.years, 100)),
    "sequence_term": lambda s: range(s.first, s.first + 1000 * s.step, s.step)[s.place - 1],
    "budget": lambda s: floor(F(s.h - s.q, s.p)),
    "filling_time": lambda s: F(s.size, s.rate) if s.ask else s.time * s.rate,
    "profit": lambda s: s.count * (s.sell - s.buy) - s.lost * s.sell,
    "middle_value": lambda s: (
        statistics.median(map(F, s.values)) if s.what == "median" else max(s.values) - min(s.values)
    ),
    "ages_by_factor": lambda s: only(
        [age for age in range(1, 99) if age * (s.factor + 1) + 2 * sign(not s.back) * s.years == s.total]
    ),
    "heads_and_legs": lambda s: only(
        [many for many in range(s.heads) if s.more * many + s.legs * (s.heads - many) == s.total]
    ),
    "dilute": lambda s: F(s.strong * s.litres, s.weak) - s.litres,
    "whole_trip": lambda s: statistics.mean([F(s.first)] * s.h1 + [F(s.second)] * s.h2),
    "together": lambda s: 1 / (F(1, s.a) + F(1, s.b)),
    "consecutive": consecutive,
    "two_changes": both_changes,
    "growth": grown,
    "in_both": lambda s: s.a + s.b + s.none - s.total if s.ask == "both" else s.total - s.none - s.b,
    "what_was_there": lambda s: s.end / (1 - F(1, s.b1)) / (1 - F(1, s.b2)),
    "right_angle": lambda s: isqrt(s.a**2 + s.b**2) if s.long else isqrt(s.c**2 - s.a**2),
    "similar": lambda s: F(s.big * s.other, s.small),
    "box_surface": lambda s: 2 * (s.a + s.b) * s.c + s.a * s.b * (1 if "without" in s.lid else 2),
    "draw_two": two_drawn,
    "committees": lambda s: (
        perm(s.people, s.chosen) if s.ordered else len(list(combinations(range(s.people), s.chosen)))
    ),
    "sum_of_series": lambda s: sum(s.first + s.step * day for day in range(s.count)),
    "weighted_mean": lambda s: F(s.a * s.p + s.b * s.q, s.a + s.b),
    "times_and_difference": lambda s: only(
        [s.factor * n for n in range(1, 999) if s.factor * n + sign(s.said == "sum") * n == s.value]
    ),
    "same_cost": lambda s: only([n for n in range(999) if s.high + s.a * n == s.base + s.b * n]),
    "value_of_formula": lambda s: (s.a * s.x + s.b) * s.x + s.c,
    "distance_in_plane": lambda s: round(dist((s.x, s.y), (s.u, s.v)), 9),
    "rounded_share": lambda s: F(f"{s.total / s.people:.2f}"),
    "three_sums": lambda s: F(s.ab + s.bc - s.ac, 2),
}
OPTIONS: dict[str, Callable[[Slots], Any]] = {
    "chain_of_four": in_order,
    "best_offer": lambda s: best(
        {shop: F(price, size) for shop, size, price in zip(s.shops, s.sizes, s.prices, strict=True)}, not s.dear
    ),
    "who_is_faster": lambda s: best(
        {who: F(way, hours) for who, way, hours in zip(s.who, s.ways, s.hours, strict=True)}, s.slow
    ),
    "mixed_forms": lambda s: best(
        {who: F(form.removesuffix("%")) / (100 if "%" in form else 1) for who, form in s.forms.items()}, s.small
    ),
    "weekday_after": weekday,
    "month_after": months,
    "not_divisible": lambda s: str(only([value for value in s.values if value % s.base])),
    "repeating_pattern": lambda s: (s.pattern * s.place)[s.place - 1],
    "largest_container": lambda s: best(dict(zip(s.things, s.values, strict=True)), s.low),
    "one_liar": culprit,
    "turns": facing,
    "highest_total": lambda s: best(
        {who: sum(points) for who, points in zip(s.who, s.rounds, strict=True)}, s.place == "fewest"
    ),
    "cheaper_plan": lambda s: best(
        {plan: fixed + each * s.count for plan, fixed, each in zip(s.plans, s.fixed, s.each, strict=True)}, True
    ),
    "which_is_prime": lambda s: str(only([n for n in s.values if all(n % each for each in range(2, n))])),
    "row_of_seats": seat,
    "first_to_arrive": lambda s: best(
        {who: start + need for who, start, need in zip(s.who, s.starts, s.needs, strict=True)}, not s.last
    ),
    "biggest_fraction": lambda s: best(dict(zip(s.who, s.parts, strict=True)), s.least),
}
EXPRESSIONS: dict[str, Callable[[Slots], str]] = {
    "sum_times_difference": lambda s: f"{s.one}{s.two}",
    "difference_of_sums": lambda s: f"({s.one}) - ({s.two})",
    "around_rectangle": lambda s: f"({s.long})({s.wide})" if s.what == "area" else f"2({s.long}) + 2({s.wide})",
    "cost_of_order": lambda s: f"{s.each}({s.letter} - {s.off}) + {s.fixed}",
    "shifted_input": lambda s: s.f.replace("x", f"({s.arg})"),
    "mean_of_terms": lambda s: f"({' + '.join(f'({part})' for part in s.shown.split(' and '))})/{s.count}",
}
"""Other families have the expression in the slot `text`."""
EQUATIONS: dict[str, Callable[[Slots], str]] = {
    "slope_and_intercept": lambda s: line_through(F(0), F(s.c), F(s.m)),
    "gradient_and_point": lambda s: line_through(F(s.x), F(s.y), F(s.m)),
    "through_both": lambda s: line_through(F(s.u), F(s.v), F(s.v - s.y, s.u - s.x)),
    "parallel_or_upright": lambda s: line_through(F(s.x), F(s.y), F(-1, s.m) if s.upright else F(s.m)),
    "cost_formula": lambda s: f"{s.out} - {s.fixed} = {s.each}{s.letter}",
    "rearrange": lambda s: s.formula,
    "rearrange_numbers": lambda s: s.formula,
    "table_to_line": lambda s: line_through(F(0), F(s.c), F(s.m)),
    "proportion_law": lambda s: f"xy = {s.x * s.y}" if s.inverse else f"{s.x}y = {s.y}x",
    "shifted_line": moved_line,
    "words_to_equation": lambda s: (
        f"{s.a}x - y = {s.b}", f"{s.a}y - x = {s.b}", f"{s.a}y = {s.b} - x", f"y - {s.a}x = {s.a * s.b}",
    )[s.kind],
    "parabola_from_zeros": lambda s: f"y = (x - ({s.p}))(x - ({s.q}))",
    "parabola_from_vertex": lambda s: f"y - ({s.k}) = ({s.a})(x - ({s.h}))^2",
    "circle_equation": lambda s: f"(x - ({s.x}))^2 + (y - ({s.y}))^2 = {(s.size if s.said == 'radius' else s.size // 2) ** 2}",
    "even_change": lambda s: f"({s.t2} - {s.t1})({s.out} - {s.a}) = ({s.b} - {s.a})(t - {s.t1})",
    "mirrored_parabola": parabola,
}  # fmt: skip
SYSTEMS: dict[str, Callable[[Slots], tuple[str, ...]]] = {
    "two_prices": lambda s: (f"{s.a}x + {s.b}y = {s.s}", f"{s.c}x + {s.kb}y = {s.t}"),
    "sum_and_multiple": lambda s: (f"x + y = {s.total}", f"y = {s.k}x + {s.extra}"),
    "area_gives_side": lambda s: (f"x(x + {s.k}) = {s.area}",),
}
"""The equations of a story. Other families have them in the slots `equation`, or `one` and `two`."""
