"""A spare-parts store: what goes in and out. Some moves are booked twice, some without the clerk's name."""

from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, grouped, quoted
from authoring.data_analysis.worlds.world import Look, Rows, World, best, month_of, need

ITEMS = ["valve", "gasket", "piston", "bearing", "washer", "hose clamp", "drive belt", "fuse"]
SHELVES = ["A1", "B2", "C3"]
CLERKS = ["Tilda", "Rufus", "Wanda", "Casper"]


class Item(NamedTuple):
    item_no: int
    item: str
    shelf: str
    reorder_at: int


class Move(NamedTuple):
    move_no: int
    moved_on: date
    item_no: int
    direction: str
    units: int
    clerk: str | None


def rows(draw: Random) -> Rows:
    items = [
        Item(31 + at, name, SHELVES[at % 3] if at < 3 else draw.choice(SHELVES), draw.randrange(10, 60, 5))
        for at, name in enumerate(ITEMS)
    ]
    begin = date(2025, draw.choice((1, 3)), 1)
    drawn: list[Move] = []
    for item in items:
        stock, day = 0, begin
        for _ in range(draw.randrange(14, 20)):
            day += timedelta(draw.randrange(2, 16))
            incoming = stock < 15 or draw.random() < 0.4
            units = draw.randrange(20, 61) if incoming else draw.randrange(3, stock)
            stock += units if incoming else -units
            clerk = None if draw.random() < 0.12 else draw.choice(CLERKS)
            drawn.append(Move(0, day, item.item_no, "in" if incoming else "out", units, clerk))
    drawn += draw.sample([move for move in drawn if move.direction == "in"], 8)
    drawn.sort(key=lambda move: move.moved_on)
    return {"items": items, "moves": [move._replace(move_no=1001 + at) for at, move in enumerate(drawn)]}


BOTH = "moves JOIN items USING (item_no)"


def _of(s: Look, item: Item) -> list[Move]:
    return [move for move in s["moves"] if move.item_no == item.item_no]


def _signed(move: Move) -> int:
    return move.units if move.direction == "in" else -move.units


def _sign(s: Look) -> str:
    return f"CASE WHEN direction = 'in' THEN {s.num('units')} ELSE -{s.num('units')} END"


def on_the_shelf(s: Look) -> Asked:
    item = s.pick(s["items"])
    day = s.pick(move.moved_on for move in _of(s, item)) + timedelta(s.draw.randrange(3))
    return Asked(
        [
            f"How many units of {item.item} were in stock at the end of {day}? Everything began empty.",
            f"On {day}, after closing: ins minus outs of the item {item.item} so far?",
            f"The auditor asks for the stock of {item.item} on {day} (that day's moves included). It started from "
            "zero.",
            f"What did we have left of the {item.item} when the store closed on {day}? Take all moves of it as "
            "booked, what came in less what went out, starting with none.",
        ],
        sum(_signed(move) for move in _of(s, item) if move.moved_on <= day),
        f"SELECT sum({_sign(s)}) FROM {BOTH} WHERE item = {quoted(item.item)} AND moved_on <= '{day}'",
    )


def below_reorder(s: Look) -> Asked:
    day = s.pick(move.moved_on for move in s["moves"][30:])
    stock = {i.item: sum(_signed(move) for move in _of(s, i) if move.moved_on <= day) for i in s["items"]}
    low = [item.item for item in s["items"] if stock[item.item] < item.reorder_at]
    need(1 <= len(low) <= 5 and all(any(m.moved_on <= day for m in _of(s, i)) for i in s["items"]))
    return Asked(
        [
            f"What should have been reordered on {day}? List the items whose stock at the end of that day was below "
            "their reorder_at, in any order.",
            f"Items with a stock under their reorder level once all moves up to {day} (included) are counted: list "
            "them, order free.",
            "Stock is what came in less what went out, from zero. For which items was it lower than reorder_at when "
            f"{day} ended? Any order.",
            f"Give me a shopping list as of {day}, end of day: every item that had fallen below its reorder level. "
            "Any order will do.",
        ],
        low,
        f"SELECT item FROM {BOTH} WHERE moved_on <= '{day}' GROUP BY item, {s.num('reorder_at')} "
        f"HAVING sum({_sign(s)}) < {s.num('reorder_at')}",
        ordered=False,
    )


