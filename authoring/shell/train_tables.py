"""Training jobs about CSV tables that are filtered, joined, summed, checked or rewritten. Each function is a family."""

from collections import Counter
from itertools import accumulate
from random import Random

from authoring.shell.jobs import FOLDERS, PEOPLE, PLACES, Job, day, folder, lines, names, table

_NO_QUOTES = "No field holds a comma or quotes."
_HEAD = ["id", "place", "article", "number", "price"]
_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october"]


def _sales(draw: Random, count: int) -> list[list[object]]:
    """Return rows of id, place, article, number and price. Places and articles repeat."""
    places, articles = names(draw, 4, PLACES), names(draw, 6)
    return [
        [1000 + n, draw.choice(places), draw.choice(articles), draw.randint(1, 40), draw.randint(3, 90)]
        for n in range(count)
    ]


def _name(draw: Random) -> str:
    return f"{draw.choice(FOLDERS)}_{draw.randint(2015, 2024)}.csv"


def sum_for_place(draw: Random) -> Job:
    rows, name = _sales(draw, 60), _name(draw)
    place = draw.choice(rows)[1]
    total = sum(int(str(row[3])) for row in rows if row[1] == place)
    return Job(
        [
            f"{name} lists sales, with a header. How many articles were sold in {place}, adding up the column number?"
            f" {_NO_QUOTES}",
            f"What is the sum of the column number in {name} over all rows with the place {place}?",
            f"{name} is a table of sales. Add up number for {place} only, please.",
            f"We sold how many articles in {place} altogether? See {name}, columns place and number.",
        ],
        {name: table(_HEAD, rows)},
        [f"head -n 3 {name}", f"awk -F, '$2 == \"{place}\" {{n += $4}} END {{print n}}' {name}"],
        answer=str(total),
    )


def two_columns(draw: Random) -> Job:
    rows, name = _sales(draw, 25), _name(draw)
    one, two = draw.sample(range(5), 2)
    short = table([_HEAD[one], _HEAD[two]], [[row[one], row[two]] for row in rows])
    return Job(
        [
            f"From {name} make short.csv, which has only the columns {_HEAD[one]} and {_HEAD[two]}, in this order, header"
            " included.",
            f"I only need {_HEAD[one]} and {_HEAD[two]} from {name}. Write these two columns, in that order and with"
            " their header, to short.csv.",
            f"Cut {name} down to the columns {_HEAD[one]},{_HEAD[two]} (this order) and save it as short.csv.",
            f"short.csv: header {_HEAD[one]},{_HEAD[two]}, and the values of these columns from every row of {name}.",
        ],
        {name: table(_HEAD, rows)},
        [f"awk -F, -v OFS=, '{{print ${one + 1}, ${two + 1}}}' {name} > short.csv && head -n 2 short.csv"],
        {"short.csv": short},
    )


def sorted_table(draw: Random) -> Job:
    rows, name = _sales(draw, 25), _name(draw)
    for row, price in zip(rows, draw.sample(range(3, 200), len(rows)), strict=True):
        row[4] = price
    best = sorted(rows, key=lambda row: -int(str(row[4])))
    return Job(
        [
            f"Write {name} sorted by price, the highest first, to by_price.csv. The header stays at the top; {name}"
            " itself stays as it is.",
            f"Make by_price.csv, which is {name} with its rows in order of price, dearest first, and the header on"
            " top.",
            f"Sort the rows of {name} by the column price from high to low. The result, header first, is by_price.csv;"
            f" do not change {name}.",
            f"I would like to see the most expensive rows of {name} at the top. Save a sorted version, header"
            " included, as by_price.csv.",
        ],
        {name: table(_HEAD, rows)},
        [f"(head -n 1 {name}; tail -n +2 {name} | sort -t, -k5,5nr) > by_price.csv"],
        {"by_price.csv": table(_HEAD, best)},
    )


def rows_above(draw: Random) -> Job:
    rows, name, least = _sales(draw, 30), _name(draw), draw.randint(15, 30)
    kept = [row for row in rows if int(str(row[3])) >= least]
    return Job(
        [
            f"Copy the rows of {name} whose number is {least} or more to large.csv, with the header and in their order.",
            f"large.csv should have the header of {name} and those of its rows in which number is at least {least}.",
            f"From {name} I need only rows with a number of {least} and above. Header and rows, same order, into"
            " large.csv.",
            f"Filter {name}: keep a row if its column number is not less than {least}. Write header and kept rows to"
            " large.csv.",
        ],
        {name: table(_HEAD, rows)},
        [f"awk -F, 'NR == 1 || $4 >= {least}' {name} > large.csv", "wc -l large.csv"],
        {"large.csv": table(_HEAD, kept)},
    )


