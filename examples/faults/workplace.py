"""Right work that NeMo Gym's workplace_assistant scores as wrong. Run `verigym bridges install nemogym` first.

Each case is a task with one gold solution, and the same work in other words: the end state means the same.
"""

import asyncio
from typing import Any

import msgspec

from verigym.audit.scripted_episodes import play
from verigym.core.records import FunctionCall, Item
from verigym.environments.load import load_environment

EVENT = {"event_name": "Review", "participant_email": "raj.patel@atlas.com", "event_start": "2023-12-01 10:00:00"}
CREATE, SEND = "calendar_create_event", "email_send_email"
MORNING, NOON = ({**EVENT, "duration": "30", "event_start": f"2023-12-01 {hour}:00:00"} for hour in (10, 12))
TO_RAJ, TO_LENA = (
    {"recipient": f"{name}@atlas.com", "subject": "Hi", "body": "Hello"} for name in ("raj.patel", "lena.schmidt")
)
CASES = {
    "the same calls": ([(CREATE, {**EVENT, "duration": "30"})], [(CREATE, {**EVENT, "duration": "30"})]),
    "minutes as a number": ([(CREATE, {**EVENT, "duration": "30"})], [(CREATE, {**EVENT, "duration": 30})]),
    "an ISO date with T": (
        [(CREATE, {**EVENT, "duration": "30"})],
        [(CREATE, {**EVENT, "duration": "30", "event_start": "2023-12-01T10:00:00"})],
    ),
    "two new events in the other order": ([(CREATE, MORNING), (CREATE, NOON)], [(CREATE, NOON), (CREATE, MORNING)]),
    "two emails in the other order": ([(SEND, TO_RAJ), (SEND, TO_LENA)], [(SEND, TO_LENA), (SEND, TO_RAJ)]),
}


def calls(work: list[tuple[str, dict[str, Any]]]) -> list[list[Item]]:
    return [
        [FunctionCall(f"call_{number}", name, msgspec.json.encode(arguments).decode())]
        for number, (name, arguments) in enumerate(work)
    ]


async def main() -> None:
    environment = load_environment("nemogym:workplace_assistant")
    row = environment.tasks("val")[0]
    for title, (gold, other) in CASES.items():
        truth = [{"name": name, "arguments": msgspec.json.encode(arguments).decode()} for name, arguments in gold]
        task = msgspec.structs.replace(row, data={"row": {**row.data["row"], "ground_truth": truth}})
        episode = await play(environment, task, [*calls(other), "Done."])
        print(f"{title}: reward {episode.verdict.reward}")


asyncio.run(main())
