"""The command line on the relay's own machine: choosing the relay, connecting to it, and exit statuses."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from doctor import doctor
from relay import BINARY, Relay, plain_environment
from waits import patient, wait_until

PUBLIC = "https://relay.example"


def beside(relay: Relay, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in the data folder's parent, with a relative path to the data."""
    assert relay.data.parent == relay.folder
    return relay.run(*arguments, "--data", relay.data.name, check=False)



@pytest.mark.parametrize("named", ["data", "./data", "../relay/data"])
def test_a_folder_may_be_named_from_where_one_stands(relay: Relay, named: str) -> None:
    assert relay.folder.name == "relay"
    found = relay.run("doctor", "--data", named)
    assert "✔ Relay: runs on" in found.stdout, found.stdout
    status = relay.run("push", "status", "--data", named)
    assert "no pushes since the relay started" in status.stdout
    assert relay.run("sessions", "--data", named).stdout == "no sessions yet\n"
    made = relay.run("pair", "--data", named)
    assert made.stderr == "" and f"{relay.url}/#pair=" in made.stdout


def test_a_folder_that_is_named_is_meant_wherever_the_terminal_is_logged_in(relay: Relay, make_relay: Any) -> None:
    other = make_relay()
    relay.run("login", other.pair_link())
    other.token("client", "theirs")
    assert relay.run("budget", "set", "--day", "20", "--data", str(relay.data)).returncode == 0
    assert "$20" in relay.run("budget", "--data", str(relay.data)).stdout and "$20" not in relay.run("budget").stdout
    device = {"device": "mine", "name": "Mine", "profile": "heliograph", "environment": "sandbox", "system": "18.1", "alertToken": "ab" * 32}
    registered = relay.request("PUT", "/v1/devices/mine", json.dumps(device).encode(), {
        "Authorization": f"Bearer {relay.token('client', 'phone')}", "Content-Type": "application/json"})  # fmt: skip
    assert registered.status == 200, registered.body
    assert "mine" in relay.run("devices", "--data", str(relay.data)).stdout and relay.run("devices").stdout == "no devices yet\n"
    nowhere = relay.run("sessions", "--data", str(relay.folder / "nowhere"), check=False)
    assert nowhere.returncode == 3 and f"no relay of yours is set up in {relay.folder}/nowhere" in nowhere.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a mount namespace of its own")
def test_root_means_the_packages_relay_unless_it_has_one_of_its_own(relay: Relay) -> None:
    """Runs in a mount namespace in which the relay's folder is the package's."""
    (relay.folder / "roots").mkdir()

    def as_root(command: str) -> subprocess.CompletedProcess[str]:
        script = f"mount -t tmpfs none /var/lib && mkdir /var/lib/heliograph && mount --bind '{relay.data}' /var/lib/heliograph && '{BINARY}' {command}"
        return subprocess.run(
            ["unshare", "-m", "--propagation", "private", "sh", "-c", script], capture_output=True, text=True, timeout=patient(20),
            stdin=subprocess.DEVNULL, env=plain_environment(relay.folder / "roots"),
        )  # fmt: skip

    made = as_root("pair --role host")
    assert made.returncode == 0 and f"{relay.url}/#host=" in made.stdout, made.stderr
    assert f"✔ Relay: runs on {relay.url}" in as_root("doctor").stdout
    second = as_root("serve")
    assert second.returncode == 2 and "systemctl start heliograph" in second.stderr and not (relay.folder / "roots/.local").exists()
    left = as_root("logout").stdout
    assert "was not logged in" in left and "/var/lib/heliograph" in left


