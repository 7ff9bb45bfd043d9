"""The families of questions: of which kind of thing, which facts lead to the answer, and how it is asked.

`{}` is the name of what is asked about. A path of two facts takes two steps: the founder of a company, then where they were born.
"""

from typing import NamedTuple


class Family(NamedTuple):
    name: str
    type: str
    """`one` (a fact), `two` (steps), `compare`, `count` or `unanswerable`."""
    kind: str
    path: list[str]
    words: str
    greater: bool = True
    """Of a comparison: whether the greater one is asked for."""


TRAIN = [
    Family("town_founded", "one", "town", ["founded"], "In which year was the town {} founded?"),
    Family("town_river", "one", "town", ["river"], "Which river does the town {} lie on?"),
    Family("town_population", "one", "town", ["population"], "How many inhabitants did {} have at the census of 2020?"),
    Family("town_mayor", "one", "town", ["mayor"], "Who is the mayor of {}?"),
    Family("town_craft", "one", "town", ["craft"], "What is the town {} known for?"),
    Family("river_length", "one", "river", ["length"], "How long is the {}, in km?"),
    Family("company_founded", "one", "company", ["founded"], "In which year was {} set up?"),
    Family("company_seat", "one", "company", ["seat"], "In which town does {} have its seat?"),
    Family("company_founder", "one", "company", ["founder"], "Who founded {}?"),
    Family("company_employees", "one", "company", ["employees"], "How many people work for {}?"),
    Family("person_born", "one", "person", ["born"], "In which year was {} born?"),
    Family("person_trade", "one", "person", ["trade"], "What was the profession of {}?"),
    Family("event_month", "one", "event", ["month"], "In which month is the {} held?"),
    Family("rule_fine", "one", "rule", ["fine"], "What is the fine under the {}, in crowns?"),
    Family(
        "founder_birthplace", "two", "company", ["founder", "birthplace"], "In which town was the founder of {} born?"
    ),
    Family(
        "founder_trade", "two", "company", ["founder", "trade"], "What was the profession of the person who founded {}?"
    ),
    Family("seat_river", "two", "company", ["seat", "river"], "On which river lies the town in which {} is based?"),
    Family("seat_mayor", "two", "company", ["seat", "mayor"], "Who is mayor of the town where {} has its seat?"),
    Family(
        "river_source", "two", "town", ["river", "source"], "On which hill does the river rise that runs through {}?"
    ),
    Family("mayor_born", "two", "town", ["mayor", "born"], "In which year was the mayor of {} born?"),
    Family(
        "event_founded", "two", "event", ["town", "founded"], "When was the town founded in which the {} takes place?"
    ),
    Family("birth_craft", "two", "person", ["birthplace", "craft"], "What is the town known for in which {} was born?"),
    Family("longer_river", "compare", "river", ["length"], "Which of the two is longer, {} or {}?"),
    Family("older_company", "compare", "company", ["founded"], "Which firm is older, {} or {}?", False),
    Family("larger_town", "compare", "town", ["population"], "Which town had more people in 2020, {} or {}?"),
    Family("higher_fine", "compare", "rule", ["fine"], "Which carries the higher fine, the {} or the {}?"),
    Family("companies_in", "count", "company", ["seat"], "How many companies have their seat in {}?"),
    Family("people_from", "count", "person", ["birthplace"], "How many people in these documents were born in {}?"),
    Family("events_in", "count", "event", ["town"], "How many customs are held in {}?"),
    Family("no_employees", "unanswerable", "company", ["employees"], "What is the number of people employed by {}?"),
    Family("no_birth", "unanswerable", "person", ["born"], "What is the year of birth of {}?"),
    Family("no_first", "unanswerable", "event", ["first_held"], "Since which year has the {} been held?"),
]
VAL = [
    Family("passed", "one", "rule", ["passed"], "I need the date of the {}: what year did it come into force?"),
    Family("product", "one", "company", ["product"], "Tell me what leaves the gates of {}: what goods are they?"),
    Family("source", "one", "river", ["source"], "Somebody wants to see where the {} springs. Name the hill."),
    Family("native", "one", "person", ["birthplace"], "{} came into this world where? Name the town."),
    Family("custom_river", "two", "event", ["town", "river"], "Standing at the {}, what water flows past the place?"),
    Family(
        "mayor_trade",
        "two",
        "town",
        ["mayor", "trade"],
        "Before politics, what did the head of {}'s town hall do for a living?",
    ),
    Family("seat_age", "two", "company", ["seat", "founded"], "Take the home town of {}. What year is it from?"),
    Family(
        "bylaw_mayor",
        "two",
        "rule",
        ["town", "mayor"],
        "Complaints about the {} go to the town's mayor. What name do I write?",
    ),
    Family("elder", "compare", "person", ["born"], "{} and {}: name the one who came first into the world.", False),
    Family("bigger_firm", "compare", "company", ["employees"], "Put {} beside {}. Whose payroll has more names?"),
    Family("bylaws_of", "count", "rule", ["town"], "Count the bylaws of {} that are described here."),
    Family("silent_fine", "unanswerable", "rule", ["fine"], "Somebody ignored the {}. How many crowns will that cost?"),
]
FAMILIES = {"train": TRAIN, "val": VAL}
