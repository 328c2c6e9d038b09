#!/usr/bin/env python3
"""A model API that answers from a script: the part of Anthropic's Messages API that the real Claude Code needs to run offline.

A script is a list of turns, a turn a list of blocks: `{"text": "…"}`, `{"tool": "Bash", "input": {…}}` or `{"sleep": 1.5}`.
The number of assistant messages in the request selects the turn; past the end, the last turn is repeated.
A conversation that begins with a given word, such as a subagent's, can follow another script.
As a program: `scripted_anthropic_api.py PORT SCRIPT.json`.
"""

import json
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = dict[str, Any]
# Claude Code's auxiliary requests (a title, a topic) have few tools or none; only the conversation itself follows the script.
TOOLS_OF_THE_CONVERSATION = 4
USAGE = {"input_tokens": 1000, "output_tokens": 1, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 5000}


class Listener(ThreadingHTTPServer):
    # An agent opens many connections at once.
    request_queue_size = 128

    def server_activate(self) -> None:
        super().server_activate()
        # A killed client may disappear before `accept`, which would then block until the next one.
        self.socket.setblocking(False)


class ScriptedAnthropicAPI:
    """Listens on loopback. `script` may be replaced at any time; `requests` keeps the body of every conversation request."""

    def __init__(self, script: list[list[Block]] | None = None, port: int = 0):
        self.script = script or [[{"text": "Hello."}]]
        self.scripts_by_word: dict[str, list[list[Block]]] = {}
        """Scripts for conversations whose first message has that word in it."""
        self.requests: list[dict[str, Any]] = []
        api = self

        class Handler(_Handler):
            pass

        Handler.api = api
        self.server = Listener(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, name="scripted model", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def turn(self, request: dict[str, Any]) -> list[Block]:
        """The model's next turn in a conversation."""
        messages = request["messages"]
        first = json.dumps(messages[0]) if messages else ""
        script = next((script for word, script in self.scripts_by_word.items() if word in first), self.script)
        said = sum(1 for message in messages if message["role"] == "assistant")
        return script[min(said, len(script) - 1)]

    def tool_results(self) -> list[str]:
        """The results of tool calls that the model received, as text, in order, without duplicates."""
        results: dict[str, str] = {}
        for request in self.requests:
            for message in request["messages"]:
                content = message["content"]
                for block in content if isinstance(content, list) else []:
                    if block.get("type") == "tool_result":
                        results[block["tool_use_id"]] = _text(block.get("content"))
        return list(results.values())


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(block.get("text", "") for block in content)
    return content or ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: ScriptedAnthropicAPI

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self.answer({})

    def do_GET(self) -> None:
        self.answer({"data": [], "has_more": False})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        if "count_tokens" in self.path:
            self.answer({"input_tokens": 1234})
            return
        if not self.path.startswith("/v1/messages"):
            self.answer({"type": "error", "error": {"type": "not_found_error", "message": "no"}}, 404)
            return
        turn: list[Block] = [{"text": '{"title": "A title"}'}]
        if len(body.get("tools") or []) >= TOOLS_OF_THE_CONVERSATION:
            self.api.requests.append(body)
            turn = self.api.turn(body)
        try:
            if body.get("stream"):
                self.stream(turn, body.get("model", ""))
            else:
                self.answer(self.message(turn, body.get("model", "")))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the agent was ended, or interrupted this turn

    def answer(self, value: Any, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def message(self, turn: list[Block], model: str) -> dict[str, Any]:
        content = [
            {"type": "text", "text": block["text"]} if "text" in block else tool_use(block) | {"input": block["input"]}
            for block in turn
            if "sleep" not in block
        ]
        return {
            "id": f"msg_{uuid.uuid4().hex[:20]}", "type": "message", "role": "assistant", "model": model, "content": content,
            "stop_reason": stop_reason(turn), "stop_sequence": None, "usage": USAGE | {"output_tokens": 150},
        }

    def stream(self, turn: list[Block], model: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        start = self.message([], model) | {"stop_reason": None, "usage": USAGE}
        self.event("message_start", {"message": start})
        index = 0
        for block in turn:
            if "sleep" in block:
                time.sleep(block["sleep"])
                continue
            if "text" in block:
                text = block["text"]
                self.event("content_block_start", {"index": index, "content_block": {"type": "text", "text": ""}})
                for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
                    self.event("content_block_delta", {"index": index, "delta": {"type": "text_delta", "text": piece}})
            else:
                self.event("content_block_start", {"index": index, "content_block": tool_use(block)})
                piece = json.dumps(block["input"])
                self.event("content_block_delta", {"index": index, "delta": {"type": "input_json_delta", "partial_json": piece}})
            self.event("content_block_stop", {"index": index})
            index += 1
        stop = {"stop_reason": stop_reason(turn), "stop_sequence": None}
        self.event("message_delta", {"delta": stop, "usage": {"output_tokens": 150}})
        self.event("message_stop", {})

    def event(self, type: str, fields: dict[str, Any]) -> None:
        self.wfile.write(f"event: {type}\ndata: {json.dumps({'type': type, **fields})}\n\n".encode())
        self.wfile.flush()


def tool_use(block: Block) -> dict[str, Any]:
    return {"type": "tool_use", "id": block.get("id") or f"toolu_{uuid.uuid4().hex[:24]}", "name": block["tool"], "input": {}}


def stop_reason(turn: list[Block]) -> str:
    return "tool_use" if any("tool" in block for block in turn) else "end_turn"


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        served = ScriptedAnthropicAPI(json.load(file), int(sys.argv[1]))
    print(f"The scripted model listens on {served.url}", file=sys.stderr)
    served.server.serve_forever()
