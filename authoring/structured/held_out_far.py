"""More held-out families: studios, machines, slopes and archives. Each in three ways."""

from datetime import timedelta
from random import Random

from authoring.structured.held_out_more import NICK, PEOPLE
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
    address,
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


def firewall(draw: Random) -> Document:
    box = f"gw-{draw.choice(['east', 'west', 'lab'])}-{draw.randint(1, 9)}"
    ports = draw.sample([22, 25, 53, 80, 443, 993, 3306, 8080], 4)
    rules: list[Json] = [
        dict(action=draw.choice(["allow", "deny"]), port=port, protocol=draw.choice(["tcp", "udp"]))
        for port in ports[:3]
    ]
    rest = draw.choice(["allow", "deny"])
    lines = [f"{one['action']} {one['protocol']} {one['port']}" for one in rules]
    off = f"{draw.choice(['allow', 'deny'])} tcp {ports[3]}"
    first, second, third = lines
    text = draw.choice(
        [
            f"# rules of {box}\n{first}\n{second}\n!{off}\n{third}\ndefault {rest}\n# a line that begins with ! is "
            "switched off",
            f"{box}, top to bottom: {first}, {second}, {third}; everything else: {rest}. There was one more, "
            f'"{off}", we took it out.',
            f'On {box} the last of three rules is "{third}", the top one "{first}", with "{second}" in the '
            f'middle. Default is {rest}. Not active: "{off}".',
        ]
    )
    act = one_of("allow", "deny")
    rule = fields(action=act, port=WHOLE, protocol=one_of("tcp", "udp"))
    schema = fields(device=TEXT, rules=noted(listed(rule), "active ones, from the top"), default=act)
    gold = dict(device=box, rules=rules, default=rest)
    ghost = dict(action="allow", port=ports[3], protocol="tcp")
    return Document(schema, gold, text, {"rules": [*rules, ghost], "default": "deny" if rest == "allow" else "allow"})


def pool_water(draw: Random) -> Document:
    pool, who = draw.choice(["Dolphin Bath", "the spa", "the diving tank"]), draw.choice(PEOPLE)
    tests = [
        ("chlorine", draw.randint(2, 30) / 10),
        ("acidity", draw.randint(66, 80) / 10),
        ("hardness", draw.randint(5, 30)),
    ]
    values = [dict(test=name, value=value) for name, value in tests]
    warm, redo = draw.randint(240, 330) / 10, draw.randint(31, 45) / 10
    ok = draw.random() < 0.5
    ruling = "Swimming is allowed" if ok else "Swimming is forbidden for now"
    at = some_time(draw, 6, 20)
    rest = f"acidity {tests[1][1]:g}, hardness {tests[2][1]}"
    text = draw.choice(
        [
            f"{pool} {clock(draw, at)}: chlorine {redo:g}?? Strip was old. Fresh strip: chlorine {tests[0][1]:g}. "
            f"{rest}. {warm:g} degrees. {ruling}. {who}",
            f"{ruling}. Water of {pool} sampled at {clock(draw, at)} by {who}: {warm:g} C, {rest}, chlorine "
            f"{tests[0][1]:g} (yesterday {redo:g})",
            f"sampled by {who} / {pool} / {clock(draw, at)}\n{rest}\nchlorine {tests[0][1]:g}, where the probe in the "
            f"wall claims {redo:g}, it is broken\ntemperature {warm:g}\n{ruling}",
        ]
    )
    schema = fields(
        pool=TEXT,
        sampled_by=TEXT,
        time=TIME,
        celsius=NUMBER,
        tests=unordered(fields(test=TEXT, value=NUMBER)),
        open_to_swimmers=YES,
    )
    gold = dict(pool=pool, sampled_by=who, time=at, celsius=warm, tests=values, open_to_swimmers=ok)
    return Document(schema, gold, text, {"tests.0.value": redo, "open_to_swimmers": not ok})


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