def lowest_stock(s: Look) -> Asked:
    item = s.pick(s["items"])
    by_day = sorted(grouped(_of(s, item), lambda move: move.moved_on, _signed).items())
    low, so_far = s.draw.choice((True, False)), 0
    levels: dict[date, int] = {}
    for day, change in by_day:
        so_far += change
        levels[day] = so_far
    day = best(levels, least=low)
    word, most = ("lowest", "least") if low else ("highest", "most")
    return Asked(
        [
            f"On which date was the stock of {item.item} at its {word}? Judge by the end of each day on which it "
            "moved; it started from nothing. (YYYY-MM-DD)",
            f"Follow the {item.item} through the moves, from zero. After which day's moves was there {most} of it? "
            "YYYY-MM-DD.",
            f"{item.item.capitalize()}: when was the {word} stock? Only days with a move of it count, taken after all "
            "of that day's moves. Date as YYYY-MM-DD.",
            f"I am looking for the day (YYYY-MM-DD) at whose end we had the {word} number of units of {item.item}, "
            "among the days on which any came in or went out.",
        ],
        day.isoformat(),
        f"WITH t AS (SELECT moved_on, sum({_sign(s)}) AS change FROM {BOTH} WHERE item = {quoted(item.item)} GROUP BY "
        "1), r AS (SELECT moved_on, sum(change) OVER (ORDER BY moved_on) AS level FROM t) SELECT moved_on FROM r "
        f"ORDER BY level {'' if low else 'DESC '}LIMIT 1",
    )


def clerks_ranked(s: Look) -> Asked:
    month = s.pick(month_of(move.moved_on) for move in s["moves"])
    direction = s.draw.choice(("in", "out"))
    found = [m for m in s["moves"] if m.clerk and m.direction == direction and month_of(m.moved_on) == month]
    units = grouped(found, lambda move: move.clerk, lambda move: move.units)
    need(len(units) > 2 and len(set(units.values())) == len(units))
    verb = "brought in" if direction == "in" else "handed out"
    return Asked(
        [
            f"Rank the clerks by the units they {verb} during {month}, most first. Only those who did any; moves "
            "without a name are ignored.",
            f"Who {verb} how much in {month}? I only need the clerks in order, from the most units to the fewest.",
            f"{month}, direction {direction}: list the clerks that occur, sorted by the sum of units, greatest first.",
            f"For the bonus of {month} put the clerks in descending order of the units they {verb}. Whoever {verb} "
            "nothing is not on the list, and nor are moves with no clerk.",
        ],
        sorted(units, key=lambda clerk: -units[clerk]),
        f"SELECT clerk FROM moves WHERE {s.known('clerk')} AND direction = '{direction}' AND {s.month('moved_on')} = "
        f"'{month}' GROUP BY 1 ORDER BY sum({s.num('units')}) DESC",
        look=("moves", "direction"),
    )  # fmt: skip


def next_delivery(s: Look) -> Asked:
    item = s.pick(s["items"])
    days = [move.moved_on for move in _of(s, item) if move.direction == "in"]
    asked = s.pick(move.moved_on for move in _of(s, item)) + timedelta(s.draw.randrange(4))
    later = [day for day in days if day > asked]
    need(later)
    return Asked(
        [
            f"A customer wanted a {item.item} on {asked}. When did the next delivery of it come in, after that day? "
            "(YYYY-MM-DD)",
            f"First date after {asked} on which {item.item} came in, as YYYY-MM-DD?",
            f"We ran short of the item {item.item} on {asked}; on what later date did we first get more? Write "
            "YYYY-MM-DD.",
            f"Look for incoming moves of {item.item} later than {asked}, that day itself excluded. What is the "
            "earliest date (YYYY-MM-DD)?",
        ],
        min(later).isoformat(),
        f"SELECT min(moved_on) FROM {BOTH} WHERE item = {quoted(item.item)} AND direction = 'in' AND moved_on > "
        f"'{asked}'",
    )


def nameless_moves(s: Look) -> Asked:
    shelf, direction = s.pick(item.shelf for item in s["items"]), s.draw.choice(("in", "out"))
    items = {item.item_no for item in s["items"] if item.shelf == shelf}
    found = [m for m in s["moves"] if m.item_no in items and m.direction == direction and m.clerk is None]
    need(len(found) > 1)
    way = "came in to" if direction == "in" else "went out from"
    return Asked(
        [
            f"How many units {way} shelf {shelf} in moves that name no clerk?",
            f"Shelf {shelf}, direction {direction}, clerk left blank: total units?",
            f"Some moves were booked without saying who did it. Add up the units of those that {way} shelf {shelf}.",
            f"Nobody signed for them: the units which {way} {shelf} with no clerk entered. What do they sum to?",
        ],
        sum(move.units for move in found),
        f"SELECT sum({s.num('units')}) FROM {BOTH} WHERE shelf = '{shelf}' AND direction = '{direction}' AND "
        f"{s.unknown('clerk')}",
        look=("moves", "clerk"),
    )


