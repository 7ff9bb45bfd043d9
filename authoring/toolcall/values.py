"""Values for the slots of a phrasing.

Text is copied into the argument unchanged, but a renamed file keeps its extension. A day, a time or a duration has a wording and
the value that the tool takes. Half of the texts of `val` do not occur in `train`.
"""

from typing import Literal, NamedTuple

from verigym.environments.toolcall.state import WEEKDAYS

Split = Literal["train", "val"]


class SlotValue(NamedTuple):
    """`SlotValue("half past nine in the evening", "21:30", "time12")`"""

    words: str
    value: str | int
    tag: str = ""


_PEOPLE = [
    "Alex", "Dana", "Priya", "Omar", "Chen", "Sofia", "Marcus", "Yuki", "Lena", "Tomas", "Grace", "Ivan", "Nadia",
    "Felix", "Amara", "Jonas", "Ruth", "Diego", "Hana", "Peter", "Mei", "Samuel", "Clara", "Victor",
]  # fmt: skip
_NEW_PEOPLE = [
    "Zoe", "Arjun", "Freya", "Bruno", "Leila", "Oscar", "Wanda", "Kofi", "Ingrid", "Mateo", "Tess", "Hugo",
]  # fmt: skip

_CONTACTS = [
    "Priya Shah", "Daniel Okoye", "Maria Lopez", "Tom Becker", "Aisha Khan", "Erik Larsen", "Julia Novak",
    "Ben Carter", "Mina Park", "Paul Dubois", "Rosa Silva", "Karl Weber", "Emma Stone", "Luca Moretti",
    "Nina Petrova", "Owen Hughes",
]  # fmt: skip
_NEW_CONTACTS = [
    "Sara Lindqvist", "Kwame Mensah", "Hiro Tanaka", "Greta Vogel", "Andre Costa", "Fatima Zahra", "Liam Byrne",
    "Olga Sidorova",
]  # fmt: skip

_COMPANIES = [
    "Northwind", "Acme Labs", "Bluefin", "Harbor Foods", "Vertex Media", "Oakline", "Solara", "Redwood Bank",
    "Pinecrest", "Tidal Works", "Granite Mutual", "Kestrel Air",
]  # fmt: skip
_NEW_COMPANIES = ["Larkspur", "Ironbridge", "Moss and Vale", "Quillon", "Fernway", "Cobalt Health"]

_SUBJECTS = [
    "Budget review", "Team lunch", "Project kickoff", "Contract renewal", "Office move", "Sales figures",
    "Travel plans", "Quarterly results", "Hiring update", "Server outage", "Customer feedback", "Holiday schedule",
    "Design draft", "Parking permits", "Launch checklist", "Training day",
]  # fmt: skip
_NEW_SUBJECTS = [
    "Roadmap questions", "Warehouse tour", "Expense policy", "Board minutes", "New badge photos", "Supplier delays",
    "Security audit", "Spring offsite",
]  # fmt: skip

_QUERIES = [
    "invoice", "boarding pass", "visa application", "password reset", "warranty", "lease agreement",
    "conference tickets", "tax form", "delivery date", "insurance claim", "payslip", "refund",
]  # fmt: skip
_NEW_QUERIES = ["hotel booking", "customs form", "broken scanner", "gym membership", "survey results", "parking fine"]

_TITLES = [
    "renew the lease", "order new laptops", "write the newsletter", "update the website", "review the contract",
    "prepare the slides", "fix the login page", "check the inventory", "send out the surveys", "clean up the wiki",
    "draft the press release", "test the backup", "pay the invoices", "plan the team dinner",
]  # fmt: skip
_NEW_TITLES = [
    "translate the manual", "count the chairs", "book the photographer", "rewrite the job ad", "sort the receipts",
    "label the cables", "proofread the brochure",
]  # fmt: skip

_TEXTS = [
    "water the plants", "call the dentist", "pick up the parcel", "take the medicine", "feed the cat",
    "charge the camera", "return the library books", "buy milk", "lock the storeroom", "stretch",
    "thank the caterers", "print the tickets",
]  # fmt: skip
_NEW_TEXTS = [
    "defrost the soup", "walk the dog", "collect the dry cleaning", "ring the plumber", "air the room",
    "post the card",
]  # fmt: skip

_FILES = [
    "budget.xlsx", "report.pdf", "notes.txt", "contract.docx", "roadmap.pptx", "logo.png", "survey.csv",
    "invoice_118.pdf", "plan_2024.docx", "team_photo.jpg", "pricing.xlsx", "minutes_may.txt",
]  # fmt: skip
_NEW_FILES = ["audit_log.csv", "offer_letter.docx", "floor_map.png", "payroll_q2.xlsx", "keynote.pptx", "faq_draft.md"]

_RENAMES = [
    "final", "summary", "ideas", "signed", "strategy", "old_version", "answers", "paid", "master_copy",
    "archive_2022",
]  # fmt: skip
_NEW_RENAMES = ["first_draft", "welcome", "second_floor", "checked", "opening_talk"]

