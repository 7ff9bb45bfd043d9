"""Held-out texts about clubs, stages, sports and news. Each function is a family."""

from random import Random

from authoring.structured.val_words import FIRST_NAMES, GUESTS, PEOPLE
from verigym.core.records import Json
from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    TEXT,
    TIME,
    WHOLE,
    Document,
    Family,
    clock,
    day,
    either,
    fields,
    listed,
    maybe,
    noted,
    scattered,
    some_day,
    unordered,
)


def race_result(draw: Random) -> Document:
    race, km = draw.choice(["Dike Run", "Forest Loop", "Harbour Night Race"]), draw.choice([5, 10, 12, 21])
    names = draw.sample(GUESTS, 4)
    seconds = sorted(draw.sample(range(190 * km, 260 * km), 4))
    held, started = some_day(draw), draw.randint(40, 400)
    podium = [
        {"place": place, "runner": name, "seconds": time}
        for place, (name, time) in enumerate(zip(names, seconds, strict=False), start=1)
    ][:3]
    spoken = draw.sample(podium, 3)
    told = " ".join(
        f"{one['runner']} came in {['first', 'second', 'third'][one['place'] - 1]} after {one['seconds']} s."
        for one in spoken
    )
    record = either(draw, draw.randint(170 * km, 185 * km), 0.5)
    text = (
        f"{race}, {km} km, {day(draw, held)}. {told} {names[3]} was fast as well ({seconds[0] - 5} s) but took a short cut "
        "and is out. "
        f"{started} started, {(done := started - draw.randint(1, 30))} finished. "
        + (f"The course record of {record} s stands." if record else "Nobody knows the record.")
    )
    schema = fields(
        race=TEXT, distance_km=NUMBER, date=DATE,
        podium=noted(listed(fields(place=WHOLE, runner=TEXT, seconds=WHOLE)), "by place"), disqualified=unordered(TEXT),
        starters=WHOLE, finishers=WHOLE, record_seconds=maybe(WHOLE),
    )  # fmt: skip
    gold = {
        "race": race,
        "distance_km": km,
        "date": held.isoformat(),
        "podium": podium,
        "disqualified": [names[3]],
        "starters": started,
        "finishers": done,
        "record_seconds": record,
    }
    cut = [{"place": 1, "runner": names[3], "seconds": seconds[0] - 5}, *podium[1:]]
    return Document(schema, gold, text, {"podium": cut, "finishers": started})


def podcast(draw: Random) -> Document:
    show, number = draw.choice(["Deep Fridge", "Rust and Roses", "Second Desk"]), draw.randint(12, 240)
    guest = either(draw, draw.choice(PEOPLE), 0.6)
    names = draw.sample(["Mail from you", "The big freeze", "Tool of the month", "Goodbye", "An odd map"], 4)
    marks = sorted(draw.sample(range(40, 3300), 3))
    chapters: list[Json] = [dict(title=name, starts_at=mark) for name, mark in zip(names, marks, strict=False)]
    rows = [f"{one['starts_at'] // 60:02}:{one['starts_at'] % 60:02} {one['title']}" for one in chapters]
    who = f"Guest: {guest}." if guest else "This time without a guest."
    cut = names[3]
    text = draw.choice(
        [
            f'{show} #{number} (min:s)\n{chr(10).join(rows)}\n{who}\nThe part "{cut}" was edited out.',
            f'Show notes ({show}, episode {number}, min:s): {"; ".join(rows)}. {who} "{cut}" moves to episode {number + 1}.',
            f'{who} Jump marks of episode {number}, minutes:seconds\n{scattered(draw, rows)}\n"{cut}" was never '
            f"recorded. Your {show}",
        ]
    )
    chapter = fields(title=TEXT, starts_at=noted(WHOLE, "second of the recording"))
    schema = fields(show=TEXT, episode=WHOLE, guest=maybe(TEXT), chapters=noted(listed(chapter), "in playing order"))
    gold = dict(show=show, episode=number, guest=guest, chapters=chapters)
    return Document(schema, gold, text, {"episode": number + 1, "chapters.0.title": cut, "chapters": chapters[::-1]})


