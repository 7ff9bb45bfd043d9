"""Runs a task of inspect with a scripted model: `python inspect_gold.py ENVIRONMENT REPLIES.json FOLDER`.

The file holds plays. A play has the replies of each sample, in order. A reply is a list of calls or of one text. Prints the
scores of each play.
"""

import json
import os
import sys
from pathlib import Path

os.environ["INSPECT_DISPLAY"] = "none"

from inspect_ai import eval as run
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall

from verigym.bridges.inspect_task import inspect_task


def output(reply):
    if isinstance(reply[0], str):
        message = ChatMessageAssistant(content=reply[0])
    else:
        calls = [ToolCall(id=f"c{i}", function=name, arguments=given) for i, (name, given) in enumerate(reply)]
        message = ChatMessageAssistant(content="", tool_calls=calls)
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # otherwise inspect downloads a tokenizer
    stop = "tool_calls" if message.tool_calls else "stop"
    return ModelOutput(
        model="mockllm/model", choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=usage
    )


def main(environment, file, folder):
    for samples in json.loads(Path(file).read_text()):
        task = inspect_task(environment, "val", limit=len(samples))
        model = get_model("mockllm/model", custom_outputs=[output(reply) for replies in samples for reply in replies])
        [log] = run(task, model=model, max_samples=1, log_dir=folder, log_level="error")
        assert log.status == "success", log.error
        print(json.dumps([each.scores["verigym"].value for each in log.samples]))
        metrics = {name for score in log.results.scores for name in score.metrics}
        assert metrics == {"accuracy", "mean", "stderr"}, metrics


if __name__ == "__main__":
    main(*sys.argv[1:4])
