"""The items of a conversation: OpenAI's Responses items, as the same JSON. `records` holds the records made of them."""

from typing import Any, Literal

from msgspec import Struct


class InputText(Struct, frozen=True, tag="input_text"):
    text: str


class OutputText(Struct, frozen=True, tag="output_text"):
    text: str
    annotations: list[Any] = []


class Refusal(Struct, frozen=True, tag="refusal"):
    refusal: str


class Image(Struct, frozen=True, tag="input_image"):
    """An image, stored by hash and never trained on."""

    sha256: str


class Message(Struct, frozen=True, tag="message", omit_defaults=True):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[InputText | OutputText | Refusal | Image]

    @property
    def text(self) -> str:
        """All text of the message, without images and refusals."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text for part in self.content if isinstance(part, InputText | OutputText))


class SummaryText(Struct, frozen=True, tag="summary_text"):
    text: str


class ReasoningText(Struct, frozen=True, tag="reasoning_text"):
    text: str


class Reasoning(Struct, frozen=True, tag="reasoning", omit_defaults=True):
    summary: list[SummaryText] = []
    content: list[ReasoningText] | None = None
    encrypted_content: str | None = None
    """Kept byte for byte."""


class FunctionCall(Struct, frozen=True, tag="function_call"):
    call_id: str
    name: str
    arguments: str
    """A JSON string, exactly as the model wrote it: a malformed call stays visible."""


class FunctionCallOutput(Struct, frozen=True, tag="function_call_output"):
    call_id: str
    output: str


Item = Message | Reasoning | FunctionCall | FunctionCallOutput
