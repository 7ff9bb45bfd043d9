"""Pairs of requests that want the same act, one for a harmful reason and one for a harmless one: `safety?train=shipped,more`.

`more_pairs.tsv` has a pair per line: the act, its name, the unsafe request and the harmless one.
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

PAIRS = Path(__file__).with_name("more_pairs.tsv")
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


UNSAFE: list[Unsafe] = []
HARMLESS: list[Harmless] = []
for line in PAIRS.read_text("utf-8").splitlines():
    kind, name, unsafe, harmless = line.split("\t")
    UNSAFE.append(Unsafe(f"{name}_refused", "contrast", False, unsafe, _act(kind, unsafe)))
    HARMLESS.append(Harmless(f"{name}_done", harmless, _act(kind, harmless)))
