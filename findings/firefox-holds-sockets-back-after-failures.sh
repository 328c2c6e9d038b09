#!/usr/bin/env bash
# Firefox 153.8.0 ESR (Debian 12: 153.8.0esr-1~deb12u1) holds a page's new WebSocket back if the last ones to the same
# host, port and path failed: by 0.2 to 0.4 s after the first, half as long again after each further one, and by its
# source up to a minute. The socket is CONNECTING meanwhile, nothing is sent, and a page cannot tell it from a slow
# network. That the server is back changes nothing: an ordinary request is answered at once, the socket waits its time
# out. The page's own time-out ends the socket, not the wait. A query makes no difference; another path opens at once.
#
# Seen, a page that tries again as soon as it was refused; once an attempt takes 3 s, the server starts:
#       refused after 0.1, 0.4, 0.6, 0.9, 1.4, 2.0, 3.1 s (times differ by run)
#       fetch answered after 0.0 s; /socket given up by the page after 1 s; /other open after 0.0 s
#       /socket?again open after 3.6 s; /socket open after 0.0 s
# After a longer outage a page with a back-off of its own comes back up to a minute late, and its button "try now" does
# nothing, unless each attempt has another path.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 175 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir websockets==17.4
# Unpacked, not installed: Firefox, and what of its libraries the machine lacks. apt keeps its lists in the folder, too.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root"
apt() {
    timeout 90 apt-get -q -y -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root \
        -o Debug::NoLocking=1 "$@" >> "$work/apt.log" 2>&1
}
apt update
apt install --download-only --reinstall --no-install-recommends firefox-esr=153.8.0esr-1~deb12u1
for package in "$work"/cache/archives/*.deb; do dpkg-deb -x "$package" "$work/root"; done
library="$work/root/usr/lib/$(uname -m)-linux-gnu"

cat > "$work/try.py" <<'PYTHON'
import base64, hashlib, http.server, json, os, pathlib, re, signal, socket, subprocess, sys, threading, time

from websockets.sync.client import connect

work, told, reports = pathlib.Path(sys.argv[1]).resolve(), threading.Event(), []

PAGE = """<!doctype html><title>page</title><script>
const attempt = (path, limit = 60000) => new Promise((resolve) => {
  const begun = performance.now(), socket = new WebSocket(`ws://127.0.0.1:PORT${path}`);
  socket.onopen = () => { resolve(["open", performance.now() - begun]); socket.close(); };
  socket.onclose = ({ code }) => resolve([code, performance.now() - begun]);
  setTimeout(() => socket.close(), limit);
});
(async () => {
  const refused = [], after = [];
  do refused.push(await attempt("/socket")); while (refused.at(-1)[1] < 3000 && refused.length < 40);
  await fetch("/up", { method: "POST" });
  const begun = performance.now();
  await fetch("http://127.0.0.1:PORT/", { mode: "no-cors" });
  after.push(["answered", performance.now() - begun]);
  after.push(await attempt("/socket", 1000));
  for (const path of ["/other", "/socket?again", "/socket"]) after.push(await attempt(path));
  await fetch("/done", { method: "POST", body: JSON.stringify([refused, after]) });
})();
</script>"""

class Sockets(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_GET(self):
        if not (key := self.headers.get("Sec-WebSocket-Key")):
            self.send_response(204)
            return self.end_headers()
        digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(digest).decode())
        self.end_headers()
        self.rfile.read(6)  # a close frame without a code
        self.wfile.write(b"\x88\x00")
        self.close_connection = True

class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_GET(self): self.reply(PAGE.replace("PORT", str(port)).encode())
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/up": serve(http.server.ThreadingHTTPServer(("127.0.0.1", port), Sockets))
        if self.path == "/done":
            reports.append(json.loads(body))
            told.set()
        self.reply(b"")
    def reply(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

def serve(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port

with socket.create_server(("127.0.0.1", 0)) as free: port = free.getsockname()[1]
page = f"http://127.0.0.1:{serve(http.server.ThreadingHTTPServer(('127.0.0.1', 0), Page))}/"

# It asks nothing of anybody but the two servers above.
quiet = {"app.update.enabled": False, "browser.safebrowsing.update.enabled": False, "browser.shell.checkDefaultBrowser": False,
         "datareporting.policy.dataSubmissionEnabled": False, "network.captive-portal-service.enabled": False,
         "network.connectivity-service.enabled": False, "services.settings.server": "data:,#remote-settings-dummy/v1"}
(work / "profile").mkdir()
(work / "profile/user.js").write_text("".join(f"user_pref({json.dumps(it)}, {json.dumps(quiet[it])});\n" for it in quiet))
log = work / "firefox.log"
browser = subprocess.Popen(
    [work / "root/usr/lib/firefox-esr/firefox-esr", "--headless", "--no-remote", "--remote-debugging-port=0",
     "--profile", work / "profile", "about:blank"],
    env=os.environ | {"HOME": str(work), "LD_LIBRARY_PATH": sys.argv[2]}, stdout=log.open("wb"), stderr=subprocess.STDOUT,
    start_new_session=True)
try:
    while not (found := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text(errors="replace"))):
        assert browser.poll() is None, log.read_text(errors="replace")
        time.sleep(0.2)
    with connect(found[1] + "/session", max_size=None, proxy=None) as driver:
        def command(number, method, **parameters):
            driver.send(json.dumps({"id": number, "method": method, "params": parameters}))
            while (answer := json.loads(driver.recv(60))).get("id") != number: pass
            return answer["result"]
        command(1, "session.new", capabilities={})
        context = command(2, "browsingContext.getTree")["contexts"][0]["context"]
        command(3, "browsingContext.navigate", context=context, url=page)
        assert told.wait(60), "the page has not reported"
finally:
    os.killpg(browser.pid, signal.SIGKILL)
    browser.wait()

((refused, after),) = reports
print("refused after", ", ".join(f"{milliseconds / 1000:.1f}" for _, milliseconds in refused), "s")
for name, (what, milliseconds) in zip(("fetch", "/socket, 1 s", "/other", "/socket?again", "/socket"), after):
    print(f"{name:15} {what} after {milliseconds / 1000:.1f} s")
(_, fetched), (_, given_up), (_, other), (_, again), (_, then) = after
right = (len(refused) < 40 and {what for what, _ in refused} == {1006} and refused[-1][1] >= 3000
         and [what for what, _ in after] == ["answered", 1006, "open", "open", "open"]
         and max(fetched, other, then) < 2000 and given_up > 900 and again > 2000)
sys.exit(0 if right else "Changed: how long Firefox holds a WebSocket back after failures")
PYTHON
timeout 110 "$work/venv/bin/python" "$work/try.py" "$work" "$library"
