"""Several serving relays of deploy/: the manifest against its schema and rules, and the Caddyfile with a real Caddy in front of real nodes."""

import signal
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from deploy_files import DEPLOY, IMAGE_USER, documents
from nodes import Cluster
from postgres import PostgresServer
from proxies import Caddy, Certificate
from test_deploy_containers import KUBERNETES_VERSIONS, serve_arguments
from waits import wait_until

KUBERNETES = DEPLOY / "kubernetes/heliograph-nodes.yaml"


def manifest(kind: str) -> dict[str, Any]:
    (found,) = (document for document in documents(KUBERNETES) if document["kind"] == kind)
    return found


@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
def test_the_manifest_fits_its_schema(version: str) -> None:
    for document in documents(KUBERNETES):
        kubernetes_validate.validate(document, version, strict=True)


def test_the_pods_tell_each_other_where_they_are_and_are_rolled_one_by_one() -> None:
    deployment = manifest("Deployment")["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    serve_arguments(container["args"])
    environment = {variable["name"]: variable for variable in container["env"]}
    (port,) = container["ports"]
    assert environment["HELIOGRAPH_ADVERTISE"]["value"] == f"http://$(POD_IP):{port['containerPort']}"
    # Kubernetes expands a variable only if it is defined before its use.
    assert list(environment).index("POD_IP") < list(environment).index("HELIOGRAPH_ADVERTISE")
    assert environment["POD_IP"]["valueFrom"]["fieldRef"]["fieldPath"] == "status.podIP"
    assert deployment["replicas"] == 3 and deployment["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    assert manifest("PodDisruptionBudget")["spec"]["maxUnavailable"] == 1
    assert {name for name in container if name.endswith("Probe")} == {"readinessProbe"} and container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == IMAGE_USER


def test_only_pods_and_the_ingress_reach_the_port() -> None:
    labels = manifest("Deployment")["spec"]["template"]["metadata"]["labels"]
    policy = manifest("NetworkPolicy")["spec"]
    assert policy["podSelector"]["matchLabels"] == labels == manifest("Service")["spec"]["selector"]
    (rule,) = policy["ingress"]
    pods, ingress, prometheus = rule["from"]
    assert pods["podSelector"]["matchLabels"] == labels and set(ingress) == {"namespaceSelector"}
    assert prometheus["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": "prometheus"} and "namespaceSelector" in prometheus


def test_a_pod_goes_on_until_nobody_is_sent_to_it() -> None:
    pod = manifest("Deployment")["spec"]["template"]["spec"]
    command = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
    assert command[0] == "sleep" and pod["terminationGracePeriodSeconds"] >= 30 + int(command[1]), "the relay still has its 30 s"
    # With a standby relay or a single pod, a takeover begins only when the first process has ended, so a slow stop would cost
    # seconds.
    for alone in ("heliograph.yaml", "heliograph-two.yaml"):
        assert "preStop" not in (DEPLOY / "kubernetes" / alone).read_text()


def test_every_manifest_listens_to_both_kinds_of_address_and_names_its_ingress_class() -> None:
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        made = {document["kind"]: document for document in documents(path)}
        (container,) = (made.get("Deployment") or made["StatefulSet"])["spec"]["template"]["spec"]["containers"]
        assert container["args"][container["args"].index("--listen") + 1] == "[::]:8787", path
        assert made["Ingress"]["spec"]["ingressClassName"], path


class CaddyOfNodes(Caddy):
    example = "caddy/Caddyfile.nodes"


def test_caddy_leads_to_any_of_them_and_not_to_their_links(tmp_path: Path) -> None:
    server = PostgresServer()
    front = CaddyOfNodes(tmp_path / "caddy", Certificate(tmp_path))
    cluster = Cluster(tmp_path, server, "behind_caddy", 3, ["--public-url", front.url])
    try:
        cluster.start()
        first, second, third = cluster.nodes
        front.start(first.port, {"127.0.0.1:8788": f"127.0.0.1:{second.port}", "127.0.0.1:8789": f"127.0.0.1:{third.port}"})
        header = ["--header", f"Authorization: Bearer {first.token('client', 'phone')}"]
        for _ in range(6):
            assert front.curl("/readyz")[0] == 200 and front.curl("/v1/me", *header)[0] == 200
        assert front.curl("/v1/link")[0] == 404
        owner = cluster.owner
        assert owner.process is not None
        owner.process.send_signal(signal.SIGSTOP)
        try:
            # The suspended node still accepts connections, so Caddy has to notice that it does not answer.
            cluster.wait_owner(among=[node for node in cluster.nodes if node is not owner], seconds=30)
            wait_until(lambda: front.curl("/v1/me", *header)[0] == 200, 20, lambda: f"Caddy to lead on:\n{front.log.read_text()[-3000:]}")
        finally:
            owner.process.send_signal(signal.SIGCONT)
        cluster.check_logs()
    finally:
        front.stop()
        cluster.kill()
        server.close()
