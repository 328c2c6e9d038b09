"""Pictures of prompts: at the relay and in the terminal, with a scripted host."""

import json
import sqlite3
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client import WireClient
from host import ScriptedHost
from pictures import SIGNATURE, bring, named, png
from relay import BINARY, Relay, plain_environment
from waits import patient, wait_until

MAX = 768 << 10
BEARER = "Authorization"


@pytest.fixture
def host(relay: Relay, scripted_host: Callable[..., ScriptedHost]) -> ScriptedHost:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    for session, offer in (("s1", {"actions": ["prompt"], "pictures": True}), ("s2", {"actions": ["prompt"]})):
        host.start_session(session, title=session)
        host.event(session, "steering.offered", offer)
        host.event(session, "status.changed", {"status": "idle"})
        host.wait_acked(session)
    return host


@pytest.fixture
def phone(relay: Relay, host: ScriptedHost, client: Callable[..., WireClient]) -> WireClient:
    phone = client(relay, "Ada's phone", role="operator")
    phone.subscribe()
    phone.subscribe("s1")
    return phone


def get(relay: Relay, token: str, digest: str) -> Any:
    return relay.get(f"/v1/pictures/{digest}", {BEARER: f"Bearer {token}"})


def test_a_picture_is_kept_named_by_its_prompt_and_fetched_by_its_host(relay: Relay, host: ScriptedHost, phone: WireClient) -> None:
    picture = png()
    answer = bring(relay, phone.token, "s1", picture)
    assert (answer.status, answer.json) == (200, named(picture))
    reply = phone.command("prompt", session="s1", text="what is this?", pictures=[named(picture)])
    assert reply.get("delivery") == "sent", reply
    asked = host.wait_steered("prompt")
    assert asked["pictures"] == [named(picture)]
    event = phone.wait_event("s1", lambda event: event["kind"] == "steering.requested")
    assert event["body"] == {"text": "what is this?", "pictures": [named(picture)]}
    for token in (host.token, phone.token, relay.token("watcher", "a tablet")):
        got = get(relay, token, named(picture)["digest"])
        assert (got.status, got.body) == (200, picture)
        assert got.headers["content-type"] == "image/png" and got.headers["x-content-type-options"] == "nosniff"
        assert got.headers["content-disposition"].startswith("attachment") and "default-src 'none'" in got.headers["content-security-policy"]
    # A snapshot names pictures without their bytes.
    assert all(len(str(message)) < 20_000 for message in phone.messages)
    # A picture survives a restart, and is in the audit log by its digest.
    relay.restart()
    wait_until(lambda: get(relay, phone.token, named(picture)["digest"]).status == 200, 10, "the picture after a restart")
    assert named(picture)["digest"] in relay.run("audit", "export", "--data", str(relay.data)).stdout
    phone.check()


