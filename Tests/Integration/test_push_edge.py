"""The interfaces of pushes: settings, devices and decisions over HTTP, and the operator's view."""

import base64
import hashlib
import hmac
import json
import socket
import stat
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from apns import Simulator
from paired_browser import pair_browser
from schema import assert_valid
from waits import patient, wait_until

TEAM, KEY, BUNDLE = "ABCDE12345", "KEYID12345", "org.heliograph.app"
CONFIGURATION = {"team": TEAM, "key": KEY, "file": f"AuthKey_{KEY}.p8", "bundles": [BUNDLE], "environments": ["production", "sandbox"]}


def key_file(folder: Path, key=None) -> Path:
    key = key or ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "from-apple.p8"
    file.write_bytes(pem)
    return file


def set_up(relay, file: Path, *more: str, team: str = TEAM, key: str = KEY, bundle: str = BUNDLE, check: bool = True):
    command = ["push", "setup", "--data", str(relay.data), "--team", team, "--key", key, "--file", str(file), "--bundle", bundle, *more]
    return relay.run(*command, check=check)


def configuration(relay) -> dict:
    return json.loads((relay.data / "push.json").read_text())


def status(relay) -> dict:
    return json.loads(relay.run("push", "status", "--json", "--data", str(relay.data)).stdout)



def test_setup_copies_the_key_for_its_owner_alone_and_the_running_relay_takes_it_up(relay, tmp_path):
    assert "push setup" in relay.run("push", "status", "--data", str(relay.data)).stdout
    file = key_file(tmp_path)
    assert BUNDLE in set_up(relay, file).stdout
    copy = relay.data / f"AuthKey_{KEY}.p8"
    assert copy.read_bytes() == file.read_bytes()
    for private in (copy, relay.data / "push.json"):
        assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert configuration(relay) == {"teams": [CONFIGURATION]}
    seen = status(relay)
    assert seen["teams"] == [CONFIGURATION] and "trouble" not in seen and seen["lanes"] == seen["outcomes"] == []
    text = relay.run("push", "status", "--data", str(relay.data)).stdout
    assert text.splitlines()[0] == f"team {TEAM}, key {KEY}, production and sandbox: {BUNDLE}"
    relay.restart()
    assert status(relay)["teams"] == [CONFIGURATION]


def test_another_app_and_another_key_join_what_is_there(relay, tmp_path):
    file = key_file(tmp_path)
    assert "no profile" not in set_up(relay, file).stdout
    added = set_up(relay, file, "--sandbox-only", key="KEYID67890", bundle="org.example.other").stdout
    assert f"no profile is for org.example.other: put one into {relay.data}/profiles" in added
    teams = configuration(relay)["teams"]
    assert [(team["key"], team["environments"]) for team in teams] == [(KEY, ["production"]), ("KEYID67890", ["sandbox"])]
    assert all(team["bundles"] == [BUNDLE, "org.example.other"] for team in teams)
    refused = set_up(relay, file, team="ZBCDE12345", check=False)
    assert refused.returncode == 1 and f"belongs to team {TEAM}" in refused.stderr


@pytest.mark.parametrize(
    ("key", "words"),
    [(ec.generate_private_key(ec.SECP384R1()), "P-256"), (rsa.generate_private_key(65537, 2048), "P-256"), (b"-----BEGIN", "key"), (None, "read")],
    ids=["another curve", "RSA", "no key", "no file"],
)
def test_what_is_no_key_of_apples_is_refused_and_changes_nothing(relay, tmp_path, key, words):
    file = tmp_path / "from-apple.p8"
    if isinstance(key, bytes):
        file.write_bytes(key)
    elif key is not None:
        key_file(tmp_path, key)
    refused = set_up(relay, file, check=False)
    assert refused.returncode == 1 and str(file) in refused.stderr and words in refused.stderr
    assert not (relay.data / "push.json").exists() and not list(relay.data.glob("*.p8"))


@pytest.mark.parametrize(("option", "value"), [("team", "abcde12345"), ("key", "KEY"), ("bundle", "a b")])
def test_a_bad_name_is_refused_by_its_option(relay, tmp_path, option, value):
    refused = set_up(relay, key_file(tmp_path), check=False, **{option: value})
    assert refused.returncode == 1 and f"--{option} {value}" in refused.stderr
    assert not (relay.data / "push.json").exists()


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("push.json", '{"teams": [{"team": 5}]}', "push.json, $.teams[0].team"),
        ("push.json", '{"teams": []', "push.json, byte 12"),
        ("profiles/mine.json", "[1]", "profiles/mine.json, $"),
        ("profiles/mine.json", '{"a": 1,, }', "profiles/mine.json, byte 8"),
    ],
)
def test_a_mistake_in_the_data_folder_stops_the_start_and_is_named(relay, file, text, place):
    relay.stop()
    path = relay.data / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    relay.launch()
    assert relay.wait_end() == 1
    assert place in relay.log_text()
    path.unlink()
    relay.start()


