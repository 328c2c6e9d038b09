"""A relay with open registration, and `heliograph join`."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from client import WireClient
from consent import unb64
from faketime import PREFIX, JumpingClock, clock  # noqa: F401 (a fixture)
from host import ScriptedHost
from nodes import Cluster
from own_agent import Asking, question
from page_screen import Screen, closing_screens
from playwright.sync_api import expect
from postgres import PostgresServer, store  # noqa: F401 (a fixture)
from relay import BINARY, ROOT, Relay
from test_nodes import make_cluster, server  # noqa: F401
from test_up import ROOT_FLAG, Home, home  # noqa: F401
from trusting import devices
from trusting import join as trusting_join
from waits import patient, wait_until

OPEN = ["--registration", "open"]
NEWCOMER = {"sessions": 200, "megabytes": 64, "pushesPerDay": 1000, "connections": 20, "keepDays": 30}


def workspaces(relay: Relay) -> dict[str, dict[str, Any]]:
    said = relay.run("workspace", "list", "--json", "--data", str(relay.data)).stdout
    return {entry["id"]: entry for entry in map(json.loads, said.splitlines())}


def measures(relay: Relay) -> dict[str, float]:
    """The relay's metrics as an operator's monitoring reads them."""
    said = relay.get("/metrics", {"Authorization": f"Bearer {relay.token('client', 'monitoring')}"})
    assert said.status == 200
    lines = (line.rsplit(" ", 1) for line in said.body.decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def paired(relay: Relay, code: str, name: str) -> str:
    token: str = relay.post("/v1/pair", {"code": code, "name": name}).json["token"]
    return token


def test_by_default_nobody_comes_without_an_invitation(relay: Relay) -> None:
    assert relay.get("/v1/register").json == {"registration": "invited"}
    refused = relay.post("/v1/register", {})
    assert refused.status == 403 and refused.json["error"]["code"] == "forbidden" and "invitation" in refused.json["error"]["message"]
    assert len(workspaces(relay)) == 1


def test_a_stranger_gets_a_workspace_and_sees_nobody_else(store: list[str], make_relay: Callable[..., Relay], client: Callable[..., WireClient]) -> None:
    relay = make_relay(*OPEN, *store)
    assert relay.get("/v1/register").json == {"registration": "open"}
    made = [relay.post("/v1/register", {}) for _ in range(2)]
    assert [answer.status for answer in made] == [201, 201]
    for answer in made:
        assert set(answer.json) == {"workspace", "device", "machine", "expiresAt", "terms"}
        assert answer.json["terms"] == {"megabytes": 64, "sessions": 200, "keepDays": 30, "idleDays": 30}
    hosts, phones = [], []
    try:
        for number, answer in enumerate(made):
            host = ScriptedHost(relay, f"laptop {number}", paired(relay, answer.json["machine"], f"laptop {number}"))
            hosts.append(host)
            host.start_session("s1", title=f"plan {number}")
            phone = client(relay, f"phone {number}", token=paired(relay, answer.json["device"], f"phone {number}"))
            phones.append(phone)
            assert phone.welcome["workspace"] == answer.json["workspace"] and "steer" in phone.welcome["may"]
            phone.subscribe()
            phone.wait_summary("s1", lambda summary, number=number: summary["title"] == f"plan {number}")
            assert relay.post("/v1/pair", {"code": answer.json["device"], "name": "again"}).status == 404, "once"
        for mine, other in ((0, 1), (1, 0)):
            said = json.dumps([phones[mine].messages, hosts[mine].received])
            assert f"plan {other}" not in said and f"laptop {other}" not in said and made[other].json["workspace"]["id"] not in said
        listed = workspaces(relay)
        for answer in made:
            entry = listed[answer.json["workspace"]["id"]]
            assert (entry["hosts"], entry["clients"], entry["sessions"]) == (1, 1, 1) and entry["eventBytes"] > 0
            assert entry["limits"] == NEWCOMER
        assert "plan" not in json.dumps(listed) and "laptop" not in json.dumps(listed) and "phone" not in json.dumps(listed)
        seen = measures(relay)
        assert seen["heliograph_workspaces"] == 3 and seen["heliograph_workspaces_registered"] == 2
        assert seen['heliograph_registrations_total{outcome="made"}'] == 2
        assert 0 < seen['heliograph_workspace_event_bytes{quantile="0.5"}'] <= seen['heliograph_workspace_event_bytes{quantile="1"}']
        assert not [name for name in seen if any(answer.json["workspace"]["id"] in name for answer in made)]
    finally:
        for host in hosts:
            host.close()


def test_an_address_gets_few_in_an_hour_and_few_at_once(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay(*OPEN, "--limits-registrations-per-hour-per-address", "4", "--limits-registered-per-address", "2")
    answers = [relay.post("/v1/register", {}) for _ in range(6)]
    assert [answer.status for answer in answers] == [201, 201, 429, 429, 429, 429]
    assert all(answer.json["error"]["code"] == "tooMany" for answer in answers[2:])
    assert "invitation" in answers[2].json["error"]["message"]
    assert int(answers[4].headers["retry-after"]) > 3_000, "it is the hour's number that is used up"
    assert len(workspaces(relay)) == 3
    seen = measures(relay)
    assert {outcome: seen[f'heliograph_registrations_total{{outcome="{outcome}"}}'] for outcome in ("made", "perAddress", "perHour", "count")} == {
        "made": 2, "perAddress": 2, "perHour": 2, "count": 0}


def test_a_strangers_sessions_keep_little_in_memory(store: list[str], make_relay: Callable[..., Relay]) -> None:
    relay = make_relay(*OPEN, "--limits-newcomer-session-megabytes", "1", *store)
    stranger = ScriptedHost(relay, "their laptop", paired(relay, relay.post("/v1/register", {}).json["machine"], "their laptop"))
    own = ScriptedHost(relay, "our laptop")
    try:
        offer = {"actions": ["prompt"], "commands": [f"/{number}" + "x" * 250 for number in range(160)]}
        for host in (own, stranger):
            for number in range(40):
                host.start_session(f"s{number}")
                host.event(f"s{number}", "steering.offered", offer)
        own.wait_acked("s39", 2)
        notice = wait_until(lambda: next(iter(stranger.notices()), None), 10, "word of the refused offer")
        assert notice["code"] == "tooMany" and "memory" in notice["message"], notice
        assert not own.notices()
    finally:
        stranger.close()
        own.close()


def from_address(relay: Relay, address: str) -> Any:
    return relay.post("/v1/register", {}, {"X-Forwarded-For": address})


def test_a_network_of_many_addresses_gets_few_more(make_relay: Callable[..., Relay]) -> None:
    """A customer of an IPv6 provider easily has a /48, which is 65,536 of what counts as one address."""
    relay = make_relay(*OPEN)
    answers = [from_address(relay, f"2001:db8:1:{number:x}00::1") for number in range(20)]
    assert [answer.status for answer in answers] == [201] * 12 + [429] * 8
    assert "2001:db8:1::/48" in answers[-1].json["error"]["message"] and int(answers[-1].headers["retry-after"]) > 3_000
    assert from_address(relay, "2001:db8:2::1").status == 201, "a neighbour"
    assert from_address(relay, "203.0.113.1").status == 201

    for entry in (entry for name, entry in workspaces(relay).items() if name != "default"):
        assert entry["registeredFrom"] in ("203.0.113.1", "2001:db8:2::") or entry["registeredFrom"].startswith("2001:db8:1:")
        assert entry["registeredAt"] > 0 and "usedAt" not in entry
    assert "from 203.0.113.1" in relay.run("workspace", "list", "--data", str(relay.data)).stdout
    deleted = relay.run("workspace", "delete", "--registered-from", "2001:db8:1::/48", "--yes", "--json", "--data", str(relay.data))
    said = json.loads(deleted.stdout)
    assert len(said["workspaces"]) == 12 and said["dataIsGone"]
    left = workspaces(relay).values()
    assert sorted(entry["registeredFrom"] for entry in left if "registeredFrom" in entry) == ["2001:db8:2::", "203.0.113.1"]
    for words in (["--registered-from", "everywhere"], [], ["Kitchen", "--registered-from", "2001:db8::/32"]):
        assert relay.run("workspace", "delete", *words, "--yes", "--data", str(relay.data), check=False).returncode == 2


def test_a_network_has_so_many_at_once(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay(*OPEN, "--limits-registrations-per-hour-per-address", "100", "--limits-registered-per-address", "1")
    answers = [from_address(relay, f"2001:db8:1:{number:x}::1") for number in range(3)]
    assert [answer.status for answer in answers] == [201, 201, 429]
    assert "2001:db8:1::/56 has as many" in answers[2].json["error"]["message"]


def test_of_all_addresses_there_are_so_many(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay(*OPEN, "--limits-registered", "1")
    assert [relay.post("/v1/register", {}).status for _ in range(2)] == [201, 429]
    number = next(name for name in workspaces(relay) if name != "default")
    relay.run("workspace", "delete", number, "--yes", "--data", str(relay.data))
    assert relay.post("/v1/register", {}).status == 201, "its place is free"


def test_a_workspace_that_nobody_uses_goes(tmp_path: Path, clock: JumpingClock) -> None:
    """After forty days two of the workspaces remain: the one whose machine is connected, and the operator's own."""
    relay = Relay(tmp_path / "relay", OPEN, prefix=PREFIX, environment=clock.environment)
    relay.start()
    made = [relay.post("/v1/register", {}).json for _ in range(3)]
    tokens = [paired(relay, answer["machine"], "laptop") for answer in made[:2]]
    stays = ScriptedHost(relay, "laptop", tokens[0])
    left = ScriptedHost(relay, "laptop", tokens[1])
    for host in (stays, left):
        host.start_session("s1", title="launch the missiles")
        host.wait_acked("s1")
    left.close()
    relay.stop()
    clock.jump("+40d")
    relay.start()
    # The relay distrusts the clock after a jump, and removes nothing.
    assert measures(relay)["heliograph_clock_believed"] == 0
    relay.run("clock", "--confirm", "--data", str(relay.data))
    expected = {"default", made[0]["workspace"]["id"]}
    # The relay checks a minute after its start.
    wait_until(lambda: set(workspaces(relay)) == expected, 60, lambda: f"two to go: {workspaces(relay)}")
    stays.wait_connected()
    gone = relay.get("/v1/me", {"Authorization": f"Bearer {tokens[1]}"})
    assert gone.status == 401 and gone.json["error"]["code"] == "workspaceRemoved", gone.json
    assert relay.get("/v1/me", {"Authorization": "Bearer hgh_unknown"}).json["error"]["code"] == "unauthorized"
    told = [json.loads(line)["metadata"]["workspace.id"] for line in relay.log_text().splitlines() if "that nobody used" in line]
    assert set(told) == {answer["workspace"]["id"] for answer in made[1:]}
    stays.close()
    relay.stop()
    relay.check_log()


