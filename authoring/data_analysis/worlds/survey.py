"""A canteen's survey: members score five things from 1 to 5, or skip them. Some replied more than once."""

from collections import Counter, defaultdict
from datetime import date
from itertools import pairwise
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, day_in, in_full, month_of, need

ASPECTS = ["food", "service", "price", "room", "speed"]
OFFICES = ["archive", "workshop", "laundry", "post room"]


class Member(NamedTuple):
    member: str
    office: str
    since: date


class Reply(NamedTuple):
    reply_no: int
    member: str
    sent_on: date
    food: int | None
    service: int | None
    price: int | None
    room: int | None
    speed: int | None


def rows(draw: Random) -> Rows:
    members = [
        Member(f"m{number}", draw.choice(OFFICES), day_in(draw, date(2015, 1, 1), 3400))
        for number in draw.sample(range(100, 400), 80)
    ]
    liking = [draw.uniform(-1.2, 1.2) for _ in ASPECTS]
    replies: list[Reply] = []
    days = [day_in(draw, date(2025, 1, 1), 178) for _ in range(118)]
    used: set[tuple[str, date]] = set()
    for day in sorted(days):
        member = draw.choice(members[:72]).member
        if (member, day) in used:
            continue
        used.add((member, day))
        scores = [max(1, min(5, round(3.1 + each + draw.gauss(0, 1)))) for each in liking]
        if draw.random() < 0.12:
            scores = [draw.randrange(1, 6)] * 5
        given = [None if draw.random() < 0.07 else score for score in scores]
        replies.append(Reply(1 + len(replies), member, day, *given))
    return {"members": members, "replies": replies}


BOTH = "replies JOIN members USING (member)"


def _scores(reply: Reply) -> list[int | None]:
    return list(reply[3:])


def _of_office(s: Look, office: str) -> list[Reply]:
    inside = {member.member for member in s["members"] if member.office == office}
    return [reply for reply in s["replies"] if reply.member in inside]


def _all_given(s: Look) -> str:
    return " AND ".join(s.known(aspect) for aspect in ASPECTS)


def last_reply(s: Look) -> Asked:
    office, aspect = s.pick(OFFICES), s.pick(ASPECTS)
    latest = {reply.member: reply for reply in _of_office(s, office)}
    scores = [score for reply in latest.values() if (score := getattr(reply, aspect)) is not None]
    sent = [score for reply in _of_office(s, office) if (score := getattr(reply, aspect)) is not None]
    need(len(scores) > 2 and sum(scores) * len(sent) != sum(sent) * len(scores))
    return Asked(
        [
            "Some members replied more than once; only their latest reply is to count. What is then the average "
            f"score for {aspect} in the office {office}? Two decimals; where the last reply skips {aspect}, the "
            "member has no part in it.",
            f"Mean {aspect} score of the {office}, two decimals, with one reply per member: the most recent. Skipped "
            "scores are left out.",
            f"For each member of the office {office} take the reply sent last. Average their scores for {aspect} (2 "
            "decimals), ignoring those who did not give one in it.",
            "People may change their mind, so an earlier reply of the same member is void. On this rule, how does "
            f"the {office} score {aspect} on average? To two decimals, blanks not counted.",
        ],
        rounded(sum(scores) / len(scores), 2),
        f"WITH t AS (SELECT {aspect}, row_number() OVER (PARTITION BY member ORDER BY sent_on DESC) AS pos FROM {BOTH} "
        f"WHERE office = '{office}') SELECT avg({s.num(aspect)}) FROM t WHERE pos = 1 AND {s.known(aspect)}",
        places=2,
    )


def replied_often(s: Look) -> Asked:
    office, least = s.pick(OFFICES), s.draw.choice((2, 3))
    day = s.pick(reply.sent_on for reply in s["replies"][40:])
    counts = Counter(reply.member for reply in _of_office(s, office) if reply.sent_on <= day)
    found = sorted(member for member, num in counts.items() if num >= least)
    need(1 <= len(found) <= 6)
    times = {2: "two replies or more", 3: "at least three replies"}[least]
    return Asked(
        [
            f"Which members of the office {office} had sent {times} by {day} (included)? Their codes, in any order.",
            f"List the members with {times}, office {office}, up to and including {day}. Any order.",
            f"Somebody fills in the form again and again. In the {office}, who comes to {times} if we stop at the end "
            f"of {day}? Give the member codes; the order is free.",
            f"Member codes wanted, in any order: office {office}, {times}, none sent after {day} being counted.",
        ],
        found,
        f"SELECT member FROM {BOTH} WHERE office = '{office}' AND sent_on <= '{day}' GROUP BY 1 HAVING count(*) >= "
        f"{least}",
        ordered=False,
    )