def test_what_is_no_picture_too_large_or_of_nobodys_session_is_refused(relay: Relay, host: ScriptedHost, phone: WireClient) -> None:
    picture = png()
    for content in (b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", b"GIF89a" + b"x" * 50, SIGNATURE[:5], b"\xff\xd8", b"RIFFxxxxWEBM"):
        assert bring(relay, phone.token, "s1", content).status == 415
    assert bring(relay, phone.token, "s1", picture.ljust(MAX, b"x")).status == 200, "the largest"
    assert bring(relay, phone.token, "s1", SIGNATURE + b"x" * MAX).status == 413
    assert bring(relay, phone.token, "nobody", picture).status == 404
    assert bring(relay, phone.token, "no%20name", picture).status == 400
    for role in ("watcher", "client", "host"):
        assert bring(relay, relay.token(role, f"a {role}"), "s1", picture).status == 403
    assert bring(relay, "nonsense", "s1", picture).status == 401
    # An unauthenticated peer cannot send a large body.
    assert bring(relay, "nonsense", "s1", SIGNATURE + b"x" * 100_000).status == 413
    assert relay.rows("SELECT count(*) FROM pictures") == [(1,)]


def test_a_prompt_names_only_what_is_kept_beside_its_session(relay: Relay, host: ScriptedHost, phone: WireClient) -> None:
    kept, other, unknown = png(), png(9, 9), png(10, 10)
    assert bring(relay, phone.token, "s1", kept).status == 200
    assert bring(relay, phone.token, "s2", other).status == 200

    def refusal(*pictures: bytes, session: str = "s1", **changes: Any) -> str:
        reply = phone.command("prompt", session=session, text="look", pictures=[named(one) | changes for one in pictures])
        return reply["error"]["code"]

    assert refusal(unknown) == "unknownPicture" and refusal(kept, unknown) == "unknownPicture"
    assert refusal(other) == "unknownPicture", "another session's"
    assert refusal(kept, type="image/jpeg") == "unknownPicture" and refusal(kept, bytes=1) == "unknownPicture"
    assert refusal(kept, session="s2") == "unsupported", "it takes none"
    assert refusal(*[kept] * 5) == "outOfRange"
    assert refusal(kept, digest="../../etc") == "badValue"
    assert not [event for event in phone.logs["s1"] if event["kind"] == "steering.requested"], "nothing is recorded"
    assert relay.rows("SELECT count(*) FROM commands") == [(0,)]


def test_another_workspaces_pictures_are_none(relay: Relay, host: ScriptedHost, phone: WireClient) -> None:
    picture = png()
    assert bring(relay, phone.token, "s1", picture).status == 200
    theirs = {role: relay.token(role, f"their {role}") for role in ("operator", "host")}
    ours = relay.token("host", "our other laptop")
    relay.stop()
    with sqlite3.connect(relay.data / "heliograph.sqlite") as database:
        database.execute("INSERT INTO workspaces (workspace, name) VALUES ('w2', 'Theirs')")
        database.execute("UPDATE tokens SET workspace = 'w2' WHERE name LIKE 'their%'")
    relay.start()
    missing = get(relay, phone.token, "0" * 64)
    assert missing.status == 404
    for token in (*theirs.values(), ours):
        got = get(relay, token, named(picture)["digest"])
        assert (got.status, got.body) == (404, missing.body), "another host's session is another host's"
    assert bring(relay, theirs["operator"], "s1", picture).status == 404
    assert get(relay, phone.token, named(picture)["digest"]).status == 200


def test_pictures_come_back_with_a_backup(relay: Relay, host: ScriptedHost, phone: WireClient, tmp_path: Path) -> None:
    (kept, later), backup = (png(), png(9, 9)), tmp_path / "copy.sqlite"
    assert bring(relay, phone.token, "s1", kept).status == 200
    relay.run("backup", str(backup), "--data", str(relay.data))
    assert bring(relay, phone.token, "s1", later).status == 200
    relay.stop()
    relay.run("restore", str(backup), "--force", "--data", str(relay.data))
    relay.start()
    got = get(relay, phone.token, named(kept)["digest"])
    assert (got.status, got.body) == (200, kept)
    assert get(relay, phone.token, named(later)["digest"]).status == 404, "it came after the backup"


def test_with_curl_alone(relay: Relay, host: ScriptedHost, phone: WireClient, tmp_path: Path) -> None:
    """As documented in Protocol.md, curl alone can upload a picture and fetch it."""
    (screen, back, large) = (tmp_path / "screen.png", tmp_path / "back", tmp_path / "large.png")
    screen.write_bytes(png(40, 30, seed=2))
    large.write_bytes(SIGNATURE + b"x" * MAX)
    watcher = relay.token("watcher", "a tablet")

    def curl(*words: str, token: str = phone.token) -> tuple[int, str]:
        command = ["curl", "-s", "-w", "\n%{http_code}", "-H", f"{BEARER}: Bearer {token}", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patient(20))
        text, status = done.stdout.rsplit("\n", 1)
        return int(status), text

    def send(file: Path, session: str = "s1", token: str = phone.token) -> tuple[int, str]:
        return curl("--data-binary", f"@{file}", f"{relay.url}/v1/pictures?session={session}", token=token)

    status, answer = send(screen)
    assert (status, json.loads(answer)) == (200, named(screen.read_bytes()))
    assert curl("-o", str(back), f"{relay.url}/v1/pictures/{named(screen.read_bytes())['digest']}") == (200, "")
    assert back.read_bytes() == screen.read_bytes()
    for (status, answer), expected in (
        (send(Path(__file__)), (415, "badValue")), (send(screen, "nobody"), (404, "notFound")),
        (send(screen, token=watcher), (403, "forbidden")), (send(screen, token="nonsense"), (401, "unauthorized")),
    ):  # fmt: skip
        assert (status, json.loads(answer)["error"]["code"]) == expected, answer
    # The relay answers before it has read the whole body.
    assert send(large) == (413, f"the body is larger than {MAX} bytes\n")


def test_the_terminal_shows_a_picture_and_refuses_clearly(relay: Relay, host: ScriptedHost, phone: WireClient, tmp_path: Path) -> None:
    (screen, text, large) = (tmp_path / "screen.png", tmp_path / "notes.png", tmp_path / "large.png")
    screen.write_bytes(png(40, 30, seed=1))
    text.write_text("no picture")
    large.write_bytes(SIGNATURE + b"x" * MAX)

    def prompt(*pictures: Path, session: str = "s1") -> Any:
        options = [word for picture in pictures for word in ("--picture", str(picture))]
        command = [str(BINARY), "prompt", session, "look", "--wait", "0", *options]
        own = plain_environment(tmp_path) | {"HELIOGRAPH_RELAY": relay.url, "HELIOGRAPH_TOKEN": phone.token}
        return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=own, timeout=patient(20))

    huge = tmp_path / "huge.png"
    huge.write_bytes(png()[:16] + struct.pack(">II", 30_000, 30_000) + png()[24:])
    done = prompt(screen)
    assert done.returncode == 0, done.stderr
    picture = named(screen.read_bytes())
    assert host.wait_steered("prompt")["pictures"] == [picture]
    assert get(relay, host.token, picture["digest"]).body == screen.read_bytes()
    for result, words in (
        (prompt(text), "is no picture that agents take"), (prompt(large), "is larger than 768 KiB"), (prompt(tmp_path), "is no file"),
        (prompt(huge), "has 30000 × 30000 pixels"), (prompt(tmp_path / "none.png"), "cannot be read"), (prompt(screen, session="s2"), "takes no pictures"), (prompt(*[screen] * 5), "at most 4"),
    ):  # fmt: skip
        assert result.returncode != 0 and words in result.stderr, result.stderr


