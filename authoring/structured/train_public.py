"""Training texts that offices, schools, museums and transport tell the public, and are told. Each function is a family."""

from calendar import day_name
from datetime import timedelta
from random import Random

from authoring.structured.train_words import COLLEAGUES, FIRST_NAMES, PEOPLE, TOWNS
from authoring.vocabulary import WORKDAYS
from verigym.core.records import Json
from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    TEXT,
    TIME,
    WHOLE,
    YES,
    Document,
    Family,
    an,
    clock,
    day,
    either,
    fields,
    listed,
    maybe,
    money,
    noted,
    one_of,
    price,
    some_day,
    some_time,
    unordered,
)


def flight(draw: Random) -> Document:
    who = draw.choice(COLLEAGUES)
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


def course(draw: Random) -> Document:
    subject = draw.choice(["Pottery", "Bookkeeping", "Swimming", "Rowing", "Bread baking"])
    title, who = f"{subject} for beginners", draw.choice(COLLEAGUES)
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
    rows = "\n".join(
        f"{day(draw, some_day(draw, one['date'], 1))}: {one['sky']}, {one['low']} to {one['high']} degrees"
        for one in days
    )
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


def bus_times(draw: Random) -> Document:
    line, stop = draw.randint(2, 99), draw.choice(["Old Bridge", "Harbour Gate", "Linden Square", "Hospital"])
    hours = draw.sample(range(6, 22), 4)
    times = sorted(f"{hour:02}:{draw.randrange(0, 60, 4):02}" for hour in hours)
    gone = times.pop(draw.randrange(4))
    since, to = some_day(draw), draw.choice(["Airfield", "Westend", "Mill Lake"])
    minutes = either(draw, draw.randint(12, 48), 0.5)
    rides = f"The ride takes {minutes} minutes." if minutes else "The ride takes longer than before."
    everything = " ".join(sorted([*times, gone]))
    text = draw.choice(
        [
            f"Line {line}, {stop} to {to}: {everything}. From {day(draw, since)} on the {gone} does not run. {rides}",
            f"NEW TIMETABLE as of {day(draw, since)}\n{line} {stop} -> {to}\n{'  '.join(times)}\n{gone}: "
            f"discontinued\n{rides}",
            f"{rides} Bus {line} to {to} leaves {stop} at {times[0]}, {times[1]} and {times[2]}, starting "
            f"{day(draw, since)}. We are sorry that there is no bus at {gone} any longer.",
            f"Passengers of the {line}! At {stop} the departure at {gone} is dropped from {day(draw, since)}; "
            f"{times[0]}, {times[1]}, {times[2]} stay as they are. Direction {to}. {rides}",
        ]
    )
    schema = fields(
        line=WHOLE, stop=TEXT, direction=TEXT, valid_from=DATE, departures=noted(listed(TIME), "that run from then on"),
        ride_minutes=maybe(WHOLE),
    )  # fmt: skip
    gold = dict(
        line=line, stop=stop, direction=to, valid_from=since.isoformat(), departures=times, ride_minutes=minutes
    )
    return Document(schema, gold, text, {"departures": sorted([*times, gone])})


