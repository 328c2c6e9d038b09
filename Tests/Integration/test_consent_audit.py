"""An audit log's export proves what a device signed, with the page on consent, Python's `cryptography` and `openssl`, but no code of Heliograph."""

import base64
import hashlib
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

Record = dict[str, Any]


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def domain(name: str) -> bytes:
    return b"heliograph/v1/" + name.encode() + b"\0"


def lp(data: bytes | str) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    return len(data).to_bytes(4, "big") + data


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


@dataclass
class Device:
    private: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def point(self) -> bytes:
        return self.private.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)

    @property
    def id(self) -> bytes:
        return sha(domain("key") + self.point)[:16]

    def sign(self, statement: bytes, number: int) -> str:
        r, s = utils.decode_dss_signature(self.private.sign(statement, ec.ECDSA(hashes.SHA256())))
        return f"1.{b64(self.id)}.{number}.{b64(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def decision(host: bytes, session: str, approval: str, shown: bytes, digest: str, verdict: str, detail: bytes, at: int, device: bytes) -> bytes:
    parts = lp(host) + lp(session) + lp(approval) + lp(shown) + lp(bytes.fromhex(digest)) + lp(verdict) + lp(detail)
    return domain("decision") + parts + at.to_bytes(8, "big") + lp(device)


def prompt(host: bytes, session: str, command: str, detail: bytes, count: int, device: bytes) -> bytes:
    return domain("prompt") + lp(host) + lp(session) + lp(command) + lp(detail) + count.to_bytes(8, "big") + lp(device)


def proven(record: Record) -> tuple[bytes, bytes, bytes] | None:
    """The signed statement in an audit record, the signature R‖S, and the device; None if the record needs no signature."""
    consent = record.get("consent")
    if not consent:
        return None
    text = record["decision"]["signature"] if "decision" in record else consent["signature"]
    version, device, number, signature = text.split(".")
    assert version == "1"
    host, device_id = unb64(consent["host"]), unb64(device)
    if "decision" in record:
        verdict = record["decision"]["decision"]
        detail = sha(record["decision"]["message"].encode()) if "message" in record["decision"] else b""
        shown = bytes.fromhex(consent["shown"])
        statement = decision(host, record["session"], record["approval"], shown, record["digest"], verdict, detail, int(number), device_id)
    else:
        assert record["action"] == "prompt" and consent["detail"] == record["digest"], "a plain prompt is signed by its text's digest"
        statement = prompt(host, record["session"], record["command"], bytes.fromhex(consent["detail"]), int(number), device_id)
    return statement, unb64(signature), device_id


def der(signature: bytes) -> bytes:
    return utils.encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))


