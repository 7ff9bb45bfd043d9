"""Families to learn from: what comes into an office. A function is a family: a kind of text with a schema of its own."""

from datetime import timedelta
from random import Random

from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    TEXT,
    TIME,
    WHOLE,
    YES,
    Document,
    Family,
    address,
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
    scattered,
    some_day,
    some_time,
    unordered,
)

PEOPLE = [
    "Anja Reuter", "Bela Novak", "Carlos Vega", "Dana Fischer", "Emil Strand", "Flora Conti", "Gero Lang", "Heidi Moser",
    "Igor Petrov", "Jana Kraus", "Kofi Mensah", "Lena Brandt", "Marek Dusek", "Nadia Haddad", "Olaf Berg", "Paula Serra",
]  # fmt: skip
FIRMS = [
    "Nordlicht Optik",
    "Weber Pumpen",
    "Alto Foods",
    "Kestrel Tools",
    "Minerva Print",
    "Solana Textil",
    "Brook Logistics",
    "Tarn Glass",
]
THINGS = [
    "desk lamp",
    "paper tray",
    "label roll",
    "office chair",
    "cable drum",
    "wall clock",
    "tool box",
    "hand truck",
    "whiteboard",
    "heater",
]
ELECTRIC = ["desk lamp", "wall clock", "heater", "label printer", "paper shredder"]
NOISE = [
    "-- sent from my phone, please excuse typos --", "CONFIDENTIAL: for the addressee only.", "Think before you print.",
    "[external sender]", "Our office is closed on public holidays.", "Ref. 88/B, page 1 of 1", "*** automatic message ***",
    "You get this because you are on our list.", "~~~~~~~~~~~~~~~~~~~~", "Scan quality: medium",
]  # fmt: skip


def invoice(draw: Random) -> Document:
    firm, buyer = draw.sample(FIRMS, 2)
    made = some_day(draw)
    due, old_due = made + timedelta(30), made + timedelta(14)
    number = f"INV-{draw.randint(1000, 9999)}"
    lines = [
        {"item": item, "quantity": draw.randint(2, 12), "unit_price": price(draw, 4, 90)}
        for item in draw.sample(THINGS, draw.randint(2, 4))
    ]
    total = round(sum(line["quantity"] * line["unit_price"] for line in lines), 2)
    order = either(draw, f"PO{draw.randint(200, 999)}")
    rows = "\n".join(
        draw.choice(["{q} x {i} @ {p}", "{i} ({q} pcs) at {p} each", "{i}: {q} pieces, {p} per piece"]).format(
            q=line["quantity"], i=line["item"], p=money(draw, line["unit_price"])
        )
        for line in lines
    )
    text = (
        f"{firm.upper()}\nInvoice no. {number}, issued {day(draw, made)}\nTo: {buyer}\n"
        + (f"Your order {order}\n" if order else "")
        + f"{rows}\nTotal {money(draw, total)}\nPayable by {day(draw, old_due)}.\n"
        f"CORRECTION by hand: payable by {day(draw, due)}. Last year's total with us: {money(draw, round(total * 3 + 17, 2))}"
    )
    schema = fields(
        number=TEXT, seller=TEXT, buyer=TEXT, issued=DATE, due=DATE, purchase_order=maybe(TEXT),
        lines=unordered(fields(item=TEXT, quantity=WHOLE, unit_price=NUMBER)), total=NUMBER,
    )  # fmt: skip
    gold = {
        "number": number, "seller": firm, "buyer": buyer, "issued": made.isoformat(), "due": due.isoformat(),
        "purchase_order": order, "lines": lines, "total": total,
    }  # fmt: skip
    return Document(
        schema, gold, text, {"due": old_due.isoformat(), "total": round(total * 3 + 17, 2), "seller": buyer}
    )