def all_the_same(s: Look) -> Asked:
    first = s.pick(reply.sent_on for reply in s["replies"][:60])
    mode = s.draw.choice(("same", "high"))
    found = [each for each in s["replies"] if each.sent_on >= first and None not in _scores(each)]
    if mode == "same":
        num = sum(len(set(_scores(reply))) == 1 for reply in found)
        words = "the same score for all five things"
        test = " AND ".join(f"food = {aspect}" for aspect in ASPECTS[1:])
    else:
        num = sum(min(score for score in _scores(reply) if score) >= 3 for reply in found)
        words = "no score under 3 in any of the five"
        test = " AND ".join(f"{s.num(aspect)} >= 3" for aspect in ASPECTS)
    need(num > 1)
    return Asked(
        [
            f"How many replies sent on {first} or later are complete (all five scored) and give {words}?",
            f"From {first} on, count the replies with nothing skipped and {words}.",
            f"Leaving out replies in which anything is blank, and all before {first}: how many have {words}?",
            f"I wonder who thinks before ticking. Number of full replies, sent since {first} (that day too), with "
            f"{words}?",
        ],
        num,
        f"SELECT count(*) FROM replies WHERE sent_on >= '{first}' AND {_all_given(s)} AND {test}",
    )


def aspects_ranked(s: Look) -> Asked:
    office, month = s.pick(OFFICES), s.pick(month_of(reply.sent_on) for reply in s["replies"])
    found = [reply for reply in _of_office(s, office) if month_of(reply.sent_on) <= month]
    means: dict[str, float] = {}
    for aspect in ASPECTS:
        scores = [score for reply in found if (score := getattr(reply, aspect)) is not None]
        need(len(scores) > 1)
        means[aspect] = sum(scores) / len(scores)
    num = s.draw.choice((2, 3, 5))
    parts = " UNION ALL ".join(
        f"SELECT '{aspect}' AS aspect, avg({s.num(aspect)}) AS mean FROM t WHERE {s.known(aspect)}"
        for aspect in ASPECTS
    )
    which = {2: "the best two", 3: "the best three", 5: "all five"}[num]
    return Asked(
        [
            "Put the five things that are scored (food, service, price, room, speed) in order of their average score "
            f"in the {office}, replies up to {month} included, and list {which}, the best first.",
            f"What does the office {office} like? Rank food, service, price, room and speed by mean score until the "
            f"end of {month}, highest first, and give {which}.",
            f"By average score, blanks ignored, among replies of the {office} sent in {month} or earlier: list "
            f"{which} of food, service, price, room, speed in descending order.",
            f"Everything the {office} sent by the end of {month}. For every one of food, service, price, room, speed "
            f"take the mean of the scores given. Name {which}, from highest to lowest.",
        ],
        in_full(means)[:num],
        f"WITH t AS (SELECT replies.* FROM {BOTH} WHERE office = '{office}' AND {s.month('sent_on')} <= '{month}') "
        f"SELECT aspect FROM ({parts}) AS u ORDER BY mean DESC LIMIT {num}",
    )


def lone_low_score(s: Look) -> Asked:
    aspect, gap = s.pick(ASPECTS), s.draw.choice((1, 2))
    first = s.pick(reply.sent_on for reply in s["replies"][:50])
    others = [each for each in ASPECTS if each != aspect]
    found = [
        reply.reply_no
        for reply in s["replies"]
        if reply.sent_on >= first and None not in _scores(reply)
        and all(getattr(reply, aspect) + gap <= getattr(reply, each) for each in others)
    ]  # fmt: skip
    need(1 <= len(found) <= 7)
    test = " AND ".join(f"{s.num(aspect)} + {gap} <= {s.num(each)}" for each in others)
    points = "1 point" if gap == 1 else f"{gap} points"
    return Asked(
        [
            f"In which complete replies since {first} (included) is the score for {aspect} at least {points} lower "
            "than each of the other four? Their reply_no, any order.",
            f"List every reply_no, in any order, sent on {first} or after, with all five scores given, where {aspect} "
            f"lies {points} or more below every other score.",
            f"{aspect.capitalize()} stands out as bad in some replies: all five scored, and {aspect} lower than any "
            f"of the rest by {points} or more. Give their reply_no from {first} on. Order is free.",
            f"From {first}: who was unhappy with the {aspect} and with that above all? I mean replies without blanks "
            f"in which its score is under each other score by {points} at least (reply_no, any order).",
        ],
        found,
        f"SELECT reply_no FROM replies WHERE sent_on >= '{first}' AND {_all_given(s)} AND {test}",
        ordered=False,
    )


