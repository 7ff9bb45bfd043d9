"""Held out. A canal-boat kitchen: dishes, what goes into them, and prices, which a few things lack."""

from collections import Counter, defaultdict
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, ranked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, in_full, need

DISHES = [
    "lentil pot", "beet pie", "leek gratin", "bean hash", "mushroom roast", "pea fritters", "squash bake",
    "barley stew", "turnip mash", "chard rolls", "onion tart", "carrot loaf",
]  # fmt: skip
FOODS = [
    "lentils", "beetroot", "leeks", "beans", "mushrooms", "peas", "squash", "barley", "butter", "flour", "cream",
    "eggs", "thyme", "garlic", "cheddar", "walnuts",
]  # fmt: skip
COURSES = ["starter", "main", "supper"]


class Dish(NamedTuple):
    dish_code: int
    dish: str
    sitting: str
    serves: int


class Part(NamedTuple):
    line_no: int
    dish_code: int
    food: str
    grams: int


class Price(NamedTuple):
    food: str
    cents_per_kg: int | None
    grower: str


def rows(draw: Random) -> Rows:
    dishes = [Dish(71 + at, name, COURSES[at % 3], draw.randrange(2, 7)) for at, name in enumerate(DISHES)]
    unpriced = draw.sample(FOODS, 1)
    prices = [
        Price(
            food, None if food in unpriced else draw.randrange(120, 2400, 10), draw.choice(("Moss Farm", "Quern Hill"))
        )
        for food in FOODS
    ]
    parts: list[Part] = []
    for dish in dishes:
        foods = draw.sample(FOODS, draw.randrange(3, 8))
        parts += [Part(0, dish.dish_code, food, draw.randrange(20, 600, 10)) for food in foods]
        if draw.random() < 0.5:
            parts.append(Part(0, dish.dish_code, draw.choice(foods), draw.randrange(20, 200, 10)))
    return {
        "dishes": dishes,
        "parts": [each._replace(line_no=1 + at) for at, each in enumerate(parts)],
        "prices": prices,
    }


ALL = "parts JOIN dishes USING (dish_code) JOIN prices USING (food)"


def _parts(s: Look, dish: Dish) -> list[Part]:
    return [part for part in s["parts"] if part.dish_code == dish.dish_code]


def _costs(s: Look) -> dict[str, float]:
    """In cents, of the dishes all of whose foods have a price."""
    prices = {price.food: price.cents_per_kg for price in s["prices"]}
    found: dict[str, float] = {}
    for dish in s["dishes"]:
        if all(prices[part.food] is not None for part in _parts(s, dish)):
            found[dish.dish] = sum(part.grams * prices[part.food] for part in _parts(s, dish)) / 1000
    return found


def _cost(s: Look) -> str:
    return f"sum({s.num('grams')} * {s.num('cents_per_kg')}) / 1000.0"


def cost_of_dish(s: Look) -> Asked:
    costs, people = _costs(s), s.draw.choice((10, 12, 20, 24, 30, 40))
    need(costs)
    dish = s.pick(dish for dish in s["dishes"] if dish.dish in costs)
    return Asked(
        [
            f"We expect {people} people and cook {dish.dish} for them all. Ingredients in cents, scaled from the "
            f"{dish.serves} it serves as written? One digit behind the point.",
            f"Scale {dish.dish} (its grams feed {dish.serves}) up or down to feed {people}: bill for ingredients in "
            "cents, one digit behind the point.",
            f"Cents needed for the ingredients of {dish.dish} when {people} are to be fed rather than {dish.serves}; "
            "everything grows in proportion, and one digit behind the point will do.",
        ],
        rounded(costs[dish.dish] * people / dish.serves, 1),
        f"SELECT {_cost(s)} * {people} / {dish.serves} FROM {ALL} WHERE dish = '{dish.dish}'",
        places=1,
    )


def free_from(s: Look) -> Asked:
    food, other = s.two(FOODS)
    banned = {part.dish_code for part in s["parts"] if part.food in (food, other)}
    sitting = s.pick(COURSES)
    found = [dish.dish for dish in s["dishes"] if dish.dish_code not in banned and dish.sitting == sitting]
    need(1 <= len(found) <= 3)
    return Asked(
        [
            f"A guest tolerates neither {food} nor {other}. What can we offer as a {sitting}? Every dish that is free "
            "of both, sequence irrelevant.",
            f"{sitting.capitalize()} dishes containing no {food} and no {other} whatsoever, sorted as you like?",
            f"Without {food}, without {other}: go through each {sitting} and tell me those that qualify, sorted as "
            "you like.",
        ],
        found,
        f"SELECT dish FROM dishes WHERE sitting = '{sitting}' AND dish_code NOT IN (SELECT dish_code FROM parts WHERE "
        f"food IN ('{food}', '{other}'))",
        ordered=False,
    )


def dearest_portion(s: Look) -> Asked:
    serves = {dish.dish: dish.serves for dish in s["dishes"]}
    sitting, least = s.pick(COURSES), s.draw.choice((True, False))
    kinds = {dish.dish: dish.sitting for dish in s["dishes"]}
    portions = {dish: cost / serves[dish] for dish, cost in _costs(s).items() if kinds[dish] != sitting}
    need(len(portions) > 2)
    lead = "cheapest" if least else "dearest"
    return Asked(
        [
            f"Name the two most {'economical' if least else 'expensive'} dishes by ingredients per person served, "
            f"{lead} leading. No {sitting} dishes, and none that contain anything without a price.",
            f"Per head, which pair of dishes is the {lead}? Cost of ingredients divided by serves, {lead} leading; "
            f"disregard every {sitting} and whatever cannot be priced completely.",
            f"Ingredients per person: {lead} dish, then the runner-up, with each {sitting} set aside along with "
            "dishes that use an unpriced food.",
        ],
        ranked(portions, 2, least),
        f"SELECT dish FROM {ALL} WHERE sitting <> '{sitting}' AND dish_code NOT IN (SELECT dish_code FROM parts JOIN "
        f"prices USING (food) WHERE {s.unknown('cents_per_kg')}) GROUP BY dish, {s.num('serves')} ORDER BY {_cost(s)} "
        f"/ {s.num('serves')} {'' if least else 'DESC '}LIMIT 2",
    )