def museum_hours(draw: Random) -> Document:
    name = draw.choice(["the Clock Museum", "the Salt House", "Gallery Nine", "the Toy Museum"])
    closed, late = draw.sample(WORKDAYS, 2)
    opens, closes, long = some_time(draw, 9, 11), some_time(draw, 16, 18), some_time(draw, 20, 21)
    adult = draw.randrange(8, 18)
    child = either(draw, draw.randint(2, 6), 0.7)
    kids = f"children {child} euros" if child else "children do not pay"
    special = draw.choice(["the glass show", "the map room", "the robot hall"])
    text = draw.choice(
        [
            f"{name}: {clock(draw, opens)} to {clock(draw, closes)}, on {late} until {clock(draw, long)}. Closed on "
            f"{closed}. Adults {adult} euros, {kids}. {special.capitalize()} costs {adult + 4}.",
            f"{name}\nopen {opens}-{closes}\n{late}: {opens}-{long}\n{closed}: closed\nadults {adult} euros\n{kids}\n"
            f"({special}, separate ticket: {adult + 4})",
            f"Never come on {closed}, when {name} is shut. Come on {late}, when it stays open till "
            f"{clock(draw, long)}! On other days we close at {clock(draw, closes)}; doors always open "
            f"{clock(draw, opens)}. {kids.capitalize()}, grown-ups {adult} euros, {special} not included "
            f"({adult + 4}).",
            f"Grown-ups pay {adult} euros, {kids}. With {special} it would be {adult + 4}. Hours of {name}: from "
            f"{clock(draw, opens)}; until {clock(draw, long)} on {late} and until {clock(draw, closes)} on the rest. "
            f"No {closed}s.",
        ]
    )
    schema = fields(
        museum=TEXT, usual=fields(opens=TIME, closes=TIME), late_day=fields(weekday=one_of(*WORKDAYS), closes=TIME),
        closed_on=one_of(*WORKDAYS), price=fields(adult=NUMBER, child=noted(NUMBER, "0 if free")),
    )  # fmt: skip
    gold = dict(
        museum=name, usual=dict(opens=opens, closes=closes), late_day=dict(weekday=late, closes=long), closed_on=closed,
        price=dict(adult=adult, child=child or 0),
    )  # fmt: skip
    return Document(schema, gold, text, {"usual.closes": long, "price.adult": adult + 4, "closed_on": late})


def road_works(draw: Random) -> Document:
    street, a, b, c = draw.sample(
        ["Hill Road", "Canal Street", "Bell Lane", "Park Avenue", "Quarry Road", "Mint Street"], 4
    )
    first = some_day(draw)
    old, last = first + timedelta(draw.randint(5, 20)), first + timedelta(draw.randint(25, 60))
    why, free = (
        draw.choice(["a new water main", "resurfacing", "tram tracks"]),
        draw.choice(["cyclists", "buses", "ambulances"]),
    )
    text = draw.choice(
        [
            f"{street} is closed from {day(draw, first)} because of {why}. Detour: {a}, then {b}. It will last until "
            f"{day(draw, last)}, not {day(draw, old)} as printed. {free.capitalize()} may pass. {c} stays open.",
            f"CLOSED: {street} ({why})\nfrom: {day(draw, first)}\nto: {day(draw, old)}, extended to "
            f"{day(draw, last)}\ndetour: {a} > {b}, do not use {c}\nexempt: {free}",
            f"Because of {why} nobody but {free} gets through {street} between {day(draw, first)} and "
            f"{day(draw, last)}. Drive along {a} first and {b} next. {c} is too narrow. (The end was once planned for "
            f"{day(draw, old)}.)",
            f"Only {free} are let through. All others go by {a} and after that {b}; {c} is a dead end. The reason for "
            f"closing {street} is {why}. It begins {day(draw, first)}. New end: {day(draw, last)}. Old end: "
            f"{day(draw, old)}.",
        ]
    )
    schema = fields(
        street=TEXT, reason=TEXT, closed=fields(first=DATE, last=DATE), detour=listed(TEXT), exempt=unordered(TEXT)
    )
    gold = dict(
        street=street,
        reason=why,
        closed=dict(first=first.isoformat(), last=last.isoformat()),
        detour=[a, b],
        exempt=[free],
    )
    return Document(schema, gold, text, {"closed.last": old.isoformat(), "detour": [a, b, c], "street": c})


