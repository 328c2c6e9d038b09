#!/usr/bin/env bash
# A tool of the Model Context Protocol may answer with `content` and `structuredContent` at once, and should, says the
# protocol, give the same in both. Where they differ (a sentence for the reader beside data for the machine) both
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189) and Codex 0.163.0 (openai-codex-cli-bin) show their model the
# structure alone and drop the text. If the call failed (`isError`) they part: Claude Code shows the text alone, Codex the
# structure alone. So there is no place for an error's reason that both models read, except both places.
#
# Seen, `content` "the text", `structuredContent` {"the": "structure"}:
#       the call works   Claude Code {"the":"structure"}     Codex {"the":"structure"}
#       the call fails   Claude Code the text (and more)     Codex {"the":"structure"}
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 85 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps \
    claude-agent-sdk==0.2.189 openai-codex-cli-bin==0.163.0

# A server of MCP by hand, with tools that answer in both forms.
cat > "$work/tools.py" <<'PYTHON'
import json, sys

def answer(failed):
    return {"content": [{"type": "text", "text": "the text"}], "structuredContent": {"the": "structure"}, "isError": failed}

for message in map(json.loads, sys.stdin):
    method = message.get("method")
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "tools", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("works", "fails")]}
    elif method == "tools/call": result = answer(message["params"]["name"] == "fails")
    else: continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
PYTHON

# One module for each agent; each prints what its model was given for each call.
cat > "$work/with_claude.py" <<'PYTHON'
import http.server, json, os, pathlib, subprocess, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(program,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")
calls = [("works", "{}"), ("fails", "{}")]

def answer(asked):
    results = [block for message in asked["messages"] if isinstance(message["content"], list) for block in message["content"]
               if block["type"] == "tool_result"]
    if not results: return [("mcp__t__" + name, given) for name, given in calls], "tool_use", (10, 5)
    for (name, _), result in zip(calls, results):
        content = result["content"]
        shown = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        print(json.dumps([name, shown]), flush=True)
    return ["Done."], "end_turn", (10, 5)

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

servers = {"mcpServers": {"t": {"command": sys.executable, "args": [str(work / "tools.py")]}}}
subprocess.run([program, "-p", "Go on.", "--mcp-config", json.dumps(servers), "--strict-mcp-config", "--allowed-tools", "mcp__t"],
               cwd=work / "project", env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=30, check=True)
PYTHON
cat > "$work/with_codex.py" <<'PYTHON'
import http.server, json, os, pathlib, queue, subprocess, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(codex,) = work.glob("venv/lib/python3*/site-packages/codex_cli_bin/bin/codex")
calls = [("works", "{}"), ("fails", "{}")]
settings = f"""
[mcp_servers.t]
command = {json.dumps(sys.executable)}
args = {json.dumps([str(work / "tools.py")])}
"""

def answer(model, asked):
    results = [item["output"] for item in asked["input"] if item["type"] == "function_call_output"]
    for (name, _), result in zip(calls, results):
        shown = result if isinstance(result, str) else "".join(part.get("text", "") for part in result)
        print(json.dumps([name, shown.split("Output:")[-1].strip()]), flush=True)
    if results: return model.reply(b"".join(stream(text("done", "Done."))))
    model.reply(b"".join(stream(*({
        "type": "function_call", "id": f"fc_{name}", "call_id": name, "namespace": "mcp__t", "name": name, "arguments": given,
        "status": "completed"} for name, given in calls))))

class Model(http.server.BaseHTTPRequestHandler):
    """Streams the items that `answer` says."""
    def log_message(self, *_): pass
    def do_GET(self): self.reply(b'{"object": "list", "data": []}', "application/json")
    def do_POST(self): answer(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
    def reply(self, body, kind="text/event-stream"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

def text(id, words):
    return {"type": "message", "id": id, "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": words, "annotations": []}]}

def stream(*items, tokens=10):
    response = {"id": f"resp_{time.time_ns()}", "object": "response", "status": "completed", "output": items,
                "usage": {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 0,
                          "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens}}
    lines = [{"type": "response.created", "response": response | {"status": "in_progress", "output": []}}]
    for index, item in enumerate(items):
        if item["type"] == "message":
            lines += [{"type": "response.output_item.added", "output_index": index, "item": item | {"content": []}},
                      {"type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                       "content_index": 0, "delta": item["content"][0]["text"]}]
        lines.append({"type": "response.output_item.done", "output_index": index, "item": item})
    lines.append({"type": "response.completed", "response": response})
    return [f"event: {line['type']}\ndata: {json.dumps(line)}\n\n".encode() for line in lines]

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()

for needed in ("home/.codex", "tmp"): (work / needed).mkdir(parents=True)
(work / "home/.codex/config.toml").write_text(f"""
model = "gpt-5.1"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{server.server_port}/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
[analytics]
enabled = false
{settings}""")
environment = {"PATH": os.environ["PATH"], "HOME": str(work / "home"), "TMPDIR": str(work / "tmp")}
agent = subprocess.Popen([codex, "app-server"], cwd=work / "project", env=environment, text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
said: queue.Queue = queue.Queue()
threading.Thread(target=lambda: [said.put(json.loads(line)) for line in agent.stdout], daemon=True).start()
heard = []

def await_(wanted, seconds=20):
    while True:
        heard.append(said.get(timeout=seconds))
        if wanted(heard[-1]): return heard[-1]

def call(method, **params):
    agent.stdin.write(json.dumps({"id": method, "method": method, "params": params}) + "\n")
    agent.stdin.flush()
    reply = await_(lambda message: message.get("id") == method)
    assert "result" in reply, reply
    return reply["result"]

def start():
    call("initialize", clientInfo={"name": "finding", "version": "1"}, capabilities={"experimentalApi": True})
    agent.stdin.write('{"method": "initialized"}\n')
    return call("thread/start", cwd=str(work / "project"))["thread"]["id"]

thread = start()
call("turn/start", threadId=thread, input=[{"type": "text", "text": "Go on."}])
await_(lambda message: message.get("method") == "turn/completed")
agent.stdin.close()
agent.wait(10)
PYTHON
timeout 40 "$work/venv/bin/python" "$work/with_claude.py" "$work" > "$work/claude.seen"
timeout 40 "$work/venv/bin/python" "$work/with_codex.py" "$work" > "$work/codex.seen"
paste -d '\n' "$work/claude.seen" "$work/codex.seen"
python3 - "$work" <<'PYTHON'
import json, pathlib, sys

claude, codex = ({name: shown for name, shown in map(json.loads, (pathlib.Path(sys.argv[1]) / file).read_text().splitlines())}
                 for file in ("claude.seen", "codex.seen"))
structure = '{"the":"structure"}'
right = claude["works"] == codex["works"] == codex["fails"] == structure
right = right and claude["fails"].startswith("the text") and "structure" not in claude["fails"]
sys.exit(0 if right else "Changed: which half of a tool's result a model reads")
PYTHON
