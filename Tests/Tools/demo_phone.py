"""The demo's phone: the APNs simulator in Apple's place, an app on a simulated phone behind it, and what that app tells the relay."""

import json
import os
import secrets
import string
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

BUNDLE = "org.heliograph.app"
TEAM = "HELIODEMO0"
KEY_FILE = "demo-phone.p8"
DEVICE = "demo-phone"
NAME = "Demo phone"
LOOK_SECONDS = 0.5
ANSWER_SECONDS_MAX = 10


class PhoneTrouble(Exception):
    """Why there is no phone, as a sentence for the person at the terminal."""


class Unavailable(PhoneTrouble):
    """Nobody answers just now: 503."""


class Phone:
    """Behaves as an app with LiveActivityKit does: registers its tokens, and reports its cards as the system tells of them."""

    def __init__(self, binary: Path, folder: Path, relay: str):
        self.binary, self.folder, self.relay = binary, folder, relay
        self.token = ""
        # A relay keeps its provider token for the next start: with a key of another demo it would be worth nothing.
        self.key_id = "DEMO" + "".join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(6))
        self._data: Path | None = None
        self._written: list[Path] = []
        self._reported: dict[str, dict[str, Any]] = {}
        self._over = threading.Event()
        self._process: subprocess.Popen[str] | None = None
        self._app = threading.Thread(target=self._live, name="the phone's app", daemon=True)

    # Life

    def switch_on(self) -> None:
        """Apple's service comes up, with one phone that has the app."""
        self.ca = self.folder / "simulator.pem"
        with (self.folder / "apns-simulator.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self.binary.with_name("heliograph-apns-simulator"), "--ca", self.ca, "--journal", self.folder / "pushes.jsonl"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
            )  # fmt: skip
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PhoneTrouble(f"the APNs simulator does not come up:\n{(self.folder / 'apns-simulator.log').read_text()[-2000:]}")
        self.addresses = json.loads(line)
        self.key = self.folder / KEY_FILE
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.key)
        self.do("key", id=self.key_id, team=TEAM, publicKey=openssl("pkey", "-in", self.key, "-pubout"))
        self.do("app", bundle=BUNDLE, team=TEAM, broadcast=True)
        self.do("device", device=DEVICE, ios="18.1")
        # Deny comes first, so that a double tap on a watch does not allow.
        buttons = {"HELIOGRAPH_APPROVAL": ["Deny", "Allow"], "HELIOGRAPH_APPROVAL_REVIEW": ["Deny", "Review"], "HELIOGRAPH_QUESTION": ["Answer"]}
        self.do("install", device=DEVICE, bundle=BUNDLE, app="heliograph", frequentUpdates=True, categories=buttons)

    def enrol(self, data: Path) -> None:
        """Has a relay with that data directory send to this phone's service, unless it sends somewhere already."""
        file = data / "push.json"
        # One of an earlier demo that was killed is no loss.
        if file.exists() and TEAM not in file.read_text():
            raise PhoneTrouble(f"{file} is there: this relay sends to real devices, which the demo leaves alone. With --listen 127.0.0.1:8788 it has a relay of its own.")
        self._data = data
        team = {"team": TEAM, "key": self.key_id, "file": self.key.name, "bundles": [BUNDLE], "environments": ["sandbox"]}
        door = self._host("sandbox")
        hosts = {"devices": {"sandbox": door}, "broadcasts": {"sandbox": door}, "channels": {"sandbox": self._host("sandboxManagement")}}
        # The last one makes the others count.
        for name, text in ((self.key.name, self.key.read_text()), (self.ca.name, self.ca.read_text()),
                (file.name, json.dumps({"teams": [team], "hosts": hosts, "authority": self.ca.name}))):  # fmt: skip
            self._write(data / name, text)

    def register(self, token: str, **wishes: Any) -> None:
        """The app tells the relay its tokens, and from then on of its cards. `wishes` are fields of the registration."""
        self.token = token
        tokens = {entry["tokenKind"]: entry["token"] for entry in self.do("tokens?")["tokens"] if entry["state"] == "live"}
        self._ask_in_time("PUT", f"/v1/devices/{DEVICE}", {
            "device": DEVICE, "name": NAME, "profile": "heliograph", "environment": "sandbox", "system": "18.1", "frequentPushes": True,
            "alertToken": tokens["alert"], "startToken": tokens["pushToStart"], "cards": "perSession", "starts": "always", "text": "summary",
            **wishes,
        })  # fmt: skip
        if not self._app.is_alive():
            self._app.start()

    def switch_off(self) -> None:
        """Leaves the relay as it was found."""
        self._over.set()
        if self._app.is_alive():
            self._app.join(ANSWER_SECONDS_MAX)
        if self.token:
            try:
                self._ask("DELETE", f"/v1/devices/{DEVICE}")
            except PhoneTrouble as trouble:
                print(f"  {NAME} stays on the list of devices: {trouble}")
        for path in reversed(self._written):
            path.unlink(missing_ok=True)
        # What the relay kept of us, for this demo or one that was killed.
        for path in self._data.glob(f"*{TEAM}*") if self._data else ():
            path.unlink(missing_ok=True)
        if self._process:
            self._process.terminate()
            self._process.wait(ANSWER_SECONDS_MAX)

    # The app

    def _live(self) -> None:
        said = ""
        while not self._over.wait(LOOK_SECONDS):
            try:
                self._report()
                said = ""
            except PhoneTrouble as trouble:
                # A relay that is restarted is away for a moment; the same trouble is told once.
                if str(trouble) != said:
                    print(f"  the phone: {trouble}", flush=True)
                said = str(trouble)

    def _report(self) -> None:
        """Reports what is new about each card since the last look: that it exists, its token, its end."""
        shown = {activity["activity"]: report(activity) for activity in self.do("device?", device=DEVICE)["device"]["activities"]}
        for card, held in self._reported.items():
            if card not in shown and held["state"] != "dismissed":
                shown[card] = held | {"state": "dismissed"}
        for card, told in shown.items():
            if self._reported.get(card) != told:
                self._ask("POST", f"/v1/devices/{DEVICE}/cards", told)
                self._reported[card] = told

    # Talking

    def do(self, command: str, **fields: Any) -> Any:
        """One command to the simulator."""
        request = urllib.request.Request(self.addresses["admin"], json.dumps({"do": command, **fields}).encode(), method="POST")
        return answer(request, "the APNs simulator")

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.relay}{path}", data, {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}, method=method)
        return answer(request, "the relay")

    def _ask_in_time(self, method: str, path: str, body: Any) -> Any:
        """Again for a while where nobody answers just now, as the app does: a workspace can be on its way from one node to another."""
        deadline = time.monotonic() + ANSWER_SECONDS_MAX
        while True:
            try:
                return self._ask(method, path, body)
            except Unavailable:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(LOOK_SECONDS)

    def _host(self, name: str) -> dict[str, Any]:
        address, port = self.addresses[name].rsplit(":", 1)
        environment = "api-manage-broadcast.sandbox" if name.endswith("Management") else "api.sandbox"
        return {"host": f"{environment}.push.apple.com", "port": int(port), "address": address}

    def _write(self, path: Path, text: str) -> None:
        self._written.append(path)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)