def test_of_two_nodes_one_takes_away_what_nobody_uses(make_cluster: Callable[..., Cluster], server: PostgresServer) -> None:  # noqa: F811
    """Each node checks the workspaces that it owns a minute after its start, although their peers may be connected to the other node."""
    cluster = make_cluster(2, *OPEN)
    made = [node.post("/v1/register", {}).json for node in cluster.nodes * 2]
    names = {answer["workspace"]["id"]: answer["workspace"]["name"] for answer in made}
    tokens = {answer["workspace"]["id"]: paired(cluster.nodes[0], answer["machine"], "laptop") for answer in made}
    for node in cluster.nodes:
        node.stop()
    (database,) = {node.database for node in cluster.nodes}
    age = 40 * 24 * 3_600_000
    server.sql(f"UPDATE workspaces SET registered_at = registered_at - {age} WHERE registered_at IS NOT NULL", database)
    server.sql(f"UPDATE tokens SET created_at = created_at - {age}, used_at = used_at - {age}", database)
    for node in cluster.nodes:
        node.start()
    owners = {id: cluster.called(owner.node) for name, owner in cluster.wait_shared(evenly=True).items() for id in names if names[id] == name}
    owned = [[id for id in names if owners[id] is node] for node in cluster.nodes]
    used, unused = [ids[0] for ids in owned], [id for ids in owned for id in ids[1:]]
    hosts = [ScriptedHost(next(node for node in cluster.nodes if node is not owners[id]), "laptop", tokens[id]) for id in used]
    for host in hosts:
        host.start_session("s1", title="a plan")
        host.wait_acked("s1")
    standing = "SELECT workspace FROM workspaces WHERE registered_at IS NOT NULL AND removed_at IS NULL"
    wait_until(lambda: set(server.sql(standing, database).split()) == set(used), 90, lambda: f"{unused} to go: {server.sql(standing, database)}")
    for host in hosts:
        host.wait_connected()
        host.start_session("s2", title="goes on")
        host.wait_acked("s2")
        host.close()
    for node in cluster.nodes:
        told = [json.loads(line)["metadata"]["workspace.id"] for line in node.log_text().splitlines() if "that nobody used" in line]
        assert told == [id for id in unused if owners[id] is node], "once, by its owner"
        for id, token in tokens.items():
            assert node.get("/v1/me", {"Authorization": f"Bearer {token}"}).status == (200 if id in used else 401)