def totals_by_article(draw: Random) -> Job:
    rows, name = _sales(draw, 40), _name(draw)
    totals: Counter[str] = Counter()
    for row in rows:
        totals[str(row[2])] += int(str(row[3]))
    return Job(
        [
            f"Add up the column number of {name} for each article. Write totals.txt: a line for each article, its name, a"
            " space and its total, sorted by name.",
            f"How many of each article were sold in all? Sum up number by article in {name} and write 'ARTICLE TOTAL'"
            " lines, by article from a to z, to totals.txt.",
            f"totals.txt, please: every article of {name} with the sum of its column number, one a line, a space"
            " between, alphabetically.",
            f"From {name}, add up number per article. The result is totals.txt with lines like 'rope 12', sorted by"
            " the article.",
        ],
        {name: table(_HEAD, rows)},
        [
            f"tail -n +2 {name} | awk -F, '{{n[$3] += $4}} END {{for (a in n) print a, n[a]}}' | sort > totals.txt;"
            " cat totals.txt"
        ],
        {"totals.txt": lines([f"{article} {totals[article]}" for article in sorted(totals)])},
    )


def joined_tables(draw: Random) -> Job:
    first, second = draw.sample(FOLDERS, 2)
    ids = sorted(draw.sample(range(100, 999), 14))
    who = {each: draw.choice(PEOPLE) for each in ids}
    paid = {each: draw.randint(5, 400) for each in draw.sample(ids, 9)}
    joined = [[each, who[each], paid[each]] for each in ids if each in paid]
    return Job(
        [
            f"{first}.csv has the columns id and name, {second}.csv has id and paid. Write joined.csv with the header"
            f" id,name,paid and a row for every id that is in both, in order of the id. The rows of {second}.csv are in no"
            " order.",
            f"Join {first}.csv (id,name) and {second}.csv (id,paid) by id. joined.csv begins with id,name,paid and has"
            " the ids that both tables have, in ascending order.",
            f"Who paid what? {first}.csv has the names, {second}.csv the sums, both by id. Write id,name,paid with a"
            " row per id that is in both tables, sorted by id, to joined.csv.",
            f"Make joined.csv out of {first}.csv and {second}.csv: columns id,name,paid, lowest id first, and no row"
            " for an id that one of them lacks.",
        ],
        {
            f"{first}.csv": table(["id", "name"], [[each, who[each]] for each in ids]),
            f"{second}.csv": table(["id", "paid"], [[each, paid[each]] for each in paid]),
        },
        [
            f"(echo id,name,paid; join -t, <(tail -n +2 {first}.csv | sort -t, -k1,1) <(tail -n +2 {second}.csv | sort"
            " -t, -k1,1)) > joined.csv; cat joined.csv"
        ],
        {"joined.csv": table(["id", "name", "paid"], joined)},
    )


def decimal_commas(draw: Random) -> Job:
    name = draw.choice(FOLDERS)
    rows = [[place, draw.randint(0, 99), draw.randint(0, 99)] for place in names(draw, 12, PLACES)]
    old = lines(["place;may;june", *(f"{place};{a},{b:02};{b},{a:02}" for place, a, b in rows)])
    new = lines(["place,may,june", *(f"{place},{a}.{b:02},{b}.{a:02}" for place, a, b in rows)])
    return Job(
        [
            f"{name}.csv comes from a spreadsheet with semicolons between the fields and commas in the numbers (3,50)."
            f" Write {name}_en.csv with commas between the fields and points in the numbers (3.50). Leave the original"
            " alone.",
            f"Convert {name}.csv to the English way: ; between fields becomes a comma and the comma in numbers becomes"
            f" a point. Save it as {name}_en.csv and keep {name}.csv.",
            f"Our program cannot read {name}.csv, where 3,50 means three and a half and fields are separated by ;. It"
            f" needs {name}_en.csv with 3.50 and commas between fields.",
            f"{name}_en.csv should hold the same as {name}.csv with decimal points and commas as separators in place"
            " of decimal commas and semicolons.",
        ],
        {f"{name}.csv": old},
        [f"sed 's/,/./g; s/;/,/g' {name}.csv > {name}_en.csv"],
        {f"{name}_en.csv": new},
    )


def distinct_values(draw: Random) -> Job:
    rows, name, column = _sales(draw, 35), _name(draw), draw.choice([1, 2])
    found = sorted({str(row[column]) for row in rows})
    return Job(
        [
            f"Which values does the column {_HEAD[column]} of {name} have? Write each once, sorted, one a line, to"
            " values.txt, without the header.",
            f"List the different values in the column {_HEAD[column]} of {name}, sorted, each on a line of its own, in"
            " values.txt. The header is no value.",
            f"values.txt: all that occurs under {_HEAD[column]} in {name}, every value once, in alphabetical order.",
            f"Write down which {_HEAD[column]} values {name} contains, no repetitions, sorted, a line each. The file"
            " is called values.txt.",
        ],
        {name: table(_HEAD, rows)},
        [f"cut -d, -f{column + 1} {name} | tail -n +2 | sort -u > values.txt"],
        {"values.txt": lines(found)},
    )


