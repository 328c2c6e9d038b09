#!/usr/bin/env bash
# Claude Code 2.1.329 (PyPI: claude-agent-sdk 0.2.186, which carries the program): `usage` stands on every assistant line
# of `--output-format stream-json` and of the transcript, but neither adds up to what was used, and they err in
# different ways. A message with several blocks becomes several lines with the same id, each with the whole usage. In
# the stream `output_tokens` is besides the number with which the answer began, never the final one, though the line
# of the transcript about the same block has that.
#
# Seen, one request whose answer has three blocks, 1000 tokens in and 200 out, of which the first chunk says 1:
#       stream      3 lines, 1 message   summed 3000 in, 3 out     each message once 1000 in, 1 out
#       transcript  3 lines, 1 message   summed 3000 in, 600 out   each message once 1000 in, 200 out
#       result                                                                       1000 in, 200 out
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.186

cat > "$work/try.py" <<'PYTHON'
import http.server, json, os, pathlib, subprocess, sys, threading

work = pathlib.Path(sys.argv[1]).resolve()
(claude,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")

class Model(http.server.BaseHTTPRequestHandler):
    """Answers in three blocks, and says what it costs as the API does: first what it begins with, then the whole."""
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_HEAD(self): self.answer("text/plain", b"")
    def do_GET(self): self.answer("application/json", b'{"data": [], "has_more": false}')
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "count_tokens" in self.path: return self.answer("application/json", b'{"input_tokens": 10}')
        lines = [{"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1000, "output_tokens": 1}}}]
        for index in range(3):
            lines += [
                {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": f"Part {index}."}},
                {"type": "content_block_stop", "index": index}]
        lines += [{"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                   "usage": {"output_tokens": 200}}, {"type": "message_stop"}]
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
for needed in ("home", "tmp", "project"): (work / needed).mkdir()
ended = subprocess.run(
    [claude, "-p", "--output-format", "stream-json", "--verbose", "Speak."], cwd=work / "project", timeout=30,
    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True, env={
        "PATH": os.environ["PATH"], "HOME": str(work / "home"), "TMPDIR": str(work / "tmp"),
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}", "ANTHROPIC_API_KEY": "not-a-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"})
(transcript,) = (work / "home").glob(".claude/projects/*/*.jsonl")
stream = [json.loads(line) for line in ended.stdout.splitlines()]
seen = []

def tokens(usages):
    return sum(one["input_tokens"] for one in usages), sum(one["output_tokens"] for one in usages)

for name, lines in ("stream", stream), ("transcript", map(json.loads, transcript.open())):
    messages = [line["message"] for line in lines if line.get("type") == "assistant"]
    every, once = [one["usage"] for one in messages], {one["id"]: one["usage"] for one in messages}
    seen.append((len(every), len(once), tokens(every), tokens(once.values())))
    print("{:10}  {} lines, {} message   summed {} in, {} out   each message once {} in, {} out".format(
        name, len(every), len(once), *tokens(every), *tokens(once.values())))
result = tokens([stream[-1]["usage"]])
print(f"{'result':10}  {result[0]} in, {result[1]} out")
right = seen == [(3, 1, (3000, 3), (1000, 1)), (3, 1, (3000, 600), (1000, 200))] and result == (1000, 200)
sys.exit(0 if right else "Changed: which usage the lines of a message carry")
PYTHON
timeout 50 python3 "$work/try.py" "$work"
