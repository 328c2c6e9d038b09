#!/usr/bin/env bash
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189, which carries the program) with `--max-budget-usd`: the run ends
# once a message has cost more than is left. A message's cost is known at its end, and a tool call in it begins when its own
# block ends, so the call is under way by then. It is cut off wherever it is: what it has done stays, the rest never
# happens, and neither the stream nor the result has a word of it (no tool_result follows the tool_use). And the budget is
# of this process, though `total_cost_usd` beside it is of the whole conversation: with --resume it begins anew, and the
# error names a limit that is half of the total in the same line.
#
# Seen, messages of 0.50 USD that each run a command of 3 s, budget 1 USD:
#       first run   calls 2, results 1, commands begun 2, ended 1   error_max_budget_usd (1), total 1, exit 1
#       --resume    calls 2, results 1, commands begun 2, ended 1   error_max_budget_usd (1), total 2, exit 1
# The last call looks as if it had never run, and a supervisor that resumes with the same budget never comes to its end.
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
file = work / "effects"

def answer(_):
    command = json.dumps({"command": f"echo begun >> {file}; sleep 3; echo ended >> {file}", "description": "Work"})
    return [("Bash", command)], "tool_use", (100_000, 5_000)

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
        parts = [f"event: {line['type']}\ndata: {json.dumps(line)}\n\n".encode() for line in lines]
        self.reply("text/event-stream", b"".join(parts[:-2]), sum(map(len, parts)))
        self.wfile.flush()
        time.sleep(1)  # between a call's block and the message's end, where the tokens are counted
        self.wfile.write(b"".join(parts[-2:]))
    def reply(self, kind, body, length=None):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(body)))
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

def run(*more):
    ran = claude("Go on.", "--max-budget-usd", "1", "--allowed-tools", "Bash",
                 "--output-format", "stream-json", "--verbose", *more)
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    blocks = [block["type"] for message in said if message["type"] in ("assistant", "user")
              for block in message["message"]["content"] if isinstance(block, dict)]
    end = said[-1]
    time.sleep(4)
    effects = file.read_text().split()
    file.unlink()
    seen = (blocks.count("tool_use"), blocks.count("tool_result"), effects.count("begun"), effects.count("ended"),
            end["subtype"], round(end["total_cost_usd"], 2), ran.returncode)
    print("calls %d, results %d, begun %d, ended %d, %s, total %s, exit %d" % seen, *end["errors"])
    return seen, end["session_id"]

first, session = run()
second, _ = run("--resume", session)
right = first == (2, 1, 2, 1, "error_max_budget_usd", 1.0, 1) and second == (2, 1, 2, 1, "error_max_budget_usd", 2.0, 1)
sys.exit(0 if right else "Changed: what a budget does to the last call")
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
