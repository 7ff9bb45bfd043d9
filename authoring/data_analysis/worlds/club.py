"""A savings club: transfers from one member to another. A few were sent again some days later."""

from collections import Counter
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, grouped, ranked
from authoring.data_analysis.worlds.world import Look, Rows, World, best, day_in, in_full, month_of, need

HOLDERS = [
    "Agnes",
    "Boris",
    "Celia",
    "Dario",
    "Elsie",
    "Felix",
    "Greta",
    "Henri",
    "Ilsa",
    "Jonas",
    "Klara",
    "Lukas",
    "Mabel",
    "Noel",
]
LODGES = ["Beacon", "Cobble", "Drover"]
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


class Account(NamedTuple):
    account_no: int
    holder: str
    lodge: str
    opened: date


class Transfer(NamedTuple):
    transfer_no: int
    made_on: date
    payer_no: int
    payee_no: int
    amount: int
    purpose: str | None


def rows(draw: Random) -> Rows:
    accounts = [
        Account(61 + at, holder, LODGES[at % 3], day_in(draw, date(2016, 1, 1), 3000))
        for at, holder in enumerate(HOLDERS)
    ]
    begin, transfers = date(2025, 1, 2), []
    for _ in range(125):
        payer, payee = draw.sample(range(61, 61 + len(HOLDERS)), 2)
        purpose = None if draw.random() < 0.2 else draw.choice(("rent", "loan", "gift"))
        amount = draw.randrange(400, 900, 5) if draw.random() < 0.06 else draw.randrange(5, 200, 5)
        transfers.append(Transfer(0, day_in(draw, begin, 170), payer, payee, amount, purpose))
    for each in draw.sample(transfers, 9):
        transfers.append(each._replace(made_on=each.made_on + timedelta(draw.randrange(1, 7))))
    transfers.sort(key=lambda each: (each.made_on, each.payer_no))
    return {
        "accounts": accounts,
        "transfers": [each._replace(transfer_no=801 + at) for at, each in enumerate(transfers)],
    }


NAMED = "transfers JOIN accounts p ON p.account_no = payer_no JOIN accounts q ON q.account_no = payee_no"


def _names(s: Look) -> dict[int, str]:
    return {account.account_no: account.holder for account in s["accounts"]}


def _lodges(s: Look) -> dict[int, str]:
    return {account.account_no: account.lodge for account in s["accounts"]}


def net_of_holder(s: Look) -> Asked:
    names, holder = _names(s), s.pick(HOLDERS)
    first, last = sorted(s.two(month_of(each.made_on) for each in s["transfers"]))
    found = [each for each in s["transfers"] if first <= month_of(each.made_on) <= last]
    net = sum(
        each.amount * ((names[each.payee_no] == holder) - (names[each.payer_no] == holder)) for each in found
    )  # fmt: skip
    return Asked(
        [
            f"What did {holder} gain or lose by transfers from {first} to {last}, both months included? Received "
            "minus paid, negative for a loss.",
            f"{holder}, {first} through {last}: money in less money out (may be below zero)?",
            f"Take every transfer of the months {first} to {last} that {holder} was part of. Add what {holder} "
            f"received, take away what {holder} paid; the result, with a minus where more was paid, is the answer.",
            f"Did {holder} come out ahead between the beginning of {first} and the end of {last}? I want the sum of "
            f"transfers to {holder} minus the sum of transfers by {holder}.",
        ],
        net,
        f"SELECT sum(CASE WHEN q.holder = '{holder}' THEN {s.num('amount')} WHEN p.holder = '{holder}' THEN "
        f"-{s.num('amount')} ELSE 0 END) FROM {NAMED} WHERE {s.month('made_on')} BETWEEN '{first}' AND '{last}'",
    )


def both_ways(s: Look) -> Asked:
    names, holder, limit = _names(s), s.pick(HOLDERS), s.draw.randrange(10, 90, 5)
    found = [each for each in s["transfers"] if each.amount >= limit]
    paid = {names[each.payee_no] for each in found if names[each.payer_no] == holder}
    received = {names[each.payer_no] for each in found if names[each.payee_no] == holder}
    need(1 <= len(paid & received) <= 6)
    return Asked(
        [
            f"With whom did {holder} exchange money in both directions? Only transfers of {limit} or more count. "
            "Holders' names, any order.",
            f"List (any order) the people to whom {holder} paid at least {limit} in one transfer and who, in one "
            f"transfer, paid {holder} at least {limit}, too.",
            f"Looking at transfers of at least {limit}: which holders are found both among the payers to {holder} and "
            f"among the payees of {holder}? The order does not matter.",
            f"{holder} gives and takes. Ignore all transfers under {limit} and name everyone who both got some from "
            f"{holder} and sent some to {holder}; any order will do.",
        ],
        sorted(paid & received),
        f"SELECT q.holder FROM {NAMED} WHERE p.holder = '{holder}' AND {s.num('amount')} >= {limit} INTERSECT "
        f"SELECT p.holder FROM {NAMED} WHERE q.holder = '{holder}' AND {s.num('amount')} >= {limit}",
        ordered=False,
    )


