#!/usr/bin/env bash
# Codex 0.163.0 (PyPI: openai-codex-cli-bin), `codex app-server`: a command's live output ends without a word after 10,000
# notifications. item/commandExecution/outputDelta carries what one read found, so how much text that is depends on the
# command's rhythm: a test runner that prints a short line every millisecond is silent after some 10 s and 30 KB, one that
# prints much at once is not. item/completed then has all of it (up to a megabyte). No notification says that more was left out.
#
# Seen: 12,000 short lines, each flushed   outputDelta 10,000, the last line in them before the 12,000th
#                                          item/completed: every line, to the last
# What follows a long command by its deltas stands still, and cannot be told from a command that hangs.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps openai-codex-cli-bin==0.163.0

cat > "$work/try.py" <<'PYTHON'
import http.server, json, os, pathlib, queue, re, subprocess, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(codex,) = work.glob("venv/lib/python3*/site-packages/codex_cli_bin/bin/codex")
settings = ""

def answer(model, asked):
    outputs = [item["output"] for item in asked["input"] if item["type"] == "function_call_output"]
    running = outputs and re.search("session ID ([0-9]+)", outputs[-1])
    if outputs and not running: return model.reply(b"".join(stream(text("done", "Done."))))
    name, arguments = "exec_command", {"cmd": f"'{sys.executable}' -u '{work}/lines.py'", "yield_time_ms": 30_000}
    if running: name, arguments = "write_stdin", {"session_id": int(running[1]), "chars": "", "yield_time_ms": 30_000}
    model.reply(b"".join(stream({"type": "function_call", "id": f"fc_{len(outputs)}", "call_id": f"call_{len(outputs)}",
                                 "name": name, "arguments": json.dumps(arguments), "status": "completed"})))

(work / "lines.py").write_text("""
import sys, time
for number in range(12_000):
    print(f"{number:05}", flush=True)
    time.sleep(0.0008)
""")

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

for needed in ("home/.codex", "tmp", "project"): (work / needed).mkdir(parents=True)
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
call("turn/start", threadId=thread, input=[{"type": "text", "text": "Run it."}])
await_(lambda message: message.get("method") == "turn/completed", 60)
deltas = [message["params"]["delta"] for message in heard if message.get("method") == "item/commandExecution/outputDelta"]
(whole,) = (message["params"]["item"]["aggregatedOutput"] for message in heard
            if message.get("method") == "item/completed" and message["params"]["item"]["type"] == "commandExecution")
live, lines = "".join(deltas), whole.split()
print(f"outputDelta {len(deltas)}, up to line {live.split()[-1]}; item/completed has {len(lines)} lines, the last {lines[-1]}")
agent.stdin.close()
agent.wait(10)
right = len(deltas) == 10_000 and len(live) < len(whole) and lines == [f"{number:05}" for number in range(12_000)]
sys.exit(0 if right else "Changed: how many notifications a command's output has")
PYTHON
timeout 70 "$work/venv/bin/python" "$work/try.py" "$work"
