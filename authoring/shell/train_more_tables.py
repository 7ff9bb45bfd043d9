"""More jobs to learn from: tables that are put together, brought up to date, checked, and made from other things.

Each is said in several ways. No field holds a comma or quotes.
"""

from itertools import accumulate
from random import Random

from authoring.shell.jobs import FOLDERS, PEOPLE, PLACES, Job, day, folder, lines, names, table

_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october"]


def rows_with_a_gap(draw: Random) -> Job:
    name, column = draw.choice(FOLDERS), draw.choice(["town", "year", "email"])
    head = ["member", *draw.sample(["town", "year", "email"], 3)]
    rows = [
        [who, *({"town": draw.choice(PLACES), "year": draw.randint(1990, 2020), "email": f"{who.lower()}@x.example"}[each]
                for each in head[1:])]
        for who in names(draw, 12, PEOPLE)
    ]  # fmt: skip
    for each in head[1:]:
        for row in draw.sample(rows, draw.randint(2, 4)):
            row[head.index(each)] = ""
    gaps = [row for row in rows if row[head.index(column)] == ""]
    return Job(
        [
            f"In {name}.csv the column {column} is empty for some members. Copy these rows to gaps.csv, header first, and"
            " tell me how many there are.",
            f"Who has no {column} in {name}.csv? I need gaps.csv with the header and their rows as they stand, in the same"
            " order. Answer with their number.",
            f"How many rows of {name}.csv lack the {column}? Give me that number, and the rows themselves, under the"
            " header, in gaps.csv. Other empty fields do not matter.",
            f"Find the members without {column} ({name}.csv). Their rows, unchanged, with the header on top: gaps.csv."
            " Their number: your answer.",
        ],
        {f"{name}.csv": table(head, rows)},
        [
            f"awk -F, 'NR == 1 || ${head.index(column) + 1} == \"\"' {name}.csv > gaps.csv",
            "tail -n +2 gaps.csv | wc -l",
        ],
        {"gaps.csv": table(head, gaps)},
        answer=str(len(gaps)),
    )


def months_in_one(draw: Random) -> Job:
    where, first = folder(draw), draw.randint(0, 6)
    months = _MONTHS[first : first + 4]
    parts = {month: [[draw.choice(PEOPLE), draw.randint(1, 60)] for _ in range(draw.randint(2, 4))] for month in months}
    rows = [[month, *row] for month in months for row in parts[month]]
    span = f"{months[0]} to {months[-1]}"
    return Job(
        [
            f"{where}/ has a table for each month from {span}, with the columns who,hours. Put them together in months.csv"
            " with the header month,who,hours: by month in the order of the year, each month's rows as they are.",
            f"Make one table out of {where}/{months[0]}.csv up to {months[-1]}.csv. months.csv begins with month,who,hours;"
            " then come the rows of every month in calendar order, with the month, as the file is called, in front.",
            f"I would like all hours of {span} in a single months.csv: the header month,who,hours once, then month after"
            f" month. The tables are in {where}/, one a month, and their rows keep their order.",
            f"Combine the monthly tables in {where}/ ({span}). Add a first column month with the name from the file, write"
            " month,who,hours once at the top, earlier months first. The result is called months.csv.",
        ],
        {f"{where}/{month}.csv": table(["who", "hours"], parts[month]) for month in sorted(months)},
        [
            f'(echo month,who,hours; for m in {" ".join(months)}; do tail -n +2 {where}/$m.csv | sed "s/^/$m,/"; done)'
            " > months.csv; cat months.csv"
        ],
        {"months.csv": table(["month", "who", "hours"], rows)},
    )


def best_of_each(draw: Random) -> Job:
    name, people = draw.choice(FOLDERS), sorted(names(draw, 4, PEOPLE))
    rows = [
        [who, day(draw, 2023), score] for who, score in zip(people * 4, draw.sample(range(10, 99), 16), strict=True)
    ]
    draw.shuffle(rows)
    best = [max((row for row in rows if row[0] == who), key=lambda row: int(str(row[2]))) for who in people]
    return Job(
        [
            f"{name}.csv holds results: player, date and score. Write best.csv with the same header and for every player"
            " the row with the highest score, sorted by player.",
            f"Reduce {name}.csv to each player's best day, the row with their top score. Save that as best.csv, header kept,"
            " players in alphabetical order.",
            f"Only the record of each player counts. From {name}.csv take, per player, the one row with the largest score;"
            " order by player; keep the header; call it best.csv.",
            f"best.csv should say when each player of {name}.csv scored most: player,date,score, a row each, by name.",
        ],
        {f"{name}.csv": table(["player", "date", "score"], rows)},
        [
            f"(head -n 1 {name}.csv; tail -n +2 {name}.csv | sort -t, -k1,1 -k3,3nr | awk -F, '!seen[$1]++') > best.csv;"
            " cat best.csv"
        ],
        {"best.csv": table(["player", "date", "score"], best)},
    )


