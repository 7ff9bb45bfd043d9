"""A small dataset of Aviary: count to a number with a tool, then submit. Run it with
`verigym check aviary:examples/aviary_counter.py:CounterDataset`.

The classes are Aviary's own kind and know nothing of Verigym. `gold(index)` is optional: it lets `verigym check` prove that each
task can be solved.
"""

from aviary.core import Environment, Frame, Message, TaskDataset, Tool, ToolRequestMessage  # pyright: ignore[reportMissingImports]


class Counter(Environment[None]):
    """The environment ends when the agent submits. It rewards the right number."""

    def __init__(self, target: int) -> None:
        self.target = target

    async def reset(self):
        self.count, self.reward, self.over = 0, 0.0, False
        self.tools = [Tool.from_function(self.add), Tool.from_function(self.submit)]
        return [Message(content=f"Count to {self.target} with add, then submit.")], self.tools

    def add(self, by: int) -> str:
        """Add to the counter.

        Args:
            by: How much to add.
        """
        self.count += by
        return f"The counter is at {self.count}."

    def submit(self) -> str:
        """Hand in the counter."""
        self.reward, self.over = float(self.count == self.target), True
        return "submitted"

    async def step(self, action):
        if not isinstance(action, ToolRequestMessage):
            return self.default_no_tool_calls_response
        messages = await self.exec_tool_calls(action, concurrency=False)
        return messages, self.reward, self.over, False

    def export_frame(self) -> Frame:
        return Frame(state={"count": self.count})


class CounterDataset(TaskDataset[Counter]):
    """Tasks 1 to `most`."""

    def __init__(self, most: int = 40) -> None:
        self.most = most

    def __len__(self) -> int:
        return self.most

    def get_new_env_by_idx(self, idx: int) -> Counter:
        return Counter(idx + 1)

    def gold(self, index: int) -> list:
        return [
            [{"type": "function_call", "name": "add", "arguments": f'{{"by": {index + 1}}}'}],
            [{"type": "function_call", "name": "submit", "arguments": "{}"}],
        ]
