"""Families to learn from: what is written at work: chats, settings, tables, handovers. Each in four ways."""

from datetime import timedelta
from random import Random

from authoring.structured.train_home import FIRST, PEOPLE
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
    clock,
    counted,
    day,
    either,
    fields,
    listed,
    maybe,
    noted,
    one_of,
    price,
    scattered,
    some_day,
    some_time,
    unordered,
)


def standup(draw: Random) -> Document:
    team = draw.choice(["red team", "platform team", "mobile team"])
    tasks = draw.sample(["login page", "export", "invoice mails", "search index", "dark mode", "backup job"], 6)
    people = [
        dict(name=name, done=tasks[2 * place], next=tasks[2 * place + 1], blocked_by=either(draw, why, 0.5))
        for place, (name, why) in enumerate(
            zip(
                draw.sample(FIRST, 3), draw.sample(["missing access", "a broken build", "legal review"], 3), strict=True
            )
        )
    ]
    away = draw.choice([name for name in FIRST if name not in [one["name"] for one in people]])
    a = [
        f"{one['name']}: done {one['done']}, next {one['next']}, "
        f"{'stuck: ' + one['blocked_by'] if one['blocked_by'] else 'not stuck'}"
        for one in people
    ]
    b = [
        f"{one['name']} finished {one['done']} and starts {one['next']} today"
        + (f", but waits because of {one['blocked_by']}." if one["blocked_by"] else ".")
        for one in people
    ]
    text = draw.choice(
        [
            f"standup, {team}\n{scattered(draw, a)}\n{away}: day off",
            f"{' '.join(b)} {away} is not here today. ({team})",
            f"#{team}\n{away} is out\n{scattered(draw, b)}",
            f"{away} could not join the {team}. The others: {' / '.join(a)}",
        ]
    )
    person = fields(name=TEXT, done=TEXT, next=TEXT, blocked_by=maybe(TEXT))
    schema = fields(team=TEXT, people=unordered(person), absent=unordered(TEXT))
    gold = dict(team=team, people=people, absent=[away])
    swapped = [{**one, "done": one["next"], "next": one["done"]} for one in people]
    return Document(schema, gold, text, {"people": swapped, "absent": []})


def settings_file(draw: Random) -> Document:
    host, old = draw.sample(["db1.example", "db2.example", "store.example", "mirror.example"], 2)
    port, wait, secure = draw.randrange(5000, 9000, 10), draw.choice([5, 10, 30, 45, 60]), draw.random() < 0.5
    user = either(draw, draw.choice(["reader", "app", "batch"]), 0.6)
    level = draw.choice(["debug", "info", "warning"])
    flag, name = ("on" if secure else "off"), f"user = {user}" if user else "# user ="
    text = draw.choice(
        [
            f"[database]\nhost = {host}\n# host = {old}\nport = {port}\n{name}\n[net]\nssl = {flag}\ntimeout = "
            f"{wait}s\n[log]\nlevel = {level}",
            f"; old machine: {old}\n[log]\nlevel = {level}\n[net]\ntimeout = {wait * 1000} ms\nssl = {flag}\n"
            f"[database]\n{name}\nport = {port}\nhost = {host}",
            f"The settings as I remember them: database on {host}, port {port} ({old} is switched off), "
            f"{f'user {user}' if user else 'user left empty'}. SSL is {flag}, timeout {wait} seconds, log level "
            f"{level}.",
            f"please change\n- database host {old} -> {host}\n- port -> {port}\n- ssl -> {flag}, timeout -> {wait} s\n"
            f"- log level -> {level}\n- user -> {user or '(not set)'}",
        ]
    )
    schema = fields(
        database=fields(host=TEXT, port=WHOLE, user=maybe(TEXT)), net=fields(ssl=YES, timeout_seconds=WHOLE),
        log_level=one_of("debug", "info", "warning"),
    )  # fmt: skip
    gold = dict(
        database=dict(host=host, port=port, user=user), net=dict(ssl=secure, timeout_seconds=wait), log_level=level
    )
    return Document(
        schema, gold, text, {"database.host": old, "net.timeout_seconds": wait * 1000, "net.ssl": not secure}
    )