def prices_updated(draw: Random) -> Job:
    name, articles = draw.choice(FOLDERS), names(draw, 11)
    prices = {article: draw.randint(3, 90) for article in articles}
    fresh = {article: draw.randint(91, 150) for article in draw.sample(articles, 4)}
    old = [[article, prices[article], draw.randint(0, 30)] for article in articles]
    new = [[article, fresh.get(article, price), stock] for article, price, stock in old]
    return Job(
        [
            f"new_prices.txt has an article and its new price on each line. Enter these prices in {name}.csv, whose columns"
            " are article,price,stock. Nothing else in it changes.",
            f"Some prices went up; see new_prices.txt. Bring the column price of {name}.csv up to date, in the file itself,"
            " with rows in the same order and stock untouched.",
            f"Update {name}.csv from new_prices.txt (article, space, price). Articles that are not listed there keep their"
            " price.",
            f"In {name}.csv replace the prices of the articles named in new_prices.txt by the ones given there. Edit the"
            " table in place.",
        ],
        {
            f"{name}.csv": table(["article", "price", "stock"], old),
            "new_prices.txt": lines([f"{article} {price}" for article, price in fresh.items()]),
        },
        [
            f"awk -F'[ ,]' 'NR == FNR {{p[$1] = $2; next}} {{if ($1 in p) $2 = p[$1]; print $1 \",\" $2 \",\" $3}}'"
            f" new_prices.txt {name}.csv > /tmp/t && cat /tmp/t > {name}.csv; cat {name}.csv"
        ],
        {f"{name}.csv": table(["article", "price", "stock"], new)},
    )


def cards_to_rows(draw: Random) -> Job:
    name, head = draw.choice(FOLDERS), ["name", "town", "since"]
    rows = [[who, draw.choice(PLACES), draw.randint(1990, 2022)] for who in names(draw, 7, PEOPLE)]
    cards: list[str] = []
    for row in rows:
        fields = [f"{key}: {value}\n" for key, value in zip(head, row, strict=True)]
        draw.shuffle(fields)
        cards.append("".join(fields))
    return Job(
        [
            f"{name}.txt holds cards of members: lines 'key: value', a blank line between cards, keys in any order. Make"
            " cards.csv of it, with the columns name,town,since and a row for each card, in their order.",
            f"Turn the cards in {name}.txt into a table, cards.csv. Its header is name,town,since. Each card, up to a blank"
            " line, becomes one row; mind that its lines are in no fixed order.",
            f"I would rather have {name}.txt as CSV: cards.csv, columns name, town and since, one card a row, first card"
            " first.",
            f"Every block of lines in {name}.txt describes one member (name, town, since; the order varies). Write them as"
            " rows under the header name,town,since to cards.csv.",
        ],
        {f"{name}.txt": "\n".join(cards)},
        [
            f"(echo name,town,since; awk -v RS= -F'\\n' '{{for (i = 1; i <= NF; i++) {{split($i, p, \": \"); v[p[1]] = p[2]}}"
            f' print v["name"] "," v["town"] "," v["since"]}}\' {name}.txt) > cards.csv; cat cards.csv'
        ],
        {"cards.csv": table(head, rows)},
    )


def numbers_given_twice(draw: Random) -> Job:
    name, ids = draw.choice(FOLDERS), draw.sample(range(1000, 9999), 14)
    twice = sorted(draw.sample(ids, 3))
    rows = [[each, draw.choice(PEOPLE), draw.choice(PLACES)] for each in [*ids, *twice]]
    draw.shuffle(rows)
    return Job(
        [
            f"The number in the first column of {name}.csv should be unique and is not. Which numbers are there more than"
            " once? In ascending order, separated by commas.",
            f"Check {name}.csv for numbers that were given twice. List them, smallest first, with commas between.",
            f"Somebody handed out the same number to two people in {name}.csv, three times over. Which numbers? Ascending,"
            " comma-separated.",
            f"Which values of the column number occur in more than one row of {name}.csv? Sort them by size and put commas"
            " between them.",
        ],
        {f"{name}.csv": table(["number", "name", "town"], rows)},
        [f"tail -n +2 {name}.csv | cut -d, -f1 | sort -n | uniq -d | paste -sd,"],
        answer=",".join(map(str, twice)),
    )


