#!/usr/bin/env bash
# Codex 0.163.0 (PyPI: openai-codex-cli-bin): the `total` of thread/tokenUsage/updated is no count of what was used.
# After thread/revert it falls back to what the kept turns had cost, without a notification at the revert itself: the
# next one has a smaller total. And a fork begins with its parent's total: the first notification of its own first turn
# repeats the parent's last one, to the digit, before that turn's own.
#
# Seen (total, last), six requests that cost 100, 400, 1000, 50, 70 and 90 tokens:
#   three turns            original 100 100, original 500 400, original 1500 1000
#   revert of the third    nothing
#   a turn afterwards      original 550 50
#   fork                   nothing
#   a turn of the fork     fork 550 50, fork 620 70
#   a turn of the original original 640 90
# 1,710 tokens were used. The latest totals add up to 1,260, the highest of each thread to 2,120, all `last` to 1,760.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps openai-codex-cli-bin==0.163.0
codex=$(echo "$work"/venv/lib/python3*/site-packages/codex_cli_bin/bin/codex)
cat > "$work/try.py" <<'PYTHON'
import http.server, json, os, pathlib, queue, subprocess, sys, threading

work, codex = pathlib.Path(sys.argv[1]), sys.argv[2]
bills = iter((100, 400, 1000, 50, 70, 90))

class Model(http.server.BaseHTTPRequestHandler):
    """Answers with one word; each request costs what `bills` says."""
    def log_message(self, *_): pass
    def do_GET(self): self.answer(b'{"object": "list", "data": []}', "application/json")
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        tokens = next(bills)
        item = {"type": "message", "id": f"msg_{tokens}", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Done.", "annotations": []}]}
        response = {"id": f"resp_{tokens}", "object": "response", "status": "completed", "output": [item],
                    "usage": {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 0,
                              "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens}}
        lines = ({"type": "response.created", "response": response | {"status": "in_progress", "output": []}},
                 {"type": "response.output_item.done", "output_index": 0, "item": item},
                 {"type": "response.completed", "response": response})
        self.answer("".join(f"event: {line['type']}\ndata: {json.dumps(line)}\n\n" for line in lines).encode(),
                    "text/event-stream")
    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
for needed in ("home/.codex", "tmp", "project"): (work / needed).mkdir(parents=True)
(work / "home/.codex/config.toml").write_text(f"""
model = "gpt-5.1"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{server.server_port}/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
[analytics]
enabled = false
""")
environment = {"PATH": os.environ["PATH"], "HOME": str(work / "home"), "TMPDIR": str(work / "tmp")}
agent = subprocess.Popen([codex, "app-server"], cwd=work / "project", env=environment, text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
said: queue.Queue = queue.Queue()
threading.Thread(target=lambda: [said.put(json.loads(line)) for line in agent.stdout], daemon=True).start()
usages, name, right = [], {}, True

def await_(wanted):
    while True:
        message = said.get(timeout=20)
        if message.get("method") == "thread/tokenUsage/updated":
            usages.append((message["params"]["threadId"], message["params"]["tokenUsage"]))
        if wanted(message): return message

def call(method, **params):
    agent.stdin.write(json.dumps({"id": method, "method": method, "params": params}) + "\n")
    agent.stdin.flush()
    answer = await_(lambda message: message.get("id") == method)
    assert "result" in answer, answer
    return answer["result"]
def turn(thread):
    begun = call("turn/start", threadId=thread, input=[{"type": "text", "text": "Say a word."}])["turn"]["id"]
    await_(lambda message: message.get("method") == "turn/completed" and message["params"]["threadId"] == thread)
    return begun

def show(what, *expected):
    global right
    seen = [(name[thread], usage["total"]["totalTokens"], usage["last"]["totalTokens"]) for thread, usage in usages]
    print(f"{what:22} {', '.join(' '.join(map(str, one)) for one in seen) or 'nothing'}")
    right = right and seen == list(expected)
    usages.clear()

call("initialize", clientInfo={"name": "finding", "version": "1"}, capabilities={"experimentalApi": True})
agent.stdin.write('{"method": "initialized"}\n')
thread = call("thread/start", cwd=str(work / "project"))["thread"]["id"]
name[thread] = "original"
turns = [turn(thread) for _ in range(3)]
show("three turns", ("original", 100, 100), ("original", 500, 400), ("original", 1500, 1000))
call("thread/revert", threadId=thread, beforeTurnId=turns[2])
show("revert of the third")
turn(thread)
show("a turn afterwards", ("original", 550, 50))
fork = call("thread/fork", threadId=thread)["thread"]["id"]
name[fork] = "fork"
show("fork")
turn(fork)
show("a turn of the fork", ("fork", 550, 50), ("fork", 620, 70))
turn(thread)
show("a turn of the original", ("original", 640, 90))
agent.stdin.close()
agent.wait(10)
sys.exit(0 if right else "Changed: what Codex reports as the total of a thread")
PYTHON
timeout 55 python3 "$work/try.py" "$work" "$codex"