def test_the_terminal_starts_a_session_with_a_picture(relay: Relay, host: ScriptedHost, phone: WireClient, tmp_path: Path) -> None:
    agents = [{"name": "claude", "title": "Claude Code", "pictures": True}, {"name": "blind", "title": "Blind"}]
    host.start_session("desk", title="New sessions")
    host.event("desk", "steering.offered", {"actions": ["start"], "projects": [{"name": "site", "folder": "~/site"}], "agents": agents})
    host.wait_acked("desk")
    screen = tmp_path / "screen.png"
    screen.write_bytes(png(40, 30, seed=3))

    def start(*words: str, agent: str = "claude") -> Any:
        command = [str(BINARY), "start", "site", *words, "--agent", agent, "--wait", "0", "--picture", str(screen)]
        own = plain_environment(tmp_path) | {"HELIOGRAPH_RELAY": relay.url, "HELIOGRAPH_TOKEN": phone.token}
        return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=own, timeout=patient(20))

    done = start("what is wrong here?")
    assert done.returncode == 0, done.stderr
    asked = host.wait_steered("start")
    assert (asked["text"], asked["pictures"]) == ("what is wrong here?", [named(screen.read_bytes())])
    assert get(relay, host.token, asked["pictures"][0]["digest"]).body == screen.read_bytes()
    for result, words in ((start("look", agent="blind"), "takes no pictures"), (start(), "Pictures go with a prompt")):
        assert result.returncode != 0 and words in result.stderr, result.stderr
