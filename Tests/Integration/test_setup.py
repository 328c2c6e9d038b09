"""A newcomer's first steps: help, the data folder, a second start."""

import base64
import hashlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterator

import pytest

from consent import Shown, unb64
from relay import BINARY, ROOT, free_port, plain_environment
from terminal import Terminal
from trusting import join
from waits import patient, wait_until

def commands(tree: dict, *above: str) -> Iterator[list[str]]:
    """The visible commands of the program; the program itself comes first."""
    yield [*above]
    for command in tree.get("subcommands", []):
        if command["shouldDisplay"] and command["commandName"] != "help":
            yield from commands(command, *above, command["commandName"])


def test_every_command_explains_itself(relay):
    tree = json.loads(relay.run("--experimental-dump-help").stdout)["command"]
    known = list(commands(tree))
    assert ["rules", "try"] in known and len(known) > 80
    for command in known:
        result = relay.run(*command, "--help")
        assert "USAGE" in result.stdout.upper(), command
        assert "\x1b" not in result.stdout, f"{command}: no colours where there is no terminal"
        # Examples and rows must not wrap at the screen's width.
        overview = result.stdout.split("\nUSAGE: ")[0]
        broken = re.findall(r"^  .*\n(?! |\n).+", overview, re.MULTILINE)
        assert not broken, (command, broken)


def test_version(relay):
    assert re.search(r"\d+\.\d+\.\d+", relay.run("--version").stdout)


def test_a_home_whose_socket_has_too_long_a_name_is_said_so(relay):
    home = relay.folder / ("deep" * 30)
    home.mkdir()
    result = subprocess.run(
        [str(BINARY), "host", relay.pair_link("host"), "--name", "laptop"], env=plain_environment(home), cwd=home, capture_output=True,
        text=True, stdin=subprocess.DEVNULL, timeout=patient(20),
    )  # fmt: skip
    assert "at most 107 are possible" in result.stderr and 0 < result.returncode < 128, (result.returncode, result.stderr)


def test_nonsense_is_refused_with_help(relay):
    result = relay.run("launch", check=False)
    assert result.returncode not in (0, None) and result.stderr


def test_the_first_start_says_what_to_do_next(short_path):
    """The pairing link is printed on a terminal only, because a pairing code must not get into a journal."""
    data, port = short_path / "data", free_port()
    (short_path / "home").mkdir()
    terminal = Terminal(short_path, plain_environment(short_path / "home"), short_path, columns=300, rows=90)
    try:
        terminal.run([str(BINARY), "serve", "--data", str(data), "--listen", f"127.0.0.1:{port}"], terminal.environment)
        screen = terminal.wait_screen("#host=")
        assert f"http://127.0.0.1:{port}/#pair=" in screen, "the pairing link"
        assert re.search(r"heliograph connect claude && \\\n +\S*heliograph host '.*#host=", screen), "what connects a host, to copy as one"
        assert str(data) in screen, "where the data lies"
        assert "works on this machine only" in screen and "█" not in screen, "no code that leads a phone nowhere"
        terminal.press("C-c")
        terminal.wait_ended()
    finally:
        terminal.close()


def test_without_a_terminal_it_shows_no_code(relay):
    assert relay.url in relay.log_text()
    assert "#pair=" not in relay.log_text() and "#host=" not in relay.log_text()


def test_the_data_is_its_owners_alone(relay):
    assert stat.S_IMODE(relay.data.stat().st_mode) == 0o700
    for path in relay.data.rglob("*"):
        assert not path.stat().st_mode & 0o077, f"{path} can be read by others"


def test_it_listens_on_loopback_only(relay):
    listening = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="ascii") as file:
            for line in file.readlines()[1:]:
                local, state = line.split()[1], line.split()[3]
                address, port = local.split(":")
                if state == "0A" and int(port, 16) == relay.port:
                    listening.append(address)
    assert listening == ["0100007F"]


def test_tokens_are_kept_as_digests_only(relay):
    token = relay.token("client", "phone")
    listed = relay.tokens()
    assert [entry["role"] for entry in listed if entry["name"] == "phone"] == ["client"]
    assert token not in json.dumps(listed)
    relay.stop()
    assert token.encode() not in relay.files_text()
    assert relay.rows("SELECT length(digest) FROM tokens")