def bike_theft(draw: Random) -> Document:
    owner, frame = draw.choice(PEOPLE), f"{draw.choice('FGH')}{draw.randint(10000, 99999)}"
    colour, other = draw.sample(["blue", "silver", "orange", "black", "white"], 2)
    gears, worth = either(draw, draw.choice([3, 7, 8, 21, 27]), 0.6), draw.randrange(150, 1900, 50)
    when, found = some_day(draw), some_time(draw, 17, 22)
    locked, extras = draw.random() < 0.5, draw.sample(["basket", "child seat", "bell", "bottle holder"], 2)
    spot = draw.choice(["the station", "the pool", "the cinema"])
    lock = "It was locked" if locked else "I had not locked it"
    cogs = f"{gears} gears" if gears else "gears, I never counted them"
    text = draw.choice(
        [
            f"My {colour} bike was stolen at {spot} on {day(draw, when)}; I noticed at {clock(draw, found)}. {lock}. "
            f"It has {cogs}, a {extras[0]} and a {extras[1]}, frame number {frame}, worth {worth} euros. Beside it "
            f"stood {an(other)} one, which they left. {owner}",
            f"THEFT / {spot} / {day(draw, when)} / {clock(draw, found)}\nreported by {owner}\nbicycle, {colour} "
            f"(first said {other}), {cogs}\nframe {frame}\nwith {extras[0]} + {extras[1]}\n{lock}\nvalue "
            f"{worth}",
            f'{owner} states: "{lock}. When I came back to {spot} at {clock(draw, found)} it was gone." Frame '
            f"{frame}, {cogs}; {extras[1]} and {extras[0]} fitted. Paint {colour}; the papers say {other}, but it was "
            f"resprayed. Value {worth} euros. {day(draw, when)}",
            f"Value: {worth} euros. Colour: {colour}. Frame: {frame}. Extras: {extras[0]}, {extras[1]}. It has "
            f"{cogs}. I, {owner}, missed it on {day(draw, when)} at {clock(draw, found)} near {spot}. {lock}. My "
            f"son's {other} bike is still there.",
        ]
    )
    schema = fields(
        owner=TEXT, bike=fields(colour=TEXT, gears=maybe(WHOLE), frame_number=TEXT, extras=unordered(TEXT)),
        value=NUMBER,
        place=TEXT, date=DATE, noticed_at=TIME, locked=YES,
    )  # fmt: skip
    gold = dict(
        owner=owner, bike=dict(colour=colour, gears=gears, frame_number=frame, extras=extras), value=worth, place=spot,
        date=when.isoformat(), noticed_at=found, locked=locked,
    )  # fmt: skip
    return Document(schema, gold, text, {"bike.colour": other, "locked": not locked, "bike.extras": extras[:1]})


def school_trip(draw: Random) -> Document:
    form, to = (
        f"{draw.randint(2, 9)}{draw.choice('abc')}",
        draw.choice(["the zoo", "the glass works", "the castle", "the dunes"]),
    )
    teacher = draw.choice(PEOPLE)
    when = some_day(draw)
    leave, back = some_time(draw, 7, 8), some_time(draw, 14, 17)
    paid, due = draw.randrange(5, 30), when - timedelta(draw.randint(5, 14))
    bring = draw.sample(["rain clothes", "a packed lunch", "a pencil", "swimwear", "sun cream"], 2)
    ban = draw.choice(["phones", "sweets", "fizzy drinks"])
    meal = either(draw, draw.randint(3, 6), 0.5)
    lunch = f"Lunch there costs {meal} euros more." if meal else "Lunch is not sold there."
    text = draw.choice(
        [
            f"Dear parents of {form}, on {day(draw, when)} we go to {to}. Meet at {clock(draw, leave)}, back "
            f"{clock(draw, back)}. {paid} euros, to be paid by {day(draw, due)}. {lunch} Bring {bring[0]} and "
            f"{bring[1]}, but no {ban}. {teacher}",
            f"TRIP {form}\nwhere: {to}\nwhen: {day(draw, when)}, {clock(draw, leave)} - {clock(draw, back)}\ncost: "
            f"{paid} euros (pay until {day(draw, due)})\nbring: {bring[0]}, {bring[1]}\nleave at home: {ban}\n"
            f"{lunch}\n{teacher}",
            f"{lunch} The trip itself is {paid} euros, please by {day(draw, due)}. Class {form} leaves for {to} at "
            f"{clock(draw, leave)} on {day(draw, when)} and returns at {clock(draw, back)}. No {ban}! But {bring[1]}, "
            f"and {bring[0]}. Yours, {teacher}",
            f"{teacher} writes: reminder, money ({paid} euros) for {to} is due {day(draw, due)}, the day itself is "
            f"{day(draw, when)}. {form} starts {clock(draw, leave)}, home {clock(draw, back)}. {lunch} To bring: "
            f"{bring[0]} + {bring[1]}. Not to bring: {ban}.",
        ]
    )
    schema = fields(
        form=TEXT, teacher=TEXT, destination=TEXT, date=DATE, leaves=TIME, returns=TIME, bring=unordered(TEXT),
        cost=fields(trip=NUMBER, lunch=maybe(NUMBER), pay_by=DATE),
    )  # fmt: skip
    gold = dict(
        form=form, teacher=teacher, destination=to, date=when.isoformat(), leaves=leave, returns=back, bring=bring,
        cost=dict(trip=paid, lunch=meal, pay_by=due.isoformat()),
    )  # fmt: skip
    return Document(schema, gold, text, {"date": due.isoformat(), "bring": [*bring, ban]})


