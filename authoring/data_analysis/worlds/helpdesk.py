"""A help desk: tickets, the day each was opened and closed, and notes. What is still open has no closing day."""

from collections import Counter
from datetime import date, timedelta
from random import Random
from statistics import median
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, ranked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, day_in, month_of, need

PRIORITIES = ["low", "normal", "urgent"]
PRODUCTS = ["boiler", "lift", "door lock", "heat pump"]
AUTHORS = ["Pia", "Rolf", "Sanne", "Toby"]


class Ticket(NamedTuple):
    ticket_no: int
    product: str
    priority: str
    opened: date
    closed: date | None


class Note(NamedTuple):
    note_no: int
    ticket_no: int
    written_on: date
    author: str


def rows(draw: Random) -> Rows:
    tickets: list[Ticket] = []
    for day in sorted(day_in(draw, date(2025, 1, 1), 175) for _ in range(90)):
        priority = draw.choice(PRIORITIES)
        spell = int(draw.expovariate(1 / {"low": 20, "normal": 11, "urgent": 5}[priority]))
        closed = day + timedelta(spell)
        product = draw.choice(PRODUCTS)
        tickets.append(
            Ticket(5001 + len(tickets), product, priority, day, closed if closed < date(2025, 7, 1) else None)
        )
    notes: list[Note] = []
    for ticket in tickets:
        last = ticket.closed or date(2025, 6, 30)
        for _ in range(draw.choice((0, 1, 1, 2, 3))):
            day = day_in(draw, ticket.opened, (last - ticket.opened).days + 1)
            notes.append(Note(0, ticket.ticket_no, day, draw.choice(AUTHORS)))
    notes += draw.sample(notes, 7)
    notes.sort(key=lambda note: (note.written_on, note.ticket_no))
    return {"tickets": tickets, "notes": [note._replace(note_no=1 + at) for at, note in enumerate(notes)]}


BOTH = "notes JOIN tickets USING (ticket_no)"
ENDS = ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31", "2025-06-30"]


def _open_on(ticket: Ticket, day: date) -> bool:
    return ticket.opened <= day and (ticket.closed is None or ticket.closed > day)


def open_at_end(s: Look) -> Asked:
    product, day = s.pick(PRODUCTS), day_in(s.draw, date(2025, 2, 1), 140)
    num = sum(_open_on(ticket, day) for ticket in s["tickets"] if ticket.product != product)
    need(num > 1)
    return Asked(
        [
            f"How many tickets about anything but the {product} were open at the end of {day}? One that was closed "
            "that day is not open any more.",
            f"All products except {product}, evening of {day}: number of tickets opened by then and not yet closed?",
            f"Leaving the {product} aside, count the tickets that were opened on or before {day} and were closed "
            "later than that, or never.",
            f"I need the backlog as it was when {day} ended, without the product {product}. Tickets closed on that "
            "very day are done.",
        ],
        num,
        f"SELECT count(*) FROM tickets WHERE product <> '{product}' AND opened <= '{day}' AND ({s.unknown('closed')} "
        f"OR closed > '{day}')",
    )


def mean_time(s: Look) -> Asked:
    product, priority = s.pick(PRODUCTS), s.pick(PRIORITIES)
    found = [t for t in s["tickets"] if t.product == product and t.priority == priority and t.closed]
    need(len(found) > 2)
    times = [(ticket.closed - ticket.opened).days for ticket in found]
    kind = s.draw.choice(("average", "longest"))
    value = rounded(sum(times) / len(times), 1) if kind == "average" else max(times)
    return Asked(
        [
            f"How many days did {priority} tickets about the {product} take, from opening to closing? Give the "
            f"{kind}. {'One decimal. ' if kind == 'average' else ''}Tickets still open do not count.",
            f"The {kind} time to close, in days{' to one decimal' if kind == 'average' else ''}, of tickets with "
            f"priority {priority} and product {product}? Leave out those not closed.",
            f"Among closed tickets ({product}, {priority}), the {kind} number of days between opened and closed"
            f"{', one decimal' if kind == 'average' else ''}?",
            f"Customers with a {product} ask how long it takes. Look at {priority} tickets that were closed and give "
            f"the {kind} number of days it took{', with one decimal' if kind == 'average' else ''}.",
        ],
        value,
        f"SELECT {'avg' if kind == 'average' else 'max'}({s.days('closed', 'opened')}) FROM tickets WHERE product = "
        f"'{product}' AND priority = '{priority}' AND {s.known('closed')}",
        places=1 if kind == "average" else 0,
    )