def order_mail(draw: Random) -> Document:
    who, firm = draw.choice(PEOPLE), draw.choice(FIRMS)
    items = [{"product": item, "count": draw.randint(2, 40)} for item in draw.sample(THINGS, 3)]
    old = items[0]["count"] + draw.randint(1, 9)
    ship = some_day(draw)
    phone = either(draw, f"+43 1 {draw.randint(2000000, 8999999)}", 0.5)
    text = (
        f"From: {address(who, firm)}\nSubject: RE: RE: order\n\nHi,\nas discussed we take {old} x {items[0]['product']}, "
        f"{items[1]['count']} x {items[1]['product']} and {items[2]['count']} x {items[2]['product']}. Oh wait, make that "
        f"{items[0]['count']} x {items[0]['product']}, the rest stays. We need them by {day(draw, ship)}"
        + (", express please" if (express := draw.random() < 0.5) else ", no hurry otherwise, standard post is fine")
        + f".\nBest, {who}, {firm}"
        + (f"\nTel. {phone}" if phone else "")
        + f"\n\n> On Monday you wrote:\n> the {items[1]['product']} is out of stock until {day(draw, ship + timedelta(40))}"
    )
    schema = fields(
        customer=fields(name=TEXT, company=TEXT, email=TEXT, phone=maybe(TEXT)),
        items=unordered(fields(product=TEXT, count=WHOLE)),
        needed_by=DATE,
        shipping=one_of("standard", "express"),
    )
    gold = {
        "customer": {"name": who, "company": firm, "email": address(who, firm), "phone": phone},
        "items": items,
        "needed_by": ship.isoformat(),
        "shipping": "express" if express else "standard",
    }
    return Document(schema, gold, text, {"items.0.count": old, "needed_by": (ship + timedelta(40)).isoformat()})


def meeting_notes(draw: Random) -> Document:
    there = draw.sample(PEOPLE, 5)
    absent = there.pop()
    topic = draw.choice(
        ["the spring catalogue", "new packaging", "the warehouse move", "the price list", "the trade fair"]
    )
    nearly = some_day(draw)
    met = nearly + timedelta(draw.randint(1, 9))
    todo = [
        {"who": who, "what": what, "by": either(draw, (met + timedelta(draw.randint(2, 40))).isoformat(), 0.7)}
        for who, what in zip(
            draw.sample(there, 3),
            draw.sample(
                [
                    "call the printer",
                    "collect three offers",
                    "book the hall",
                    "draft the letter",
                    "check the stock",
                    "update the plan",
                ],
                3,
            ),
            strict=True,
        )
    ]
    actions = "\n".join(
        f"-> {one['who']} to {one['what']}" + (f" until {_day(draw, one['by'])}" if one["by"] else ", whenever")
        for one in todo
    )
    text = (
        f"notes / {topic}\n(was planned for {day(draw, nearly)}, we met {day(draw, met)} instead, "
        f"{clock(draw, start := some_time(draw))})\n"
        f"here: {', '.join(there)}. {absent} sent apologies.\nlong talk about coffee machine, no result.\n{actions}\n"
        f"decided: {topic} goes ahead{'' if (yes := draw.random() < 0.5) else '? NO, postponed in the end'}"
    )
    schema = fields(
        topic=TEXT, date=DATE, start=TIME, present=unordered(TEXT), absent=unordered(TEXT),
        actions=unordered(fields(who=TEXT, what=TEXT, by=maybe(DATE))), approved=YES,
    )  # fmt: skip
    gold = {
        "topic": topic, "date": met.isoformat(), "start": start, "present": there, "absent": [absent],
        "actions": todo, "approved": yes,
    }  # fmt: skip
    return Document(schema, gold, text, {"date": nearly.isoformat(), "present": [*there, absent], "approved": not yes})


def _day(draw: Random, iso: str) -> str:
    return day(draw, some_day(draw, iso, 1))