def snow_report(draw: Random) -> Document:
    hill = draw.choice(["Kahlberg", "Mount Orso", "Schneekopf"])
    lifts = draw.sample(["Gondola", "Bear Lift", "North Chair", "Baby Tow", "Summit Rope"], 4)
    valley = draw.randrange(5, 80, 5)
    top, fresh = valley + draw.randrange(20, 150, 5), either(draw, draw.randint(3, 40), 0.6)
    danger = draw.randint(1, 5)
    new = f"{fresh} cm fell overnight" if fresh else "no data on new snow"
    when = some_day(draw, "2026-12-01", 90)
    run, stand = lifts[:2], lifts[2:]
    text = draw.choice(
        [
            f"{hill}, {day(draw, when)}: {top} cm at the top, {valley} cm in the valley, {new}. Running: {run[0]}, "
            f"{run[1]}. Standing still: {stand[0]}, {stand[1]}. Avalanche level {danger} of 5.",
            f"Avalanche danger {danger} on {hill} today, {day(draw, when)}. {run[0]} and {run[1]} take you up, "
            f"{stand[0]} and {stand[1]} wait for calmer wind. Depth {valley} cm below and {top} cm above; {new}.",
            f"snow line {hill}\nvalley/top: {valley}/{top} cm ({new})\nlifts ON {run[1]}, {run[0]}\nlifts OFF "
            f"{stand[1]}, {stand[0]}\ndanger level: {danger}\nas of {day(draw, when)}",
        ]
    )
    schema = fields(
        mountain=TEXT, date=DATE, depth_cm=fields(top=WHOLE, valley=WHOLE, fresh=maybe(WHOLE)),
        lifts=fields(running=unordered(TEXT), stopped=unordered(TEXT)), avalanche_level=WHOLE,
    )  # fmt: skip
    gold = dict(
        mountain=hill, date=when.isoformat(), depth_cm=dict(top=top, valley=valley, fresh=fresh),
        lifts=dict(running=run, stopped=stand), avalanche_level=danger,
    )  # fmt: skip
    wrong = {"lifts": dict(running=stand, stopped=run), "depth_cm.top": valley}
    return Document(schema, gold, text, wrong)


def donation(draw: Random) -> Document:
    giver, cause = (
        draw.choice(PEOPLE),
        draw.choice(["the otter fund", "the lifeboat", "the night shelter", "the orchard"]),
    )
    often = draw.choice(["once", "monthly", "yearly"])
    said = dict(once="one single time", monthly="every month", yearly="every year")[often]
    amount, before = draw.sample(range(10, 200, 5), 2)
    hidden, receipt = draw.random() < 0.5, draw.random() < 0.5
    name = "do not print my name" if hidden else "you may print my name"
    proof = "I want a receipt" if receipt else "I need no receipt"
    reach = either(draw, address(giver, "quickpost"), 0.6)
    mail = f"write to {reach}" if reach else "do not write to me"
    start = some_day(draw)
    text = draw.choice(
        [
            f"From {day(draw, start)} I give {money(draw, amount)} to {cause}, {said}, instead of the {before} so "
            f"far. {name.capitalize()}; {proof}; {mail}. {giver}",
            f"{giver} pledges {amount} euros ({said}) for {cause}. Begin: {day(draw, start)}. Earlier pledge of "
            f'{before} is void. Wishes: "{name}", "{proof}", "{mail}".',
            f"pledge card\n{cause}\n[{before}] crossed out -> [{amount}] euros, {said}\nfirst payment "
            f"{day(draw, start)}\n{proof}\n{name}\n{mail}\nsigned {giver}",
        ]
    )
    schema = fields(
        donor=fields(name=TEXT, email=maybe(TEXT), anonymous=YES), cause=TEXT, amount=NUMBER,
        frequency=one_of("once", "monthly", "yearly"),
        first_payment=DATE, receipt=YES,
    )  # fmt: skip
    gold = dict(
        donor=dict(name=giver, email=reach, anonymous=hidden), cause=cause, amount=amount, frequency=often,
        first_payment=start.isoformat(), receipt=receipt,
    )  # fmt: skip
    return Document(schema, gold, text, {"amount": before, "donor.anonymous": not hidden})


