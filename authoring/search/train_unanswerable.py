"""Training questions that the library does not answer. Many have the wordings of questions that it does answer."""

from authoring.search.shapes import Family, HalfSilent, Listing, Nowhere, Silent, Untold
from authoring.search.train_comparisons import COMPARE
from authoring.search.train_steps import ONE, TWO

_WORDINGS = {family.name: family.words for family in [*ONE, *TWO, *COMPARE]}
UNANSWERABLE = [
    Family("no_employees", "unanswerable", Silent("company", "employees"), _WORDINGS["company_employees"]),
    Family("no_birth", "unanswerable", Silent("person", "born"), _WORDINGS["person_born"]),
    Family("no_first", "unanswerable", Silent("event", "first_held"), _WORDINGS["event_first"]),
    Family("no_such_town", "unanswerable", Nowhere("town", "mayor"), _WORDINGS["town_mayor"]),
    Family("no_such_firm", "unanswerable", Nowhere("company", "seat"), _WORDINGS["company_seat"]),
    Family("no_census_1980", "unanswerable", Silent("town", "census_1980"), _WORDINGS["census_1980"]),
    Family("no_founder_birth", "unanswerable", Silent("company", "founder.born"), _WORDINGS["founder_born"]),
    Family("no_longer_line", "unanswerable", HalfSilent("line", "length"), _WORDINGS["longer_line"]),
    Family("no_keeper_then", "unanswerable", Listing("museum", "keepers", "later"), _WORDINGS["keeper_at"]),
    Family("no_bridge_built", "unanswerable", Silent("bridge", "built"), _WORDINGS["bridge_built"]),
    Family("no_marriage", "unanswerable", Untold("person", "married"), [
        "Whom did {} marry?",
        "How many children did {} have?",
        "Which school did {} go to?",
        "I would like to write to a brother or sister of {}. What are their names?",
    ]),
    Family("no_price", "unanswerable", Untold("book", "price"), [
        'What did "{}" cost when it came out?',
        'At what price was "{}" sold?',
        'How many copies of "{}" have been sold?',
        'Into which languages has "{}" been translated?',
    ]),
]  # fmt: skip
"""Most share their wordings with answerable questions, so that the wording does not give them away."""