def test_a_mistake_beneath_a_running_relay_is_told_and_changes_nothing(relay, tmp_path):
    set_up(relay, key_file(tmp_path))
    assert status(relay)["teams"] == [CONFIGURATION]
    (relay.data / "push.json").write_text('{"teams": [{"team": 5}]}')
    seen = status(relay)
    assert "$.teams[0].team" in seen["trouble"] and seen["teams"] == [CONFIGURATION]


def test_status_says_where_no_relay_runs(relay):
    relay.stop()
    refused = relay.run("push", "status", "--data", str(relay.data), check=False)
    assert refused.returncode == 4 and "No relay runs" in refused.stderr
    relay.start()


@pytest.fixture
def apns(relay, tmp_path):
    """The APNs simulator with one phone, configured in the relay."""
    apns = Simulator(tmp_path / "apns")
    apns.serve(relay)
    yield apns
    apns.stop()



def test_only_clients_speak_of_devices(relay):
    for headers, expected in [
        ({}, 401), ({"Authorization": "Bearer hgc_nobody"}, 401),
        ({"Authorization": f"Bearer {relay.token('host', 'laptop')}"}, 403),
        ({"Authorization": f"Bearer {relay.token('client', 'phone')}", "Origin": "https://elsewhere.example"}, 403),
    ]:  # fmt: skip
        answer = relay.request("DELETE", "/v1/devices/d1", headers=headers)
        assert answer.status == expected and "error" in answer.json


def test_a_cookie_alone_registers_nothing(relay):
    """A browser sends the cookie with requests of any page."""
    browser = pair_browser(relay)
    assert relay.request("DELETE", "/v1/devices/d1", headers={"Cookie": browser.cookie}).status == 403
    assert relay.request("DELETE", "/v1/devices/d1", headers={"Cookie": browser.cookie, "Origin": relay.url}).status == 401
    assert relay.request("DELETE", "/v1/devices/d1", headers=browser.headers).status not in (401, 403)


def test_a_bad_registration_is_refused_by_its_place(relay):
    token = {"Authorization": f"Bearer {relay.token('client', 'phone')}"}
    device = {"device": "d1", "name": "n", "profile": "heliograph", "environment": "sandbox", "system": "18.1"}
    for method, path, body, place in [
        ("PUT", "/v1/devices/d1", device | {"alertToken": "xyz"}, "$.alertToken"), ("PUT", "/v1/devices/d2", device, "$.device"),
        ("PUT", "/v1/devices/d1", [], "$"), ("POST", "/v1/devices/d1/cards", {"card": "k", "state": "torn"}, "$.state"),
        ("DELETE", "/v1/devices/a%20b", None, "path"),
    ]:  # fmt: skip
        answer = relay.request(method, path, json.dumps(body).encode() if body is not None else None, token)
        assert (answer.status, answer.json["error"]["path"]) == (400, place), answer.body
    assert relay.request("POST", "/v1/devices/d1", b"{}", token).status == 405



def right_code(relay, push: int) -> str:
    """Computes a push's code as decision record 0014 describes, without Heliograph's code."""
    secret = (relay.data / "push-secret").read_bytes()
    epoch = relay.rows("SELECT value FROM meta WHERE name = 'epoch'")[0][0]
    tag = hmac.digest(secret, f"code/{epoch}/{push}".encode(), hashlib.sha256)[:16]
    return f"{push}.{base64.urlsafe_b64encode(tag).rstrip(b'=').decode()}"


def decide(relay, code: str, body=None):
    return relay.post(f"/v1/decisions/{code}", body if body is not None else {"decision": "allow"})


def test_wrong_codes_are_all_alike_and_counted_while_a_right_one_is_never_shut_out(relay):
    wrong = ["7." + "A" * 22, "7", "7.x", "x.y.z", "7." + "A" * 2_000, "99999999999999999999." + "A" * 22]
    answers = [decide(relay, code) for code in wrong]
    assert {answer.status for answer in answers} == {404} and len({answer.body for answer in answers}) == 1
    assert stat.S_IMODE((relay.data / "push-secret").stat().st_mode) == 0o600
    for _ in range(20 - len(wrong)):
        assert decide(relay, "7." + "A" * 22).status == 404
    shut_out = decide(relay, "7." + "A" * 22)
    assert shut_out.status == 429 and 1 <= int(shut_out.headers["retry-after"]) <= 61
    assert decide(relay, right_code(relay, 7)).status != 429
    assert relay.log_text().count("refused a code") == 20, "a log does not fill"


