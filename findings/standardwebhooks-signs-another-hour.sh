#!/usr/bin/env bash
# standardwebhooks 1.1.0 (PyPI, the reference library of Standard Webhooks): `sign` takes a datetime and signs what its
# clock shows as if that were UTC: it replaces the zone instead of converting. A datetime with a zone other than UTC, or
# datetime.now() on a machine that is not in UTC, is signed as another hour, without an error. The sender writes
# webhook-timestamp from the same datetime, rightly, and the library's own `verify` refuses the message. The words are
# those of a wrong secret: the timestamp in the header is fine.
#
# Seen, on a machine in   Central Europe                UTC
#   now(UTC)              accepted                      accepted
#   now(zone of +09:00)   No matching signature found   No matching signature found
#   now(), without zone   No matching signature found   accepted
# It works in the container and in CI, whose clocks are in UTC, and fails on a laptop; people then change the secret.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 175 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 130 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-compile \
    standardwebhooks==1.1.0

cat > "$work/try.py" <<'PYTHON'
import os, sys, time
from datetime import datetime, timedelta, timezone

from standardwebhooks import Webhook, WebhookVerificationError

webhook, outcomes = Webhook("whsec_" + 8 * "c2FtcGxl"), []
for zone in "CET-1", "UTC0":
    os.environ["TZ"] = zone
    time.tzset()
    for name, sent in {"now(UTC)": datetime.now(timezone.utc), "now(), without zone": datetime.now(),
                       "now(zone of +09:00)": datetime.now(timezone(timedelta(hours=9)))}.items():
        headers = {"webhook-id": "msg_1", "webhook-timestamp": str(int(sent.timestamp())),
                   "webhook-signature": webhook.sign("msg_1", sent, "{}")}
        try: outcome = "accepted" if webhook.verify("{}", headers) == {} else "other"
        except WebhookVerificationError as error: outcome = str(error)
        print(f"TZ={zone:6} {name:20} {outcome}")
        outcomes.append(outcome)
refused = "No matching signature found"
right = outcomes == ["accepted", refused, refused, "accepted", "accepted", refused]
sys.exit(0 if right else "Changed: which times standardwebhooks signs rightly")
PYTHON
timeout 25 "$work/venv/bin/python" "$work/try.py"
