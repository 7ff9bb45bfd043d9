"""Families to learn from: what people, machines and clubs write. A function is a family: a kind of text with its own schema."""

from calendar import day_name
from datetime import timedelta
from random import Random

from authoring.structured.train_office import PEOPLE
from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    TEXT,
    TIME,
    WHOLE,
    YES,
    Document,
    Family,
    clock,
    counted,
    day,
    either,
    fields,
    listed,
    maybe,
    money,
    noted,
    one_of,
    price,
    scattered,
    some_day,
    some_time,
    unordered,
)

TOWNS = ["Arvik", "Bellano", "Corvara", "Dunmore", "Eskil", "Ferrol", "Grindel", "Hallein"]


def product_review(draw: Random) -> Document:
    thing, brand = (
        draw.choice(["kettle", "tent", "headset", "rain jacket", "pan"]),
        draw.choice(["Olin", "Parva", "Quell", "Rimo"]),
    )
    stars, old = draw.sample(range(1, 6), 2)
    pros = draw.sample(["light", "handsome", "well made", "easy to clean", "cheap"], 2)
    cons = draw.sample(["thin manual", "ugly box", "odd colour", "came late", "smells at first"], 1)
    paid = either(draw, price(draw, 15, 120), 0.6)
    text = (
        f"{'*' * old} hm no, {counted(stars, 'star')} after a month. "
        f"The {brand} {thing} is {pros[0]} and {pros[1]}. But: {cons[0]}. "
        + (f"Paid {money(draw, paid)}, " if paid else "Forgot what it cost, ")
        + f"{'would buy again' if (again := draw.random() < 0.5) else 'never again'}. My old one from "
        f"{draw.choice(['Salto', 'Tibo'])} lasted ten years.\n"
        f"written {day(draw, made := some_day(draw))}, {draw.randint(2, 40)} people found this helpful"
    )
    schema = fields(
        product=TEXT, brand=TEXT, stars=WHOLE, pros=unordered(TEXT), cons=unordered(TEXT), price_paid=maybe(NUMBER),
        would_buy_again=YES, date=DATE,
    )  # fmt: skip
    gold = {
        "product": thing,
        "brand": brand,
        "stars": stars,
        "pros": pros,
        "cons": cons,
        "price_paid": paid,
        "would_buy_again": again,
        "date": made.isoformat(),
    }
    return Document(schema, gold, text, {"stars": old, "would_buy_again": not again})


def server_log(draw: Random) -> Document:
    host, when = f"node-{draw.randint(1, 40):02}", some_day(draw)
    errors = [
        {
            "time": some_time(draw, 2 * place, 2 * place + 1),
            "service": service,
            "code": draw.choice([500, 502, 503, 504]),
        }
        for place, service in enumerate(draw.sample(["auth", "billing", "search", "mailer", "images"], 3), start=2)
    ]
    minutes = draw.randint(3, 50)
    lines = [f"{when.isoformat()} {one['time']} ERROR {one['service']}: upstream said {one['code']}" for one in errors]
    lines.insert(1, f"{when.isoformat()} {errors[0]['time']} INFO {errors[0]['service']}: retry, 200 ok")
    lines.insert(3, f"{(when - timedelta(1)).isoformat()} 23:59 ERROR cron: said 500 (replayed from yesterday, ignore)")
    restarted = either(draw, some_time(draw, 14, 16), 0.5)
    text = (
        f"[{host}] uptime 40 d\n"
        + "\n".join(lines)
        + (f"\n{when.isoformat()} {restarted} INFO systemd: restarted" if restarted else "")
        + f"\nsummary: down for {minutes} min in all, 4 errors logged, one of them not of today"
    )
    schema = fields(
        host=TEXT, date=DATE, errors=listed(fields(time=TIME, service=TEXT, code=WHOLE)), downtime_minutes=WHOLE,
        restarted_at=maybe(TIME),
    )  # fmt: skip
    gold = {
        "host": host, "date": when.isoformat(), "errors": errors, "downtime_minutes": minutes, "restarted_at": restarted,
    }  # fmt: skip
    yesterday = {"time": "23:59", "service": "cron", "code": 500}
    return Document(
        schema, gold, text, {"errors": [*errors, yesterday], "downtime_minutes": 40 if minutes != 40 else 4}
    )