def slow_tickets(s: Look) -> Asked:
    priority, factor = s.pick(PRIORITIES), s.draw.choice((2, 3))
    product = s.pick(PRODUCTS)
    times = {t.ticket_no: (t.closed - t.opened).days for t in s["tickets"] if t.priority == priority and t.closed}
    limit = factor * sum(times.values())
    found = [
        t.ticket_no for t in s["tickets"] if t.product == product and times.get(t.ticket_no, 0) * len(times) > limit
    ]
    need(1 <= len(found) <= 6)
    return Asked(
        [
            f"Which {priority} tickets about the {product} took more than {factor} times as many days to close as "
            f"{priority} tickets do on average (all products)? ticket_no, any order, closed tickets only.",
            f"Average the days to close over all closed {priority} tickets. List, in any order, each ticket_no of "
            f"product {product} with that priority that needed over {factor} times the average.",
            f"List the outliers: closed, priority {priority}, product {product}, open for longer than {factor} times "
            "the mean of all closed tickets of this priority. Give ticket_no, order free.",
            f"Some {priority} tickets for the {product} dragged on: more than {factor} times the mean time that "
            f"closed {priority} tickets of any product took. Their numbers (ticket_no) in any order?",
        ],
        found,
        f"WITH t AS (SELECT ticket_no, product, {s.days('closed', 'opened')} AS days FROM tickets WHERE priority = "
        f"'{priority}' AND {s.known('closed')}) SELECT ticket_no FROM t WHERE product = '{product}' AND days > "
        f"{factor} * (SELECT avg(days) FROM t)",
        ordered=False,
    )


def without_note(s: Look) -> Asked:
    month, product = s.pick(month_of(ticket.opened) for ticket in s["tickets"]), s.pick(PRODUCTS)
    noted = {note.ticket_no for note in s["notes"]}
    found = [
        t.ticket_no
        for t in s["tickets"]
        if t.ticket_no not in noted and month_of(t.opened) >= month and t.product == product
    ]
    need(1 <= len(found) <= 6)
    return Asked(
        [
            f"Which tickets about the {product}, opened in {month} or later, have no note at all? Any order, "
            "ticket_no.",
            f"Nobody wrote a note on some tickets. List those (ticket_no, in any order) for {product} that were "
            f"opened since the start of {month}.",
            f"Product {product}, opening date from {month} on, not a single note: list each ticket_no. Order free.",
            f"For the product {product} I want the ticket_no values, any order, that never occur in the notes; "
            f"tickets opened before {month} are of no interest.",
        ],
        found,
        f"SELECT ticket_no FROM tickets WHERE product = '{product}' AND {s.month('opened')} >= '{month}' AND "
        "ticket_no NOT IN (SELECT ticket_no FROM notes)",
        ordered=False,
        look=("notes", "ticket_no"),
    )


def repeated_notes(s: Look) -> Asked:
    author, priority = s.pick(AUTHORS), s.pick(PRIORITIES)
    wanted = {ticket.ticket_no for ticket in s["tickets"] if ticket.priority == priority}
    written = [note for note in s["notes"] if note.author == author and note.ticket_no in wanted]
    kept = {note._replace(note_no=0) for note in written}
    need(2 < len(kept) < len(written))
    return Asked(
        [
            f"How many notes did {author} really write on {priority} tickets? Notes on the same ticket and day by the "
            "same author were saved twice and count once.",
            f"{author}, {priority} tickets: number of notes, counting what was written on one ticket on one day only "
            "once.",
            "A fault stored some notes again (same ticket, same day, same author, another note_no). Without such "
            f"copies, how many notes of {author} are there on tickets with priority {priority}?",
            f"On how many different combinations of ticket and day is there a note by {author}, looking at priority "
            f"{priority} only?",
        ],
        len(kept),
        f"SELECT count(*) FROM (SELECT DISTINCT ticket_no, written_on FROM {BOTH} WHERE author = '{author}' "
        f"AND priority = '{priority}') AS t",
    )


def quickest_product(s: Look) -> Asked:
    month = s.pick(month_of(ticket.opened) for ticket in s["tickets"])
    priority = s.pick(PRIORITIES)
    times: dict[str, list[int]] = {}
    for t in s["tickets"]:
        if t.closed and month_of(t.opened) >= month and t.priority != priority:
            times.setdefault(t.product, []).append((t.closed - t.opened).days)
    need(len(times) == len(PRODUCTS))
    means = {product: sum(each) / len(each) for product, each in times.items()}
    order = ranked(means, 3, least=True)
    return Asked(
        [
            "Rank the products by average days from opening to closing, quickest first, over closed tickets opened "
            f"in {month} or later and not of priority {priority}. List the quickest three.",
            f"Leave out {priority} tickets, open ones and all opened before {month}. Which three products have the "
            "shortest mean time to close? Shortest first.",
            "The three products whose tickets are closed fastest on average, in order (fastest first): opened from "
            f"{month} on, any priority but {priority}, closed ones only.",
            f"What do we fix fastest? Mean days between opened and closed per product, for tickets since {month} that "
            f"are closed and whose priority is other than {priority}. Three names, starting with the shortest.",
        ],
        order,
        f"SELECT product FROM tickets WHERE {s.known('closed')} AND {s.month('opened')} >= '{month}' AND priority <> "
        f"'{priority}' GROUP BY 1 ORDER BY avg({s.days('closed', 'opened')}) LIMIT 3",
    )


