"""Training texts written at home and to the services that people call. Each function is a family."""

from datetime import timedelta
from random import Random

from authoring.structured.train_words import COLLEAGUES, FIRST_NAMES, PEOPLE, TOWNS
from authoring.vocabulary import WORKDAYS
from verigym.core.records import Json
from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    SPELT,
    TEXT,
    TIME,
    WHOLE,
    YES,
    Document,
    Family,
    an,
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


def invitation(draw: Random) -> Document:
    host, guest = draw.sample(COLLEAGUES, 2)
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
        + (f"Tell me by {day(draw, some_day(draw, reply, 1))} whether you come. " if reply else "Just come. ")
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


def vet_visit(draw: Random) -> Document:
    owner, vet = draw.sample(COLLEAGUES, 2)
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
        + (f"Come back {day(draw, some_day(draw, again, 1))}." if again else "Come back only if it gets worse.")
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


def shopping_list(draw: Random) -> Document:
    a, b, c, gone, have = draw.sample(
        ["bread", "oat milk", "candles", "rice", "apples", "soap", "batteries", "yoghurt", "stamps", "cat food"], 5
    )
    shop, who = draw.choice(["the market", "the corner shop", "the mill store"]), draw.choice(FIRST_NAMES)
    most = either(draw, draw.randrange(15, 60, 5))
    limit = f"Don't spend more than {most} euros." if most else "Money is in the drawer, take what you need."
    text = draw.choice(
        [
            f"{who}, on your way home stop at {shop} pls: {a}, {gone}, {b}, {c}. No wait, not {gone}, too heavy. "
            f"{have.capitalize()} we still have. {limit}",
            f"TO BUY ({shop})\n- {a}\n- {b}\n- {gone}   <- crossed out\n- {c}\nNOT {have}, the cupboard is full\n"
            f"{limit}\n{who} goes",
            f"Hi {who}! {limit} We are out of {a} and {b}. At {shop} they have {c} too, get some. I wanted {gone} but "
            f"forget it; and we have enough {have} here.",
            f"{have}: enough at home\n{c} + {a} + {b}: please bring\n{gone}: changed my mind, no\nwhere: {shop}. who: "
            f"{who}. {limit}",
        ]
    )
    schema = fields(shopper=TEXT, shop=TEXT, buy=unordered(TEXT), budget=maybe(NUMBER))
    gold = dict(shopper=who, shop=shop, buy=[a, b, c], budget=most)
    return Document(schema, gold, text, {"buy": [a, b, c, gone]})


def babysitter(draw: Random) -> Document:
    child, other, sitter = draw.sample(FIRST_NAMES, 3)
    bed, late, back = some_time(draw, 18, 19), some_time(draw, 20, 20), some_time(draw, 22, 23)
    no, snack = draw.sample(["nuts", "olives", "strawberries", "raisins", "crackers"], 2)
    phone = f"0{draw.randint(600, 799)} {draw.randint(1000, 9999)}"
    story = either(draw, draw.choice(["The Brave Turnip", "Nine Socks", "Moon Soup"]), 0.5)
    read = f'story: "{story}"' if story else "no story tonight"
    text = draw.choice(
        [
            f"Dear {sitter}, {child} must be in bed at {clock(draw, bed)} ({other}, who is older, at "
            f"{clock(draw, late)}). {snack.capitalize()} before that are fine, {no} are not: {child} is allergic. "
            f"{read}. We are back by {clock(draw, back)}. Trouble? {phone}.",
            f"{child}: lights out {clock(draw, bed)}, {read}\n{other}: lights out {clock(draw, late)}\nsnack {snack}\n"
            f"ALLERGY ({child}): {no}\nwe return {clock(draw, back)}, tel {phone}\nthanks {sitter}!!",
            f"{sitter}, our number is {phone}. home again at {clock(draw, back)}. both get {snack}; with {no} {child} "
            f"gets a rash so none of that. {child} sleeps from {clock(draw, bed)}, {other} reads until "
            f"{clock(draw, late)}. {read}",
            f"Evening plan for {sitter}\n1. {snack} for {child}, never {no} (allergic)\n2. {child} to bed, "
            f"{clock(draw, bed)}; {read}\n3. {other} to bed, {clock(draw, late)}\n4. we come home, "
            f"{clock(draw, back)}\nring {phone} at any time",
        ]
    )
    schema = fields(
        sitter=TEXT, allergic_child=fields(name=TEXT, bedtime=TIME, must_not_eat=unordered(TEXT)), snack=TEXT,
        story=maybe(TEXT),
        parents_back=TIME, phone=TEXT,
    )  # fmt: skip
    gold = dict(
        sitter=sitter, allergic_child=dict(name=child, bedtime=bed, must_not_eat=[no]), snack=snack, story=story,
        parents_back=back,
        phone=phone,
    )  # fmt: skip
    return Document(
        schema, gold, text, {"allergic_child.bedtime": late, "allergic_child.name": other, "parents_back": late}
    )