_FOLDERS = ["Finance", "Marketing", "Legal", "Projects", "Clients", "Reports", "Templates", "Travel"]
_NEW_FOLDERS = ["Payroll", "Events", "Research", "Press"]

_STATUSES = ["lead", "qualified", "won", "lost"]

TEXT: dict[str, dict[Split, list[str]]] = {
    slot: {"train": known, "val": known[: len(new)] + new}
    for slot, known, new in [
        ("attendee", _PEOPLE, _NEW_PEOPLE),
        ("to", _PEOPLE, _NEW_PEOPLE),
        ("person", _PEOPLE, _NEW_PEOPLE),
        ("name", _CONTACTS, _NEW_CONTACTS),
        ("company", _COMPANIES, _NEW_COMPANIES),
        ("subject", _SUBJECTS, _NEW_SUBJECTS),
        ("query", _QUERIES, _NEW_QUERIES),
        ("title", _TITLES, _NEW_TITLES),
        ("text", _TEXTS, _NEW_TEXTS),
        ("file", _FILES, _NEW_FILES),
        ("new_name", _RENAMES, _NEW_RENAMES),
        ("folder", _FOLDERS, _NEW_FOLDERS),
        ("status", _STATUSES, _STATUSES),
    ]
}

# -- Days: today is Monday ---------------------------------------------------------------------------------------------

_RELATIVE = [
    SlotValue("today", "Monday", "relative_day"),
    SlotValue("tomorrow", "Tuesday", "relative_day"),
    SlotValue("the day after tomorrow", "Wednesday", "relative_day"),
]
_IN_DAYS: dict[Split, list[SlotValue]] = {
    "train": [
        SlotValue(f"in {number} days", WEEKDAYS[place], "relative_day")
        for place, number in enumerate(("two", "three", "four", "five"), start=2)
    ],
    "val": [
        SlotValue("in two days", "Wednesday", "relative_day"),
        SlotValue("three days from now", "Thursday", "relative_day"),
        SlotValue("four days from now", "Friday", "relative_day"),
    ],
}


def days(split: Split) -> list[SlotValue]:
    """Return days as nouns: "for ...", "by ..."."""
    named = [SlotValue(day, day) for day in WEEKDAYS] * 2
    coming = [SlotValue(f"next {day}", day, "relative_day") for day in WEEKDAYS]
    if split == "val":
        coming += [SlotValue(f"this coming {day}", day, "relative_day") for day in WEEKDAYS[1:]]
    return named + coming + _RELATIVE * 2


def on_days(split: Split) -> list[SlotValue]:
    """Return days as adverbs: "meet ..."."""
    return [SlotValue(f"on {each.words}", each.value) if not each.tag else each for each in days(split)] + _IN_DAYS[
        split
    ]


# -- Times and durations -----------------------------------------------------------------------------------------------

_HOURS = ["twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]


def times(split: Split) -> list[SlotValue]:
    """Return every quarter of an hour from 07:00 to 20:45 in all its wordings."""
    found: list[SlotValue] = []
    for minutes in range(7 * 60, 21 * 60, 15):
        hour, minute = divmod(minutes, 60)
        clock = f"{hour:02}:{minute:02}"
        found.append(SlotValue(clock, clock, "time24"))
        found += [SlotValue(words, clock, "time12") for words in _twelve_hour(hour, minute, split)]
    return found


def _twelve_hour(hour: int, minute: int, split: Split) -> list[str]:
    if (hour, minute) == (12, 0):
        return ["12 PM", "noon"]
    digits = str((hour + 11) % 12 + 1) + (f":{minute:02}" if minute else "")
    half = "AM" if hour < 12 else "PM"
    part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
    words = {
        0: _HOURS[hour % 12],
        15: f"quarter past {_HOURS[hour % 12]}",
        30: f"half past {_HOURS[hour % 12]}",
        45: f"quarter to {_HOURS[(hour + 1) % 12]}",
    }[minute]
    own = f"{digits}{half.lower()}" if split == "train" else f"{digits} in the {part}"
    return [f"{digits} {half}", f"{words} in the {part}", own]


_DURATIONS: dict[Split, list[SlotValue]] = {
    "train": [SlotValue(f"{minutes} minutes", minutes) for minutes in (5, 8, 10, 15, 18, 20, 25, 30, 40, 45, 50, 55)]
    + [
        SlotValue("ten minutes", 10),
        SlotValue("half an hour", 30),
        SlotValue("an hour", 60),
        SlotValue("a quarter of an hour", 15),
    ],
    "val": [SlotValue(f"{minutes} minutes", minutes) for minutes in (5, 7, 10, 12, 20, 22, 30, 35, 90)]
    + [
        SlotValue("twenty minutes", 20),
        SlotValue("half an hour", 30),
        SlotValue("an hour", 60),
        SlotValue("two hours", 120),
    ],
}


def slot_values(slot: str, split: Split) -> list[SlotValue]:
    """Return all values of a slot."""
    match slot:
        case "day" | "due":
            return days(split)
        case "on_day":
            return on_days(split)
        case "time":
            return times(split)
        case "minutes":
            return _DURATIONS[split]
    return [SlotValue(text, text) for text in TEXT[slot][split]]
