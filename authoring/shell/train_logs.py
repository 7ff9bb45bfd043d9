"""Jobs to learn from: logs that are counted, cut, merged, cleaned and rotated."""

from collections import Counter
from random import Random

from authoring.shell.jobs import FOLDERS, PEOPLE, Job, clock, folder, line, lines, names, some_prose

_LEVELS = ["INFO", "INFO", "INFO", "WARN", "ERROR"]


def _log(draw: Random, days: list[str], count: int) -> list[str]:
    """Date, time, level and a message, in order."""
    stamps = sorted((draw.choice(days), clock(draw)) for _ in range(count))
    return [f"{date} {at} {draw.choice(_LEVELS)} {line(draw)}" for date, at in stamps]


def _days(draw: Random, count: int) -> list[str]:
    year, month = draw.randint(2018, 2024), draw.randint(1, 12)
    return [f"{year}-{month:02}-{each:02}" for each in sorted(draw.sample(range(1, 29), count))]


def _access(draw: Random, count: int) -> list[tuple[str, str, str, str, int]]:
    """Time, host, path, status, milliseconds."""
    hosts = [f"10.0.{draw.randint(0, 9)}.{draw.randint(2, 250)}" for _ in range(6)]
    return [
        (
            at,
            draw.choice(hosts),
            f"/{draw.choice(FOLDERS)}",
            draw.choice(["200", "200", "200", "304", "404", "500"]),
            draw.randint(1, 900),
        )
        for at in sorted(clock(draw) for _ in range(count))
    ]


def _written(rows: list[tuple[str, str, str, str, int]]) -> str:
    return lines([f"{at} {host} GET {path} {status} {ms}ms" for at, host, path, status, ms in rows])


def errors_by_day(draw: Random) -> Job:
    name, rows = draw.choice(FOLDERS), _log(draw, _days(draw, 5), 60)
    counts = Counter(row[:10] for row in rows if row.split()[2] == "ERROR")
    return Job(
        [
            f"Count the lines of {name}.log whose level, the third word, is ERROR, for each day. Write errors.txt: the"
            " date, a space and the count, by date; days without one are left out.",
            f"How many ERROR lines per day are there in {name}.log? The level is the third word. errors.txt gets 'DATE"
            " COUNT' lines in order of date, for days that have any.",
            f"Write errors.txt from {name}.log: a line with date, space and number for every day with at least one"
            " line at level ERROR, oldest day first.",
            f"I need the errors in {name}.log by day (third word ERROR). Put date and count, with a space between,"
            " into errors.txt, sorted by date. No lines for days with none.",
        ],
        {f"{name}.log": lines(rows)},
        [
            f"awk '$3 == \"ERROR\" {{n[$1]++}} END {{for (d in n) print d, n[d]}}' {name}.log | sort > errors.txt; cat"
            " errors.txt"
        ],
        {"errors.txt": lines([f"{each} {counts[each]}" for each in sorted(counts)])},
    )


def most_seen_host(draw: Random) -> Job:
    name, rows = draw.choice(FOLDERS), _access(draw, 70)
    counts = Counter(row[1] for row in rows).most_common()
    if counts[0][1] == counts[1][1]:
        rows += [row for row in rows if row[1] == counts[0][0]][:1]
    return Job(
        [
            f"The second word of each line in {name}.log is the address of a host. Which one is there most often?",
            f"Which host address, second word of a line, has the most lines in {name}.log?",
            f"Somebody asks a lot of our server. Find the address that {name}.log has most often as its second word.",
            f"Count the lines of {name}.log by host, which is the second word. Tell me the address with the highest"
            " count.",
        ],
        {f"{name}.log": _written(rows)},
        [f"awk '{{print $2}}' {name}.log | sort | uniq -c | sort -rn | head -n 2"],
        answer=counts[0][0],
    )