def laundry_ticket(draw: Random) -> Document:
    ticket, guest = f"{draw.randint(100, 999)}", draw.choice(PEOPLE)
    brought = some_day(draw)
    wait = draw.randint(2, 6)
    pieces: list[Json] = [
        dict(piece=piece, count=draw.randint(2, 9))
        for piece in draw.sample(["shirts", "curtains", "napkins", "pillowcases"], 2)
    ]
    stain = either(draw, draw.choice(["ink", "wine", "grass", "wax"]), 0.5)
    mark = f"with {stain} stains" if stain else "no stains"
    kept = draw.choice(["a tie", "a belt", "a glove"])
    p, q = (f"{SPELT[one['count']]} {one['piece']}" for one in pieces)
    text = draw.choice(
        [
            f"No. {ticket}: {p} and {q}, {mark}, in on {day(draw, brought)}, ready {wait} days after. {guest}. "
            f"{kept.capitalize()} was handed back unwashed.",
            f"{guest} brought {q} plus {p} ({mark}) on {day(draw, brought)}. Pick-up {counted(wait, 'day')} later "
            f"with ticket {ticket}. We do not clean {kept}.",
            f"TICKET {ticket}\nin: {day(draw, brought)}\nout: {wait} days later\n{p}\n{q}\n{mark}\nreturned as it "
            f"was: {kept}\nname: {guest}",
        ]
    )
    schema = fields(
        ticket=TEXT, customer=TEXT, brought=DATE, ready=DATE,
        pieces=noted(unordered(fields(piece=TEXT, count=WHOLE)), "to be washed"),
        stain=maybe(TEXT),
    )  # fmt: skip
    gold = dict(
        ticket=ticket, customer=guest, brought=brought.isoformat(), ready=(brought + timedelta(wait)).isoformat(),
        pieces=pieces,
        stain=stain,
    )  # fmt: skip
    return Document(schema, gold, text, {"ready": brought.isoformat(), "pieces": [*pieces, dict(piece=kept, count=1)]})


def water_claim(draw: Random) -> Document:
    insured, policy = draw.choice(PEOPLE), f"HH{draw.randint(10000, 99999)}"
    cause = draw.choice(["pipe", "storm", "appliance"])
    said = dict(
        pipe="a pipe burst in the wall", storm="rain came in through the skylight", appliance="the dishwasher ran over"
    )[cause]
    items: list[Json] = [
        dict(item=item, value=draw.randrange(30, 900, 10))
        for item in draw.sample(["rug", "sofa", "bookcase", "amplifier", "mattress"], 3)
    ]
    saved = items.pop()
    total, when = items[0]["value"] + items[1]["value"], some_day(draw)
    noticed = when + timedelta(draw.randint(1, 5))
    a, b = (f"{one['item']} {one['value']}" for one in items)
    text = draw.choice(
        [
            f"Policy {policy}, {insured}. On {day(draw, when)} {said}; we saw it on {day(draw, noticed)}, coming "
            f"home. Ruined: {a}, {b} (euros). The {saved['item']}, worth {saved['value']}, dried well.",
            f"claim by {insured} under {policy}\nhappened {day(draw, when)}, discovered {day(draw, noticed)}\nhow: "
            f"{said}\nlost: {b} euros; {a} euros\nsaved: {saved['item']} {saved['value']} euros",
            f"To my insurer, number {policy}: {said} ({day(draw, when)}), which nobody noticed before "
            f"{day(draw, noticed)}. Please replace {a} and {b}, both in euros, but not the {saved['item']} "
            f"({saved['value']}), we could rescue it. {insured}",
        ]
    )
    schema = fields(
        policy=TEXT, insured=TEXT, happened=DATE, discovered=DATE, cause=one_of("pipe", "storm", "appliance"),
        damaged=unordered(fields(item=TEXT, value=NUMBER)), claimed=noted(NUMBER, "sum of what is damaged"),
    )  # fmt: skip
    gold = dict(
        policy=policy, insured=insured, happened=when.isoformat(), discovered=noticed.isoformat(), cause=cause,
        damaged=items,
        claimed=total,
    )  # fmt: skip
    wrong = {"claimed": total + saved["value"], "damaged": [*items, saved], "happened": noticed.isoformat()}
    return Document(schema, gold, text, wrong)


