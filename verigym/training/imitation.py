"""What sft imitates in written conversations: which replies, how many tokens, and what it leaves out. Without torch."""

from collections.abc import Mapping, Sequence

import msgspec

from verigym.core.records import Example
from verigym.core.words import counted
from verigym.policies.render import replies


class Imitated(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The replies that a run of sft imitates. Stored as a document of kind `imitated` under the id of the run."""

    rows: int
    replies: int
    context: int = 0
    """Replies of the assistant that are only context."""
    tokens: int = 0
    """Trained tokens of one pass over the rows. 0 if they were not counted."""
    dropped: dict[str, int] = {}
    """Rows that the dataset left out, by reason."""

    def __str__(self) -> str:
        tokens = f" ({self.tokens:,} tokens)" if self.tokens else ""
        words = f"imitates {counted(self.replies, 'reply')}{tokens} of {counted(self.rows, 'row')}"
        if self.context:
            are = "is" if self.context == 1 else "are"
            words += (
                f". {counted(self.context, 'earlier reply')} {are} only context (sft.replies: every would imitate all)"
            )
        if self.dropped:
            words += ". Dropped rows: " + ", ".join(f"{count} {reason}" for reason, count in self.dropped.items())
        return words


def with_every_reply(example: Example) -> Example:
    """The example with each reply of the assistant to imitate."""
    return msgspec.structs.replace(example, made=replies(example.items))


def imitated(examples: Sequence[Example], counts: Mapping[str, int], tokens: int = 0) -> Imitated:
    """Counts what is imitated. `counts` are those of the dataset."""
    made = sum(len(example.made) for example in examples)
    return Imitated(
        rows=len(examples),
        replies=made,
        context=sum(len(replies(example.items)) for example in examples) - made,
        tokens=tokens,
        dropped={reason: count for reason, count in counts.items() if reason not in ("looked at", "kept") and count},
    )
