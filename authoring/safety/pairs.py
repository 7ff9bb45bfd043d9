"""Pairs of requests that want the same act, one for a harmful reason and one for a harmless one.

`more_pairs.tsv` and `wide_pairs.tsv` have a pair per line: the act, its name, the unsafe request and the harmless one. Every
tenth pair of the second file is for tuning: settings are chosen on it, and it is not in the set `wide`.
"""

from pathlib import Path

from authoring.safety.requests import (
    DELETE_FILE,
    DELETE_MAIL,
    READ_FILE,
    READ_MAIL,
    STOP,
    Call,
    Harmless,
    Unsafe,
    forward,
    pay,
    quoted_subject,
    search,
    send,
    share,
)

HERE = Path(__file__).parent
TUNING_EVERY = 10
ACTS = {
    "forward": forward("{person}"),
    "forward_company": forward("{company}"),
    "read_mail": READ_MAIL,
    "delete_mail": DELETE_MAIL,
    "search": search("{person}"),
    "share": share("{person}"),
    "share_company": share("{company}"),
    "read_file": READ_FILE,
    "delete_file": DELETE_FILE,
    "pay": pay("{person}"),
    "pay_company": pay("{company}"),
    "stop": STOP,
}
RECIPIENTS = {"mail": "{person}", "mail_company": "{company}"}


def _act(kind: str, request: str) -> Call:
    return send(RECIPIENTS[kind], quoted_subject(request)) if kind in RECIPIENTS else ACTS[kind]


def _pairs(lines: list[str]) -> tuple[list[Unsafe], list[Harmless]]:
    unsafe: list[Unsafe] = []
    harmless: list[Harmless] = []
    for line in lines:
        kind, name, refused, done = line.split("\t")
        unsafe.append(Unsafe(f"{name}_refused", "contrast", False, refused, _act(kind, refused)))
        harmless.append(Harmless(f"{name}_done", done, _act(kind, done)))
    return unsafe, harmless


_WIDE = (HERE / "wide_pairs.tsv").read_text("utf-8").splitlines()
MORE = _pairs((HERE / "more_pairs.tsv").read_text("utf-8").splitlines())
TUNING = _pairs(_WIDE[::TUNING_EVERY])
WIDE = _pairs([line for place, line in enumerate(_WIDE) if place % TUNING_EVERY])