def test_a_right_code_with_a_bad_decision_is_told_where_it_is_bad(relay):
    decide(relay, "7.x")
    code = right_code(relay, 7)
    for body, place in [({}, "$.decision"), ({"decision": "maybe"}, "$.decision"), ({"answers": [{}]}, "$.answers[0].choices"), (b"", "byte 0")]:
        answer = decide(relay, code, body)
        assert (answer.status, answer.json["error"]["path"]) == (400, place)
    assert decide(relay, code, b" " * (65 << 10)).status == 413
    assert decide(relay, "7.x", {"decision": "maybe"}).status == 404, "without a code nothing is looked at"


def test_many_at_once_are_all_answered(relay):
    decide(relay, "7.x")
    code, token = right_code(relay, 7), {"Authorization": f"Bearer {relay.token('client', 'phone')}"}
    statuses = []

    def ask(number: int) -> None:
        answer = decide(relay, code) if number % 2 else relay.request("DELETE", "/v1/devices/d1", headers=token)
        statuses.append(answer.status)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(statuses) == 40 and len(set(statuses)) <= 2


def test_the_secret_is_in_no_backup_and_no_log(relay, tmp_path):
    decide(relay, "7.x")
    secret = (relay.data / "push-secret").read_bytes()
    relay.run("backup", "--data", str(relay.data), str(tmp_path / "backup.sqlite"))
    for place in (tmp_path / "backup.sqlite", relay.data / "heliograph.sqlite", relay.log):
        assert secret not in place.read_bytes()



def test_metrics_of_pushes_are_there_from_the_start(relay):
    text = relay.get("/metrics").body.decode()
    assert relay.metric('heliograph_pushes_planned_total{purpose="alert"}') == 0
    assert relay.metric("heliograph_push_breakers_open") == 0
    assert "# TYPE heliograph_push_seconds histogram" in text
    bounds = [line for line in text.splitlines() if line.startswith("heliograph_commit_seconds_bucket{le=")]
    counts = [float(line.rsplit(" ", 1)[1]) for line in bounds]
    assert counts == sorted(counts) and 'le="+Inf"' in bounds[-1]



class Phone:
    """An app that iOS wakes for a moment: it uses HTTP only."""

    def __init__(self, relay, apns, **fields):
        self.relay, self.apns = relay, apns
        self.headers = {"Authorization": f"Bearer {relay.token('client', 'phone')}"}
        self.register(alertToken=apns.token("alert"), **fields)

    def register(self, **fields) -> None:
        device = {
            "device": "d1", "name": "Ada's phone", "profile": "codingbridge", "environment": "sandbox", "system": "18.1", "cards": "off",
        }  # fmt: skip
        answer = self.relay.request("PUT", "/v1/devices/d1", json.dumps(device | fields).encode(), self.headers)
        assert (answer.status, answer.json) == (200, {}), answer.body

    def devices(self) -> list:
        answer = self.relay.get("/v1/devices", self.headers)
        assert answer.status == 200
        return answer.json["devices"]

    def rung(self, count: int = 1) -> dict:
        """The payload of the newest notification, once `count` have arrived."""
        wait_until(lambda: len(self.apns.device()["notifications"]) >= count, 30, lambda: f"{count} notifications: {self.devices()}")
        return self.apns.device()["notifications"][-1]["payload"]


def test_an_approval_is_allowed_by_the_code_of_its_notification(relay, apns, scripted_host):
    phone, host = Phone(relay, apns, text="full"), scripted_host(relay)
    host.start_session("s1")
    approval = host.request_approval("s1", "Bash", {"command": "make"}, title="make")
    payload = phone.rung()
    code = payload["heliograph"]["code"]
    assert payload["heliograph"]["approval"] == approval and code == right_code(relay, int(code.split(".")[0]))
    planned = phone.devices()[0]["pushes"][0]
    assert planned["purpose"] == "alert" and planned["outcome"]["result"] == "accepted"
    assert code not in json.dumps(phone.devices()), "who lists devices cannot decide by their codes"
    assert code.encode() not in relay.files_text(), "nor can who has the data folder's files, but for the secret"

    answer = decide(relay, code)
    assert (answer.status, answer.json) == (200, {"stage": "decided"})
    decision = host.wait_decision(approval)
    assert decision["decision"]["decision"] == "allow" and decision["decision"]["by"]["name"] == "phone"
    assert decide(relay, code).status == 200, "an answer that was lost on the way is given again"
    conflict = decide(relay, code, {"decision": "deny"})
    assert conflict.status == 409 and conflict.json["error"]["winner"]["decision"] == "allow"

    relay.restart()
    assert decide(relay, code).json == {"stage": "decided"}
    assert decide(relay, code[:-2] + ("AA" if code[-2:] != "AA" else "BA")).status == 404
    assert relay.run("audit", "verify", "--data", str(relay.data)).returncode == 0
    assert len([request for request in apns.journal("request") if request["status"] == 200]) == 1, "a restart rings nobody twice"


