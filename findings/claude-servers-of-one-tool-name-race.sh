#!/usr/bin/env bash
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189, which carries the program): MCP servers whose names differ only in
# characters other than ASCII letters, digits, `_` and `-` end up with the same tool names, because each such character
# becomes `_`. If two have a tool of one name, the model gets one of them: that of the server which was ready first, whatever
# the order in the settings, so it may be another at each start. All are listed as `connected`, and neither standard
# error nor the stream says that a tool is missing.
#
# Seen: servers notes.work and "notes work", each with the tool `add` and one of its own
#       statuses  connected, connected             standard error: nothing
#       tools     mcp__notes_work__ add (once), blank, dot
#       "notes work" ready 2 s later than the other   `add` is answered by notes.work
#       notes.work ready 2 s later than the other     `add` is answered by "notes work"
# Two accounts of the same service, told apart by a dot or a blank, are one to the model, and not always the same one.
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

def answer(asked):
    if "tool_result" in json.dumps(asked["messages"]): return ["Done."], "end_turn", (10, 5)
    return [("mcp__notes_work__add", "{}")], "tool_use", (10, 5)

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

(work / "tools.py").write_text("""
import json, sys, time
for message in map(json.loads, sys.stdin):
    method = message.get("method")
    if method == "initialize":
        time.sleep(float(sys.argv[2]))
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "notes", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("add", sys.argv[1])]}
    elif method == "tools/call": result = {"content": [{"type": "text", "text": "answered by " + sys.argv[1]}]}
    else: continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
""")

def run(dot, blank):
    servers = {name: {"command": sys.executable, "args": [str(work / "tools.py"), own, str(seconds)]}
               for name, own, seconds in (("notes.work", "dot", dot), ("notes work", "blank", blank))}
    ran = claude("Go on.", "--mcp-config", json.dumps({"mcpServers": servers}), "--strict-mcp-config", "--allowed-tools",
                 "mcp__notes_work", "--output-format", "stream-json", "--verbose")
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    statuses = [server["status"] for server in said[0]["mcp_servers"]]
    tools = sorted(name.removeprefix("mcp__notes_work__") for name in said[0]["tools"] if name.startswith("mcp__"))
    (outcome,) = (block["content"] for message in said if message["type"] == "user" for block in message["message"]["content"])
    print(statuses, tools, outcome[0]["text"], repr(ran.stderr), sep=", ")
    assert statuses == ["connected"] * 2 and tools == ["add", "blank", "dot"] and not ran.stderr
    return outcome[0]["text"]

right = run(0, 2) == "answered by dot" and run(2, 0) == "answered by blank"
sys.exit(0 if right else "Changed: which of two servers of one name answers")
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
