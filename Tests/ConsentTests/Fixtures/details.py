"""Makes details.json: statement bytes that vectors.json lacks, written independently from record 0109 and the Swift doc comments. By hand: details.py
> details.json
"""

import base64
import hashlib
import json
from pathlib import Path

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())


def raw(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def b64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def domain(name: str) -> bytes:
    return b"heliograph/v1/" + name.encode() + b"\0"


def lp(value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return len(value).to_bytes(4, "big") + value


def sha(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()


def opt(value: str | None) -> bytes:
    return b"\0" if value is None else b"\1" + lp(value)


def pictures(*of: tuple[str, str]) -> bytes:
    return len(of).to_bytes(4, "big") + b"".join(lp(bytes.fromhex(digest)) + lp(kind) for digest, kind in of)


HOST, DEVICE = raw(VECTORS["hostID"]), raw(VECTORS["deviceID"])
SESSION, COMMAND, COUNT = "claude-0001", "c9", 41
PICTURE = ("ab" * 32, "image/png")


def steer(kind: str, detail: bytes) -> str:
    statement = domain("steer") + lp(HOST) + lp(SESSION) + lp(COMMAND) + lp(kind) + lp(sha(detail))
    return b64(statement + COUNT.to_bytes(8, "big") + lp(DEVICE))


def prompt(text: str, command: int, busy: str, *of: tuple[str, str]) -> str:
    detail = sha(b"\xff" + lp(text) + bytes([command]) + lp(busy) + pictures(*of))
    return b64(domain("prompt") + lp(HOST) + lp(SESSION) + lp(COMMAND) + lp(detail) + COUNT.to_bytes(8, "big") + lp(DEVICE))


def launch(past: str | None, mode: str | None, model: str | None, text: str | None, *of: tuple[str, str]) -> bytes:
    return lp("site") + lp("claude") + opt(past) + opt(mode) + opt(model) + opt(text) + pictures(*of)


def decision(verdict: str, detail: bytes) -> str:
    of = VECTORS["decision"]
    return b64(
        domain("decision") + lp(HOST) + lp(SESSION) + lp(of["approval"]) + lp(raw(of["shown"])) + lp(bytes.fromhex(of["digest"]))
        + lp(verdict) + lp(sha(detail)) + of["issuedAt"].to_bytes(8, "big") + lp(DEVICE))


SIGN, BOX, HOST_SIGN, HOST_BOX = (raw(VECTORS["keys"][name]["public"]) for name in ("deviceSign", "deviceBox", "hostSign", "hostBox"))
SALT, DIGEST = bytes(range(16)), bytes.fromhex("aa" * 32)

print(json.dumps({
    "decision": {
        "allowIn": decision("allow", lp("mode") + lp("plan")),
        "allowWith": decision("allow", lp("offer") + lp("always")),
        "allowWithMode": decision("allow", lp("mode") + lp("plan") + lp("offer") + lp("always")),
        "allowEdited": decision("allow", lp("edit") + lp('{"command":"ls ö"}')),
        "denyWith": decision("deny", b"\xff" + lp("offer") + lp("never")),
        "denyWithMessage": decision("deny", b"\xff" + lp("offer") + lp("never") + lp("message") + lp("nö")),
    },
    "prompt": {
        "command": prompt("/compact", 1, "queue"), "steer": prompt("go", 0, "steer"), "picture": prompt("go", 0, "queue", PICTURE),
    },
    "keys": b64(
        domain("keys") + lp(HOST) + lp(SESSION) + lp(COMMAND) + lp("t1.7") + lp(sha(b"ihello")) + COUNT.to_bytes(8, "big") + lp(DEVICE)),
    "steer": {
        "mode": steer("mode", lp("plan")), "model": steer("model", lp("big")), "askAllOff": steer("askAll", b"\0"),
        "start": steer("start", launch(None, "plan", None, "go", PICTURE)), "resume": steer("resume", launch("x", None, "big", None)),
        "stop": steer("stop", b""), "ruleOff": steer("ruleOff", lp("tests")),
        "ruleAdd": steer("ruleAdd", lp('[[rule]]\nname = "ö"')),
        "ruleChange": steer("ruleChange", lp("tests") + lp('[[rule]]\nname = "ö"')),
    },
    "letters": {
        "vouch": b64(domain("vouch") + lp(HOST) + lp(SIGN) + lp(BOX) + lp("Ada's phone") + COUNT.to_bytes(8, "big") + lp(DEVICE)),
        "introduce": b64(
            domain("introduce") + lp(sha(raw(VECTORS["pair"]["join"]))) + lp(SIGN) + lp(HOST_SIGN) + lp(HOST_BOX) + lp("Ada's laptop")
            + (3).to_bytes(8, "big")),
        "distrust": b64(domain("distrust") + lp(HOST) + lp(DEVICE) + COUNT.to_bytes(8, "big") + lp(DEVICE)),
        "bump": b64(domain("bump") + lp(HOST) + lp(SALT) + COUNT.to_bytes(8, "big") + lp(DEVICE)),
        "ask": b64(domain("ask") + lp(HOST) + lp(SALT) + lp(DEVICE)),
        "roll": b64(
            domain("roll") + lp(HOST_SIGN) + lp(DIGEST) + (2).to_bytes(8, "big")
            + lp(HOST) + lp("tablet") + (2).to_bytes(8, "big") + lp(DEVICE)
            + lp(DEVICE) + lp("Ada's phone") + (1).to_bytes(8, "big") + lp(b"")),
        "receipt": b64(domain("receipt") + lp(HOST_SIGN) + lp(DIGEST)),
        "refusal": b64(domain("refusal") + lp(HOST_SIGN) + lp(DIGEST) + lp("usedSecret") + lp(SALT)),
    },
    "salted": {"salt": b64(SALT), "tool": "Bash", "digest": DIGEST.hex(), "is": sha(domain("input") + SALT + lp("Bash") + DIGEST).hex()},
    "deviceLink": b64(b"\3" + DEVICE + raw(VECTORS["link"]["secret"]) + b"c_phone"),
    "shortCode": "9G2G-J972-NTGD-9D75",
}, indent=1))
