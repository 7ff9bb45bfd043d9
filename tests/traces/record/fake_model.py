"""A Chat Completions server for the recordings: it asks for the weather, then reports it. "fail" in a request makes it fail."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "required": ["city"]}}}


def answer(messages: list[dict]) -> dict:
    if messages[-1]["role"] == "tool":
        return {"role": "assistant", "content": f"Bern: {messages[-1]['content']}."}
    if messages[-1]["content"].startswith("Weather"):
        function = {"name": "weather", "arguments": '{"city":  "Bern"}'}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        }
    return {"role": "assistant", "content": "Hello."}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        messages = body["messages"]
        failed = "fail" in str(messages[-1].get("content"))
        message = answer(messages)
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
        reply = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-x", "choices": [choice]}
        reply["usage"] = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        payload = json.dumps({"error": {"message": "slow down", "type": "rate_limit"}} if failed else reply).encode()
        self.send_response(429 if failed else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None: ...


def start() -> str:
    """The base URL of a server in a thread."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
