"""Attacks and mistakes of outsiders against the real binary."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client import WireClient
from doctor import doctor
from relay import BINARY, Relay, code_of, plain_environment
from waits import patient, wait_until

VISITOR = "X-Forwarded-For: 203.0.113.7"
SECOND = "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
"""A request that a proxy would take for the body of the first."""


def raw(relay: Relay, text: str) -> tuple[list[int], str]:
    """Sends raw bytes; returns the statuses of all responses until the relay closes the connection, and the whole text."""
    with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(10)) as knock:
        knock.sendall(text.encode())
        answer = b""
        try:
            while piece := knock.recv(65536):
                answer += piece
        except ConnectionResetError:
            pass
    return [int(status) for status in re.findall(r"^HTTP/1\.1 (\d+)", answer.decode(), re.MULTILINE)], answer.decode()


def head(first: str, *lines: str) -> str:
    return "\r\n".join((f"{first} HTTP/1.1", "Host: a", *lines, "", ""))



@pytest.mark.parametrize("swallower", ["X-A", "X-Forwarded", "Conten", "Hos"])
def test_nothing_behind_a_proxys_request_is_run(relay: Relay, swallower: str) -> None:
    """A proxied request is the last one of its connection, even if the visitor hid the length of its body from the relay."""
    code = json.dumps({"code": "abc"})
    for text in (
        head("GET /v1/me", VISITOR, f"{swallower}: b", f"Content-Length: {len(SECOND)}") + SECOND,
        head("POST /v1/pair", VISITOR, f"{swallower}: b", "Transfer-Encoding: chunked", f"Content-Length: {len(code)}") + code + SECOND,
        head("POST /v1/pair", VISITOR, f"Content-Length: {len(code)}", f"{swallower}: b", f"Content-Length: {len(code + SECOND)}") + code + SECOND,
        head("GET /healthz", "X-Forwarded-Proto: https") + SECOND,
    ):
        statuses, answer = raw(relay, text)
        assert len(statuses) == 1 and "connection: close\r\n" in answer, (text, answer)
    assert raw(relay, head("GET /healthz") + SECOND)[0] == [200, 200], "who comes straight here asks again"


def test_a_visitor_whose_address_is_hidden_is_refused(relay: Relay) -> None:
    for lines in (["X-Forwarded: b", VISITOR, "X-Forwarded-Proto: https"], ["X-Forwarded-Host: relay.example"]):
        statuses, answer = raw(relay, head("GET /v1/me", *lines))
        assert statuses == [400] and "does not say where from" in answer, answer
        assert raw(relay, head("GET /healthz", *lines))[0] == [200]
    assert raw(relay, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n\r\n")[0] == [401]
    assert raw(relay, "GET /v1/me HTTP/1.1\r\n\r\n")[0] == [400], "HTTP/1.1 has a Host"


def test_a_proxys_public_name_without_a_visitor_is_refused(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--public-url", "https://relay.example")
    assert raw(relay, "GET /v1/me HTTP/1.1\r\nHost: relay.example\r\n\r\n")[0] == [400]
    assert raw(relay, f"GET /v1/me HTTP/1.1\r\nHost: relay.example\r\n{VISITOR}\r\n\r\n")[0] == [401]


def test_with_a_public_name_no_other_name_is_the_relays(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--public-url", "https://relay.example")

    def status(host: str, origin: str) -> int:
        return raw(relay, f"POST /v1/pair HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}")[0][0]

    assert status("evil.example", "http://evil.example") == 403
    for host in ("localhost", f"127.0.0.1:{relay.port}", "192.0.2.1"):
        assert status(host, f"http://{host}") == 400, "it is read, and is no call"
    assert status("localhost", "https://relay.example") == 400


def test_a_name_that_begins_like_this_machines_is_somebodys(relay: Relay) -> None:
    def status(path: str, host: str, *lines: str) -> int:
        return raw(relay, "\r\n".join((f"{path} HTTP/1.1", f"Host: {host}", *lines, "Connection: close", "", "")))[0][0]

    for name in (f"[::1].evil.example:{relay.port}", "[::1]evil.example", "127.0.0.1:80.evil.example"):
        assert status("GET /metrics", name) in (400, 401), name
    assert status("GET /metrics", f"[::1]:{relay.port}") == 200 and status("GET /metrics", "localhost") == 200


def test_wrong_codes_of_pairing_are_few_a_minute(relay: Relay) -> None:
    body = json.dumps({"code": "wrong"}).encode()
    statuses = [relay.post("/v1/pair", body).status for _ in range(25)]
    assert statuses == [404] * 20 + [429] * 5
    code = code_of(relay.pair_link("client"))
    assert relay.post("/v1/pair", {"code": code, "name": "phone"}).status == 200, "a right one counts"
    assert relay.post("/v1/pair", {"code": code, "name": "phone"}).status == 429, "it is used"


def test_new_names_do_not_fill_the_audit_log(relay: Relay) -> None:
    own = {"Authorization": f"Bearer {relay.token('client', 'phone')}"}
    name = relay.token_id("phone")
    statuses = [relay.post(f"/v1/tokens/{name}/rename", {"name": "as it is"}, own).status for _ in range(50)]
    statuses += [relay.post(f"/v1/tokens/{name}/rename", {"name": f"name {n}"}, own).status for n in range(100)]
    assert statuses == [200] * 100 + [429] * 50
    audit = [json.loads(line) for line in relay.run("audit", "export", "--data", str(relay.data)).stdout.splitlines()]
    assert len([line for line in audit if line["what"] == "token.renamed"]) == 51


def test_a_chain_of_pairings_is_listed_in_pages(relay: Relay) -> None:
    """A chain of 3,000 devices, each paired by the one before, as an earlier version permitted."""
    token = relay.token("client", "last")
    relay.stop()
    (file,) = relay.data.glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        row = "SELECT ?, ?, role, kind, subject, ?, workspace, ?, created_at FROM tokens WHERE name = 'last'"
        database.executemany(
            f"INSERT INTO tokens (token, digest, role, kind, subject, name, workspace, parent, created_at) {row}",
            [(f"t_{n}", hashlib.sha256(str(n).encode()).digest(), f"device {n}", f"t_{n - 1}" if n else None) for n in range(3_000)],
        )
        database.execute("UPDATE tokens SET parent = 't_2999' WHERE name = 'last'")
    relay.start()
    own = {"Authorization": f"Bearer {token}"}
    listed, page, after = [], {"next": None}, ""
    while "next" in page:
        answer = relay.get(f"/v1/tokens{after}", own)
        assert answer.status == 200 and len(answer.body) < 1 << 20, (answer.status, len(answer.body))
        page = answer.json
        listed += page["tokens"]
        after = f"?after={page.get('next')}"
    assert len(listed) == len({entry["id"] for entry in listed}) == 3_001
    first = next(entry for entry in listed if entry["id"] == "t_0")
    assert [child["id"] for child in first["children"]] == [f"t_{n}" for n in range(1, 17)] and first["moreChildren"] == 2_984
    assert relay.peak_kib < 200 << 10
    lines = relay.run("token", "list", "--json", "--data", str(relay.data)).stdout
    assert len(lines) < 8 << 20 and len(lines.splitlines()) == 3_001
    # The device cannot pair another one.
    phone = WireClient(relay, "phone", token)
    refused = phone.command("pair", role="client")
    assert refused["error"]["code"] == "tooMany" and "relay's own machine" in refused["error"]["message"], refused
    phone.connection.close()


def test_a_page_finds_its_cookie_among_any_number(relay: Relay) -> None:
    code = code_of(relay.pair_link("client"))
    paired = relay.post("/v1/pair", {"code": code, "name": "page"}, {"Origin": relay.url})
    own = paired.headers["set-cookie"].split(";")[0]
    planted = "; ".join(f"heliograph=planted{number}" for number in range(200))
    for cookies in (own, f"{planted}; {own}"):
        answer = relay.get("/v1/me", {"Cookie": cookies, "Heliograph-Key": paired.json["key"]})
        assert answer.status == 200, answer.body



def test_a_socket_that_was_removed_is_made_again(relay: Relay, client: Any) -> None:
    """An earlier command waits for the new socket; then a revocation takes effect, and connected peers are listed."""
    data = ("--data", str(relay.data))
    phone = client(relay, "phone")
    door = relay.data / "relay.sock"
    door.unlink()
    assert "connected now" in relay.run("token", "list", *data).stdout
    door.unlink()
    relay.run("push", "status", *data)
    # A file that is not the relay's is not replaced; the socket appears once the file is removed.
    door.unlink()
    door.write_text("mine")
    wait_until(lambda: "cannot be made again yet" in relay.log_text(), 20, "a word on it")
    assert door.read_text() == "mine"
    door.unlink()
    revoked = relay.run("token", "revoke", relay.token_id("phone"), *data)
    assert "revoked" in revoked.stdout and phone.connection.wait_closed() == 4401
    assert doctor(relay)["Relay"].state("Relay") == "well"
    relay.restart()
    assert door.is_socket()


def test_a_relay_that_cannot_hear_of_a_revocation_is_told_of(relay: Relay) -> None:
    data = ("--data", str(relay.data))
    relay.token("client", "stolen")
    token = next(json.loads(line) for line in relay.run("token", "list", "--json", *data).stdout.splitlines())
    (relay.data / "relay.sock").unlink()
    assert relay.process is not None
    relay.process.send_signal(signal.SIGSTOP)
    try:
        listed = relay.run("token", "list", *data)
        assert "last use not known" in listed.stdout and "cannot be asked" in listed.stderr, listed
        revoked = relay.run("token", "revoke", token["id"], *data, check=False)
        assert revoked.returncode == 1 and "has not noticed" in revoked.stderr and "restart" in revoked.stderr, revoked
        assert relay.run("workspace", "add", "Kitchen", *data, check=False).returncode == 1
        assert relay.run("push", "status", *data, check=False).returncode == 1
        finding = doctor(relay)["Relay"]["Relay"]
        assert finding["state"] == "wrong" and "cannot be asked" in finding["text"] and "restart" in finding["mend"]
    finally:
        relay.process.send_signal(signal.SIGCONT)
    relay.restart()
    assert doctor(relay)["Relay"].state("Relay") == "well"


def test_no_second_relay_runs_on_a_data_file_whose_lock_was_removed(relay: Relay) -> None:
    for name in ("relay.lock", "relay.sock"):
        (relay.data / name).unlink()
    second = relay.run("serve", "--data", str(relay.data), "--listen", "127.0.0.1:0", check=False)
    assert second.returncode == 1 and f"A relay is running on {relay.data}" in second.stderr, second
    relay.restart()


def test_a_backup_replaces_nothing_of_a_relays(relay: Relay, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(relay.data / "heliograph.sqlite")
    own = [relay.data / name for name in ("heliograph.sqlite", "heliograph.sqlite-wal", "relay.sock", "relay.lock")]
    for file in (*own, tmp_path / "link"):
        refused = relay.run("backup", str(file), "--force", "--data", str(relay.data), check=False)
        assert refused.returncode == 1, refused
    assert (relay.data / "relay.sock").is_socket() and relay.get("/readyz").status == 200
    for _ in range(2):
        relay.run("backup", str(tmp_path / "backup.sqlite"), "--force", "--data", str(relay.data))


@pytest.mark.parametrize(
    "words",
    [["token", "list"], ["token", "create", "--role", "client", "--name", "x"], ["token", "revoke", "t_x"], ["workspace", "list"],
     ["workspace", "add", "Kitchen"], ["pair"], ["backup", "there"], ["clock"], ["audit", "export"]],
    ids=lambda words: " ".join(words[:2]),
)  # fmt: skip
def test_a_mistyped_folder_is_no_new_relay(relay: Relay, words: list[str]) -> None:
    typo = relay.folder / "dtaa"
    refused = relay.run(*words, "--data", str(typo), check=False)
    assert refused.returncode == 5 and str(typo) in refused.stderr, refused
    assert not typo.exists()


def test_an_unknown_workspace_is_not_found(relay: Relay) -> None:
    for words in (["pair", "--workspace", "nobody"], ["audit", "export", "--workspace", "nobody"], ["workspace", "remove", "nobody", "--yes"]):
        refused = relay.run(*words, "--data", str(relay.data), check=False)
        assert refused.returncode == 5 and "no workspace" in refused.stderr, refused


def test_a_folder_whose_socket_has_no_room_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    deep = tmp_path / ("deep" * 30)
    refused = subprocess.run(
        [str(BINARY), "serve", "--data", str(deep), "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=patient(20),
        stdin=subprocess.DEVNULL, env=plain_environment(tmp_path),
    )  # fmt: skip
    assert refused.returncode == 2 and "ln -s" in refused.stderr, refused
    assert not deep.exists()


def test_a_folder_that_cannot_be_made_is_this_machines_failure(relay: Relay) -> None:
    refused = relay.run("serve", "--data", "/proc/nowhere/data", "--listen", "127.0.0.1:0", check=False)
    assert refused.returncode == 7 and "cannot be made" in refused.stderr, refused


def test_a_link_of_the_wrong_kind_is_a_wrong_command_line(relay: Relay) -> None:
    for words in (["host", relay.pair_link("client")], ["login", relay.pair_link("host")]):
        refused = relay.run(*words, check=False)
        assert refused.returncode == 2 and "this link is for a" in refused.stderr, refused


def test_what_stands_in_the_data_files_place_is_mended_as_it_is(relay: Relay) -> None:
    relay.stop()
    file = relay.data / "heliograph.sqlite"
    backup = relay.folder / "backup.sqlite"
    relay.run("backup", str(backup), "--data", str(relay.data))
    for make in (lambda: file.mkdir(), lambda: file.symlink_to(backup), lambda: file.write_bytes(b"no data file" * 1_000)):
        for left in relay.data.glob("heliograph.sqlite*"):
            shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
        make()
        finding = doctor(relay)["Relay"]["Data file"]
        assert finding["state"] == "wrong" and "restore FILE --force" in finding["mend"], finding
        relay.run("restore", str(backup), "--force", "--yes", "--data", str(relay.data))
    relay.start()


def test_a_disk_that_cannot_be_written_is_found(relay: Relay) -> None:
    relay.stop()
    doctor_there = f"{BINARY} doctor --json --data {relay.data}"
    asked = subprocess.run(
        ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c",
         f"mount --bind {relay.data} {relay.data} && mount -o remount,ro,bind {relay.data} && exec {doctor_there}"],
        capture_output=True, text=True, timeout=patient(60), stdin=subprocess.DEVNULL, env=plain_environment(relay.folder / "home"),
    )  # fmt: skip
    found = {finding["subject"]: finding for finding in map(json.loads, asked.stdout.splitlines())}
    assert found["Data file"]["state"] == "wrong" and "cannot be written" in found["Data file"]["text"], (found, asked.stderr)
    relay.start()
