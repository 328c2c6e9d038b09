#!/usr/bin/env bash
# Codex (PyPI: openai-codex-cli-bin): a terminal shares its app server with a second client only from 0.157.0 on, and no release says so by
# a flag or an error. The feature `daemon_auto_start` decides: 0.153.4 has none of that name, 0.156.1 has it switched off, 0.157.0 has it on.
# The commands that a second client needs are in all three (`codex app-server --help` exits 0), so asking for them tells nothing.
#
# Seen (version, `codex features list`, exit status of `codex app-server --help`):
#   0.153.4 absent 0
#   0.156.1 false 0
#   0.157.0 true 0
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home"
for version in 0.153.4 0.156.1 0.157.0; do
    python3 -m venv --without-pip "$work/$version"
    timeout 60 python3 -m pip --disable-pip-version-check --python "$work/$version" install -q --no-cache-dir --no-deps "openai-codex-cli-bin==$version"
    codex=$(echo "$work/$version"/lib/python3*/site-packages/codex_cli_bin/bin/codex)
    feature=$(env -i HOME="$work/home" PATH=/usr/bin:/bin "$codex" features list 2>/dev/null | awk '$1 == "daemon_auto_start" { print $NF }')
    env -i HOME="$work/home" PATH=/usr/bin:/bin "$codex" app-server --help >/dev/null 2>&1 && status=0 || status=$?
    echo "$version ${feature:-absent} $status"
    rm -rf "${work:?}/$version"
done | tee "$work/seen"
diff - "$work/seen" <<'SEEN'
0.153.4 absent 0
0.156.1 false 0
0.157.0 true 0
SEEN
echo "as described"
