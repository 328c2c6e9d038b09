"""The demo's phone with the real APNs simulator and a relay that only records requests."""

import http.server
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from push_stage import ATTRIBUTES, card
from relay import BINARY, ROOT
from waits import wait_until

sys.path.append(str(ROOT / "Tests/Tools"))

from demo_phone import BUNDLE, DEVICE, Phone, PhoneTrouble  # noqa: E402


class Notes(http.server.ThreadingHTTPServer):
    """Answers every request with `status`, and records the request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Note)
        self.status = 200
        self.taken: list[tuple[str, str, Any]] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def listen(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def cards(self) -> list[Any]:
        return [body for method, path, body in self.taken if (method, path) == ("POST", f"/v1/devices/{DEVICE}/cards")]


class Note(http.server.BaseHTTPRequestHandler):
    def _take(self) -> None:
        assert isinstance(self.server, Notes)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.taken.append((self.command, self.path, json.loads(body) if body else None))
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(b"{}")

    do_PUT = do_POST = do_DELETE = _take

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def relay_notes() -> Iterator[Notes]:
    notes = Notes()
    yield notes
    notes.shutdown()
    notes.server_close()


@pytest.fixture
def phone(tmp_path: Path, relay_notes: Notes) -> Iterator[Phone]:
    phone = Phone(BINARY, tmp_path, relay_notes.listen)
    try:
        phone.switch_on()
        yield phone
    finally:
        phone.switch_off()


def test_it_registers_and_reports_each_card_from_its_start_to_its_end(phone: Phone, relay_notes: Notes) -> None:
    phone.register("secret")
    method, path, registration = relay_notes.taken[0]
    assert (method, path, registration["device"], registration["profile"]) == ("PUT", f"/v1/devices/{DEVICE}", DEVICE, "heliograph")
    tokens = {entry["tokenKind"]: entry["token"] for entry in phone.do("tokens?")["tokens"]}
    assert (registration["alertToken"], registration["startToken"]) == (tokens["alert"], tokens["pushToStart"])

    state = card("update", {})["aps"]["content-state"]
    started = phone.do("startActivity", device=DEVICE, bundle=BUNDLE, type="HeliographActivityAttributes", attributes=ATTRIBUTES, contentState=state)
    assert started["outcome"] == "started", started
    wait_until(lambda: relay_notes.cards(), 10, "the card to be reported")
    token = next(entry["token"] for entry in phone.do("tokens?")["tokens"] if entry["tokenKind"] == "activityUpdate")
    assert relay_notes.cards() == [{"card": started["activity"], "session": "s1", "token": token, "state": "active"}]
    phone.do("dismiss", device=DEVICE, activity=started["activity"])
    wait_until(lambda: len(relay_notes.cards()) > 1, 10, "the end of the card to be reported")
    assert relay_notes.cards()[-1] == {"card": started["activity"], "session": "s1", "token": token, "state": "dismissed"}


def test_a_relay_is_told_where_to_send_and_left_as_it_was(phone: Phone, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    phone.enrol(data)
    told = json.loads((data / "push.json").read_text())
    assert told["teams"][0]["bundles"] == [BUNDLE]
    assert (data / told["teams"][0]["file"]).read_text().startswith("-----BEGIN PRIVATE KEY-----")
    assert (data / told["authority"]).read_text().startswith("-----BEGIN CERTIFICATE-----")
    door = told["hosts"]["devices"]["sandbox"]
    assert f"{door['address']}:{door['port']}" == phone.addresses["sandbox"]
    assert (data / "push.json").stat().st_mode & 0o777 == 0o600
    (data / f"provider-token-{told['teams'][0]['team']}-{told['teams'][0]['key']}.json").write_text("{}")
    phone.switch_off()
    assert list(data.iterdir()) == []


def test_somebodys_real_devices_are_left_alone(phone: Phone, tmp_path: Path) -> None:
    (tmp_path / "push.json").write_text('{"teams":[{"team":"ABCDE12345"}]}')
    with pytest.raises(PhoneTrouble, match="real devices"):
        phone.enrol(tmp_path)
    phone.switch_off()
    assert "ABCDE12345" in (tmp_path / "push.json").read_text()


def test_a_relay_without_devices_is_named(phone: Phone, relay_notes: Notes) -> None:
    relay_notes.status = 404
    with pytest.raises(PhoneTrouble, match=f"the relay answers 404 to PUT /v1/devices/{DEVICE}"):
        phone.register("secret")
    relay_notes.status = 200