def stock_without_repeats(s: Look) -> Asked:
    item = s.pick(s["items"])
    kept = {move._replace(move_no=0) for move in _of(s, item)}
    need(len(kept) < len(_of(s, item)))
    same = "moved_on, item_no, direction, units, clerk"
    return Asked(
        [
            "Some deliveries were booked twice, alike in all but move_no. Counting such moves once, what is the "
            f"final stock of {item.item} (from zero)?",
            f"What should really be on the shelf of {item.item} after the last move? Start at none, and drop the "
            "second of two moves that differ in nothing but their move_no.",
            f"Final stock of {item.item}, ins less outs from zero, once double bookings (every column but move_no the "
            "same) are taken out.",
            f"The shelf and the book disagree about the item {item.item}: the book has moves that were entered twice, "
            "identical apart from move_no. Keep one of each. What stock does that leave at the very end, if we began "
            "with nothing?",
        ],
        sum(map(_signed, kept)),
        f"SELECT sum({_sign(s)}) FROM (SELECT DISTINCT {same} FROM {BOTH} WHERE item = {quoted(item.item)}) AS t",
    )


def unusual_outs(s: Look) -> Asked:
    shelf, factor = s.pick(item.shelf for item in s["items"]), s.draw.choice((1.5, 2))
    found: list[int] = []
    for item in s["items"]:
        outs = [move for move in _of(s, item) if move.direction == "out"]
        usual = factor * sum(move.units for move in outs)
        found += [m.move_no for m in outs if item.shelf == shelf and m.units * len(outs) > usual]
    need(1 <= len(found) <= 5)
    return Asked(
        [
            f"Which moves out of shelf {shelf} took more than {factor} times the units that usually leave (the "
            "average of all moves out of the same item)? List the move_no values, any order.",
            f"List every move_no, in any order, of an outgoing move on shelf {shelf} with units above {factor} times "
            "the mean of that item's outgoing moves.",
            f"Per item, work out how many units an outgoing move has on average. For items on {shelf}, which outgoing "
            f"moves exceed {factor} times that? Give their move_no in any order.",
            f"Somebody may have emptied {shelf}. Name the suspicious ones (move_no, any order): direction out, and "
            f"over {factor} times the average that goes out of this item per move.",
        ],
        found,
        f"WITH t AS (SELECT move_no, shelf, {s.num('units')} AS u, avg({s.num('units')}) OVER (PARTITION BY item_no) "
        f"AS mean FROM {BOTH} WHERE direction = 'out') SELECT move_no FROM t WHERE shelf = '{shelf}' AND u > {factor} "
        "* mean",
        ordered=False,
    )


def net_by_month(s: Look) -> Asked:
    item = s.pick(s["items"])
    net = grouped(_of(s, item), lambda move: month_of(move.moved_on), _signed)
    months = sorted(net)
    need(len(months) > 3)
    return Asked(
        [
            f"Line chart of the net change of {item.item} per month (in minus out, below zero where more left): "
            "months that have a move, written YYYY-MM, in order. Answer with the month of the greatest net change.",
            f"Month by month (YYYY-MM, ascending, only those with moves), draw as a line what {item.item} gained or "
            "lost: units in less units out. Which month has the highest value?",
            f"How did {item.item} develop? Draw a line, x the month as YYYY-MM in order of time, y the units that "
            "came in minus those that went out; no point for a month without moves. The answer is the month at the "
            "top.",
            f"Draw a line chart for the item {item.item}. For each month with any move (YYYY-MM, earliest first): ins "
            "minus outs. Then give the month where this is largest.",
        ],
        best(net),
        f"SELECT {s.month('moved_on')} AS month, sum({_sign(s)}) AS net FROM {BOTH} WHERE item = {quoted(item.item)} "
        "GROUP BY 1 ORDER BY 1",
        chart={"kind": "line", "points": [[month, net[month]] for month in months]},
    )


WORLD = World(
    "stock", "a store of spare parts", rows,
    {
        "aggregates": [on_the_shelf], "filters": [below_reorder], "trends": [lowest_stock], "top": [clerks_ranked],
        "dates": [next_delivery], "missing": [nameless_moves], "duplicates": [stock_without_repeats],
        "outliers": [unusual_outs], "charts": [net_by_month],
    },
)  # fmt: skip