def recipe(draw: Random) -> Document:
    dish = draw.choice(["farm pie", "winter bake", "Sunday tart", "pan bread", "harvest casserole"])
    rows = [
        {"name": name, "amount": amount, "unit": unit}
        for name, amount, unit in draw.sample(
            [
                ("flour", draw.randrange(100, 500, 50), "g"),
                ("milk", draw.randrange(100, 700, 50), "ml"),
                ("eggs", draw.randint(2, 5), None),
                ("butter", draw.randrange(20, 200, 10), "g"),
                ("onions", draw.randint(2, 4), None),
                ("lentils", draw.randrange(150, 400, 50), "g"),
            ],
            4,
        )
    ]
    serves, minutes, hot = (
        draw.randint(2, 8),
        draw.randrange(15, 90, 5),
        either(draw, draw.choice([160, 180, 200, 220]), 0.6),
    )
    text = (
        f"grandma's {dish}\nfor {serves} (I always make it for {serves * 2}, but these are amounts for {serves})\n"
        + scattered(
            draw, [f"{row['amount']}{' ' + row['unit'] + ' of' if row['unit'] else ''} {row['name']}" for row in rows]
        )
        + f"\nsalt as you like. Takes {minutes} min, plus washing up"
        + (f". Oven at {hot} degrees" if hot else "")
        + f". {'No meat in it.' if (no_meat := draw.random() < 0.5) else 'Ham goes on top at the end.'}"
    )
    schema = fields(
        dish=TEXT, serves=WHOLE, minutes=WHOLE, oven_celsius=maybe(WHOLE), vegetarian=YES,
        ingredients=unordered(fields(name=TEXT, amount=NUMBER, unit=maybe(TEXT))),
    )  # fmt: skip
    gold = {
        "dish": dish, "serves": serves, "minutes": minutes, "oven_celsius": hot, "vegetarian": no_meat, "ingredients": rows,
    }  # fmt: skip
    return Document(schema, gold, text, {"serves": serves * 2})


def flat_ad(draw: Random) -> Document:
    town, rooms, size = draw.choice(TOWNS), draw.choice([1.5, 2, 2.5, 3, 4]), draw.randint(28, 120)
    cold = draw.randrange(400, 1500, 10)
    extra, deposit = draw.randrange(60, 240, 10), either(draw, cold * 2, 0.6)
    free = some_day(draw)
    has = draw.sample(["balcony", "cellar", "lift", "garden", "garage"], 2)
    lacks = draw.choice(["fireplace", "bathtub", "storage room"])
    text = (
        f"!! {town} !! sunny {rooms:g}-room flat, {size} sqm, floor {draw.randint(1, 5)}. rent {cold} euros + "
        f"{extra} for "
        "heating and so on"
        + (f", deposit {deposit}" if deposit else "")
        + f". has {has[0]} + {has[1]}, no {lacks}. free from {day(draw, free)} (viewing from {day(draw, free - timedelta(20))}). "
        f"{'Pets welcome' if (pets := draw.random() < 0.5) else 'Sorry, no pets'}. Flat next door: {cold + 130} "
        f"euros, taken."
    )
    schema = fields(
        town=TEXT, rooms=NUMBER, square_metres=WHOLE, rent=fields(base=NUMBER, extras=NUMBER), deposit=maybe(NUMBER),
        available=DATE, features=unordered(TEXT), pets=YES,
    )  # fmt: skip
    gold = {
        "town": town, "rooms": rooms, "square_metres": size, "rent": {"base": cold, "extras": extra}, "deposit": deposit,
        "available": free.isoformat(), "features": has, "pets": pets,
    }  # fmt: skip
    decoys = {"rent.base": cold + 130, "features": [*has, lacks], "available": (free - timedelta(20)).isoformat()}
    return Document(schema, gold, text, decoys)


