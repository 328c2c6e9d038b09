"""The APNs simulator tested over the network with HTTP/2 clients of other makes."""

import json
import select
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h2.events
import h2.exceptions
import pytest

from apns import ATTRIBUTES, BUNDLE, APNsPeer, Gone, Simulator
from waits import wait_until


@pytest.fixture
def simulator(tmp_path: Path) -> Iterator[Callable[..., Simulator]]:
    """`simulator(script={...})`: starts simulators; after the test each must end cleanly."""
    made: list[Simulator] = []

    def make(*arguments: str, **options: Any) -> Simulator:
        made.append(Simulator(tmp_path / f"simulator{len(made)}", *arguments, **options))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def rule(**fields: Any) -> dict[str, Any]:
    return {"rules": [fields]}


def test_one_stream_until_the_first_good_token_then_a_thousand(simulator: Any) -> None:
    apns = simulator()
    peer = APNsPeer(apns)
    assert peer.streams_max == 1
    headers, body = apns.alert()
    status, answered, reason = peer.push(({**headers, "authorization": "bearer x"}, body))
    assert (status, reason) == (403, {"reason": "InvalidProviderToken"})
    assert answered["apns-id"] and answered["content-type"] == "application/json"
    assert peer.streams_max == 1
    status, answered, body_of_answer = peer.push((headers, body))
    assert (status, body_of_answer) == (200, None)
    assert answered["apns-unique-id"]
    assert peer.streams_max == 1000
    assert apns.device()["notifications"][0]["body"] == "Run: swift test"


@pytest.mark.parametrize("der", [False, True])
def test_both_spellings_of_a_signature_are_taken_and_a_forged_one_is_not(simulator: Any, der: bool) -> None:
    apns = simulator()
    headers, body = apns.alert()
    good = apns.key.token(der=der)
    forged = good[:-8] + ("A" * 8 if good[-8:] != "A" * 8 else "B" * 8)
    assert APNsPeer(apns).push(({**headers, "authorization": f"bearer {good}"}, body))[0] == 200
    assert APNsPeer(apns).push(({**headers, "authorization": f"bearer {forged}"}, body))[0] == 403


def test_a_second_stream_before_that_is_refused(simulator: Any) -> None:
    apns = simulator()
    peer = APNsPeer(apns)
    headers, body = apns.alert()
    # hyper-h2 would refuse to send one stream too many, so its limit is raised.
    first = peer.connection.get_next_available_stream_id()
    pseudo = [(":method", "POST"), (":scheme", "https"), (":authority", "localhost")]
    peer.connection.send_headers(first, [*pseudo, *headers.items()])
    peer.connection.remote_settings.max_concurrent_streams = 100
    peer.connection.remote_settings.acknowledge()
    second = peer.send(headers, body)
    # nghttp2 resets an excess stream if the client cannot know the limit yet, and closes the connection if it does.
    try:
        event = peer.wait_for(h2.events.StreamReset, second)
        assert event.error_code == 7
    except Gone:
        pass
    assert apns.device()["notifications"] == []


def test_too_large_is_answered_413_whatever_its_size(simulator: Any) -> None:
    apns = simulator()
    peer = APNsPeer(apns)
    headers, _ = apns.alert()
    assert peer.push((headers, b" " * 4096))[0] == 200
    for size in (4097, 16_000, 60_000):
        # hyper-h2 does not split data into frames.
        stream = peer.connection.get_next_available_stream_id()
        pseudo = [(":method", "POST"), (":scheme", "https"), (":authority", "localhost")]
        peer.connection.send_headers(stream, [*pseudo, *headers.items()])
        for start in range(0, size, 16_000):
            while peer.connection.local_flow_control_window(stream) < 16_000:
                peer.read()
            piece = b" " * min(16_000, size - start)
            peer.connection.send_data(stream, piece, end_stream=start + len(piece) == size)
            peer.flush()
        assert peer.answer(stream)[0::2] == (413, {"reason": "PayloadTooLarge"})