def listed_twice(s: Look) -> Asked:
    sitting, other = s.two(COURSES)
    kinds = {dish.dish_code: dish.sitting for dish in s["dishes"]}
    counts = Counter((part.dish_code, part.food) for part in s["parts"] if kinds[part.dish_code] in (sitting, other))
    names = {dish.dish_code: dish.dish for dish in s["dishes"]}
    found = sorted({names[code] for (code, _), num in counts.items() if num > 1})
    need(1 <= len(found) <= 6)
    return Asked(
        [
            f"Recipes should mention a food just once. Which {sitting} and {other} dishes mention one repeatedly? "
            "Sequence irrelevant.",
            f"Among {sitting} and {other} dishes, find those having a food on two lines (grams may differ), sorted as "
            "you like.",
            f"Proofreading {sitting} and {other} recipes: what dishes contain the same food on more lines than one? "
            "Sorted as you like.",
        ],
        found,
        "SELECT DISTINCT dish FROM (SELECT dish FROM parts JOIN dishes USING (dish_code) WHERE sitting IN "
        f"('{sitting}', '{other}') GROUP BY dish, food HAVING count(*) > 1) AS t",
        ordered=False,
    )


def cannot_be_priced(s: Look) -> Asked:
    grams = s.draw.randrange(30, 400, 10)
    prices = {price.food: price.cents_per_kg for price in s["prices"]}
    used = {part.dish_code for part in s["parts"] if prices[part.food] is None and part.grams >= grams}
    need(1 <= len(used) <= 8)
    return Asked(
        [
            f"How many dishes contain {grams} g or more, on one line, of something whose price we do not know?",
            f"A gap among the prices is a nuisance. Number of dishes with a line of {grams} grams upward for a food "
            "that has none?",
            f"The grocer forgot a price. Dishes where one line puts in no less than {grams} grams of an unpriced "
            "food: how many?",
        ],
        len(used),
        f"SELECT count(DISTINCT dish_code) FROM {ALL} WHERE {s.unknown('cents_per_kg')} AND {s.num('grams')} >= "
        f"{grams}",
        look=("prices", "cents_per_kg"),
    )


def one_food_rules(s: Look) -> Asked:
    share = s.draw.choice((30, 35, 40, 45, 50))
    sitting = s.pick(COURSES)
    found: list[str] = []
    for dish in s["dishes"]:
        weights: Counter[str] = Counter()
        for part in _parts(s, dish):
            weights[part.food] += part.grams
        if dish.sitting == sitting and 100 * max(weights.values()) > share * sum(weights.values()):
            found.append(dish.dish)
    need(1 <= len(found) <= 3)
    return Asked(
        [
            f"Lopsided recipes: each {sitting} in which a single food, all its lines together, weighs over {share}% "
            "of the dish. Sequence irrelevant.",
            f"In what {sitting} dishes does one food outweigh {share} percent of total grams (lines of a food being "
            "pooled)? Sorted as you like.",
            f"Find any {sitting} that is mostly one thing, I mean a food with upward of {share} percent of its weight "
            "once lines of that food are pooled; sequence irrelevant. Exactly that share is not enough.",
        ],
        found,
        f"WITH f AS (SELECT dish, food, sum({s.num('grams')}) AS g FROM parts JOIN dishes USING (dish_code) WHERE "
        f"sitting = '{sitting}' GROUP BY 1, 2) SELECT dish FROM f GROUP BY 1 HAVING 100 * max(g) > {share} * sum(g)",
        ordered=False,
    )


def grower_bars(s: Look) -> Asked:
    grower, sitting = s.pick(price.grower for price in s["prices"]), s.pick(COURSES)
    foods = {price.food for price in s["prices"] if price.grower == grower}
    kinds = {dish.dish_code: dish.sitting for dish in s["dishes"]}
    grams: defaultdict[str, int] = defaultdict(int)
    for part in s["parts"]:
        if part.food in foods and kinds[part.dish_code] != sitting:
            grams[part.food] += part.grams
    need(len(grams) > 3)
    order = in_full(dict(grams))[:4]
    return Asked(
        [
            f"What should {grower} bring? Four bars, heaviest leftmost: grams of its foods summed over all dishes "
            f"save {sitting} ones. Reply with the leftmost food.",
            f"Plot, as bars going down, the four foods of {grower} needed most by weight in recipes other than "
            f"{sitting} ones. Which tops the four?",
            f"{grower} delivers several foods; show by bars (largest leftmost, just four) how many grams our "
            f"non-{sitting} dishes use of each. And the leader is?",
        ],
        best(dict(grams)),
        f"SELECT food, sum({s.num('grams')}) AS g FROM {ALL} WHERE grower = '{grower}' AND sitting <> '{sitting}' "
        "GROUP BY 1 ORDER BY 2 DESC LIMIT 4",
        chart={"kind": "bar", "points": [[food, grams[food]] for food in order]},
    )


WORLD = World(
    "kitchen", "the recipe box of a canal-boat kitchen", rows,
    {
        "joins": [cost_of_dish], "filters": [free_from], "top": [dearest_portion], "duplicates": [listed_twice],
        "missing": [cannot_be_priced], "outliers": [one_food_rules], "charts": [grower_bars],
    },
)  # fmt: skip