def flight(draw: Random) -> Document:
    who = draw.choice(PEOPLE)
    stops = draw.sample(TOWNS, 3)
    when = some_day(draw)
    legs = [
        {
            "flight": f"{draw.choice(['VG', 'QN', 'ZL'])}{draw.randint(100, 999)}", "from": stops[place], "to": stops[place + 1],
            "departs": some_time(draw, 6 + 6 * place, 8 + 6 * place), "arrives": some_time(draw, 9 + 6 * place, 11 + 6 * place),
        }
        for place in range(2)
    ]  # fmt: skip
    old = some_time(draw, 3, 5)
    seat = either(draw, f"{draw.randint(3, 30)}{draw.choice('ACDF')}", 0.6)
    code = "".join(draw.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(6))
    rows = "\n".join(
        f"{leg['flight']}  {leg['from']} {clock(draw, leg['departs'])} -> {leg['to']} {clock(draw, leg['arrives'])}"
        for leg in legs
    )
    text = (
        f"ITINERARY {code}\npassenger {who.upper()}\n{day(draw, when)}\n{rows}\n"
        + (f"seat {seat} on both\n" if seat else "seats at the gate\n")
        + f"schedule change: {legs[0]['flight']} used to leave at "
        f"{old}\n{'1 bag checked' if (bag := draw.random() < 0.5) else 'hand luggage only'}"
    )
    schema = fields(
        booking=TEXT, passenger=TEXT, date=DATE, seat=maybe(TEXT), checked_bag=YES,
        legs=listed(fields(flight=TEXT, **{"from": TEXT, "to": TEXT}, departs=TIME, arrives=TIME)),
    )  # fmt: skip
    gold = {
        "booking": code, "passenger": who, "date": when.isoformat(), "seat": seat, "checked_bag": bag, "legs": legs,
    }  # fmt: skip
    return Document(schema, gold, text, {"legs.0.departs": old, "legs": legs[::-1]})


def invitation(draw: Random) -> Document:
    host, guest = draw.sample(PEOPLE, 2)
    when = some_day(draw)
    moved = when + timedelta(draw.randint(1, 14))
    start = some_time(draw, 14, 19)
    place = draw.choice(["the boathouse", "our garden", "the old mill", "Cafe Anker", "the town hall"])
    bring = draw.sample(["a salad", "dry wood", "music", "a blanket", "cups"], 2)
    reply = either(draw, (when - timedelta(10)).isoformat(), 0.5)
    text = (
        f"Dear {guest},\nI turn {(age := draw.randint(20, 80))} and you are invited! {day(draw, when)}, from "
        f"{clock(draw, start)} on, at {place} "
        f"(last year we were at the beach, remember). Please bring {bring[0]} and {bring[1]}, but no presents. "
        + (f"Tell me by {_day(draw, reply)} whether you come. " if reply else "Just come. ")
        + f"{'Children are welcome' if (kids := draw.random() < 0.5) else 'Grown-ups only this time'}. If it pours: "
        f"{day(draw, moved)}.\n{host}"
    )
    schema = fields(
        host=TEXT, guest=TEXT, date=DATE, start=TIME, place=TEXT, age=WHOLE, bring=unordered(TEXT), reply_by=maybe(DATE),
        children=YES, rain_date=DATE,
    )  # fmt: skip
    gold = {
        "host": host, "guest": guest, "date": when.isoformat(), "start": start, "place": place, "age": age, "bring": bring,
        "reply_by": reply, "children": kids, "rain_date": moved.isoformat(),
    }  # fmt: skip
    return Document(schema, gold, text, {"place": "the beach", "host": guest, "bring": [*bring, "presents"]})


def _day(draw: Random, iso: str) -> str:
    return day(draw, some_day(draw, iso, 1))


