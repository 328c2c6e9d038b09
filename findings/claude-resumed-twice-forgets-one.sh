#!/usr/bin/env bash
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189, which carries the program): two runs may resume one conversation at
# the same time (`claude -p --resume ID`, or a terminal and a script). No lock keeps the second out; both answer, both are
# a success with the same session id, and both append to the one transcript. But each line there names the one before it,
# so the two are branches, and whoever resumes next follows one of them. The other prompt, its answer and what was
# decided in it are in the file and in no later request.
#
# Seen: a first run, then "Remember blue." and "Remember green." at once, then a fourth run
#       the two at once   both exit 0, success, the session's own id
#       the transcript    first, blue and green
#       the fourth run    sends the model the first and one of the two (which one differs)
# Work that was sent from a phone and work that goes on at the terminal cost each other nothing that anyone sees.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 70 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.189

cat > "$work/try.py" <<'PYTHON'
import concurrent.futures, http.server, json, os, pathlib, subprocess, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(program,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")
asked_for = []
together = threading.Barrier(2)

def answer(asked):
    asked_for.append(json.dumps(asked["messages"]))
    if "Remember" in asked_for[-1] and "Go on" not in asked_for[-1]: together.wait(20)  # both have read the transcript
    return ["Very well."], "end_turn", (10, 5)

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

def run(prompt, *more):
    ran = claude(prompt, "--output-format", "json", *more)
    told = json.loads(ran.stdout)
    return ran.returncode, told["subtype"], told["session_id"]

_, _, session = run("This is the first.")
with concurrent.futures.ThreadPoolExecutor() as pool:
    both = list(pool.map(lambda colour: run(f"Remember {colour}.", "--resume", session), ("blue", "green")))
asked_for.clear()
run("Go on.", "--resume", session)
(transcript,) = (work / "home/.claude/projects").glob(f"*/{session}.jsonl")
words = ("the first", "Remember blue", "Remember green")
kept = [word for word in words if word in transcript.read_text()]
sent = [word for word in words if word in asked_for[-1]]
print("both", both, "transcript", kept, "the next run sends", sent, sep="\n    ")
right = both == [(0, "success", session)] * 2 and len(kept) == 3 and sent[:1] == ["the first"] and len(sent) == 2
sys.exit(0 if right else "Changed: what becomes of two runs that resume one conversation")
PYTHON
timeout 50 "$work/venv/bin/python" "$work/try.py" "$work"
