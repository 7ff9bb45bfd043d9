"""Training jobs about logs that are counted, cut, merged, cleaned or searched. Each function is a family."""

from collections import Counter
from datetime import UTC, datetime
from itertools import groupby
from random import Random

from authoring.shell.jobs import FOLDERS, PEOPLE, PLACES, Job, clock, day, folder, line, lines, names, some_prose

_LEVELS = ["INFO", "INFO", "INFO", "WARN", "ERROR"]


def _log(draw: Random, days: list[str], count: int) -> list[str]:
    """Return log lines in order: date, time, level and message."""
    stamps = sorted((draw.choice(days), clock(draw)) for _ in range(count))
    return [f"{date} {at} {draw.choice(_LEVELS)} {line(draw)}" for date, at in stamps]


def _days(draw: Random, count: int) -> list[str]:
    year, month = draw.randint(2018, 2024), draw.randint(1, 12)
    return [f"{year}-{month:02}-{each:02}" for each in sorted(draw.sample(range(1, 29), count))]


def _access(draw: Random, count: int) -> list[tuple[str, str, str, str, int]]:
    """Return access log entries: time, host, path, status, milliseconds."""
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


def split_by_day(draw: Random) -> Job:
    name, year = draw.choice(FOLDERS), draw.randint(2018, 2024)
    days = sorted({day(draw, year) for _ in range(4)})
    rows = [f"{date} {at} {line(draw)}" for date, at in sorted((draw.choice(days), clock(draw)) for _ in range(14))]
    wanted = {f"days/{date}.log": lines([row for row in rows if row.startswith(date)]) for date in days}
    return Job(
        [
            f"Split {name}.log by day: the lines of a day go to days/YYYY-MM-DD.log, in their order. {name}.log stays.",
            f"{name}.log covers several days; every line begins with its date. I want a file for each, days/DATE.log, with"
            " the complete lines of that date. Keep the whole log too.",
            f"Make a folder days with one log per date found in {name}.log, called like the date: days/{year}-01-31.log for"
            " the 31st of January. Lines are copied as they are.",
            f"One day, one file: distribute the lines of {name}.log over days/DATE.log according to their first word. Do not"
            " change the original.",
        ],
        {f"{name}.log": lines(rows)},
        [f'mkdir days; awk \'{{print > ("days/" $1 ".log")}}\' {name}.log; wc -l days/*'],
        {path: text for path, text in wanted.items() if text},
    )


def longest_silence(draw: Random) -> Job:
    name = draw.choice(FOLDERS)
    minutes = [draw.randint(1, 90)]
    gaps = draw.sample(range(3, 90), 11)
    for gap in gaps:
        minutes.append(minutes[-1] + gap)
    times = [f"{minute // 60:02}:{minute % 60:02}" for minute in minutes]
    before = gaps.index(max(gaps))
    return Job(
        [
            f"The station of {name}.log should report often. After which report was the longest silence until the next one?"
            " Answer with the time of the report before the gap, HH:MM.",
            f"Find the largest gap between two neighbouring lines of {name}.log; all are of one day, in order. When did it"
            " begin? HH:MM of the line before it.",
            f"{name}.log was quiet at times. I need the time (HH:MM) of the last line before the longest pause.",
            f"Each line of {name}.log starts with HH:MM. Between which two lines does most time pass? Give me the time of"
            " the earlier one.",
        ],
        {f"{name}.log": lines([f"{at} report from {draw.choice(PLACES)}" for at in times])},
        [
            'awk \'{split($1, t, ":"); m = t[1] * 60 + t[2]; if (NR > 1 && m - last > most) {most = m - last; at = was}'
            f" last = m; was = $1}} END {{print at, most}}' {name}.log"
        ],
        answer=times[before],
    )


def never_finished(draw: Random) -> Job:
    name, ids = draw.choice(FOLDERS), draw.sample(range(100, 999), 9)
    hanging = sorted(draw.sample(ids, draw.randint(2, 4)))
    events = [(place * 4 + draw.randint(0, 3), f"job {each} started") for place, each in enumerate(ids)]
    events += [
        (at + draw.randint(2, 9), words.replace("started", draw.choice(["finished", "finished", "failed"])))
        for at, words in events
        if int(words.split()[1]) not in hanging
    ]
    rows = [f"09:{at:02} {words}" for at, words in sorted(events, key=lambda each: (each[0], "started" not in each[1]))]
    return Job(
        [
            f"{name}.log says when a job started and when it finished or failed. Which jobs have started and done neither?"
            " Their numbers in ascending order, separated by commas.",
            f"Which jobs of {name}.log still hang? A job that hangs has a line 'started' and neither 'finished' nor"
            " 'failed'. Numbers only, smallest first, commas between.",
            f"Find the jobs in {name}.log that never came to an end (failing is an end too) and list their numbers,"
            " ascending, comma-separated.",
            f"I have to restart what got stuck: jobs without an end, good or bad, in {name}.log. Give me their numbers in"
            " order, with commas.",
        ],
        {f"{name}.log": lines(rows)},
        [
            f"grep started {name}.log | cut -d' ' -f3 | sort -n | while read j; do"
            f' grep -Eq "job $j (finished|failed)" {name}.log || echo $j; done | paste -sd,'
        ],
        answer=",".join(map(str, hanging)),
    )