def vet_visit(draw: Random) -> Document:
    owner, vet = draw.sample(PEOPLE, 2)
    name, kind = draw.choice(["Momo", "Rex", "Luna", "Pico", "Zora"]), draw.choice(["dog", "cat", "rabbit"])
    weight, before = (each / 10 for each in draw.sample(range(30, 50), 2))
    seen = some_day(draw)
    drugs = [
        {
            "name": drug,
            "dose_mg": draw.choice([5, 10, 20, 25, 50]),
            "times_per_day": draw.randint(1, 3),
            "days": draw.randint(3, 14),
        }
        for drug in draw.sample(["Amovet", "Bexin", "Calmol", "Dermafit"], 2)
    ]
    again = either(draw, (seen + timedelta(draw.randint(7, 30))).isoformat(), 0.5)
    text = (
        f"{day(draw, seen)} // {name} ({kind}), owner {owner}. {weight:g} kg today, {before:g} kg last time. Limps a "
        "little, eats well. "
        f"Rx: {drugs[0]['name']} {drugs[0]['dose_mg']} mg {drugs[0]['times_per_day']}x daily for {drugs[0]['days']} "
        f"days; "
        f"{drugs[1]['name']} {drugs[1]['dose_mg']} mg, {drugs[1]['times_per_day']} per day, {drugs[1]['days']} d. NO "
        f"Ebutol "
        "(allergy). "
        + (f"Come back {_day(draw, again)}." if again else "Come back only if it gets worse.")
        + f"\n{vet}, vet"
    )
    schema = fields(
        date=DATE, animal=fields(name=TEXT, kind=one_of("dog", "cat", "rabbit"), weight_kg=NUMBER), owner=TEXT, vet=TEXT,
        medicines=unordered(fields(name=TEXT, dose_mg=NUMBER, times_per_day=WHOLE, days=WHOLE)), allergies=unordered(TEXT),
        next_visit=maybe(DATE),
    )  # fmt: skip
    gold = {
        "date": seen.isoformat(), "animal": {"name": name, "kind": kind, "weight_kg": weight}, "owner": owner, "vet": vet,
        "medicines": drugs, "allergies": ["Ebutol"], "next_visit": again,
    }  # fmt: skip
    return Document(schema, gold, text, {"animal.weight_kg": before, "vet": owner, "allergies": [drugs[0]["name"]]})


def lab_sheet(draw: Random) -> Document:
    sample, who = f"S{draw.randint(100, 999)}", draw.choice(PEOPLE)
    runs = [
        {
            "temperature_c": draw.randrange(20, 95, 5),
            "ph": draw.randint(30, 95) / 10,
            "yield_percent": draw.randint(20, 99),
        }
        for _ in range(3)
    ]
    spoilt = draw.randint(1, 19)
    when, start = some_day(draw), some_time(draw)
    lines = [
        f"run {place}: {run['temperature_c']} C, pH {run['ph']:g}, yield {run['yield_percent']} %"
        for place, run in enumerate(runs, start=1)
    ]
    lines.insert(2, f"run X (glass broke, void): 60 C, pH 7, yield {spoilt} %")
    catalyst = either(draw, draw.choice(["zinc", "nickel", "silica"]), 0.5)
    text = (
        f"sample {sample}, {day(draw, when)} {clock(draw, start)}, by {who}\n"
        + (f"catalyst: {catalyst}\n" if catalyst else "no catalyst was used\n")
        + "\n".join(lines)
        + f"\nsample S{draw.randint(10, 99)} is for Thursday"
    )
    schema = fields(
        sample=TEXT, date=DATE, started=TIME, by=TEXT, catalyst=maybe(TEXT),
        runs=listed(fields(temperature_c=NUMBER, ph=NUMBER, yield_percent=NUMBER)),
    )  # fmt: skip
    gold = {
        "sample": sample, "date": when.isoformat(), "started": start, "by": who, "catalyst": catalyst, "runs": runs,
    }  # fmt: skip
    return Document(schema, gold, text, {"runs": [*runs, {"temperature_c": 60, "ph": 7, "yield_percent": spoilt}]})


