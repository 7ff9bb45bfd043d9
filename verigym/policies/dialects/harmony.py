"""The form of gpt-oss as text: a reply is a row of messages, and each message names its channel.

    <|channel|>analysis<|message|>thinking<|end|><|start|>assistant<|channel|>final<|message|>the answer<|return|>
    <|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{...}<|call|>

`analysis` is thinking. A message to a function is a call, in whatever channel. Everything else is text. `markup` reads the calls.
"""

import re

MARK = "<|channel|>"
CALL = "<|channel|>commentary to=functions."
CALL_END = "<|call|>"
CLOSING = "<|end|><|start|>assistant<|channel|>final<|message|>"
"""What ends the thinking and begins the answer."""

_HEADER = re.compile(
    r"(?:<\|start\|>)?(?:assistant)?[ ]*(?:to=(?P<before>\S+?))?[ ]*"
    r"<\|channel\|>(?P<channel>\w*)[ ]*(?:to=(?P<behind>[^\s<]+))?[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
)
_END = re.compile(r"<\|(?:end|return|call)\|>")
_FUNCTIONS = "functions."


def is_harmony(text: str) -> bool:
    """Whether a reply begins with a channel."""
    return MARK in text[:200] and _HEADER.match(text) is not None


def split(text: str) -> tuple[str | None, str]:
    """The thinking, or None, and the rest: the text, and each call in the form that begins with `CALL`."""
    thoughts: list[str] = []
    said: list[str] = []
    headers = [*_HEADER.finditer(text)]
    if not headers:
        return None, text
    lead = text[: headers[0].start()].strip()
    said += [lead] if lead else []
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        body = text[header.end() : following.start() if following else len(text)]
        body = _END.split(body)[0]
        to = header["before"] or header["behind"] or ""
        if to.startswith(_FUNCTIONS):
            said.append(f"{CALL}{to.removeprefix(_FUNCTIONS)} <|constrain|>json<|message|>{body}{CALL_END}")
        elif header["channel"] == "analysis":
            thoughts.append(body.strip())
        else:
            said.append(body)
    return ("\n".join(thoughts) if thoughts else None), "\n".join(said)


def is_thinking(text: str) -> bool:
    """Whether the last message that has begun is unfinished thinking."""
    headers = [*_HEADER.finditer(text)]
    return bool(headers) and headers[-1]["channel"] == "analysis" and not _END.search(text, headers[-1].end())