def curriculum(draw: Random) -> Document:
    who = draw.choice(PEOPLE)
    firms = draw.sample(FIRMS, 3)
    years = sorted(draw.sample(range(2008, 2026), 4))
    roles = draw.sample(["driver", "buyer", "planner", "fitter", "clerk", "team lead", "designer"], 3)
    jobs = [
        {"employer": firm, "role": role, "from": start, "to": end if place < 2 else None}
        for place, (firm, role, start, end) in enumerate(zip(firms, roles, years, years[1:], strict=False))
    ]
    skills = draw.sample(
        ["welding", "Spanish", "spreadsheets", "forklift driving", "first aid", "drawing", "Polish"], 3
    )
    born = either(draw, draw.randint(1965, 1990), 0.5)
    listed_jobs = scattered(
        draw,
        [
            f"{job['from']} - {job['to']}: {job['role']} at {job['employer']}" if job["to"] else f"since {job['from']} "
            f"{job['role']}, {job['employer']}"
            for job in jobs
        ],
    )  # fmt: skip
    text = (
        f"CURRICULUM VITAE\n{who}" + (f" (*{born})" if born else "") + f"\n{address(who, 'post')}\n"
        f"work\n{listed_jobs}\nI can: {skills[0]}, {skills[1]} and a bit of {skills[2]}. Not afraid of heights.\n"
        f"Reference: {draw.choice([one for one in PEOPLE if one != who])} (boss until {years[1]})"
    )
    schema = fields(
        name=TEXT, email=TEXT, born=maybe(WHOLE), skills=unordered(TEXT),
        jobs=unordered({**fields(employer=TEXT, role=TEXT, **{"from": WHOLE, "to": maybe(WHOLE)})}),
    )  # fmt: skip
    gold = {"name": who, "email": address(who, "post"), "born": born, "skills": skills, "jobs": jobs}
    return Document(schema, gold, text, {"jobs.2.to": 2026, "skills": skills[:2]})


def support_ticket(draw: Random) -> Document:
    who, thing = draw.choice(PEOPLE), draw.choice(ELECTRIC)
    bought, order = some_day(draw, "2025-02-01"), either(draw, f"A-{draw.randint(100, 999)}", 0.5)
    number, wrong = (f"{draw.choice('KLMN')}{draw.randint(10000, 99999)}" for _ in range(2))
    urgent = draw.random() < 0.5
    wish = draw.choice(["refund", "replacement", "repair"])
    said = {
        "refund": "I just want my money back",
        "replacement": "please send me a new one",
        "repair": "can somebody fix it",
    }[wish]
    tried = draw.sample(["another socket", "the reset button", "cleaning it", "a longer cable"], 2)
    text = (
        f"ticket from {address(who, 'mail')}\nHello my {thing} (bought {day(draw, bought)}"
        f"{f', order {order}' if order else ''}) does not work any more!!! I tried {tried[0]} and "
        f"{tried[1]}, nothing. Serial is {wrong}, sorry, I misread, it is {number}. {said}. My neighbour wanted a "
        f"{'repair' if wish != 'repair' else 'refund'} for his. "
        + ("This is URGENT, we open a shop tomorrow." if urgent else "Take your time.")
        + f"\n{who}"
    )
    schema = fields(
        customer=fields(name=TEXT, email=TEXT), product=TEXT, serial=TEXT, bought=DATE, tried=unordered(TEXT),
        wish=one_of("refund", "replacement", "repair"), urgent=YES, order_number=maybe(TEXT),
    )  # fmt: skip
    gold = {
        "customer": {"name": who, "email": address(who, "mail")}, "product": thing, "serial": number,
        "bought": bought.isoformat(), "tried": tried, "wish": wish, "urgent": urgent, "order_number": order,
    }  # fmt: skip
    return Document(schema, gold, text, {"serial": wrong, "order_number": number})