def test_a_second_start_goes_on_with_the_data(relay, scripted_host, client):
    host = scripted_host(relay)
    host.start_session("s1", title="before")
    host.wait_acked("s1")
    token = relay.token("client", "phone")
    epoch = client(relay, token=token).welcome["epoch"]
    relay.restart()
    phone = client(relay, token=token)
    assert phone.welcome["epoch"] == epoch
    phone.subscribe()
    assert phone.summaries["s1"]["title"] == "before"


def test_two_relays_do_not_share_a_folder(relay):
    result = relay.run("serve", "--data", str(relay.data), "--listen", "127.0.0.1:0", check=False, timeout=15)
    assert result.returncode != 0 and result.stderr.strip()
    assert relay.get("/readyz").status == 200


def test_a_port_in_use_is_said_plainly(relay, tmp_path):
    result = relay.run("serve", "--data", str(tmp_path / "other"), "--listen", f"127.0.0.1:{relay.port}", check=False, timeout=15)
    assert result.returncode != 0
    assert str(relay.port) in result.stderr + result.stdout


def test_the_binary_carries_the_page(relay):
    page = relay.get("/")
    assert page.status == 200 and page.headers["Content-Type"].startswith("text/html")
    assert b"<script" in page.body and b" onclick=" not in page.body
    # Everything is in the one file, and the CSP permits only scripts with the listed digests.
    policy = page.headers["Content-Security-Policy"]
    scripts = re.findall(rb"<script[^>]*>(.*?)</script>", page.body, re.DOTALL)
    assert len(scripts) == page.body.count(b"<script") > 0
    digests = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
    # The page's later part is served in addition, under a name that contains its digest.
    part = re.search(rb'<meta name="part" content="([^"]+)"', page.body)
    assert part, "the page names its part"
    digests.append(base64.b64encode(hashlib.sha256(relay.get(f"/{part.group(1).decode()}.js").body).digest()).decode())
    assert set(re.search(r"script-src ([^;]*)", policy).group(1).split()) == {f"'sha256-{digest}'" for digest in digests}


def test_logs_are_json_lines(relay, client, scripted_host):
    """Checks all output on standard error at the lowest level, including refused peers, protocol violations and a stop."""
    relay.stop()
    relay.prefix = ["/bin/sh", "-c", 'exec "$0" "$@" 2>errors.log']
    relay.arguments = ["--log-level", "trace"]
    relay.start()
    host = scripted_host(relay)
    host.start_session("s1")
    host.request_approval("s1", "Bash", {"command": "a\nb\u2028c"}, title="two\nlines")
    host.wait_acked("s1")
    phone = client(relay)
    phone.subscribe()
    assert relay.get("/v1/client", {"Authorization": "Bearer nonsense\u00a0"}).status >= 400
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as nonsense:
        nonsense.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
    relay.run("doctor", "--data", str(relay.data), check=False)
    relay.stop()
    lines = (relay.folder / "errors.log").read_text().splitlines()
    for line in lines:
        assert json.loads(line).keys() >= {"time", "level", "logger", "message"}, line
    assert "stopping" in [json.loads(line)["message"] for line in lines]


def test_pair_shows_a_code_to_scan(relay):
    result = relay.run("pair", "--url", "https://relay.example", "--data", str(relay.data))
    assert "https://relay.example/#pair=" in result.stdout and "█" in result.stdout
    assert json.loads(relay.run("pair", "--json", "--data", str(relay.data)).stdout)["link"]


