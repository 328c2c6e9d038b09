internal import Glibc

/// Detects typing at an agent's terminal by the time at which its device was last read, the only thing that another process of the
/// same user can see.
///
/// The kernel updates that time at most once in eight seconds, so a key that soon follows another is not seen.
struct TerminalKeys {
    /// Resolution of that time in the kernel, in seconds.
    private static let grain = 8

    private let path: String
    private let readAt: Int

    /// Nil if the process has no terminal, or if it cannot be examined.
    init?(of process: String?) {
        guard let process, let device = Self.terminal(of: process) else { return nil }
        // Device numbers of pseudo-terminals, and of the machine's own console.
        let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00))
        path = (136...143).contains(major) ? "/dev/pts/\((major - 136) << 8 | minor)" : "/dev/tty\(minor)"
        guard let readAt = Self.readAt(path) else { return nil }
        self.readAt = readAt
    }

    var werePressed: Bool { Self.readAt(path) != readAt }

    /// True if a key was typed just now.
    var isSomebodyThere: Bool { time(nil) - readAt < Self.grain }

    private static func readAt(_ path: String) -> Int? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return status.st_atim.tv_sec
    }

    /// The process's terminal, from the seventh field of its line in the kernel; the second is its name in brackets, which may
    /// contain anything.
    private static func terminal(of process: String) -> Int? {
        guard process.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var line = [UInt8](repeating: 0, count: 1 << 10)
        // The buffer is the array's own during the call.
        let count = unsafe read(file, &line, line.count)
        guard count > 0, let end = line[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(end + 1)..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 4, let device = Int(String(decoding: fields[4], as: UTF8.self)), device > 0 else { return nil }
        return device
    }
}