def busiest_three(draw: Random) -> Job:
    name, people = draw.choice(FOLDERS), names(draw, 7, PEOPLE)
    counts = draw.sample(range(2, 13), 7)
    rows = [[who, draw.choice(PLACES)] for who, count in zip(people, counts, strict=True) for _ in range(count)]
    draw.shuffle(rows)
    best = [who for _, who in sorted(zip(counts, people, strict=True), reverse=True)[:3]]
    return Job(
        [
            f"Each row of {name}.csv is a visit: who and where. Which three people have the most visits? Answer with"
            " their names, the most first, separated by commas.",
            f"Count the visits per person in {name}.csv (who,where). I want the three names with most visits, highest"
            " first, comma-separated.",
            f"{name}.csv is a list of visits. Give me the top three visitors by number of visits in descending order,"
            " names only, with commas.",
            f"Who comes most often? The three most frequent names in the column who of {name}.csv, from most to third"
            " most, separated by commas.",
        ],
        {f"{name}.csv": table(["who", "where"], rows)},
        [f"tail -n +2 {name}.csv | cut -d, -f1 | sort | uniq -c | sort -rn | head -n 3"],
        answer=",".join(best),
    )


def added_column(draw: Random) -> Job:
    rows, name = _sales(draw, 20), _name(draw)
    more = [[*row, int(str(row[3])) * int(str(row[4]))] for row in rows]
    return Job(
        [
            f"Write with_total.csv: the same as {name} with one more column at the end, total, which is number times"
            " price.",
            f"Add a column total, number times price, at the end of {name} and save that as with_total.csv.",
            f"with_total.csv is to be {name} plus a last column: total, the product of number and price in that row.",
            f"What is each row of {name} worth? Multiply number by price, put it into a new last column total, and"
            " write everything to with_total.csv.",
        ],
        {name: table(_HEAD, rows)},
        [f"awk -F, -v OFS=, 'NR == 1 {{print $0, \"total\"; next}} {{print $0, $4 * $5}}' {name} > with_total.csv"],
        {"with_total.csv": table([*_HEAD, "total"], more)},
    )


def one_file_a_place(draw: Random) -> Job:
    rows, name = _sales(draw, 24), _name(draw)
    places = sorted({str(row[1]) for row in rows})
    wanted = {f"places/{place}.csv": table(_HEAD, [row for row in rows if row[1] == place]) for place in places}
    return Job(
        [
            f"Split {name} by the column place: places/PLACE.csv gets the rows of that place in their order, each file"
            f" with the header. {name} stays.",
            f"One table for each place, please: places/PLACE.csv with the header and the rows of {name} for that"
            " place, in order.",
            f"Break {name} up by place into places/PLACE.csv. All of them start with the header; the rows keep their"
            f" order. Do not touch {name}.",
            f"The places each want their own part of {name}. Make a folder places and in it, for every value of the"
            " column place, VALUE.csv with header and matching rows.",
        ],
        {name: table(_HEAD, rows)},
        [
            f"mkdir places; for p in $(tail -n +2 {name} | cut -d, -f2 | sort -u); do"
            f" awk -F, -v p=$p 'NR == 1 || $2 == p' {name} > places/$p.csv; done; ls places"
        ],
        dict(wanted),
    )


def repeated_lines(draw: Random) -> Job:
    name, some = (
        draw.choice(FOLDERS),
        [f"{who} of {where}" for who in names(draw, 5, PEOPLE) for where in names(draw, 3, PLACES)],
    )
    guests = [draw.choice(some) for _ in range(40)]
    return Job(
        [
            f"In {name}.txt guests have put their names down, some more than once. Write guests.txt with every line once,"
            " in the order in which they first appear.",
            f"Remove the repetitions from {name}.txt: guests.txt should have each line only the first time it appears,"
            " order kept.",
            f"{name}.txt names some guests several times. Write a list without repetitions to guests.txt, in order of"
            " first appearance.",
            f"guests.txt: the lines of {name}.txt, later copies of a line left out, nothing sorted.",
        ],
        {f"{name}.txt": lines(guests)},
        [f"awk '!seen[$0]++' {name}.txt > guests.txt"],
        {"guests.txt": lines(list(dict.fromkeys(guests)))},
    )


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
    sum_for_place,
    two_columns,
    sorted_table,
    rows_above,
    totals_by_article,
    joined_tables,
    decimal_commas,
    distinct_values,
    busiest_three,
    added_column,
    one_file_a_place,
    repeated_lines,
    rows_with_a_gap,
    months_in_one,
    best_of_each,
    prices_updated,
    cards_to_rows,
    numbers_given_twice,
    running_balance,
    totals_that_are_wrong,
    column_dropped,
]
