import Foundation

/// Memory limits of this process's control groups, of either version.
enum ControlGroups {
    /// The lowest limit from the process's group up to the root; nil if there is none. `groups`: the kernel's list for the process.
    /// `root`: the mount point; within a container its own group is the root there, whatever its name is outside.
    static func memoryBytes(
        groups: String = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? "",
        root: String = "/sys/fs/cgroup"
    ) -> Int64? {
        var least: Int64?
        for line in groups.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            // Version 2 has one tree, listed without controllers; version 1 has one for each controller.
            if fields[0] == "0", fields[1].isEmpty {
                for name in ["memory.max", "memory.high"] { lower(&least, to: limit(name, from: fields[2], in: root)) }
            } else if fields[1].split(separator: ",").contains("memory") {
                lower(&least, to: limit("memory.limit_in_bytes", from: fields[2], in: root + "/memory"))
            }
        }
        return least
    }

    private static func lower(_ least: inout Int64?, to bytes: Int64?) {
        if let bytes { least = min(least ?? bytes, bytes) }
    }

    private static func limit(_ name: String, from group: Substring, in root: String) -> Int64? {
        var folder = group == "/" ? "" : group
        var least: Int64?
        while true {
            // `max` and a missing file mean no limit. Version 1 has a number larger than any machine's memory for that.
            if let text = try? String(contentsOfFile: "\(root)\(folder)/\(name)", encoding: .utf8) {
                lower(&least, to: Int64(text.filter { !$0.isWhitespace }))
            }
            guard let end = folder.lastIndex(of: "/") else { return least }
            folder = folder[..<end]
        }
    }
}
