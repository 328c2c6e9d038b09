#!/usr/bin/env bash
# Claude Code 2.1.329 (PyPI: claude-agent-sdk 0.2.186, which carries the program) keeps the conversations of a folder in
# ~/.claude/projects/NAME. NAME is made of the path's UTF-16 units: a unit other than an ASCII letter or digit becomes
# one dash. So the transcripts of different projects lie side by side in one directory, a character beyond the first
# plane leaves two dashes, and one letter with an accent leaves a dash or the letter and a dash, by how it was typed.
# A NAME of more than 200 units is cut there and gets `-` and a hash of the whole path: the 31-fold string hash that
# Java has, its absolute value in base 36.
#
# Seen: team.api  …-team-api         team_api  …-team-api (the same directory)
#       U+20BB7   …-c--              U+00E9    …-c-            e, U+0301  …-ce-
#       240 × x   …xxx-HASH, as computed here
# A path cannot be found again from NAME; only the `cwd` in a transcript's lines tells whose it is.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
api=
finish() { [ -z "$api" ] || kill "$api" 2>/dev/null || true; rm -rf "$work"; }
trap finish EXIT
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.186
claude=$(echo "$work"/venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude)

# A model on loopback: it answers each request with one word and bills the same tokens for it, whatever its name.
cat > "$work/api.py" <<'PYTHON'
import http.server, json, sys

class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_HEAD(self): self.answer("text/plain", b"")
    def do_GET(self): self.answer("application/json", b'{"data": [], "has_more": false}')
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "count_tokens" in self.path:
            return self.answer("application/json", b'{"input_tokens": 10}')
        lines = [
            {"type": "message_start", "message": {
                "id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "content": [],
                "stop_reason": None, "stop_sequence": None,
                "usage": {"input_tokens": 100_000, "output_tokens": 1,
                          "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
             "usage": {"output_tokens": 50_000}},
            {"type": "message_stop"}]
        self.answer("text/event-stream",
                    "".join(f"event: {line['type']}\ndata: {json.dumps(line)}\n\n" for line in lines).encode())

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, file=open(sys.argv[1], "w"), flush=True)
server.serve_forever()
PYTHON
python3 "$work/api.py" "$work/port" & api=$!
for _ in {1..100}; do [ -s "$work/port" ] && break; sleep 0.1; done

cat > "$work/try.py" <<'PYTHON'
import json, os, pathlib, subprocess, sys

work, claude = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
projects = work / "home/.claude/projects"
environment = {
    "PATH": os.environ["PATH"], "HOME": str(work / "home"), "TMPDIR": str(work / "tmp"), "LANG": "C.UTF-8",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:" + (work / "port").read_text().strip(), "ANTHROPIC_API_KEY": "not-a-key",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"}
for needed in ("home", "tmp"): (work / needed).mkdir()

def expected(path):
    encoded = path.encode("utf-16-le")
    units = [int.from_bytes(encoded[at:at + 2], "little") for at in range(0, len(encoded), 2)]
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= 200: return name
    number = 0
    for unit in units: number = (31 * number + unit) % 2**32
    number, digits = min(number, 2**32 - number), ""
    while number: number, digit = divmod(number, 36); digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return name[:200] + "-" + digits

right, owner = True, {}
for name in ("team.api", "team_api", "c\U00020bb7", "c\u00e9", "ce\u0301", "x" * 240):
    folder = work / name
    folder.mkdir()
    before = set(projects.glob("*/*.jsonl"))
    subprocess.run([claude, "-p", "Say a word."], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, timeout=12, check=True)
    (transcript,) = set(projects.glob("*/*.jsonl")) - before
    got = transcript.parent.name
    cwds = {line["cwd"] for line in map(json.loads, transcript.open()) if "cwd" in line}
    right = right and got == expected(str(folder)) and cwds == {str(folder)}
    shared = f" shared with {owner[got]}" if got in owner else ""
    owner.setdefault(got, name)
    print(f"{ascii(name)[:20]:20} …{got[-16:]}{shared}{'' if got == expected(str(folder)) else ' (not as computed)'}")
sys.exit(0 if right and len(owner) == 5 else "Changed: how the directories of projects are named")
PYTHON
timeout 55 python3 "$work/try.py" "$work" "$claude"
