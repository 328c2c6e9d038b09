"""A model API that answers from a script: OpenAI's chat completions on loopback, which many agents use.

The words of the newest known prompt select a script; a script is a list of turns, and a turn is a list of blocks:
`{"text": …}`, `{"tool": …, "input": {…}}`, or `{"until": name}`: no answer before the test opens the gate of that name.
"""

import contextlib
import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = dict[str, Any]
USAGE = {
    "prompt_tokens": 1200, "completion_tokens": 80, "total_tokens": 1280, "prompt_tokens_details": {"cached_tokens": 1000},
}  # fmt: skip


class ScriptedOpenAIAPI:
    def __init__(self) -> None:
        self.scripts: dict[str, list[list[Block]]] = {}
        self.requests: list[dict[str, Any]] = []
        self._gates: dict[str, threading.Event] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def gate(self, name: str) -> threading.Event:
        return self._gates.setdefault(name, threading.Event())

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def blocks(self, body: dict[str, Any]) -> list[Block]:
        """The model's next answer. Requests without tools are auxiliary, such as for titles."""
        if not body.get("tools"):
            return [{"text": "A title"}]
        turns: list[list[Block]] = [[{"text": "I know no such prompt."}]]
        done = 0
        for message in body["messages"]:
            if message["role"] == "assistant":
                done += 1
            elif message["role"] == "user":
                text = json.dumps(message["content"])
                known = [prompt for prompt in self.scripts if prompt in text]
                if known:
                    turns, done = self.scripts[known[-1]], 0
        return turns[min(done, len(turns) - 1)]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.answer({"object": "list", "data": [{"id": "fake-model", "object": "model"}]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
                api.requests.append(body)
                blocks = api.blocks(body)
                for block in blocks:
                    # The wait has a limit, because a failing test never opens the gate.
                    if "until" in block:
                        api.gate(block["until"]).wait(120)
                text = "".join(block.get("text", "") for block in blocks)
                calls = [
                    {
                        "index": index, "id": "call" + uuid.uuid4().hex[:5], "type": "function",
                        "function": {"name": block["tool"], "arguments": json.dumps(block["input"])},
                    }
                    for index, block in enumerate(block for block in blocks if "tool" in block)
                ]  # fmt: skip
                base = {"id": "c" + uuid.uuid4().hex[:8], "created": 0, "model": body.get("model")}
                reason = "tool_calls" if calls else "stop"
                if body.get("stream"):
                    # An interrupted agent closes the connection.
                    with contextlib.suppress(ConnectionError):
                        self.stream(base | {"object": "chat.completion.chunk"}, text, calls, reason)
                    self.close_connection = True
                    return
                message = {"role": "assistant", "content": text} | ({"tool_calls": calls} if calls else {})
                choice = {"index": 0, "message": message, "finish_reason": reason}
                self.answer(base | {"object": "chat.completion", "choices": [choice], "usage": USAGE})

            def answer(self, value: Any) -> None:
                content = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def stream(self, base: dict[str, Any], text: str, calls: list[dict[str, Any]], reason: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
                deltas += [{"content": text}] if text else []
                deltas += [{"tool_calls": calls}] if calls else []
                for delta in deltas:
                    self.event(base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
                self.event(base | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": USAGE})
                self.wfile.write(b"data: [DONE]\n\n")
                self.close_connection = True

            def event(self, value: Any) -> None:
                self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
                self.wfile.flush()

        return Handler
