"""A network namespace joined to this machine by a veth pair, with nft rules that cause faults."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from typing import Literal

import pytest


class Namespace:
    """A namespace whose processes can reach only this machine, at the address `outside`."""

    def __init__(self, name: str, outside: str, inside: str):
        self.name = name
        self.outside = outside
        self.inside = inside

    @property
    def prefix(self) -> list[str]:
        """The command prefix that executes a program in the namespace."""
        return ["ip", "netns", "exec", self.name]

    def lead_out(self, port: int) -> None:
        """Forwards a port from the namespace's loopback to this machine: without TLS a daemon connects to loopback addresses only."""
        self._nft(
            f"table ip way {{\nchain out {{\ntype nat hook output priority -100; ip daddr 127.0.0.1 tcp dport {port} dnat to {self.outside}\n}}\n"
            'chain back {\ntype nat hook postrouting priority 100; oifname != "lo" masquerade\n}\n}'
        )

    def part(self) -> None:
        """Drops every packet in both directions silently."""
        self.rules("drop")

    def lose(self, percent: int) -> None:
        """Drops each packet with a probability of `percent` %, in both directions."""
        self.rules(f"numgen random mod 100 < {percent} drop")

    def reset(self) -> None:
        """Resets every TCP connection through the namespace."""
        self.rules("meta l4proto tcp reject with tcp reset")

    def heal(self) -> None:
        self._nft("table inet faults {}\ndelete table inet faults")

    def cut_one_way(self, way: Literal["out", "in"], port: int) -> None:
        """Drops packets to or from that port in one direction only."""
        rules = {"out": "" if way == "in" else f"tcp dport {port} drop", "in": "" if way == "out" else f"tcp sport {port} drop"}
        self.rules(rules["in"], rules["out"])

    def rules(self, rule: str, going_out: str | None = None) -> None:
        """Installs nft rules: `rule` for both directions, or another one for outgoing packets."""
        self._nft(
            "table inet faults {}\ndelete table inet faults\n"
            f"table inet faults {{\nchain in {{\ntype filter hook input priority 0; {rule}\n}}\nchain out {{\ntype filter hook output priority 0; {rule if going_out is None else going_out}\n}}\n}}"
        )

    def _nft(self, text: str) -> None:
        subprocess.run([*self.prefix, "nft", "-f", "-"], input=text, text=True, check=True, capture_output=True)


@contextlib.contextmanager
def namespace(place: int = 0) -> Iterator[Namespace]:
    """A namespace that is removed afterwards with its processes.

    Skips the test if namespaces are not permitted. `place` distinguishes several namespaces of a process.
    """
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
        # The veth device is deleted at once, because the kernel removes a namespace later, and the next one uses the same name.
        subprocess.run(["ip", "link", "delete", f"{name}a"], capture_output=True)
        subprocess.run(["ip", "netns", "delete", name], capture_output=True)