def find_card(draw: Random) -> Document:
    site, digger = draw.choice(["Bog Field", "Chapel Mound", "Trench Delta"]), draw.choice(PEOPLE)
    number, layer = draw.randint(100, 999), draw.choice(["I", "II", "III", "IV"])
    what, stuff = draw.choice([("a comb", "bone"), ("a bead", "glass"), ("a pin", "bronze"), ("a bowl", "clay")])
    x, y, deep = draw.randint(1, 90) / 10, draw.randint(1, 90) / 10, draw.randint(20, 180)
    depth = draw.choice([f"{deep} cm", f"{deep / 100:g} m"])
    whole = draw.random() < 0.5
    state = "unbroken" if whole else "in fragments"
    wrong = draw.choice([each for each in ("bone", "glass", "bronze", "clay") if each != stuff])
    text = draw.choice(
        [
            f"Find {number}, {site}, layer {layer}: {what}, {state}, first taken for {wrong}, in the lab clearly "
            f"{stuff}. x {x:g}, y {y:g}, {depth} down. Dug up by {digger}",
            f"{digger} recovered {what} ({state}) at {site}. Material {stuff}, not {wrong}. Layer {layer}; {depth} "
            f"below the surface; grid x={x:g} y={y:g}; card {number}",
            f"card no. {number}\nsite {site} / layer {layer} / depth {depth}\nx {x:g} / y {y:g}\nobject: {what}\n"
            f"material: {wrong}, later changed to {stuff}\n{state}\n{digger}",
        ]
    )
    schema = fields(
        number=WHOLE, site=TEXT, layer=TEXT, object=TEXT, material=one_of("bone", "glass", "bronze", "clay"),
        complete=YES,
        position=fields(x=NUMBER, y=NUMBER, depth_cm=NUMBER), finder=TEXT,
    )  # fmt: skip
    gold = dict(
        number=number, site=site, layer=layer, object=what, material=stuff, complete=whole,
        position=dict(x=x, y=y, depth_cm=deep),
        finder=digger,
    )  # fmt: skip
    return Document(schema, gold, text, {"material": wrong, "complete": not whole, "position.depth_cm": deep / 100})


def rehearsal(draw: Random) -> Document:
    group, chief = draw.choice(["the town orchestra", "Sinfonia Nova", "the wind band"]), draw.choice(PEOPLE)
    works = draw.sample(["March in G", "Winter Suite", "Fanfare", "Song of the Mill", "Overture"], 4)
    plan: list[Json] = [dict(work=work, minutes=draw.randrange(10, 50, 5)) for work in works[:3]]
    hour = draw.randint(16, 18)
    minutes = sum(one["minutes"] for one in plan)
    end = f"{hour + minutes // 60:02}:{minutes % 60:02}"
    absent = draw.sample(NICK, draw.randint(0, 2))
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