def plant_care(draw: Random) -> Document:
    names = draw.sample(["fern", "cactus", "palm", "basil", "ivy", "orchid", "lemon tree"], 4)
    plants = [
        dict(plant=name, every_days=draw.choice([2, 3, 4, 7, 14]), millilitres=draw.randrange(50, 400, 50))
        for name in names[:3]
    ]
    fake, who = names[3], draw.choice(FIRST_NAMES)
    rows = [f"{one['plant']}: {one['millilitres']} ml every {one['every_days']} days" for one in plants]
    other = [f"every {one['every_days']} days the {one['plant']} gets {one['millilitres']} ml" for one in plants]
    gone, back = (first := some_day(draw)), first + timedelta(draw.randint(8, 25))
    text = draw.choice(
        [
            f"Thank you for watering, {who}! We are away {day(draw, gone)} to {day(draw, back)}.\n"
            f"{scattered(draw, rows)}\n(the {fake} is plastic, leave it dry)",
            f"{who} - {', '.join(other)}. The {fake} by the door needs nothing, it is made of silk. Off on "
            f"{day(draw, gone)}, home on {day(draw, back)}.",
            f"plants!!\n{scattered(draw, [*rows, f'{fake}: never, it is not real'])}\n{who}, we are gone from "
            f"{day(draw, gone)} till {day(draw, back)}",
            f"We leave {day(draw, gone)}. Until {day(draw, back)} {who} looks after the green ones: "
            f"{'; '.join(other)}. Somebody watered the {fake} last year, which is paper. Please don't.",
        ]
    )
    schema = fields(
        helper=TEXT, away=fields(first=DATE, last=DATE),
        plants=unordered(fields(plant=TEXT, every_days=WHOLE, millilitres=WHOLE)),
    )  # fmt: skip
    gold = dict(helper=who, away=dict(first=gone.isoformat(), last=back.isoformat()), plants=plants)
    return Document(schema, gold, text, {"plants": [*plants, dict(plant=fake, every_days=7, millilitres=100)]})


def pill_box(draw: Random) -> Document:
    a, b, c, d, stopped = draw.sample(
        ["Corvadin", "Lunexa", "Vitol D", "Tensopan", "Gastrol", "Ferrum B", "Omnilax"], 5
    )
    who, until = draw.choice(PEOPLE), some_day(draw)
    text = draw.choice(
        [
            f"Pills of {who}\nmorning: {a}, {b}\nnoon: {c}\nevening: {a}, {d}\n{stopped} is stopped. Plan valid until "
            f"{day(draw, until)}.",
            f"{who} takes {a} twice, when getting up and in the evening. With breakfast in the morning also {b}, at "
            f"lunch (noon) {c}. {d} only at night, i.e. evening. No more {stopped}! New plan after "
            f"{day(draw, until)}; this one ends then.",
            f"noon -> {c}\nevening -> {d} and {a}\nmorning -> {b} and {a}\nnever again -> {stopped}\n({who}, ends "
            f"{day(draw, until)})",
            f"Doctor has taken {who} off {stopped}. What is left: mornings {a} + {b}, noon just {c}, evenings {a} + "
            f"{d}. Last day of this scheme is {day(draw, until)}.",
        ]
    )
    schema = fields(
        patient=TEXT, plan=fields(morning=unordered(TEXT), noon=unordered(TEXT), evening=unordered(TEXT)),
        stopped=unordered(TEXT), valid_until=DATE,
    )  # fmt: skip
    gold = dict(
        patient=who,
        plan=dict(morning=[a, b], noon=[c], evening=[a, d]),
        stopped=[stopped],
        valid_until=until.isoformat(),
    )
    return Document(schema, gold, text, {"plan.noon": [c, stopped], "plan.evening": [d], "stopped": []})


