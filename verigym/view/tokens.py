"""The tokens that a model sampled in one turn, coloured by their probability or by the advantage of the episode.

    ids 12 34 56 -> "Mail", " Di", "na", each with its log probability

Bytes that are no character alone are joined to the next token. Without the tokenizer the ids themselves are shown.
"""

import bisect
import math
from collections.abc import Sequence

from msgspec import Struct

from verigym.core.records import Turn
from verigym.view.text import is_plain
from verigym.view.tokenizer import Vocabulary

PAGE = 2_000
"""Tokens of one turn on one page."""
_EDGES = [0.01, 0.1, 0.35, 0.7, 1.4, 2.3, 3.9, 6.9]
"""Negative log probabilities between the nine classes: 0.99, 0.9, 0.7, 0.5, 0.25, 0.1, 0.02 and 0.001 as probabilities."""
PROBABILITIES = ["> 99%", "> 90%", "> 70%", "> 50%", "> 25%", "> 10%", "> 2%", "> 0.1%", "less"]
_SIZES = [0.05, 0.5, 1.0, 2.0]


class ShownToken(Struct, frozen=True, omit_defaults=True, gc=False):
    """A page has thousands. They hold only texts, so the garbage collector need not look at them."""

    text: str
    kind: str
    """Its class: `p0` to `p8` by probability, `up1` to `up4` and `down1` to `down4` by advantage, `masked`, `none`."""
    title: str
    """Id and probability."""
    special: bool = False
    plain: bool = False
    """Whether every character of the text can be seen."""


class TokenTurn(Struct, frozen=True, kw_only=True):
    """The tokens of one turn."""

    number: int
    tokens: list[ShownToken]
    context: list[ShownToken]
    """What its context gained, which is not trained on."""
    num_context: int
    num_tokens: int
    first: int = 0
    before: int | None = None
    after: int | None = None
    note: str = ""
    """Why there are no tokens, or no text."""


def probability_class(logprob: float) -> str:
    return f"p{bisect.bisect_left(_EDGES, -logprob)}" if math.isfinite(logprob) else "p8"


def advantage_class(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "none"
    size = bisect.bisect_right(_SIZES, abs(value))
    return "none" if size == 0 else f"{'up' if value > 0 else 'down'}{size}"


def token_turn(
    turn: Turn,
    number: int,
    vocabulary: Vocabulary | None,
    *,
    by: str,
    advantage: float | None = None,
    masked: bool = False,
    first: int = 0,
    redacted: bool = False,
    limit: int = PAGE,
) -> TokenTurn:
    """`masked` says that training leaves the whole turn out: another actor's, or a reply that was cut off."""
    ids = turn.completion_ids
    first = max(0, min(first, max(0, len(ids) - 1)))
    end = min(first + limit, len(ids))
    note = ""
    if not ids:
        note = (
            "Redaction drops token ids where it changes the text, so this reply is shown as text."
            if redacted
            else "No token ids are stored for this reply, so it is shown as text."
        )
    elif vocabulary is None:
        note = "The tokenizer of this model is not on this machine, so the ids are shown."
    kinds = ["masked" if masked else _kind(turn, place, by, advantage) for place in range(first, end)]
    shown = _joined(turn, range(first, end), kinds, vocabulary)
    context = turn.context_ids[-200:]
    return TokenTurn(
        number=number,
        tokens=shown,
        context=_joined(Turn(completion_ids=context), range(len(context)), ["masked"] * len(context), vocabulary),
        num_context=len(turn.context_ids),
        num_tokens=len(ids),
        first=first,
        before=max(0, first - limit) if first else None,
        after=end if end < len(ids) else None,
        note=note,
    )


def _is_forced(turn: Turn, place: int) -> bool:
    return any(start <= place < end for start, end in turn.forced)


def _kind(turn: Turn, place: int, by: str, advantage: float | None) -> str:
    if _is_forced(turn, place):
        return "masked"
    if by == "advantage":
        return advantage_class(advantage)
    return probability_class(turn.logprobs[place]) if place < len(turn.logprobs) else "none"


def _joined(turn: Turn, places: Sequence[int], kinds: Sequence[str], vocabulary: Vocabulary | None) -> list[ShownToken]:
    shown: list[ShownToken] = []
    waiting = b""
    titles: list[str] = []
    for place, kind in zip(places, kinds, strict=True):
        id = turn.completion_ids[place]
        titles.append(_title(turn, place))
        known = vocabulary.bytes_of(id) if vocabulary else None
        if known is None:
            if waiting:
                shown.append(_token(waiting, kind, titles[:-1]))
            shown.append(ShownToken(f"{id} ", kind, titles[-1], plain=True))
            waiting, titles = b"", []
            continue
        waiting += known
        is_last = place == places[-1]
        if not is_last and _is_open(waiting):
            continue
        special = vocabulary is not None and id in vocabulary.special
        shown.append(_token(waiting, kind, titles, special))
        waiting, titles = b"", []
    return shown


def _token(text: bytes, kind: str, titles: list[str], special: bool = False) -> ShownToken:
    words = text.decode(errors="replace")
    return ShownToken(words, kind, "\n".join(titles), special, is_plain(words))


def _is_open(text: bytes) -> bool:
    """Whether the text ends inside of a character."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


def _title(turn: Turn, place: int) -> str:
    """`id 512, 43.1%, logprob -0.84, 60.2% among the allowed`"""
    said = [f"id {turn.completion_ids[place]}"]
    if _is_forced(turn, place):
        return f"{said[0]}, not sampled: the reasoning reached its limit"
    if place < len(turn.logprobs):
        logprob = turn.logprobs[place]
        said.append(f"{_share(logprob)}, logprob {logprob:.2f}")
    if place < len(turn.restricted):
        said.append(f"{_share(turn.restricted[place])} among the allowed")
    return ", ".join(said)


def _share(logprob: float) -> str:
    return f"{100 * math.exp(min(0.0, logprob)):.3g}%" if math.isfinite(logprob) else "0%"
