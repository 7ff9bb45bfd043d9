"""Feedback of a person on a production trace: checked, redacted, and stored beside the trajectory, which does not change."""

import datetime
from collections.abc import Sequence
from typing import Literal

import msgspec

from verigym.core.errors import BadInput
from verigym.core.records import Feedback, Item, content_hash
from verigym.store.database import Store
from verigym.traces.redaction import Redaction

_LONGEST = 100_000
"""Maximum characters of each field of a feedback."""


def new_feedback(
    *,
    outcome: Literal["success", "failure", ""] = "",
    correction: Sequence[Item] = (),
    intervention: str = "",
    note: str = "",
    who: str = "",
) -> Feedback:
    """Feedback without its trajectory. Raises `BadInput` if it is empty or too long."""
    fields = {"intervention": intervention, "note": note, "who": who}
    for name, content in {**fields, "correction": correction}.items():
        size = len(content if isinstance(content, str) else repr(content))
        if size > _LONGEST:
            raise BadInput(f'"{name}" has {size:,} characters. The maximum is {_LONGEST:,}')
    if not (outcome or correction or intervention.strip() or note.strip()):
        raise BadInput("The feedback is empty. Send an outcome, a correction, an intervention or a note")
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return Feedback(trajectory="", outcome=outcome, correction=list(correction), when=when, **fields)


def keep_feedback(store: Store, redaction: Redaction, trajectory: str, feedback: Feedback) -> Feedback:
    """Stores feedback on a trajectory. Returns it as stored, without secrets and personal data."""
    kept = redaction.feedback(msgspec.structs.replace(feedback, trajectory=trajectory))
    store.put("feedback", content_hash(kept)[:16], kept)
    return kept