def slot_thread(draw: Random) -> Document:
    asks, answers = draw.sample(FIRST, 2)
    first = some_day(draw)
    step = draw.randint(1, 5)
    agreed, t1, t2 = first + timedelta(step), some_time(draw, 8, 11), some_time(draw, 13, 17)
    minutes, topic = draw.choice([30, 45, 60, 90]), draw.choice(["the audit", "the pilot", "the tender", "the merger"])
    where = either(draw, draw.choice(["Blue Room", "the canteen", "Studio 2"]), 0.6)
    place = f"In {where}" if where else "We find a place later"
    later = f"{counted(step, 'day')} later"
    text = draw.choice(
        [
            f"{asks}: can we talk about {topic} on {day(draw, first)} at {clock(draw, t1)}?\n{answers}: no, {later}, "
            f"at {clock(draw, t2)}\n{asks}: ok! {minutes} minutes. {place}.",
            f"> {asks}: {topic}, {day(draw, first)}, {clock(draw, t1)}?\n> {answers}: can't. Same time, {later}?\n> "
            f"{asks}: rather {clock(draw, t2)} then\n> {answers}: fine, {minutes} min. {place}.",
            f"{answers} declined {day(draw, first)}, {clock(draw, t1)}, which {asks} had offered for {topic}. They "
            f"will meet {later}, {clock(draw, t2)}, for {minutes} minutes. {place}.",
            f"Re: {topic}. {place}; {minutes} min are enough. {asks} had {clock(draw, t1)} on {day(draw, first)} in "
            f"mind; {answers} moved it by {counted(step, 'day')} to a later date, and to {clock(draw, t2)}.",
        ]
    )
    schema = fields(topic=TEXT, participants=unordered(TEXT), date=DATE, start=TIME, minutes=WHOLE, place=maybe(TEXT))
    gold = dict(
        topic=topic, participants=[asks, answers], date=agreed.isoformat(), start=t2, minutes=minutes, place=where
    )
    return Document(schema, gold, text, {"date": first.isoformat(), "start": t1})


def table_export(draw: Random) -> Document:
    rows: list[Json] = [
        dict(
            sku=f"{draw.choice('QRSW')}{draw.randint(100, 999)}",
            price=price(draw, 2, 60),
            stock=either(draw, draw.randint(1, 80), 0.7),
        )
        for _ in range(3)
    ]
    dead = f"T{draw.randint(100, 999)}"
    mark, blank = draw.choice([(";", ""), ("|", "-"), (",", "NULL"), ("\t", "n/a")])
    order = draw.sample(["sku", "price", "stock"], 3)
    lines = [
        mark.join(
            str(blank if one[name] is None else f"{one[name]:.2f}" if name == "price" else one[name]) for name in order
        )
        for one in rows
    ]
    gone = mark.join({"sku": dead, "price": "9.99", "stock": "4"}[name] for name in order)
    head, made = mark.join(order), day(draw, when := some_day(draw))
    body = scattered(draw, lines)
    text = draw.choice(
        [
            f"export {made}\n{head}\n{body}\n{gone}  <- delete, test row",
            f"{head}\n{gone}\n{body}\n{made}. The first row under the head is a test, skip it.",
            f"Hi, table of {made} below. {dead} was discontinued and must not go in.\n{head}\n{body}\n{gone}",
            f"{head}\n{body}\n# {gone}\n# (lines with # do not count) {made}",
        ]
    )
    schema = fields(exported=DATE, rows=unordered(fields(sku=TEXT, price=NUMBER, stock=maybe(WHOLE))))
    gold = dict(exported=when.isoformat(), rows=rows)
    return Document(schema, gold, text, {"rows": [*rows, dict(sku=dead, price=9.99, stock=4)], "rows.0.price": 9.99})