def whole_entries(draw: Random) -> Job:
    name, level = draw.choice(FOLDERS), draw.choice(["ERROR", "FATAL", "ALERT"])
    entries: list[str] = []
    for at in sorted({clock(draw) for _ in range(9)}):
        head = f"{at} {draw.choice([level, level, 'INFO', 'DEBUG'])} {line(draw)}\n"
        entries.append(head + "".join(f"    at {place}\n" for place in names(draw, draw.randint(0, 3), PLACES)))
    entries += [f"23:59:59 {level} The end.\n    at {draw.choice(PLACES)}\n", "23:59:59 INFO Nothing more.\n"]
    kept = [entry for entry in entries if entry.split()[1] == level]
    return Job(
        [
            f"An entry of {name}.log is a line with a time and the indented lines that follow it. Copy all entries whose"
            f" second word is {level} to {level.lower()}.txt, indented lines included.",
            f"Get the {level} entries out of {name}.log into {level.lower()}.txt. Lines that begin with spaces belong to the"
            " entry above them and come along.",
            f"I need every {level} of {name}.log with its trace, that is, together with the indented lines below it. Write"
            f" them to {level.lower()}.txt in order; the log stays as it is.",
            f"{level.lower()}.txt: only the entries at level {level} from {name}.log, each with all of its lines (further"
            " lines of an entry are indented).",
        ],
        {f"{name}.log": "".join(entries)},
        [f"awk '/^[0-9]/ {{on = $2 == \"{level}\"}} on' {name}.log > {level.lower()}.txt; cat {level.lower()}.txt"],
        {f"{level.lower()}.txt": "".join(kept)},
    )


def calls_by_hour(draw: Random) -> Job:
    name, first = draw.choice(FOLDERS), draw.randint(6, 12)
    hours = range(first, first + 6)
    busy = sorted(draw.sample(hours, 4))
    rows = sorted(f"{draw.choice(busy):02}:{draw.randint(0, 59):02} call from {draw.choice(PEOPLE)}" for _ in range(22))
    counts = Counter(row[:2] for row in rows)
    span = f"{first:02} to {first + 5:02}"
    return Job(
        [
            f"Count the calls in {name}.log for each hour from {span}. hours.txt gets a line per hour: the hour with two"
            " digits, a space, the number of calls. Hours without a call are listed with 0.",
            f"How are the calls of {name}.log spread over the day? Write hours.txt, six lines, hours {span}: 'HH COUNT',"
            " also when the count is 0.",
            f"I need hours.txt for a chart: for every hour {span} the two-digit hour and, after a space, how many lines of"
            f" {name}.log fall into it. A chart needs the zeros, too.",
            f"Make a table of calls per hour out of {name}.log, hours {span}, no hour left out, in hours.txt. Example of a"
            f" line: {first:02} 3",
        ],
        {f"{name}.log": lines(rows)},
        [
            f"for h in {' '.join(f'{hour:02}' for hour in hours)}; do echo $h $(grep -c ^$h: {name}.log); done > hours.txt;"
            " cat hours.txt"
        ],
        {"hours.txt": lines([f"{hour:02} {counts[f'{hour:02}']}" for hour in hours])},
    )


def repeats_folded(draw: Random) -> Job:
    name, some = draw.choice(FOLDERS), [line(draw) for _ in range(4)]
    rows = [text for text in draw.choices(some, k=9) for _ in range(draw.choice([1, 1, 2, 3, 5]))]
    folded = [f"{sum(1 for _ in group)} x {text}" for text, group in groupby(rows)]
    return Job(
        [
            f"{name}.log repeats itself. Write folded.log, where equal lines directly after each other are one line: how"
            " often, ' x ', and the line, as in '3 x Hello.'. Single lines get '1 x '.",
            f"Fold the repetitions in {name}.log: a run of the same line becomes 'N x LINE', with N the length of the run,"
            " 1 included. The same line further down is a new run. Result: folded.log.",
            f"In folded.log I want {name}.log with every group of neighbouring identical lines put into one: the number, a"
            " space, an x, a space and the text.",
            f"Please shorten {name}.log to folded.log. Consecutive duplicates are counted (2 x ..., 5 x ...), lines that"
            " stand alone have 1 x in front; the order stays.",
        ],
        {f"{name}.log": lines(rows)},
        [f"uniq -c {name}.log | sed -E 's/^ *([0-9]+) /\\1 x /' > folded.log; cat folded.log"],
        {"folded.log": lines(folded)},
    )