def meter_card(draw: Random) -> Document:
    meters: list[Json] = [
        dict(kind=kind, previous=(old := draw.randint(1000, 8000)), current=old + draw.randint(12, 700))
        for kind in draw.sample(["gas", "water", "electricity"], 2)
    ]
    one, two = meters
    read, flat = some_day(draw), f"{draw.randint(1, 9)}{draw.choice('ABC')}"
    slip = two["current"] + 1000
    text = draw.choice(
        [
            f"Meters of flat {flat}, read {day(draw, read)}: {one['kind']} {one['current']} (last year "
            f"{one['previous']}), {two['kind']} {slip}, no sorry, {two['current']} (last year {two['previous']}).",
            f"flat {flat}\n{two['kind']}: was {two['previous']}, is {slip}\n{one['kind']}: was {one['previous']}, is "
            f"{one['current']}\nP.S. misread the {two['kind']}, should be {two['current']}\n{day(draw, read)}",
            f"I went down on {day(draw, read)}. The {one['kind']} shows {one['current']}, up from {one['previous']}. "
            f"{two['kind'].capitalize()} went from {two['previous']} to {two['current']}, not to {slip} as I said on "
            f"the phone. Flat {flat}",
            f"{two['kind']} old/new {two['previous']}/{two['current']} -- {one['kind']} old/new "
            f"{one['previous']}/{one['current']} -- flat {flat} -- {day(draw, read)} -- (ignore my first card with "
            f"{slip})",
        ]
    )
    schema = fields(
        flat=TEXT, read_on=DATE,
        meters=unordered(fields(kind=one_of("gas", "water", "electricity"), previous=WHOLE, current=WHOLE)),
    )  # fmt: skip
    gold = dict(flat=flat, read_on=read.isoformat(), meters=meters)
    return Document(schema, gold, text, {"meters.1.current": slip, "meters.0.previous": one["current"]})


def second_hand(draw: Random) -> Document:
    thing = draw.choice(["oak table", "cargo bike", "sewing machine", "aquarium", "rowing machine", "bunk bed"])
    now, off = draw.randrange(40, 300, 5), draw.randrange(10, 60, 5)
    state = draw.choice(["new", "good", "worn"])
    about = {
        "new": "never used",
        "good": "used but in good shape",
        "worn": "worn all over",
    }[state]
    parts = draw.sample(["the manual", "a cover", "spare screws", "a lamp", "two cushions"], 2)
    pick, phone = draw.random() < 0.5, either(draw, f"0{draw.randint(300, 499)}-{draw.randint(10000, 99999)}", 0.5)
    way = "you must collect it" if pick else "I can deliver"
    call = f"call {phone}" if phone else "write to me here"
    text = draw.choice(
        [
            f"For sale: {thing}, {about}. Price was {now + off}, now {now} euros. Comes with {parts[0]} and "
            f"{parts[1]}. {way}; {call}",
            f"{now}!!! (not {now + off} any more) {thing} - {about} - incl. {parts[0]} + {parts[1]} - {way} - {call}",
            f"We part with our {thing}. It is {about}, {way}. A shop asked {now + off} for the same, I ask {now}. You "
            f"also get {parts[0]}, and {parts[1]}. {call.capitalize()}.",
            f"{way.capitalize()}. {call.capitalize()}. What: {an(thing)}, {about}, together with {parts[0]} and "
            f"{parts[1]}. Reduced to {now} euros from {now + off}.",
        ]
    )
    schema = fields(
        item=TEXT, condition=one_of("new", "good", "worn"), price=NUMBER, included=unordered(TEXT), pickup_only=YES,
        phone=maybe(TEXT),
    )  # fmt: skip
    gold = dict(item=thing, condition=state, price=now, included=parts, pickup_only=pick, phone=phone)
    return Document(schema, gold, text, {"price": now + off, "pickup_only": not pick})