def org_chart(draw: Random) -> Document:
    boss, lead1, lead2, a, b, c, new = draw.sample(PEOPLE, 7)
    unit1, unit2 = draw.sample(["Sales", "Design", "Support", "Finance", "Research"], 2)
    text = draw.choice(
        [
            f"{boss} is the head of all. {lead1} leads {unit1} with {a} and {b}; {lead2} leads {unit2}, where {c} "
            f"works. {new} starts next year.",
            f"{boss}\n  {unit1}: {lead1}\n    - {a}\n    - {b}\n  {unit2}: {lead2}\n    - {c}\n    - ({new}, from "
            "next year, not yet)",
            f"In {unit2} {c} reports to {lead2}. In {unit1} both {b} and {a} report to {lead1}. {lead1} and {lead2} "
            f"report to {boss}. {new} has left.",
            f"chart: top {boss}; under it {unit1} (lead {lead1}) and {unit2} (lead {lead2}); {unit1} staff {a}, {b}; "
            f"{unit2} staff {c}; {new} is a guest and belongs to neither",
        ]
    )
    schema = fields(head=TEXT, units=unordered(fields(name=TEXT, lead=TEXT, staff=unordered(TEXT))))
    units = [dict(name=unit1, lead=lead1, staff=[a, b]), dict(name=unit2, lead=lead2, staff=[c])]
    return Document(schema, dict(head=boss, units=units), text, {"units.1.staff": [c, new], "head": lead1})


def cost_split(draw: Random) -> Document:
    one, two, three = draw.sample(["marketing", "training", "repairs", "travel", "reserve"], 3)
    x = draw.randrange(20, 50, 5)
    y = draw.randrange(15, 40, 5)
    z, moved, total = 100 - x - y, draw.choice([5, 10]), draw.randrange(10, 90) * 1000
    year, by = draw.randint(2024, 2027), draw.choice(PEOPLE)
    text = draw.choice(
        [
            f"Budget {year}: {total:,} euros. {one} {x + moved}%, {two} {y - moved}%, {three} {z}%. Then {moved} "
            f"points went from {one} to {two}. Signed {by}",
            f"{by}, plan for {year}\n{one}: {x}% (was {x + moved})\n{two}: {y}% (was {y - moved})\n{three}: {z}% "
            f"(unchanged)\nsum: {total} EUR",
            f"We spend {total // 1000} thousand euros in {year}. After a long debate {one} gets {x} per cent, {two} "
            f"{y} per cent and {three} what is left, i.e. {z} per cent. Last year {one} had {x + moved}. ({by})",
            f"{three} keeps its {z}%. {two} goes up to {y}%, {one} down to {x}%, from {y - moved}% and {x + moved}%. "
            f"The whole of {year} is {total:,} euros, says {by}.",
        ]
    )
    schema = fields(
        year=WHOLE, total=NUMBER, shares=unordered(fields(purpose=TEXT, percent=NUMBER)), by=TEXT,
    )  # fmt: skip
    gold = dict(
        year=year, total=total, by=by,
        shares=[dict(purpose=one, percent=x), dict(purpose=two, percent=y), dict(purpose=three, percent=z)],
    )  # fmt: skip
    return Document(schema, gold, text, {"shares.0.percent": x + moved, "shares.1.percent": y - moved})