def exam_results(draw: Random) -> Document:
    who, number = draw.choice(PEOPLE), f"{draw.randint(1000, 9999)}"
    subjects = draw.sample(["history", "physics", "music", "law", "biology", "Latin"], 3)
    marks: list[Json] = [dict(subject=subject, points=draw.randint(20, 98)) for subject in subjects]
    need = draw.choice([40, 50, 60])
    for one in marks:
        one["passed"] = one["points"] >= need
    wrong = marks[1]["points"] - draw.randint(5, 15)
    again = either(draw, some_day(draw), 0.5)
    retake = f"Resits: {day(draw, again)}." if again else "Resits: no date yet."
    last = f"{marks[2]['subject']} {marks[2]['points']}"
    text = draw.choice(
        [
            f"Results of {who} (candidate {number}): {marks[0]['subject']} {marks[0]['points']}, "
            f"{marks[1]['subject']} {wrong}, {last}. After appeal {marks[1]['subject']} was raised to "
            f"{marks[1]['points']}. Pass mark {need}. {retake}",
            f"candidate {number}, {who}\n{last}\n{marks[1]['subject']} {marks[1]['points']} (was {wrong})\n"
            f"{marks[0]['subject']} {marks[0]['points']}\nyou pass from {need} points on\n{retake}",
            f"{retake} Whoever has {need} points or more in a subject has passed it. {who}, no. {number}, has "
            f"{marks[0]['points']} in {marks[0]['subject']}, {marks[2]['points']} in {marks[2]['subject']} and, "
            f"corrected from {wrong}, {marks[1]['points']} in {marks[1]['subject']}.",
            f"{number} / {who} / passed means {need}+\n{marks[0]['subject']} {marks[0]['points']} | "
            f"{marks[1]['subject']} {marks[1]['points']} | {last}\nnote: the web page still shows {wrong} for "
            f"{marks[1]['subject']}, this sheet is right. {retake}",
        ]
    )
    schema = fields(
        candidate=fields(name=TEXT, number=TEXT), pass_mark=WHOLE,
        results=unordered(fields(subject=TEXT, points=WHOLE, passed=YES)),
        resit=maybe(DATE),
    )  # fmt: skip
    gold = dict(
        candidate=dict(name=who, number=number),
        pass_mark=need,
        results=marks,
        resit=again.isoformat() if again else None,
    )
    return Document(schema, gold, text, {"results.1.points": wrong, "results.0.passed": not marks[0]["passed"]})