def backlog_line(s: Look) -> Asked:
    product, priority = s.pick(PRODUCTS), s.pick(PRIORITIES)
    found = [t for t in s["tickets"] if t.product == product and t.priority != priority]
    points = [[end, sum(_open_on(ticket, date.fromisoformat(end)) for ticket in found)] for end in ENDS]
    peak = best({end: num for end, num in points})
    days = " UNION ALL ".join(f"SELECT '{end}' AS day" for end in ENDS)
    closed = "CAST(closed AS VARCHAR)" if s.engine == "duckdb" else "closed"
    opened = "CAST(opened AS VARCHAR)" if s.engine == "duckdb" else "opened"
    still = f"{opened} <= day AND ({s.unknown('closed')} OR {closed} > day)"
    return Asked(
        [
            f"Line chart of the open tickets about the {product}, without {priority} ones, at the end of each month "
            "from January to June 2025: x the last day of the month (YYYY-MM-DD, in order), y tickets opened by then "
            "and not closed by then. At which of these dates were most open?",
            f"Draw the backlog of {product} as a line through the six month ends 2025-01-31 to 2025-06-30 (x is the "
            f"date). A ticket closed on such a day is no longer open; {priority} tickets do not count. Answer with "
            "the date of the peak.",
            f"For every month end from 2025-01-31 up to 2025-06-30, how many tickets of product {product} (all "
            f"priorities except {priority}) were open when the day was over? As a line, x the dates in order; the "
            "date with most is the answer.",
            "Six points, the last days of January to June 2025 as YYYY-MM-DD, joined to a line: tickets for the "
            f"{product} that had been opened and not yet closed, {priority} priority left out. On which of the six "
            "days was the pile highest?",
        ],
        peak,
        f"SELECT day, (SELECT count(*) FROM tickets WHERE {still} AND product = '{product}' AND "
        f"priority <> '{priority}') AS num FROM ({days}) AS d ORDER BY day",
        chart={"kind": "line", "points": points},
    )


def notes_and_days(s: Look) -> Asked:
    product = s.pick(PRODUCTS)
    priority = s.pick(PRIORITIES)
    num = Counter(note.ticket_no for note in s["notes"])
    found = [
        t for t in s["tickets"] if t.product == product and t.priority == priority and t.closed and num[t.ticket_no]
    ]
    need(len(found) > 2)
    points = [[num[ticket.ticket_no], (ticket.closed - ticket.opened).days] for ticket in found]
    return Asked(
        [
            f"Scatter chart of closed {priority} tickets about the {product} that have notes: x how many notes, y "
            "days from opened to closed. What is the median of the days? (If they are even in number, halfway "
            "between the middle two.)",
            f"Do more notes mean a longer wait? For each closed ticket with product {product}, priority {priority} "
            "and at least one note, a dot: notes to the right, days until closed upwards (scatter). Answer with the "
            "median number of days.",
            f"Plot notes (x) against days to close (y), one point per ticket, as a scatter: {product}, {priority}, "
            "closed, one note or more. Then give the middle value of the days, the mean of the two middle ones if "
            "they are even in number.",
            f"Take the tickets with priority {priority} for the {product} which were closed and are mentioned in the "
            "notes. Scatter: x their number of notes as stored, y the days they were open. The answer is the median "
            "of y.",
        ],
        median(point[1] for point in points),
        f"SELECT count(*) AS notes, {s.days('closed', 'opened')} AS days FROM {BOTH} WHERE product = '{product}' AND "
        f"priority = '{priority}' AND {s.known('closed')} GROUP BY ticket_no, closed, opened",
        chart={"kind": "scatter", "points": points},
    )


WORLD = World(
    "helpdesk", "the help desk of a housing company", rows,
    {
        "trends": [open_at_end], "dates": [mean_time], "outliers": [slow_tickets], "missing": [without_note],
        "duplicates": [repeated_notes], "top": [quickest_product], "charts": [backlog_line, notes_and_days],
    },
)  # fmt: skip