def moving_boxes(draw: Random) -> Document:
    numbers = draw.sample(range(1, 40), 3)
    stuff = draw.sample(["plates", "towels", "maps", "shoes", "cables", "toys", "records", "lamps"], 6)
    rooms = draw.sample(["kitchen", "cellar", "study", "bedroom", "attic"], 4)
    boxes: list[Json] = [
        dict(number=number, room=room, contents=stuff[2 * place : 2 * place + 2], fragile=draw.random() < 0.4)
        for place, (number, room) in enumerate(zip(numbers, rooms[1:], strict=True))
    ]
    shown = [rooms[0], *(box["room"] for box in boxes[1:])]
    rows = [
        f"box {box['number']} ({room}): {box['contents'][0]}, "
        f"{box['contents'][1]}{' - FRAGILE' if box['fragile'] else ''}"
        for box, room in zip(boxes, shown, strict=True)
    ]
    told = [
        f"In box {box['number']} there are {box['contents'][0]} and {box['contents'][1]}, "
        f"{'careful, it breaks, ' if box['fragile'] else ''}"
        f"it goes to the {room}."
        for box, room in zip(boxes, shown, strict=True)
    ]
    fix = f"box {numbers[0]}, which goes to the {rooms[1]} and not to the {rooms[0]}"
    text = draw.choice(
        [
            f"{scattered(draw, rows)}\nOne mistake: {fix}.",
            f"{' '.join(told)} Only one is wrong here: {fix}!",
            f"labels so far\n{scattered(draw, rows)}\n(what has no mark may be thrown about)\n*** change *** {fix}",
            f"Movers please note {fix}. The rest is right:\n{scattered(draw, told)}",
        ]
    )
    schema = fields(boxes=unordered(fields(number=WHOLE, room=TEXT, contents=unordered(TEXT), fragile=YES)))
    return Document(schema, dict(boxes=boxes), text, {"boxes.0.room": rooms[0]})


def chore_rota(draw: Random) -> Document:
    days, people = sorted(draw.sample(range(5), 3)), draw.sample(FIRST_NAMES, 3)
    jobs = draw.sample(["bins", "bathroom", "stairs", "dishes", "laundry"], 3)
    rota = [dict(day=WORKDAYS[d], who=who, chore=job) for d, who, job in zip(days, people, jobs, strict=True)]
    was = [dict(one) for one in rota]
    was[0]["who"], was[1]["who"] = people[1], people[0]
    rows = [f"{one['day']}: {one['who']}, {one['chore']}" for one in was]
    told = [f"{one['who']} does the {one['chore']} on {one['day']}" for one in was]
    week, free = draw.randint(1, 52), draw.choice([name for name in FIRST_NAMES if name not in people])
    text = draw.choice(
        [
            f"ROTA week {week}\n{scattered(draw, rows)}\nPrinted too early: {people[0]} and {people[1]} swap days and jobs! "
            f"{free} is away.",
            f"Week {week}: {'; '.join(told)}. {free} has the week off. Later: {people[1]} takes what was "
            f"{people[0]}'s and {people[0]} what was {people[1]}'s.",
            f"(week {week}) {people[0]} <-> {people[1]} exchanged everything below, {people[2]} as written, {free} "
            f"ill\n{scattered(draw, rows)}",
            f"Who does what in week {week}? First plan: {', '.join(told)}. Then {people[0]} asked {people[1]} to "
            f"trade places, and that is agreed. {free} does nothing, as ever.",
        ]
    )
    schema = fields(
        week=WHOLE, rota=unordered(fields(day=one_of(*WORKDAYS), who=TEXT, chore=TEXT)), excused=unordered(TEXT)
    )
    gold = dict(week=week, rota=rota, excused=[free])
    return Document(schema, gold, text, {"rota": was, "excused": []})