def report(activity: dict[str, Any]) -> dict[str, Any]:
    """A card as the app reports it."""
    state = "ended" if "endedAt" in activity else "stale" if activity["isStale"] else "active"
    told = {"card": activity["activity"], "session": activity["attributes"].get("session"), "token": activity.get("updateToken"), "state": state}
    return {key: value for key, value in told.items() if value is not None}


def answer(request: urllib.request.Request, who: str) -> Any:
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as response:
            return json.loads(response.read() or b"{}")
    except urllib.error.HTTPError as error:
        kind = Unavailable if error.code == 503 else PhoneTrouble
        raise kind(f"{who} answers {error.code} to {request.get_method()} {request.selector}: {error.read().decode(errors='replace').strip()}") from error
    except OSError as error:
        raise PhoneTrouble(f"{who} cannot be reached: {getattr(error, 'reason', error)}") from error


def openssl(*arguments: Any) -> str:
    try:
        return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    except subprocess.CalledProcessError as error:
        raise PhoneTrouble(f"openssl {arguments[0]}: {error.stderr.strip()}") from error


def data_folder(environment: Any) -> Path:
    """Where a relay with this environment keeps its data: `heliograph serve --help`."""
    if environment.get("HELIOGRAPH_DATA"):
        return Path(environment["HELIOGRAPH_DATA"])
    return Path(environment.get("XDG_DATA_HOME") or Path(environment.get("HOME", ".")) / ".local/share") / "heliograph"