def test_the_demo_plays_a_session(short_path, client, relay):
    """The demo uses all stations: recorded hook calls, hook command, daemon, relay; the test's client decides in place of a person."""
    listen = f"127.0.0.1:{free_port()}"
    home = short_path / "home"
    home.mkdir()
    command = [sys.executable, str(ROOT / "Tests/Tools/demo.py"), "--once", "--speed", "20", "--listen", listen]
    environment = plain_environment(home) | {"HELIOGRAPH_BIN": str(BINARY)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
        try:
            assert demo.stdout
            link = next(line.strip() for line in demo.stdout if "#pair=" in line)
            url, code, k = re.fullmatch(r"(.*)/#pair=([\w-]+)&k=([\w-]+)", link).groups()
            body = json.dumps({"code": code, "name": "person"}).encode()
            with urllib.request.urlopen(f"{url}/v1/pair", body, timeout=10) as answer:
                token = json.load(answer)["token"]
            relay_of_demo = type("", (), {"url": url})()
            person = client(relay_of_demo, "person", token=token)
            person.subscribe()
            # The demo's host appears before its agent.
            host = wait_until(lambda: next((summary["steering"]["consent"] for summary in person.summaries.values() if "steering" in summary), None), 20, "the host's keys")
            person.device = join(person, k, unb64(host))
            for verdict in ("allow", "deny", "answer"):
                card = person.wait_card()
                session, approval = card["session"], card["approval"]
                if verdict == "answer":
                    person.answer(session, approval, [{"question": Shown(card["request"]).event["body"]["questions"][0]["id"], "choices": ["1.4.1"]}])
                else:
                    person.decide(session, approval, verdict)
                person.wait_approval(approval, "applied", timeout=20)
            summary = person.wait_summary(session, lambda summary: summary["status"] == "completed", timeout=20)
            assert summary["todo"]["completed"] == 4 and summary["costMicroUSD"] > 0
            person.close()
            assert demo.wait(20) == 0, demo.stdout.read()
        finally:
            demo.terminate()


def test_the_demo_says_so_where_the_relay_has_its_data_elsewhere(short_path, relay):
    (short_path / "home").mkdir()
    command = [sys.executable, str(ROOT / "Tests/Tools/demo.py"), "--once", "--listen", f"127.0.0.1:{relay.port}"]
    environment = plain_environment(short_path / "home") | {"HELIOGRAPH_BIN": str(BINARY)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patient(30))
    assert done.returncode == 1 and "has its data elsewhere" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda end: end.name)
def test_the_demo_takes_its_questions_along(short_path, client, relay, end):
    """The demo runs at somebody's own relay and is ended while it waits for a decision: by a signal to it, or to its whole terminal."""
    (short_path / "home").mkdir()
    (short_path / "tmp").mkdir()
    command = [sys.executable, str(ROOT / "Tests/Tools/demo.py"), "--speed", "20", "--listen", f"127.0.0.1:{relay.port}"]
    environment = plain_environment(short_path / "home")
    environment |= {"HELIOGRAPH_BIN": str(BINARY), "HELIOGRAPH_DATA": str(relay.data), "TMPDIR": str(short_path / "tmp")}
    person = client(relay, "person")
    person.subscribe()
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        # A shell starts background jobs with SIGINT ignored, which the child would inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as demo:  # fmt: skip
        try:
            card = person.wait_card(timeout=60)
            if end == signal.SIGTERM:
                demo.send_signal(end)
            else:
                os.killpg(demo.pid, end)
            said, _ = demo.communicate(timeout=patient(60))
            assert demo.returncode == 0, said
        finally:
            demo.kill()
    summary = person.wait_summary(card["session"], lambda summary: "endedAt" in summary, timeout=20)
    assert (summary["status"], summary["approvals"]) == ("completed", 0)
    assert person.wait_approval(card["approval"], "cancelled", timeout=20)
    assert not list((short_path / "tmp").iterdir()), "nor does it leave files"


def test_a_heartbeat_that_would_lock_everybody_out_is_refused(relay, make_relay):
    """Peers refuse a `welcome` with more than an hour of silence, which is twice the setting."""
    refused = relay.run("serve", "--heartbeat", "1801", "--data", str(relay.folder / "other"), check=False)
    assert refused.returncode == 2, refused
    assert '--heartbeat: heartbeat takes a number from 1 to 1800, not "1801"' in refused.stderr
    slow = make_relay("--heartbeat", "1800")
    slow.run("login", slow.pair_link())
    assert slow.run("sessions").stdout == "no sessions yet\n"


def test_pairing_alone_makes_the_folders_that_a_service_is_shown(relay):
    """The unit `heliograph-host@` may use these folders of the home but not create them."""
    home = relay.folder / "home"
    relay.run("host", relay.pair_link("host"), "--name", "laptop", "--pair-only")
    assert (home / ".config/heliograph/host.json").exists()
    assert stat.S_IMODE((home / ".local/state/heliograph").stat().st_mode) == 0o700