def time_window(draw: Random) -> Job:
    name, [date] = draw.choice(FOLDERS), _days(draw, 1)
    rows, hour = _log(draw, [date], 50), draw.randint(5, 16)
    kept = [row for row in rows if f"{hour:02}:00:00" <= row.split()[1] < f"{hour + 4:02}:00:00"]
    return Job(
        [
            f"Something happened on {date}. Copy the lines of {name}.log from {hour:02}:00:00 up to, but not including,"
            f" {hour + 4:02}:00:00 to window.log.",
            f"I need the part of {name}.log from {hour:02}:00:00 until just before {hour + 4:02}:00:00, on {date}, in"
            " window.log.",
            f"Cut a window out of {name}.log ({date}): all lines at or after {hour:02}:00:00 and before"
            f" {hour + 4:02}:00:00, copied to window.log.",
            f"window.log should have the four hours of {name}.log that begin at {hour:02}:00:00 on {date}; a line at"
            f" exactly {hour + 4:02}:00:00 is out.",
        ],
        {f"{name}.log": lines(rows)},
        [f'awk \'$2 >= "{hour:02}:00:00" && $2 < "{hour + 4:02}:00:00"\' {name}.log > window.log; wc -l window.log'],
        {"window.log": lines(kept)},
    )


def addresses_removed(draw: Random) -> Job:
    where, files = folder(draw), {}
    wanted: dict[str, str | None] = {}
    for name in names(draw, 5):
        said = [line(draw) for _ in range(4)]
        for at in draw.sample(range(4), draw.randint(0, 3)):
            said[at] += (
                f" Write to {draw.choice(PEOPLE).lower()}.{draw.choice(FOLDERS)}@{draw.choice(FOLDERS)}.example about"
                " it."
            )
        files[f"{where}/{name}.txt"] = lines(said)
        words = [" ".join("[removed]" if "@" in word else word for word in each.split(" ")) for each in said]
        if words != said:
            wanted[f"{where}/{name}.txt"] = lines(words)
    return Job(
        [
            f"Before the letters in {where}/ are shown to others, replace every email address in them by [removed], in"
            " the files themselves. Every word with an @ is an address.",
            f"Make the letters in {where}/ anonymous: any word with an @ in it is an email address and becomes"
            " [removed], in place.",
            f"No email address may be left in {where}/. Put [removed] for each one, a word that has an @, in the files"
            " themselves, and change nothing else.",
            f"In all texts of {where}/ write [removed] instead of email addresses. You can tell them by the @.",
        ],
        files,
        [f"grep -n @ {where}/*.txt", f"sed -i -E 's/[^ ]+@[^ ]+/[removed]/g' $(grep -l @ {where}/*.txt)"],
        wanted,
    )


def slow_requests(draw: Random) -> Job:
    where, limit = folder(draw), draw.randrange(300, 800, 20)
    rows = {f"{where}/{name}.log": _access(draw, 30) for name in names(draw, 3)}
    count = sum(row[4] > limit for each in rows.values() for row in each)
    return Job(
        [
            f"How many requests in all the logs of {where}/ together took more than {limit} ms? The last word of a line"
            " is the time.",
            f"Count the requests over {limit} ms in the logs of {where}/, all logs together. A line ends with its"
            " time, like 120ms.",
            f"What is slow? In {where}/*.log, every line whose last word is above {limit}ms. How many such lines are"
            " there in total?",
            f"More than {limit} ms is too long for a request. How often did that happen, over all the logs in"
            f" {where}/?",
        ],
        {path: _written(each) for path, each in rows.items()},
        [f"cat {where}/*.log | awk '{{sub(/ms$/, \"\", $NF)}} $NF + 0 > {limit}' | wc -l"],
        answer=str(count),
    )


def merged_logs(draw: Random) -> Job:
    where, some = folder(draw), names(draw, 3)
    rows = _log(draw, _days(draw, 3), 36)
    rows = [row for place, row in enumerate(rows) if row[:19] != rows[place - 1][:19]]
    parts: dict[str, list[str]] = {f"{where}/{name}.log": [] for name in some}
    for row in rows:
        parts[draw.choice(list(parts))].append(row)
    return Job(
        [
            f"The logs in {where}/ belong to one story. Put the lines of all of them into story.log, in order of date and"
            " time.",
            f"Merge the logs in {where}/ into story.log so that the lines are in order of their date and time.",
            f"Several machines wrote the logs in {where}/ at the same time. I want all lines in one story.log,"
            " earliest first.",
            f"story.log: every line of every log in {where}/, sorted by time. The lines begin with date and time.",
        ],
        {path: lines(each) for path, each in parts.items()},
        [f"sort {where}/*.log > story.log", "head -n 3 story.log"],
        {"story.log": lines(rows)},
    )


