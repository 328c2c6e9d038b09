"""Pushes of a relay with its data in PostgreSQL: another relay continues with the stored pushes and subscriptions."""

from collections.abc import Iterator

import pytest

from client import WireClient
from host import ScriptedHost
from postgres import PostgresServer
from push_site import site  # noqa: F401 (a fixture)
from relay import Relay
from test_web_push import Laptop, decide, server_key, told
from waits import wait_until


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


def test_a_relay_with_another_folder_honours_codes_and_subscriptions_made_before(server, tmp_path, site):
    store = ["--store", server.address("postgres")]
    first, second = (Relay(tmp_path / name, store, environment=site.environment) for name in ("first", "second"))
    peers: list[WireClient | ScriptedHost] = []
    try:
        first.start()
        ada = Laptop(first, site, WireClient(first, "Ada's laptop"), allowOnLockScreen=True)
        host = ScriptedHost(first)
        peers += [ada.client, host]
        host.start_session("s1", title="Mend the roof")
        approval = host.request_approval("s1", "Bash", {"command": "make"})
        code = told(site.wait_notification(ada.browser))["code"]
        key = server_key(first, ada.client.token)
        host.wait_acked("s1")

        second.port, second.url = first.port, first.url
        second.launch()
        wait_until(lambda: "stands by" in second.log_text(), 20, "the second relay stands by")
        first.kill()
        wait_until(second._is_ready, 30, lambda: f"the second is at work. Its log:\n{second.log_text()}")
        assert server_key(second, ada.client.token) == key
        assert decide(second, code, decision="allow").json == {"stage": "decided"}
        host.wait_decision(approval, timeout=20)
        # The push service accepts only pushes signed by the key that the browser subscribed with.
        host.apply("s1", approval)
        host.request_approval("s1", "Bash", {"command": "make install"})
        wait_until(lambda: len([one for one in site.notifications(ada.browser) if told(one).get("code")]) == 2, 20, "a push of the second relay")
        kept = [path.name for relay in (first, second) for path in relay.data.iterdir()]
        assert "push-secret" not in kept and "web-push-key.pem" not in kept
        second.check_log()
        second.stop()
    finally:
        for peer in peers:
            peer.close()
        first.kill()
        second.kill()


def test_what_was_sent_and_subscribed_holds_after_a_move_to_a_file_and_back(server, tmp_path, site):
    store = server.address("postgres")
    relay = Relay(tmp_path / "first", ["--store", store], environment=site.environment)
    host: ScriptedHost | None = None
    try:
        relay.start()
        ada = Laptop(relay, site, WireClient(relay, "Ada's laptop"), allowOnLockScreen=True)
        host = ScriptedHost(relay)
        host.start_session("s1", title="Mend the roof")
        key = server_key(relay, ada.client.token)
        approvals = [host.request_approval("s1", "Bash", {"command": command}) for command in ("make", "make install")]
        wait_until(lambda: len(site.notifications(ada.browser)) >= 2, 20, "a push for each")
        codes = {told(one)["approval"]: told(one)["code"] for one in site.notifications(ada.browser)}
        host.wait_acked("s1")
        ada.client.close()
        relay.stop()

        moved = Relay(tmp_path / "file", [], environment=site.environment)
        relay.run("migrate", store, str(moved.data))
        moved.port, moved.url = relay.port, relay.url
        moved.start()
        try:
            assert server_key(moved, ada.client.token) == key
            assert decide(moved, codes[approvals[0]], decision="allow").json == {"stage": "decided"}
            host.wait_decision(approvals[0], timeout=20)
        finally:
            moved.stop()

        server.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        moved.run("migrate", str(moved.data), store)
        again = Relay(tmp_path / "third", ["--store", store], environment=site.environment)
        again.port, again.url = relay.port, relay.url
        again.start()
        try:
            assert server_key(again, ada.client.token) == key
            assert decide(again, codes[approvals[1]], decision="allow").json == {"stage": "decided"}
            host.wait_decision(approvals[1], timeout=20)
        finally:
            again.stop()
    finally:
        if host:
            host.close()
        relay.kill()
