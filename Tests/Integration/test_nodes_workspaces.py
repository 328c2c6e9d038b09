"""Two workspaces on several nodes: at any node a peer sees its own workspace only."""

import json
import os
import random
import time
from typing import Any

from client import WireClient
from follower import Follower, whole_log
from history import check_decisions, check_host, check_view
from host import ScriptedHost
from load import Worker
from nodes import Anywhere, InWorkspace, settled_log
from pictures import bring, named, png
from test_nodes import SEED, make_cluster, make_phone, server  # noqa: F401
from test_push import decide, payload, wait_notification
from waits import wait_until

OTHER = "Their own"
SECRETS = ["launch the missiles", "their laptop", "their phone", "Their plan"]
"""Words that are in the other workspace alone."""
ROUNDS = int(os.environ.get("HELIOGRAPH_NODE_KILLS", "4"))


def test_what_is_of_one_workspace_is_shown_in_no_other_at_any_node(make_cluster: Any) -> None:
    cluster = make_cluster(3)
    owner, (left, right) = cluster.owner, cluster.edges
    left.run("workspace", "add", OTHER, "--data", str(left.data))
    # Host and client of a workspace connect to different nodes.
    ours, theirs = ScriptedHost(left, "our laptop"), ScriptedHost(InWorkspace(right, OTHER), "their laptop")
    phones = [
        WireClient(node, name, role="operator")
        for node, name in ((right, "our phone"), (InWorkspace(left, OTHER), "their phone"), (InWorkspace(owner, OTHER), "their tablet"))
    ]
    our_phone, their_phone, their_tablet = phones
    try:
        for host, title, command in ((ours, "Our plan", "make tea"), (theirs, "Their plan", "launch the missiles")):
            host.start_session("s1", title=title)
            host.request_approval("s1", "Bash", {"command": command}, approval="the-approval")
            host.wait_acked("s1")
        for phone in phones:
            phone.subscribe()
            phone.subscribe("s1")
            phone.wait_approval("the-approval", "pending")
        assert our_phone.welcome["epoch"] != their_phone.welcome["epoch"] == their_tablet.welcome["epoch"]
        # Both workspaces have a session and an approval with the same names: each client decides its own, over two links.
        our_phone.decide("s1", "the-approval", "deny", message="no tea")
        assert ours.wait_decision("the-approval")["decision"]["message"] == "no tea"
        assert not theirs.decisions and their_tablet.approvals["the-approval"]["stage"] == "pending"
        their_phone.decide("s1", "the-approval", "allow")
        assert theirs.wait_decision("the-approval")["decision"]["decision"] == "allow"
        their_tablet.wait_approval("the-approval", "decided")
        theirs.deltas("s1", "m1", "launch the missiles, in pieces")
        their_phone.wait(lambda message: message["type"] == "deltas", what="a live piece of a message")
        # A picture is requested by its digest at every node.
        picture = png(seed=1)
        assert bring(left, their_phone.token, "s1", picture).status == 200
        path = f"/v1/pictures/{named(picture)['digest']}"
        for node in cluster.nodes:
            assert node.get(path, {"Authorization": f"Bearer {their_tablet.token}"}).body == picture
            absent, foreign = (node.get(name, {"Authorization": f"Bearer {our_phone.token}"}) for name in ("/v1/pictures/" + "0" * 64, path))
            assert foreign.status == absent.status == 404 and foreign.body == absent.body
            listed = node.get("/v1/tokens", {"Authorization": f"Bearer {our_phone.token}"}).json["tokens"]
            assert {token["name"] for token in listed} == {"our laptop", "our phone"}
        our_phone.command("ping")
        said = json.dumps([our_phone.messages, ours.received])
        assert not [word for word in SECRETS if word in said]

        # A workspace removed at one node disappears from all of them, and the other workspace is not affected.
        messages, closings = len(our_phone.messages), len(ours.closed_with)
        right.run("workspace", "remove", OTHER, "--yes", "--data", str(right.data))
        wait_until(lambda: not their_phone.connection.is_open and not their_tablet.connection.is_open, 10, "their clients to be shown out")
        wait_until(lambda: {401, 4401} & set(theirs.closed_with), 10, lambda: f"their host to be shown out, not {theirs.closed_with}")
        theirs.disconnect()
        for node in cluster.nodes:
            wait_until(lambda: node.get("/v1/me", {"Authorization": f"Bearer {their_phone.token}"}).status == 401, 10, "their token to be refused")
        our_phone.command("ping")
        since = our_phone.messages[messages:]
        # Messages about the relay's own session in this workspace are ignored.
        assert [message["type"] for message in since if message.get("summary", {}).get("title") != "Our plan"] == ["reply"], since
        assert not [word for word in SECRETS if word in json.dumps(since)] and len(ours.closed_with) == closings
        ours.event("s1", "message", {"role": "user"}, {"text": "still here"})
        ours.wait_acked("s1")
    finally:
        for host in (ours, theirs):
            host.close()
        for phone in phones:
            phone.connection.close()