def waiting_list(draw: Random) -> Document:
    what = draw.choice(["the garden plots", "a berth in the marina", "the day nursery"])
    a, b, c, d, gone = draw.sample(PEOPLE, 5)
    free, fee = draw.randint(1, 3), price(draw, 20, 90)
    since = some_day(draw)
    text = draw.choice(
        [
            f"Queue for {what}, {day(draw, since)}: 1 {a}, 2 {gone}, 3 {b}, 4 {d}, 5 {c}. {gone} withdrew. {c} moves "
            f"ahead of {d}. Places free: {free}. Yearly {money(draw, fee)}",
            f"As of {day(draw, since)} {a} is at the head of those who wait for {what}, and {d} at the tail. {b} "
            f"comes right after {a}, {c} right before {d}. {gone} struck off. {free} to give away, {money(draw, fee)} "
            "a year.",
            f"{what} - {free} free - {money(draw, fee)} yearly\nstruck off: {gone}\nfirst {a}\nthen {b}\nthen {c}\n"
            f"then {d}\n({day(draw, since)})",
        ]
    )
    schema = fields(
        waiting_for=TEXT, updated=DATE, queue=noted(listed(TEXT), "whose turn is next first"), removed=unordered(TEXT),
        places_free=WHOLE,
        yearly_fee=NUMBER,
    )  # fmt: skip
    gold = dict(
        waiting_for=what,
        updated=since.isoformat(),
        queue=[a, b, c, d],
        removed=[gone],
        places_free=free,
        yearly_fee=fee,
    )
    return Document(schema, gold, text, {"queue": [a, gone, b, d, c], "removed": []})


def dictionary_entry(draw: Random) -> Document:
    word, plural, part, senses = draw.choice(
        [
            ("grellow", "grellows", "noun", ["a pale mushroom", "a timid person"]),
            ("smarl", None, "verb", ["to block a road", "to tangle a thread"]),
            ("brindy", None, "adjective", ["full of crumbs", "slightly drunk"]),
            ("plock", "plocken", "noun", ["a wooden peg", "a dull sound"]),
            ("mimble", None, "verb", ["to chew slowly", "to speak without moving the lips"]),
            ("dunkish", None, "adjective", ["grey as rain", "hard to please"]),
        ]
    )  # fmt: skip
    first, second = draw.sample(senses, 2)
    year, region = draw.randint(1540, 1890), draw.choice(["the fens", "the uplands", "port towns"])
    wrong = draw.choice([each for each in ("noun", "verb", "adjective") if each != part])
    use = draw.choice(["current", "rare", "obsolete"])
    today = dict(current="still in daily use", rare="seldom heard now", obsolete="no longer used by anyone")[use]
    many = f"plural: {plural}" if plural else "no plural"
    text = draw.choice(
        [
            f"{word} ({part}; {many}) 1. {first} 2. {second}. First found {year}, {region}; {today}. Older books call "
            f"it {an(wrong)}.",
            f"{word}\n  {part}, wrongly also listed as {wrong}\n  {many}\n  (1) {first}\n  (2) {second}\n  since "
            f"{year}, {region}, {today}",
            f'In {region} people have said "{word}" since {year}. Mainly it means {first}, and after that '
            f"{second}. It is {an(part)}, whatever my teacher said ({wrong}!), {today}, {many}.",
        ]
    )
    schema = fields(
        word=TEXT, part_of_speech=one_of("noun", "verb", "adjective"), plural=maybe(TEXT),
        senses=noted(listed(TEXT), "the main one first"),
        first_found=fields(year=WHOLE, region=TEXT), use=one_of("current", "rare", "obsolete"),
    )  # fmt: skip
    gold = dict(
        word=word,
        part_of_speech=part,
        plural=plural,
        senses=[first, second],
        first_found=dict(year=year, region=region),
        use=use,
    )
    return Document(schema, gold, text, {"part_of_speech": wrong, "senses": [second, first]})


FAMILIES: list[Family] = [
    podcast, firewall, pool_water, quiz_night, snow_report, donation, laundry_ticket, water_claim, find_card,
    rehearsal, waiting_list,
    dictionary_entry,
]  # fmt: skip