def course(draw: Random) -> Document:
    subject = draw.choice(["Pottery", "Bookkeeping", "Swimming", "Rowing", "Bread baking"])
    title, who = f"{subject} for beginners", draw.choice(PEOPLE)
    starts, times, fee = some_day(draw), draw.randint(4, 12), price(draw, 40, 200)
    start, end = some_time(draw, 16, 18), some_time(draw, 19, 20)
    weekday = f"{starts:%A}"
    room = either(draw, f"{draw.choice('EFG')}{draw.randint(100, 320)}", 0.6)
    reduced = either(draw, round(fee / 2, 2), 0.5)
    text = (
        f'"{title}" w/ {who}\n'
        f"{times} {weekday}s from {day(draw, starts)}, {clock(draw, start)} to "
        f"{clock(draw, end)}"
        + (f", room {room} (no longer room H{draw.randint(10, 99)})" if room else ", room to be announced")
        + f"\n{money(draw, fee)}"
        + (f", students {money(draw, reduced)}" if reduced else ", no reductions")
        + f"\nat most {(most := draw.randint(6, 20))} people, {(left := draw.randint(2, 5))} places left. The advanced "
        f"course costs {money(draw, fee + 35)}."
    )
    schema = fields(
        title=TEXT, teacher=TEXT, first_lesson=DATE, lessons=WHOLE, weekday=one_of(*day_name), time=fields(start=TIME, end=TIME),
        room=maybe(TEXT), fee=fields(full=NUMBER, reduced=noted(maybe(NUMBER), "null if there is none")), max_participants=WHOLE,
    )  # fmt: skip
    gold = {
        "title": title, "teacher": who, "first_lesson": starts.isoformat(), "lessons": times, "weekday": weekday,
        "time": {"start": start, "end": end}, "room": room, "fee": {"full": fee, "reduced": reduced}, "max_participants": most,
    }  # fmt: skip
    return Document(schema, gold, text, {"fee.full": fee + 35, "max_participants": left})


def weather(draw: Random) -> Document:
    town, other = draw.sample(TOWNS, 2)
    first = some_day(draw)
    days = [
        {
            "date": (first + timedelta(place)).isoformat(),
            "low": (low := draw.randint(-8, 18)),
            "high": low + draw.randint(3, 14),
            "sky": draw.choice(["sunny", "cloudy", "rain", "snow", "fog"]),
        }
        for place in range(3)
    ]
    wind = either(draw, draw.randrange(10, 90, 5), 0.6)
    rows = "\n".join(f"{_day(draw, one['date'])}: {one['sky']}, {one['low']} to {one['high']} degrees" for one in days)
    text = (
        f"Outlook for {town} ({other}: see next page)\n{rows}\n"
        + (f"gusts up to {wind} km/h\n" if wind else "wind: no data\n")
        + f"{'Storm warning!' if (storm := draw.random() < 0.4) else 'No warnings.'} Record low of all years: "
        f"{min(one['low'] for one in days) - 20}."
    )
    schema = fields(
        town=TEXT, days=listed(fields(date=DATE, low=WHOLE, high=WHOLE, sky=one_of("sunny", "cloudy", "rain", "snow", "fog"))),
        gusts_kmh=maybe(WHOLE), warning=YES,
    )  # fmt: skip
    gold = {"town": town, "days": days, "gusts_kmh": wind, "warning": storm}
    return Document(
        schema, gold, text, {"town": other, "days": days[::-1], "days.0.low": min(one["low"] for one in days) - 20}
    )


