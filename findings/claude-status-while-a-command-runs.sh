#!/usr/bin/env bash
# Claude Code 2.1.329 (PyPI: claude-agent-sdk 0.2.186, which carries the program) writes a status of each live session
# into ~/.claude/sessions/PID.json. Besides idle, busy and waiting there is a fourth, `shell`: no turn runs, but a command
# that was sent to the background does. It stands there for as long as that command lives, a development server for
# hours, although the terminal's prompt is free: a prompt that is typed then is taken at once.
#
# Seen: idle → (prompt) busy → shell → (another prompt) busy → shell; the model was asked for the second prompt within
#       half a second, and the hook of UserPromptSubmit ran while the command went on.
# Who waits for `idle` before typing never types; who takes `shell` for busy shows a turn where nobody works.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.186

cat > "$work/try.py" <<'PYTHON'
import http.server, json, os, pathlib, pty, signal, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(claude,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")
asked_second = threading.Event()

def wanted(conversation):
    """Which tool the model calls: the first prompt makes it start a command in the background."""
    if "Second prompt" in conversation: asked_second.set()
    if "tool_result" in conversation: return None, None
    return "Bash", {"command": "sleep 20", "run_in_background": True, "description": "Wait"}

class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_HEAD(self): self.answer("text/plain", b"")
    def do_GET(self): self.answer("application/json", b'{"data": [], "has_more": false}')
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "count_tokens" in self.path: return self.answer("application/json", b'{"input_tokens": 10}')
        tool, given = wanted(json.dumps(asked["messages"])) if asked.get("tools") else (None, None)
        block = {"type": "tool_use", "id": f"toolu_{tool}", "name": tool, "input": {}} if tool else {"type": "text", "text": ""}
        delta = ({"type": "input_json_delta", "partial_json": json.dumps(given)} if tool
                 else {"type": "text_delta", "text": "Done."})
        lines = ({"type": "message_start", "message": {
                     "id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "content": [],
                     "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1}}},
                 {"type": "content_block_start", "index": 0, "content_block": block},
                 {"type": "content_block_delta", "index": 0, "delta": delta},
                 {"type": "content_block_stop", "index": 0},
                 {"type": "message_delta", "usage": {"output_tokens": 5},
                  "delta": {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None}},
                 {"type": "message_stop"})
        self.answer("text/event-stream",
                    "".join(f"event: {line['type']}\ndata: {json.dumps(line)}\n\n" for line in lines).encode())
    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
home, key = work / "home", "not-a-key-at-all-----"
for needed in (home / ".claude", work / "tmp", work / "project"): needed.mkdir(parents=True)
(home / ".claude.json").write_text(json.dumps({
    "hasCompletedOnboarding": True, "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
    "projects": {str(work / "project"): {"hasTrustDialogAccepted": True}}}))
hook = {"type": "command", "command": f"echo taken >> '{work}/taken'"}
(home / ".claude/settings.json").write_text(json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}))
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(work / "project")
    os.execve(claude, [claude, "--permission-mode", "manual", "--allowed-tools", "Bash(sleep:*)"], {
        "PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(work / "tmp"), "TERM": "xterm-256color",
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}", "ANTHROPIC_API_KEY": key, "LANG": "C.UTF-8",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"})

def drain():
    try:
        while os.read(terminal, 65536): pass
    except OSError: pass

threading.Thread(target=drain, daemon=True).start()
statuses = []

def watch(seconds, until=lambda: False):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not until():
        for entry in home.glob(".claude/sessions/*.json"):
            try: status = json.loads(entry.read_text()).get("status")
            except ValueError: continue  # the file is being written
            if status and status != (statuses or [None])[-1]: statuses.append(status)
        time.sleep(0.02)

def prompt(text):
    os.write(terminal, f"\x1b[200~{text}\x1b[201~".encode())
    time.sleep(0.5)
    os.write(terminal, b"\r")

watch(15, lambda: "idle" in statuses)
watch(2)
prompt("First prompt")
watch(15, lambda: "shell" in statuses)
watch(3)  # time in which the status stays
held = list(statuses)
prompt("Second prompt")
began = time.monotonic()
watch(10, asked_second.is_set)
took = time.monotonic() - began
watch(2)
os.kill(pid, signal.SIGTERM)
os.waitpid(pid, 0)
print("statuses:", *statuses)
print(f"the model was asked for the second prompt after {took:.1f} s; "
      f"prompts taken: {len((work / 'taken').read_text().split())}")
right = held == ["idle", "busy", "shell"] and asked_second.is_set() and statuses[-1] == "shell" and "idle" not in statuses[1:]
sys.exit(0 if right else "Changed: the status while a command runs in the background")
PYTHON
timeout 55 python3 "$work/try.py" "$work"