def seconds_to_dates(draw: Random) -> Job:
    name = draw.choice(FOLDERS)
    stamps = sorted(draw.randint(1_400_000_000, 1_700_000_000) for _ in range(8))
    said = [line(draw) for _ in stamps]
    read = [datetime.fromtimestamp(stamp, UTC).strftime("%Y-%m-%d %H:%M:%S") for stamp in stamps]
    return Job(
        [
            f"The lines of {name}.log begin with a time in seconds since 1970. Write {name}.txt with YYYY-MM-DD HH:MM:SS in"
            " UTC instead, the rest of each line as it is.",
            f"Nobody can read the time stamps in {name}.log, which are Unix seconds. Make {name}.txt, the same log with UTC"
            " dates like 2021-03-04 05:06:07 in their place.",
            f"Convert {name}.log to {name}.txt: first word from epoch seconds to date and time (UTC, YYYY-MM-DD HH:MM:SS),"
            " everything after it untouched.",
            f"I need {name}.log in a form for people: {name}.txt, each number at the beginning of a line replaced by the date"
            " and time in UTC that it stands for, written like 1999-12-31 23:59:59.",
        ],
        {f"{name}.log": lines([f"{stamp} {words}" for stamp, words in zip(stamps, said, strict=True)])},
        [
            f'while read -r s rest; do echo "$(date -u -d @$s "+%F %T") $rest"; done < {name}.log > {name}.txt; cat {name}.txt'
        ],
        {f"{name}.txt": lines([f"{date} {words}" for date, words in zip(read, said, strict=True)])},
    )


def who_sent_most(draw: Random) -> Job:
    where, people = folder(draw), names(draw, 4, PEOPLE)
    while True:
        rows = [(draw.choice(people), draw.randint(10, 900), draw.choice(["photo", "text", "film"])) for _ in range(20)]
        totals: Counter[str] = Counter()
        for who, size, _ in rows:
            totals[who] += size
        first, second = totals.most_common(2)
        if first[1] != second[1]:
            break
    written = [" ".join(draw.sample([f"user={who}", f"kb={size}", f"kind={kind}"], 3)) for who, size, kind in rows]
    parts = {f"{where}/mon.log": written[:10], f"{where}/tue.log": written[10:]}
    return Job(
        [
            f"In the logs of {where}/, every line has user=, kb= and kind= in any order. Who has sent the most kb over both"
            " days, and how much? Answer as NAME,KB.",
            f"Add up kb by user over {where}/mon.log and {where}/tue.log. The fields of a line are not always in the same"
            " order. Tell me the user with the largest sum and that sum: NAME,SUM.",
            f"Which user is behind the traffic in {where}/? I mean the highest total of kb, both logs together. Give the"
            " name, a comma and the total.",
            f"Both files in {where}/ are lists of uploads (user=..., kb=..., kind=...). Find the heaviest uploader. Name and"
            " total kb, separated by a comma, are what I need.",
        ],
        {path: lines(each) for path, each in parts.items()},
        [
            f"cat {where}/*.log | sed -E 's/.*user=([^ ]+).*/\\1 &/; s/^([^ ]+) .*kb=([0-9]+).*/\\1 \\2/' |"
            " awk '{n[$1] += $2} END {for (w in n) print n[w], w}' | sort -rn"
        ],
        answer=f"{first[0]},{first[1]}",
    )


def broken_counter(draw: Random) -> Job:
    name, first = draw.choice(FOLDERS), draw.randint(100, 800)
    numbers = list(range(first, first + 24))
    lost = sorted(draw.sample(numbers[2:-2], 3))
    came = [n for n in numbers if n not in lost]
    times = sorted(clock(draw)[:5] for _ in came)
    rows = [f"{at} no. {n} {draw.choice(PLACES)}" for at, n in zip(times, came, strict=True)]
    return Job(
        [
            f"The messages in {name}.log are numbered one after the other (no. N). Three did not arrive. Write their numbers"
            " to lost.txt, one a line, ascending.",
            f"Which numbers are skipped in {name}.log? Between the first and the last 'no. N' there should be no gap. I want"
            " the missing ones in lost.txt, one on each line in ascending order.",
            f"Look for holes in the numbering of {name}.log and put the numbers that are absent into lost.txt, lowest first,"
            " a line each.",
            f"lost.txt should list every number that {name}.log jumps over, one per line from low to high. The number follows"
            " 'no.' on each line.",
        ],
        {f"{name}.log": lines(rows)},
        [
            f"awk '{{n = $3; if (NR > 1) for (i = last + 1; i < n; i++) print i; last = n}}' {name}.log > lost.txt; cat lost.txt"
        ],
        {"lost.txt": lines([str(n) for n in lost])},
    )


FAMILIES = [
    errors_by_day,
    most_seen_host,
    time_window,
    addresses_removed,
    slow_requests,
    merged_logs,
    status_table,
    rotated_logs,
    first_and_last,
    split_by_day,
    longest_silence,
    never_finished,
    whole_entries,
    calls_by_hour,
    repeats_folded,
    seconds_to_dates,
    who_sent_most,
    broken_counter,
]
