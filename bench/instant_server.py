"""A server of an imaginary model that answers at once: both OpenAI APIs, four tool calls and then a final message.

For figures of the client's side alone. It counts the tool results in a request (in the plain dialect: the assistant's
messages) to know which reply comes next, and calls the first tool that the request offers.

    python bench/instant_server.py --port 8000 --tool add --arguments '{"a": 1, "b": 2}'

prints the port that it listens on as its first line, and serves until it is killed or its standard input ends.
"""

import asyncio
import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator

from figures import parser

CALLS = 4
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
RESPONSES_USAGE = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
_RESULT = re.compile(rb'"role":\s*"tool"|"type":\s*"function_call_output"')
_SAID = re.compile(rb'"role":\s*"assistant"')
_OFFERED = re.compile(rb'"tools":\s*\[.*?"name":\s*"([^"]+)"', re.DOTALL)
_SHOWN = re.compile(rb"Tools:\\n([^(]+)\(")
_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)


def chat(message: dict[str, object], finish: str) -> dict[str, object]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish, "logprobs": None}
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": "instant", "choices": [choice], "usage": USAGE}


def responses(item: dict[str, object]) -> dict[str, object]:
    return {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": RESPONSES_USAGE}


def replies(tool: str, arguments: str, native: bool) -> dict[tuple[bool, bool], bytes]:
    """The whole HTTP response, by (is it Chat Completions, is it a call)."""
    text = json.dumps({"tool": tool, "args": json.loads(arguments)})
    function = {"name": tool, "arguments": arguments}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    spoken = {
        call: {**said, "content": [{"type": "output_text", "text": text if call else "Done.", "annotations": []}]}
        for call in (True, False)
    }
    called = {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    return {
        (True, True): http(chat(called, "tool_calls") if native else chat({"content": text}, "stop")),
        (True, False): http(chat({"content": "Done."}, "stop")),
        (False, True): http(
            responses(
                {"type": "function_call", "id": "fc_1", "call_id": "call_1", **function} if native else spoken[True]
            )
        ),
        (False, False): http(responses(spoken[False])),
    }


def http(body: dict[str, object]) -> bytes:
    written = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(written) + written


class Connection(asyncio.Protocol):
    """One client, kept open; a request is answered as soon as its body is whole."""

    def __init__(self, tool: str, arguments: str, delay_s: float) -> None:
        self.tool, self.arguments, self.delay_s = tool, arguments, delay_s
        self.made: dict[tuple[str, bool], dict[tuple[bool, bool], bytes]] = {}
        self.held = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.held = self.held + data if self.held else data
        while (end := self.held.find(b"\r\n\r\n")) >= 0:
            found = _LENGTH.search(self.held, 0, end)
            whole = end + 4 + (int(found[1]) if found else 0)
            if len(self.held) < whole:
                return
            request, self.held = self.held[:whole], self.held[whole:]
            if self.delay_s:
                asyncio.get_running_loop().call_later(self.delay_s, self.transport.write, self.reply(request))
            else:
                self.transport.write(self.reply(request))

    def reply(self, request: bytes) -> bytes:
        native = b'"tools":' in request
        turns = len((_RESULT if native else _SAID).findall(request))
        offered = None if self.tool else (_OFFERED if native else _SHOWN).search(request)
        tool = self.tool or (offered[1].decode() if offered else "")
        if (tool, native) not in self.made:
            self.made[tool, native] = replies(tool, self.arguments, native)
        is_chat = b"/chat/completions " in request[: request.find(b"\r\n")]
        return self.made[tool, native][is_chat, bool(tool) and turns < CALLS]


@contextlib.contextmanager
def running(tool: str = "", arguments: str = "{}", delay_s: float = 0.0) -> Iterator[int]:
    """The port of a server in a process of its own, ended on the way out."""
    command = [
        sys.executable,
        __file__,
        "--port",
        "0",
        "--tool",
        tool,
        "--arguments",
        arguments,
        "--delay",
        str(delay_s),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


async def serve(port: int, tool: str, arguments: str, delay_s: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(tool, arguments, delay_s), "127.0.0.1", port, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--port", type=int, default=0, help="0 takes a free one")
    made.add_argument("--tool", default="", help="the tool to call; without it the first that a request offers")
    made.add_argument("--arguments", default="{}", help="of every call, as JSON")
    made.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    args = made.parse_args()
    if args.json:  # bench/all.py asks every script of the folder for figures: this one has none
        sys.exit(0)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(args.port, args.tool, args.arguments, args.delay))


if __name__ == "__main__":
    main()