def match_report(draw: Random) -> Document:
    home, away = draw.sample(TOWNS, 2)
    scorers = draw.sample([name.split()[1] for name in PEOPLE], 4)
    minutes = sorted(draw.sample(range(3, 89), 4))
    goals = [
        {"minute": minute, "player": who, "team": draw.choice(["home", "away"])}
        for minute, who in zip(minutes, scorers, strict=True)
    ]
    score = {side: sum(goal["team"] == side for goal in goals) for side in ("home", "away")}
    crowd, when = either(draw, draw.randint(200, 9000), 0.6), some_day(draw)
    told = "; ".join(
        f"{goal['minute']}' {goal['player']} for {home if goal['team'] == 'home' else away}" for goal in goals
    )
    text = (
        f"{home} v {away} {score['home']}:{score['away']} ({day(draw, when)})\nGoals: {told}. A goal of {scorers[0]} "
        f"in minute "
        f"{minutes[-1] + 1} was offside and did not count. "
        + (f"{crowd} saw it." if crowd else "Nobody counted the crowd.")
        + f" Last season it ended {score['home'] + 1}:{score['away'] + 2}. Red card: {draw.choice(['none', 'nobody'])}."
    )
    schema = fields(
        date=DATE, home=TEXT, away=TEXT, score=fields(home=WHOLE, away=WHOLE),
        goals=listed(fields(minute=WHOLE, player=TEXT, team=one_of("home", "away"))), spectators=maybe(WHOLE),
    )  # fmt: skip
    gold = {
        "date": when.isoformat(), "home": home, "away": away, "score": score, "goals": goals, "spectators": crowd,
    }  # fmt: skip
    offside = {"minute": minutes[-1] + 1, "player": scorers[0], "team": "home"}
    return Document(schema, gold, text, {"score.home": score["home"] + 1, "goals": [*goals, offside]})


def bug_report(draw: Random) -> Document:
    app, who = draw.choice(["Notely", "Fotobox", "Calcmate", "Mapster"]), draw.choice(PEOPLE)
    version, fine = (
        f"{draw.randint(1, 4)}.{draw.randint(0, 9)}.{draw.randint(0, 9)}",
        f"0.{draw.randint(1, 9)}.{draw.randint(0, 9)}",
    )
    steps = draw.sample(
        ["open a file", "rotate the screen", "press undo", "zoom in twice", "switch the account", "lock the phone"], 3
    )
    severity = draw.choice(["low", "medium", "high"])
    said = {
        "low": "only ugly",
        "medium": "annoying, but one can work around it",
        "high": "we lose data, cannot work at all",
    }[severity]
    often, system = draw.choice([20, 50, 80, 100]), draw.choice(["Linux", "Android", "Windows"])
    text = (
        f"{app} crashes ({version} on {system}; with {fine} all was well)\n1) {steps[0]}\n2) {steps[1]}\n3) "
        f"{steps[2]}\n-> "
        "gone. Happens "
        f"{often} times out of 100. {said}. On my colleague's machine, step 3 first, it does not happen. "
        + (
            f"log file attached: {log}"
            if (log := either(draw, f"crash{draw.randint(10, 99)}.txt", 0.5))
            else "No log, sorry."
        )
        + f"\n{who}, {day(draw, when := some_day(draw))}"
    )
    schema = fields(
        app=TEXT, version=TEXT, last_good_version=TEXT, system=TEXT, steps=listed(TEXT), severity=one_of("low", "medium", "high"),
        frequency_percent=NUMBER, log_file=maybe(TEXT), reporter=TEXT, date=DATE,
    )  # fmt: skip
    gold = {
        "app": app, "version": version, "last_good_version": fine, "system": system, "steps": steps, "severity": severity,
        "frequency_percent": often, "log_file": log, "reporter": who, "date": when.isoformat(),
    }  # fmt: skip
    return Document(schema, gold, text, {"version": fine, "steps": [steps[2], steps[0], steps[1]]})


FAMILIES: list[Family] = [
    product_review,
    server_log,
    recipe,
    flat_ad,
    flight,
    invitation,
    vet_visit,
    lab_sheet,
    course,
    weather,
    match_report,
    bug_report,
]