def test_what_is_killed_under_load_loses_nothing_of_any_workspace(make_cluster: Any) -> None:
    """The test of the same name in `test_nodes`, but with sessions of the same name in two workspaces:

    each has its own log and epoch, whichever node dies.
    """
    dice = random.Random(SEED)
    print(f"HELIOGRAPH_SEED={SEED} repeats this run's choices")
    cluster = make_cluster(3)
    cluster.owner.run("workspace", "add", OTHER, "--data", str(cluster.owner.data))
    anywhere = Anywhere(cluster.nodes)
    teams = [anywhere, InWorkspace(anywhere, OTHER)]
    workers = [Worker(team, 0, dice.randrange(1 << 32)) for team in teams]
    followers = [[Follower(team, f"follower-{number}", ["s0"], lambda approval: "allow") for number in range(2)] for team in teams]
    try:
        for _ in range(ROUNDS):
            before = [worker.through for worker in workers]
            cluster.wait_owned(2)
            wait_until(lambda: all(worker.through > start for worker, start in zip(workers, before)), 30, "both to be acknowledged")
            # The killed nodes own both workspaces, one, or none.
            victims = dice.sample(cluster.nodes, dice.choice([1, 2]))
            time.sleep(dice.random() * 0.1)  # the seed chooses the moment of the kill
            for victim in victims:
                victim.kill()
            for victim in victims:
                victim.launch()
        cluster.wait_owned(2)
        owner = cluster.nodes[0]
        epochs = []
        for worker, watching, name in zip(workers, followers, ("default", OTHER)):
            worker.finish(watching)
            log = whole_log(InWorkspace(owner, name), "s0")
            for follower in watching:
                wait_until(lambda: follower.positions.get("s0", ("", 0))[1] >= len(log), 30, lambda: f"{follower} to have {len(log)} events")
                check_view(follower, "s0", log)
                assert not follower.resets
            check_host(worker.host, "s0", log)
            check_decisions(log, watching, [worker.host])
            epochs.append({follower.positions["s0"][0] for follower in watching})
        assert [len(one) for one in epochs] == [1, 1] and epochs[0] != epochs[1]
        owner.run("audit", "verify", "--data", str(owner.data))
    finally:
        for watching in followers:
            for follower in watching:
                follower.close()
        for worker in workers:
            worker.host.close()


def test_workspaces_are_spread_over_the_nodes_and_a_death_concerns_its_own_alone(make_cluster: Any) -> None:
    """Each workspace has one owner. Peers are not affected if both their node and their workspace's owner survive."""
    names = ["default", *(f"team {number}" for number in range(7))]
    cluster = make_cluster(3)
    for name in names[1:]:
        cluster.nodes[0].run("workspace", "add", name, "--data", str(cluster.nodes[0].data))
    first = cluster.wait_owned(len(names))
    assert all(first.values()), f"each of three nodes owns some of eight workspaces, not {first}"
    anywhere = Anywhere(cluster.nodes)
    hosts = {name: ScriptedHost(InWorkspace(anywhere, name), f"host of {name}") for name in names}
    try:
        for host in hosts.values():
            host.start_session("s1")
            host.wait_acked("s1", timeout=20)
        victim = cluster.nodes[1]
        before = cluster.wait_owned(len(names), 40)
        closings = {name: len(host.closed_with) for name, host in hosts.items()}
        victim.kill()
        after = cluster.wait_owned(len(names))
        assert victim.folder.name not in after and sum(after.values()) == len(names)
        for host in hosts.values():
            host.event("s1", "message", {"role": "user"}, {"text": "still here"})
        for host in hosts.values():
            host.wait_acked("s1", timeout=30)
        undisturbed = [name for name, host in hosts.items() if len(host.closed_with) == closings[name]]
        assert undisturbed, f"nobody was left alone: {before}, then {after}"
        # The restarted node gets its share back, one workspace after the other, without a loss.
        victim.launch()
        wait_until(lambda: victim.owned() > 0, 60, lambda: f"the node to own something again: {[node.owned() for node in cluster.nodes]}")
        for name, host in hosts.items():
            host.event("s1", "message", {"role": "user"}, {"text": "and still"})
        for name, host in hosts.items():
            host.wait_acked("s1", timeout=30)
            check_host(host, "s1", settled_log(InWorkspace(cluster.nodes[0], name), "s1"))
        cluster.wait_owned(len(names))
    finally:
        for host in hosts.values():
            host.close()


def test_a_notification_decides_at_whichever_node_its_code_comes_to(make_cluster: Any, make_phone: Any) -> None:
    """The code is the only credential, so it must also identify the workspace."""
    cluster = make_cluster(3)
    phone = make_phone(cluster)
    cluster.nodes[0].run("workspace", "add", OTHER, "--data", str(cluster.nodes[0].data))
    cluster.wait_owned(2)
    theirs = InWorkspace(Anywhere(cluster.nodes), OTHER)
    phone.register(theirs.token("client", "their phone"), text="full", starts="never")
    host = ScriptedHost(theirs, "their laptop")
    host.start_session("s1")
    try:
        for number, node in enumerate(cluster.nodes):
            approval = host.request_approval("s1", "Bash", {"command": f"make {number}"})
            shown = wait_notification(phone, lambda found: payload(found)["heliograph"].get("approval") == approval and "code" in payload(found)["heliograph"])
            code = payload(shown)["heliograph"]["code"]
            assert int(code.partition(".")[0]) >> 32 == 2, f"{code} names the second workspace"
            wrong = decide(node, code[:-1] + ("A" if code[-1] != "A" else "B"), decision="allow")
            assert wrong.status == 404 and not [one for one in host.decisions if one["approval"] == approval], wrong.body
            assert decide(node, code, decision="allow").status == 200
            assert host.wait_decision(approval, timeout=20)["decision"]["decision"] == "allow"
            again = decide(cluster.nodes[number - 1], code, decision="deny")
            assert again.status == 409 and again.json["error"]["winner"]["decision"] == "allow", again.body
            host.apply("s1", approval)
            host.wait_acked("s1", timeout=20)
        # A code with an unknown workspace number, and a malformed one.
        for code in (f"{(99 << 32) + 1}.{'A' * 22}", "nothing"):
            assert decide(cluster.nodes[0], code, decision="allow").status == 404
    finally:
        host.close()