def sent_again(s: Look) -> Asked:
    lodge, days = s.pick(LODGES), s.draw.choice((2, 3, 4, 5, 6))
    lodges = _lodges(s)
    again = {
        b.transfer_no
        for a in s["transfers"]
        for b in s["transfers"]
        if a.transfer_no != b.transfer_no and (a.payer_no, a.payee_no, a.amount) == (b.payer_no, b.payee_no, b.amount)
        and 0 < (b.made_on - a.made_on).days <= days and lodges[a.payer_no] == lodge
    }  # fmt: skip
    need(again)
    same = "a.payer_no = b.payer_no AND a.payee_no = b.payee_no AND a.amount = b.amount"
    return Asked(
        [
            f"A transfer may have been sent again by mistake: same payer, same payee, same amount, 1 to {days} days "
            f"later. Which ones are such repeats, for payers of the lodge {lodge}? transfer_no of the later one, any "
            "order.",
            f"List the transfer_no (any order) of every transfer by a payer from {lodge} that has an earlier twin: "
            f"equal payer, payee and amount, at least 1 and at most {days} days before.",
            f"Lodge {lodge} thinks some of its members paid twice. Find transfers that follow another of the same "
            f"payer, payee and amount within {days} days (not on the same day) and give their transfer_no; order is "
            "free.",
            f"For payers in {lodge}: which transfers repeat one made 1 to {days} days earlier between the same two "
            "accounts, in the same direction, with the same amount? List their numbers (transfer_no) in any order.",
        ],
        sorted(again),
        f"SELECT DISTINCT b.transfer_no FROM transfers a JOIN transfers b ON {same} JOIN accounts ON account_no = "
        f"a.payer_no WHERE lodge = '{lodge}' AND {s.days('b.made_on', 'a.made_on')} BETWEEN 1 AND {days}",
        ordered=False,
    )


def top_receivers(s: Look) -> Asked:
    names, month, num = _names(s), s.pick(month_of(each.made_on) for each in s["transfers"]), s.draw.choice((2, 3))
    paid = s.draw.choice((True, False))
    found = [each for each in s["transfers"] if month_of(each.made_on) >= month]
    sums = grouped(found, lambda each: names[each.payer_no if paid else each.payee_no], lambda each: each.amount)
    verb = "paid the most to others" if paid else "received the most"
    return Asked(
        [
            f"Which {num} holders {verb} in all from {month} on? The one with most first.",
            f"Since the start of {month}, who {verb}, adding up all transfers? Give {num} names, greatest sum first.",
            f"Sum the transfers of {month} and later by {'payer' if paid else 'payee'}. Who are the top {num}, in "
            "descending order?",
            f"For our newsletter: the {num} people who {verb} between {month} and the end of the data, listed from "
            "the highest total down.",
        ],
        ranked(sums, num),
        f"SELECT {'p' if paid else 'q'}.holder FROM {NAMED} WHERE {s.month('made_on')} >= '{month}' GROUP BY 1 "
        f"ORDER BY sum({s.num('amount')}) DESC LIMIT {num}",
    )  # fmt: skip


def unusual_payment(s: Look) -> Asked:
    names, factor = _names(s), s.draw.choice((3, 4))
    lodge, lodges = s.pick(LODGES), _lodges(s)
    sums, counts = Counter[int](), Counter[int]()
    for each in s["transfers"]:
        sums[each.payer_no] += each.amount
        counts[each.payer_no] += 1
    found = {
        names[each.payer_no]
        for each in s["transfers"]
        if each.amount * counts[each.payer_no] > factor * sums[each.payer_no] and lodges[each.payer_no] == lodge
    }
    need(1 <= len(found) <= 4)
    return Asked(
        [
            f"Who in the lodge {lodge} made a transfer of more than {factor} times their own average transfer? The "
            "average is over all the transfers that person made. Names in any order.",
            f"Name the payers from {lodge}, in any order, with at least one transfer above {factor} times the mean of "
            "what they paid per transfer.",
            f"For every payer of {lodge}, compare single transfers with that payer's mean. Whose largest exceeds "
            f"{factor} times the mean? List, any order.",
            f"We check payments that are out of character, meaning over {factor} times what the same holder transfers "
            f"on average. Which holders of the lodge {lodge} made one? Order does not matter.",
        ],
        sorted(found),
        f"WITH t AS (SELECT payer_no, {s.num('amount')} AS a, avg({s.num('amount')}) OVER (PARTITION BY payer_no) AS "
        "mean FROM transfers) SELECT DISTINCT holder FROM t JOIN accounts ON account_no = payer_no WHERE lodge = "
        f"'{lodge}' AND a > {factor} * mean",
        ordered=False,
    )