def running_balance(draw: Random) -> Job:
    name, start = draw.choice(FOLDERS), draw.randint(100, 900)
    days = sorted({day(draw, draw.randint(2018, 2024)) for _ in range(10)})
    sums = [draw.choice([-1, 1]) * draw.randint(5, 80) for _ in days]
    after = list(accumulate(sums, initial=start))[1:]
    rows = [[date, amount] for date, amount in zip(days, sums, strict=True)]
    return Job(
        [
            f"The account of {name}.csv stood at {start} before the first row. Write balance.csv: the same with a third"
            " column balance, what it stood at after each row.",
            f"Add a running balance to {name}.csv. It starts from {start}; amounts below zero are payments. The new table,"
            " date,amount,balance, goes to balance.csv.",
            f"Opening balance {start}, movements in {name}.csv. I need balance.csv with date,amount,balance where balance"
            " includes the amount of its own row.",
            f"From {name}.csv (date,amount) make balance.csv (date,amount,balance). The balance was {start} at the beginning"
            " and changes by the amount in every row.",
        ],
        {f"{name}.csv": table(["date", "amount"], rows)},
        [
            f'awk -F, -v b={start} \'NR == 1 {{print $0 ",balance"; next}} {{b += $2; print $0 "," b}}\' {name}.csv >'
            " balance.csv; cat balance.csv"
        ],
        {"balance.csv": table(["date", "amount", "balance"], [[*row, b] for row, b in zip(rows, after, strict=True)])},
    )


def totals_that_are_wrong(draw: Random) -> Job:
    where, numbers = folder(draw), sorted(draw.sample(range(200, 900), 6))
    wrong = sorted(draw.sample(numbers, draw.randint(1, 3)))
    files: dict[str, str] = {}
    for number in numbers:
        items = [(name, draw.randint(2, 70)) for name in names(draw, draw.randint(2, 4))]
        total = sum(price for _, price in items) + (draw.choice([-1, 1, 9, 10]) if number in wrong else 0)
        files[f"{where}/{number}.bill"] = lines([*(f"{name} {price}" for name, price in items), f"total {total}"])
    return Job(
        [
            f"Each bill in {where}/ lists prices and ends with their total. Which totals are wrong? Answer with the numbers"
            " of the bills, ascending, separated by commas.",
            f"Recalculate the bills NUMBER.bill in {where}/. Give me the numbers of those whose last line does not match the"
            " sum of the lines above it, in ascending order with commas.",
            f"I do not trust the totals in {where}/. Name the bills, by number and in order, that do not add up; commas"
            " between.",
            f"Some of the bills in {where}/ state a total that is not the sum of their items. Which ones? Only the numbers,"
            " ascending, comma-separated.",
        ],
        files,
        [
            f"cd {where} && for f in *.bill; do awk '$1 == \"total\" {{if ($2 != s) print FILENAME; next}} {{s += $2}}' $f;"
            " done | sed 's/.bill//' | sort -n | paste -sd,"
        ],
        answer=",".join(map(str, wrong)),
    )


def column_dropped(draw: Random) -> Job:
    where, gone = folder(draw), draw.choice(["phone", "locker", "salary"])
    files: dict[str, str] = {}
    wanted: dict[str, str | None] = {}
    for name in names(draw, 4):
        head = draw.sample([gone, "name", "town", "desk"], 4)
        rows = [
            [{gone: draw.randint(100, 999), "name": who, "town": draw.choice(PLACES), "desk": draw.randint(1, 40)}[each]
             for each in head]
            for who in names(draw, 3, PEOPLE)
        ]  # fmt: skip
        at = head.index(gone)
        files[f"{where}/{name}.csv"] = table(head, rows)
        wanted[f"{where}/{name}.csv"] = table(head[:at] + head[at + 1 :], [row[:at] + row[at + 1 :] for row in rows])
    return Job(
        [
            f"Take the column {gone} out of all tables in {where}/, in place. It is not at the same position everywhere: go"
            " by the header.",
            f"The tables in {where}/ will be passed on and must not have the column {gone}. Remove it from each, header and"
            " values; the other columns keep their order.",
            f"Drop {gone} from every CSV in {where}/. Look at the headers first, the column is in a different place in each."
            " Change the files themselves.",
            f"No table of {where}/ should have a column {gone} any more. I have copies elsewhere, so edit them directly.",
        ],
        files,
        [
            f"head -qn 1 {where}/*.csv",
            f"for f in {where}/*.csv; do c=$(head -n 1 $f | tr , '\\n' | grep -nx {gone} | cut -d: -f1);"
            " cut -d, -f$c --complement $f > /tmp/t && cat /tmp/t > $f; done",
        ],
        wanted,
    )


FAMILIES = [
    rows_with_a_gap, months_in_one, best_of_each, prices_updated, cards_to_rows, numbers_given_twice, running_balance,
    totals_that_are_wrong, column_dropped,
]  # fmt: skip