def test_a_folder_may_be_named_from_the_root(relay: Relay, client: Any) -> None:
    """A path with two leading slashes, or relative to `/`, names the same folder, so its socket is found."""
    phone = client(relay, name="phone")
    phone.subscribe()
    for named, folder in ((f"/{relay.data}", relay.folder), (str(relay.data)[1:], Path("/"))):
        found = subprocess.run(
            [BINARY, "doctor", "--data", named], cwd=folder, env=plain_environment(relay.folder), capture_output=True, text=True, check=False
        )
        assert "✔ Relay: runs on" in found.stdout, found.stdout
    revoked = subprocess.run(
        [BINARY, "token", "revoke", "--data", str(relay.data)[1:], relay.token_id("phone")], cwd="/", env=plain_environment(relay.folder),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (revoked.returncode, revoked.stderr) == (0, ""), revoked.stderr
    assert phone.connection.wait_closed() == 4401


@pytest.mark.parametrize("name", ["   ", "\u202e", "\u200b \t"])
def test_a_token_has_a_name_that_shows(relay: Relay, name: str) -> None:
    made = beside(relay, "token", "create", "--role", "client", "--name", name)
    assert made.returncode == 2 and "--name has nothing that shows" in made.stderr
    beside(relay, "token", "create", "--role", "client", "--name", "red\x1b[31m\u202ephone")
    assert "red[31mphone" in beside(relay, "token", "list").stdout


def test_what_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    """A wrong folder causes neither a stack trace nor a new folder."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [BINARY, *arguments, "--data", str(tmp_path / "typo")]
        return subprocess.run(command, env=plain_environment(tmp_path), capture_output=True, text=True, check=False)

    for command in (("restore", "--anew"), ("restore", "--as-is")):
        found = run(*command)
        assert found.returncode == 5 and "is not there" in found.stderr, found.stderr
    relay = Relay(tmp_path / "relay")
    relay.start()
    relay.stop()
    found = relay.run("clock", "--data", str(relay.data), check=False)
    assert found.returncode == 4 and f"No relay answers on {relay.data}" in found.stderr, found.stderr
    (tmp_path / "typo").mkdir(mode=0o755)
    (tmp_path / "typo").chmod(0o755)
    found = run("restore", "--anew")
    assert "chmod 700" in found.stderr and "Error(" not in found.stderr, found.stderr


def test_a_folder_may_be_called_anything(short_path: Path, client: Any) -> None:
    relay = Relay(short_path / "Jörgs relay, 100 %")
    relay.start()
    try:
        assert "✔ Relay: runs on" in relay.run("doctor", "--data", str(relay.data)).stdout
        assert "no pushes since the relay started" in relay.run("push", "status", "--data", str(relay.data)).stdout
        phone = client(relay, name="phone")
        phone.subscribe()
        relay.revoke(relay.token_id("phone"))
        assert phone.connection.wait_closed() == 4401
        # The relay's own address cannot be reached from elsewhere, so local commands use the socket.
        relay.arguments = ["--public-url", PUBLIC]
        relay.restart()
        assert relay.run("sessions", "--data", str(relay.data)).stdout == "no sessions yet\n"
    finally:
        relay.stop()
    relay.check_log()


def test_a_token_that_is_revoked_from_there_ends_its_connection(relay: Relay, client: Any) -> None:
    phone = client(relay, name="phone")
    phone.subscribe()
    assert beside(relay, "token", "revoke", relay.token_id("phone")).returncode == 0
    assert phone.connection.wait_closed() == 4401


def test_what_mends_it_names_the_folder(relay: Relay) -> None:
    relay.stop()
    found = beside(relay, "doctor")
    assert found.returncode == 1 and f"→ heliograph serve --data {relay.data}\n" in found.stdout



def test_a_public_address_is_for_others(make_relay: Any) -> None:
    relay = make_relay("--public-url", PUBLIC)
    made = relay.run("pair", "--data", str(relay.data))
    assert f"{PUBLIC}/#pair=" in made.stdout and "█" in made.stdout
    assert relay.run("sessions", "--data", str(relay.data)).stdout == "no sessions yet\n"
    assert relay.run("sessions", "--relay", relay.url, "--data", str(relay.data)).returncode == 0


def test_a_certificate_for_another_name_is_no_hindrance_here(make_relay: Any, tmp_path: Path) -> None:
    certificate, key = tmp_path / "a.pem", tmp_path / "a.key"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=a", "-days", "3"]
    subprocess.run([*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    relay = Relay(tmp_path / "relay", ["--tls-certificate", str(certificate), "--tls-key", str(key)])
    relay.launch()
    try:
        wait_until(lambda: "is listening on" in relay.log_text(), 20, lambda: f"the relay to listen: {relay.log_text()}")
        assert relay.run("sessions", "--data", str(relay.data)).stdout == "no sessions yet\n"
    finally:
        relay.stop()



def test_the_doctor_asks_the_relay_that_runs(make_relay: Any) -> None:
    relay = make_relay("--public-url", "http://127.0.0.1:1", "--keep-days", "7")
    found = doctor(relay)["Relay"]
    assert found["Settings"]["text"] == (
        "of the running relay: listen (--listen), publicURL (--public-url), keepDays (--keep-days)")
    assert found.state("Public address") == "doubtful"
    said = found["Relay"]["text"]
    assert relay.process is not None
    assert said.startswith(f"runs on {relay.url}, heliograph/") and said.endswith(f", process {relay.process.pid}, ready")
    (relay.data / "relay.json").write_text('{"keepDay": 3}')
    found = doctor(relay)["Relay"]
    assert found.state("Settings") == "wrong" and found["Settings"]["text"].startswith("the next start fails: ")
    (relay.data / "relay.json").unlink()
    relay.stop()
    assert doctor(relay)["Relay"]["Settings"]["text"] == "all at their defaults"



def test_where_no_relay_ever_was_there_is_nothing_to_pair_with(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    result = subprocess.run(
        [str(BINARY), "pair", "--data", "new"], capture_output=True, text=True, cwd=tmp_path, env=plain_environment(tmp_path / "home"), timeout=patient(20)
    )  # fmt: skip
    assert result.returncode == 5 and f"heliograph serve --data {tmp_path}/new" in result.stderr and not result.stdout
    assert not (tmp_path / "new").exists()


def test_a_link_of_a_relay_that_does_not_run_says_so(relay: Relay) -> None:
    relay.stop()
    made = relay.run("pair", "--data", str(relay.data))
    assert "#pair=" in made.stdout and "no relay runs there now" in made.stderr


@pytest.mark.parametrize("url", ["nonsense", "relay.example", "https://", "https://a b", "https://ada@relay.example", "ftp://relay.example"])
def test_an_address_that_is_none_is_refused(relay: Relay, url: str) -> None:
    made = relay.run("pair", "--url", url, "--data", str(relay.data), check=False)
    assert made.returncode == 2 and "--url takes an address" in made.stderr and "#pair=" not in made.stdout
    started = relay.run("serve", "--public-url", url, "--data", str(relay.folder / "other"), check=False)
    assert started.returncode == 2 and "--public-url" in started.stderr


def test_a_relay_has_a_name_of_its_own(relay: Relay) -> None:
    """The page requests everything from the site's root."""
    for url in ("https://relay.example/sub", "https://relay.example/a/b/"):
        started = relay.run("serve", "--public-url", url, "--data", str(relay.folder / "other"), check=False)
        assert started.returncode == 2 and "without a path" in started.stderr
    below = beside(relay, "pair", "--url", "https://relay.example/sub")
    assert "the page does not work below a path" in below.stderr and "█" not in below.stdout


def test_what_is_not_encrypted_is_said_before_somebody_scans_it(relay: Relay) -> None:
    for role, words in [("client", "others on the network can read the token"), ("host", "a host refuses to send its token there")]:
        assert words in beside(relay, "pair", "--role", role, "--url", "http://192.168.1.7:8787").stderr
        assert beside(relay, "pair", "--role", role, "--url", "https://relay.example").stderr == ""
    assert "█" not in beside(relay, "pair", "--url", "https://relay.example", "--no-picture").stdout
    assert "without TLS" not in relay.log_text()
    relay.stop()
    relay.address = "0.0.0.0"
    relay.start()
    wait_until(lambda: "it listens to others without TLS" in relay.log_text(), 20, relay.log_text)
    assert "and on every other address of this machine" in relay.log_text()


def test_login_by_tls_at_a_plain_relay_says_what_is_wrong(relay: Relay) -> None:
    refused = relay.run("login", relay.pair_link().replace("http://", "https://"), check=False)
    assert refused.returncode == 4 and "does not speak TLS: is its address http://…?" in refused.stderr and "curl" not in refused.stderr


def test_the_slash_at_the_end_of_an_address_is_not_doubled(relay: Relay) -> None:
    assert relay.pair_link(url="https://relay.example/sub/").startswith("https://relay.example/sub/#pair=")


def test_a_link_that_leads_a_phone_nowhere_has_no_code_to_scan(relay: Relay) -> None:
    made = relay.run("pair", "--data", str(relay.data)).stdout
    assert "This address works on this machine only." in made and "--public-url" in made and "█" not in made
    assert "█" in relay.run("pair", "--url", "https://relay.example", "--data", str(relay.data)).stdout



def test_a_reader_that_has_seen_enough_ends_it_in_silence(relay: Relay) -> None:
    relay.token("client", "phone")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        gone = subprocess.run([BINARY, "audit", "export", "--data", relay.data], stdout=writer, stderr=subprocess.PIPE, timeout=patient(20))
    finally:
        os.close(writer)
    assert (gone.returncode, gone.stderr) == (0, b"")
    closed = subprocess.run(["bash", "-c", f"'{BINARY}' audit export --data '{relay.data}' >&-"], capture_output=True, text=True, timeout=patient(20))
    assert closed.returncode == 1 and closed.stderr.startswith("heliograph: the output cannot be written: ")
    assert "NSCocoaErrorDomain" not in closed.stderr


def test_a_reader_of_help_that_has_seen_enough_is_no_fault(relay: Relay) -> None:
    for arguments in ("--experimental-dump-help", "--help", "help serve"):
        head = f"'{BINARY}' {arguments} | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", head], capture_output=True, text=True, timeout=patient(20))
        assert (done.stdout, done.stderr) == ("0\n", ""), done
    full = subprocess.run(["bash", "-c", f"'{BINARY}' --help >/dev/full; echo $?; '{BINARY}' frobnicate 2>/dev/full; echo $?"], capture_output=True, text=True)
    assert full.stdout == "7\n2\n"