def bank_statement(draw: Random) -> Document:
    who = draw.choice(PEOPLE)
    rows = [
        {"date": some_day(draw, "2026-03-01", 30).isoformat(), "text": text, "amount": price(draw, 5, 400) * sign}
        for text, sign in draw.sample(
            [("RENT", -1), ("SALARY", 1), ("GROCER", -1), ("REFUND", 1), ("POWER CO", -1), ("GYM", -1)], 4
        )
    ]
    rows.sort(key=lambda row: row["date"])
    opening = price(draw, 1700, 4000)
    closing = round(opening + sum(row["amount"] for row in rows), 2)
    iban = f"XX{draw.randint(10, 99)} {draw.randint(1000, 9999)} {draw.randint(1000, 9999)}"
    listed_rows = "\n".join(
        f"{day(draw, some_day(draw, row['date'], 1))} | {row['text']} | {abs(row['amount']):.2f} "
        f"{'+' if row['amount'] > 0 else '-'}"
        for row in rows
    )
    text = (
        f"STATEMENT 03/26   acc. {iban}   {who}\nold balance {opening:,.2f} +\n{listed_rows}\nnew balance {closing:,.2f} +\n"
        f"credit line {money(draw, 500 + draw.randint(1, 9) * 100)}"
    )
    schema = fields(
        holder=TEXT, account=TEXT, opening_balance=NUMBER, closing_balance=NUMBER,
        bookings=listed(fields(date=DATE, text=TEXT, amount=noted(NUMBER, "negative for what was paid out"))),
    )  # fmt: skip
    gold = {
        "holder": who, "account": iban, "opening_balance": opening, "closing_balance": closing, "bookings": rows,
    }  # fmt: skip
    return Document(schema, gold, text, {"closing_balance": opening, "bookings.0.amount": -rows[0]["amount"]})


def parcel(draw: Random) -> Document:
    who, firm = draw.choice(PEOPLE), draw.choice(FIRMS)
    code, other = (f"{draw.randint(100, 999)}-{draw.randint(1000, 9999)}-{draw.choice('ABC')}" for _ in range(2))
    weight = draw.randint(4, 180) / 10
    steps = [
        {"time": some_time(draw, 6 + 4 * place, 9 + 4 * place), "place": place_name, "status": status}
        for place, (place_name, status) in enumerate(
            zip(
                draw.sample(["Harbour", "Nordpark", "Depot 7", "Eastgate"], 3),
                ["picked up", "sorted", "out for delivery"],
                strict=True,
            )
        )
    ]
    fee = either(draw, price(draw, 2, 9), 0.4)
    trail = "\n".join(f"{clock(draw, one['time'])} {one['place']}: {one['status']}" for one in steps)
    text = (
        f"Your parcel {code} from {firm} ({weight:g} kg) is on its way to {who}.\n{trail}\n"
        + (f"To pay on delivery: {money(draw, fee)}. " if fee else "")
        + f"It will come on {day(draw, due := some_day(draw))}.\nYour other parcel {other} (0.4 kg) was delivered."
    )
    schema = fields(
        tracking=TEXT, sender=TEXT, recipient=TEXT, weight_kg=NUMBER, delivery=DATE, to_pay=maybe(NUMBER),
        trail=listed(fields(time=TIME, place=TEXT, status=TEXT)),
    )  # fmt: skip
    gold = {
        "tracking": code, "sender": firm, "recipient": who, "weight_kg": weight, "delivery": due.isoformat(), "to_pay": fee,
        "trail": steps,
    }  # fmt: skip
    return Document(schema, gold, text, {"tracking": other, "trail": steps[::-1]})