def cottage_rules(draw: Random) -> Document:
    name, host = draw.choice(["Gull Cottage", "the Ferry House", "Hut Lark", "the Apple Barn"]), draw.choice(PEOPLE)
    leave, old = some_time(draw, 9, 11), some_time(draw, 12, 13)
    code, wrong = draw.sample(["blueboat7", "thistle22", "owlpost5", "marmot81"], 2)
    quiet = dict(start=some_time(draw, 21, 23), end=some_time(draw, 6, 7))
    bins, dogs = draw.choice(WORKDAYS), draw.random() < 0.5
    pets = "Dogs may stay" if dogs else "No dogs please"
    text = draw.choice(
        [
            f"Welcome to {name}! Wifi: {code} (the old one, {wrong}, is dead). Bins go out on {bins}. Quiet from "
            f"{clock(draw, quiet['start'])} to {clock(draw, quiet['end'])}. Leave by {clock(draw, leave)}, no longer "
            f"{clock(draw, old)}. {pets}. {host}",
            f"{name}, house sheet\nbins ....... {bins}\nquiet ...... {quiet['start']}-{quiet['end']}\nwifi ....... "
            f"{wrong}, now {code}\nout by ..... {clock(draw, leave)} (last season {clock(draw, old)})\ndogs ....... "
            f"{'yes' if dogs else 'no'}\nhost ....... {host}",
            f"{pets}, and no noise between {clock(draw, quiet['start'])} and {clock(draw, quiet['end'])}. When you "
            f"go, be out of {name} at {clock(draw, leave)}; the cleaner comes {clock(draw, old)}. {bins} is bin day. "
            f"For the internet type {code} where it said {wrong}. Yours, {host}",
            f"Hello, I am {host}, {name} is yours now. Key words: internet {code}, formerly {wrong}; rubbish {bins}; "
            f"{pets.lower()}; last morning: gone by {clock(draw, leave)}. At night ({clock(draw, quiet['start'])} "
            f"till {clock(draw, quiet['end'])}) the neighbours sleep. Lunch in the inn: {clock(draw, old)}.",
        ]
    )
    schema = fields(
        house=TEXT, host=TEXT, wifi_password=TEXT, bin_day=one_of(*WORKDAYS), quiet=fields(start=TIME, end=TIME),
        leave_by=TIME,
        dogs=YES,
    )  # fmt: skip
    gold = dict(house=name, host=host, wifi_password=code, bin_day=bins, quiet=quiet, leave_by=leave, dogs=dogs)
    return Document(schema, gold, text, {"wifi_password": wrong, "leave_by": old, "dogs": not dogs})


def carpool(draw: Random) -> Document:
    driver, a, b, c, out = draw.sample(FIRST_NAMES, 5)
    seats, left = draw.randint(4, 6), some_time(draw, 6, 8)
    to, free = draw.choice(["the lake", "the plant", "the stadium", "Camp North"]), seats - 3
    old = some_time(draw, 9, 10)
    start = clock(draw, left)
    text = draw.choice(
        [
            f"{driver} drives to {to} at {start} (not {clock(draw, old)}). {SPELT[seats].capitalize()} seats besides "
            f"the driver's. First {a} gets in, then {b}, last {c}. {out} goes by train after all.",
            f"car to {to}: {driver} at the wheel, room for {seats} more. pick up {a} > {b} > {c}. {out} cancelled. we "
            f"said {clock(draw, old)} but with that traffic make it {start}",
            f"{c} is picked up last and {a} first, {b} in between. {driver} takes {seats} passengers at most and "
            f"starts for {to} at {start}; {out} had a seat and gave it back. Arrival about {clock(draw, old)}.",
            f"{out}: I'm ill, go without me\n{driver}: ok. leaving {start} then, there by {clock(draw, old)}. {to} "
            f"here we come\n{driver}: my car takes {seats} of you\n{driver}: so it's {a}, afterwards {b}, afterwards "
            f"{c}",
        ]
    )
    schema = fields(
        driver=TEXT,
        destination=TEXT,
        departs=TIME,
        pickups=noted(listed(TEXT), "from the first to the last"),
        seats_free=noted(WHOLE, "with all of them in the car"),
    )
    gold = dict(driver=driver, destination=to, departs=left, pickups=[a, b, c], seats_free=free)
    return Document(schema, gold, text, {"departs": old, "pickups": [c, b, a], "seats_free": seats})


