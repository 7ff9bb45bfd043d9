"""Token ids and logprobs of a chat reply, asked for on behalf of a client that did not, and taken out of its answer again.

vLLM sends `prompt_token_ids` (in a stream: in the first chunk), and for each choice `token_ids` and `logprobs`. A server that
was not asked sends null in their place, so null is what the client gets. In a stream, vLLM also sends chunks that hold nothing
but ids. Those are left out. Everything else stays byte for byte.
"""

import re

import msgspec
from msgspec import Raw, Struct

from verigym.core.records import Json

IDS, LOGPROBS = "return_token_ids", "logprobs"
"""The fields of a request that ask for them."""
_SENT = {IDS: ("prompt_token_ids", "token_ids"), LOGPROBS: ("logprobs",)}
"""The fields of a reply that they add."""
_NULL = b"null"
_DATA = re.compile(rb"data:\s?")
_fields_decoder = msgspec.json.Decoder(dict[str, Raw])


class _Choice(Struct):
    token_ids: Raw = Raw(_NULL)
    logprobs: Raw = Raw(_NULL)
    delta: Raw = Raw(_NULL)
    finish_reason: str | None = None


class _Reply(Struct):
    prompt_token_ids: Raw = Raw(_NULL)
    choices: list[_Choice] = []


_reply_decoder = msgspec.json.Decoder(_Reply)


def ask(body: Json) -> Json:
    """The fields to add to a request, so that its reply has ids and logprobs. Those that the client set itself are not among
    them: it wants to see what they add."""
    return {name: True for name in (IDS, LOGPROBS) if body.get(name) is not True}


def ask_in(body: bytes) -> tuple[bytes, Json]:
    """A request's JSON with the fields of `ask`, and those fields. The rest of the request stays as it is written."""
    fields: Json = _fields_decoder.decode(body)
    added = ask({name: msgspec.json.decode(fields[name]) for name in (IDS, LOGPROBS) if name in fields})
    return msgspec.json.encode({**fields, **added}), added


def strip_reply(body: bytes, added: Json) -> bytes:
    """The reply that the server would have sent without the fields in `added`. A body that is not a reply stays as it is."""
    try:
        return _without(body, _reply_decoder.decode(body), added)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body


class StreamStripper:
    """Does the same with a stream, piece by piece."""

    def __init__(self, added: Json) -> None:
        self._added = added
        self._rest = b""
        """The last line, while it is incomplete."""
        self._skips_blank = False

    def add(self, piece: bytes) -> bytes:
        """The next bytes for the client. Empty while a line is incomplete."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        return b"".join(map(self._line, lines))

    def end(self) -> bytes:
        rest, self._rest = self._rest, b""
        return rest

    def _line(self, line: bytes) -> bytes:
        if self._skips_blank and not line.strip():  # the end of an event that was left out
            self._skips_blank = False
            return b""
        self._skips_blank = False
        data = _DATA.match(line)
        if data is None or not line.rstrip().endswith(b"}"):
            return line + b"\n"
        try:
            reply = _reply_decoder.decode(line[data.end() :])
            stripped = _without(line, reply, self._added)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return line + b"\n"
        if stripped != line and all(
            bytes(choice.delta) == b"{}" and not choice.finish_reason for choice in reply.choices
        ):
            self._skips_blank = True
            return b""
        return stripped + b"\n"


def _without(body: bytes, reply: _Reply, added: Json) -> bytes:
    fields = [name for asked in added for name in _SENT[asked]]
    for name in fields:
        values = (
            [reply.prompt_token_ids] if name == "prompt_token_ids" else [getattr(one, name) for one in reply.choices]
        )
        for value in values:
            raw = bytes(value)
            if raw != _NULL:
                body = _nulled(body, name, raw)
    return body


def _nulled(body: bytes, name: str, value: bytes) -> bytes:
    """The body with null for the first such value of the key. Quotes in a text are escaped, so no text looks like a key."""
    for key in re.finditer(rb'"%b"\s*:\s*' % name.encode(), body):
        if body.startswith(value, key.end()):
            return body[: key.end()] + _NULL + body[key.end() + len(value) :]
    return body
