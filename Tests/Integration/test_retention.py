"""What the relay no longer keeps: real files, a real restart."""

from schema import assert_valid

KEPT_MEGABYTES = 1
TEXT = "x" * 4000
EVENTS = 200  # about 800 kB a session
BATCH = 50
TRIM_SECONDS_MAX = 30


def fill(host, session: str, ended: bool) -> None:
    host.start_session(session)
    for _ in range(EVENTS // BATCH):
        host.events(session, [("message", {"role": "assistant", "summary": TEXT})] * BATCH)
    if ended:
        host.event(session, "session.ended", {})
    host.wait_acked(session)


def test_ended_sessions_go_first_and_positions_stay_honest(make_relay, scripted_host, client):
    """Above its megabyte a workspace loses the sessions that ended, the oldest first; who comes with a position of one hears so."""
    relay = make_relay()
    host = scripted_host(relay)
    for session in ("first", "second", "third"):
        fill(host, session, ended=session != "third")
    relay.stop()
    relay.arguments += ["--keep-megabytes", str(KEPT_MEGABYTES)]
    relay.start()
    phone = client(relay)
    phone.subscribe()
    for session in ("first", "second"):
        phone.wait(
            lambda message: message["type"] == "removed" and message["session"] == session,
            timeout=TRIM_SECONDS_MAX, what=f"{session} to be removed",
        )  # fmt: skip
    removed = [message["session"] for message in phone.messages if message["type"] == "removed"]
    assert removed == ["first", "second"]
    welcome = next(message for message in phone.messages if message["type"] == "welcome")
    position = {"epoch": welcome["epoch"], "seq": 3}
    assert phone.command("subscribe", session="first", after=position)["error"]["code"] == "notFound"

    # Its host goes on with one of them: so do the numbers. What lies before is gone, and said to be.
    host.wait_connected()
    number = host.event("first", "session.started", {"agent": {"name": "claude-code"}})
    host.wait_acked("first")
    phone.subscribe("first", after=position)
    reset = phone.wait(lambda message: message["type"] == "reset", what="reset")
    assert reset["reason"] == "trimmed"
    snapshot = phone.wait(lambda message: message["type"] == "snapshot" and message.get("session") == "first", what="a snapshot")
    assert snapshot["first"] == snapshot["seq"] == snapshot["summary"]["first"] == number == EVENTS + 3
    assert_valid("relay-to-client", phone.messages, each_type_max=100)
