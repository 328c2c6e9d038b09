#!/usr/bin/env bash
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189, which carries the program): of several PreToolUse hooks that each
# return an `updatedInput`, one alone has an effect, and it is the one that took longest. They run side by side, all get
# the model's own input, and the last answer replaces those before it; the order in the settings means nothing, and
# nobody is told that a rewrite was dropped. The stream's tool_use shows the model's input in any case, not what ran.
#
# Seen, the model calls Bash with `echo model`; hook A rewrites it to `echo A`, hook B to `echo B`:
#       A at once, B after 1 s   ran B, both hooks read "echo model", the stream shows "echo model"
#       A after 1 s, B at once   ran A, both hooks read "echo model", the stream shows "echo model"
# A hook that adds a flag and one that wraps the command work as long as they are alone; together one of them is undone,
# and on a busy machine now one and now the other.
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

def answer(asked):
    if "tool_result" in json.dumps(asked["messages"]): return ["Done."], "end_turn", (10, 5)
    return [("Bash", '{"command": "echo model", "description": "Say a word"}')], "tool_use", (10, 5)

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

def hook(name, seconds):
    rewrite = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
                                      "updatedInput": {"command": f"echo {name}", "description": "Say a word"}}}
    (work / f"{name}.json").write_text(json.dumps(rewrite))
    return {"type": "command", "command": f"cat > '{work}/{name}.read'; sleep {seconds}; cat '{work}/{name}.json'"}

def run(first, second):
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook("A", first), hook("B", second)]}]}}
    ran = claude("Go on.", "--settings", json.dumps(settings), "--allowed-tools", "Bash",
                 "--output-format", "stream-json", "--verbose")
    blocks = [block for message in map(json.loads, ran.stdout.splitlines()) if message["type"] in ("assistant", "user")
              for block in message["message"]["content"] if isinstance(block, dict)]
    (shown,) = (block["input"]["command"] for block in blocks if block["type"] == "tool_use")
    (outcome,) = (block["content"] for block in blocks if block["type"] == "tool_result")
    read = {json.loads((work / f"{name}.read").read_text())["tool_input"]["command"] for name in "AB"}
    print(f"A after {first} s, B after {second} s: ran {outcome}, hooks read {read}, the stream shows {shown}")
    return outcome, read, shown

right = run(0, 1) == ("B", {"echo model"}, "echo model") and run(1, 0) == ("A", {"echo model"}, "echo model")
sys.exit(0 if right else "Changed: which of two hooks rewrites a call")
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