def test_a_wrong_use_of_a_command_is_explained_by_that_command(relay: Relay) -> None:
    for arguments in (["budget", "set", "20"], ["budget", "set", "much", "--day"], ["budget", "clear"]):
        result = relay.run(*arguments, check=False)
        assert result.returncode == 2 and f"Usage: heliograph {arguments[0]} {arguments[1]}" in result.stderr, result.stderr


def test_the_exit_codes_are_told_alike(relay: Relay) -> None:
    assert "7 failed here" in relay.run("--help").stdout
    assert "  7  " in relay.run("sessions", "--help").stdout


def test_help_is_about_the_command(relay: Relay) -> None:
    for command in (["doctor"], ["config", "show"]):
        help = relay.run(*command, "--help").stdout
        assert "--json" in help and "--data" in help and "every flag of `serve`" in help and "--keep-days" not in help
        assert len(help.splitlines()) < 40
    for command in ("approvals", "devices", "budget"):
        assert "--json" in relay.run(command, "--help").stdout
    for command in ("login", "logout"):
        assert "--data" not in relay.run(command, "--help").stdout


def test_an_audit_log_says_what_is_not_noticed(relay: Relay) -> None:
    relay.token("client", "one")
    relay.token("client", "two")
    head = relay.run("audit", "verify", "--data", str(relay.data)).stdout
    assert "each follows from the one before it." in head and "Without --head a cut end" in head
    named = relay.run("audit", "verify", "--head", head.split()[-1], "--data", str(relay.data)).stdout
    assert "Without --head" not in named



