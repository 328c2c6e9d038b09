"""A phone registers in another workspace: the former one pushes nothing to it any more, whichever nodes own the two."""

import time
from pathlib import Path
from typing import Any

import pytest

from client import WireClient
from host import ScriptedHost
from nodes import Anywhere, Cluster, InWorkspace, Node
from push_site import PushSite, site  # noqa: F401 (a fixture)
from relay import Relay
from test_nodes import make_cluster, make_phone, server  # noqa: F401
from test_push import notifications, payload
from test_web_push import Laptop, register, told
from waits import wait_until

OTHER = "Their own"
LOSS = "its app registered as another device"


def owner_of(cluster: Cluster, workspace: str) -> Node | None:
    """The workspace's owner according to the database."""
    node = cluster.nodes[0]
    name = node.server.sql(
        "SELECT nodes.name FROM owners JOIN nodes USING (holder) JOIN workspaces AS w ON w.workspace = scope"
        f" WHERE w.name = '{workspace}' AND expires_at > now()",
        node.database,
    )
    return next((node for node in cluster.nodes if node.folder.name == name), None)


def workspace_of_another_node(cluster: Cluster) -> str:
    """Creates workspaces until one has another owner than the first workspace."""
    for number in range(1, 9):
        name = f"{OTHER} {number}"
        cluster.nodes[0].run("workspace", "add", name, "--data", str(cluster.nodes[0].data))
        cluster.wait_owned(1 + number)
        if owner_of(cluster, name) is not owner_of(cluster, "default"):
            return name
    raise AssertionError("one node owns nine workspaces of two")


def rung(phone: Any) -> list[str]:
    """The approvals that the phone has ever been notified of and still shows."""
    return [payload(shown)["heliograph"].get("approval") for shown in notifications(phone)]


def wait_rung(phone: Any, approval: str) -> None:
    wait_until(lambda: approval in rung(phone), 20, lambda: f"{approval} to ring; the phone shows {rung(phone)}", every=0.1)


class Side:
    """A workspace with a host whose session is active, and a client that watches its devices."""

    def __init__(self, relay: Any, name: str):
        self.relay, self.name = relay, name
        self.host = ScriptedHost(relay, f"{name} laptop")
        self.session = f"{name}-session"
        self.host.start_session(self.session, title=name)
        self.host.event(self.session, "status.changed", {"status": "running"})
        self.token = relay.token("client", f"{name} phone")
        self.watcher_token = relay.token("operator", f"{name} watcher")

    def ask(self) -> str:
        return self.host.request_approval(self.session, "Bash", {"command": "make"})

    def devices(self) -> list[Any]:
        """Uses a new connection, because owners change."""
        try:
            watcher = WireClient(self.relay, f"{self.name} watcher", self.watcher_token)
        except Exception:  # noqa: BLE001  a node that has just been killed, or does not know yet who serves
            return []
        try:
            return watcher.command("devices").get("devices", [])
        except AssertionError:
            return []
        finally:
            watcher.close()

    def wait_lost(self) -> None:
        wait_until(
            lambda: any(LOSS in device.get("trouble", "") for device in self.devices()), 30, lambda: f"{self.name} to have lost it: {self.devices()}"
        )

    def close(self) -> None:
        self.host.close()


def test_alerts_and_cards_of_the_workspace_that_a_phone_has_left_stay_away(make_cluster: Any, make_phone: Any) -> None:  # noqa: F811
    cluster = make_cluster(2)
    phone = make_phone(cluster)
    theirs_name = workspace_of_another_node(cluster)
    anywhere = Anywhere(cluster.nodes)
    ours, theirs = Side(anywhere, "ours"), Side(InWorkspace(anywhere, theirs_name), "theirs")
    try:
        phone.register(ours.token, text="full", starts="always")
        before = ours.ask()
        wait_rung(phone, before)
        wait_until(lambda: phone.cards(), 20, "a card of ours")
        assert not [push for device in theirs.devices() for push in device["pushes"]]

        phone.register(theirs.token, text="full", starts="never")
        moved_at = time.time() * 1000
        unheard = ours.ask()
        ours.host.event(ours.session, "message", {"role": "assistant", "text": "still at work"})
        heard = theirs.ask()
        wait_rung(phone, heard)
        ours.wait_lost()
        # Both requests are repeated, now that our workspace's owner knows of the move.
        still = [ours.ask(), theirs.ask()]
        wait_rung(phone, still[1])
        assert not {unheard, still[0]} & set(rung(phone))
        late = [push for device in ours.devices() for push in device["pushes"] if push["plannedAt"] > moved_at and push["purpose"] != "channel"]
        assert late and all(push.get("outcome", {}).get("result") == "notSent" for push in late), late

        # Back in the first workspace, the phone is notified of its pending approvals, and no longer of the other's.
        phone.register(ours.token, text="full", starts="never")
        for approval in (unheard, still[0]):
            wait_rung(phone, approval)
        lost = theirs.ask()
        theirs.wait_lost()
        wait_rung(phone, ours.ask())
        assert lost not in rung(phone)
        rows = cluster.nodes[0].server.sql("SELECT count(*), bool_and(octet_length(digest) = 32) FROM push_addresses", cluster.nodes[0].database)
        assert rows.endswith("|t"), rows
    finally:
        ours.close()
        theirs.close()


