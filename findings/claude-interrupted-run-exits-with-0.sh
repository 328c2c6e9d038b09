#!/usr/bin/env bash
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189, which carries the program): `claude -p` that gets SIGINT ends with
# status 0, in each output format and whether the model was answering or a command ran. What it prints differs: while the
# model answers there is nothing (no `result` either), while a command runs the text is "Execution error" and the JSON is
# a result with `is_error`. SIGTERM ends it with 143. So `claude -p … && next` goes on after Ctrl-C, and `set -e` does not stop.
#
# Seen: while the model answers   text: exit 0, ""                 json: exit 0, ""
#       while a command runs      text: exit 0, "Execution error"  json: exit 0, error_during_execution, is_error true
#       SIGTERM instead           text: exit 143, ""
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 70 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.189

cat > "$work/try.py" <<'PYTHON'
import http.server, json, os, pathlib, signal, subprocess, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(program,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")
runs_command, asked_for = False, threading.Event()

def answer(asked):
    wait = {"command": f"touch {work}/begun; sleep 8", "description": "Wait"}
    if runs_command: return [("Bash", json.dumps(wait))], "tool_use", (10, 5)
    asked_for.set()
    time.sleep(6)
    return ["Late."], "end_turn", (10, 5)

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
        try: self.end_headers()
        except OSError: return
        try: self.wfile.write(body)
        except OSError: pass  # the process has ended

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
for needed in ("home", "project"): (work / needed).mkdir()
environment = {
    "PATH": os.environ["PATH"], "HOME": str(work / "home"), "TMPDIR": str(work / "home"), "LANG": "C.UTF-8",
    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}", "ANTHROPIC_API_KEY": "not-a-key-at-all-----",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"}

def run(sent, command, form):
    global runs_command
    runs_command = command
    asked_for.clear()
    (work / "begun").unlink(missing_ok=True)
    ran = subprocess.Popen([program, "-p", "Go on.", "--allowed-tools", "Bash", "--output-format", form], cwd=work / "project",
                           env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if command:
        while not (work / "begun").exists() and ran.poll() is None: time.sleep(0.05)
    else: asked_for.wait(20)
    time.sleep(0.5)
    ran.send_signal(sent)
    out = ran.communicate(timeout=20)[0].strip()
    if out and form == "json": out = [json.loads(out)[key] for key in ("subtype", "is_error")]
    print(f"{sent.name}, {'a command runs' if command else 'the model answers'}, {form}: exit {ran.returncode}, {out!r}")
    return ran.returncode, out

seen = [run(signal.SIGINT, command, form) for command in (False, True) for form in ("text", "json")]
right = seen == [(0, ""), (0, ""), (0, "Execution error"), (0, ["error_during_execution", True])]
right = run(signal.SIGTERM, False, "text") == (143, "") and right
sys.exit(0 if right else "Changed: the status of an interrupted run")
PYTHON
timeout 60 "$work/venv/bin/python" "$work/try.py" "$work"
