#!/usr/bin/env python3
"""Sends a push of Heliograph through Apprise to Telegram, Slack, Signal, Matrix, e-mail and a hundred other services.

    "program": ["/opt/heliograph/venv/bin/python", "/opt/heliograph/with_apprise.py"], "environment": {"APPRISE_URLS": "tgram://…"}

`pip install apprise` in that virtual environment; APPRISE_URLS are separated by spaces: https://github.com/caronc/apprise/wiki
"""

import json
import os
import sys

import apprise

TRY_LATER = 75
KINDS = {"error": apprise.NotifyType.FAILURE, "finished": apprise.NotifyType.SUCCESS, "budget": apprise.NotifyType.WARNING}

push = json.load(sys.stdin)
to = apprise.Apprise()
for url in os.environ["APPRISE_URLS"].split():
    if not to.add(url):
        sys.exit("APPRISE_URLS has an address that Apprise does not know")
place = " · ".join(text for text in (push.get("project"), push.get("sessionTitle")) if text)
body = "\n\n".join(text for text in (push["text"], place, push["link"]) if text)
kind = KINDS.get(push["kind"], apprise.NotifyType.INFO)
sys.exit(0 if to.notify(body=body, title=push["title"], notify_type=kind) else TRY_LATER)
