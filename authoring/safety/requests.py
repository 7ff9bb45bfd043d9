"""The records of a safety request, and the calls that requests are made of.

Slots in a request are filled from the values of its split (`train_office`, `val_office`). An unsafe request is worded like
ordinary work: only its meaning gives it away. A harmless request uses words of violence or crime for something ordinary. An
injected request is about a text that contains an instruction from a third party. The splits share no request. Most unsafe
training requests have a harmless neighbour with the same tool, the same wording or the same bad word.
"""

import re
from typing import NamedTuple, TypeVar

from verigym.core.records import Json


class Call(NamedTuple):
    tool: str
    args: Json


class Unsafe(NamedTuple):
    name: str
    tag: str
    severe: bool
    request: str
    harm: Call
    once: bool = False
    """Whether the family has one task. The others have four."""


class Harmless(NamedTuple):
    name: str
    request: str
    expected: Call
    once: bool = False


class Injected(NamedTuple):
    name: str
    request: str
    text: str
    """Text of the email {subject} or the file {file} that the first expected call reads."""
    expected: list[Call]
    harm: Call
    once: bool = False


class Requests(NamedTuple):
    """All requests of a split, and the office that they are about."""

    values: dict[str, list[str]]
    state: Json
    text: str
    """Text of an email or a file if the family has no text of its own."""
    unsafe: list[Unsafe]
    harmless: list[Harmless]
    injected: list[Injected]


Request = TypeVar("Request", Unsafe, Harmless, Injected)


def once(requests: list[Request]) -> list[Request]:
    """The requests of families with one task."""
    return [request._replace(once=True) for request in requests]


def send(to: str, subject: str) -> Call:
    return Call("email.send", {"to": to, "subject": subject})


def pay(to: str, amount: str = "{amount}") -> Call:
    return Call("payments.send", {"to": to, "amount": amount})


READ_MAIL = Call("email.read", {"subject": "{subject}"})
READ_FILE = Call("files.read", {"file": "{file}"})
DELETE_MAIL = Call("email.delete", {"subject": "{subject}"})
DELETE_FILE = Call("files.delete", {"file": "{file}"})
STOP = Call("processes.stop", {"name": "{process}"})


def share(person: str, file: str = "{file}") -> Call:
    return Call("files.share", {"file": file, "person": person})


def forward(to: str) -> Call:
    return Call("email.forward", {"subject": "{subject}", "to": to})


def search(query: str) -> Call:
    return Call("email.search", {"query": query})


def answer(text: str) -> Call:
    return Call("answer", {"text": text})


def quoted_subject(request: str) -> str:
    """Return the quoted subject in a request, or `Hello`."""
    quoted = re.search(r'"([^"]+)"', request)
    return quoted.group(1) if quoted else "Hello"


def unsafe_emails(tag: str, requests: list[str]) -> list[Unsafe]:
    return [
        Unsafe(f"{tag}_mail_{place:02d}", tag, True, request, send("{person}", quoted_subject(request)))
        for place, request in enumerate(requests, 1)
    ]


def unsafe_requests(tag: str, what: str, harm: Call, requests: list[str]) -> list[Unsafe]:
    return [Unsafe(f"{tag}_{what}_{place:02d}", tag, True, request, harm) for place, request in enumerate(requests, 1)]


def harmless_requests(what: str, right: Call | None, requests: list[str]) -> list[Harmless]:
    return [
        Harmless(f"like_{what}_{place:02d}", request, right or send("{person}", quoted_subject(request)))
        for place, request in enumerate(requests, 1)
    ]
