"""Replaces ids and times of a recording, so that two recordings of the same program are the same file."""

import datetime
import re

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")
_BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def fixed(text: str, ids: str) -> str:
    """The text with ids that match a pattern numbered in the order in which they occur, and with times one second apart."""
    times = {found: _parsed(found) for found in _TIME.findall(text)}
    order = {moment: number for number, moment in enumerate(sorted(set(times.values())))}

    def time(match: re.Match[str]) -> str:
        moment = _BEGIN + datetime.timedelta(seconds=order[times[match[0]]])
        return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    numbers: dict[str, int] = {}

    def id(match: re.Match[str]) -> str:
        number = numbers.setdefault(match[0], len(numbers) + 1)
        shape = re.sub(r"[0-9a-f]", "0", match[0])
        digits = f"{number:x}"
        return shape[: -len(digits)] + digits

    return re.sub(ids, id, _TIME.sub(time, text))


def _parsed(text: str) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
