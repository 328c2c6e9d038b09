#!/usr/bin/env bash
# Swift 6.3.1 on Linux, its libdispatch: once a process has released one queue that had a value (`setSpecific`), it is woken
# once a second until it ends, though nothing is left to do. The value's destructor runs on a global queue that does not
# overcommit; its first worker starts a monitor of such workers, a timer that is never stopped. A queue without a value,
# or one that is kept, costs nothing.
#
# Seen, wake-ups of all threads but the main one in ten seconds:
#       a queue released            0
#       a queue with a value kept   0
#       … released                  9 or 10
# GRDB attaches a value to the queue of each connection: to close one database, once, is enough. On a laptop or a small
# server that idles, it is often the only timer of an otherwise resting program.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 170 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
swiftc --version 2>/dev/null | grep -o 'Swift version [0-9.]*' | head -1

cat > "$work/wakes.swift" <<'SWIFT'
import Dispatch
import Glibc

let key = DispatchSpecificKey<Int>()
var kept: DispatchQueue?

func use(_ how: String) {
    let queue = DispatchQueue(label: "one")
    if how != "plain" { queue.setSpecific(key: key, value: 1) }
    queue.sync {}
    if how == "kept" { kept = queue }
}

/// Voluntary context switches of all threads but the main one.
func wakes() -> Int {
    var sum = 0
    let folder = opendir("/proc/self/task")!
    defer { closedir(folder) }
    while let entry = readdir(folder) {
        let name = withUnsafePointer(to: entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard let thread = Int32(name), thread != getpid(), let file = fopen("/proc/self/task/\(name)/status", "r") else { continue }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let words = String(cString: line).split(whereSeparator: \.isWhitespace)
            if words.first == "voluntary_ctxt_switches:" { sum += Int(words[1])! }
        }
    }
    return sum
}

use(CommandLine.arguments[1])
sleep(2)
let before = wakes()
sleep(10)
print(wakes() - before)
SWIFT
swiftc "$work/wakes.swift" -o "$work/wakes" 2> "$work/log" || { cat "$work/log"; exit 1; }

fail=0
for how in plain kept released; do "$work/wakes" "$how" > "$work/$how" & done
wait
for how in plain kept released; do
  count=$(cat "$work/$how")
  echo "$how: $count wake-ups in ten seconds"
  if [ "$how" = released ]; then [ "$count" -ge 7 ] || fail=1; else [ "$count" -le 1 ] || fail=1; fi
done
[ "$fail" = 0 ] || { echo "not as it was seen"; exit 1; }
