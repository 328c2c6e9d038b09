#!/usr/bin/env python3
"""Mails a push of Heliograph. Later pushes about the same question are replies, so that mail programs show one thread.

    "program": ["/opt/heliograph/mail.py", "heliograph@example.org", "ada@example.org"],
    "environment": {"SMTP_HOST": "smtp.example.org", "SMTP_USER": "heliograph", "SMTP_PASSWORD": "…"}

With SMTP_USER it requires TLS; without it, it uses the mail server of this machine (SMTP_PORT, 25).
"""

import hashlib
import json
import os
import smtplib
import sys
from email.message import EmailMessage
from email.utils import formatdate

TRY_LATER, GONE = 75, 67

sender, recipient = sys.argv[1:3]
push = json.load(sys.stdin)
domain = sender.rpartition("@")[2]
mail = EmailMessage()
mail["From"], mail["To"], mail["Date"] = sender, recipient, formatdate(push["time"] / 1000)
mail["Subject"] = " ".join(push["title"].split())
# The Message-ID is derived from the push, so that mail programs can recognise a push that was sent twice.
mail["Message-ID"] = f"<{push['id']}@{domain}>"
mail["References"] = f"<{hashlib.sha256(push['replaces'].encode()).hexdigest()[:32]}@{domain}>"
place = " · ".join(text for text in (push.get("project"), push.get("sessionTitle")) if text)
mail.set_content("\n\n".join(text for text in (push["text"], place, push["link"]) if text))
user, host = os.environ.get("SMTP_USER"), os.environ.get("SMTP_HOST", "localhost")
try:
    with smtplib.SMTP(host, int(os.environ.get("SMTP_PORT", "587" if user else "25")), timeout=15) as server:
        if user:
            server.starttls()
            server.login(user, os.environ["SMTP_PASSWORD"])
        server.send_message(mail)
except smtplib.SMTPRecipientsRefused as error:
    print(error, file=sys.stderr)
    sys.exit(GONE if all(code == 550 for code, _ in error.recipients.values()) else TRY_LATER)
except (OSError, smtplib.SMTPException) as error:
    print(error, file=sys.stderr)
    sys.exit(TRY_LATER)