def device_return(draw: Random) -> Document:
    who, when = draw.choice(PEOPLE), some_day(draw)
    tag, wrong = (f"{draw.choice('XYZ')}-{number}" for number in draw.sample(range(1000, 9999), 2))
    back = draw.sample(["laptop", "charger", "badge", "headset", "mouse", "dock"], 4)
    other = back.pop()
    missing = [other] if draw.random() < 0.6 else []
    lost = f"The {missing[0]} is missing." if missing else "Nothing is missing."
    scratch = draw.random() < 0.5
    state = "The lid is scratched" if scratch else "No damage"
    text = draw.choice(
        [
            f"{who} returned on {day(draw, when)}: {', '.join(back)}. {lost} Asset tag {tag} (the form says {wrong}, "
            f"wrongly). {state}.",
            f"RETURN {tag}\nfrom {who}\ngot: {' + '.join(back)}\n{lost}\n{state.lower()}\n{day(draw, when)}   (not to "
            f"be confused with {wrong})",
            f"On {day(draw, when)} I took back {back[0]}, {back[1]} and {back[2]} from {who}. {state}. {lost} I first "
            f"typed the tag as {wrong}, it is {tag}.",
            f"{lost} {state}. Tag: {tag}; {wrong} belongs to the colleague next door. Person: {who}. Handed over: "
            f"{back[2]}, {back[0]}, {back[1]}. Day: {day(draw, when)}.",
        ]
    )
    schema = fields(tag=TEXT, person=TEXT, date=DATE, returned=unordered(TEXT), missing=unordered(TEXT), damaged=YES)
    gold = dict(tag=tag, person=who, date=when.isoformat(), returned=back, missing=missing, damaged=scratch)
    return Document(schema, gold, text, {"tag": wrong, "returned": back[:2], "damaged": not scratch})


def shift_change(draw: Random) -> Document:
    out, to = draw.sample(PEOPLE, 2)
    said = dict(running="runs", stopped="stands still", service="is being serviced")
    machines = [
        dict(machine=name, state=draw.choice(list(said)))
        for name in draw.sample(["press 1", "press 2", "saw 4", "oven 9", "crane 3"], 3)
    ]
    first = machines[0]
    old = draw.choice([state for state in said if state != first["state"]])
    made, short = draw.randrange(200, 900, 10), draw.randint(3, 40)
    rest = " and ".join(f"{one['machine']} {said[one['state']]}" for one in machines[1:])
    hour = some_time(draw, 6, 21)
    text = draw.choice(
        [
            f"{clock(draw, hour)} {out} -> {to}. {first['machine']} {said[old]}... update: now it "
            f"{said[first['state']]}. {rest}. Made {made}, {short} of them scrap.",
            f"Handover by {out} at {clock(draw, hour)}, taken by {to}\n{rest}\n{first['machine']} "
            f"{said[first['state']]} (an hour ago: {said[old]})\npieces {made}, scrap {short}",
            f"{to}, you start at {clock(draw, hour)}: {made} pieces on the pallet incl. {short} for the scrap bin. "
            f"{rest}; {first['machine']} {said[first['state']]}, don't believe the board, which says it {said[old]}. "
            f"Bye, {out}",
            f"Scrap was {short} out of {made} pieces. {out} goes, {to} comes, it is {clock(draw, hour)}. My first "
            f"note was: {first['machine']} {said[old]}. Cross that out, it {said[first['state']]}; {rest}.",
        ]
    )
    schema = fields(
        time=TIME, leaving=TEXT, arriving=TEXT, machines=unordered(fields(machine=TEXT, state=one_of(*said))),
        pieces=noted(WHOLE, "scrap included"), scrap=WHOLE,
    )  # fmt: skip
    gold = dict(time=hour, leaving=out, arriving=to, machines=machines, pieces=made, scrap=short)
    return Document(schema, gold, text, {"machines.0.state": old, "pieces": made - short, "leaving": to})


