"""Training texts written at work: orders, reports, chats, settings and tables. Each function is a family."""

from datetime import timedelta
from random import Random

from authoring.structured.train_words import COLLEAGUES, ELECTRIC, FIRMS, FIRST_NAMES, PEOPLE, THINGS
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
    who, firm = draw.choice(COLLEAGUES), draw.choice(FIRMS)
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
    there = draw.sample(COLLEAGUES, 5)
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
        f"-> {one['who']} to {one['what']}"
        + (f" until {day(draw, some_day(draw, one['by'], 1))}" if one["by"] else ", whenever")
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


def curriculum(draw: Random) -> Document:
    who = draw.choice(COLLEAGUES)
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
        f"Reference: {draw.choice([one for one in COLLEAGUES if one != who])} (boss until {years[1]})"
    )
    schema = fields(
        name=TEXT, email=TEXT, born=maybe(WHOLE), skills=unordered(TEXT),
        jobs=unordered({**fields(employer=TEXT, role=TEXT, **{"from": WHOLE, "to": maybe(WHOLE)})}),
    )  # fmt: skip
    gold = {"name": who, "email": address(who, "post"), "born": born, "skills": skills, "jobs": jobs}
    return Document(schema, gold, text, {"jobs.2.to": 2026, "skills": skills[:2]})


def support_ticket(draw: Random) -> Document:
    who, thing = draw.choice(COLLEAGUES), draw.choice(ELECTRIC)
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
    who = draw.choice(COLLEAGUES)
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
    who, firm = draw.choice(COLLEAGUES), draw.choice(FIRMS)
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
    hours, contact = draw.choice([20, 25, 30, 35, 38]), draw.choice(COLLEAGUES)
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
    counted, who = some_day(draw), draw.choice(COLLEAGUES)
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
    who = draw.choice(COLLEAGUES)
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
    taker, caller, other = draw.sample(COLLEAGUES, 3)
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
    who, firm, thing = draw.choice(COLLEAGUES), draw.choice(FIRMS), draw.choice(ELECTRIC)
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


def lab_sheet(draw: Random) -> Document:
    sample, who = f"S{draw.randint(100, 999)}", draw.choice(COLLEAGUES)
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


def bug_report(draw: Random) -> Document:
    app, who = draw.choice(["Notely", "Fotobox", "Calcmate", "Mapster"]), draw.choice(COLLEAGUES)
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


def standup(draw: Random) -> Document:
    team = draw.choice(["red team", "platform team", "mobile team"])
    tasks = draw.sample(["login page", "export", "invoice mails", "search index", "dark mode", "backup job"], 6)
    people = [
        dict(name=name, done=tasks[2 * place], next=tasks[2 * place + 1], blocked_by=either(draw, why, 0.5))
        for place, (name, why) in enumerate(
            zip(
                draw.sample(FIRST_NAMES, 3),
                draw.sample(["missing access", "a broken build", "legal review"], 3),
                strict=True,
            )
        )
    ]
    away = draw.choice([name for name in FIRST_NAMES if name not in [one["name"] for one in people]])
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
    asks, answers = draw.sample(FIRST_NAMES, 2)
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
    van, driver = f"van {draw.randint(1, 20)}", draw.choice(FIRST_NAMES)
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
    invoice,
    order_mail,
    meeting_notes,
    curriculum,
    support_ticket,
    bank_statement,
    parcel,
    job_ad,
    stock_list,
    expenses,
    phone_note,
    warranty,
    server_log,
    bug_report,
    lab_sheet,
    standup,
    settings_file,
    slot_thread,
    table_export,
    org_chart,
    cost_split,
    device_return,
    shift_change,
    batch_check,
    delivery_round,
    voicemail,
    ballot,
]