def job_ad(draw: Random) -> Document:
    firm, role = draw.choice(FIRMS), draw.choice(["fitter", "accountant", "driver", "buyer", "planner", "designer"])
    low = draw.randrange(2200, 4000, 50)
    high = low + draw.randrange(200, 900, 50)
    hours, contact = draw.choice([20, 25, 30, 35, 38]), draw.choice(PEOPLE)
    must, nice = draw.sample(
        ["driving licence", "good English", "two years of practice", "steady nerves", "a head for figures"], 2
    )
    until = either(draw, some_day(draw))
    remote = draw.random() < 0.5
    text = (
        f"WE ARE GROWING!!! {firm} seeks {an(role)} (all genders), {hours} h/week.\nYou bring: {must}. Would be lovely: "
        f"{nice}, but no must.\n"
        f"Pay: between {low} and {high} euros a month, depends. (The last one got {high + 150}.)\n"
        + ("Home office possible. " if remote else "Sorry, on site only. ")
        + (f"Apply until {day(draw, until)}" if until else "Apply any time")
        + f", {contact} is looking forward to it: {address(contact, firm)}"
    )
    schema = fields(
        company=TEXT, role=TEXT, hours_per_week=WHOLE, salary=fields(min=NUMBER, max=NUMBER), required=unordered(TEXT),
        optional=unordered(TEXT), remote=YES, apply_by=maybe(DATE), contact=fields(name=TEXT, email=TEXT),
    )  # fmt: skip
    gold = {
        "company": firm, "role": role, "hours_per_week": hours, "salary": {"min": low, "max": high}, "required": [must],
        "optional": [nice], "remote": remote, "apply_by": until.isoformat() if until else None,
        "contact": {"name": contact, "email": address(contact, firm)},
    }  # fmt: skip
    return Document(schema, gold, text, {"salary.max": high + 150, "required": [must, nice]})


def stock_list(draw: Random) -> Document:
    rows = [
        {
            "item": item,
            "shelf": f"{draw.choice('ABCD')}{draw.randint(1, 30)}",
            "count": draw.randint(0, 90),
            "reorder": draw.random() < 0.5,
        }
        for item in draw.sample(THINGS, 4)
    ]
    counted, who = some_day(draw), draw.choice(PEOPLE)
    recount = rows[1]["count"] + draw.randint(1, 8)
    wrong, rows[1]["count"] = rows[1]["count"], recount
    shown = [row | {"count": wrong} if place == 1 else row for place, row in enumerate(rows)]
    text = (
        f"stock taking {day(draw, counted)}, {who}\n"
        + scattered(
            draw,
            [
                f"{row['shelf']} {row['item']} .... {row['count']}{' !!order' if row['reorder'] else ''}"
                for row in shown
            ],
        )
        + f"\nafter second count: {rows[1]['item']} is {recount}, not {wrong}\nshelf Z9 empty"
    )
    schema = fields(
        date=DATE, counted_by=TEXT, items=unordered(fields(item=TEXT, shelf=TEXT, count=WHOLE, reorder=YES))
    )
    gold = {"date": counted.isoformat(), "counted_by": who, "items": rows}
    return Document(schema, gold, text, {"items.1.count": wrong})


def expenses(draw: Random) -> Document:
    who = draw.choice(PEOPLE)
    first = some_day(draw)
    costs = [
        {"kind": kind, "amount": price(draw, 20, 220), "receipt": draw.random() < 0.6}
        for kind in draw.sample(["train", "hotel", "taxi", "meals", "parking"], 3)
    ]
    total = round(sum(cost["amount"] for cost in costs), 2)
    advance = either(draw, float(draw.randrange(10, 60, 10)), 0.5)
    town = draw.choice(["Lindau", "Ostend", "Trieste", "Malmo", "Gdansk"])
    text = (
        f"Expenses {who} // trip to {town}, {day(draw, first)} to {day(draw, last := first + timedelta(draw.randint(1, 4)))}\n"
        + scattered(
            draw,
            [
                f"* {cost['kind']} {money(draw, cost['amount'])} {'(receipt att.)' if cost['receipt'] else '(lost the slip)'}"
                for cost in costs
            ],
        )
        + f"\nsum {money(draw, total)}"
        + (f", of this the firm paid {money(draw, advance)} in advance" if advance else "")
        + f"\nbudget was {money(draw, total + 50)}"
    )
    schema = fields(
        traveller=TEXT, town=TEXT, first_day=DATE, last_day=DATE,
        costs=unordered(fields(kind=TEXT, amount=NUMBER, receipt=YES)), total=NUMBER, advance=maybe(NUMBER),
    )  # fmt: skip
    gold = {
        "traveller": who, "town": town, "first_day": first.isoformat(), "last_day": last.isoformat(), "costs": costs,
        "total": total, "advance": advance,
    }  # fmt: skip
    return Document(schema, gold, text, {"total": total + 50})