def test_no_page_registers_anything_for_its_visitor(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay(*OPEN)
    for origin in ("https://elsewhere.example", relay.url):
        refused = relay.post("/v1/register", {}, {"Origin": origin})
        assert refused.status == 403 and refused.json["error"]["code"] == "foreignOrigin"
    assert len(workspaces(relay)) == 1


def readme_commands() -> list[str]:
    section = (ROOT / "README.md").read_text().partition("## With somebody's relay")[2].partition("\n## ")[0]
    return section.partition("```sh\n")[2].partition("```")[0].splitlines()


def test_two_commands_and_a_scan(home: Home, make_relay: Callable[..., Relay], browser: Any) -> None:  # noqa: F811
    """The README's steps in a clean home: the package is installed, `join`, the page of its link, an approval."""
    relay = make_relay(*OPEN)
    install, join = readme_commands()
    assert "apt install" in install
    command, _, _ = join.partition("#")
    assert "https://relay.example" in command
    (home.folder / "bin/heliograph").symlink_to(BINARY)
    # --yes replaces the answer at a terminal, and --supervised replaces systemd.
    line = command.strip().replace("https://relay.example", relay.url) + " " + " ".join(["--yes", "--supervised", *ROOT_FLAG])
    done = subprocess.run(["/bin/sh", "-c", line], env=home.environment, cwd=home.folder, capture_output=True, text=True, timeout=patient(60))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "64 MB" in done.stderr and "for 30 days, it deletes the workspace" in done.stderr, done.stderr
    assert f"reports to {relay.url}" in done.stdout and set(home.processes()) == {"supervise", "host"}
    assert "hook" in home.settings.read_text().lower(), "Claude Code is connected"
    link = next(word for word in done.stdout.split() if "#pair=" in word)
    with closing_screens(lambda **options: Screen(browser, SimpleNamespace(url=relay.url, pair_link=lambda _: link), **options)) as screen:
        one = screen(name="Their phone")
        expect(one.page.locator("trust-note")).to_contain_text("trusts this browser now")
        asking = Asking(SimpleNamespace(socket=home.state / "host.sock"), question("s1"))  # type: ignore[arg-type]
        one.go("#/approvals")
        one.page.locator("approval-card[data-stage=pending]").get_by_role("button", name="Allow", exact=True).click()
        assert asking.answer() == (200, {"decision": "allow"})
        expect(one.page.locator("approval-card[data-stage=pending]")).to_have_count(0)
    (theirs,) = (entry for name, entry in workspaces(relay).items() if name != "default")
    assert (theirs["hosts"], theirs["clients"]) == (1, 1)
    # A second `join` creates nothing.
    again = home.run("join", relay.url, "--supervised", *ROOT_FLAG, "--yes", status=1)
    assert "already" in again and len(workspaces(relay)) == 2
    home.run("down")
    assert not home.processes()


def invite(relay: Relay, name: str) -> str:
    """The link of an invitation into a new workspace."""
    said = relay.run("workspace", "invite", name, "--data", str(relay.data)).stdout
    return next(word for word in said.replace("'", " ").split() if "/#join=" in word)


def test_the_page_says_that_its_workspace_was_removed(make_relay: Callable[..., Relay], browser: Any) -> None:
    relay = make_relay(*OPEN)
    made = relay.post("/v1/register", {}).json
    link = f"{relay.url}/#pair={made['device']}"
    with closing_screens(lambda **options: Screen(browser, SimpleNamespace(url=relay.url, pair_link=lambda _: link), **options)) as screen:
        one = screen(name="Their phone")
        relay.run("workspace", "delete", made["workspace"]["id"], "--yes", "--data", str(relay.data))
        expect(one.page.locator("body")).to_contain_text("This workspace was removed from the relay")


def test_an_invitation_is_one_link_for_machine_and_phone(home: Home, relay: Relay, client: Callable[..., WireClient]) -> None:  # noqa: F811
    invitation = invite(relay, "Kitchen")
    said = home.run("join", invitation, "--supervised", *ROOT_FLAG, "--yes", "--name", "their laptop")
    assert f"reports to {relay.url}" in said
    home.wait_link()
    code, _, secret = said.partition("/#pair=")[2].split()[0].partition("&k=")
    phone = client(relay, "their phone", token=paired(relay, code, "their phone"))
    phone.subscribe()
    assert phone.welcome["workspace"]["name"] == "Kitchen" and "steer" in phone.welcome["may"]
    phone.device = trusting_join(phone, secret, unb64(devices(home)["host"]))
    # A repeated `join` continues with the existing workspace, as after an interruption.
    assert "reports to" in home.run("join", invitation, "--supervised", *ROOT_FLAG, "--yes")
    home.run("down")


def test_a_machine_joins_by_a_link_of_its_own(home: Home, relay: Relay) -> None:  # noqa: F811
    said = home.run("join", relay.pair_link("host"), "--supervised", *ROOT_FLAG, "--yes")
    assert f"reports to {relay.url}" in said and "heliograph host trust" in said and "#pair=" not in said
    home.wait_link()
    home.run("down")


def test_what_cannot_be_joined_is_said(home: Home, relay: Relay) -> None:  # noqa: F811
    assert "invitation" in home.run("join", relay.url, *ROOT_FLAG, status=1)
    assert "https://relay.example" in home.run("join", relay.pair_link(), *ROOT_FLAG, status=2)
    assert "no TLS" in home.run("join", "http://192.0.2.1", *ROOT_FLAG, status=1)
    relay.stop()
    home.run("join", relay.url, *ROOT_FLAG, status=4)
    assert not home.processes()


@pytest.mark.parametrize("arguments", [[], OPEN], ids=["invited", "open"])
def test_the_page_says_how_to_join(arguments: list[str], make_relay: Callable[..., Relay], browser: Any) -> None:
    relay = make_relay(*arguments)
    with closing_screens(lambda **options: Screen(browser, relay, **options)) as screen:
        one = screen(paired=False)
        with one.page.expect_response("**/v1/register"):
            one.page.goto(relay.url)
        one.settle()
        advice = one.page.get_by_text(f"heliograph join {relay.url}")
        expect(advice).to_have_count(1)
        assert advice.is_visible() == bool(arguments)
        one.go("#join=abcd.efgh")
        expect(one.page.locator("pair-screen")).to_contain_text("That link is for a machine with agents")
        if arguments:
            one.expect_accessible()
            one.expect_no_overflow()
