"""Values of composed requests: messages, titles and names of events, drawn from a small grammar, and how values are marked.

A prompt is written with marks around every value. `plain` removes them. `masked` puts a gap in place of each value, so that the
words of a request can be compared with those of held-out requests. Nothing here reads held-out rows.
"""

import re

from authoring.workplace.scene import Scene

_OPEN, _CLOSE = "\x02", "\x03"

THINGS = (
    "sample case", "floor plan", "spare key", "flyer", "old chair", "visitor list", "blue folder", "test report",
    "name tag", "projector", "tax form", "stamp pad", "wall calendar", "cable box", "tea kitchen", "photo session",
    "slide deck", "order form", "poster", "ladder", "guest badge", "window seat", "lift key", "post room",
    "lunch voucher", "brochure", "banner", "second monitor", "handout", "notice board", "sound check", "draft letter",
    "cupboard", "desk lamp", "reading list",
)  # fmt: skip
_TEXTS = (
    "The {a} is on your desk.", "The {a} can wait until {day}.", "Please bring the {a} along.", "I left the {a} in room {n}.",
    "We need the {a} by {day}.", "No news about the {a} so far.", "Take the {a} with you when you go.", "Who has the {a}?",
    "I will look after the {a} myself.", "Page {n} of the {a} is missing.", "Your {a} came back today.", "Ask me about the {a}.",
    "Let us keep the {a} short.", "The {a} goes to room {n}.", "My train is late, start with the {a}.", "Well done with the {a}.",
    "Yes, {day} suits me.", "No, {day} is too early.", "See you in room {n} {day}.", "Call me back about the {a}, please.",
    "The {a} costs {n} euros.", "Thanks for the {a}!", "I have seen the {a} and I like it.", "Sorry, the {a} is not ready.",
    "Half of the {a} will do.", "We moved the {a} to {day}.", "Nobody told me about the {a}.", "Order {n} copies, please.",
    "Both of us will be there {day}.", "Start without me, I join you in room {n}.", "The {a} looks right to me.",
    "Can we skip the {a}?", "Use the {a} from last year.", "You can have the {a} now.", "Keep room {n} free {day}.",
)  # fmt: skip
_TITLES = (
    "{A}", "{A} {n}", "About the {a}", "{A} for {day}", "Your {a}", "Question on the {a}", "{A}, once more", "Room {n}",
    "News of the {a}", "{A} needed", "Before {day}", "Plan for {day}",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")

PLOTS = {
    "total_visits": ("the total visits", "all visits"),
    "session_seconds": ("the seconds per session", "how long sessions were"),
    "engaged": ("the engaged visitors", "how many visitors were engaged"),
    "visits_direct": ("the direct visits",),
    "visits_referral": ("the visits by referral", "referral visits"),
    "visits_search_engine": ("the visits from search engines",),
    "visits_social_media": ("the visits from social media",),
}
KINDS = {"bar": "a bar chart", "line": "a line chart", "scatter": "a scatter plot", "histogram": "a histogram"}


def value(text: object) -> str:
    """Marks a value in a prompt."""
    return f"{_OPEN}{text}{_CLOSE}"


def quoted(text: object) -> str:
    return f'"{value(text)}"'


def plain(marked: str) -> str:
    """The prompt as the model reads it."""
    return marked.replace(_OPEN, "").replace(_CLOSE, "")


def masked(marked: str) -> list[list[str]]:
    """The words of a prompt, with `_` for a run of values: once for whole values, and once for what can differ in them."""
    whole = re.sub(f"{_OPEN}.*?{_CLOSE}", " _ ", marked, flags=re.DOTALL)
    unquoted = re.sub(f'"{_OPEN}.*?{_CLOSE}"', " _ ", marked, flags=re.DOTALL)
    differing = re.sub(f"{_OPEN}(.*?){_CLOSE}", lambda found: _differing(found[1]), unquoted, flags=re.DOTALL)
    return [_collapsed(re.findall(r"\w+", text.casefold())) for text in (whole, differing)]


def _differing(text: str) -> str:
    """Keeps the small words of a value such as `on May 14` or `from March 2 to March 9`."""
    return " ".join(word if re.fullmatch(r"[a-z]+", word) else "_" for word in text.split())


def _collapsed(words: list[str]) -> list[str]:
    return [word for index, word in enumerate(words) if word != "_" or index == 0 or words[index - 1] != "_"]


def text(s: Scene) -> str:
    """A message to pass on. Half of them come from the words of the office."""
    return s.pick(s.words.messages) if s.pick((0, 0, 1)) else _filled(s, _TEXTS)


def title(s: Scene) -> str:
    """The subject of a new email."""
    return s.pick(s.words.titles) if s.pick((0, 0, 1)) else _filled(s, _TITLES)


def event_name(s: Scene) -> str:
    return s.meeting() if s.pick((0, 1)) else _filled(s, _TITLES[:8])


def _filled(s: Scene, forms: tuple[str, ...]) -> str:
    thing = s.pick(THINGS)
    return s.pick(forms).format(a=thing, A=thing.capitalize(), n=s.pick(range(2, 40)), day=s.pick(_DAYS))