@pytest.mark.parametrize("way", ["revoked", "revoked while the relay was away", "logged out"])
def test_a_phone_without_its_token_is_pushed_nothing_and_its_codes_decide_nothing(relay, apns, scripted_host, way):
    phone, host = Phone(relay, apns, text="full"), scripted_host(relay)
    host.start_session("s1")
    host.request_approval("s1", "Bash", {"command": "make"})
    code = phone.rung()["heliograph"]["code"]
    if way == "logged out":
        assert relay.request("POST", "/v1/logout", headers=phone.headers).status == 204
    elif way == "revoked":
        relay.revoke(relay.token_id("phone"))
    else:
        relay.stop()
        relay.revoke(relay.token_id("phone"))
        relay.start()
    answer = decide(relay, code)
    assert (answer.status, answer.json["error"]["code"]) == (404, "notFound")
    assert relay.request("PUT", "/v1/devices/d1", b"{}", phone.headers).status == 401

    # If the first client had notifications, they would be sent before the second client's.
    other = {"Authorization": f"Bearer {relay.token('client', 'tablet')}"}
    device = {"device": "d2", "name": "n", "profile": "codingbridge", "environment": "sandbox", "system": "18.1", "alertToken": "ab" * 32}
    assert relay.request("PUT", "/v1/devices/d2", json.dumps(device).encode(), other).status == 200
    host.request_approval("s1", "Bash", {"command": "make install"})

    def devices() -> list:
        return relay.get("/v1/devices", other).json["devices"]

    wait_until(lambda: any("outcome" in push for push in devices()[0]["pushes"]), 30, lambda: f"what became of a push: {devices()}")
    assert [known["device"]["device"] for known in devices()] == ["d2"]
    assert len([request for request in apns.journal("request") if request["status"] == 200]) == 1
    assert len(apns.device()["notifications"]) == 1


def test_a_relay_that_does_not_take_up_a_revocation_is_told_of(relay):
    token = relay.token("client", "phone")
    relay.stop()
    (relay.data / "relay.sock").unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as stand_in:
        stand_in.bind(str(relay.data / "relay.sock"))
        stand_in.listen()
        stand_in.settimeout(patient(20))

        def refuse() -> None:
            with suppress(OSError):
                while True:
                    peer, _ = stand_in.accept()
                    with peer:
                        peer.recv(4096)
                        peer.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")

        thread = threading.Thread(target=refuse)
        thread.start()
        refused = relay.run("token", "revoke", relay.token_id("phone"), "--data", str(relay.data), check=False)
        stand_in.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert refused.returncode == 1 and "has not noticed" in refused.stderr and "503" in refused.stderr
    relay.start()
    assert relay.get("/v1/devices", {"Authorization": f"Bearer {token}"}).status == 401, "it is on disk all the same"


def test_what_the_terminal_shows_and_does(relay, apns):
    phone = Phone(relay, apns)
    data = ["--data", str(relay.data)]
    assert relay.run("push", "test", "d1", *data).stdout.strip() == "accepted by APNs"
    assert "heliograph" in phone.rung()
    shown = relay.run("devices", *data).stdout
    assert "d1  Ada's phone  codingbridge, sandbox, iOS 18.1, of phone" in shown and "alert: accepted by APNs" in shown
    listed = json.loads(relay.run("devices", "--json", *data).stdout)["devices"]
    assert_valid("relay-to-client", [{"type": "reply", "id": "c1", "devices": listed}])
    assert listed == phone.devices() and listed[0]["device"]["alertToken"] is True
    assert relay.run("push", "test", "nobody", *data, check=False).returncode == 5
    assert "alert to d1: accepted" in relay.run("push", "status", *data).stdout
    assert relay.metric('heliograph_pushes_answered_total{purpose="alert",result="accepted"}') == 1
    assert relay.metric('heliograph_push_seconds_count{purpose="alert"}') == 1

    phone.register(alertToken="ab" * 32)
    refused = relay.run("push", "test", "d1", *data, check=False)
    assert refused.returncode == 1 and "APNs refused it: " in refused.stdout
    assert relay.run("devices", "forget", "d1", *data).stdout.strip() == "forgot d1"
    assert phone.devices() == []


def test_without_a_key_the_terminal_says_what_to_do(relay, tmp_path):
    apns = Simulator(tmp_path / "apns")
    try:
        Phone(relay, apns)
        refused = relay.run("push", "test", "d1", "--data", str(relay.data), check=False)
        assert refused.returncode == 1 and "heliograph push setup" in refused.stdout
    finally:
        apns.stop()
