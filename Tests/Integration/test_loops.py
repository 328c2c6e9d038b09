"""Repeats other files' tests with three event loops instead of one, and tests faults that need several loops."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from relay import BENCH, Relay
from test_bench import measured, test_every_scenario_ends_with_a_count  # noqa: F401
from test_kill import dice, test_kill_9_of_the_relay_in_a_loop  # noqa: F401
from test_load import test_those_who_say_nothing_make_room_for_those_who_do, test_what_a_tick_brings_leaves_in_one_piece  # noqa: F401
from test_operations import (  # noqa: F401
    Identity, identity, test_a_new_certificate_is_taken_without_losing_a_connection, test_a_report_says_how_the_relay_is_and_no_secret,
    test_everybody_is_asked_back_at_a_moment_of_their_own, test_who_does_not_leave_does_not_keep_it,
)  # fmt: skip
from waits import wait_until

LOOPS = 3
THREADS = {"heliograph-loop"} | {f"heliograph-io{number}" for number in range(1, LOOPS + 1)}


@pytest.fixture
def relay(make_relay: Callable[..., Relay]) -> Relay:
    return make_relay("--loops", str(LOOPS))


@pytest.fixture
def tls_relay(make_relay: Callable[..., Relay], tmp_path: Path, identity: Identity) -> Iterator[Relay]:  # noqa: F811
    relay = Relay(tmp_path / "relay", ["--loops", str(LOOPS), "--tls-certificate", str(identity.certificate), "--tls-key", str(identity.key)])
    relay.launch()
    wait_until(lambda: "is listening on" in relay.log_text(), 20, lambda: f"the relay to listen: {relay.log_text()}")
    yield relay
    relay.stop()
    relay.check_log()


@pytest.fixture
def kills() -> int:
    """The number of kills: fewer than with one loop, because a crash leaves the same data on disk."""
    return int(os.environ.get("HELIOGRAPH_KILLS", "8"))


def test_each_loop_has_a_thread(relay: Relay) -> None:
    assert relay.process
    names = {(task / "comm").read_text().strip() for task in Path(f"/proc/{relay.process.pid}/task").iterdir()}
    assert names >= THREADS, names
    assert relay.metric('heliograph_event_loops{wait="epoll"}') == LOOPS


def test_a_relay_of_more_loops_than_make_sense_does_not_start(relay: Relay) -> None:
    done = relay.run("serve", "--loops", "65", "--listen", "127.0.0.1:0", check=False)
    assert done.returncode != 0 and "a number from 1 to 64" in done.stderr


def test_who_is_shown_out_is_on_any_loop(relay: Relay, client: Callable[..., Any]) -> None:
    """Revoking a token closes its connections on every loop, and no others."""
    phones = [client(relay, f"phone {number}") for number in range(2 * LOOPS)]
    for number in range(0, 2 * LOOPS, 2):
        relay.revoke(relay.token_id(f"phone {number}"))
    for number, phone in enumerate(phones):
        if number % 2:
            phone.command("ping")
        else:
            assert phone.connection.wait_closed() == 4401


def test_a_saturated_relay_keeps_every_sequence(relay: Relay) -> None:
    """Each of the load's subscribers checks every event, which crosses between loops twice."""
    command = ["fanout", *measured(relay), "--hosts", "2", "--clients", "200", "--window", "64", "--duration", "2", "--warm-up", "0", "--json"]
    found = json.loads(relay.run(*command, timeout=120, program=BENCH).stdout)
    assert found["result"]["deliveries"] > 200 * 64
