#!/usr/bin/env bash
# Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189, which carries the program) with `--worktree NAME` works in
# .claude/worktrees/NAME, inside the repository, and leaves it there, locked, when a run (-p) has ended. Nothing tells Git
# to ignore it: neither .gitignore nor .git/info/exclude. So `git add -A` in the main checkout, by a person or an agent,
# takes the worktree for a repository within the repository and commits it as a submodule of which no address is known
# (Git 2.39 warns, and exits 0). For everybody else it is an empty folder, and `git submodule` ends with an error.
#
# Seen: after the run    git status: ?? .claude/                  git worktree list: locked
#       git add -A       160000 .claude/worktrees/feature         exit 0
#       in a clone       an empty folder; git submodule update --init: exit 128, No url found
# Two agents side by side, one of them in a worktree: the other's next commit breaks the checkout of a build machine that
# updates submodules. A line `/.claude/worktrees/` in .git/info/exclude prevents it.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 175 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 120 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps claude-agent-sdk==0.2.189

cat > "$work/try.py" <<'PYTHON'
import http.server, json, os, pathlib, subprocess, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(program,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")

def answer(asked):
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
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}

def claude(*arguments, given=""):
    return subprocess.run([program, "-p", *arguments], cwd=work / "project", env=environment, input=given,
                          capture_output=True, text=True, timeout=60)

def git(*arguments, where="project"):
    ran = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments], cwd=work / where,
                         env=environment | {"LC_ALL": "C"}, capture_output=True, text=True, timeout=20)
    print("git", *arguments, "→", ran.returncode, ran.stdout.strip().replace(str(work), ""), ran.stderr.strip()[-70:])
    return ran

git("init", "-q", "-b", "main")
(work / "project/file").write_text("1")
git("add", "file")
git("commit", "-q", "-m", "First")
assert claude("Go on.", "--worktree", "feature").stdout.strip() == "Done."
left = git("status", "--porcelain").stdout, "locked" in git("worktree", "list").stdout
added = git("add", "-A").returncode, [line.split("\t")[1] for line in git("ls-files", "-s").stdout.splitlines()
                                      if line.startswith("160000 ")]
git("commit", "-q", "-m", "Second")
plain = git("clone", "-q", "project", "plain", where=".").returncode
empty = list((work / "plain/.claude/worktrees/feature").iterdir())
update = git("submodule", "update", "--init", where="plain")
right = (left == ("?? .claude/\n", True) and added == (0, [".claude/worktrees/feature"]) and plain == 0 and empty == []
         and update.returncode == 128 and "No url found for submodule path" in update.stderr)
sys.exit(0 if right else "Changed: whether a worktree of Claude Code is added as a submodule")
PYTHON
timeout 90 "$work/venv/bin/python" "$work/try.py" "$work"
