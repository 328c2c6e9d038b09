"""Containerfile, compose file and Kubernetes manifest, checked without a container engine: against their schemas, and by rules."""

import json
import re
import subprocess
import sys
from typing import Any

import kubernetes_validate
import pytest

from deploy_files import DEPLOY, IMAGE_USER, documents, image_stages
from relay import BINARY, ROOT

KUBERNETES = DEPLOY / "kubernetes/heliograph.yaml"
COMPOSE = DEPLOY / "container/compose.yaml"
KUBERNETES_VERSIONS = ["1.30", kubernetes_validate.latest_version()]
"""Versions with ReadWriteOncePod, which exists since 1.29."""


def serve_arguments(arguments: list[str]) -> None:
    """Fails if `heliograph serve` does not accept the arguments."""
    assert arguments[0] == "serve"
    text = subprocess.run([BINARY, "serve", "--help"], capture_output=True, text=True, check=True).stdout
    for option in (word for word in arguments if word.startswith("--")):
        assert f"{option} " in text, option



def test_the_image_runs_as_a_numbered_user_that_is_not_root() -> None:
    stage = dict(image_stages()[-1])
    assert stage["USER"] == f"{IMAGE_USER}:{IMAGE_USER}" and f"--uid {IMAGE_USER} --gid {IMAGE_USER} " in stage["RUN"]
    assert json.loads(stage["ENTRYPOINT"]) == ["heliograph"] and stage["VOLUME"] == "/data" and stage["ENV"] == "HELIOGRAPH_DATA=/data"
    serve_arguments(json.loads(stage["CMD"]))
    options, check = stage["HEALTHCHECK"].split(" CMD ")
    assert json.loads(check)[0] == "curl" and "http://127.0.0.1:8787/healthz" in json.loads(check) and "--timeout" in options


def test_the_image_is_built_of_pinned_names_and_leaves_no_lists() -> None:
    bases = [text for word, text in sum(image_stages(), []) if word == "FROM"]
    assert len(bases) == 2 and all("latest" not in base and (":" in base or "SWIFT_IMAGE" in base) for base in bases)
    for word, text in sum(image_stages(), []):
        assert word not in ("ADD", "MAINTAINER"), word
        if word == "RUN" and "apt-get install" in text:
            assert "--no-install-recommends" in text and text.count("rm -rf /var/lib/apt/lists/*") == 1, text
        if word == "RUN":
            # The Containerfile's script as the container engine passes it to the shell.
            script = re.sub(r"--mount=\S+", "", text)
            subprocess.run(["sh", "-n", "-c", script], check=True)
        if word in ("ENTRYPOINT", "CMD"):
            assert json.loads(text), "a list: as a string it would run in a shell, which passes no signal on"


def test_the_image_copies_what_the_build_needs() -> None:
    """Checks everything that Package.swift names, and the package's files; .dockerignore must exclude none of it."""
    copied = {word for name, text in sum(image_stages(), []) if name == "COPY" for word in text.split()[:-1]}
    assert copied == {"Package.swift", "Sources", "Tests", "web", "deploy"}
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert not copied & set(ignored) and all((ROOT / name).exists() for name in copied)


def test_the_image_has_the_headers_that_make_installs() -> None:
    """A build needs the Makefile's RUN_PACKAGES."""
    wanted = re.search(r"^RUN_PACKAGES := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert wanted
    build = next(text for word, text in sum(image_stages(), []) if word == "RUN")
    assert set(wanted.group(1).split()) <= set(build.split())



def test_the_compose_file_fits_its_schema() -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    result = subprocess.run(check, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_compose_file_that_is_wrong_does_not_fit(tmp_path) -> None:
    wrong = tmp_path / "compose.yaml"
    wrong.write_text(COMPOSE.read_text().replace("read_only: true", "read_only: [true]"))
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(wrong)]
    assert subprocess.run(check, capture_output=True).returncode == 1


def test_the_compose_file_opens_caddy_and_nothing_else() -> None:
    (compose,) = documents(COMPOSE)
    relay, caddy = compose["services"]["relay"], compose["services"]["caddy"]
    assert "ports" not in relay and [port.split(":")[0] for port in caddy["ports"]] == ["80", "443", "443"]
    for service in (relay, caddy):
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and "no-new-privileges:true" in service["security_opt"]
        named = {volume.split(":")[0] for volume in service["volumes"] if not volume.startswith(".")}
        assert named <= set(compose["volumes"]) and set(service["networks"]) <= set(compose["networks"])
    assert relay["user"] == f"{IMAGE_USER}:{IMAGE_USER}"
    serve_arguments(relay["command"])
    # Paths are relative to the compose file's folder.
    folder = COMPOSE.parent
    assert (folder / relay["build"]["context"]).resolve() == ROOT and (ROOT / relay["build"]["dockerfile"]).exists()
    assert (folder / caddy["volumes"][0].split(":")[0]).exists()
    # The Caddyfile uses every variable that the compose file passes to Caddy.
    example = (DEPLOY / "caddy/Caddyfile").read_text()
    assert set(caddy["environment"]) == set(re.findall(r"\{\$(\w+):", example))



@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
def test_the_manifest_fits_its_schema(version: str) -> None:
    for document in documents(KUBERNETES):
        kubernetes_validate.validate(document, version, strict=True)


def test_a_manifest_that_is_wrong_does_not_fit() -> None:
    for path, value in {"replicas": "1", "replica": 1}.items():
        document = manifest("StatefulSet")
        document["spec"][path] = value
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(document, KUBERNETES_VERSIONS[-1], strict=True)


def manifest(kind: str) -> dict[str, Any]:
    (found,) = (document for document in documents(KUBERNETES) if document["kind"] == kind)
    return found


def test_the_pod_is_one_and_restricted() -> None:
    """Checks Kubernetes' own standard `restricted`, which the namespace enforces, and that there is one pod, because there is one data file."""
    stateful = manifest("StatefulSet")["spec"]
    pod = stateful["template"]["spec"]
    (container,) = pod["containers"]
    assert stateful["replicas"] == 1 and stateful["volumeClaimTemplates"][0]["spec"]["accessModes"] == ["ReadWriteOncePod"]
    assert manifest("Namespace")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & set(pod)
    assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
    assert {pod["securityContext"][name] for name in ("runAsUser", "runAsGroup", "fsGroup")} == {IMAGE_USER}
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert {kind for volume in pod["volumes"] for kind in volume if kind != "name"} <= {"emptyDir", "configMap", "secret", "projected", "persistentVolumeClaim"}
    assert all("hostPort" not in port for port in container["ports"]) and not pod["automountServiceAccountToken"]


def test_the_pod_serves_what_it_is_asked_for(relay) -> None:
    pod = manifest("StatefulSet")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    serve_arguments(container["args"])
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert relay.get(container[probe]["httpGet"]["path"]).status == 200
    (port,) = container["ports"]
    assert container["args"][container["args"].index("--listen") + 1].endswith(f":{port['containerPort']}")
    (service_port,) = manifest("Service")["spec"]["ports"]
    backend = manifest("Ingress")["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert service_port["targetPort"] == port["name"] and backend == {"name": "heliograph", "port": {"name": service_port["name"]}}
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    (data,) = (variable["value"] for variable in container["env"] if variable["name"] == "HELIOGRAPH_DATA")
    assert data.startswith(mounts["data"] + "/"), "fsGroup opens the volume's own folder to its group, which the relay refuses"
