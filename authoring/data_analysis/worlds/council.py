"""A town council: a plan by quarter, and bills. Suppliers are spelled in several ways; credits are negative."""

from collections import Counter
from datetime import date
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, grouped, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, day_in, in_full, need

DEPARTMENTS = ["parks", "roads", "schools", "culture", "fire service"]
SUPPLIERS = ["Ashdown Timber", "Bellweather Paint", "Cray and Sons", "Dobbs Haulage", "Everly Print", "Fairlie Glass"]
QUARTERS = ["q1", "q2", "q3", "q4"]


class Plan(NamedTuple):
    department: str
    q1: int
    q2: int
    q3: int
    q4: int


class Bill(NamedTuple):
    bill_no: int
    booked_on: date
    department: str
    supplier: str
    amount: float
    invoice: str | None


def rows(draw: Random) -> Rows:
    bills: list[Bill] = []
    for _ in range(130):
        amount = round(draw.uniform(40, 1900), 2) * (-1 if draw.random() < 0.07 else 1)
        invoice = None if draw.random() < 0.12 else f"R{draw.randrange(1000, 9999)}"
        supplier = _written(draw, draw.choice(SUPPLIERS))
        bills.append(Bill(0, day_in(draw, date(2025, 1, 1), 364), draw.choice(DEPARTMENTS), supplier, amount, invoice))
    for bill in draw.sample([bill for bill in bills if bill.invoice and bill.amount > 0], 8):
        bills.append(bill._replace(booked_on=day_in(draw, bill.booked_on, 9)))
    bills = [bill for bill in bills if bill.booked_on.year == 2025]
    bills.sort(key=lambda bill: bill.booked_on)
    spent = grouped(bills, lambda bill: (bill.department, _quarter(bill)), lambda bill: int(bill.amount))
    plans = [
        Plan(name, *(max(500, int(spent.get((name, at), 0) * draw.uniform(0.7, 1.4)) // 50 * 50) for at in range(4)))
        for name in DEPARTMENTS
    ]
    return {"plan": plans, "bills": [bill._replace(bill_no=2001 + at) for at, bill in enumerate(bills)]}


def _written(draw: Random, name: str) -> str:
    return draw.choice((name, name, name, name.upper(), name.lower(), f"{name} "))


def _quarter(bill: Bill) -> int:
    return (bill.booked_on.month - 1) // 3


def _months(s: Look, at: int) -> str:
    """The condition that a bill is of a quarter, 0 to 3."""
    return f"{s.month('booked_on')} BETWEEN '2025-{3 * at + 1:02}' AND '2025-{3 * at + 3:02}'"


def _spent(s: Look, department: str, at: int) -> float:
    return sum(bill.amount for bill in s["bills"] if bill.department == department and _quarter(bill) == at)


def over_plan(s: Look) -> Asked:
    at, over = s.draw.randrange(4), s.draw.choice((0, 100, 200, 300))
    found = [plan.department for plan in s["plan"] if _spent(s, plan.department, at) > plan[1 + at] + over]
    need(1 <= len(found) <= 4)
    more = f"more than {over} above the plan" if over else "above the plan"
    quarter = f"{('first', 'second', 'third', 'fourth')[at]} quarter"
    return Asked(
        [
            f"Which departments were {more} in the {quarter}? Bills of that quarter, credits deducted, against the "
            "plan. Any order.",
            f"List every department, in any order, whose bills booked in the {quarter} come to a sum {more} for it.",
            f"The {quarter} is over. Where is the sum of bills (negative ones reduce it) {more}? Departments, order "
            "free.",
            f"Council question: name the departments that spent {more} between the first and the last day of the "
            f"{quarter}. The amounts are added as they stand, minus signs included; any order.",
        ],
        found,
        f"SELECT plan.department FROM plan JOIN bills ON bills.department = plan.department WHERE {_months(s, at)} "
        f"GROUP BY plan.department, {s.num(QUARTERS[at])} HAVING sum({s.num('amount')}) > {s.num(QUARTERS[at])} + "
        f"{over}",
        ordered=False,
    )


def one_supplier(s: Look) -> Asked:
    supplier, department = s.pick(SUPPLIERS), s.pick(DEPARTMENTS)
    found = [b for b in s["bills"] if b.supplier.strip().lower() == supplier.lower() and b.department == department]
    need(len({bill.supplier for bill in found}) > 1)
    return Asked(
        [
            f"How much did the department {department} pay to {supplier} in all? The name was typed in different ways "
            "(capitals, blanks at the end); all of them are the same supplier. Two decimals, credits deducted.",
            f"Total of the bills of {supplier} to {department}, two decimals, whether the name is written in "
            "capitals, in small letters or with a space too many. Negative amounts reduce it.",
            f"Sum the amounts, credits with their minus, of all bills of {department} from {supplier}, upper and "
            "lower case and trailing blanks in the name making no difference (2 decimals).",
            f"{supplier} is spelled with and without capitals in our books and sometimes has a blank behind it. "
            f"Treating these as one, what do its bills for {department} add up to? Two decimals.",
        ],
        rounded(sum(bill.amount for bill in found), 2),
        f"SELECT sum({s.num('amount')}) FROM bills WHERE lower(trim(supplier)) = '{supplier.lower()}' "
        f"AND department = '{department}'",
        places=2,
        look=("bills", "supplier"),
    )


def spellings(s: Look) -> Asked:
    department, month = s.pick(DEPARTMENTS), s.draw.randrange(4, 13)
    found = [b for b in s["bills"] if b.department == department and b.booked_on.month <= month]
    counts: Counter[str] = Counter(b.supplier.strip().lower() for b in found)
    need(len(counts) > 2)
    top = best(dict(counts))
    by = next(name for name in SUPPLIERS if name.lower() == top)
    return Asked(
        [
            f"Which supplier has the most bills for {department} up to the end of 2025-{month:02}, if differences of "
            "capitals and blanks in its name are ignored?",
            f"By number of bills booked from 2025-01 to 2025-{month:02}, who is the main supplier of {department}? "
            "The same name in other capitals or with a blank at its end is the same supplier.",
            f"Count bills per supplier for {department}, booked in 2025-{month:02} or before. A name counts as one "
            "however it is capitalised and whether or not a space follows. Who has the most?",
            f"{department.capitalize()}, through 2025-{month:02}: name the supplier that sent most bills. Mind that "
            "the clerks type names in capitals, in small letters, with extra blanks.",
        ],
        by,
        f"SELECT min(lower(trim(supplier))) FROM bills WHERE department = '{department}' AND {s.month('booked_on')} <= "
        f"'2025-{month:02}' GROUP BY lower(trim(supplier)) ORDER BY count(*) DESC LIMIT 1",
    )


def paid_twice(s: Look) -> Asked:
    department, other = s.two(DEPARTMENTS)
    counts: Counter[tuple[str, float]] = Counter()
    for bill in s["bills"]:
        if bill.department in (department, other) and bill.invoice:
            counts[bill.invoice, bill.amount] += 1
    extra = sum(amount * (num - 1) for (_, amount), num in counts.items())
    need(extra)
    return Asked(
        [
            f"Some invoices of {department} and {other} were booked a second time, with the same invoice number and "
            "amount. What is the sum that was booked too much? Two decimals.",
            f"For the departments {department} and {other}: where an invoice stands in the books more than once with "
            "the same amount, everything after the first booking is too much. How much is that together, to two "
            "decimals?",
            f"Find bills of {department} or {other} that repeat an invoice and its amount, and add up the superfluous "
            "ones (all but one of each). Bills with no invoice are no repeats. Two decimals.",
            f"How much money would we get back if {department} and {other} cancelled every repeated booking of an "
            "invoice (equal invoice, equal amount), keeping one each? Answer with two decimals.",
        ],
        rounded(extra, 2),
        f"SELECT sum(extra) FROM (SELECT {s.num('amount')} * (count(*) - 1) AS extra FROM bills WHERE department IN "
        f"('{department}', '{other}') AND {s.known('invoice')} GROUP BY invoice, amount) AS t",
        places=2,
        look=("bills", "invoice"),
    )


def no_invoice(s: Look) -> Asked:
    at, limit = s.draw.randrange(4), s.draw.randrange(100, 900, 50)
    found = [b for b in s["bills"] if _quarter(b) == at and b.invoice is None and b.amount > limit]
    need(1 <= len(found) <= 5)
    first, last = f"2025-{3 * at + 1:02}", f"2025-{3 * at + 3:02}"
    return Asked(
        [
            f"Which bills over {limit} from {first} to {last} have no invoice? bill_no, in any order.",
            f"List the bill_no of each bill that lacks an invoice and is higher than {limit}, booked in the months "
            f"{first} to {last} (any order).",
            f"The auditors want to see invoices for everything above {limit}. For which bills of {first} through "
            f"{last} is there none entered? Give bill_no; the order is free.",
            f"Invoice missing, amount greater than {limit}, booked between the start of {first} and the end of "
            f"{last}: their numbers (bill_no), please, in any order.",
        ],
        [bill.bill_no for bill in found],
        f"SELECT bill_no FROM bills WHERE {_months(s, at)} AND {s.unknown('invoice')} AND {s.num('amount')} > {limit}",
        ordered=False,
        look=("bills", "invoice"),
    )


def biggest_credit(s: Look) -> Asked:
    at = s.draw.randrange(2, 13)
    found = [bill for bill in s["bills"] if bill.booked_on.month <= at]
    credits = {bill.bill_no: -bill.amount for bill in found if bill.amount < 0}
    need(len(credits) > 1)
    small = s.draw.choice((True, False))
    word = "smallest" if small else "largest"
    return Asked(
        [
            f"A negative bill is a credit. Which bill_no is the {word} credit (by size) booked up to the end of "
            f"2025-{at:02}?",
            f"Of the credits, that is bills below zero, booked in 2025-{at:02} or earlier, give the bill_no of the "
            f"one that pays us back {'least' if small else 'most'}.",
            f"Until 2025-{at:02} included: bill_no of the credit (amount under zero) with the {word} sum, leaving the "
            "sign aside?",
            f"Sometimes a supplier returns money and the bill is negative. Through 2025-{at:02}, which bill_no "
            f"returned the {word} sum?",
        ],
        best(credits, least=small),
        f"SELECT bill_no FROM bills WHERE {s.num('amount')} < 0 AND {s.month('booked_on')} <= '2025-{at:02}' "
        f"ORDER BY {s.num('amount')} {'DESC' if small else 'ASC'} LIMIT 1",
        look=("bills", "amount"),
    )


def quarter_change(s: Look) -> Asked:
    department, at = s.pick(DEPARTMENTS), s.draw.randrange(3)
    early, late = _spent(s, department, at), _spent(s, department, at + 1)
    need(early > 500)
    names = ("first", "second", "third", "fourth")
    sums = [f"sum(CASE WHEN {_months(s, each)} THEN {s.num('amount')} ELSE 0 END)" for each in (at, at + 1)]
    return Asked(
        [
            f"By how many percent did the bills of {department} change from the {names[at]} to the {names[at + 1]} "
            "quarter, in total amount? One decimal, negative for a fall, credits deducted.",
            f"Spending of {department}, {names[at + 1]} quarter against {names[at]}: change in percent of the "
            f"{names[at]}, one decimal, with a minus if less was spent.",
            f"Take the sum of all amounts of {department} for the {names[at]} quarter, then for the {names[at + 1]}. "
            "What is the growth in percent (1 decimal; a decline is negative)?",
            f"Is the department {department} getting dearer? Compare its bills, added up with their signs, of the "
            f"{names[at + 1]} quarter with the quarter before; percentage change to one decimal.",
        ],
        rounded(100 * (late - early) / early, 1),
        f"SELECT 100.0 * ({sums[1]} - {sums[0]}) / {sums[0]} FROM bills WHERE department = '{department}'",
        places=1,
    )


def plan_bars(s: Look) -> Asked:
    at, other = sorted(s.draw.sample(range(4), 2))
    left = {plan.department: plan[1 + other] - plan[1 + at] for plan in s["plan"]}
    order = in_full(left)
    return Asked(
        [
            f"From the plan alone: a bar chart of what each department gets in {QUARTERS[other]} minus what it gets in "
            f"{QUARTERS[at]}, greatest first. Which department is first?",
            f"Bars, please, one a department, sorted from high to low: plan for {QUARTERS[other]} less plan for "
            f"{QUARTERS[at]}. The answer is the department with the tallest.",
            f"How does the plan shift between {QUARTERS[at]} and {QUARTERS[other]}? Draw the difference "
            f"({QUARTERS[other]} - {QUARTERS[at]}) per department as bars in descending order, and name the "
            "department that gains most.",
            f"Take the columns {QUARTERS[at]} and {QUARTERS[other]} of the plan. For every department subtract the "
            "former from the latter, show it in a bar chart with the highest bar first, and answer with that bar's "
            "department.",
        ],
        order[0],
        f"SELECT department, {s.num(QUARTERS[other])} - {s.num(QUARTERS[at])} AS more FROM plan ORDER BY 2 DESC",
        chart={"kind": "bar", "points": [[name, left[name]] for name in order]},
    )


WORLD = World(
    "council", "the books of a town council for 2025", rows,
    {
        "filters": [over_plan], "duplicates": [one_supplier, paid_twice], "top": [spellings], "missing": [no_invoice],
        "outliers": [biggest_credit], "trends": [quarter_change], "charts": [plan_bars],
    },
)  # fmt: skip