def phone_note(draw: Random) -> Document:
    taker, caller, other = draw.sample(PEOPLE, 3)
    firm = either(draw, draw.choice(FIRMS), 0.6)
    number, at = f"0{draw.randint(200, 999)} {draw.randint(10000, 99999)}", some_time(draw, 8, 12)
    back = some_time(draw, 13, 17)
    matter = draw.choice(["the late delivery", "a wrong invoice", "the new contract", "a sample", "the visit"])
    text = (
        f"{clock(draw, at)} {caller} called{f' ({firm})' if firm else ''} for {other}. About {matter}. NOT about the "
        "parking. Please call back "
        f"{'after' if (after := draw.random() < 0.5) else 'before'} {clock(draw, back)}, number {number} (not the one in "
        "the book, 0800 11111).\n"
        f"noted by {taker}"
    )
    schema = fields(
        taken_at=TIME, taken_by=TEXT, caller=fields(name=TEXT, company=maybe(TEXT), phone=TEXT), message_for=TEXT, about=TEXT,
        call_back=fields(when=one_of("before", "after"), time=TIME),
    )  # fmt: skip
    gold = {
        "taken_at": at, "taken_by": taker, "caller": {"name": caller, "company": firm, "phone": number}, "message_for": other,
        "about": matter, "call_back": {"when": "after" if after else "before", "time": back},
    }  # fmt: skip
    return Document(schema, gold, text, {"caller.phone": "0800 11111", "message_for": taker})


def warranty(draw: Random) -> Document:
    who, firm, thing = draw.choice(PEOPLE), draw.choice(FIRMS), draw.choice(ELECTRIC)
    bought = some_day(draw, "2024-03-01")
    months, paid = draw.choice([12, 24, 36]), price(draw, 20, 300)
    faults = draw.sample(["does not start", "rattles", "smells burnt", "gets too hot", "hums", "sparks"], 2)
    claim = either(draw, f"W-{draw.randint(100, 999)}", 0.5)
    text = (
        f"Dear {firm}, I claim under the {months}-month warranty{f' (claim {claim})' if claim else ''} for {an(thing)}, price "
        f"{money(draw, paid)}, "
        f"purchase {day(draw, bought)}, letter of {day(draw, sent := bought + timedelta(draw.randint(30, 300)))}. It "
        f"{faults[0]} and it "
        f"{faults[1]}. It never {draw.choice(['fell', 'got wet'])}. A new one is {money(draw, paid + 20)} now!\nKind "
        f"regards {who}"
    )
    schema = fields(
        claimant=TEXT, company=TEXT, product=TEXT, bought=DATE, written=DATE, price=NUMBER, warranty_months=WHOLE,
        faults=unordered(TEXT), claim_number=maybe(TEXT),
    )  # fmt: skip
    gold = {
        "claimant": who, "company": firm, "product": thing, "bought": bought.isoformat(), "written": sent.isoformat(),
        "price": paid, "warranty_months": months, "faults": faults, "claim_number": claim,
    }  # fmt: skip
    return Document(schema, gold, text, {"price": paid + 20, "bought": sent.isoformat()})


FAMILIES: list[Family] = [
    invoice, order_mail, meeting_notes, curriculum, support_ticket, bank_statement, parcel, job_ad, stock_list, expenses,
    phone_note, warranty,
]  # fmt: skip
