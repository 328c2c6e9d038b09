internal import Glibc
internal import HostCore

/// What the kernel knows of the agents' processes.
enum AgentProcessTable {
    /// Nil where there is no such process.
    static func process(_ id: Int32) -> AgentProcess? {
        guard id > 1, let status = status(of: id) else { return nil }
        return AgentProcess(id: id, startedAt: status.startedAt)
    }

    /// A process with the same number that began at another time is another one.
    static func isAlive(_ process: AgentProcess) -> Bool {
        if kill(process.id, 0) != 0 && errno == ESRCH { return false }
        // Without /proc, or with one that hides it, the number has to do.
        guard let status = status(of: process.id) else { return unsafe access("/proc/self/stat", R_OK) != 0 }
        if status.isZombie { return false }
        return process.startedAt == 0 || process.startedAt == status.startedAt
    }

    /// Whether a process is another one, or one that it has started, directly or not.
    static func isDescendant(_ id: Int32, of ancestor: Int32) -> Bool {
        var next = id
        // Deeper than any shell that starts a shell.
        for _ in 0..<64 {
            if next == ancestor { return true }
            guard next > 1, let parent = status(of: next)?.parent else { return false }
            next = parent
        }
        return false
    }

    private static func status(of id: Int32) -> (parent: Int32, startedAt: UInt64, isZombie: Bool)? {
        guard let file = try? File("/proc/\(id)/stat", O_RDONLY), let bytes = try? file.read(at: 0, count: 4096) else {
            return nil
        }
        // The program's name is in parentheses and may hold anything, parentheses too.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        // proc(5): state is field 3, the parent 4, starttime field 22.
        guard fields.count > 19, let parent = Int32(fields[1]), let startedAt = UInt64(fields[19]) else { return nil }
        return (parent, startedAt, fields[0] == "Z" || fields[0] == "X")
    }
}