def payday(s: Look) -> Asked:
    lodge, purpose = s.pick(LODGES), s.draw.choice(("rent", "loan", "gift"))
    lodges = _lodges(s)
    found = [each for each in s["transfers"] if lodges[each.payee_no] == lodge and each.purpose == purpose]
    sums = grouped(found, lambda each: WEEKDAYS[each.made_on.isoweekday() % 7], lambda each: each.amount)
    need(len(sums) > 3)
    cases = " ".join(f"WHEN '{at}' THEN '{name}'" for at, name in enumerate(WEEKDAYS))
    return Asked(
        [
            f'On which day of the week does most money marked "{purpose}" arrive in the lodge {lodge}? '
            "The English name of the day.",
            f'Transfers with the purpose "{purpose}" to accounts of {lodge}: which weekday has the greatest sum? '
            "(English name)",
            f"Add up the amounts of all transfers for the purpose {purpose} to a payee in {lodge}, by day of the "
            "week. Name the day on top, in English.",
            f"When should the treasurer of {lodge} be in? Tell me the weekday, by its English name, with the highest "
            f"total of money received there whose purpose is {purpose}.",
        ],
        best(sums),
        f"SELECT CASE {s.weekday('made_on')} {cases} END FROM {NAMED} WHERE q.lodge = '{lodge}' AND purpose = "
        f"'{purpose}' GROUP BY 1 ORDER BY sum({s.num('amount')}) DESC LIMIT 1",
        look=("transfers", "purpose"),
    )


def lodge_bars(s: Look) -> Asked:
    lodges = _lodges(s)
    month = s.pick(month_of(each.made_on) for each in s["transfers"])
    net: Counter[str] = Counter()
    for each in s["transfers"]:
        if month_of(each.made_on) <= month:
            net[lodges[each.payee_no]] += each.amount
            net[lodges[each.payer_no]] -= each.amount
    order = in_full(dict(net))
    need(len(order) == 3)
    word = s.draw.choice(("lowest", "highest"))
    part = "SELECT lodge, {sign}{amount} AS change FROM transfers JOIN accounts ON account_no = {side} WHERE {when}"
    when = f"{s.month('made_on')} <= '{month}'"
    parts = [
        part.format(sign=sign, amount=s.num("amount"), side=side, when=when)
        for sign, side in (("", "payee_no"), ("-", "payer_no"))
    ]
    return Asked(
        [
            f"Bar chart: for each lodge, what its accounts received minus what they paid, up to the end of {month}, "
            f"the highest bar first (bars may go below zero). Which lodge has the {word} bar?",
            f"Where does the money go? By lodge, received less paid until {month} (included) as bars, the highest at "
            f"the left end. Answer with the lodge of the {word} bar.",
            "Draw the three lodges as bars in descending order of their net gain from transfers, all months through "
            f"{month}; a transfer inside a lodge changes nothing. The answer is the lodge with the {word} bar.",
            f"Net flow per lodge (in minus out, over transfers made in {month} or earlier): a bar chart sorted from "
            f"greatest to least, then the name of the lodge with the {word} one.",
        ],
        order[-1 if word == "lowest" else 0],
        f"SELECT lodge, sum(change) AS net FROM ({' UNION ALL '.join(parts)}) AS t GROUP BY 1 ORDER BY 2 DESC",
        chart={"kind": "bar", "points": [[lodge, net[lodge]] for lodge in order]},
    )


def sums_by_month(s: Look) -> Asked:
    names, holder = _names(s), s.pick(HOLDERS)
    found = [each for each in s["transfers"] if holder in (names[each.payer_no], names[each.payee_no])]
    sums = grouped(found, lambda each: month_of(each.made_on), lambda each: each.amount)
    need(len(sums) > 3)
    return Asked(
        [
            f"Turnover of {holder} as a line chart: per month (YYYY-MM, in order, only months with any) the sum of "
            "all transfers made or received. Which month has the lowest turnover?",
            f"Draw a line with one point for every month in which {holder} paid or received something, x as YYYY-MM "
            "in order, y the amounts of both kinds added. Answer with the month of the lowest point.",
            f"How much moves through the account of {holder}? Line chart by month, amounts in and out added together, "
            "months as YYYY-MM from the earliest, empty ones left out. In which month did the least move?",
            f"For {holder}: by month (YYYY-MM ascending, without months that have no transfer), add what was paid and "
            "what was received, and plot it as a line. The quietest of these months is the answer.",
        ],
        best(sums, least=True),
        f"SELECT {s.month('made_on')} AS month, sum({s.num('amount')}) AS turnover FROM {NAMED} WHERE '{holder}' IN "
        "(p.holder, q.holder) GROUP BY 1 ORDER BY 1",
        chart={"kind": "line", "points": [[month, sums[month]] for month in sorted(sums)]},
    )


WORLD = World(
    "club", "a savings club", rows,
    {
        "joins": [net_of_holder], "filters": [both_ways], "duplicates": [sent_again], "top": [top_receivers],
        "outliers": [unusual_payment], "dates": [payday], "charts": [lodge_bars, sums_by_month],
    },
)  # fmt: skip
