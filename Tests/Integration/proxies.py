"""The reverse proxies of deploy/ as real servers: Debian's nginx and Caddy with the example files, except for names, ports and certificate."""

import subprocess
from pathlib import Path
from typing import Any

from relay import ROOT, free_port, plain_environment
from waits import patient, wait_until

SERVERS = ROOT / ".build/servers"
"""Folder into which `make` unpacks them."""


class Certificate:
    """A self-signed certificate for `localhost` and an address."""

    def __init__(self, folder: Path, address: str = "127.0.0.1"):
        self.address = address
        self.chain, self.key = folder / "chain.pem", folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", f"subjectAltName=DNS:localhost,IP:{address}", "-keyout", self.key, "-out", self.chain],
            check=True, capture_output=True,
        )  # fmt: skip


class ReverseProxy:
    """A proxy that represents the relay behind it: it has the `url`, `token` and `pair_link` that peers need."""

    name: str
    example: str

    def __init__(self, folder: Path, certificate: Certificate):
        folder.mkdir()
        self.folder = folder
        self.certificate = certificate
        self.port, self.plain_port = free_port(), free_port()
        self.host = "localhost" if certificate.address == "127.0.0.1" else certificate.address
        self.url = f"https://{self.host}:{self.port}"
        self.relay: Any = None
        self.log = folder / "log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, upstream: int, changes: dict[str, str] | None = None) -> None:
        """Starts the proxy for `upstream`, a port on loopback, and waits until it answers; `changes` are replacements in the example's text."""
        text = (ROOT / "deploy" / self.example).read_text()
        for old, new in {**self.substitutes(), "127.0.0.1:8787": f"127.0.0.1:{upstream}", **(changes or {})}.items():
            assert old in text, f"deploy/{self.example} has no {old!r}"
            text = text.replace(old, new)
        command = self.configure(text)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, env=plain_environment(self.folder))
        wait_until(self._listens, 30, lambda: f"{self.name} to listen. It said:\n{self.log.read_text()}")

    def substitutes(self) -> dict[str, str]:
        raise NotImplementedError

    def configure(self, site: str) -> list[str]:
        """Writes the configuration that includes the example; returns the command that starts the server."""
        raise NotImplementedError

    def _listens(self) -> bool:
        assert self.process and self.process.poll() is None, f"{self.name} ended at once:\n{self.log.read_text()}"
        probe = subprocess.run(["curl", "-ks", "--max-time", "5", "--output", "/dev/null", self.url], env=plain_environment(self.folder))
        return probe.returncode == 0

    def token(self, role: str, name: str) -> str:
        return self.relay.token(role, name)

    def pair_link(self, role: str = "client") -> str:
        return self.relay.pair_link(role)

    def curl(self, path: str, *arguments: str, body: bytes | None = None) -> tuple[int, str]:
        """Makes a visitor's request; returns status and body."""
        done = subprocess.run(
            ["curl", "-ksS", "--max-time", str(patient(30)), "--write-out", "\n%{http_code}", *(["--data-binary", "@-"] if body is not None else []),
             *arguments, self.url + path],
            input=body, capture_output=True, env=plain_environment(self.folder),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        text, _, status = done.stdout.decode().rpartition("\n")
        return int(status), text

    def stop(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(patient(20))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Nginx(ReverseProxy):
    name = "nginx"
    example = "nginx/heliograph.conf"

    def substitutes(self) -> dict[str, str]:
        return {
            "relay.example;": f"{self.host};",
            "/etc/ssl/relay.example/fullchain.pem": str(self.certificate.chain),
            "/etc/ssl/relay.example/privkey.pem": str(self.certificate.key),
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen [::]:80;": "",
            "listen 443 ssl": f"listen {self.certificate.address}:{self.port} ssl",
            "listen [::]:443 ssl http2;": "",
        }

    def configure(self, site: str) -> list[str]:
        # A configuration like Debian's nginx.conf, but with files in this folder, and a single process so that ending it ends everything.
        temporary = "\n".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "scgi", "uwsgi"))
        configuration = self.folder / "nginx.conf"
        configuration.write_text(
            f"daemon off; master_process off; pid {self.folder}/nginx.pid;\nevents {{ worker_connections 768; }}\n"
            f"http {{\naccess_log off; error_log stderr;\n{temporary}\n{site}\n}}\n"
        )
        return [str(SERVERS / "usr/sbin/nginx"), "-e", "stderr", "-c", str(configuration)]


class Caddy(ReverseProxy):
    name = "caddy"
    example = "caddy/Caddyfile"

    def substitutes(self) -> dict[str, str]:
        return {"{$HELIOGRAPH_NAME:relay.example} {": f"{self.host}:{self.port} {{\n\tbind {self.certificate.address}\n\ttls {self.certificate.chain} {self.certificate.key}"}

    def configure(self, site: str) -> list[str]:
        configuration = self.folder / "Caddyfile"
        configuration.write_text(f"{{\n\tadmin off\n\thttp_port {self.plain_port}\n\tgrace_period 1s\n}}\n{site}")
        return [str(SERVERS / "usr/bin/caddy"), "run", "--config", str(configuration), "--adapter", "caddyfile"]