def batch_check(draw: Random) -> Document:
    batch, size = f"B{draw.randint(100, 999)}", draw.choice([50, 80, 125, 200])
    kinds = draw.sample(["scratch", "dent", "wrong colour", "loose screw", "crack"], 3)
    defects: list[Json] = [dict(kind=kind, count=draw.randint(2, 6)) for kind in kinds[:2]]
    total = defects[0]["count"] + defects[1]["count"]
    limit = draw.randint(4, 9)
    ok = total <= limit
    ruling = "accepted" if ok else "rejected"
    slip = defects[0]["count"] + draw.randint(1, 3)
    a, b = defects
    text = draw.choice(
        [
            f"batch {batch}: {size} pieces looked at. {a['kind']}: {slip}, recounted: {a['count']}. {b['kind']}: "
            f"{b['count']}. {kinds[2]}: none. Up to {limit} are allowed, so {ruling}.",
            f"Inspector's slip. We took {size} out of {batch}. Found {b['kind']} x{b['count']} and {a['kind']} "
            f"x{a['count']} (the machine counted {slip} of those, wrongly), no {kinds[2]}. Limit {limit} in all. "
            f"{ruling.upper()}",
            f"{ruling} | {batch} | sample {size} | limit {limit} | {b['kind']} {b['count']} | {a['kind']} "
            f"{a['count']} (corrected from {slip}) | {kinds[2]} 0",
            f"{batch} is {ruling}: the limit of faults is {limit} in a sample of {size}. Noted faults: {a['kind']} "
            f"{a['count']} times, not {slip}; {b['kind']} {b['count']} times. {kinds[2].capitalize()} did not occur.",
        ]
    )
    schema = fields(
        batch=TEXT, sample_size=WHOLE, defects=noted(unordered(fields(kind=TEXT, count=WHOLE)), "only those found"),
        defects_in_all=WHOLE, limit=WHOLE, accepted=YES,
    )  # fmt: skip
    gold = dict(batch=batch, sample_size=size, defects=defects, defects_in_all=total, limit=limit, accepted=ok)
    wrong = {"defects.0.count": slip, "defects": [*defects, dict(kind=kinds[2], count=0)], "accepted": not ok}
    return Document(schema, gold, text, wrong)


def delivery_round(draw: Random) -> Document:
    van, driver = f"van {draw.randint(1, 20)}", draw.choice(FIRST)
    a, b, c, d = draw.sample(["the bakery", "Elm Street", "the clinic", "Pier 3", "the school", "Market Square"], 4)
    crates, home = draw.randint(6, 30), some_time(draw, 15, 18)
    text = draw.choice(
        [
            f"{van}, {driver}: {a}, {b}, {d}. Skip {b} today, go to {c} in its place. {crates} crates. Back at "
            f"{clock(draw, home)}.",
            f"radio 1: {driver}, take {van} to {a} first\nradio 2: then {c}, then {d}\nradio 3: and {b}?\nradio 1: "
            f"no, {b} is off\nradio 2: {crates} crates, be back {clock(draw, home)}",
            f"{crates} crates are in {van}. {driver} ends at {d} today and begins at {a}; {c} is between the two. "
            f"Cancelled: {b}. Return {clock(draw, home)}.",
            f"Tour of {driver} ({van})\nstop: {a}\nstop: {c}\nstop: {d}\nno stop: {b}\nload: {crates} crates\nin the "
            f"yard again: {clock(draw, home)}",
        ]
    )
    schema = fields(
        vehicle=TEXT, driver=TEXT, crates=WHOLE, stops=noted(listed(TEXT), "from the first to the last"), back_at=TIME
    )
    gold = dict(vehicle=van, driver=driver, crates=crates, stops=[a, c, d], back_at=home)
    return Document(schema, gold, text, {"stops": [a, b, d], "stops.1": b})