@pytest.mark.parametrize(("typed", "meant"), [("sesions", "heliograph sessions"), ("token lsit", "heliograph token list"), ("conect claude", "heliograph connect")])
def test_a_misspelt_command_is_recognised(relay: Relay, typed: str, meant: str) -> None:
    result = relay.run(*typed.split(), check=False)
    assert result.returncode == 2 and result.stderr.splitlines() == [f"heliograph: there is no command '{typed.split()[int(typed[:5] == 'token')]}'. Did you mean '{meant}'?"]


def test_a_word_that_is_like_no_command_is_not_guessed_at(relay: Relay) -> None:
    result = relay.run("frobnicate", check=False)
    assert result.returncode == 2 and "Did you mean" not in result.stderr and "Unexpected argument 'frobnicate'" in result.stderr


def test_help_about_a_word_that_is_no_command_says_so(relay: Relay) -> None:
    unknown = relay.run("help", "nonsense", check=False)
    assert (unknown.returncode, unknown.stdout, unknown.stderr) == (2, "", "heliograph: there is no command 'nonsense'.\n")
    assert "Did you mean 'heliograph approvals show'?" in relay.run("help", "approvals", "shwo", check=False).stderr
    assert "heliograph host projects" in relay.run("help", "host", "projects").stdout


@pytest.mark.parametrize("typed", ["version", "-v", "-V"])
def test_its_version_is_told_however_one_asks(relay: Relay, typed: str) -> None:
    assert relay.run(typed).stdout == relay.run("--version").stdout


def test_who_wants_another_port_is_told_where_it_is_set(relay: Relay) -> None:
    for arguments in (["--port", "9000"], ["--port=9000"]):
        assert "--listen 127.0.0.1:9000" in relay.run("serve", *arguments, check=False).stderr


def test_a_file_that_is_no_audit_log_is_one_sentence(relay: Relay) -> None:
    (relay.folder / "foreign.jsonl").write_text('{"level":"info"}\n' * 24)
    result = relay.run("audit", "verify", "foreign.jsonl", check=False)
    assert result.returncode == 1
    assert result.stderr.splitlines() == ["line 1 is no audit record: the field is missing ($.workspace), nor are the 23 lines after it"]


def test_doctor_says_that_a_folder_has_no_relay(relay: Relay) -> None:
    result = relay.run("doctor", "--data", str(relay.folder / "nope"), check=False)
    assert result.returncode == 1 and "no relay is set up there" in result.stdout
    assert not (relay.folder / "nope").exists()


def test_a_token_that_does_not_exist_is_not_found(relay: Relay) -> None:
    assert relay.run("token", "revoke", "nothing", "--data", str(relay.data), check=False).returncode == 5


def test_a_host_that_reaches_nobody_says_so_with_the_code_for_that(relay: Relay) -> None:
    link = relay.pair_link("host")
    relay.stop()
    result = relay.run("host", "--pair-only", link, check=False)
    assert result.returncode == 4 and f"cannot reach {relay.url}" in result.stderr


def test_who_reads_no_terminal_is_told_how_to_pair(relay: Relay) -> None:
    assert f"pair --data {relay.data}\n" in relay.log_text() and f"pair --role host --data {relay.data}\n" in relay.log_text()
    assert "#pair=" not in relay.log_text() and "#host=" not in relay.log_text(), "a log is no place for a code"
