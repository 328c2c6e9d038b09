#!/usr/bin/env bash
# Claude Code 2.1.329 (PyPI: claude-agent-sdk 0.2.186, which carries the program) reports a cost in dollars for a model
# that it does not know, such as a local one behind a gateway. The price is that of its own Opus: the same tokens are
# charged as if claude-opus-5-5 had answered, four times those of claude-haiku-4-5. `total_cost_usd` does not tell; the
# one mark in the result is `costBasis: "unknown"` in `modelUsage`; it is a success like any other.
#
# Seen: model llama3.3:70b     100000 in, 50000 out: 1.40 USD, basis unknown
#       model claude-opus-5-5  100000 in, 50000 out: 1.40 USD, basis list
#       model claude-haiku-4-5 100000 in, 50000 out: 0.35 USD, basis list
# So a sum of `total_cost_usd` shows money that nobody charges, and a budget over it is spent by a model that is free.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
api=
finish() { [ -z "$api" ] || kill "$api" 2>/dev/null || true; rm -rf "$work"; }
trap finish EXIT
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.186
claude=$(echo "$work"/venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude)
mkdir "$work/home" "$work/tmp" "$work/project"

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

for model in llama3.3:70b claude-opus-5-5 claude-haiku-4-5; do
    (cd "$work/project" && timeout 15 env -i PATH="$PATH" HOME="$work/home" TMPDIR="$work/tmp" \
        ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat "$work/port")" ANTHROPIC_API_KEY=not-a-key \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 \
        "$claude" -p --model "$model" --output-format json "Say a word." </dev/null 2>/dev/null) >> "$work/results"
    echo >> "$work/results"
done

python3 - "$work/results" <<'PYTHON'
import json, sys

seen = {}
for line in filter(str.strip, open(sys.argv[1])):
    result = json.loads(line)
    assert not result["is_error"], result
    (model, use), = result["modelUsage"].items()
    seen[model] = round(result["total_cost_usd"], 4), use["costBasis"]
    print(f"model {model:16} {use['inputTokens']} in, {use['outputTokens']} out: "
          f"{result['total_cost_usd']:.2f} USD, basis {use['costBasis']}")
unknown, opus, haiku = (seen[name] for name in ("llama3.3:70b", "claude-opus-5-5", "claude-haiku-4-5"))
sys.exit(0 if unknown == (opus[0], "unknown") and opus[0] == 4 * haiku[0] > 0 else "Changed: the price of an unknown model")
PYTHON
