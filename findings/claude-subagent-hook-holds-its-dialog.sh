#!/usr/bin/env bash
# Claude Code 2.1.329 (PyPI: claude-agent-sdk 0.2.186, which carries the program) at a terminal: a PermissionRequest hook
# and the dialog of the same question run side by side if the main conversation asks, but if a sub-agent asks (they run
# in the background unless told otherwise), the hook is awaited first. As long as it thinks, the terminal shows nothing
# that a person could answer; ~/.claude/sessions/PID.json goes on saying busy. The payload tells the two apart: the
# sub-agent's has an `agent_id`.
#
# Seen, with a hook that takes 8 s and says nothing, times from the hook's start:
#       main conversation  dialog after 0.1 s, hook ended after 8.0 s
#       sub-agent          dialog after 8.1 s, hook ended after 8.0 s
# A hook that asks somebody far away and waits for the answer shuts out the person at the terminal.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 45 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.186

cat > "$work/try.py" <<'PYTHON'
import http.server, json, os, pathlib, pty, signal, sys, threading, time
work = pathlib.Path(sys.argv[1]).resolve()
(claude,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")

def wanted(conversation):
    """Which tool the model calls: the person's words name it, and a sub-agent is given words of its own."""
    if "tool_result" in conversation: return None, None
    if "Ask someone" in conversation:
        return "Agent", {"description": "Touch", "prompt": "Touch it.", "subagent_type": "general-purpose"}
    return "Bash", {"command": "touch it", "description": "Touch"}

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
hook = {"type": "command", "command": f"cd '{work}' && cat > payload && touch began && sleep 8 && touch ended"}
(home / ".claude/settings.json").write_text(json.dumps({"hooks": {"PermissionRequest": [{"hooks": [hook]}]}}))
environment = {
    "PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(work / "tmp"), "TERM": "xterm-256color",
    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}", "ANTHROPIC_API_KEY": key, "LANG": "C.UTF-8",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"}

def drain(terminal):
    try:
        while os.read(terminal, 65536): pass
    except OSError: pass
def wait(seconds, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end: sys.exit("Changed: nothing came in time")
        time.sleep(0.02)

def times(prompt):
    """When the dialog came and the hook ended, in seconds after its start, and whether it was told of an agent."""
    for mark in ("payload", "began", "ended"): (work / mark).unlink(missing_ok=True)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(work / "project")
        os.execve(claude, [claude, "--permission-mode", "manual"], environment)
    threading.Thread(target=drain, args=(terminal,), daemon=True).start()
    def status():
        try: return json.loads((home / f".claude/sessions/{pid}.json").read_text()).get("status")
        except (OSError, ValueError): return None
    try:
        wait(12, lambda: status() == "idle")
        time.sleep(2)
        os.write(terminal, f"\x1b[200~{prompt}\x1b[201~".encode())
        time.sleep(0.5)
        os.write(terminal, b"\r")
        wait(8, (work / "began").exists)
        began = time.monotonic()
        seen = {}
        def both():
            happened = {"dialog": status() == "waiting", "ended": (work / "ended").exists()}
            for what in filter(happened.get, happened): seen.setdefault(what, time.monotonic() - began)
            return len(seen) == 2
        wait(14, both)
        return seen["dialog"], seen["ended"], "agent_id" in json.loads((work / "payload").read_text())
    finally:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)

main, other = times("Touch it."), times("Ask someone")
for who, (dialog, ended, _) in (("main conversation", main), ("sub-agent", other)):
    print(f"{who:18} dialog after {dialog:.1f} s, hook ended after {ended:.1f} s")
right = main[0] < main[1] - 4 and other[0] >= other[1] - 0.1 and (main[2], other[2]) == (False, True)
sys.exit(0 if right else "Changed: when the dialog comes beside a hook")
PYTHON
timeout 70 python3 "$work/try.py" "$work"
