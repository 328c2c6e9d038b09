"""A network of one's own: a namespace joined to this machine by a pair of virtual cables, with nft in between."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from typing import Literal

import pytest


class Namespace:
    """The processes in it reach this machine at `outside`, and nothing else."""

    def __init__(self, name: str, outside: str, inside: str):
        self.name = name
        self.outside = outside
        self.inside = inside

    @property
    def prefix(self) -> list[str]:
        """Runs a program in it, and becomes it."""
        return ["ip", "netns", "exec", self.name]

    def lead_out(self, port: int) -> None:
        """Forwards that port from the namespace's own loopback to here: without TLS a daemon connects to loopback only."""
        self._nft(
            f"table ip way {{\nchain out {{\ntype nat hook output priority -100; ip daddr 127.0.0.1 tcp dport {port} dnat to {self.outside}\n}}\n"
            'chain back {\ntype nat hook postrouting priority 100; oifname != "lo" masquerade\n}\n}'
        )

    def part(self) -> None:
        """Drops every packet, both ways, silently."""
        self.rules("drop")

    def lose(self, percent: int) -> None:
        """Each packet is lost with that probability, both ways."""
        self.rules(f"numgen random mod 100 < {percent} drop")

    def reset(self) -> None:
        """Resets every TCP connection through the namespace."""
        self.rules("meta l4proto tcp reject with tcp reset")

    def heal(self) -> None:
        self._nft("table inet faults {}\ndelete table inet faults")

    def cut_one_way(self, way: Literal["out", "in"], port: int) -> None:
        """Drops packets to that port elsewhere, or packets from it; the other direction still works."""
        rules = {"out": "" if way == "in" else f"tcp dport {port} drop", "in": "" if way == "out" else f"tcp sport {port} drop"}
        self.rules(rules["in"], rules["out"])

    def rules(self, rule: str, going_out: str | None = None) -> None:
        """`rule` is for both ways, unless there is another one for what goes out."""
        self._nft(
            "table inet faults {}\ndelete table inet faults\n"
            f"table inet faults {{\nchain in {{\ntype filter hook input priority 0; {rule}\n}}\nchain out {{\ntype filter hook output priority 0; {rule if going_out is None else going_out}\n}}\n}}"
        )

    def _nft(self, text: str) -> None:
        subprocess.run([*self.prefix, "nft", "-f", "-"], input=text, text=True, check=True, capture_output=True)


@contextlib.contextmanager
def namespace(place: int = 0) -> Iterator[Namespace]:
    """A namespace that is removed afterwards, with its processes. Skips if namespaces are not permitted. `place` distinguishes those of one process."""
    number = (os.getpid() + place * 4_099) % (1 << 14)
    name = f"hg{os.getpid()}{'abcdefgh'[place] if place else ''}"
    net = f"10.213.{number >> 6}"
    host = (number & 63) * 4
    made = Namespace(name, f"{net}.{host + 1}", f"{net}.{host + 2}")
    steps = [
        f"ip netns add {name}",
        f"ip link add {name}a type veth peer name {name}b netns {name}",
        f"ip address add {made.outside}/30 dev {name}a",
        f"ip link set {name}a up",
        f"ip -n {name} address add {made.inside}/30 dev {name}b",
        f"ip -n {name} link set {name}b up",
        f"ip -n {name} link set lo up",
        f"ip netns exec {name} sysctl -qw net.ipv4.conf.all.route_localnet=1",
        f"ip netns exec {name} nft list ruleset",
    ]
    try:
        for step in steps:
            done = subprocess.run(step.split(), capture_output=True, text=True)
            if done.returncode != 0:
                pytest.skip(f"network namespaces are not allowed here: {step}: {done.stderr.strip()}")
        yield made
    finally:
        # The kernel takes a namespace apart in its own time, and the next one here has the same name: the cable goes at once.
        subprocess.run(["ip", "link", "delete", f"{name}a"], capture_output=True)
        subprocess.run(["ip", "netns", "delete", name], capture_output=True)