def most_skipped(s: Look) -> Asked:
    office, other = s.two(OFFICES)
    found = [*_of_office(s, office), *_of_office(s, other)]
    first = s.pick(month_of(reply.sent_on) for reply in s["replies"])
    found = [reply for reply in found if month_of(reply.sent_on) >= first]
    skipped = {aspect: sum(getattr(reply, aspect) is None for reply in found) for aspect in ASPECTS}
    parts = " UNION ALL ".join(
        f"SELECT '{aspect}' AS aspect, sum(CASE WHEN {s.unknown(aspect)} THEN 1 ELSE 0 END) AS num FROM t"
        for aspect in ASPECTS
    )
    return Asked(
        [
            f"Which of food, service, price, room and speed was skipped most often by the {office} and the {other} "
            f"together, in replies since {first}?",
            f"In replies of the offices {office} and {other} from {first} on, one of the five scores (food, service, "
            "price, room, speed) is blank most frequently. Which one?",
            f"Count the blanks per score, offices {office} and {other} taken as one, {first} and later months. Name "
            "the score with the most blanks: food, service, price, room or speed.",
            f"What do people in the {office} and the {other} least want to judge? Look at {first} and after, and "
            "answer with the one of food, service, price, room, speed that lacks a score most often.",
        ],
        best(skipped),
        f"WITH t AS (SELECT replies.* FROM {BOTH} WHERE office IN ('{office}', '{other}') AND {s.month('sent_on')} >= "
        f"'{first}') SELECT aspect FROM ({parts}) AS u ORDER BY num DESC LIMIT 1",
        look=("members", "office"),
    )


def months_of_fall(s: Look) -> Asked:
    aspect, other = s.two(ASPECTS)
    by_month: defaultdict[str, list[int]] = defaultdict(list)
    for reply in s["replies"]:
        if (score := getattr(reply, aspect)) is not None and (getattr(reply, other) or 0) >= 2:
            by_month[month_of(reply.sent_on)].append(score)
    means = [sum(by_month[month]) / len(by_month[month]) for month in sorted(by_month)]
    need(len(means) == 6 and len(set(means)) == 6)
    return Asked(
        [
            f"In how many months was the average score for {aspect} lower than in the month before, among replies "
            f"that score {other} with 2 or more?",
            f"Monthly mean of {aspect}, only from replies whose score for {other} is at least 2: how often does it "
            "fall from one month to the next?",
            f"Take replies with {other} at 2 or above and {aspect} not blank. Average {aspect} by month and count the "
            "months that are below their predecessor.",
            f"Are we getting worse? Of the replies with a {other} score of 2, 3, 4 or 5, compute the mean of {aspect} "
            "for every month; the number of months with a lower mean than the previous month is the answer.",
        ],
        sum(late < early for early, late in pairwise(means)),
        f"WITH t AS (SELECT {s.month('sent_on')} AS month, avg({s.num(aspect)}) AS mean FROM replies WHERE "
        f"{s.known(aspect)} AND {s.known(other)} AND {s.num(other)} >= 2 GROUP BY 1), c AS (SELECT mean - lag(mean) "
        "OVER (ORDER BY month) AS change FROM t) SELECT count(*) FROM c WHERE change < 0",
    )


def score_bars(s: Look) -> Asked:
    aspect, office = s.pick(ASPECTS), s.pick(OFFICES)
    counts = Counter(score for reply in _of_office(s, office) if (score := getattr(reply, aspect)) is not None)
    need(len(counts) > 3)
    return Asked(
        [
            f"How are the scores for {aspect} spread in the {office}? A bar chart, x the scores that occur from low "
            "to high, y how many replies gave them. Answer with the most frequent score.",
            f"Bars for the office {office}: number of replies by score for {aspect}, lowest score first, scores "
            "nobody gave left out. Which score is given most?",
            f"Draw a bar chart of {aspect} in the {office}, a bar for each score that was given, in ascending order "
            "of the score, its height the replies with it. The answer is the score of the tallest bar.",
            f"Office {office}, {aspect}: count the replies per score (no bar for blanks, none for a score that never "
            "occurs) and chart them as bars sorted by score. Then tell me the commonest score.",
        ],
        best(dict(counts)),
        f"SELECT {s.num(aspect)} AS score, count(*) AS num FROM {BOTH} WHERE office = '{office}' AND {s.known(aspect)} "
        "GROUP BY 1 ORDER BY 1",
        chart={"kind": "bar", "points": [[score, counts[score]] for score in sorted(counts)]},
    )


WORLD = World(
    "survey", "a survey of a works canteen", rows,
    {
        "duplicates": [last_reply, replied_often], "filters": [all_the_same], "top": [aspects_ranked],
        "outliers": [lone_low_score], "missing": [most_skipped], "trends": [months_of_fall], "charts": [score_bars],
    },
)  # fmt: skip