def voicemail(draw: Random) -> Document:
    name = draw.choice(["Krahl", "Toiva", "Benzi", "Walsh", "Pruun"])
    digits = [draw.randint(1, 9) for _ in range(6)]
    phone, spoken = "".join(map(str, digits)), " ".join(SPELT[one] for one in digits)
    wish = draw.choice(["book", "cancel", "complain"])
    said = dict(
        book="I'd like to book a table",
        cancel="I have to cancel our table",
        complain="I want to complain about our table",
    )[wish]
    guests, when = draw.randint(2, 8), some_day(draw)
    spelt = "-".join(name.upper())
    until = either(draw, some_time(draw, 17, 20), 0.5)
    reach = f"until {clock(draw, until)} you reach me" if until else "you reach me any time"
    text = draw.choice(
        [
            f"[beep] uh hello, {said}, {name} here, {spelt}, for {SPELT[guests]}, that is, um, {day(draw, when)}. "
            f"number {spoken}, {reach}",
            f"good day. the number first: {spoken}. again: {spoken}. my name is {spelt}. {said}. {day(draw, when)}, "
            f"{guests} people. {reach}. [end]",
            f"hi it's {spelt}, yes {name}, not the {name} from the bank... {said} for {day(draw, when)}, we are "
            f"{guests}, well, {reach} on {spoken}, thanks",
            f"(message 2 of 3) {reach}, {spoken}. {said} for {SPELT[guests]} persons on {day(draw, when)}. "
            f"{spelt} is how you write me.",
        ]
    )
    schema = fields(
        caller=fields(name=noted(TEXT, "as one word"), phone=noted(TEXT, "digits only"), reachable_until=maybe(TIME)),
        wish=one_of("book", "cancel", "complain"), date=DATE, guests=WHOLE,
    )  # fmt: skip
    gold = dict(
        caller=dict(name=name, phone=phone, reachable_until=until), wish=wish, date=when.isoformat(), guests=guests
    )
    return Document(schema, gold, text, {"caller.phone": spoken, "caller.name": spelt})


def ballot(draw: Random) -> Document:
    motions: list[Json] = []
    for motion in draw.sample(["a new roof", "higher fees", "a bike shed", "a summer party", "solar panels"], 2):
        yes, no = draw.sample(range(2, 20), 2)
        motions.append(
            dict(motion=motion, votes_for=yes, votes_against=no, abstained=draw.randint(0, 4), carried=yes > no)
        )
    club, there = draw.choice(["the house council", "the angling club", "the parents' board"]), draw.randint(45, 60)
    dropped = draw.choice(["a flag", "a hymn", "a mascot"])
    a = [
        f"{m['motion']}: {m['votes_for']} for, {m['votes_against']} against, {m['abstained']} abstained"
        for m in motions
    ]
    b = [
        f"On {m['motion']} {m['votes_against']} said no, {m['votes_for']} said yes and {m['abstained']} said "
        f"nothing, so it is "
        f"{'carried' if m['carried'] else 'lost'}."
        for m in motions
    ]
    text = draw.choice(
        [
            f"Votes in {club} ({there} members, not all of them came)\n{scattered(draw, a)}\nMore yes than no is "
            f"enough. No vote on {dropped}.",
            f"{' '.join(b)} The motion for {dropped} was withdrawn. Thus voted {club}, which has {there} members.",
            f"{club}, {there} members.\n{scattered(draw, b)}\n{dropped}: taken off the agenda",
            f"Result in {club}, simple majority: {'; '.join(a)}; {dropped}: not voted on. Members on the books: "
            f"{there}",
        ]
    )
    row = fields(motion=TEXT, votes_for=WHOLE, votes_against=WHOLE, abstained=WHOLE, carried=YES)
    schema = fields(club=TEXT, members=WHOLE, motions=noted(unordered(row), "those voted on"))
    turned = [{**m, "votes_for": m["votes_against"], "votes_against": m["votes_for"]} for m in motions]
    return Document(schema, dict(club=club, members=there, motions=motions), text, {"motions": turned})


FAMILIES: list[Family] = [
    standup, settings_file, slot_thread, table_export, org_chart, cost_split, device_return, shift_change, batch_check,
    delivery_round, voicemail, ballot,
]  # fmt: skip
