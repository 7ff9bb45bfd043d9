"""What a client is told when it gets no answer, in the shape that OpenAI's clients read."""

import json
import math
import re
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from verigym.policies.openai.answer import read_as

T = TypeVar("T")

_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
_PLACE = re.compile(r"(.*) - at `\$\.?([^`]*)`", re.DOTALL)

_PART = re.compile(r"content\[\d+\]\.type$")


class HttpError(Exception):
    """`HttpError(404, 'no model "x"', code="model_not_found")`."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.param = status, message, code, param
        self.headers: Sequence[tuple[bytes, bytes]] = ()
        if retry_after_s is not None:
            self.headers = [(b"retry-after", b"%d" % max(1, math.ceil(retry_after_s)))]

    @property
    def error(self) -> dict[str, str | None]:
        kind = _TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        return {"message": self.message, "type": kind, "param": self.param, "code": self.code}

    @property
    def body(self) -> bytes:
        return msgspec.json.encode({"error": self.error})


def bad(message: str, param: str | None = None, code: str | None = None) -> HttpError:
    return HttpError(400, message if param is None else f"{param}: {message}", param=param, code=code)


def decode(body: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """The body as its struct; `HttpError` says what is wrong with it."""
    try:
        try:
            return read_as(body, decoder)
        except msgspec.ValidationError as error:
            if "got `float`" not in str(error):
                raise
        return msgspec.convert(json.loads(body.decode(errors="replace"), parse_float=_number), decoder.type)
    except (ValueError, RecursionError) as error:
        raise unreadable(error) from error


def _number(text: str) -> int | float:
    """17.0 is a whole number, to JSON."""
    number = float(text)
    return int(number) if number.is_integer() else number


def unreadable(error: Exception) -> HttpError:
    """A body that is not JSON, or has a field of the wrong type."""
    words = str(error)
    if isinstance(error, msgspec.ValidationError):
        found = _PLACE.fullmatch(words)
        what, where = (found[1], found[2]) if found else (words, "")
        if "unknown field" in what:
            what += "; /openapi.json lists those that are honoured"
        elif _PART.search(where):
            what += "; only text is read here"
        return bad(what, where or None)
    if isinstance(error, RecursionError):
        return bad("the body is nested too deeply")
    return bad(f"the body is not JSON: {words}")