def health_form(draw: Random) -> Document:
    who, born = draw.choice(PEOPLE), some_day(draw, "1955-01-01", 18000)
    ills = draw.sample(["asthma", "diabetes", "migraine", "hay fever", "heart disease"], 4)
    has = sorted(draw.sample(range(4), draw.randint(0, 2)))
    smokes, drug = draw.random() < 0.4, either(draw, draw.choice(["Resolin", "Parmidol", "Tuxan"]), 0.5)
    had = [ills[place] for place in has]
    boxes = "\n".join(f"[{'x' if place in has else ' '}] {ill}" for place, ill in enumerate(ills))
    yes = " and ".join(had) if had else "none of the illnesses on the form"
    not_had = ", ".join(ill for ill in ills if ill not in had)
    dose = f"takes {drug}" if drug else "takes no medicine"
    text = draw.choice(
        [
            f"HEALTH FORM\nname: {who}\nborn: {day(draw, born)}\n{boxes}\n[{'x' if smokes else ' '}] smoker\n"
            f"medicine: {drug or '---'}",
            f"{who}, born {day(draw, born)}, has {yes}. Asked about and denied: {not_had}. "
            f"{'Smokes' if smokes else 'Does not smoke'}, {dose}.",
            f"medicine: {drug or '(left blank)'}\nsmoker: {'yes' if smokes else 'no'}\n{boxes}\ndate of birth: "
            f"{day(draw, born)}\nsigned: {who}",
            f"Patient {who} {dose} and is {'a smoker' if smokes else 'no smoker'}. Ticked: "
            f"{', '.join(had) if had else 'nothing'}. Not ticked: {not_had}. Birthday: {day(draw, born)}",
        ]
    )
    schema = fields(name=TEXT, born=DATE, illnesses=unordered(TEXT), smoker=YES, medicine=maybe(TEXT))
    gold = dict(name=who, born=born.isoformat(), illnesses=had, smoker=smokes, medicine=drug)
    return Document(schema, gold, text, {"illnesses": ills, "smoker": not smokes})


def dentist_card(draw: Random) -> Document:
    who, dentist = draw.sample(PEOPLE, 2)
    old = some_day(draw)
    new = old + timedelta(draw.choice([7, 14]))
    weeks = "a week" if (new - old).days == 7 else "two weeks"
    t1, t2 = some_time(draw, 8, 11), some_time(draw, 14, 17)
    *teeth, spare = draw.sample([10 * quarter + place for quarter in range(1, 5) for place in range(1, 9)], 3)
    paid = either(draw, price(draw, 20, 150), 0.5)
    bill = f"You pay {money(draw, paid)} yourself." if paid else "What you pay yourself is not known yet."
    text = draw.choice(
        [
            f"{who}: your appointment with dentist {dentist} on {day(draw, old)}, {clock(draw, t1)}, is moved by "
            f"{weeks} to a later day, {clock(draw, t2)}. Teeth {teeth[0]} and {teeth[1]}, the filling in {spare} can "
            f"wait. {bill}",
            f"dentist {dentist}\npatient {who}\nNOT {day(draw, old)} {clock(draw, t1)}\nBUT {day(draw, new)} "
            f"{clock(draw, t2)}\nteeth: {teeth[0]}, {teeth[1]} (not {spare})\n{bill}",
            f"{bill} We will treat teeth {teeth[1]} and {teeth[0]}; {spare} is healthy. Please come {weeks} after the "
            f"old date, which was {day(draw, old)}, and at {clock(draw, t2)} instead of {clock(draw, t1)}. For {who}, "
            f"from dentist {dentist}",
            f"Your dentist {dentist} is ill on {day(draw, old)}. New date for {who}: {weeks} later at "
            f"{clock(draw, t2)} (it was {clock(draw, t1)}). Planned: {teeth[0]} + {teeth[1]}. No work on {spare}. "
            f"{bill}",
        ]
    )
    schema = fields(
        patient=TEXT,
        dentist=TEXT,
        appointment=fields(date=DATE, time=TIME),
        teeth=unordered(WHOLE),
        to_pay=maybe(NUMBER),
    )
    gold = dict(patient=who, dentist=dentist, appointment=dict(date=new.isoformat(), time=t2), teeth=teeth, to_pay=paid)
    wrong = {"appointment.date": old.isoformat(), "appointment.time": t1, "teeth": [*teeth, spare]}
    return Document(schema, gold, text, wrong)


