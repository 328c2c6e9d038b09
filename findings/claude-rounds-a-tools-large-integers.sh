#!/usr/bin/env bash
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189, which carries the program) passes the arguments of an MCP tool
# through JavaScript's numbers: an integer above 2^53 that the model wrote reaches the tool as another one, and one in the
# tool's `structuredContent` reaches the model as another. Hooks are shown the changed value, as if the model had written
# it, and 1.0 becomes 1. Neither side gets an error. In the `content` of a result, which is text, the number survives.
#
# Seen: the model calls with             {"id": 9007199254740993, "rate": 1.0}
#       PreToolUse hook and tool read    {"id": 9007199254740992, "rate": 1}
#       the tool returns                 {"id": 9007199254740995} as a structure, and as a text for another call
#       the model is shown               {"id":9007199254740996}, and the text as it was
# Ids of 64 bits, as chat services and databases have, change by up to some hundreds, and the tool deletes or answers
# something else. A schema has to make them strings.
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
results = []

def answer(asked):
    results[:] = [block["content"] for message in asked["messages"] if isinstance(message["content"], list)
                  for block in message["content"] if block["type"] == "tool_result"]
    if results: return ["Done."], "end_turn", (10, 5)
    given = '{"id": 9007199254740993, "rate": 1.0}'
    return [("mcp__t__structure", given), ("mcp__t__text", given)], "tool_use", (10, 5)

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

(work / "tools.py").write_text(r"""
import json, sys
reply = '{"id": 9007199254740995}'
for message in map(json.loads, sys.stdin):
    method, given = message.get("method"), message.get("params") or {}
    if method == "initialize":
        result = {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "tools", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("structure", "text")]}
    elif method == "tools/call":
        with open(sys.argv[1], "a") as log: print(json.dumps(given["arguments"]), file=log)
        result = {"content": [{"type": "text", "text": reply}]}
        if given["name"] == "structure": result["structuredContent"] = json.loads(reply)
    else: continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
""")
servers = {"mcpServers": {"t": {"command": sys.executable, "args": [str(work / "tools.py"), str(work / "read")]}}}
hook = {"type": "command", "command": f"cat >> '{work}/hook'; echo >> '{work}/hook'"}
claude("Go on.", "--mcp-config", json.dumps(servers), "--strict-mcp-config", "--allowed-tools", "mcp__t",
       "--settings", json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}))
hooked = [json.dumps(json.loads(line)["tool_input"]) for line in (work / "hook").read_text().splitlines() if line]
read = (work / "read").read_text().splitlines()
shown = [result if isinstance(result, str) else result[0]["text"] for result in results]
print("hook", hooked, "tool", read, "model", shown, sep="\n    ")
rounded = '{"id": 9007199254740992, "rate": 1}'
right = hooked == read == [rounded] * 2 and shown == ['{"id":9007199254740996}', '{"id": 9007199254740995}']
sys.exit(0 if right else "Changed: which integers an MCP tool and the model are given")
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