def openssl_verifies(device: Device, statement: bytes, signature: bytes, folder: Path) -> bool:
    public, signed, proof = folder / "public.pem", folder / "statement", folder / "signature"
    public.write_bytes(device.private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    signed.write_bytes(statement)
    proof.write_bytes(der(signature))
    command = ["openssl", "dgst", "-sha256", "-verify", str(public), "-signature", str(proof), str(signed)]
    return subprocess.run(command, capture_output=True).returncode == 0


class SignedSession:
    """A scripted session of a host that requires signatures, and a phone that signs."""

    def __init__(self, relay: Any, scripted_host: Any, client: Any):
        self.relay = relay
        self.keys, self.phone = Device(), Device()
        self.host = scripted_host(capabilities=("steer",))
        self.host.start_session("s1")
        self.host.event("s1", "steering.offered", {"actions": ["prompt"], "consent": b64(self.keys.id)})
        self.client = client(relay, "Ada's phone", role="operator")
        self.client.subscribe()
        self.client.wait_summary("s1", lambda summary: "steering" in summary)

    def ask(self, approval: str) -> tuple[bytes, str]:
        """Requests an approval; returns the hash of the shown text, and the salted digest."""
        salt = sha(approval.encode())[:16]
        digest = sha(domain("input") + salt + lp("Bash") + sha(b"ls")).hex()
        head = {"approval": approval, "kind": "tool", "tool": "Bash", "title": "ls", "digest": digest}
        inner = {"kind": "approval.requested", "at": 1, "head": head, "body": {"input": {"command": "ls"}}}
        shown = json.dumps({"salt": b64(salt), "host": b64(self.keys.id), "session": "s1", "event": inner})
        self.host.event("s1", "approval.requested", head, {"shown": shown})
        self.client.wait_approval(approval, "pending")
        return sha(domain("shown") + shown.encode()), digest

    def decide(self, approval: str, verdict: str, signer: Device | None, message: str | None = None) -> None:
        shown, digest = self.ask(approval)
        fields = {"session": "s1", "approval": approval, "digest": digest, "decision": verdict}
        if message is not None:
            fields["message"] = message
        if signer:
            detail = sha(message.encode()) if message else b""
            statement = decision(self.keys.id, "s1", approval, shown, digest, verdict, detail, 1_700, signer.id)
            fields["signature"] = signer.sign(statement, 1_700)
        assert self.client.command("decide", **fields)["stage"] == "decided"

    def prompt(self, command: str, text: str, signer: Device, count: int) -> None:
        statement = prompt(self.keys.id, "s1", command, sha(text.encode()), count, signer.id)
        reply = self.client.command("prompt", id=command, session="s1", text=text, signature=signer.sign(statement, count))
        assert reply["delivery"] == "sent", reply

    def export(self) -> list[str]:
        return self.relay.run("audit", "export", "--data", str(self.relay.data)).stdout.splitlines()


def verify(relay: Any, lines: list[str], devices: list[Device], folder: Path) -> tuple[int, Record]:
    exported, pins = folder / "audit.jsonl", folder / "devices.json"
    exported.write_text("".join(line + "\n" for line in lines))
    pins.write_text(json.dumps({"version": 1, "devices": [{"id": b64(one.id), "sign": b64(one.point)} for one in devices]}))
    result = relay.run("audit", "verify", str(exported), "--devices", str(pins), "--json", check=False)
    return result.returncode, json.loads(result.stdout)


def test_an_export_proves_what_a_device_signed(relay, scripted_host, client, tmp_path):
    session = SignedSession(relay, scripted_host, client)
    session.decide("a1", "allow", session.phone)
    session.decide("a2", "deny", session.phone, "not \"here\", Grüße")
    session.decide("a3", "deny", None)
    session.prompt("k1", "go on", session.phone, 7)
    lines = session.export()
    signed = [record for record in map(json.loads, lines) if "action" in record or "signature" in record.get("decision", {})]
    found = [proof for record in signed if (proof := proven(record))]
    assert len(found) == 3
    for statement, signature, device in found:
        assert device == session.phone.id
        session.phone.private.public_key().verify(der(signature), statement, ec.ECDSA(hashes.SHA256()))
        assert openssl_verifies(session.phone, statement, signature, tmp_path)
        assert not openssl_verifies(session.phone, statement + b"\0", signature, tmp_path)
    code, report = verify(relay, lines, [session.phone], tmp_path)
    assert (code, report["faults"]) == (0, [])
    assert report["signatures"] == {"proven": 3, "passkeys": 0, "sealed": 0, "unsigned": 1, "refused": 0, "unproven": 0, "faults": []}
    # `audit verify` on the relay's own data gives the same result.
    relay.run("audit", "verify", "--data", str(relay.data), "--devices", str(tmp_path / "devices.json"))
    plain = relay.run("audit", "verify", str(tmp_path / "audit.jsonl"), "--devices", str(tmp_path / "devices.json")).stdout
    assert "3 decisions and commands are proven" in plain


def test_what_no_device_signed_is_not_proven(relay, scripted_host, client, tmp_path):
    session = SignedSession(relay, scripted_host, client)
    thief = Device()
    session.decide("a1", "allow", thief)
    session.decide("a2", "allow", None)
    session.decide("a3", "allow", session.phone)
    session.prompt("k1", "rm -rf /", thief, 1)
    # The host refuses two of the decisions, and reports that.
    session.host.event("s1", "approval.stale", {"approval": "a2", "reason": "unsigned"})
    session.host.event("s1", "steering.changed", {"client": session.client.welcome["client"]["id"], "command": "k1", "stage": "refused", "reason": "notTrusted"})
    session.client.wait_approval("a2", "stale")
    session.host.wait_acked("s1")
    code, report = verify(relay, session.export(), [session.phone], tmp_path)
    assert (code, report["faults"]) == (1, [])
    signatures = report["signatures"]
    assert (signatures["proven"], signatures["refused"], signatures["unproven"]) == (1, 2, 1)
    assert "what a1 was decided is not proven" in signatures["faults"][0]


def test_a_relay_that_writes_its_log_anew_proves_nothing_else(relay, scripted_host, client, tmp_path):
    """With access to the data an attacker can recompute the chain of hashes, but forge no signature."""
    session = SignedSession(relay, scripted_host, client)
    session.decide("a1", "deny", session.phone)
    records = [json.loads(line) for line in session.export()]
    lines, previous = [], "0" * 64
    for record in records:
        if record["what"] == "approval.decided":
            record["decision"]["decision"] = "allow"
        record["previous"] = previous
        record.pop("hash")
        bare = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        previous = hashlib.sha256((record["previous"] + bare).encode()).hexdigest()
        lines.append(bare[:-1] + f',"hash":"{previous}"}}')
    code, report = verify(relay, lines, [session.phone], tmp_path)
    assert report["faults"] == [], "the chain fits"
    assert code == 1 and report["signatures"]["unproven"] == 1 and report["signatures"]["proven"] == 0
    forged = next(proof for record in map(json.loads, lines) if record["what"] == "approval.decided" and (proof := proven(record)))
    try:
        session.phone.private.public_key().verify(der(forged[1]), forged[0], ec.ECDSA(hashes.SHA256()))
        raise AssertionError("a deny was taken for an allow")
    except InvalidSignature:
        pass
