#!/usr/bin/env bash
# Claude Code 2.1.329 (PyPI: claude-agent-sdk 0.2.186, which carries the program): a session that is resumed from another
# folder (`claude -p --resume ID`) keeps its id and goes on in its old transcript, but the SessionStart hook is told of
# one in the new folder's directory. That file does not exist and is never made: a moment later, in the same process,
# UserPromptSubmit and SessionEnd name the old one. Every hook's `cwd` is the new folder.
#
# Seen: startup in first   SessionStart     -first/ID.jsonl   afterwards: there
#       resume in second   SessionStart     -second/ID.jsonl  afterwards: no such file
#       resume in second   UserPromptSubmit -first/ID.jsonl   afterwards: there
#       resume in second   SessionEnd       -first/ID.jsonl   afterwards: there
# Whoever begins to follow a session where SessionStart says so reads nothing, and who takes the missing file for a new
# session forgets what it had cost: the `total_cost_usd` of the second run counts the first one, too.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
api=
finish() { [ -z "$api" ] || kill "$api" 2>/dev/null || true; rm -rf "$work"; }
trap finish EXIT
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.186
claude=$(echo "$work"/venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude)
mkdir -p "$work/home/.claude" "$work/tmp" "$work/first" "$work/second"

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

# Each of the three hooks writes down what it is told.
python3 - "$work" <<'PYTHON'
import json, sys

hook = [{"hooks": [{"type": "command", "command": f"cat >> '{sys.argv[1]}/told'"}]}]
json.dump({"hooks": {name: hook for name in ("SessionStart", "UserPromptSubmit", "SessionEnd")}},
          open(f"{sys.argv[1]}/home/.claude/settings.json", "w"))
PYTHON

id=7a6f1d52-0c3b-4c58-9b1e-2f4d8c6b9a01
run() { # run FOLDER ARGUMENTS…
    (cd "$work/$1" && shift && timeout 25 env -i PATH="$PATH" HOME="$work/home" TMPDIR="$work/tmp" \
        ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat "$work/port")" ANTHROPIC_API_KEY=not-a-key \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 \
        "$claude" -p --output-format json "$@" </dev/null) >> "$work/results"
    echo >> "$work/results"
}
run first --session-id "$id" "One."
run second --resume "$id" "Two."

python3 - "$work" "$id" <<'PYTHON'
import json, os, sys

work, session = sys.argv[1:]
seen, source = [], ""
for told in map(json.loads, open(f"{work}/told")):
    assert told["session_id"] == session, told
    source = told.get("source", source)
    there = os.path.exists(told["transcript_path"])
    directory = os.path.basename(os.path.dirname(told["transcript_path"])).rpartition("-")[2]
    folder = os.path.basename(told["cwd"])
    seen.append((source, folder, told["hook_event_name"], directory, there))
    print(f"{source + ' in ' + folder:18} {told['hook_event_name']:16} -{directory + '/ID.jsonl':16} "
          f"afterwards: {'there' if there else 'no such file'}")
costs = [json.loads(line)["total_cost_usd"] for line in open(f"{work}/results") if line.strip()]
print(f"total_cost_usd of the two runs: {costs[0]:.2f}, {costs[1]:.2f}")
expected = [("startup", "first", name, "first", True) for name in ("SessionStart", "UserPromptSubmit", "SessionEnd")]
expected += [("resume", "second", "SessionStart", "second", False)]
expected += [("resume", "second", name, "first", True) for name in ("UserPromptSubmit", "SessionEnd")]
sys.exit(0 if seen == expected and costs[1] > 1.9 * costs[0] else "Changed: where a resumed session is said to be")
PYTHON