def gift_collection(draw: Random) -> Document:
    names = draw.sample(FIRST_NAMES, 5)
    gave: list[Json] = [dict(who=name, amount=draw.randrange(5, 40, 5)) for name in names[:3]]
    total, late, whom = sum(one["amount"] for one in gave), names[3], names[4]
    gift = draw.choice(["a telescope", "a kayak trip", "a record player", "a drill"])
    goal = total + draw.randrange(25, 90, 5)
    told = ", ".join(f"{one['who']} {one['amount']}" for one in draw.sample(gave, 3))
    text = draw.choice(
        [
            f"Collecting for {whom} ({gift}). Paid so far: {told}. {late} promised 20 and has not paid. We need "
            f"{goal} in all.",
            f"{gift} costs {goal}, for {whom}'s birthday. money in the tin: {told}. {late}, where are your 20???",
            f"goal: {goal} euros\nfor: {whom}\nwhat: {gift}\nin: {told}\nopen: {late}, 20",
            f"I have {told} in my hand. With the 20 of {late}, who is on holiday and pays later, it's still less than "
            f"the {goal} that {gift} for {whom} costs.",
        ]
    )
    schema = fields(
        gift=TEXT, recipient=TEXT, cost=NUMBER, paid=unordered(fields(who=TEXT, amount=NUMBER)),
        collected=noted(NUMBER, "paid in all"), unpaid=unordered(TEXT),
    )  # fmt: skip
    gold = dict(gift=gift, recipient=whom, cost=goal, paid=gave, collected=total, unpaid=[late])
    return Document(schema, gold, text, {"collected": total + 20, "paid": [*gave, dict(who=late, amount=20)]})


def bench_seats(draw: Random) -> Document:
    a, b, c, d, gone = draw.sample(FIRST_NAMES, 5)
    row = draw.randint(2, 30)
    hall = draw.choice(["the circus", "the school hall", "the open-air cinema"])
    text = draw.choice(
        [
            f"Row {row} in {hall}. {b} has {a} on the left and {c} on the right; {d} sits to the right of {c}. {gone} "
            "could not come.",
            f"{hall}, row {row}: far left {a}, far right {d}. {b} is next to {a}, {c} next to {d}. The ticket of "
            f"{gone} was given back.",
            f"We were in {hall}, row {row}. Seen from behind: {a}, on the right of that {b}, and so on with {c}, "
            f"finally {d}. {gone} stayed at home.",
            f"{d} wanted the seat at the right end, {a} the one at the left end. Of the middle ones {b} took the left "
            f"and {c} the right. It was row {row} of {hall}. {gone} is in row {row + 1}.",
        ]
    )
    schema = fields(
        place=TEXT,
        row=WHOLE,
        seats=noted(listed(TEXT), "from left to right"),
        not_there=noted(TEXT, "not in this row"),
    )
    gold = dict(place=hall, row=row, seats=[a, b, c, d], not_there=gone)
    return Document(schema, gold, text, {"seats": [d, c, b, a], "not_there": a})


FAMILIES: list[Family] = [
    product_review,
    recipe,
    flat_ad,
    invitation,
    vet_visit,
    shopping_list,
    babysitter,
    plant_care,
    pill_box,
    meter_card,
    second_hand,
    moving_boxes,
    chore_rota,
    cottage_rules,
    carpool,
    gift_collection,
    bench_seats,
]
