#!/usr/bin/env python3
"""A model API that answers from a script: the part of OpenAI's Responses API that the real Codex needs to run offline.

A script is a list of turns, a turn a list of blocks: `{"text": "…"}`, `{"tool": "exec_command", "input": {…}}`,
`{"custom": "apply_patch", "input": "…"}`, `{"sleep": 1.5}`, or `{"cut": true}`, at which the answer breaks off. The number of the
model's answers since the last prompt selects the turn; past the end, the last turn is repeated.
Requests without tools, such as the one for a title, get a text of their own.
As a program: `scripted_responses_api.py PORT SCRIPT.json`.
"""

import json
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler
from typing import Any

from scripted_anthropic_api import Block, Listener

OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
USAGE = {
    "input_tokens": 1200, "input_tokens_details": {"cached_tokens": 1000},
    "output_tokens": 80, "output_tokens_details": {"reasoning_tokens": 10}, "total_tokens": 1280,
}  # fmt: skip


class ScriptedResponsesAPI:
    """Listens on loopback. `script` may be replaced at any time; `requests` keeps the body of every conversation request."""

    def __init__(self, script: list[list[Block]] | None = None, port: int = 0):
        self.script = script or [[{"text": "Hello."}]]
        self.requests: list[dict[str, Any]] = []
        api = self

        class Handler(_Handler):
            pass

        Handler.api = api
        self.server = Listener(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, name="scripted model", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def turn(self, request: dict[str, Any]) -> list[Block]:
        """The model's next turn in a conversation."""
        said, speaks = 0, False
        for item in request.get("input", []):
            if item.get("role") == "user":
                said, speaks = 0, False
                continue
            is_models = item.get("role") == "assistant" or item.get("type", "").endswith("_call")
            said += is_models and not speaks
            speaks = is_models
        return self.script[min(said, len(self.script) - 1)]

    def tool_results(self) -> list[str]:
        """The results of tool calls that the model received, as text, in order, without duplicates."""
        results: dict[str, str] = {}
        for request in self.requests:
            for item in request.get("input", []):
                if item.get("type") in OUTPUTS:
                    output = item.get("output")
                    results[item["call_id"]] = output if isinstance(output, str) else json.dumps(output)
        return list(results.values())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: ScriptedResponsesAPI

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.answer({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        if not self.path.endswith("/responses"):
            self.answer({"error": {"message": "no"}}, 404)
            return
        turn: list[Block] = [{"text": "A title"}]
        if body.get("tools"):
            self.api.requests.append(body)
            turn = self.api.turn(body)
        try:
            self.stream(turn)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the agent was ended, or interrupted this turn

    def answer(self, value: Any, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, turn: list[Block]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        response: dict[str, Any] = {"id": name("resp"), "object": "response", "status": "in_progress", "output": []}
        self.event("response.created", {"response": response})
        for block in turn:
            if "sleep" in block:
                time.sleep(block["sleep"])
                continue
            if "cut" in block:
                return
            index, item = len(response["output"]), output_item(block)
            response["output"].append(item)
            self.event("response.output_item.added", {"output_index": index, "item": item})
            for line in block.get("text", "").splitlines(keepends=True):
                place = {"item_id": item["id"], "output_index": index, "content_index": 0}
                self.event("response.output_text.delta", place | {"delta": line})
            self.event("response.output_item.done", {"output_index": index, "item": item})
        self.event("response.completed", {"response": response | {"status": "completed", "usage": USAGE}})

    def event(self, type: str, data: dict[str, Any]) -> None:
        self.wfile.write(f"event: {type}\ndata: {json.dumps(data | {'type': type})}\n\n".encode())
        self.wfile.flush()


def name(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:12]}"


def output_item(block: Block) -> dict[str, Any]:
    if "text" in block:
        content = [{"type": "output_text", "text": block["text"], "annotations": []}]
        return {"type": "message", "id": name("msg"), "role": "assistant", "status": "completed", "content": content}
    call = {"call_id": name("call"), "status": "completed"}
    if "custom" in block:
        return call | {"type": "custom_tool_call", "id": name("ctc"), "name": block["custom"], "input": block["input"]}
    call |= {"type": "function_call", "id": name("fc"), "name": block["tool"], "arguments": json.dumps(block["input"])}
    # Codex gives an MCP server's tools a namespace of their own.
    return call | ({"namespace": block["namespace"]} if "namespace" in block else {})


if __name__ == "__main__":
    api = ScriptedResponsesAPI(json.loads(open(sys.argv[2]).read()), int(sys.argv[1]))
    print(api.url, flush=True)
    api.server.serve_forever()
