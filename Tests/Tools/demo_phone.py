"""The demo's phone: the APNs simulator in place of Apple, an app on a simulated phone, and the app's requests to the relay."""

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
    """The reason why there is no phone, as a sentence for the person at the terminal."""


class Unavailable(PhoneTrouble):
    """The relay or the simulator cannot answer at the moment: 503."""


class Phone:
    """Behaves like an app with LiveActivityKit: registers its tokens, and reports its Live Activities."""

    def __init__(self, binary: Path, folder: Path, relay: str):
        self.binary, self.folder, self.relay = binary, folder, relay
        self.token = ""
        # A relay stores its provider token, which is void with another demo's key, so each demo has a key id of its own.
        self.key_id = "DEMO" + "".join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(6))
        self._data: Path | None = None
        self._written: list[Path] = []
        self._reported: dict[str, dict[str, Any]] = {}
        self._over = threading.Event()
        self._process: subprocess.Popen[str] | None = None
        self._app = threading.Thread(target=self._live, name="the phone's app", daemon=True)

    def switch_on(self) -> None:
        """Starts the APNs simulator with one phone that has the app."""
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
        """Configures the relay with that data folder to push to the simulator, unless it already pushes elsewhere."""
        file = data / "push.json"
        # The configuration of an earlier demo that was killed may be replaced.
        if file.exists() and TEAM not in file.read_text():
            raise PhoneTrouble(f"{file} is there: this relay sends to real devices, which the demo leaves alone. With --listen 127.0.0.1:8788 it has a relay of its own.")
        self._data = data
        team = {"team": TEAM, "key": self.key_id, "file": self.key.name, "bundles": [BUNDLE], "environments": ["sandbox"]}
        door = self._host("sandbox")
        hosts = {"devices": {"sandbox": door}, "broadcasts": {"sandbox": door}, "channels": {"sandbox": self._host("sandboxManagement")}}
        # The profile is written last, because it makes the relay use the other files.
        for name, text in ((self.key.name, self.key.read_text()), (self.ca.name, self.ca.read_text()),
                (file.name, json.dumps({"teams": [team], "hosts": hosts, "authority": self.ca.name}))):  # fmt: skip
            self._write(data / name, text)

    def register(self, token: str, **wishes: Any) -> None:
        """Registers the app's tokens at the relay, and reports its Live Activities from then on. `wishes` are fields of the registration."""
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
        """Restores the relay's configuration."""
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
        # Removes this demo's files from the relay's data folder, also those of a killed demo.
        for path in self._data.glob(f"*{TEAM}*") if self._data else ():
            path.unlink(missing_ok=True)
        if self._process:
            self._process.terminate()
            self._process.wait(ANSWER_SECONDS_MAX)

    def _live(self) -> None:
        said = ""
        while not self._over.wait(LOOK_SECONDS):
            try:
                self._report()
                said = ""
            except PhoneTrouble as trouble:
                # A restarting relay is unreachable for a moment; the same error is printed once.
                if str(trouble) != said:
                    print(f"  the phone: {trouble}", flush=True)
                said = str(trouble)

    def _report(self) -> None:
        """Reports changes of each Live Activity since the last look: its start, its token, its end."""
        shown = {activity["activity"]: report(activity) for activity in self.do("device?", device=DEVICE)["device"]["activities"]}
        for card, held in self._reported.items():
            if card not in shown and held["state"] != "dismissed":
                shown[card] = held | {"state": "dismissed"}
        for card, told in shown.items():
            if self._reported.get(card) != told:
                self._ask("POST", f"/v1/devices/{DEVICE}/cards", told)
                self._reported[card] = told

    def do(self, command: str, **fields: Any) -> Any:
        """Sends a command to the simulator."""
        request = urllib.request.Request(self.addresses["admin"], json.dumps({"do": command, **fields}).encode(), method="POST")
        return answer(request, "the APNs simulator")

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.relay}{path}", data, {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}, method=method)
        return answer(request, "the relay")

    def _ask_in_time(self, method: str, path: str, body: Any) -> Any:
        """Retries for a while if the relay is unavailable, like the app, because a workspace can be moving between nodes."""
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
    """A Live Activity in the form of the app's report."""
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
    """The default data folder of a relay with this environment, from `heliograph serve --help`."""
    if environment.get("HELIOGRAPH_DATA"):
        return Path(environment["HELIOGRAPH_DATA"])
    return Path(environment.get("XDG_DATA_HOME") or Path(environment.get("HOME", ".")) / ".local/share") / "heliograph"
