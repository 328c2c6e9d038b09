#!/usr/bin/env bash
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189, which carries the program): what `claude -p` prints, and `result`
# of --output-format json, is the last text block of the last message. If the model stops at its limit of tokens the
# program asks it to resume in a hidden message and prints what came after that alone, as a success with status 0: the
# first part is gone. An answer of two text blocks loses its first in the same way. If it is the context that is full,
# the program says the same (an output limit was hit), asks three more times, and pays for the full context each time.
#
# Seen: "One, " (max_tokens), then "two." (end_turn)     printed "two."   exit 0, success, stop_reason end_turn, 2 requests
#       "One, " and "two." as two blocks of a message    printed "two."   exit 0, success, stop_reason end_turn, 1 request
#       "One, " (model_context_window_exceeded), always  printed an API error, exit 1, `success` with is_error,
#                                                        stop_reason stop_sequence, 4 requests
# Scripts that keep the output of `claude -p` keep the end of a long answer and have no way to see that it is one.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 70 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.189

cat > "$work/try.py" <<'PYTHON'
import http.server, json, os, pathlib, subprocess, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(program,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")
script, requests = [], []

def answer(asked):
    requests.append(json.dumps(asked["messages"][-1]))
    blocks, stop = script[min(len(requests), len(script)) - 1]
    return blocks, stop, (1000, 10)

class Model(http.server.BaseHTTPRequestHandler):
    """Streams what `answer` says: blocks (a text, or a tool's name and its input as JSON), why they end, and tokens."""
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_HEAD(self): self.reply("text/plain", b"")
    def do_GET(self): self.reply("application/json", b'{"data": [], "has_more": false}')
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "count_tokens" in self.path: return self.reply("application/json", b'{"input_tokens": 10}')
        blocks, stop, (tokens_in, tokens_out) = answer(asked) if asked.get("tools") else (["Title"], "end_turn", (1, 1))
        lines = [{"type": "message_start", "message": {
            "id": f"msg_{time.time_ns()}", "type": "message", "role": "assistant", "model": asked["model"], "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": tokens_in, "output_tokens": 1}}}]
        for index, block in enumerate(blocks):
            if isinstance(block, str):
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block}
            else:
                start = {"type": "tool_use", "id": f"toolu_{time.time_ns()}", "name": block[0], "input": {}}
                delta = {"type": "input_json_delta", "partial_json": block[1]}
            lines += [{"type": "content_block_start", "index": index, "content_block": start},
                      {"type": "content_block_delta", "index": index, "delta": delta},
                      {"type": "content_block_stop", "index": index}]
        lines += [{"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                   "usage": {"output_tokens": tokens_out}}, {"type": "message_stop"}]
        self.reply("text/event-stream",
                   "".join(f"event: {line['type']}\ndata: {json.dumps(line)}\n\n" for line in lines).encode())
    def reply(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
for needed in ("home", "project"): (work / needed).mkdir()
environment = {
    "PATH": os.environ["PATH"], "HOME": str(work / "home"), "TMPDIR": str(work / "home"), "LANG": "C.UTF-8",
    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}", "ANTHROPIC_API_KEY": "not-a-key-at-all-----",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"}

def claude(*arguments, given=""):
    return subprocess.run([program, "-p", *arguments], cwd=work / "project", env=environment, input=given,
                          capture_output=True, text=True, timeout=40)

def run(*answers):
    script[:] = answers
    requests.clear()
    plain = claude("Count.")
    requests.clear()
    told = json.loads(claude("Count.", "--output-format", "json").stdout)
    seen = (plain.stdout.strip(), plain.returncode, told["subtype"], told["is_error"], told["stop_reason"], len(requests))
    print(*answers, "\n    ", *map(repr, seen))
    return seen, requests[-1]

cut, asked = run((["One, "], "max_tokens"), (["two."], "end_turn"))
split, _ = run((["One, ", "two."], "end_turn"))
full, again = run((["One, "], "model_context_window_exceeded"))
right = cut == ("two.", 0, "success", False, "end_turn", 2) and split == ("two.", 0, "success", False, "end_turn", 1)
right = right and full[0].startswith("API Error") and full[1:] == (1, "success", True, "stop_sequence", 4)
right = right and "Output token limit" in asked and "Output token limit" in again
sys.exit(0 if right else "Changed: which part of an answer is printed")
PYTHON
timeout 50 "$work/venv/bin/python" "$work/try.py" "$work"