def status_table(draw: Random) -> Job:
    name, rows = draw.choice(FOLDERS), _access(draw, 60)
    counts = Counter(row[3] for row in rows)
    return Job(
        [
            f"The word before the last in {name}.log is a status code. Write codes.csv with the header code,count and a"
            " row for each code, in order of the code.",
            f"Count the status codes in {name}.log, the word before the last of each line. codes.csv gets the header"
            " code,count and then a row per code, ascending.",
            f"How often does each status code occur in {name}.log? It is the last word but one. Write code,count rows,"
            " lowest code first, under that header to codes.csv.",
            f"codes.csv with the columns code,count: all status codes of {name}.log (second word from the end),"
            " sorted, with how many lines have them.",
        ],
        {f"{name}.log": _written(rows)},
        [
            f"(echo code,count; awk '{{n[$(NF-1)]++}} END {{for (c in n) print c \",\" n[c]}}' {name}.log | sort) >"
            " codes.csv"
        ],
        {"codes.csv": lines(["code,count", *(f"{code},{counts[code]}" for code in sorted(counts))])},
    )


def rotated_logs(draw: Random) -> Job:
    name, count = draw.choice(FOLDERS), draw.randint(2, 4)
    old = {f"{name}.log" + (f".{n}" if n else ""): some_prose(draw) for n in range(count + 1)}
    wanted: dict[str, str | None] = {f"{name}.log.{n + 1}": text for n, text in enumerate(old.values())}
    return Job(
        [
            f"Rotate {name}.log by hand: {name}.log.{count} becomes {name}.log.{count + 1}, and so on down to {name}.log,"
            f" which becomes {name}.log.1. Then begin a new, empty {name}.log. No log may be lost.",
            f"Time to rotate {name}.log. Shift every number up by one, {name}.log.{count} to {name}.log.{count + 1}"
            f" first, then {name}.log to {name}.log.1, and start an empty {name}.log.",
            f"Please do what logrotate does: each {name}.log.N becomes {name}.log.N+1, {name}.log becomes"
            f" {name}.log.1, and a new {name}.log is there, empty. Nothing is thrown away.",
            f"{name}.log has grown. Make it {name}.log.1, with the older ones, up to {name}.log.{count}, moving on by"
            f" one each, and put an empty {name}.log in its place.",
        ],
        old,
        [
            f"for n in $(seq {count} -1 1); do mv {name}.log.$n {name}.log.$((n+1)); done;"
            f" mv {name}.log {name}.log.1 && : > {name}.log"
        ],
        {**wanted, f"{name}.log": ""},
    )


def first_and_last(draw: Random) -> Job:
    name, people, [date] = draw.choice(FOLDERS), names(draw, 5, PEOPLE), _days(draw, 1)
    rows = [(at, draw.choice(people)) for at in sorted({clock(draw) for _ in range(40)})]
    who = draw.choice(rows)[1]
    times = [at for at, each in rows if each == who]
    return Job(
        [
            f"{name}.log says who passed the gate on {date}. When was {who} there first, and when last? Answer with the"
            " two times, separated by a comma.",
            f"When did {who} pass the gate for the first time on {date}, and when for the last time? Both times from"
            f" {name}.log with a comma between.",
            f"Look up {who} in {name}.log, the gate on {date}. I need the earliest and the latest time, as"
            " HH:MM:SS,HH:MM:SS.",
            f"First and last entry of {who} in {name}.log ({date}): only the two times, separated by a comma.",
        ],
        {f"{name}.log": lines([f"{date} {at} gate: {each}" for at, each in rows])},
        [f"grep ' {who}$' {name}.log | sed -n '1p;$p'"],
        answer=f"{times[0]},{times[-1]}",
    )


FAMILIES = [
    errors_by_day, most_seen_host, time_window, addresses_removed, slow_requests, merged_logs, status_table, rotated_logs,
    first_and_last,
]  # fmt: skip