def waste_dates(draw: Random) -> Document:
    area, base = f"district {draw.randint(1, 12)}", some_day(draw)
    kinds = draw.sample(["paper", "glass", "garden waste", "metal"], 3)
    days = [base, base + timedelta(draw.randint(2, 6)), base + timedelta(draw.randint(8, 13))]
    real = [days[0], days[1] + timedelta(1), days[2]]
    pickups = [dict(kind=kind, date=one.isoformat()) for kind, one in zip(kinds, real, strict=True)]
    hour = some_time(draw, 5, 6)
    d = [day(draw, one) for one in days]
    off = day(draw, days[1])
    text = draw.choice(
        [
            f"{area}: {kinds[0]} {d[0]}, {kinds[1]} {d[1]}, {kinds[2]} {d[2]}. {off} is a holiday: what falls on it "
            f"is collected the day after. Out by {clock(draw, hour)}.",
            f"Collection in {area}\n{kinds[2]}: {d[2]}\n{kinds[0]}: {d[0]}\n{kinds[1]}: one day after {d[1]} "
            f"(holiday)\nbins out by {clock(draw, hour)}",
            f"Put bins out by {clock(draw, hour)}. {kinds[0].capitalize()} is on {d[0]} in {area}; {kinds[2]} on "
            f"{d[2]}. Normally {kinds[1]} would be on {d[1]}, but this time it comes one day later.",
            f"To all in {area}: {kinds[1]} was announced for {d[1]}. Nobody works that day, so we come on the next "
            f"day. No change for {kinds[0]} ({d[0]}) and {kinds[2]} ({d[2]}), always before {clock(draw, hour)}.",
        ]
    )
    schema = fields(area=TEXT, pickups=unordered(fields(kind=TEXT, date=DATE)), out_by=TIME)
    gold = dict(area=area, pickups=pickups, out_by=hour)
    return Document(schema, gold, text, {"pickups.1.date": days[1].isoformat()})


def building_permit(draw: Random) -> Document:
    owner, clerk = draw.sample(PEOPLE, 2)
    plot, thing = (
        f"{draw.randint(10, 99)}/{draw.randint(1, 9)}",
        draw.choice(["carport", "conservatory", "garden shed", "dormer"]),
    )
    wide, long = draw.randint(20, 60) / 10, draw.randint(30, 90) / 10
    papers = draw.sample(["site plan", "drawing", "fire certificate", "neighbour's consent"], 3)
    lacking, fee = papers.pop(), draw.randrange(40, 300, 10)
    status = draw.choice(["granted", "refused", "pending"])
    said = dict(granted="You may build.", refused="You may not build.", pending="We have not decided yet.")[status]
    filed = some_day(draw)
    text = draw.choice(
        [
            f"{owner}, plot {plot}, wants {an(thing)} of {wide:g} by {long:g} metres (width by length). Filed "
            f"{day(draw, filed)} with {papers[0]} and {papers[1]}; {lacking} still lacking. Fee {fee} euros. {said} "
            f"Clerk: {clerk}",
            f"Application of {day(draw, filed)}\napplicant: {owner}\nplot: {plot}\nproject: {thing}, length {long:g} "
            f"m, width {wide:g} m\nattached: {papers[0]}, {papers[1]}\nnot attached: {lacking}\nfee: {fee} euros\n"
            f"decision: {said}\nhandled by {clerk}",
            f"Dear {owner}, thank you for your {papers[1]} and your {papers[0]}. Please send the {lacking} too. "
            f"{said} It is about your {thing} on plot {plot}, {long:g} m long and {wide:g} m wide, application dated "
            f"{day(draw, filed)}. The fee is {fee} euros. {clerk}",
            f"{said} The {lacking} was not in the envelope, {papers[0]} and {papers[1]} were. Fee of {fee} euros for "
            f"{an(thing)} {wide:g} m wide, {long:g} m long. Plot {plot}, {owner}, received {day(draw, filed)}, signed "
            f"{clerk}",
        ]
    )
    schema = fields(
        applicant=TEXT, clerk=TEXT, project=fields(kind=TEXT, plot=TEXT, size=fields(length_m=NUMBER, width_m=NUMBER)),
        filed=DATE,
        papers=fields(attached=unordered(TEXT), lacking=unordered(TEXT)), fee=NUMBER,
        decision=one_of("granted", "refused", "pending"),
    )  # fmt: skip
    gold = dict(
        applicant=owner, clerk=clerk, project=dict(kind=thing, plot=plot, size=dict(length_m=long, width_m=wide)),
        filed=filed.isoformat(), papers=dict(attached=papers, lacking=[lacking]), fee=fee, decision=status,
    )  # fmt: skip
    wrong = {
        "papers.attached": [*papers, lacking],
        "applicant": clerk,
        "project.size": dict(length_m=wide + 9, width_m=long),
    }
    return Document(schema, gold, text, wrong)


