"""Pushes to an operator's webhook from end to end: the real relay, a real HTTPS server, and the reference verifier of Standard Webhooks."""

import json
import ssl
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from proxies import Certificate
from relay import Relay
from schema import faults
from waits import wait_until

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PATH = "/hooks/a1b2c3d4e5"


class Request:
    def __init__(self, path: str, headers: dict[str, str], body: bytes):
        self.path, self.headers, self.body = path, headers, body

    @property
    def document(self) -> Any:
        """The body as JSON, after its signature was verified."""
        return Webhook(SECRET).verify(self.body, self.headers)


class Endpoint:
    """An HTTPS server that records posts, and answers with the given statuses, then with 204."""

    def __init__(self, certificate: Certificate):
        self.requests: list[Request] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                endpoint.requests.append(Request(self.path, {name.lower(): text for name, text in self.headers.items()}, body))
                status, headers = endpoint.answers.pop(0) if endpoint.answers else (204, {})
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                if status != 204:
                    self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.chain, certificate.key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        Thread(target=self.server.serve_forever, daemon=True).start()

    def wait(self, fits: Callable[[Any], Any] = lambda _: True) -> Request:
        return wait_until(lambda: next((request for request in self.requests if fits(json.loads(request.body))), None), 20, lambda: str([request.body for request in self.requests]), every=0.05)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    return Certificate(tmp_path)


@pytest.fixture
def endpoint(certificate: Certificate) -> Iterator[Endpoint]:
    endpoint = Endpoint(certificate)
    yield endpoint
    endpoint.close()


def serving(folder: Path, certificate: Certificate, entry: dict[str, Any]) -> Relay:
    folder.mkdir()
    file = folder / "receivers.json"
    file.write_text(json.dumps({"receivers": [{"name": "chat", "secret": SECRET} | entry]}))
    return Relay(folder, ["--log-level", "trace", "--receivers", str(file)], environment={"SSL_CERT_FILE": str(certificate.chain)})


@pytest.fixture
def relay(tmp_path: Path, certificate: Certificate, endpoint: Endpoint) -> Iterator[Relay]:
    relay = serving(tmp_path / "relay", certificate, {"url": f"https://localhost:{endpoint.port}{PATH}", "address": "127.0.0.1"})
    relay.start()
    yield relay
    relay.stop()
    relay.check_log()
    assert not [secret for secret in (SECRET.removeprefix("whsec_"), PATH.rpartition("/")[2]) if secret in relay.log_text()]


@pytest.fixture
def ada(relay: Relay, client: Callable[..., Any]) -> Any:
    client = client(relay, "Ada")
    assert "error" not in client.command("device", device={"device": "d1", "name": "Team chat", "receiver": {"name": "chat"}, "text": "full", "allowOnLockScreen": True})
    return client


def device(client: Any) -> Any:
    return client.command("devices")["devices"][0]


def wait_outcome(client: Any, result: str) -> Any:
    def found() -> Any:
        return next((push["outcome"] for push in device(client)["pushes"] if push.get("outcome", {}).get("result") == result), None)

    return wait_until(found, 30, lambda: f"a push that is {result}; {device(client)}", every=0.1)


def test_an_agent_goes_on_after_a_webhook_has_posted_what_its_person_decided(relay, endpoint, ada, scripted_host):
    host = scripted_host()
    host.start_session("s1", title="Mend the roof")
    approval = host.request_approval("s1", "Bash", {"command": "rm -rf build"})
    request = endpoint.wait()
    document = request.document
    assert faults("push-document", document) == []
    assert request.path == PATH and request.headers["content-type"] == "application/json"
    assert request.headers["webhook-id"] == document["id"] and abs(int(request.headers["webhook-timestamp"]) - time.time()) < 300
    assert (document["kind"], document["approval"], document["sessionTitle"]) == ("approval", approval, "Mend the roof")
    wait_outcome(ada, "accepted")
    url = next(action["url"] for action in document["actions"] if action["decision"] == "allow")
    assert relay.post(url.removeprefix(relay.url), {"decision": "allow"}).status == 200
    host.wait_decision(approval)
    assert "receiver chat: 0 running, 0 waiting, 1 accepted\n" in relay.run("push", "status", "--data", str(relay.data)).stdout


def test_what_is_changed_on_its_way_does_not_verify(endpoint, ada):
    assert "error" not in ada.command("testPush", device="d1")
    request = endpoint.wait()
    assert request.document["kind"] == "test"
    changed = request.body.replace(b"Team chat", b"Team chit")
    for headers, body in ((request.headers, changed), (request.headers | {"webhook-id": "other"}, request.body)):
        with pytest.raises(WebhookVerificationError):
            Webhook(SECRET).verify(body, headers)


@pytest.mark.parametrize("answer", [(503, {}), (429, {"Retry-After": "1"}), (500, {})])
def test_a_server_in_trouble_gets_it_again_with_the_same_id_and_a_new_signature(endpoint, ada, answer):
    endpoint.answers = [answer]
    assert "error" not in ada.command("testPush", device="d1")
    wait_outcome(ada, "accepted")
    first, second = endpoint.requests
    assert first.body == second.body and first.document == second.document
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["webhook-signature"] != second.headers["webhook-signature"] or first.headers["webhook-timestamp"] == second.headers["webhook-timestamp"]


def test_a_webhook_that_says_it_is_gone_is_dropped_until_it_is_added_again(relay, endpoint, ada):
    endpoint.answers = [(410, {})]
    assert "error" not in ada.command("testPush", device="d1")
    wait_until(lambda: device(ada)["device"]["receiver"] == {}, 20, lambda: str(device(ada)), every=0.1)
    assert "says that it is gone" in device(ada)["trouble"] and len(endpoint.requests) == 1
    assert ada.command("testPush", device="d1")["error"]["code"] == "unavailable"
    assert "Receiver chat: its last push was not taken: 410" in relay.run("doctor", "--data", str(relay.data), check=False).stdout


@pytest.mark.parametrize("status", [400, 401, 404, 302])
def test_a_refusal_is_final_and_said(relay, endpoint, ada, status):
    endpoint.answers = [(status, {"Location": "https://169.254.169.254/"} if status == 302 else {})]
    assert "error" not in ada.command("testPush", device="d1")
    assert wait_outcome(ada, "refused")["text"].startswith(str(status))
    assert len(endpoint.requests) == 1
    assert f"the last was not: {status}" in relay.run("push", "status", "--data", str(relay.data)).stdout


@pytest.mark.parametrize("entry, words", [
    ({"url": "http://chat.example/x"}, "it has no TLS"), ({"url": "https://localhost:8443/x"}, "is only called if"),
    ({"url": "https://169.254.169.254/latest"}, "is only called if"), ({"url": "https://chat.example/x", "secret": "whsec_short"}, "$.receivers[0].secret"),
    ({"url": "https://chat.example/x", "program": ["/bin/cat"]}, "$.receivers[0].program"), ({"url": "chat.example"}, "$.receivers[0].url"),
    ({"url": "https://chat.example/x", "address": "chat"}, "$.receivers[0].address"),
])  # fmt: skip
def test_a_relay_does_not_start_with_a_webhook_that_it_would_not_call(tmp_path, certificate, entry, words):
    relay = serving(tmp_path / "wrong", certificate, entry)
    relay.launch()
    assert relay.wait_end() != 0
    assert words in relay.log_text()
