internal import Glibc
internal import HostCore

/// The kernel's information on the agents' processes.
enum AgentProcessTable {
    /// The process with that number; nil if there is none.
    static func process(_ id: Int32) -> AgentProcess? {
        guard id > 1, let status = status(of: id) else { return nil }
        return AgentProcess(id: id, startedAt: status.startedAt)
    }

    /// The process that a peer means by a number; nil if that is not known. In another PID namespace a number means another process
    /// than here, whose end would be taken for the agent's.
    static func process(_ number: Int32, saidBy peer: Int32) -> AgentProcess? {
        guard let depth = numbers(of: peer)?.count else { return nil }
        // A peer that we can see and that is in no namespace below ours is in ours.
        guard depth > 1 else { return process(number) }
        // In a namespace below ours, a hook names the agent that has started it, directly or not.
        var next = peer
        for _ in 0..<ancestorsMax {
            guard let numbers = numbers(of: next), numbers.count == depth else { return nil }
            if numbers.last == number { return process(next) }
            guard let parent = status(of: next)?.parent, parent > 1 else { return nil }
            next = parent
        }
        return nil
    }

    /// True if the process still runs. One with the same number but another start time is a different process.
    static func isAlive(_ process: AgentProcess) -> Bool {
        if kill(process.id, 0) != 0 && errno == ESRCH { return false }
        // Without /proc, or if it is hidden, the number alone has to do.
        guard let status = status(of: process.id) else { return unsafe access("/proc/self/stat", R_OK) != 0 }
        if status.isZombie { return false }
        return process.startedAt == 0 || process.startedAt == status.startedAt
    }

    /// The arguments with which the process was started, of which the first is its program; nil if they cannot be read.
    static func arguments(of id: Int32) -> [String]? {
        guard let file = try? File("/proc/\(id)/cmdline", O_RDONLY), let bytes = try? file.read(at: 0, count: argumentBytesMax),
            !bytes.isEmpty, bytes.count < argumentBytesMax
        else { return nil }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    /// As much as a shell's line has; a prompt may be among the arguments.
    private static let argumentBytesMax = 256 << 10

    /// True if a process is `ancestor`, or a direct or indirect child of it.
    static func isDescendant(_ id: Int32, of ancestor: Int32) -> Bool {
        var next = id
        for _ in 0..<ancestorsMax {
            if next == ancestor { return true }
            guard next > 1, let parent = status(of: next)?.parent else { return false }
            next = parent
        }
        return false
    }

    /// Most ancestors that are looked at; no nesting of shells is deeper.
    private static let ancestorsMax = 64

    /// The process's numbers in our PID namespace and in each one below it, down to its own. In the file they follow the groups, of
    /// which there may be thousands.
    private static func numbers(of id: Int32) -> [Int32]? {
        guard let file = try? File("/proc/\(id)/status", O_RDONLY), let bytes = try? file.read(at: 0, count: 64 << 10) else {
            return nil
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("NSpid:") }?.split(whereSeparator: \.isWhitespace).dropFirst().compactMap {
            Int32($0)
        }
    }

    private static func status(of id: Int32) -> (parent: Int32, startedAt: UInt64, isZombie: Bool)? {
        guard let file = try? File("/proc/\(id)/stat", O_RDONLY), let bytes = try? file.read(at: 0, count: 4096) else {
            return nil
        }
        // The program's name is in parentheses and may contain anything, also parentheses.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        // proc(5): state is field 3, the parent 4, starttime field 22.
        guard fields.count > 19, let parent = Int32(fields[1]), let startedAt = UInt64(fields[19]) else { return nil }
        return (parent, startedAt, fields[0] == "Z" || fields[0] == "X")
    }
}
