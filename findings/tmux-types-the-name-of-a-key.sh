#!/usr/bin/env bash
# tmux 3.3a (Debian 12: 3.3a-3): what `send-keys S-Enter` does depends on the program in the pane. If that has not asked for
# extended keys, tmux knows the key, has no code for it, and types its name: seven letters, "S-Enter". C-Enter in the same
# place sends nothing at all, without an error. If the program has asked (by modifyOtherKeys; the request of the kitty
# protocol counts for nothing), both are sent as CSI u, though the option extended-keys is off, which, says the manual,
# makes tmux report standard keys only.
#
# Seen, extended-keys off (the default):  send-keys  S-Enter       C-Enter       S-Tab      S-Space
#       the program asked for nothing                S-Enter       nothing       S-Tab      S-Space
#       CSI > 1 u                                    S-Enter       nothing       S-Tab      S-Space
#       CSI > 4 ; 1 m                                ESC [ 13;2u   ESC [ 13;5u   ESC [ 9;2u ESC [ 32;2u
# A script that sends Shift+Enter for a new line in an agent's prompt writes a word into the prompt instead, or, with
# C-Enter, waits for something that never happens; whether it does depends on the agent's version.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
export TMUX_TMPDIR="$work" TERM=screen
unset TMUX
tmux() { env LD_LIBRARY_PATH="$library" "$work/root/usr/bin/tmux" -f /dev/null "$@"; }
finish() { [ -z "${library-}" ] || tmux kill-server 2>/dev/null || true; rm -rf "$work"; }
trap finish EXIT
# The packages are unpacked, not installed, and apt keeps its lists in the folder, too.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root"
apt() { timeout 40 apt-get -q -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"; }
apt update > "$work/apt.log"
(cd "$work" && apt download tmux=3.3a-3 libevent-core-2.1-7 libutempter0 >> "$work/apt.log" 2>&1)
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/root"; done
library=$(dirname "$work"/root/usr/lib/*/libutempter.so.0)

# In the pane: asks for keys as told, then writes each read as a line of hexadecimal digits.
cat > "$work/keys.py" <<'PYTHON'
import os, sys, tty

tty.setraw(0)
os.write(1, bytes.fromhex(sys.argv[1]) + b"ready")
with open(sys.argv[2], "w", buffering=1) as log:
    while read := os.read(0, 4096): print(read, file=log)
PYTHON

tmux new-session -d -x 80 -y 24 cat
[ "$(tmux show -sv extended-keys)" = off ]
for asked in "" 1b5b3e3175 1b5b3e343b316d; do
    tmux respawn-pane -k "python3 '$work/keys.py' '$asked' '$work/log'"
    for _ in $(seq 100); do tmux capture-pane -p | grep -q ready && break; sleep 0.1; done
    # Letters that stand between the keys show where each begins.
    for key in S-Enter C-Enter S-Tab S-Space; do tmux send-keys "$key"; sleep 0.3; tmux send-keys .; sleep 0.3; done
    echo "asked ${asked:-nothing}: $(python3 -c 'import ast, sys
print(*b"".join(map(ast.literal_eval, open(sys.argv[1]))).split(b".")[:-1])' "$work/log")"
done | tee "$work/seen"
diff - "$work/seen" <<'SEEN'
asked nothing: b'S-Enter' b'' b'S-Tab' b'S-Space'
asked 1b5b3e3175: b'S-Enter' b'' b'S-Tab' b'S-Space'
asked 1b5b3e343b316d: b'\x1b[13;2u' b'\x1b[13;5u' b'\x1b[9;2u' b'\x1b[32;2u'
SEEN
echo "as described"
