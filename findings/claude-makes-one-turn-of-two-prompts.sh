#!/usr/bin/env bash
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189, which carries the program) with `--input-format stream-json`: prompts
# that arrive while a turn runs are not taken one after the other. All of them become a single user message, their texts
# joined by a line feed, with one answer and one `result`. If the lines carry a `uuid`, the joined message has the last
# one's; --replay-user-messages also echoes each earlier one, the last echo holds all texts, and the transcript only the last.
#
# Seen: three prompts in one write     results 2, requests to the model 2
#       echoed without uuid            P1 | P2\nP3
#       echoed with uuid               1: P1 | 2: P2 | 3: P2\nP3        transcript 1: P1 | 3: P2\nP3
# A client that counts results to know which prompt was answered waits for ever for the third, and one that looks in the
# transcript for the id of its second prompt takes it for lost and sends it again.
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
requests = 0

def answer(_):
    global requests
    requests += 1
    time.sleep(1)  # time for the other prompts to arrive
    return ["Answer."], "end_turn", (10, 5)

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

def prompts(ids):
    """The echoes as (last digit of the id, text), and the number of results and of requests."""
    global requests
    requests = 0
    given = "".join(json.dumps({
        "type": "user", "message": {"role": "user", "content": f"P{number}"}, "parent_tool_use_id": None, "session_id": ""}
        | ({"uuid": f"00000000-0000-4000-8000-00000000000{number}"} if ids else {})) + "\n" for number in (1, 2, 3))
    ran = claude("--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--replay-user-messages",
                 given=given)
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    users = [message for message in said if message["type"] == "user"]
    return named(users, ids), sum(message["type"] == "result" for message in said), requests, said[-1]["session_id"]

def named(users, ids):
    return [(user["uuid"][-1] if ids else "", user["message"]["content"]) for user in users]

plain, results, asked, _ = prompts(ids=False)
echoed, more, also, session = prompts(ids=True)
(transcript,) = (work / "home/.claude/projects").glob(f"*/{session}.jsonl")
lines = [json.loads(line) for line in transcript.read_text().splitlines()]
kept = named([line for line in lines if line["type"] == "user"], True)
print("results, requests", results, asked, more, also)
print("echoed without uuid", plain)
print("echoed with uuid   ", echoed)
print("transcript         ", kept)
right = (results, asked, more, also) == (2, 2, 2, 2) and plain == [("", "P1"), ("", "P2\nP3")]
right = right and echoed == [("1", "P1"), ("2", "P2"), ("3", "P2\nP3")] and kept == [("1", "P1"), ("3", "P2\nP3")]
sys.exit(0 if right else "Changed: what becomes of prompts that arrive during a turn")
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