@pytest.mark.parametrize("killed", ["former", "present", "both"])
def test_whoever_is_killed_right_after_it_the_move_holds(make_cluster: Any, make_phone: Any, killed: str) -> None:  # noqa: F811
    cluster = make_cluster(2)
    phone = make_phone(cluster)
    theirs_name = workspace_of_another_node(cluster)
    workspaces = int(cluster.nodes[0].server.sql("SELECT count(*) FROM workspaces", cluster.nodes[0].database))
    anywhere = Anywhere(cluster.nodes)
    ours, theirs = Side(anywhere, "ours"), Side(InWorkspace(anywhere, theirs_name), "theirs")
    try:
        phone.register(ours.token, text="full", starts="never")
        wait_rung(phone, ours.ask())
        former, present = owner_of(cluster, "default"), owner_of(cluster, theirs_name)
        assert former is not None and present is not None
        phone.register(theirs.token, text="full", starts="never")
        # The two owners differ unless a workspace has just been handed over.
        victims = list(dict.fromkeys({"former": [former], "present": [present], "both": [former, present]}[killed]))
        for victim in victims:
            victim.kill()
        unheard = ours.ask()
        for victim in victims:
            victim.launch()
        cluster.wait_owned(workspaces, 40)
        heard = theirs.ask()
        for side in (ours, theirs):
            side.host.wait_acked(side.session, timeout=30)
        wait_rung(phone, heard)
        ours.wait_lost()
        last = theirs.ask()
        wait_rung(phone, last)
        assert unheard not in rung(phone)
    finally:
        ours.close()
        theirs.close()


@pytest.mark.parametrize("store", ["file", "database"])
def test_a_relay_that_is_alone_does_the_same_with_a_browser(server: Any, tmp_path: Path, site: PushSite, store: str) -> None:  # noqa: F811
    database = "alone_with_two"
    if store == "database":
        server.make(database)
    arguments = ["--store", server.address(database)] if store == "database" else []
    relay = Relay(tmp_path / "relay", arguments, environment=site.environment)
    sides: list[Side] = []
    clients: list[WireClient] = []
    try:
        relay.start()
        relay.run("workspace", "add", OTHER, "--data", str(relay.data))
        ours, theirs = sides = [Side(relay, "ours"), Side(InWorkspace(relay, OTHER), "theirs")]
        clients = [WireClient(side.relay, f"{side.name} laptop", side.token) for side in sides]
        laptop = Laptop(relay, site, clients[0], allowOnLockScreen=True)

        def shown() -> list[str]:
            return [told(one).get("approval", "") for one in site.notifications(laptop.browser)]

        first = ours.ask()
        wait_until(lambda: first in shown(), 20, lambda: f"ours to ring: {shown()}")
        # A push's answer would confirm that the device is registered.
        wait_until(lambda: any("outcome" in push for device in ours.devices() for push in device["pushes"]), 20, "the answer to be there")
        assert "error" not in register(clients[1], laptop.browser)
        ours.wait_lost()
        unheard, heard = ours.ask(), theirs.ask()
        wait_until(lambda: heard in shown(), 20, lambda: f"theirs to ring: {shown()}")
        ours.host.wait_acked(ours.session)
        relay.kill()
        relay.start()
        last = theirs.ask()
        wait_until(lambda: last in shown(), 20, lambda: f"theirs to ring after a start: {shown()}")
        assert unheard not in shown()
        relay.check_log()
    finally:
        for client in clients:
            client.close()
        for side in sides:
            side.close()
        relay.kill()


@pytest.mark.parametrize("store", ["file", "database"])
def test_the_code_of_a_removed_workspace_decides_nothing_in_another(server: Any, tmp_path: Path, site: PushSite, store: str) -> None:  # noqa: F811
    """The workspace was removed while no relay ran, and the device was the only one."""
    database = "alone_with_a_removed_one"
    if store == "database":
        server.make(database)
    arguments = ["--store", server.address(database)] if store == "database" else []
    relay = Relay(tmp_path / "relay", arguments, environment=site.environment)
    sides: list[Side] = []
    clients: list[WireClient] = []

    def code(side: Side, laptop: Laptop) -> str:
        asked = side.ask()
        return told(site.wait_notification(laptop.browser, lambda shown: told(shown).get("approval") == asked))["code"]

    try:
        relay.start()
        relay.run("workspace", "add", OTHER, "--data", str(relay.data))
        ours, theirs = sides = [Side(relay, "ours"), Side(InWorkspace(relay, OTHER), "theirs")]
        clients.append(WireClient(theirs.relay, "their laptop", theirs.token))
        old = code(theirs, Laptop(relay, site, clients[0], allowOnLockScreen=True))
        relay.stop()
        relay.run("workspace", "remove", OTHER, "--yes", "--data", str(relay.data))
        relay.start()
        clients.append(WireClient(relay, "our laptop", ours.token))
        new = code(ours, Laptop(relay, site, clients[1], allowOnLockScreen=True))
        assert int(new.split(".")[0]) > int(old.split(".")[0])
        decision = {"decision": "allow"}
        assert relay.post(f"/v1/decisions/{old}", decision).status == 404
        assert relay.post(f"/v1/decisions/{new}", decision).json == {"stage": "decided"}
        relay.check_log()
    finally:
        for client in clients:
            client.close()
        for side in sides:
            side.close()
        relay.kill()
