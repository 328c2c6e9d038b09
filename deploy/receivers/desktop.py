#!/usr/bin/env python3
"""Shows a push of Heliograph on the desktop that the relay runs on, with notify-send (Debian: libnotify-bin).

    "program": ["/opt/heliograph/desktop.py"], "inherits": ["PATH", "DBUS_SESSION_BUS_ADDRESS"]
"""

import html
import json
import subprocess
import sys

LEVELS = {"passive": "low", "active": "normal", "time-sensitive": "critical"}

push = json.load(sys.stdin)
# The body of a desktop notification may contain markup, so the text is escaped.
body = html.escape("\n".join(text for text in (push["text"], push["link"]) if text), quote=False)
subprocess.run(
    ["notify-send", "--app-name=Heliograph", f"--urgency={LEVELS[push['level']]}",
     # The notification about an outcome replaces the one with the question.
     f"--hint=string:x-canonical-private-synchronous:{push['replaces']}", "--", push["title"], body],
    check=True,
)  # fmt: skip