def auction(draw: Random) -> Document:
    house, numbers = draw.choice(["Brandt and Moor", "the Salt Market", "Cobble Hall"]), draw.sample(range(1, 200), 3)
    titles = draw.sample(["a brass lamp", "a chess set", "two vases", "a globe", "a violin", "a rocking horse"], 3)
    lots: list[Json] = [
        dict(lot=number, title=title, price=draw.randrange(50, 900, 10))
        for number, title in zip(numbers, titles, strict=True)
    ]
    guess = lots[0]["price"] + 70
    lots[2]["price"] = None
    star, buyer = lots[0], draw.choice(FIRST_NAMES)
    a = f"lot {lots[1]['lot']}, {lots[1]['title']}, {lots[1]['price']} euros"
    b = f"lot {lots[2]['lot']}, {lots[2]['title']}, not sold"
    text = draw.choice(
        [
            f"Sale at {house}: lot {star['lot']}, {star['title']}, estimated {guess}, hammer {star['price']} euros; "
            f"{a}; {b}. Bidder {buyer} took both that were sold.",
            f"{house}, results\n{b}\n{a}\nlot {star['lot']}, {star['title']}, {star['price']} euros (we had hoped for "
            f"{guess})\nbuyer each time: {buyer}",
            f"{buyer} bought everything that went at {house}. That is {a} and lot {star['lot']}, {star['title']}, for "
            f"{star['price']} euros, less than the {guess} of the catalogue. Left over: lot {lots[2]['lot']}, "
            f"{lots[2]['title']}.",
            f"Nobody bid for lot {lots[2]['lot']} ({lots[2]['title']}). {buyer} paid {star['price']} euros for lot "
            f"{star['lot']} ({star['title']}) and {lots[1]['price']} for lot {lots[1]['lot']} ({lots[1]['title']}). "
            f"Three lots in all, valued at {guess} and more. {house}",
        ]
    )
    schema = fields(
        house=TEXT,
        buyer=TEXT,
        lots=unordered(fields(lot=WHOLE, title=TEXT, price=noted(maybe(NUMBER), "null if unsold"))),
    )
    return Document(schema, dict(house=house, buyer=buyer, lots=lots), text, {"lots.0.price": guess, "lots.2.price": 0})


FAMILIES: list[Family] = [
    flight,
    course,
    weather,
    bus_times,
    museum_hours,
    road_works,
    bike_theft,
    school_trip,
    exam_results,
    health_form,
    dentist_card,
    waste_dates,
    building_permit,
    auction,
]
