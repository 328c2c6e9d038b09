#!/usr/bin/env bash
# pyte 0.8.2 (PyPI), the terminal in memory that recorders and supervisors read an agent's screen with, drops the `>` and
# `<` of a control sequence. Claude Code 2.1.332 (PyPI: claude-agent-sdk 0.2.189) asks for extended keys at its start, if
# TERM_PROGRAM is ghostty, which is inherited from the terminal that the supervisor was started in:
# CSI > 4 ; 2 m then underlines the whole screen from there on, and CSI < u writes the letter u. In another TERM_PROGRAM
# it does not ask, and the same pyte draws the same screen rightly. Neither raises an error.
#
# Seen, cells of the first screen that are underlined:
#       TERM_PROGRAM=ghostty   all, and one line is "u"
#       TERM_PROGRAM=other     none
#       ghostty's output without the sequences that begin with CSI > and CSI <   none
# What tells a chosen line or a link by its attributes finds them everywhere, on one person's machine only.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 175 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
pip() { timeout 90 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir "$@"; }
pip --no-deps claude-agent-sdk==0.2.189
pip pyte==0.8.2

cat > "$work/try.py" <<'PYTHON'
import fcntl, json, os, pathlib, pty, re, select, signal, struct, sys, termios, time

import pyte

work = pathlib.Path(sys.argv[1]).resolve()
(program,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")
(work / "project").mkdir()
(work / ".claude.json").write_text(json.dumps({
    "hasCompletedOnboarding": True, "theme": "dark", "projects": {str(work / "project"): {"hasTrustDialogAccepted": True}},
    "customApiKeyResponses": {"approved": ["ot-a-key-at-all-----"], "rejected": []}}))
environment = {
    "PATH": os.environ["PATH"], "HOME": str(work), "TMPDIR": str(work), "LANG": "C.UTF-8", "TERM": "xterm-256color",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "not-a-key-at-all-----",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"}

def start(terminal):
    """What the program writes until its first screen has been still for three seconds."""
    process, screen = pty.fork()
    if process == 0:
        os.chdir(work / "project")
        os.execve(program, [program], environment | {"TERM_PROGRAM": terminal})
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    written, end = b"", time.monotonic() + 45
    while time.monotonic() < end:
        ready = select.select([screen], [], [], 3)[0]
        if not ready and b"Claude Code" in written and b"mode" in written: break
        if ready: written += os.read(screen, 65536)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(screen)
    return written

def draw(name, written):
    screen = pyte.Screen(100, 30)
    pyte.ByteStream(screen).feed(written)
    cells = [cell for row in screen.buffer.values() for cell in row.values() if cell.data != " "]
    underlined, letter = sum(cell.underscore for cell in cells), any(line.strip() == "u" for line in screen.display)
    print(f"{name:22} {len(cells)} characters, underlined {underlined}, a line that is u: {letter}")
    assert len(cells) > 50
    return "all" if underlined >= len(cells) - 1 else "none" if underlined == 0 else "some", letter

asking, other = start("ghostty"), start("other")
print("asked for:", *sorted(set(re.findall(rb"\x1b\[[<>][0-9;]*[mu]", asking))))
without = re.sub(rb"\x1b\[[<>][0-9;]*[a-z]", b"", asking)
outcomes = [draw("ghostty", asking), draw("other", other), draw("ghostty, without them", without)]
sys.exit(0 if outcomes == [("all", True), ("none", False), ("none", False)] else "Changed: how pyte draws Claude Code")
PYTHON
timeout 120 "$work/venv/bin/python" "$work/try.py" "$work"
