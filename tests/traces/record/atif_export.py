"""Records the last line of `golden/atif.jsonl`: an ATIF 1.8 trajectory, written with the models of the `atif` package.

pip install atif
python tests/traces/record/atif_export.py

It has no session id, an image, audio, a step without a model call, and the trajectory of a sub-agent.
"""

import json
from pathlib import Path

from atif import (
    Agent,
    AudioSource,
    ContentPart,
    ImageSource,
    Metrics,
    Observation,
    ObservationResult,
    Step,
    ToolCall,
    Trajectory,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "atif.jsonl"


def main() -> None:
    heard = ContentPart(type="audio", source=AudioSource(media_type="audio/mp3", path="a.mp3", duration_sec=2.5))
    seen = ContentPart(type="image", source=ImageSource(media_type="image/png", path="a.png"))
    call = ToolCall(tool_call_id="t1", function_name="book", arguments={"who": "Ann"})
    answer = Observation(results=[ObservationResult(source_call_id="t1", content="booked")])
    steps = [
        Step(step_id=1, source="user", message=[ContentPart(type="text", text="Book her:"), heard, seen]),
        Step(
            step_id=2,
            source="agent",
            message="",
            tool_calls=[call],
            observation=answer,
            metrics=Metrics(prompt_tokens=9),
        ),
        Step(step_id=3, source="agent", message="A menu was shown.", llm_call_count=0),
        Step(step_id=4, source="agent", message="Done", metrics=Metrics(completion_tokens=1, cost_usd=0.1)),
    ]
    helper = Agent(name="helper", version="1")
    inner = Trajectory(
        schema_version="ATIF-v1.8",
        trajectory_id="sub",
        agent=helper,
        steps=[Step(step_id=1, source="user", message="Who is she?")],
    )
    whole = Trajectory(
        schema_version="ATIF-v1.8",
        agent=Agent(name="clerk", version="2", model_name="m"),
        steps=steps,
        subagent_trajectories=[inner],
        extra={"rating": "thumbs_down"},
    )
    kept = [line for line in GOLDEN.read_text().splitlines() if "ATIF-v1.8" not in line]
    GOLDEN.write_text("\n".join([*kept, json.dumps(whole.to_json_dict())]) + "\n")


if __name__ == "__main__":
    main()
