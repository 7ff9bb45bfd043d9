"""Jobs to learn from: logs that are counted, cut, merged, cleaned and rotated."""

from collections import Counter
from random import Random

from verigym.environments.shell.jobs import FOLDERS, PEOPLE, Job, clock, folder, line, lines, names, some_prose

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
        f"Count the lines of {name}.log whose level, the third word, is ERROR, for each day. Write errors.txt: the"
        " date, a space and the count, by date; days without one are left out.",
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
        f"The second word of each line in {name}.log is the address of a host. Which one is there most often?",
        {f"{name}.log": _written(rows)},
        [f"awk '{{print $2}}' {name}.log | sort | uniq -c | sort -rn | head -n 2"],
        answer=counts[0][0],
    )


def time_window(draw: Random) -> Job:
    name, [date] = draw.choice(FOLDERS), _days(draw, 1)
    rows, hour = _log(draw, [date], 50), draw.randint(5, 16)
    kept = [row for row in rows if f"{hour:02}:00:00" <= row.split()[1] < f"{hour + 4:02}:00:00"]
    return Job(
        f"Something happened on {date}. Copy the lines of {name}.log from {hour:02}:00:00 up to, but not including,"
        f" {hour + 4:02}:00:00 to window.log.",
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
        f"Before the letters in {where}/ are shown to others, replace every email address in them by [removed], in"
        " the files themselves. Every word with an @ is an address.",
        files,
        [f"grep -n @ {where}/*.txt", f"sed -i -E 's/[^ ]+@[^ ]+/[removed]/g' $(grep -l @ {where}/*.txt)"],
        wanted,
    )


def slow_requests(draw: Random) -> Job:
    where, limit = folder(draw), draw.randrange(300, 800, 20)
    rows = {f"{where}/{name}.log": _access(draw, 30) for name in names(draw, 3)}
    count = sum(row[4] > limit for each in rows.values() for row in each)
    return Job(
        f"How many requests in all the logs of {where}/ together took more than {limit} ms? The last word of a line"
        " is the time.",
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
        f"The logs in {where}/ belong to one story. Put the lines of all of them into story.log, in order of date and"
        " time.",
        {path: lines(each) for path, each in parts.items()},
        [f"sort {where}/*.log > story.log", "head -n 3 story.log"],
        {"story.log": lines(rows)},
    )


def status_table(draw: Random) -> Job:
    name, rows = draw.choice(FOLDERS), _access(draw, 60)
    counts = Counter(row[3] for row in rows)
    return Job(
        f"The word before the last in {name}.log is a status code. Write codes.csv with the header code,count and a"
        " row for each code, in order of the code.",
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
        f"Rotate {name}.log by hand: {name}.log.{count} becomes {name}.log.{count + 1}, and so on down to {name}.log,"
        f" which becomes {name}.log.1. Then begin a new, empty {name}.log. No log may be lost.",
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
        f"{name}.log says who passed the gate on {date}. When was {who} there first, and when last? Answer with the"
        " two times, separated by a comma.",
        {f"{name}.log": lines([f"{date} {at} gate: {each}" for at, each in rows])},
        [f"grep ' {who}$' {name}.log | sed -n '1p;$p'"],
        answer=f"{times[0]},{times[-1]}",
    )


FAMILIES = [
    errors_by_day, most_seen_host, time_window, addresses_removed, slow_requests, merged_logs, status_table, rotated_logs,
    first_and_last,
]  # fmt: skip
