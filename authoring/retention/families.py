"""The questions of `retention`. Each function is a family.

A function draws words and returns the question with its rule (see `rules`) and its answer. Wrong answers occur in the question
as often as the right one, so that repeating a word of the question does not help.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from authoring.vocabulary import WEEKDAYS
from verigym.core.records import Json

Question = tuple[str, Json]
"""Prompt and data of a task."""
Family = Callable[[Random], Question]

NAMES = [
    "Ada", "Bruno", "Carla", "Dimitri", "Edith", "Farid", "Gloria", "Henrik", "Isla", "Joel", "Katya", "Louis", "Marta",
    "Nils", "Olive", "Pablo", "Rita", "Stefan", "Tara", "Umar", "Vera", "Wendel",
]  # fmt: skip
WORDS = [
    "anchor", "basket", "candle", "drum", "engine", "feather", "garden", "hammer", "island", "jacket", "kettle",
    "lantern", "mirror", "needle", "orchard", "pillow", "ribbon", "saddle", "tunnel", "violin", "window",
]  # fmt: skip
COLOURS = ["red", "green", "blue", "yellow", "black", "white", "brown", "purple"]


def _number(prompt: str, answer: int) -> Question:
    return prompt, {"rule": "number", "answer": answer}


def _options(prompt: str, answer: str, *others: str) -> Question:
    return prompt, {"rule": "options", "answer": answer, "others": list(others)}


def _yes_no(prompt: str, yes: bool) -> Question:
    return _options(f"{prompt} Answer yes or no.", *(("yes", "no") if yes else ("no", "yes")))


def _text(prompt: str, answer: str, rule: str = "words") -> Question:
    return prompt, {"rule": rule, "answer": answer}


def _things(prompt: str, answer: list[str], **data: Any) -> Question:
    return prompt, {"rule": "lines" if "begin" in data else "commas", "answer": answer, **data}


# -- instruction -------------------------------------------------------------------------------------------------------

OPPOSITES = [
    ("hot", "cold"), ("big", "small"), ("up", "down"), ("wet", "dry"), ("full", "empty"), ("early", "late"),
    ("open", "closed"), ("light", "dark"),
]  # fmt: skip
LOOKS = [
    ("fresh snow", "white"), ("grass", "green"), ("a ripe banana", "yellow"), ("coal", "black"), ("a clear sky", "blue"),
    ("a ripe strawberry", "red"), ("chocolate", "brown"),
]  # fmt: skip
SENTENCES = [
    "The kettle is on the stove.", "My boots are still wet.", "We sold the old piano.", "Nobody saw the last train.",
    "The soup needs more salt.", "Her garden is full of bees.", "They painted the door twice.",
]  # fmt: skip
CAPITALS = [
    ("France", "Paris"), ("Italy", "Rome"), ("Spain", "Madrid"), ("Japan", "Tokyo"), ("Germany", "Berlin"),
    ("Egypt", "Cairo"), ("Greece", "Athens"),
]  # fmt: skip
SMALL, LARGE = ["mouse", "spoon", "pea", "button", "bee"], ["house", "whale", "mountain", "train", "castle"]
YOUNG = [("dog", "puppy"), ("cat", "kitten"), ("cow", "calf"), ("sheep", "lamb"), ("horse", "foal")]
ENDS = [
    ("Bees make", "honey"), ("Fish swim in the", "water"), ("We read a", "book"), ("At night we see the moon and the", "stars"),
    ("A baker bakes", "bread"), ("Hens lay", "eggs"),
]  # fmt: skip


def _one_of(prompt: str, answer: str, pairs: list[tuple[str, str]]) -> Question:
    """Ask for the second item of a pair. The second items of the other pairs are the wrong options."""
    return _options(prompt, answer, *(other for _, other in pairs if other != answer))


def opposite(draw: Random) -> Question:
    word, other = draw.choice(OPPOSITES)
    return _one_of(f'Answer with one word: what is the opposite of "{word}"?', other, OPPOSITES)


def colour(draw: Random) -> Question:
    thing, answer = draw.choice(LOOKS)
    return _one_of(f"What colour is {thing}? Answer with one word.", answer, LOOKS)


def capital(draw: Random) -> Question:
    country, answer = draw.choice(CAPITALS)
    return _one_of(f"Which city is the capital of {country}?", answer, CAPITALS)


def young(draw: Random) -> Question:
    animal, answer = draw.choice(YOUNG)
    return _one_of(f"What do we call a young {animal}?", answer, YOUNG)


def finish(draw: Random) -> Question:
    begin, answer = draw.choice(ENDS)
    return _one_of(f"Finish this sentence with one word: {begin}", answer, ENDS)


def copy(draw: Random) -> Question:
    sentence = draw.choice(SENTENCES)
    return _text(f"Repeat this sentence exactly: {sentence}", sentence)


def copy_words(draw: Random) -> Question:
    words = " ".join(draw.sample(WORDS, 3))
    return _text(f"Say these words back to me, in the same order: {words}", words)


def day_after(draw: Random) -> Question:
    place = draw.randrange(7)
    answer = WEEKDAYS[(place + 1) % 7]
    return _options(
        f"Which day of the week comes right after {WEEKDAYS[place]}? Name that day only.",
        answer,
        *(day for day in WEEKDAYS if day not in (answer, WEEKDAYS[place])),
    )


def bigger(draw: Random) -> Question:
    small, large = draw.choice(SMALL), draw.choice(LARGE)
    first, second = draw.sample([small, large], 2)
    return _options(f"Which one is bigger, a {first} or a {second}? Name it, without a reason.", large, small)


def first_letter(draw: Random) -> Question:
    word = draw.choice([word for word in WORDS if word[0] not in "ai"])  # a and I are words themselves
    others = sorted({other[0] for other in WORDS} - {word[0], "a", "i"})
    return _options(f'With which letter does the word "{word}" begin?', word[0], *others)


def sentence_with(draw: Random) -> Question:
    word = draw.choice(WORDS)
    return _text(f'Write one short sentence in which the word "{word}" appears.', word, "sentence")


def greet(draw: Random) -> Question:
    name = draw.choice(NAMES)
    return _text(f"Wish {name} a happy birthday, in one short sentence.", name.casefold(), "sentence")


# -- arithmetic --------------------------------------------------------------------------------------------------------


def add_small(draw: Random) -> Question:
    a, b = draw.randint(2, 9), draw.randint(2, 9)
    return _number(f"What is {a} + {b}?", a + b)


def add_tens(draw: Random) -> Question:
    a, b = 10 * draw.randint(1, 6), 10 * draw.randint(1, 3)
    return _number(f"Calculate {a} + {b}. Give the number only.", a + b)


def add_one(draw: Random) -> Question:
    a = draw.randint(11, 98)
    return _number(f"What is {a} plus 1?", a + 1)


def take_away(draw: Random) -> Question:
    b = draw.randint(1, 4)
    a = 2 * b + draw.randint(1, 5)  # so that the answer is not b itself
    return _number(f"What is {a} - {b}?", a - b)


def multiply(draw: Random) -> Question:
    a, b = draw.randint(2, 6), draw.randint(2, 6)
    return _number(f"What is {a} times {b}?", a * b)


def times_ten(draw: Random) -> Question:
    a = draw.randint(3, 25)
    return _number(f"Multiply {a} by 10.", 10 * a)


def double(draw: Random) -> Question:
    a = draw.randint(6, 30)
    return _number(f"What number do you get when you double {a}?", 2 * a)


def half(draw: Random) -> Question:
    a = draw.randint(3, 25)
    return _number(f"What is half of {2 * a}?", a)


def get_more(draw: Random) -> Question:
    name, a, b = draw.choice(NAMES), draw.randint(2, 9), draw.randint(2, 9)
    return _number(f"{name} has {a} stamps and buys {b} more. How many stamps are there in all?", a + b)


def add_three(draw: Random) -> Question:
    a, b, c = (draw.randint(1, 5) for _ in range(3))
    return _number(f"Calculate {a} + {b} + {c}.", a + b + c)


def tickets(draw: Random) -> Question:
    price, count = draw.randint(2, 9), draw.randint(2, 6)
    return _number(f"One ticket costs {price} euros. What do {count} tickets cost together, in euros?", price * count)


def next_number(draw: Random) -> Question:
    a = draw.randint(3, 60)
    return _number(f"Which whole number comes right after {a}?", a + 1)


# -- reading -----------------------------------------------------------------------------------------------------------

PLACES = ["drawer", "cellar", "cupboard", "kitchen", "attic", "garage", "hall"]
JOBS = ["nurse", "baker", "pilot", "teacher", "plumber", "farmer", "tailor"]
PETS = ["parrot", "hamster", "tortoise", "rabbit", "goldfish", "pony"]
GOODS = ["a lamp", "a kite", "a carpet", "a clock", "a ladder", "a teapot"]
TOWNS = ["Velden", "Harrowby", "Quist", "Marlow End", "Tarnet", "Ostrava Mill"]


def who_did(draw: Random) -> Question:
    one, other = draw.sample(NAMES, 2)
    did, also = draw.sample(
        ["baked the bread", "washed the car", "fed the hens", "mended the fence", "swept the yard"], 2
    )
    return _options(f"{one} {did}. {other} {also}. Who {did}?", one, other)


def where_is(draw: Random) -> Question:
    one, other = draw.sample(PLACES, 2)
    thing, second = draw.sample(["keys", "scissors", "glasses", "gloves", "candles"], 2)
    return _options(
        f"The {second} are in the {other}, and the {thing} are in the {one}. Where are the {thing}?", one, other
    )


def which_colour(draw: Random) -> Question:
    name, (one, other) = draw.choice(NAMES), draw.sample(COLOURS, 2)
    return _options(f"{name} wears a {one} hat. The coat of {name} is {other}. What colour is the hat?", one, other)


def which_day(draw: Random) -> Question:
    one, other = draw.sample(WEEKDAYS, 2)
    return _options(
        f"The choir meets on {other}. The chess club meets on {one}. On which day does the chess club meet?", one, other
    )


def what_bought(draw: Random) -> Question:
    (name, friend), (one, other) = draw.sample(NAMES, 2), draw.sample(GOODS, 2)
    return _options(
        f"{friend} bought {other}. {name} bought {one}. What did {name} buy?",
        one.removeprefix("a "),
        other.removeprefix("a "),
    )


def is_open(draw: Random) -> Question:
    (day, closed), yes = draw.sample(WEEKDAYS, 2), draw.random() < 0.5
    return _yes_no(
        f"The library is open on {day}. It is closed on {closed}. Is the library open on {day if yes else closed}?", yes
    )


def how_many(draw: Random) -> Question:
    a, b = draw.sample(range(4, 30), 2)
    return _options(
        f"There are {b} cups on the table and {a} plates. How many plates are on the table?", str(a), str(b)
    )


def whose_job(draw: Random) -> Question:
    (name, brother), (one, other) = draw.sample(NAMES, 2), draw.sample(JOBS, 2)
    return _options(f"{name} is a {one}. {brother} is a {other}. What is the job of {name}?", one, other)


def whose_pet(draw: Random) -> Question:
    (name, friend), (one, other) = draw.sample(NAMES, 2), draw.sample(PETS, 2)
    return _options(
        f"The pet of {friend} is a {other}. The pet of {name} is a {one}. What is the pet of {name}?", one, other
    )


def who_won(draw: Random) -> Question:
    one, other = draw.sample(NAMES, 2)
    return _options(f"{other} lost the match. {one} won the match. Who won?", one, other)


def which_town(draw: Random) -> Question:
    one, other = draw.sample(TOWNS, 2)
    return _options(f"{other} lies in the hills. {one} lies by a lake. Which town lies by a lake?", one, other)


def was_there(draw: Random) -> Question:
    here, also, absent = draw.sample(NAMES, 3)
    yes = draw.random() < 0.5
    return _yes_no(
        f"{here} and {also} went to the lake, but {absent} stayed at home. Did {here if yes else absent} go to the lake?",
        yes,
    )


# -- format ------------------------------------------------------------------------------------------------------------


def commas(draw: Random) -> Question:
    words = draw.sample(WORDS, 3)
    return _things(f"Write these three words as a comma-separated list: {' '.join(words)}", words)


def plus_signs(draw: Random) -> Question:
    one, other = draw.sample(WORDS, 2)
    return _text(f"Join the words {one} and {other} with a plus sign.", f"{one}+{other}")


def capitals(draw: Random) -> Question:
    word = draw.choice(WORDS)
    return _text(f"Write the word {word} in capital letters.", word.upper(), "exact")


def small_letters(draw: Random) -> Question:
    word = draw.choice(WORDS)
    return _text(f"Write the word {word.upper()} in small letters.", word, "exact")


def brackets(draw: Random) -> Question:
    word = draw.choice(WORDS)
    return _text(f"Put the word {word} in square brackets.", f"[{word}]", "exact")


def hyphen(draw: Random) -> Question:
    one, other = draw.sample(COLOURS, 2)
    return _text(f"Join the words {one} and {other} with a hyphen.", f"{one}-{other}")


def one_key(draw: Random) -> Question:
    name = draw.choice(NAMES)
    return (
        f'Write a JSON object with the key "name" and the value "{name}". Write only the JSON.',
        {"rule": "json", "answer": {"name": name}},
    )


def two_keys(draw: Random) -> Question:
    name, age = draw.choice(NAMES), draw.randint(18, 80)
    return (
        f'{name} is {age} years old. Write this as a JSON object with the keys "name" and "age".',
        {"rule": "json", "answer": {"name": name, "age": age}},
    )


def own_lines(draw: Random) -> Question:
    words = draw.sample(WORDS, 3)
    return _things(f"Write each word on its own line: {' '.join(words)}", words, begin="")


def dashes(draw: Random) -> Question:
    words = draw.sample(WORDS, 3)
    return _things(
        f"Write these words as a list, each on a line after a dash: {', '.join(words)}",
        words,
        begin="-",
    )


def numbered(draw: Random) -> Question:
    words = draw.sample(WORDS, 3)
    return _things(f"Write these words as a numbered list: {', '.join(words)}", words, begin="1.")


def labelled(draw: Random) -> Question:
    name, colour = draw.choice(NAMES), draw.choice(COLOURS)
    return _text(
        f"{name} likes {colour}. Write name and colour with an equals sign between them.", f"{name} = {colour}"
    )


FAMILIES: dict[str, list[Family]] = {
    "instruction": [
        opposite, colour, capital, young, finish, copy, copy_words, day_after, bigger, first_letter, sentence_with, greet,
    ],
    "arithmetic": [
        add_small, add_tens, add_one, take_away, multiply, times_ten, double, half, get_more, add_three, tickets,
        next_number,
    ],
    "reading": [
        who_did, where_is, which_colour, which_day, what_bought, is_open, how_many, whose_job, whose_pet, who_won,
        which_town, was_there,
    ],
    "format": [
        commas, plus_signs, capitals, small_letters, brackets, hyphen, one_key, two_keys, own_lines, dashes, numbered,
        labelled,
    ],
}  # fmt: skip
"""Families by kind. The kind is also the tag."""