def test_a_card_from_start_to_dismissal_on_the_clock_of_the_test(simulator: Any) -> None:
    apns = simulator()
    now = apns.do("clock", stopped=True)["now"]
    peer = APNsPeer(apns)
    start = {
        "timestamp": now // 1000, "event": "start", "attributes-type": "CodingBridgeActivityAttributes",
        "attributes": ATTRIBUTES, "content-state": {"status": "processing", "elapsedSeconds": 0},
        "alert": {"title": "relay", "body": "is working"},
    }
    assert peer.push(apns.activity("pushToStart", **start))[0] == 200
    assert apns.device()["screen"]["island"][0]["kind"] == "expanded"
    apns.do("clock", advance=10_000)
    done = {"timestamp": now // 1000 + 1, "event": "end", "content-state": {"status": "completed", "elapsedSeconds": 9}}
    assert peer.push(apns.activity("activityUpdate", **done))[0] == 200
    card = apns.device()["screen"]["lockScreen"][0]
    assert card["isEnded"] and card["face"]["status"] == "Completed"
    apns.do("clock", advance=4 * 3_600_000)
    assert apns.device()["activities"] == []
    requests = apns.journal("request")
    assert [r["devices"][0]["outcome"] for r in requests] == ["started", "ended"]
    assert [d["outcome"] for d in apns.journal("device")] == ["dismissed"]
    # With the present clock the token is valid; two hours later it has expired, and the connection refuses every token.
    assert peer.push(apns.alert())[2] == {"reason": "ExpiredProviderToken"}


def test_channels_by_the_shapes_that_apple_documents(simulator: Any) -> None:
    apns = simulator()
    peer = APNsPeer(apns, "sandboxManagement")
    base = {"authorization": f"bearer {apns.key.token()}"}
    path = f"/1/apps/{BUNDLE}"
    body = json.dumps({"message-storage-policy": 1, "push-type": "LiveActivity"}).encode()
    status, headers, nothing = peer.answer(peer.send({":path": f"{path}/channels", **base}, body))
    assert (status, nothing) == (201, None)
    channel = headers["apns-channel-id"]
    assert peer.answer(peer.send({":path": f"{path}/all-channels", **base}, method="GET"))[2] == {"channels": [channel]}
    named = {":path": f"{path}/channels", **base, "apns-channel-id": channel}
    assert peer.answer(peer.send(named, method="GET"))[2] == {"message-storage-policy": 1, "push-type": "LiveActivity"}
    publisher = APNsPeer(apns)
    publish = {
        ":path": f"/4/broadcasts/apps/{BUNDLE}", **base, "apns-channel-id": channel, "apns-push-type": "liveactivity",
        "apns-expiration": "0",
    }
    assert publisher.answer(publisher.send(publish, b"{}"))[0] == 200
    assert peer.answer(peer.send(named, method="DELETE"))[0] == 204
    assert publisher.answer(publisher.send(publish, b"{}"))[2] == {"reason": "ChannelNotRegistered"}



def test_goaway_with_the_last_stream_before_this_one(simulator: Any) -> None:
    apns = simulator(script=rule(request=2, do="goAway", lastStream="before", reason="Shutdown", closes=True))
    peer = APNsPeer(apns)
    first = peer.send(*apns.alert())
    assert peer.answer(first)[0] == 200
    peer.send(*apns.alert())
    event = peer.wait_for(h2.events.ConnectionTerminated)
    assert event.last_stream_id == first
    assert json.loads(event.additional_data) == {"reason": "Shutdown"}
    assert len(apns.device()["notifications"]) == 1


def test_goaway_that_lets_what_is_under_way_end(simulator: Any) -> None:
    apns = simulator(script=rule(request=1, do="goAway", reason="IdleTimeout", delay=50))
    peer = APNsPeer(apns)
    stream = peer.send(*apns.alert())
    assert peer.wait_for(h2.events.ConnectionTerminated).last_stream_id == stream
    # hyper-h2 treats GOAWAY as the end, so its complaint about the response proves that the response arrived.
    with pytest.raises(h2.exceptions.ProtocolError, match="RECV_HEADERS"):
        peer.wait_for(h2.events.StreamEnded, stream)
    assert len(apns.device()["notifications"]) == 1


@pytest.mark.parametrize(("code", "delivered"), [(7, 0), (2, 1)])
def test_reset(simulator: Any, code: int, delivered: int) -> None:
    apns = simulator(script=rule(do="reset", code=code))
    peer = APNsPeer(apns)
    stream = peer.send(*apns.alert())
    assert peer.wait_for(h2.events.StreamReset, stream).error_code == code
    assert len(apns.device()["notifications"]) == delivered
    assert peer.push(apns.alert())[0] == 200, "the connection lives on"


@pytest.mark.parametrize(
    ("fault", "headers_came"),
    [
        ({"do": "close"}, False),
        ({"do": "cut", "at": "insideHeaders"}, False),
        ({"do": "cut", "at": "afterHeaders"}, True),
    ],
)
def test_the_connection_ends_in_the_middle(simulator: Any, fault: dict[str, Any], headers_came: bool) -> None:
    apns = simulator(script=rule(**fault))
    peer = APNsPeer(apns)
    stream = peer.send(*apns.alert())
    with pytest.raises((Gone, ssl_errors())):
        peer.wait_for(h2.events.StreamEnded, stream)
    assert any(isinstance(e, h2.events.ResponseReceived) for e in peer.events) == headers_came
    assert len(apns.device()["notifications"]) == 1, "it was taken all the same"


def test_reset_of_tcp(simulator: Any) -> None:
    apns = simulator(script=rule(do="close", resets=True))
    peer = APNsPeer(apns)
    peer.send(*apns.alert())
    # poll does not report a FIN while this side is still open.
    poll = select.poll()
    poll.register(peer.socket, 0)
    assert poll.poll(5000)[0][1] & select.POLLHUP


@pytest.mark.parametrize(("fault", "delivered"), [("hang", 1), ("blackHole", 0)])
def test_silence(simulator: Any, fault: str, delivered: int) -> None:
    apns = simulator(script=rule(do=fault))
    peer = APNsPeer(apns)
    stream = peer.send(*apns.alert())
    peer.connection.ping(b"12345678")
    peer.flush()
    peer.socket.settimeout(1)
    if fault == "hang":
        # The stream gets no answer, but the connection answers a ping.
        peer.wait_for(h2.events.PingAckReceived)
    with pytest.raises(TimeoutError):
        peer.wait_for(h2.events.StreamEnded, stream)
    assert len(apns.device()["notifications"]) == delivered
    assert APNsPeer(apns).push(apns.alert())[0] == 200, "others are served"


def test_a_window_that_is_never_opened_again(simulator: Any) -> None:
    apns = simulator(script=rule(request=1, do="starveWindow"))
    peer = APNsPeer(apns)
    headers, _ = apns.alert()
    assert peer.push((headers, b" " * 4096))[0] == 200
    window = peer.connection.outbound_flow_control_window
    for _ in range(5):
        assert peer.push((headers, b" " * 4096))[0] == 200
    assert peer.connection.outbound_flow_control_window == window - 5 * 4096
    fresh = APNsPeer(apns)
    for _ in range(40):
        assert fresh.push((headers, b" " * 4096))[0] == 200, "other connections are not starved"


def test_a_late_answer_and_a_lower_limit(simulator: Any) -> None:
    apns = simulator(script={"rules": [{"do": "late", "delay": 300}, {"do": "limitStreams", "count": 2}]})
    peer = APNsPeer(apns)
    began = time.monotonic()
    assert peer.push(apns.alert())[0] == 200
    assert time.monotonic() - began >= 0.3
    assert peer.push(apns.alert())[0] == 200
    wait_until(lambda: peer.read() or peer.streams_max == 2 if peer.streams_max != 2 else True, 5, "the lower limit")


def test_an_idle_connection_is_shown_out(simulator: Any) -> None:
    apns = simulator("--idle-timeout", "3600")
    peer = APNsPeer(apns)
    assert peer.push(apns.alert())[0] == 200
    apns.do("clock", advance=3_600_000)
    event = peer.wait_for(h2.events.ConnectionTerminated)
    assert json.loads(event.additional_data) == {"reason": "IdleTimeout"}



def test_a_command_that_makes_no_sense_is_refused_with_its_place(simulator: Any) -> None:
    apns = simulator()
    for command, path in [
        ({"do": "dance"}, "$.do"), ({"do": "online", "device": "watch"}, "$.device"), ({"do": "clock", "set": 1}, "$.set"),
        ({"commands": [{"do": "tokens?"}, {"do": "app"}]}, "$.commands[1].bundle"),
        ({"do": "script", "rules": [{"do": "hang", "tiems": 2}]}, "$.rules[0].tiems"),
    ]:
        status, answer = apns.admin(command)
        assert (status, answer["path"]) == (400, path)
    assert apns.admin(b"{")[0] == 400


def test_the_journal_holds_no_provider_token(simulator: Any) -> None:
    apns = simulator()
    headers, body = apns.alert()
    APNsPeer(apns).push((headers, body))
    text = apns.journal_file.read_text()
    assert headers["authorization"].removeprefix("bearer ") not in text
    assert apns.journal("request")[0]["provider"]["key"] == apns.key.id



def test_curl(simulator: Any) -> None:
    apns = simulator()
    headers, body = apns.alert()
    path = headers.pop(":path")
    host, port = apns.addresses["sandbox"].split(":")
    command = ["curl", "--silent", "--show-error", "--http2", "--cacert", apns.ca, "--write-out", "%{http_code} %{http_version}"]
    command += ["--resolve", f"api.sandbox.push.apple.com:{port}:{host}", "--data-binary", body.decode()]
    for name, value in headers.items():
        command += ["--header", f"{name}: {value}"]
    # curl adds a content type by default, which APNs does not use.
    command += ["--header", "content-type:", f"https://api.sandbox.push.apple.com:{port}{path}"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "200 2"


@pytest.mark.skipif(shutil.which("h2load") is None, reason="h2load (nghttp2-client) is not installed")
def test_h2load(simulator: Any, tmp_path: Path) -> None:
    apns = simulator()
    headers, body = apns.alert()
    path = headers.pop(":path")
    (tmp_path / "body").write_bytes(body)
    command = ["h2load", "-n", "2000", "-c", "1", "-m", "1", "-d", tmp_path / "body"]
    for name, value in headers.items():
        command += ["--header", f"{name}: {value}"]
    host, port = apns.addresses["sandbox"].split(":")
    done = subprocess.run([*command, f"https://{host}:{port}{path}"], capture_output=True, text=True, check=True)
    assert "2000 succeeded, 0 failed" in done.stdout, done.stdout
    assert len(apns.journal("request")) == 2000


def test_plain_http_and_http_1_are_not_spoken(simulator: Any) -> None:
    apns = simulator()
    host, port = apns.addresses["sandbox"].split(":")
    with socket.create_connection((host, int(port)), timeout=5) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        # The server may send a TLS alert, but no HTTP.
        assert not plain.recv(100).startswith(b"HTTP/")
    done = subprocess.run(
        ["curl", "--silent", "--http1.1", "--cacert", apns.ca, f"https://{host}:{port}/"], capture_output=True
    )
    assert done.returncode != 0


def ssl_errors() -> type[Exception]:
    import ssl

    return ssl.SSLError