def quiz_night(draw: Random) -> Document:
    pub = draw.choice(["the Blue Goose", "the Lantern", "the Crooked Mast"])
    teams: list[Json] = [
        dict(team=team, rounds=[draw.randint(2, 10) for _ in range(3)])
        for team in draw.sample(["Brainstormers", "Know Nothings", "Table Nine", "Late Entry"], 2)
    ]
    for one in teams:
        one["total"] = sum(one["rounds"])
    first, second = teams
    wrong = first["rounds"][2] + 1
    price_of = draw.choice(["a ham", "free drinks", "a trophy"])
    r = [" ".join(map(str, one["rounds"])) for one in teams]
    shown = " ".join(map(str, [*first["rounds"][:2], wrong]))
    text = draw.choice(
        [
            f"{pub}, three rounds. {first['team']} {shown}, {second['team']} {r[1]}. After a protest round three of "
            f"{first['team']} counts {first['rounds'][2]}. First prize: {price_of}",
            f"Prize {price_of}. Scores per round at {pub}: {second['team']} ({r[1]}), {first['team']} ({r[0]}). The "
            f"board had {wrong} in the last round of {first['team']} by error.",
            f"{first['team']} | {r[0]}\n{second['team']} | {r[1]}\n(corrected: it said {wrong} at the end of the top "
            f"line)\nquiz at {pub}, to win: {price_of}",
        ]
    )
    team = fields(team=TEXT, rounds=listed(WHOLE), total=WHOLE)
    schema = fields(place=TEXT, prize=TEXT, teams=unordered(team))
    gold = dict(place=pub, prize=price_of, teams=teams)
    return Document(schema, gold, text, {"teams.0.rounds.2": wrong, "teams.0.total": first["total"] + 1})


def rehearsal(draw: Random) -> Document:
    group, chief = draw.choice(["the town orchestra", "Sinfonia Nova", "the wind band"]), draw.choice(PEOPLE)
    works = draw.sample(["March in G", "Winter Suite", "Fanfare", "Song of the Mill", "Overture"], 4)
    plan: list[Json] = [dict(work=work, minutes=draw.randrange(10, 50, 5)) for work in works[:3]]
    hour = draw.randint(16, 18)
    minutes = sum(one["minutes"] for one in plan)
    end = f"{hour + minutes // 60:02}:{minutes % 60:02}"
    absent = draw.sample(FIRST_NAMES, draw.randint(0, 2))
    away = f"{' and '.join(absent)} cannot come" if absent else "everybody comes"
    start = f"{hour}:00"
    a, b, c = (f"{one['work']}, {one['minutes']} min" for one in plan)
    text = draw.choice(
        [
            f"{chief} rehearses with {group} from {clock(draw, start)}: {a}; {b}; {c}. No break, straight through. "
            f"Note: {away}. {works[3]} is dropped.",
            f"{group}, {clock(draw, start)}\nfirst {a}\nsecond {b}\nthird {c}\nwithout pauses\n{works[3]} not this "
            f"time\n{away}\nconductor {chief}",
            f"Not {works[3]}! We end with {c}. At {clock(draw, start)} it starts with {a}, and between them lies {b}; "
            f"no pauses at all. Note: {away}. {chief}, conductor of {group}",
        ]
    )
    schema = fields(
        group=TEXT,
        conductor=TEXT,
        starts=TIME,
        ends=TIME,
        plan=noted(listed(fields(work=TEXT, minutes=WHOLE)), "in playing order"),
        absent=unordered(TEXT),
    )
    gold = dict(group=group, conductor=chief, starts=start, ends=end, plan=plan, absent=absent)
    return Document(schema, gold, text, {"plan": plan[::-1], "plan.1.work": works[3], "ends": start})


FAMILIES: list[Family] = [
    race_result,
    podcast,
    quiz_night,
    rehearsal,
]
