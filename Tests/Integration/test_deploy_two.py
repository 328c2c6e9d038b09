"""Two relays of deploy/ on one PostgreSQL: the files against their schemas and rules, and the Caddyfile with a real Caddy in front of real relays."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from deploy_files import DEPLOY, IMAGE_USER, documents
from postgres import PostgresServer
from proxies import Caddy, Certificate
from relay import Relay, free_port
from test_database import stand_by, wait_ready
from test_deploy_containers import KUBERNETES_VERSIONS, serve_arguments
from waits import wait_until

COMPOSE = DEPLOY / "container/compose.two.yaml"
KUBERNETES = DEPLOY / "kubernetes/heliograph-two.yaml"
CADDYFILE = DEPLOY / "caddy/Caddyfile.two"


def manifest(kind: str) -> dict[str, Any]:
    (found,) = (document for document in documents(KUBERNETES) if document["kind"] == kind)
    return found


def option(arguments: list[str], name: str) -> str:
    return arguments[arguments.index(name) + 1]



def test_the_compose_file_fits_its_schema() -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    result = subprocess.run(check, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_compose_file_has_two_relays_on_one_database() -> None:
    (compose,) = documents(COMPOSE)
    services = compose["services"]
    database, caddy = services["database"], services["caddy"]
    for name in ("one", "two"):
        relay = services[name]
        serve_arguments(relay["command"])
        assert option(relay["command"], "--store") == "postgresql://heliograph@database/heliograph"
        assert relay["volumes"] == [f"{name}:/data"] and relay["healthcheck"] == {"disable": True} and relay["restart"] == "unless-stopped"
        assert relay["environment"]["PGPASSFILE"] == "/run/secrets/pgpass" and relay["secrets"] == ["pgpass"]
        assert relay["depends_on"]["database"]["condition"] == "service_healthy" and "ports" not in relay
        assert relay["user"] == f"{IMAGE_USER}:{IMAGE_USER}" and relay["read_only"] and relay["cap_drop"] == ["ALL"]
    assert "ports" not in database and database["healthcheck"]["test"][1] == "pg_isready" and database["volumes"]
    assert database["environment"]["POSTGRES_PASSWORD_FILE"] == "/run/secrets/password" and database["secrets"] == ["password"]
    assert set(compose["secrets"]) == {"password", "pgpass"}
    mounted = {volume.split(":")[0] for service in services.values() for volume in service["volumes"]}
    assert {name for name in mounted if not name.startswith(".")} == set(compose["volumes"])
    assert (COMPOSE.parent / caddy["volumes"][0].split(":")[0]).resolve() == CADDYFILE
    assert caddy["environment"]["HELIOGRAPH_UPSTREAMS"].split() == ["one:8787", "two:8787"]
    assert set(caddy["environment"]) == set(re.findall(r"\{\$(\w+):", CADDYFILE.read_text()))



@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
def test_the_manifest_fits_its_schema(version: str) -> None:
    for document in documents(KUBERNETES):
        kubernetes_validate.validate(document, version, strict=True)


def test_no_probe_ends_a_relay_that_stands_by_and_no_rollout_waits_for_it() -> None:
    deployment = manifest("Deployment")["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    assert {name for name in container if name.endswith("Probe")} == {"readinessProbe"}
    # Only one of the pods is ready, and new ones become ready only after the old ones have ended.
    assert deployment["replicas"] == 2 and deployment["strategy"]["rollingUpdate"]["maxUnavailable"] == deployment["replicas"]
    assert "PodDisruptionBudget" not in {document["kind"] for document in documents(KUBERNETES)}


def test_the_pods_are_restricted_and_have_the_password() -> None:
    pod = manifest("Deployment")["spec"]["template"]["spec"]
    (container,), (password,) = pod["containers"], pod["initContainers"]
    serve_arguments(container["args"])
    assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == IMAGE_USER
    for one in (container, password):
        assert one["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
        assert {mount["name"] for mount in one["volumeMounts"]} <= {volume["name"] for volume in pod["volumes"]}
    environment = {variable["name"]: variable["value"] for variable in container["env"]}
    assert password["command"] == ["install", "--mode=0600", "/secret/pgpass", environment["PGPASSFILE"]]
    secret = manifest("Secret")
    assert {"name": "secret", "secret": {"secretName": secret["metadata"]["name"]}} in pod["volumes"]
    host = re.fullmatch(r"postgresql://heliograph@([\w.]+)/heliograph", option(container["args"], "--store"))
    assert host and secret["stringData"]["pgpass"].startswith(f"{host.group(1)}:5432:heliograph:heliograph:")


def test_the_service_leads_to_the_pods() -> None:
    template = manifest("Deployment")["spec"]["template"]
    (port,) = template["spec"]["containers"][0]["ports"]
    service = manifest("Service")["spec"]
    assert service["selector"].items() <= template["metadata"]["labels"].items() and service["ports"][0]["targetPort"] == port["name"]
    assert option(template["spec"]["containers"][0]["args"], "--listen").endswith(f":{port['containerPort']}")



class CaddyOfTwo(Caddy):
    example = "caddy/Caddyfile.two"


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP], ids=lambda sent: sent.name)
def test_caddy_leads_to_the_relay_that_is_at_work(server: PostgresServer, tmp_path: Path, sent: signal.Signals) -> None:
    front = CaddyOfTwo(tmp_path / "caddy", Certificate(tmp_path))
    store = ["--store", server.address("postgres"), "--public-url", front.url]
    first, second = (Relay(tmp_path / name, store, prefix=["setpriv", "--pdeathsig", "KILL"]) for name in ("first", "second"))
    try:
        first.start()
        # The port is chosen after the first relay listens, because each chooses a free one.
        second.port = free_port()
        stand_by(second)
        # Caddy tries the second relay first, so requests reach the first only because nothing listens at the second's port.
        front.start(second.port, {"127.0.0.1:8788": f"127.0.0.1:{first.port}"})
        token = first.token("client", "phone")
        header = ["--header", f"Authorization: Bearer {token}"]
        assert front.curl("/readyz")[0] == 200 and front.curl("/v1/me", *header)[0] == 200
        assert first.process is not None
        os.kill(first.process.pid, sent)
        if sent is signal.SIGSTOP:
            # The suspended relay's port still accepts connections, so Caddy has to notice that it does not answer.
            wait_ready(second)
            wait_until(lambda: front.curl("/v1/me", *header)[0] == 200, 10, lambda: f"Caddy to lead on:\n{front.log.read_text()[-3000:]}")
        else:
            # A visitor's request during the takeover waits and is then served.
            assert front.curl("/v1/me", *header)[0] == 200, front.log.read_text()[-3000:]
            assert first.wait_end() == (-sent if sent is signal.SIGKILL else 0)
        assert second.get("/readyz").status == 200
        second.check_log()
    finally:
        front.stop()
        first.kill()
        second.kill()
